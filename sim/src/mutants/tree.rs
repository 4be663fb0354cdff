//! The copy of the tree that mutants are planted in.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use super::child::{self, Told};
use super::patch::Patch;

/// How long a check may take: a mutant that makes it go on for ever is found by that.
pub(super) const PATIENCE: Duration = Duration::from_mins(5);

/// A build from nothing takes long on a busy machine, and that says nothing of the mutant.
const BUILD_PATIENCE: Duration = Duration::from_mins(30);

/// How many operation lists a check of the store against the model tries.
const CASES: &str = "800";

/// A copy of the sources with a build folder of its own, both kept between runs.
pub(super) struct Tree {
    sources: PathBuf,
    build: PathBuf,
}

/// What a check said.
pub(super) enum Verdict {
    /// It passed.
    Passed,
    /// It failed, and this did.
    Killed(String),
    /// It was not run: the tree does not compile, and this is the first that the compiler says.
    Broken(String),
}

/// Whether a mutant could be planted.
pub(super) enum Applied {
    /// It is in the tree.
    Yes,
    /// Its patch no longer fits the sources, and the tree is as it was.
    No(String),
}

impl Tree {
    /// Copies everything that git knows of, as it stands in the working tree, into a folder.
    pub(super) fn copy(root: &Path, folder: &Path) -> Result<Self, Box<dyn Error>> {
        fs::create_dir_all(folder)?;
        let place = folder.canonicalize()?;
        let sources = place.join("tree");
        if sources.exists() {
            fs::remove_dir_all(&sources)?;
        }
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()?;
        expect_success(&listed, "git ls-files")?;
        let names = String::from_utf8(listed.stdout)?;
        for name in names.split_terminator('\0').filter(|name| root.join(name).is_file()) {
            let copy = sources.join(name);
            fs::create_dir_all(copy.parent().unwrap_or(&sources))?;
            fs::copy(root.join(name), copy)?;
        }
        // A repository of its own: otherwise git would apply patches to the outer one.
        expect_success(&git(&sources, &["init", "-q"])?, "git init")?;
        Ok(Self { sources, build: place.join("build") })
    }

    /// Plants a mutant.
    pub(super) fn apply(&self, patch: &Patch) -> Result<Applied, Box<dyn Error>> {
        let file = patch.path.to_string_lossy();
        let output = git(&self.sources, &["apply", &file])?;
        if output.status.success() {
            return Ok(Applied::Yes);
        }
        let why = String::from_utf8_lossy(&output.stderr);
        Ok(Applied::No(format!("the patch no longer applies: {}", why.trim())))
    }

    /// Takes it out.
    pub(super) fn revert(&self, patch: &Patch) -> Result<(), Box<dyn Error>> {
        let file = patch.path.to_string_lossy();
        // What a failing check found is this mutant's, and no regression of the tree.
        let _ = fs::remove_file(self.sources.join("regressions/conformance-found.json"));
        let output = git(&self.sources, &["apply", "--reverse", &file])?;
        expect_success(&output, &format!("{}: the patch cannot be taken out", patch.mutant))
    }

    /// What a build has made.
    pub(super) fn built(&self, name: &str) -> PathBuf {
        self.build.join(name)
    }

    /// Runs a command in the tree. Gives how it ended and all that it printed; none where it had to
    /// be ended.
    pub(super) fn output(
        &self,
        command: &str,
        patience: Duration,
    ) -> Result<Option<Told>, Box<dyn Error>> {
        Ok(child::run_for(self.command(command)?, patience)?)
    }

    /// Builds something. Where that fails, gives the first that the compiler says against it.
    pub(super) fn build(&self, command: &str) -> Result<Option<String>, Box<dyn Error>> {
        let told = self.output(command, BUILD_PATIENCE)?;
        let told = told.ok_or_else(|| format!("`{command}` does not end"))?;
        if told.status.success() {
            return Ok(None);
        }
        let first = told.text.lines().find(|line| line.starts_with("error"));
        Ok(Some(first.unwrap_or("the build fails").to_owned()))
    }

    /// Runs a check. A tree that does not compile is no kill.
    pub(super) fn check(&self, check: &str) -> Result<Verdict, Box<dyn Error>> {
        // First by itself: what a build takes is not to be taken for a check that never ends.
        if let Some(why) = self.build(&build_of(check)?)? {
            return Ok(Verdict::Broken(format!("`{check}` does not compile: {why}")));
        }
        let Some(told) = self.output(check, PATIENCE)? else {
            let seconds = PATIENCE.as_secs();
            return Ok(Verdict::Killed(format!("it had not ended after {seconds} s")));
        };
        if told.status.success() {
            return Ok(Verdict::Passed);
        }
        Ok(Verdict::Killed(failed_tests(&told.text)))
    }

    fn command(&self, words: &str) -> Result<Command, Box<dyn Error>> {
        let mut words = words.split_whitespace();
        let mut command = Command::new(words.next().ok_or("an empty command")?);
        command
            .args(words)
            .current_dir(&self.sources)
            .env("CARGO_TARGET_DIR", &self.build)
            // A mutant may leave code unused, and that is not how it is to be found.
            .env("RUSTFLAGS", "--cap-lints warn")
            // A failing list of operations is shown, not kept: its fault is not in this tree.
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
            // The same schedules each time, and more of them: no mutant lives or dies by chance.
            .env("LEASEHOLD_SEED", "1")
            .env("LEASEHOLD_CASES", CASES);
        Ok(command)
    }
}

/// The command that builds what a check runs, and runs nothing.
fn build_of(check: &str) -> Result<String, String> {
    let (cargo, _) = check.split_once(" -- ").unwrap_or((check, ""));
    if let Some(rest) = cargo.strip_prefix("cargo run ") {
        return Ok(format!("cargo build {rest}"));
    }
    if cargo.starts_with("cargo test ") {
        return Ok(format!("{cargo} --no-run"));
    }
    Err(format!("`{check}` is neither `cargo test` nor `cargo run`"))
}

/// The names of the tests that failed; for a program that is no test, the last line it printed.
fn failed_tests(text: &str) -> String {
    let failed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
        .collect();
    if failed.is_empty() {
        let last = text.lines().rfind(|line| line.contains('='));
        return last.unwrap_or("exit code").to_owned();
    }
    let more = failed.len().saturating_sub(3);
    let shown = failed[..failed.len().min(3)].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

fn git(folder: &Path, args: &[&str]) -> io::Result<Output> {
    Command::new("git").args(args).current_dir(folder).output()
}

fn expect_success(output: &Output, what: &str) -> Result<(), Box<dyn Error>> {
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{what}: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_built_by_itself() {
        let build = |check| build_of(check).unwrap();
        assert_eq!(build("cargo test -p a --test b c"), "cargo test -p a --test b c --no-run");
        assert_eq!(build("cargo test -p a -- --nocapture"), "cargo test -p a --no-run");
        assert_eq!(build("cargo run -q -p a -- run --seed 1"), "cargo build -q -p a");
        assert!(build_of("sh check").is_err());
    }
}
