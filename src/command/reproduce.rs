//! `sim reproduce`: rebuilds the published tables and compares every number.

use std::sync::atomic::Ordering;

use retry_storm::experiment::Observer;
use retry_storm::published::{BANDS, Comparison, ReproduceError, TABLES};
use retry_storm::report::reproduction::{self, Rebuilt};

use super::watch::watched;
use super::{Failure, Status, interrupt, panic, source, terminal};
use crate::cli::{Format, Options};

/// What rebuilds a table and compares it.
type Rebuild = fn(usize, &Observer) -> Result<Vec<Comparison>, ReproduceError>;

/// A table that can be asked for: its name, its heading, and how it is rebuilt.
struct Entry {
    id: &'static str,
    title: &'static str,
    source: &'static str,
    file: &'static str,
    number: usize,
    rebuild: Rebuild,
}

fn entries() -> Vec<Entry> {
    let tables = TABLES.iter().enumerate().map(|(number, table)| Entry {
        id: table.id,
        title: table.title,
        source: table.source,
        file: table.file,
        number,
        rebuild: |number, observer| TABLES[number].reproduce(observer),
    });
    let bands = BANDS.iter().enumerate().map(|(number, bands)| Entry {
        id: bands.id,
        title: bands.title,
        source: bands.source,
        file: bands.file,
        number,
        rebuild: |number, observer| BANDS[number].reproduce(observer),
    });
    tables.chain(bands).collect()
}

/// Rebuilds one table, or all.
pub(super) fn reproduce(id: Option<&str>, options: &Options) -> Result<Status, Failure> {
    let mut entries = entries();
    if let Some(id) = id {
        let known: Vec<_> = entries.iter().map(|entry| entry.id).collect();
        let known = format!("there are: {}", known.join(", "));
        entries.retain(|entry| entry.id == id);
        if entries.is_empty() {
            terminal::error(&format!("no published table is called `{id}`"), Some(&known));
            return Err(Failure::Scenario(String::new()));
        }
    }
    let stop = interrupt::listen();
    let mut all = Vec::new();
    for entry in &entries {
        panic::remember(entry.file, 0);
        let watched = watched(options, stop, |observer| (entry.rebuild)(entry.number, observer))?;
        let cells = watched.result.map_err(failure)?;
        // Small tables are done before anybody looks at the signal.
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        let rebuilt = Rebuilt {
            id: entry.id,
            title: entry.title,
            source: entry.source,
            file: entry.file,
            cells,
        };
        if options.format == Format::Text && !options.quiet {
            terminal::print(&reproduction::text(&rebuilt, terminal::style()))?;
        }
        all.push(rebuilt);
    }
    terminal::print(&ending(&all, options))?;
    let same = all.iter().flat_map(|table| &table.cells).all(|cell| cell.same);
    Ok(if same { Status::Done } else { Status::Missed })
}

/// What is printed when all tables have been rebuilt.
fn ending(all: &[Rebuilt], options: &Options) -> String {
    match options.format {
        Format::Text => reproduction::conclusion(all, terminal::style()),
        Format::Json => reproduction::json(all),
        Format::Csv => reproduction::csv(all),
        Format::Markdown => reproduction::markdown(all),
        Format::Junit => reproduction::junit(all),
    }
}

fn failure(error: ReproduceError) -> Failure {
    match error {
        ReproduceError::Scenario(wrong) => Failure::Bug(source::render(&wrong)),
        ReproduceError::Run(error) => error.into(),
    }
}
