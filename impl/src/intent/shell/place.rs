//! Where relative names start.

/// How paths are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With slashes.
    Unix,
    /// With drives, and slashes of both kinds.
    Windows,
}

/// A directory, or one that only the shell knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    directory: Option<String>,
    style: Style,
}

impl Place {
    /// A place in a directory.
    pub fn new(directory: Option<&str>, style: Style) -> Self {
        Self { directory: directory.map(str::to_owned), style }
    }

    /// The directory, where it is known.
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// How paths are written here.
    pub fn style(&self) -> Style {
        self.style
    }

    /// The absolute path of a name: without `.` and without doubled or trailing separators; `..`
    /// stays, for what it means depends on links. None where only the shell knows it.
    pub fn join(&self, name: &str) -> Option<String> {
        if name.is_empty() || name.contains('\0') {
            return None;
        }
        match self.style {
            Style::Unix => {
                let whole = if name.starts_with('/') {
                    name.to_owned()
                } else {
                    format!("{}/{name}", self.directory.as_deref()?)
                };
                let parts: Vec<&str> =
                    whole.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
                Some(format!("/{}", parts.join("/")))
            }
            Style::Windows => {
                let name = name.replace('/', "\\");
                let whole = if is_drive(&name) || name.starts_with("\\\\") {
                    name
                } else if name.starts_with('\\') {
                    let drive = self.directory.as_deref()?.get(..2)?;
                    format!("{drive}{name}")
                } else {
                    format!("{}\\{name}", self.directory.as_deref()?)
                };
                let (head, rest) = if let Some(rest) = whole.strip_prefix("\\\\") {
                    ("\\\\", rest)
                } else {
                    ("", whole.as_str())
                };
                let parts: Vec<&str> =
                    rest.split('\\').filter(|part| !part.is_empty() && *part != ".").collect();
                Some(format!("{head}{}", parts.join("\\")))
            }
        }
    }

    /// The place after `cd name`.
    #[must_use]
    pub fn enter(&self, name: &str) -> Self {
        Self { directory: self.join(name), style: self.style }
    }

    /// The place after a `cd` to what only the shell knows.
    #[must_use]
    pub fn lost(&self) -> Self {
        Self { directory: None, style: self.style }
    }
}

/// Whether a path with backslashes begins with a drive and its root.
fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && bytes[2] == b'\\'
}
