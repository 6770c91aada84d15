//! The two lines above the tables: what ran, in a few words.

use unicode_width::UnicodeWidthStr;

use super::grid::right;
use super::number;
use super::run::{Run, visible};
use super::shape;
use super::style::Style;
use crate::model::spec::{Arrivals, Fault};
use crate::time::Instant;

/// The column at which the name of the file ends.
const WIDTH: usize = 72;

/// The title to the left, the file to the right, and the facts below; each
/// line ended.
pub fn heading(run: &Run, file: &str, style: Style) -> String {
    let title = visible(&run.scenario.name);
    let file = visible(file);
    let room = WIDTH.saturating_sub(title.width()).max(file.width() + 2);
    let room = if title.is_empty() { 0 } else { room };
    let first = format!("{}{}", style.bold(&title), style.dim(&right(&file, room)));
    format!("{first}\n{}\n", facts(run))
}

/// What ran: how much, through what, and by which chance.
pub fn facts(run: &Run) -> String {
    let mut facts = vec![load(run)];
    if let Some(chain) = shape::common_chain(run.results) {
        facts.push(chain.join(" > "));
        let down: Vec<&str> =
            chain.into_iter().filter(|service| always_fails(run, service)).collect();
        if !down.is_empty() {
            facts.push(format!("{} down", down.join(" and ")));
        }
    }
    facts.extend(faults(run));
    if run.results.iter().any(|result| shape::is_random(&result.model)) {
        facts.push(format!("seed {}", run.scenario.seed));
        if run.results.len() > 1 {
            facts.push(number::counted(run.results.len() as u64, "variant", "variants"));
        }
    }
    facts.join(", ")
}

/// How much was asked: clients where all of them come together, requests else.
fn load(run: &Run) -> String {
    let crowd = run.results.iter().all(|result| {
        result
            .model
            .clients
            .iter()
            .all(|client| matches!(client.arrivals, Arrivals::Together { .. }))
    });
    let mut sizes = run.results.iter().map(|result| {
        if crowd {
            result.model.clients.iter().map(|client| client.processes).sum()
        } else {
            result.outcome.requests
        }
    });
    let first = sizes.next().unwrap_or(0);
    let (least, most) =
        sizes.fold((first, first), |(least, most), size| (least.min(size), most.max(size)));
    let (one, many) = if crowd { ("client", "clients") } else { ("request", "requests") };
    let text = number::counted(most, one, many);
    if least == most { text } else { format!("{} to {text}", number::count(least)) }
}

/// The faults, if all variants have the same, and few.
fn faults(run: &Run) -> Vec<String> {
    const FEW: usize = 3;
    let mut all = run.results.iter().map(|result| &result.model.faults);
    let Some(first) = all.next().filter(|faults| faults.len() <= FEW) else { return Vec::new() };
    if !all.all(|faults| faults == first) {
        return Vec::new();
    }
    let shown = |fault: &Fault| {
        let [from, until] = [fault.from, fault.until].map(|at| at.since(Instant::ZERO));
        let name = visible(&fault.name);
        if fault.until == Instant::NEVER {
            return format!("{name} from {from}");
        }
        format!("{name} from {from} to {until}")
    };
    first.iter().map(shown).collect()
}

/// Whether a service fails every attempt in every variant.
fn always_fails(run: &Run, name: &str) -> bool {
    run.results.iter().all(|result| {
        result.model.services.iter().any(|service| service.name == name && service.fails >= 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn says_what_ran() {
        assert_eq!(facts(&sample::storm().run()), "10,000 clients, seed 2026, 5 variants");
        assert_eq!(
            facts(&sample::layers().run()),
            "1,000 requests, gateway > orders > payments > database, database down"
        );
    }

    #[test]
    fn says_when_faults_hold() {
        let mut outage = sample::outage();
        let shown = "48,000 requests, outage from 15 s to 25 s, seed 7, 2 variants";
        assert_eq!(facts(&outage.run()), shown);
        outage.results[0].model.faults[0].until = Instant::NEVER;
        assert_eq!(facts(&outage.run()), "48,000 requests, seed 7, 2 variants");
        outage.results.truncate(1);
        assert_eq!(facts(&outage.run()), "48,000 requests, outage from 15 s, seed 7");
    }

    #[test]
    fn sizes_that_differ_are_a_range() {
        let mut layers = sample::layers();
        layers.results[1].outcome.requests = 1;
        assert!(facts(&layers.run()).starts_with("1 to 1,000 requests, "));
    }

    #[test]
    fn a_long_title_keeps_its_distance() {
        let mut storm = sample::storm();
        storm.scenario.name = "x".repeat(80);
        let text = heading(&storm.run(), "storm.toml", Style::PLAIN);
        assert!(text.starts_with(&format!("{}  storm.toml\n", "x".repeat(80))));
        storm.scenario.name = String::new();
        assert!(heading(&storm.run(), "storm.toml", Style::PLAIN).starts_with("storm.toml\n"));
    }
}
