//! A script as a tree.
//!
//! It is as deep as the script nests, and that is bounded by whoever makes it.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The lists of pipelines in their order.
    pub lists: Vec<List>,
}

/// Pipelines with `&&` and `||` between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The pipelines, each with what stands before it.
    pub pipelines: Vec<(Joint, Pipeline)>,
    /// Whether it ends with `&`.
    pub background: bool,
}

/// What stands before a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// Nothing: it is the first.
    First,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands with `|` between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The commands.
    pub commands: Vec<Command>,
    /// Whether `!` stands before it.
    pub negated: bool,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it is.
    pub kind: Kind,
    /// Its redirections in their order.
    pub redirections: Vec<Redirection>,
}

/// What a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program, or nothing but assignments.
    Simple {
        /// The variables that are set before the program.
        assignments: Vec<Assignment>,
        /// The program and its arguments.
        words: Vec<Word>,
    },
    /// `( … )`
    Subshell(Script),
    /// `{ …; }`
    Group(Script),
    /// `if`: the conditions, each with its commands, and what `else` does.
    If(Vec<(Script, Script)>, Option<Script>),
    /// `while` and `until`: the condition, and the body.
    While(Script, Script),
    /// `for name in words` and `select`; without words where it goes over the arguments.
    For(String, Option<Vec<Word>>, Script),
    /// `for ((…))`: what is in the parentheses, and the body.
    Count(Word, Script),
    /// `case word in patterns) … ;; esac`
    Case(Word, Vec<(Vec<Word>, Script)>),
    /// A function's name and body.
    Function(String, Box<Command>),
    /// `[[ … ]]` and `(( … ))`: nothing is written but by substitutions in them.
    Test(Vec<Word>),
}

/// `name=word`, `name+=word`, `name[…]=word`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Whether it keeps what it has: `+=`, or one element of an array.
    pub adds: bool,
    /// What it gets.
    pub value: Word,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// How.
    pub operator: Operator,
    /// What stands behind the operator; the delimiter of a here-document.
    pub target: Word,
    /// The text of a here-document or here-string.
    pub text: Rc<OnceCell<Word>>,
    /// The file descriptor, where one stands before the operator.
    pub descriptor: Option<u32>,
}

/// How a redirection goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`
    Write,
    /// `<>`
    ReadWrite,
    /// `&>`, `&>>`
    Both,
    /// `>&`: a descriptor, or a file.
    DuplicateOut,
    /// `<&`
    DuplicateIn,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// A word of pieces that the shell joins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The pieces.
    pub parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text; quoted where patterns, braces and `~` mean nothing in it.
    Text {
        /// The text, without quotes.
        text: String,
        /// Whether it was quoted.
        quoted: bool,
    },
    /// `$name`, `${name…}`
    Variable(Variable),
    /// `$(…)` and backticks.
    Substitution {
        /// What is run.
        script: Script,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `<(…)` and `>(…)`
    Process {
        /// What is run.
        script: Script,
        /// Whether the command writes to it.
        output: bool,
    },
    /// `$((…))`, and the index of an array: only the shell knows what it comes to.
    Arithmetic(Word),
    /// `(…)` behind `name=`.
    Array(Vec<Word>),
}

/// A variable that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name: a word, a digit, or a sign.
    pub name: String,
    /// What is done to its value.
    pub change: Change,
    /// Whether it stands in double quotes.
    pub quoted: bool,
}

/// What `${…}` does to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    None,
    /// `[@]`, `[*]`: all of an array.
    All,
    /// `:-`, `-`: this, where it has none.
    Default(Word),
    /// `:=`, `=`: the same, and it gets it.
    Assign(Word),
    /// `:+`, `+`: this, where it has one.
    Alternative(Word),
    /// `%`, `%%`, `#`, `##` with a pattern.
    Cut {
        /// `%`: from its end.
        end: bool,
        /// Doubled: as much as there is.
        most: bool,
        /// The pattern.
        pattern: Word,
    },
    /// Anything else: only the shell knows. What runs in it is in this word.
    Other(Word),
}
