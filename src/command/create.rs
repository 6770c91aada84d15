//! `sim new`: a scenario to start from.

use std::path::Path;

use retry_storm::scenario;

use super::{Failure, Status, source, terminal};
use crate::output;

/// Writes the starter scenario to a new file, or to standard output.
pub(super) fn create(file: &Path) -> Result<Status, Failure> {
    if file.as_os_str() == source::STANDARD_INPUT {
        terminal::print(scenario::starter())?;
        return Ok(Status::Done);
    }
    output::create_file(file, scenario::starter())?;
    let shown = source::shown(file);
    terminal::print(&format!("wrote {shown}; run it with `sim run {shown}`\n"))?;
    Ok(Status::Done)
}
