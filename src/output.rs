//! The only place that writes to the disk: the folder of a run's results, and
//! a single new file.
//!
//! A folder is built beside its place and swapped in when it is complete, so
//! whoever looks sees the old results or the new ones, never a mixture. Only a
//! folder whose files its own run.json lists is ever replaced; what else lies
//! there stays untouched. What the files say is decided elsewhere.

mod build;
mod error;
mod lock;
mod place;

pub(crate) use build::Building;
pub(crate) use error::{OutputError, reason};
pub(crate) use place::Place;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The file of a folder that lists its files.
pub(crate) const RECORD: &str = "run.json";

/// Writes a new file. One that exists is never overwritten, and one that
/// cannot be written to its end is removed.
///
/// # Errors
/// If there is something at `path`, or it cannot be written.
pub(crate) fn create_file(path: &Path, content: &str) -> Result<(), OutputError> {
    let created = fs::OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = created.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            OutputError::Exists { path: path.to_owned() }
        } else {
            OutputError::write(path, error)
        }
    })?;
    file.write_all(content.as_bytes()).and_then(|()| file.flush()).map_err(|error| {
        // It is ours and incomplete; if even this fails, the first error says more.
        let _ = fs::remove_file(path);
        OutputError::write(path, error)
    })
}

#[cfg(test)]
mod tests;
