//! One program that a script runs.

use crate::intent::shell::disk::Disk;
use crate::intent::shell::field::Field;
use crate::intent::shell::place::Place;

/// What comes in on standard input, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nobody knows.
    #[default]
    Unknown,
    /// This text: a here-document, or what `echo` and `cat` hand on. Holes as in a [`Field`].
    Text(String),
    /// At most these names, one a line or after one another with NULs between: what `ls *.c`,
    /// `find` or `grep -l` print.
    Names(Vec<String>),
}

/// A program with its arguments, at the place where it runs. Wrappers (`env`, `sudo` …) are in
/// it as they were written.
pub struct Invocation<'a> {
    /// The program, and its arguments.
    pub words: &'a [Field],
    /// What it reads.
    pub input: &'a Input,
    /// Where it runs.
    pub place: &'a Place,
    /// What `~` stands for, and where home-less tools look.
    pub home: Option<&'a str>,
    /// The disk.
    pub disk: &'a dyn Disk,
}

/// What a program does, as far as its words tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// What it writes.
    pub files: Vec<crate::intent::shell::findings::Target>,
    /// Directories in which it may rewrite anything.
    pub trees: Vec<crate::intent::shell::findings::Target>,
    /// What it prints, as far as somebody behind it in a pipe may act on it.
    pub output: Input,
    /// Further programs that it runs (`xargs`, `find -exec`, `env`, `timeout`): argument vectors
    /// with the input and the place that each gets.
    pub runs: Vec<Run>,
    /// Scripts that it runs (`bash -c`, `sh < text`, `powershell -Command`, `cmd /c`).
    pub scripts: Vec<Nested>,
    /// What a person who asks for an explanation should know.
    pub notes: Vec<String>,
    /// Whether the table knows the program at all.
    pub known: bool,
}

/// A program that another one runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The program, and its arguments.
    pub words: Vec<Field>,
    /// What it reads.
    pub input: Input,
    /// Where it runs, if not where the other one does; none inside where only the shell knows.
    pub place: Option<Place>,
}

/// The language of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// bash, and the shells that are like it.
    Bash,
    /// PowerShell.
    PowerShell,
    /// The command interpreter of Windows.
    Cmd,
}

/// A script that a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// In which language.
    pub dialect: Dialect,
    /// Its text. Holes as in a [`Field`].
    pub text: String,
    /// `$0`, `$1` … of it.
    pub arguments: Vec<Field>,
}
