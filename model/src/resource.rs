//! What a lease is on: one file or directory, already canonical.

/// The identity of a file that has several names (hard links).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileId(pub u64);

/// One file or directory: the names from the root down to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Resource {
    /// The path's components. (The order of leases and grants is that of [`Self::path`]'s bytes,
    /// in which `/a-b` comes before `/a/b`; the derived one compares name by name.)
    names: Vec<String>,
    /// The file's identity, when other names may lead to it.
    file: Option<FileId>,
}

impl Resource {
    /// The resource at an absolute path, components separated by `/`.
    #[must_use]
    pub fn new(path: &str) -> Self {
        let names = path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Self { names, file: None }
    }

    /// The same resource, known to be a file with more than one name.
    #[must_use]
    pub fn with_file(self, file: FileId) -> Self {
        Self { file: Some(file), ..self }
    }

    /// The absolute path.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/{}", self.names.join("/"))
    }

    /// R1: equal, one inside the other, or two names of one file.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.contains_or_is(other)
            || other.contains_or_is(self)
            || (self.file.is_some() && self.file == other.file)
    }

    /// Whether `other` is this resource or lies under it.
    #[must_use]
    pub fn contains_or_is(&self, other: &Self) -> bool {
        other.names.starts_with(&self.names)
    }

    /// Whether both are the same path.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.names == other.names
    }
}
