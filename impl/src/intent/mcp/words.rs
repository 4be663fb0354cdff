//! The words of a tool's name, and what they say about writing.

/// Words that always mean writing.
const WRITE_VERBS: &[&str] = &[
    "append",
    "apply",
    "create",
    "delete",
    "format",
    "insert",
    "modify",
    "overwrite",
    "prepend",
    "remove",
    "rename",
    "replace",
    "save",
    "truncate",
    "unlink",
    "write",
];

/// Words that mean writing, unless a tool that begins with [`PLAIN_READS`] names what it reads.
const WRITE_NOUNS: &[&str] = &["copy", "edit", "move", "patch", "put", "set", "update"];

/// Words at the start of a name that settle what the word after them is.
const PLAIN_READS: &[&str] = &["describe", "get", "list", "read", "show", "view"];

/// Words that mean reading, where no word means writing.
const READ_VERBS: &[&str] = &[
    "analyze", "check", "count", "describe", "diff", "exists", "fetch", "find", "get", "glob",
    "grep", "head", "info", "inspect", "list", "load", "lookup", "open", "peek", "query", "read",
    "resolve", "search", "show", "stat", "status", "tail", "tree", "view",
];

/// Words that join a second verb to the first.
const JOINTS: &[&str] = &["and", "or"];

/// Words of tools whose source does not stay.
const TAKING_VERBS: &[&str] = &["delete", "move", "remove", "rename", "unlink"];

/// Words of tools whose object is a directory.
const DIRECTORIES: &[&str] = &["dir", "directories", "directory", "folder", "folders"];

/// The words of a tool's name in lower case.
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn of(name: &str) -> Self {
        let mut words = vec![String::new()];
        let mut after_small = false;
        for letter in name.chars() {
            let starts = after_small && letter.is_uppercase();
            if (starts || !letter.is_alphanumeric()) && words.last().is_some_and(|w| !w.is_empty())
            {
                words.push(String::new());
            }
            if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
                word.extend(letter.to_lowercase());
            }
            after_small = letter.is_lowercase() || letter.is_numeric();
        }
        Self(words)
    }

    /// Whether the tool writes: one word that says so is enough, as in `search_replace`.
    pub(super) fn write(&self) -> bool {
        let reads_first = self.0.first().is_some_and(|word| PLAIN_READS.contains(&word.as_str()));
        let named = reads_first && !self.any(JOINTS);
        self.any(WRITE_VERBS) || (!named && self.any(WRITE_NOUNS))
    }

    /// Whether the tool says that it reads.
    pub(super) fn read(&self) -> bool {
        self.any(READ_VERBS)
    }

    /// Whether the tool takes its source away.
    pub(super) fn take_away(&self) -> bool {
        self.any(TAKING_VERBS)
    }

    /// Whether the tool works on directories.
    pub(super) fn directory(&self) -> bool {
        self.any(DIRECTORIES)
    }

    /// Whether the tool only makes a directory.
    pub(super) fn make_directory(&self) -> bool {
        self.directory() && self.any(&["create"])
    }

    fn any(&self, list: &[&str]) -> bool {
        self.0.iter().any(|word| list.contains(&word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: names come apart at every customary joint.
    #[test]
    fn splits_names() {
        for name in ["write_file", "write-file", "writeFile", "WriteFile", "_write__file_"] {
            let words: Vec<String> = Words::of(name).0;
            assert_eq!(words[..2], ["write", "file"], "{name}");
        }
        assert_eq!(Words::of("step2Edit").0, ["step2", "edit"]);
    }

    /// Goal: writers are told from readers, whose names may hold a writer's word as a noun.
    #[test]
    fn tells_writers() {
        for name in [
            "write_file",
            "find_and_replace",
            "search_replace",
            "get_or_create_file",
            "read_and_update",
            "editFile",
            "copy",
            "create_directory",
            "rename_symbol",
        ] {
            assert!(Words::of(name).write(), "{name}");
        }
        for name in ["get_patch", "list_copy", "read_file", "find_symbol", "listUpdates", "", "run"]
        {
            assert!(!Words::of(name).write(), "{name}");
        }
        assert!(Words::of("find_symbol").read() && !Words::of("run").read());
    }
}
