//! `sim completions`: what a shell may complete.

use clap_complete::Shell;

use super::{Failure, Status, terminal};
use crate::cli;

/// Prints the completions for a shell.
pub(super) fn completions(shell: Shell) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "sim", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Done)
}
