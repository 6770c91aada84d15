//! Why a result could not be written, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a result could not be written.
#[derive(Debug)]
pub(crate) enum OutputError {
    /// A new file was asked for where there is one.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The folder for results is the current folder, one above it, or a root:
    /// a folder that cannot be replaced as a whole.
    NoFolder {
        /// As it was typed.
        path: PathBuf,
    },
    /// There is a file where the folder should be.
    NotAFolder {
        /// The file.
        path: PathBuf,
    },
    /// The folder holds something that its own run.json does not list.
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// What was found in it.
        entry: PathBuf,
    },
    /// The system refused.
    System {
        /// What should have been written.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A signal asked to stop.
    Interrupted,
}

impl OutputError {
    /// The system refused to write `path`.
    pub(super) fn write(path: &Path, error: io::Error) -> Self {
        Self::System { path: path.to_owned(), error }
    }

    /// What a person can do about it.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Self::Exists { .. } => Some("name a file that does not exist, or remove this one"),
            Self::NoFolder { .. } => {
                Some("name a folder of its own, such as `--output results/storm`")
            }
            Self::NotAFolder { .. } => Some("name another folder with `--output DIR`"),
            Self::Foreign { .. } => Some(
                "only results that `sim` wrote are replaced: name another folder with \
                 `--output DIR`, or move these files away",
            ),
            Self::System { error, .. } => match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    Some("make room, or choose a place on another disk")
                }
                _ => Some("choose a place that can be written"),
            },
            Self::Interrupted => None,
        }
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists { path } => write!(f, "{} exists already", path.display()),
            Self::NoFolder { path } => {
                write!(f, "{} cannot be replaced by a folder of results", path.display())
            }
            Self::NotAFolder { path } => write!(f, "{} is not a folder", path.display()),
            Self::Foreign { folder, entry } => write!(
                f,
                "{} is not replaced: it holds {}, which no run.json in it lists",
                folder.display(),
                entry.display()
            ),
            Self::System { path, error } => {
                write!(f, "cannot write {}: {}", path.display(), reason(error))
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for OutputError {}

/// What the system said, in plain words where it is one of the usual things.
pub(crate) fn reason(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound => "there is no such file or folder".to_owned(),
        Kind::PermissionDenied => "permission denied".to_owned(),
        Kind::StorageFull => "the disk is full".to_owned(),
        Kind::QuotaExceeded => "the disk quota is used up".to_owned(),
        Kind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        Kind::IsADirectory => "it is a folder".to_owned(),
        Kind::NotADirectory => "a part of the path is not a folder".to_owned(),
        Kind::InvalidFilename => "the name is too long or not allowed".to_owned(),
        Kind::ResourceBusy => "it is in use, or a disk of its own".to_owned(),
        _ => error.to_string(),
    }
}
