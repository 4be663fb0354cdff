//! Where relative paths start, and how a name becomes an absolute path.

use std::path::{Path, PathBuf};

use super::IntentError;
use crate::event::is_rooted;

/// The directory of a call, or of one command inside a script.
#[derive(Clone, Debug)]
pub(super) struct Place {
    directory: Directory,
    home: Option<PathBuf>,
}

#[derive(Clone, Debug)]
enum Directory {
    Known(PathBuf),
    /// The payload has none.
    Absent,
    /// The script changed to one that only the shell knows.
    Lost,
}

impl Place {
    pub(super) fn new(directory: Option<&Path>, home: Option<&Path>) -> Self {
        let directory = match directory {
            Some(path) => Directory::Known(plain(path)),
            None => Directory::Absent,
        };
        Self { directory, home: home.map(Path::to_path_buf) }
    }

    /// The absolute path of a name that is taken literally.
    pub(super) fn join(&self, name: &str) -> Result<PathBuf, IntentError> {
        if name.contains('\0') || name.is_empty() {
            return Err(IntentError::BadPath(name.to_owned()));
        }
        let path = Path::new(name);
        if is_rooted(path) {
            return Ok(plain(path));
        }
        match &self.directory {
            Directory::Known(directory) => Ok(plain(&directory.join(path))),
            Directory::Absent => Err(IntentError::NoDirectory(name.to_owned())),
            Directory::Lost => Err(IntentError::UnknownDirectory(name.to_owned())),
        }
    }

    /// As [`Place::join`], for tools that expand a leading `~` themselves.
    pub(super) fn join_expanded(&self, name: &str) -> Result<PathBuf, IntentError> {
        let below = match name.strip_prefix('~') {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix('/'),
            None => None,
        };
        let Some(below) = below else { return self.join(name) };
        match &self.home {
            _ if below.contains('\0') => Err(IntentError::BadPath(name.to_owned())),
            // A second slash would make the rest a path of its own.
            Some(home) => Ok(plain(&home.join(below.trim_start_matches('/')))),
            None => Err(IntentError::NoHome(name.to_owned())),
        }
    }

    /// Whether a path is the directory itself.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        matches!(&self.directory, Directory::Known(directory) if directory == path)
    }

    /// The place after `cd name`; lost where the name leads nowhere that is known.
    ///
    /// A shell takes `link/..` for the directory that holds the link, where this means what the
    /// kernel means. The two differ only for links to directories.
    pub(super) fn enter(&mut self, name: &str) {
        self.directory = self.join(name).map_or(Directory::Lost, Directory::Known);
    }

    /// As [`Place::enter`], where the shell expands a leading `~`.
    pub(super) fn enter_expanded(&mut self, name: &str) {
        self.directory = self.join_expanded(name).map_or(Directory::Lost, Directory::Known);
    }

    /// The place after a `cd` whose target is not a plain word.
    pub(super) fn lose(&mut self) {
        self.directory = Directory::Lost;
    }
}

/// A path without `.` components and doubled or trailing slashes. `..` stays: what it means
/// depends on links.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place::new(Some(Path::new("/repo")), Some(Path::new("/home/ana")))
    }

    fn joined(name: &str) -> PathBuf {
        place().join(name).unwrap()
    }

    /// Goal: spelling is tidied, meaning is not touched.
    #[test]
    fn joins_without_resolving() {
        for (name, path) in [
            ("a", "/repo/a"),
            ("./a/.//b/", "/repo/a/b"),
            ("../a/../b", "/repo/../a/../b"),
            ("/x//y", "/x/y"),
            ("~/a", "/repo/~/a"),
        ] {
            assert_eq!(joined(name).to_str(), Some(path));
        }
        assert!(place().join("a\0").is_err() && place().join("").is_err());
    }

    /// Goal: `~` is expanded only where asked for, and only where it stands for the home.
    #[test]
    fn expands_the_home() {
        for (name, path) in [
            ("~", "/home/ana"),
            ("~/a", "/home/ana/a"),
            ("~//a", "/home/ana/a"),
            ("~bob/a", "/repo/~bob/a"),
            ("a/~", "/repo/a/~"),
        ] {
            assert_eq!(place().join_expanded(name).unwrap().to_str(), Some(path));
        }
        let homeless = Place::new(Some(Path::new("/repo")), None);
        assert!(matches!(homeless.join_expanded("~/a"), Err(IntentError::NoHome(_))));
    }

    /// Goal: a relative path needs a known directory, an absolute one does not.
    #[test]
    fn relative_paths_need_a_directory() {
        let absent = Place::new(None, None);
        assert!(matches!(absent.join("a"), Err(IntentError::NoDirectory(_))));
        let mut lost = place();
        lost.lose();
        assert!(matches!(lost.join("a"), Err(IntentError::UnknownDirectory(_))));
        lost.enter("b");
        assert!(matches!(lost.join("a"), Err(IntentError::UnknownDirectory(_))));
        lost.enter("/c");
        assert_eq!(lost.join("a").unwrap().to_str(), Some("/c/a"));
        assert_eq!(absent.join("/a").unwrap().to_str(), Some("/a"));
    }
}
