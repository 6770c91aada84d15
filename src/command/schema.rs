//! `sim schema`: the JSON schema of scenario files.

use retry_storm::scenario;

use super::{Failure, Status, terminal};

/// Prints the schema.
pub(super) fn schema() -> Result<Status, Failure> {
    terminal::print(&format!("{:#}\n", scenario::schema()))?;
    Ok(Status::Done)
}
