//! The binary under test: the one that lies beside the test executable.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of `leasehold`, built once in each test process so that it is never stale.
pub fn path() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build)
}

/// Builds into the directory that the test executable comes from: `…/debug/deps/cli-0123`.
fn build() -> PathBuf {
    let test = env::current_exe().expect("the path of the test executable");
    let profile = test.parent().and_then(Path::parent).expect("the directory of the profile");
    let target = profile.parent().expect("the target directory");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "leasehold", "--bin", "leasehold"]);
    cargo.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "the binary builds");
    profile.join("leasehold").with_extension(env::consts::EXE_EXTENSION)
}
