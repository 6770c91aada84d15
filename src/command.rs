//! The commands, each a short story in its own file, and how they end.

mod check;
mod completions;
mod create;
mod interrupt;
mod panic;
mod progress;
mod reproduce;
mod run;
mod schema;
mod source;
mod terminal;
mod watch;

use crate::cli::{Cli, Command};
use crate::output::OutputError;
use retry_storm::model::RunError;

pub(crate) use panic::guarded;
pub(crate) use terminal::set_color;

/// How a command ends well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, and nothing is missing.
    Done,
    /// Done, and a threshold was missed or a published number differs.
    Missed,
}

/// How a command ends badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The scenario is wrong; all that is wrong, as it is shown.
    Scenario(String),
    /// A file could not be read or written.
    File {
        /// What happened, in one sentence.
        message: String,
        /// The remedy, if there is one to name.
        help: Option<String>,
    },
    /// A file that is no scenario; why, as it is shown.
    Unreadable(String),
    /// A limit stopped the run.
    Limit(String),
    /// A mistake in this program.
    Bug(String),
    /// A signal asked to stop.
    Interrupted,
}

impl Status {
    /// The exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Missed => 1,
        }
    }
}

impl Failure {
    /// The exit code.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::Scenario(_) => 2,
            Self::File { .. } | Self::Unreadable(_) => 3,
            Self::Limit(_) => 4,
            Self::Bug(_) => 70,
            Self::Interrupted => 130,
        }
    }

    /// Says on standard error what happened and what to do.
    pub(crate) fn report(&self) {
        match self {
            Self::Scenario(shown) | Self::Unreadable(shown) => terminal::complain(shown),
            Self::File { message, help } => terminal::error(message, help.as_deref()),
            Self::Limit(message) => terminal::error(message, None),
            Self::Bug(message) => terminal::error(&panic::bug(message), None),
            Self::Interrupted => terminal::error("interrupted; nothing was written", None),
        }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        if matches!(error, OutputError::Interrupted) {
            return Self::Interrupted;
        }
        Self::File { message: error.to_string(), help: error.help().map(str::to_owned) }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::TooManyAlive { .. }
            | RunError::EndlessRetries { .. }
            | RunError::EndlessCycles { .. }
            | RunError::BeyondTheClock { .. } => Self::Limit(error.to_string()),
            RunError::Interrupted => Self::Interrupted,
            RunError::Bug { what, .. } => Self::Bug(what),
        }
    }
}

/// Does what the command line says.
///
/// # Errors
/// If it cannot be done.
pub(crate) fn execute(cli: &Cli) -> Result<Status, Failure> {
    let options = &cli.options;
    match &cli.command {
        Command::Run { file } => run::run(file, options),
        Command::Check { file } => check::check(file, options),
        Command::Reproduce { id } => reproduce::reproduce(id.as_deref(), options),
        Command::New { file } => create::create(file),
        Command::Schema => schema::schema(),
        Command::Completions { shell } => completions::completions(*shell),
    }
}
