//! What the classes of the runtime write.

use super::paths::Spot;
use super::state::{Reader, Value};
use crate::intent::shell::disk::Kind;

impl Reader<'_> {
    /// Follows a method of a class, and yields what it yields. Names are in small letters.
    pub(super) fn static_call(&mut self, class: &str, method: &str, given: &[Value]) -> Value {
        let class = class.strip_prefix("system.").unwrap_or(class);
        let rule = "a method of a class";
        match (class, method) {
            (
                "io.file",
                "writealltext"
                | "writealllines"
                | "writeallbytes"
                | "appendalltext"
                | "appendalllines"
                | "appendallbytes"
                | "create"
                | "createtext"
                | "appendtext"
                | "openwrite"
                | "delete"
                | "writealltextasync"
                | "writealllinesasync"
                | "writeallbytesasync"
                | "appendalltextasync"
                | "appendalllinesasync",
            )
            | ("io.streamwriter", "new") => self.class_writes(given.first(), rule),
            ("io.file", "copy" | "createsymboliclink") => {
                let index = usize::from(method == "copy");
                self.class_writes(given.get(index), rule);
            }
            ("io.file", "move") => {
                self.class_writes(given.first(), rule);
                self.class_writes(given.get(1), rule);
            }
            ("io.file", "replace") => {
                given.iter().take(3).for_each(|one| self.class_writes(Some(one), rule));
            }
            ("io.file" | "io.compression.zipfile", "open") | ("io.filestream", "new")
                if opens_to_write(given) =>
            {
                self.class_writes(given.first(), rule);
            }
            ("io.directory", "delete") => self.class_tree(given.first(), rule),
            ("io.directory", "move") => {
                self.class_tree(given.first(), rule);
                self.class_tree(given.get(1), rule);
            }
            ("io.compression.zipfile", "extracttodirectory") => {
                self.class_tree(given.get(1), rule);
            }
            ("io.compression.zipfile", "createfromdirectory") => {
                self.class_writes(given.get(1), rule);
            }
            _ => return self.class_yields(class, method, given),
        }
        Value::Unknown
    }

    /// What a method of a class yields that writes nothing.
    fn class_yields(&mut self, class: &str, method: &str, given: &[Value]) -> Value {
        match (class, method) {
            ("io.path", "combine" | "join") => return self.join_parts(given),
            ("io.path", "getfullpath") => {
                return match self.starting(given.first()) {
                    Some(path) => Value::text(path),
                    None => Value::Unknown,
                };
            }
            ("io.fileinfo" | "io.directoryinfo", "new") => {
                return match self.starting(given.first()) {
                    Some(path) => Value::Item(path.into()),
                    None => Value::Unknown,
                };
            }
            ("scriptblock" | "management.automation.scriptblock", "create") => {
                if let Some(text) = given.first().and_then(Value::known)
                    && self.spend(text.len() * 8)
                {
                    return Value::Block(self.parse(&text).into());
                }
            }
            ("io.directory", "getcurrentdirectory") => {
                return self.site.place.directory().map_or(Value::Unknown, Value::text);
            }
            _ => {}
        }
        Value::Unknown
    }

    /// Follows a method of an object, and tells whether it writes. Names are in small letters.
    pub(super) fn method_writes(&mut self, value: &Value, method: &str, given: &[Value]) -> bool {
        let rule = "a method of an object";
        match (value, method, given) {
            (Value::Item(path), "delete", _) => {
                let path = path.to_string();
                if self.kind(&path) == Kind::Directory {
                    self.tree(path, rule);
                } else {
                    self.file(path, rule);
                }
            }
            (Value::Under(path), "delete", _) => self.tree(path.to_string(), rule),
            // Nobody follows what an object is; some names say enough.
            (Value::Item(_) | Value::Under(_), "copyto", [goal, ..])
            | (Value::Unknown, "downloadfile" | "downloadfileasync", [_, goal])
            | (Value::Unknown, "save" | "saveas", [goal @ Value::Text(_), ..]) => {
                self.class_writes(Some(goal), rule);
            }
            (Value::Item(path), "moveto", [goal, ..]) => {
                self.file(path.to_string(), rule);
                self.class_writes(Some(goal), rule);
            }
            (Value::Item(path), "create" | "createtext" | "openwrite" | "appendtext", _) => {
                self.file(path.to_string(), rule);
            }
            _ => return false,
        }
        true
    }

    /// The path of a name that a class gets. `Set-Location` does not move those: they start where
    /// the shell was started.
    fn starting(&mut self, value: Option<&Value>) -> Option<String> {
        let value = value?;
        if let Value::Item(path) = value {
            return Some(path.to_string());
        }
        let Some(name) = value.known().filter(|name| !name.is_empty()) else {
            self.note("A class writes a file whose name only the shell knows.");
            return None;
        };
        if name.starts_with('~') || name.contains("::") {
            return self.site.place.join(&name);
        }
        let place = std::mem::replace(&mut self.place, self.site.place.clone());
        let found = self.locate(&name);
        self.place = place;
        match found {
            Spot::Path(path) => Some(path),
            Spot::Nowhere | Spot::Unknown => None,
        }
    }

    /// A class writes a file.
    fn class_writes(&mut self, value: Option<&Value>, rule: &'static str) {
        if let Some(path) = self.starting(value) {
            self.file(path, rule);
        }
    }

    /// A class writes in a directory.
    fn class_tree(&mut self, value: Option<&Value>, rule: &'static str) {
        if let Some(path) = self.starting(value) {
            self.tree(path, rule);
        }
    }
}

/// Whether what a file is opened with lets it be written.
fn opens_to_write(given: &[Value]) -> bool {
    let words: Vec<String> =
        given.iter().skip(1).filter_map(Value::known).map(|word| word.to_lowercase()).collect();
    let any = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    any(&["create", "createnew", "append", "truncate", "openorcreate", "update"])
        || any(&["write", "readwrite"])
}
