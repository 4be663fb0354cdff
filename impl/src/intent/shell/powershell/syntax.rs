//! The shape of a script.

use std::rc::Rc;

/// A script block, or the body of a statement.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its parameters, in order, with what they stand for unless given.
    pub parameters: Vec<(Rc<str>, Option<Expression>)>,
    /// What it does.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Debug)]
pub(super) enum Statement {
    /// Pipelines, and whether each runs only if the one before it failed.
    Chain(Vec<(bool, Pipeline)>),
    /// `target = value`; none of the targets is known where they are no plain variables.
    Assign { targets: Vec<Rc<str>>, adds: bool, plain: bool, value: Box<Statement> },
    /// The conditions with their blocks; the last block has none in an `else`.
    If { branches: Vec<(Vec<Statement>, Rc<Block>)>, last: Option<Rc<Block>> },
    /// A loop that runs nobody knows how often.
    Loop { first: Vec<Statement>, again: Vec<Statement>, body: Rc<Block>, at_least_once: bool },
    /// A loop over a list.
    Each { variable: Rc<str>, list: Vec<Statement>, body: Rc<Block> },
    /// The cases of a `switch`.
    Switch { subject: Vec<Statement>, cases: Vec<Rc<Block>> },
    /// `try`, the blocks of its `catch`, and `finally`.
    Try { body: Rc<Block>, catches: Vec<Rc<Block>>, last: Option<Rc<Block>> },
    /// A function.
    Function { name: Rc<str>, body: Rc<Block> },
    /// What ends the block: `return`, `exit`, `throw`, `break`, `continue`.
    Leave(Option<Box<Statement>>),
    /// A block that runs as if it were not one, such as `process { … }`.
    Plain(Rc<Block>),
    /// A block that may run, such as `trap { … }`.
    Perhaps(Rc<Block>),
}

/// Commands with `|` between them.
#[derive(Debug)]
pub(super) struct Pipeline {
    /// Its text, cut off where it is long.
    pub words: Rc<str>,
    /// The commands.
    pub elements: Vec<Element>,
}

/// One command of a pipeline, or an expression.
#[derive(Debug)]
pub(super) struct Element {
    /// What it does.
    pub body: Body,
    /// Where its output goes.
    pub redirections: Vec<Expression>,
}

/// What an element does.
#[derive(Debug)]
pub(super) enum Body {
    /// It yields a value.
    Value(Expression),
    /// It runs a command.
    Command(Command),
}

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// Whether it shares the variables of the script: `. name`.
    pub dotted: bool,
    /// What it is called.
    pub name: Expression,
    /// What it gets.
    pub arguments: Vec<Argument>,
}

/// One argument.
#[derive(Debug)]
pub(super) enum Argument {
    /// A value.
    Value(Expression),
    /// `-Name`, `-Name:value` or `-Name: value`.
    Parameter { name: Rc<str>, value: Option<Expression>, apart: bool },
    /// `@name`.
    Splat(Rc<str>),
    /// What follows `--%`.
    Verbatim(Rc<str>),
}

/// What has a value.
#[derive(Debug)]
pub(super) enum Expression {
    /// A text in quotes.
    Text(Rc<str>),
    /// A text without quotes.
    Bare(Rc<str>),
    /// A whole number.
    Number(i64),
    /// A text with expressions in it, and whether it had no quotes.
    Joined(Vec<Expression>, bool),
    /// A variable, in small letters.
    Variable(Rc<str>),
    /// `( … )`, `$( … )`, `@( … )`.
    Group { statements: Vec<Statement>, list: bool },
    /// `@{ … }`.
    Table(Vec<(Rc<str>, Statement)>),
    /// `{ … }`.
    Block(Rc<Block>),
    /// `[Name]`, in small letters.
    Type(Rc<str>),
    /// Members, calls and indexes, from left to right.
    Access(Box<Expression>, Vec<Access>),
    /// Operands with the operators before them.
    Operation(Vec<Operand>),
    /// Values with commas between them.
    List(Vec<Expression>),
    /// What the reader does not follow.
    Unknown,
}

/// One step into a value.
#[derive(Debug)]
pub(super) enum Access {
    /// `.Name`, in small letters; none where it is computed.
    Member(Option<Rc<str>>),
    /// `.Name(…)` or `::Name(…)`.
    Call(Option<Rc<str>>, Vec<Expression>),
    /// `[…]`.
    Index(Expression),
    /// `++` or `--`.
    Step,
}

/// A part of an operation.
#[derive(Debug)]
pub(super) struct Operand {
    /// What stands between it and the one before it.
    pub operator: Operator,
    /// What stands before it.
    pub sign: Sign,
    /// Its value.
    pub value: Expression,
}

/// What stands before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Nothing that changes a text.
    None,
    /// `-not` or `!`.
    Not,
    /// Something else.
    Other,
}

/// What stands between two operands, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operator {
    /// `? :`, `??`.
    Choice,
    /// `-and`.
    And,
    /// `-or`.
    Or,
    /// A comparison that is not followed.
    Other,
    /// `-eq`.
    Equal,
    /// `-ne`.
    Unequal,
    /// `-like`.
    Like,
    /// `-notlike`.
    Unlike,
    /// `-replace`.
    Replace,
    /// `+`.
    Plus,
    /// `-`, `*`, `/`, `%`.
    Arithmetic,
    /// `-f`.
    Format,
    /// `..`.
    Range,
    /// `,`.
    Comma,
}

impl Operator {
    /// How tightly it binds.
    pub(super) fn strength(self) -> u8 {
        match self {
            Self::Choice => 0,
            Self::And | Self::Or => 1,
            Self::Plus => 3,
            Self::Arithmetic => 4,
            Self::Format => 5,
            Self::Range => 6,
            Self::Comma => 7,
            _ => 2,
        }
    }
}

/// What a word with a dash does to its operands.
pub(super) fn word_operator(word: &str) -> Operator {
    match word.strip_prefix(['c', 'i']).filter(|rest| rest.len() > 1).unwrap_or(word) {
        "and" => Operator::And,
        "or" | "xor" => Operator::Or,
        "eq" => Operator::Equal,
        "ne" => Operator::Unequal,
        "like" => Operator::Like,
        "notlike" => Operator::Unlike,
        "replace" => Operator::Replace,
        "f" => Operator::Format,
        _ => Operator::Other,
    }
}

/// Whether conversion to a type leaves a text as it is.
pub(super) fn keeps_text(name: &str) -> bool {
    let short = name.rsplit('.').next().unwrap_or(name);
    matches!(short, "string" | "string[]" | "array" | "object" | "object[]" | "fileinfo" | "uri")
        || matches!(short, "int" | "long" | "pscustomobject" | "void" | "ordered" | "hashtable")
}
