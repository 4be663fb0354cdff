//! A user for whom file modes count: not root, also where the tests run as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binary;
use crate::call::Call;
use crate::outcome::Outcome;
use crate::sandbox::Sandbox;

/// The user that root's tests become.
const NOBODY: u32 = 65_534;

/// The user who runs a sandbox's calls.
#[derive(Debug)]
pub struct User {
    /// Root's tests need a copy of the program that another user can reach.
    other: Option<PathBuf>,
}

impl User {
    /// One who may use the sandbox, and its store.
    pub fn ordinary(sandbox: &Sandbox) -> Self {
        let store = sandbox.make_store();
        if fs::metadata(&store).expect("the folder").uid() != 0 {
            return Self { other: None };
        }
        let program = sandbox.root().join("leasehold");
        // By another process: a program that a thread of ours still writes cannot be started.
        let copied = Command::new("cp").arg(binary::path()).arg(&program).status();
        assert!(copied.expect("cp starts").success());
        for path in [sandbox.root(), &store, &sandbox.repo(), &program] {
            set_mode(path, 0o777);
        }
        Self { other: Some(program) }
    }

    /// Runs a call as this user.
    pub fn run(&self, call: Call) -> Outcome {
        match &self.other {
            Some(program) => call.as_user(NOBODY, program).run(),
            None => call.run(),
        }
    }

    /// Leaves a file that this user may read and not write, and returns whose it is now.
    pub fn take_away(&self, file: &Path) -> u32 {
        if self.other.is_some() {
            chown(file, Some(0), Some(0)).expect("root may");
            set_mode(file, 0o644);
        } else {
            set_mode(file, 0o444);
        }
        fs::metadata(file).expect("the file").uid()
    }
}

/// Sets the mode of a file that the tests own.
pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the file is ours");
}
