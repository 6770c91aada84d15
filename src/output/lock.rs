//! One program at a time: the lock that a swap of folders holds. What is done
//! under it is not decided here.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A lock on a path, held until it is dropped. The file behind it is there only
/// as long as somebody holds it; one that a killed program left is taken over.
pub(super) struct Lock {
    path: PathBuf,
    /// The lock ends when this is closed, which is after the file is removed.
    _file: File,
}

impl Lock {
    /// Waits for the lock. There is none where the folder does not exist, cannot
    /// be written, or lies on a disk that locks nothing: what is done then fails
    /// for the same reason, or is as safe as that disk allows.
    pub(super) fn wait(path: &Path) -> Option<Self> {
        loop {
            let file = open(path)?;
            file.lock().ok()?;
            // Whoever held it before has removed the file, and a third may have
            // made a new one: then this lock is on a file that nobody sees.
            if is_at(&file, path) {
                return Some(Self { path: path.to_owned(), _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays is in nobody's way.
        let _ = fs::remove_file(&self.path);
    }
}

/// Opens the file, or makes it. Anything else that lies there is left alone.
fn open(path: &Path) -> Option<File> {
    let is_other = fs::symlink_metadata(path).is_ok_and(|data| !data.is_file() || data.len() > 0);
    if is_other {
        return None;
    }
    File::options().create(true).append(true).open(path).ok()
}

/// Whether the open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(seen)) => (open.dev(), open.ino()) == (seen.dev(), seen.ino()),
        _ => false,
    }
}

/// Whether the open file is the one at `path`: these systems do not tell, but a
/// file that is being removed cannot be opened there.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
