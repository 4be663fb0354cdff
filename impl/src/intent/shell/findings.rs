//! What was found in a script.

/// A path that is written, and why that is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The absolute path.
    pub path: String,
    /// The words of the script that say so, such as `> out.txt` or `sed -i a.txt`.
    pub words: String,
    /// The rule that was applied, such as `redirection` or `cp: the last operand`.
    pub rule: &'static str,
}

/// All that a script writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Files, and directories that are themselves made, renamed or removed when empty.
    pub files: Vec<Target>,
    /// Directories in which anything may be rewritten or removed: they are not leased, but nobody
    /// else may hold anything in them.
    pub trees: Vec<Target>,
    /// What a person who asks for an explanation should know.
    pub notes: Vec<String>,
}
