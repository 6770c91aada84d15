//! The scenario that a command is about: from a file's name to a checked
//! scenario.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use retry_storm::report::style::Style;
use retry_storm::scenario::{
    self, DataFiles, Diagnostics, LONGEST_FILE, Read, ReadOptions, Scenario,
};

use super::{Failure, terminal};
use crate::cli::Options;
use crate::output::reason;

/// What stands for standard input in place of a file.
pub(super) const STANDARD_INPUT: &str = "-";

/// What people call the file.
pub(super) fn shown(file: &Path) -> String {
    if file.as_os_str() == STANDARD_INPUT { "stdin".to_owned() } else { file.display().to_string() }
}

/// Reads and checks the scenario in a file, with what the options change, and
/// tells the warnings.
///
/// # Errors
/// If the file cannot be read, is no text, or holds no sound scenario.
pub(super) fn scenario(file: &Path, options: &Options) -> Result<Scenario, Failure> {
    let read = check(&text(file)?, file, options).map_err(|wrong| refused(&wrong, true))?;
    if !read.warnings.is_empty() && !options.quiet {
        terminal::complain(&render(&read.warnings));
    }
    Ok(read.scenario)
}

/// The text of a scenario file.
///
/// # Errors
/// If the file cannot be read, is too long, or is no text.
pub(super) fn text(file: &Path) -> Result<String, Failure> {
    let shown = shown(file);
    let bytes = bytes(file).map_err(|error| unreadable(&shown, &error))?;
    let text = scenario::decode(&shown, &bytes);
    text.map(str::to_owned).map_err(|wrong| Failure::Unreadable(render(&wrong)))
}

/// Checks the text of the scenario in a file, with what the options change.
///
/// # Errors
/// All that is wrong with it.
pub(super) fn check(text: &str, file: &Path, options: &Options) -> Result<Read, Diagnostics> {
    let (sets, seed) = (options.set.clone(), options.seed);
    // Standard input has no folder; its data files are in the current one.
    let beside = Beside(file.parent().unwrap_or(Path::new("")).to_owned());
    scenario::read(text, &ReadOptions { file: shown(file), sets, seed, files: Some(&beside) })
}

/// The failure of a scenario with all that is wrong with it, which is told
/// unless it was told before.
pub(super) fn refused(wrong: &Diagnostics, told: bool) -> Failure {
    let shown = if told { render(wrong) } else { String::new() };
    if wrong.only_unreadable() { Failure::Unreadable(shown) } else { Failure::Scenario(shown) }
}

/// Data files beside a scenario, in its folder.
#[derive(Debug)]
struct Beside(PathBuf);

impl DataFiles for Beside {
    fn read(&self, path: &str, most: usize) -> Result<Vec<u8>, String> {
        let path = self.0.join(path);
        // A pipe or a terminal could keep the reader waiting for ever.
        let is_file = path.metadata().map_err(|error| reason(&error))?.is_file();
        if !is_file {
            return Err("it is not a regular file".to_owned());
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| reason(&error))?;
        file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
        Ok(bytes)
    }
}

/// What is wrong or suspicious, as it is shown on standard error.
pub(super) fn render(diagnostics: &Diagnostics) -> String {
    diagnostics.render(terminal::error_style() == Style::COLORED)
}

/// The bytes of a file; of a longer one than is allowed, one byte more.
fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = LONGEST_FILE as u64 + 1;
    if file.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn unreadable(shown: &str, error: &io::Error) -> Failure {
    let help = match error.kind() {
        io::ErrorKind::NotFound => {
            Some(format!("check the path, or let `sim new {shown}` write a scenario there"))
        }
        io::ErrorKind::IsADirectory => Some("name a scenario file in it".to_owned()),
        io::ErrorKind::PermissionDenied => Some("make the file readable".to_owned()),
        _ => None,
    };
    Failure::File { message: format!("cannot read {shown}: {}", reason(error)), help }
}
