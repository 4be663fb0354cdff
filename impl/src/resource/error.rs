//! Why a path has no resource.

use std::path::{Path, PathBuf};
use std::{error, fmt, io};

use crate::text::printable_path;

/// The longest path that an error prints, in characters.
const PATH_CHARS_MAX: usize = 200;

/// A path that cannot be leased. Its text says what is wrong, with which path, and what to do.
#[derive(Debug)]
pub struct ResolveError {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Empty,
    Nul,
    NoCwd,
    RelativeCwd(PathBuf),
    #[cfg(not(unix))]
    Unusable(super::windows::WindowsPathError),
    TooManyLinks,
    Unreadable {
        at: PathBuf,
        source: io::Error,
    },
    Root,
    Home,
}

impl ResolveError {
    pub(super) fn new(path: &Path, kind: Kind) -> Self {
        Self { path: path.to_path_buf(), kind }
    }

    /// The path that was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path is a filesystem root or a home directory, which nobody may lease.
    pub fn is_forbidden(&self) -> bool {
        matches!(self.kind, Kind::Root | Kind::Home)
    }

    /// The path is relative, and there is no absolute working directory to place it in.
    pub fn is_relative(&self) -> bool {
        matches!(self.kind, Kind::NoCwd | Kind::RelativeCwd(_))
    }

    /// The path is no path at all: empty, or with a NUL byte.
    pub fn is_malformed(&self) -> bool {
        #[cfg(not(unix))]
        if matches!(self.kind, Kind::Unusable(_)) {
            return true;
        }
        matches!(self.kind, Kind::Empty | Kind::Nul)
    }

    /// The path passes more symlinks than the kernel follows.
    pub fn is_loop(&self) -> bool {
        matches!(self.kind, Kind::TooManyLinks)
    }

    /// The file system refused to answer.
    pub fn is_io(&self) -> bool {
        matches!(self.kind, Kind::Unreadable { .. })
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = printable_path(&self.path, PATH_CHARS_MAX);
        match &self.kind {
            Kind::Empty => write!(formatter, "the path is empty; name a file"),
            Kind::Nul => {
                write!(formatter, "the path `{path}` has a NUL byte, which no file name can have")
            }
            Kind::NoCwd => write!(
                formatter,
                "the path `{path}` is relative and its working directory is not known; \
                 give an absolute path"
            ),
            Kind::RelativeCwd(cwd) => write!(
                formatter,
                "the path `{path}` is relative, and so is its working directory `{}`; \
                 give an absolute path",
                printable_path(cwd, PATH_CHARS_MAX)
            ),
            #[cfg(not(unix))]
            Kind::Unusable(why) => write!(formatter, "{why}"),
            Kind::TooManyLinks => write!(
                formatter,
                "the path `{path}` passes more than {} symlinks, most likely a loop; \
                 mend the links or name the file itself",
                super::walk::LINKS_MAX
            ),
            Kind::Unreadable { at, source } => write!(
                formatter,
                "the path `{path}` cannot be followed at `{}` ({source}); \
                 check the path and its file system",
                printable_path(at, PATH_CHARS_MAX)
            ),
            Kind::Root => write!(
                formatter,
                "`{path}` is a filesystem root, which is never leased; \
                 name the files that will be written"
            ),
            Kind::Home => write!(
                formatter,
                "`{path}` is a home directory, which is never leased; \
                 name the files that will be written"
            ),
        }
    }
}

impl error::Error for ResolveError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.kind {
            Kind::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}
