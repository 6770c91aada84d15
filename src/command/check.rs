//! `sim check`: what is wrong or suspicious with a scenario.

use std::path::Path;

use retry_storm::report::number::counted;
use retry_storm::scenario::{Diagnostics, Read};
use serde_json::json;

use super::{Failure, Status, source, terminal};
use crate::cli::{Format, Options};

/// Reads a scenario, and says what it is if it is sound. Warnings go where
/// errors go; as JSON both are the result.
pub(super) fn check(file: &Path, options: &Options) -> Result<Status, Failure> {
    let text = source::text(file)?;
    let read = source::check(&text, file, options);
    if options.format == Format::Json {
        terminal::print(&document(file, &read))?;
    }
    let told = options.format == Format::Json;
    match read {
        Err(wrong) => Err(source::refused(&wrong, !told)),
        Ok(_) if told => Ok(Status::Done),
        Ok(read) => {
            if !read.warnings.is_empty() {
                terminal::complain(&source::render(&read.warnings));
            }
            if !options.quiet {
                terminal::print(&summary(file, &read))?;
            }
            Ok(Status::Done)
        }
    }
}

/// What a sound scenario holds, in a line.
fn summary(file: &Path, read: &Read) -> String {
    let scenario = &read.scenario;
    let variants = counted(scenario.variants.len() as u64, "variant", "variants");
    let thresholds = counted(scenario.thresholds.len() as u64, "threshold", "thresholds");
    let warnings = counted(read.warnings.len() as u64, "warning", "warnings");
    format!("{}: {variants}, {thresholds}; 0 errors, {warnings}\n", source::shown(file))
}

/// The same for programs.
fn document(file: &Path, read: &Result<Read, Diagnostics>) -> String {
    let diagnostics = read.as_ref().map_or_else(|wrong| wrong, |read| &read.warnings);
    let document = json!({
        "scenario": source::shown(file),
        "sound": read.is_ok(),
        "diagnostics": diagnostics.to_json(),
    });
    format!("{document:#}\n")
}
