//! `sim run`: simulates a scenario, prints its tables, writes its files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use retry_storm::experiment::{self, VariantResult, threshold};
use retry_storm::report::chart::{self, Picture};
use retry_storm::report::number::{count, counted};
use retry_storm::report::run::Run;
use retry_storm::report::{csv, json, junit, markdown, screen};
use retry_storm::scenario::Scenario;

use super::watch::watched;
use super::{Failure, Status, interrupt, panic, source, terminal};
use crate::cli::{Format, Options};
use crate::output::{Building, Place, RECORD};

/// Where results go unless something else is said.
const RESULTS: &str = "output";

/// Simulates the scenario in `file`. Its files are complete before anything is
/// printed, so whoever reads the output may use them.
pub(super) fn run(file: &Path, options: &Options) -> Result<Status, Failure> {
    let folder = options.output.clone().unwrap_or_else(|| default_folder(file));
    let place = Place::new(&folder)?;
    place.settle()?;
    let scenario = &source::scenario(file, options)?;
    let shown = source::shown(file);
    panic::remember(&shown, scenario.seed);
    // From here on there may be something to clean up.
    let stop = interrupt::listen();
    place.check()?;

    let results = simulate(scenario, options, stop)?;
    let verdicts = threshold::judge(&scenario.thresholds, &results);
    let run = Run { scenario, results: &results, verdicts: &verdicts };
    let pictures = if options.no_charts { Vec::new() } else { draw(file, &run)? };
    let files = write(&place, &run, &pictures, stop)?;
    if options.verbose {
        for name in &files {
            terminal::complain(&format!("wrote {}", folder.join(name).display()));
        }
    }
    print(&run, &shown, &folder, &files, options)?;
    Ok(if run.passed() { Status::Done } else { Status::Missed })
}

/// The folder called like the scenario.
fn default_folder(file: &Path) -> PathBuf {
    let is_input = file.as_os_str() == source::STANDARD_INPUT;
    let name = if is_input { None } else { file.file_stem() };
    Path::new(RESULTS).join(name.unwrap_or("stdin".as_ref()))
}

/// Runs all variants.
fn simulate(
    scenario: &Scenario,
    options: &Options,
    stop: &AtomicBool,
) -> Result<Vec<VariantResult>, Failure> {
    let watched = watched(options, stop, |observer| experiment::run(scenario, observer))?;
    let results = watched.result?;
    if options.verbose {
        let events = results.iter().map(|result| result.outcome.events).sum();
        let speed = events as f64 / watched.seconds.max(1e-9) / 1e6;
        terminal::complain(&format!(
            "{} of {} in {:.3} s on {}: {speed:.1} million a second",
            counted(events, "event", "events"),
            counted(results.len() as u64, "variant", "variants"),
            watched.seconds,
            counted(watched.threads as u64, "thread", "threads"),
        ));
    }
    Ok(results)
}

/// Draws the charts that suit the results.
fn draw(file: &Path, run: &Run) -> Result<Vec<Picture>, Failure> {
    // Not the path, which differs from machine to machine.
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let name = if name == source::STANDARD_INPUT { "stdin" } else { &*name };
    let source = chart::Source { file: name, seed: run.scenario.seed };
    let pictures = chart::pictures(&source, run.results).into_iter();
    pictures.map(|picture| picture.map_err(|error| Failure::Bug(error.to_string()))).collect()
}

/// A file of the folder: its name, and what writes it.
type Part<'r> = (String, Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'r>);

/// Writes the folder, and gives the names of its files in order.
fn write(
    place: &Place,
    run: &Run,
    pictures: &[Picture],
    stop: &AtomicBool,
) -> Result<Vec<String>, Failure> {
    let parts = parts(run, pictures);
    let mut files: Vec<String> = parts.iter().map(|(name, _)| name.clone()).collect();
    files.push(RECORD.to_owned());
    let building = Building::begin(place, &json::record(run, &files), stop)?;
    for (name, content) in parts {
        building.write(&name, content)?;
    }
    building.finish()?;
    Ok(files)
}

/// The files beside run.json. clients.csv only says more than summary.csv if
/// there are several tables of clients; attempts.csv is there if asked for.
fn parts<'r>(run: &'r Run, pictures: &'r [Picture]) -> Vec<Part<'r>> {
    let any = |what: fn(&VariantResult) -> bool| run.results.iter().any(what);
    let mut parts: Vec<Part> = vec![
        ("summary.csv".to_owned(), Box::new(|to| csv::summary(run, to))),
        ("services.csv".to_owned(), Box::new(|to| csv::services(run, to))),
    ];
    if any(|result| result.model.clients.len() > 1) {
        parts.push(("clients.csv".to_owned(), Box::new(|to| csv::clients(run, to))));
    }
    parts.push(("timeline.csv".to_owned(), Box::new(|to| csv::timeline(run, to))));
    parts.push(("waits.csv".to_owned(), Box::new(|to| csv::waits(run, to))));
    if any(|result| result.model.record_attempts) {
        parts.push(("attempts.csv".to_owned(), Box::new(|to| csv::attempts(run, to))));
    }
    for picture in pictures {
        let name = &picture.name;
        parts.push((format!("{name}.png"), Box::new(|to| to.write_all(&picture.png))));
        parts.push((format!("{name}.svg"), Box::new(|to| to.write_all(picture.svg.as_bytes()))));
    }
    parts
}

/// Prints the run in the form that is asked for.
fn print(
    run: &Run,
    file: &str,
    folder: &Path,
    files: &[String],
    options: &Options,
) -> Result<(), Failure> {
    let shown = folder.display().to_string();
    let text = match options.format {
        Format::Text if options.quiet => String::new(),
        Format::Text => {
            let style = terminal::style();
            let screen = screen::screen(run, file, style);
            let shown = shown.trim_end_matches('/');
            let wrote = format!("wrote {shown}/ ({} files)", count(files.len() as u64));
            format!("{screen}\n{}\n", style.dim(&wrote))
        }
        Format::Json => json::document(run, file, &shown, files),
        Format::Csv => {
            let mut bytes = Vec::new();
            // Writing to memory cannot fail, and names are text.
            let _ = csv::summary(run, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Format::Markdown => markdown::document(run, file),
        Format::Junit => junit::document(run),
    };
    terminal::print(&text)?;
    let told = options.format == Format::Text && !options.quiet;
    if !run.passed() && !told {
        let missed: Vec<_> = run.verdicts.iter().filter(|v| !v.passed).cloned().collect();
        terminal::complain(&screen::thresholds(&missed, terminal::error_style()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_called_like_the_scenario() {
        for (file, folder) in [
            ("scenarios/storm.toml", "output/storm"),
            ("/tmp/a.b.toml", "output/a.b"),
            ("storm", "output/storm"),
            ("-", "output/stdin"),
        ] {
            assert_eq!(default_folder(Path::new(file)), Path::new(folder), "{file}");
        }
    }
}
