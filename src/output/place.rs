//! Where a folder of results belongs, whose it is, and the swap.
//!
//! Beside NAME there may be `.NAME.new`, complete and waiting for its place,
//! and `.NAME.old`, waiting to be deleted. A swap is four steps, each of which
//! is done or not done: the complete folder becomes `.NAME.new`; NAME becomes
//! `.NAME.old`; `.NAME.new` becomes NAME; `.NAME.old` is deleted. From whatever
//! step a swap was cut short at, [`Place::settle`] goes on to the end. Programs
//! that write to one place at the same time take turns: whoever looks at NAME
//! and its neighbours holds the lock `.NAME.lock` meanwhile, never during a run.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::lock::Lock;
use super::{OutputError, RECORD};

/// A run.json is smaller than this; anything larger is not ours.
const LARGEST_RECORD: u64 = 64 * 1024 * 1024;

/// Where a folder of results belongs.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The folder that holds it; empty for the current folder.
    parent: PathBuf,
    /// Its name there.
    name: OsString,
}

impl Place {
    /// The place that `typed` names. Nothing is written; a link to a folder
    /// means that folder.
    ///
    /// # Errors
    /// If it has no name of its own (`.`, `..`, `/`), or is a link to nowhere.
    pub(crate) fn new(typed: &Path) -> Result<Self, OutputError> {
        let is_link = fs::symlink_metadata(typed).is_ok_and(|data| data.is_symlink());
        let folder = if is_link {
            fs::canonicalize(typed).map_err(|error| OutputError::write(typed, error))?
        } else {
            typed.to_owned()
        };
        let Some(name) = folder.file_name() else {
            return Err(OutputError::NoFolder { path: typed.to_owned() });
        };
        let parent = folder.parent().unwrap_or(Path::new(""));
        Ok(Self { parent: parent.to_owned(), name: name.to_owned() })
    }

    /// The folder that holds it.
    pub(super) fn parent(&self) -> &Path {
        if self.parent.as_os_str().is_empty() { Path::new(".") } else { &self.parent }
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// Ends what earlier runs left: a swap that was cut short, and folders
    /// whose builders are dead.
    ///
    /// # Errors
    /// If something in the way is not ours, or the system refuses.
    pub(crate) fn settle(&self) -> Result<(), OutputError> {
        if exists(&self.beside(".new")) || exists(&self.beside(".old")) {
            let lock = self.lock();
            self.settle_locked()?;
            drop(lock);
        }
        self.sweep();
        Ok(())
    }

    /// The same for who holds the lock.
    fn settle_locked(&self) -> Result<(), OutputError> {
        let (folder, new, old) = (self.folder(), self.beside(".new"), self.beside(".old"));
        if is_complete(&new)? {
            if exists(&folder) {
                ensure_ours(&folder)?;
                delete(&old)?;
                self.rename(&folder, &old)?;
            }
            self.rename(&new, &folder)?;
        }
        self.restore()?;
        delete(&new)?;
        delete(&old)
    }

    /// Waits until no other program looks at the folder and its neighbours.
    fn lock(&self) -> Option<Lock> {
        Lock::wait(&self.beside(".lock"))
    }

    /// Checks that the folder may be replaced and can be written, without
    /// leaving a trace. Before a long run, rather than after it.
    ///
    /// # Errors
    /// If it is not ours, not a folder, or the system refuses.
    pub(crate) fn check(&self) -> Result<(), OutputError> {
        let lock = self.lock();
        ensure_ours(&self.folder())?;
        drop(lock);
        let parents = Parents::create(self.parent())?;
        self.temporary()?.close().map_err(|error| OutputError::write(&self.folder(), error))?;
        drop(parents);
        Ok(())
    }

    /// Moves a complete folder to its place. If it cannot, what was there stays.
    pub(super) fn swap(&self, complete: &Path) -> Result<(), OutputError> {
        let _lock = self.lock();
        self.settle_locked()?;
        let new = self.beside(".new");
        self.rename(complete, &new)?;
        self.settle_locked().inspect_err(|_| {
            // The first error says more than one on the way back.
            let _ = self.restore().and_then(|()| delete(&new));
        })
    }

    /// Puts the old folder back if nothing has taken its place.
    fn restore(&self) -> Result<(), OutputError> {
        let (folder, old) = (self.folder(), self.beside(".old"));
        if !exists(&folder) && is_complete(&old)? { self.rename(&old, &folder) } else { Ok(()) }
    }

    /// A step of the swap. People know the folder, not its neighbours.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), OutputError> {
        fs::rename(from, to).map_err(|error| OutputError::write(&self.folder(), error))
    }

    /// A new folder beside the place, deleted when it is dropped.
    pub(super) fn temporary(&self) -> Result<tempfile::TempDir, OutputError> {
        let prefix = self.beside_name(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".new");
        // Who may read results is the user's mask to say, as for any folder.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        builder.tempdir_in(self.parent()).map_err(|error| OutputError::write(&self.folder(), error))
    }

    /// `.NAME` and an ending, beside the place.
    fn beside(&self, ending: &str) -> PathBuf {
        self.parent.join(self.beside_name(ending))
    }

    fn beside_name(&self, ending: &str) -> OsString {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(ending);
        name
    }

    /// Deletes unfinished folders whose builders did not live to do it. A
    /// builder holds a lock on its run.json, so one that lives is left alone.
    /// Errors are ignored: nothing depends on it.
    fn sweep(&self) {
        let (prefix, suffix) = (self.beside_name("."), OsStr::new(".new"));
        let Ok(entries) = fs::read_dir(self.parent()) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let bytes = name.as_encoded_bytes();
            let is_unfinished = bytes.len() > prefix.len() + suffix.len()
                && bytes.starts_with(prefix.as_encoded_bytes())
                && bytes.ends_with(suffix.as_encoded_bytes());
            if is_unfinished && is_abandoned(&entry.path()) {
                let _ = delete(&entry.path());
            }
        }
    }
}

/// Whether a folder has a run.json that nobody holds.
fn is_abandoned(folder: &Path) -> bool {
    match File::open(folder.join(RECORD)).map(|record| record.try_lock()) {
        Ok(Ok(())) => true,
        Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => false,
    }
}

/// Folders that were missing on the way to a place. Those that are empty when
/// this is dropped disappear again.
pub(super) struct Parents(Vec<PathBuf>);

impl Parents {
    /// Creates what is missing of `folder`.
    pub(super) fn create(folder: &Path) -> Result<Self, OutputError> {
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .filter(|part| !part.as_os_str().is_empty())
            .take_while(|part| !exists(part))
            .map(Path::to_owned)
            .collect();
        let parents = Self(missing);
        fs::create_dir_all(folder).map_err(|error| OutputError::write(folder, error))?;
        Ok(parents)
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        // The deepest comes first. A folder that holds something stays.
        for folder in &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether there is anything, be it a link to nowhere.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Fails unless `folder` is missing, empty, or holds nothing but files that
/// its own run.json lists.
fn ensure_ours(folder: &Path) -> Result<(), OutputError> {
    let refused = |error| OutputError::write(folder, error);
    match fs::symlink_metadata(folder) {
        Ok(data) if data.is_dir() => {}
        Ok(_) => return Err(OutputError::NotAFolder { path: folder.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(refused(error)),
    }
    let listed = listed(folder);
    for entry in fs::read_dir(folder).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let is_file = entry.file_type().map_err(refused)?.is_file();
        if !is_file || !entry.file_name().to_str().is_some_and(|name| listed.contains(name)) {
            let entry = PathBuf::from(entry.file_name());
            return Err(OutputError::Foreign { folder: folder.to_owned(), entry });
        }
    }
    Ok(())
}

/// Whether a folder of ours holds all the files that it lists. A folder that
/// is missing does not; one that is not ours is an error.
fn is_complete(folder: &Path) -> Result<bool, OutputError> {
    ensure_ours(folder)?;
    let listed = listed(folder);
    Ok(!listed.is_empty() && listed.iter().all(|name| exists(&folder.join(name))))
}

/// The files that the run.json of a folder lists; none if it has no such file.
fn listed(folder: &Path) -> BTreeSet<String> {
    let mut text = String::new();
    let read = File::open(folder.join(RECORD))
        .and_then(|record| record.take(LARGEST_RECORD).read_to_string(&mut text));
    if read.is_err() {
        return BTreeSet::new();
    }
    let record: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let files = record["files"].as_array().into_iter().flatten();
    files.filter_map(|file| file.as_str().map(str::to_owned)).collect()
}

/// Deletes a folder of ours, if there is one. The record goes last, so that
/// what an interruption leaves is still known as ours.
fn delete(folder: &Path) -> Result<(), OutputError> {
    if !exists(folder) {
        return Ok(());
    }
    ensure_ours(folder)?;
    let remove = || {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name() != RECORD {
                fs::remove_file(entry.path())?;
            }
        }
        let record = folder.join(RECORD);
        if exists(&record) {
            fs::remove_file(record)?;
        }
        fs::remove_dir(folder)
    };
    remove().map_err(|error| OutputError::write(folder, error))
}
