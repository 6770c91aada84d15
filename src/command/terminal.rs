//! What is printed, and whether in colour. A reader of standard output that
//! has seen enough, such as `head`, is no error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use retry_storm::report::style::Style;

use super::Failure;
use crate::cli::Color;
use crate::output::reason;

/// Decides about colours, once, for both streams.
pub(crate) fn set_color(color: Color) {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
    .write_global();
}

/// How text on standard output may be dressed.
pub(super) fn style() -> Style {
    style_for(AutoStream::choice(&io::stdout()))
}

/// How text on standard error may be dressed.
pub(super) fn error_style() -> Style {
    style_for(AutoStream::choice(&io::stderr()))
}

fn style_for(choice: ColorChoice) -> Style {
    if choice == ColorChoice::Never { Style::PLAIN } else { Style::COLORED }
}

/// Prints a result.
///
/// # Errors
/// If standard output cannot be written, other than because nobody reads on.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    // Not line by line, as standard output would be.
    let mut to = AutoStream::auto(io::stdout()).lock();
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::File {
            message: format!("cannot write to standard output: {}", reason(&error)),
            help: None,
        }),
        _ => Ok(()),
    }
}

/// Says something that is no result, on standard error. There is nobody to
/// tell if that fails.
pub(super) fn complain(text: &str) {
    let ended = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(anstream::stderr().lock(), "{text}{ended}");
}

/// Says that something is wrong, in the look of the scenario's errors.
pub(super) fn error(message: &str, help: Option<&str>) {
    let style = error_style();
    let mut text = format!("{}: {message}\n", style.bad("error"));
    if let Some(help) = help {
        text.push_str("  = help: ");
        text.push_str(help);
        text.push('\n');
    }
    complain(&text);
}
