# What CI runs, and what is worth running by hand. `just --list` shows all.

# The same as CI.
ci:
    bash .ci/run

# The tests of all crates.
test:
    cargo test

# Formatting and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets

# Plant every mutant on a copy of the tree; each must be found. `just mutants M5` plants one.
mutants *NAMES:
    cargo run -q -p leasehold-sim -- mutants {{NAMES}}

# Change the model, then the store, in every small way; a test must notice each. Takes hours, and
# needs cargo-mutants. The second look at the store tries what its stories let pass on all tests.
cargo-mutants *OPTIONS:
    mkdir -p target/mutants/model target/mutants/store
    -cargo mutants -p leasehold-model -o target/mutants/model {{OPTIONS}}
    -just mutants-of-store {{OPTIONS}} -- --test rare_situations --test rare_turns
    -just mutants-of-store --iterate {{OPTIONS}}

[private]
mutants-of-store *OPTIONS:
    LEASEHOLD_SEED=7 cargo mutants -p leasehold -f impl/src/store.rs -f 'impl/src/store/**' \
        --test-package leasehold,leasehold-tests --baseline skip --timeout 600 \
        -o target/mutants/store {{OPTIONS}}

# What a call costs, as ratios on this machine.
bench:
    cargo build --release -p leasehold -p leasehold-sim
    target/release/leasehold-sim bench

# The store and the real SQLite on the simulated machine, under drawn schedules.
sim SCHEDULES="100000" SEED="1":
    cargo build --profile sim -p leasehold-sim
    target/sim/leasehold-sim run --schedules {{SCHEDULES}} --seed {{SEED}} --jobs 2

# The same for hours: each time with other seeds.
sim-nightly MINUTES="60" JOBS="2":
    cargo build --profile sim -p leasehold-sim
    target/sim/leasehold-sim run --minutes {{MINUTES}} --jobs {{JOBS}} --seed "$(date +%s)000000"

# What each commit is tried with in the simulator: about a minute.
sim-ci:
    bash .ci/simulator

# The same SQLite with thousands of its own assertions, which are oracles too. Twice as slow.
sim-debug SCHEDULES="5000":
    LIBSQLITE3_FLAGS="-DSQLITE_DEBUG" cargo build --profile sim -p leasehold-sim --target-dir target/sqlite-debug
    target/sqlite-debug/sim/leasehold-sim run --schedules {{SCHEDULES}}

# How many schedules it takes until the simulator finds each mutant.
mutants-sim *NAMES:
    cargo run -q -p leasehold-sim -- mutants --simulator {{NAMES}}

# Every schedule of two processes with at most two preemptions, and every crash.
explore PREEMPTIONS="2":
    cargo build --profile sim -p leasehold-sim
    target/sim/leasehold-sim explore --preemptions {{PREEMPTIONS}} --crashes

# Every order of the transactions of two processes, and of three with few preemptions, by loom.
loom:
    cargo test --profile sim -p leasehold-sim --features loom --test loom -- --nocapture

# How many schedules a second the simulator runs.
sim-bench:
    cargo build --profile sim -p leasehold-sim
    target/sim/leasehold-sim pace

# Real processes, racing: one file, killed racers, first openers, overlapping sets.
race ROUNDS="200":
    cargo build --release -p leasehold -p leasehold-sim
    target/release/leasehold-sim race --racers 8 --rounds {{ROUNDS}}
    target/release/leasehold-sim race --kill --rounds {{ROUNDS}}
    target/release/leasehold-sim race --openers
    target/release/leasehold-sim race --sets --rounds {{ROUNDS}}

# The store against the model on many more operation lists than `cargo test` tries.
conformance CASES="10000":
    LEASEHOLD_CASES={{CASES}} cargo test -p leasehold-tests --test conformance

# A hundred thousand turns, and a thousand rounds of killed and of living agents.
bounded:
    LEASEHOLD_TURNS=100000 cargo test -p leasehold-tests --test bounded
    LEASEHOLD_ROUNDS=1000 cargo test -p leasehold-tests --test dead_holders

# The plugin for OpenCode, in a scripted host. Needs node.
opencode:
    cargo test -p leasehold-tests --features node --test opencode_plugin

# Show two agents on one file.
demo:
    cargo run --release -p leasehold -- demo
