//! A folder of results in the making.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::place::Parents;
use super::{OutputError, Place, RECORD};

/// A folder of results in the making. Unless it is finished it disappears.
pub(crate) struct Building<'s> {
    place: &'s Place,
    folder: tempfile::TempDir,
    /// Locked while the folder is built, so that another run does not take it
    /// for the remains of a dead one.
    record: File,
    stop: &'s AtomicBool,
    /// Dropped last: the folders above it disappear if this one did.
    parents: Parents,
}

impl<'s> Building<'s> {
    /// Begins the folder for a place with its run.json, which lists all the
    /// files that will follow. Writing ends with an error when `stop` is set.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn begin(
        place: &'s Place,
        record: &str,
        stop: &'s AtomicBool,
    ) -> Result<Self, OutputError> {
        let parents = Parents::create(place.parent())?;
        let folder = place.temporary()?;
        let shown = place.folder().join(RECORD);
        let refused = |error| OutputError::write(&shown, error);
        let mut file = File::create_new(folder.path().join(RECORD)).map_err(refused)?;
        // Where files cannot be locked, the remains of dead runs stay.
        let _ = file.try_lock();
        file.write_all(record.as_bytes()).map_err(refused)?;
        Ok(Self { place, folder, record: file, stop, parents })
    }

    /// Writes a file to its end.
    ///
    /// # Errors
    /// If the system refuses, or it is time to stop.
    pub(crate) fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let write = || {
            let file = File::create_new(self.folder.path().join(name))?;
            let mut to = BufWriter::new(Stoppable { file, stop: self.stop });
            content(&mut to)?;
            to.flush()
        };
        self.check_stop()?;
        write().map_err(|error| match self.check_stop() {
            Ok(()) => OutputError::write(&self.place.folder().join(name), error),
            Err(stopped) => stopped,
        })
    }

    /// Swaps the folder in.
    ///
    /// # Errors
    /// If the system refuses, or the place has been taken meanwhile; the folder
    /// that was there is untouched then.
    pub(crate) fn finish(self) -> Result<(), OutputError> {
        self.check_stop()?;
        // Windows renames no folder with an open file in it. Elsewhere the lock
        // is held until the folder is in its place.
        let lock = (!cfg!(windows)).then_some(self.record);
        self.place.swap(self.folder.path())?;
        drop(lock);
        // Where it was there is nothing to delete any more.
        let _ = self.folder.keep();
        drop(self.parents);
        Ok(())
    }

    fn check_stop(&self) -> Result<(), OutputError> {
        if self.stop.load(Ordering::Relaxed) { Err(OutputError::Interrupted) } else { Ok(()) }
    }
}

/// A file that refuses to go on when it is time to stop.
struct Stoppable<'s> {
    file: File,
    stop: &'s AtomicBool,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            // Not `ErrorKind::Interrupted`, which writers take for "try again".
            return Err(io::Error::other("interrupted"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
