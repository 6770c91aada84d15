//! The chart of a course over time: load on a service, and what it answers.

use super::font::Face;
use super::frame::{self, MOST_PANELS, TimeAxis, Words};
use super::scale::Scale;
use super::scene::{Anchor, Colour, Frame, Point, Scene, fine};
use super::theme::{
    AXIS, BAND, BLUE, END, GREY, INK, MARGIN, MUTED, NAME, PALE_BLUE, RIGHT, STRONG_END, TICK,
    VERMILLION,
};
use super::{ChartError, Picture, drawn};
use crate::report::number::rate;
use crate::time::{Duration, Instant};

/// All attempts, first attempts and answers per second, one panel for each
/// variant below another, over one axis of time and with one scale.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineChart {
    /// The finding.
    pub title: String,
    /// What is drawn.
    pub subtitle: String,
    /// Where it comes from.
    pub footer: String,
    /// The length of a slice.
    pub slice: Duration,
    /// The length of the run: the end of the axis.
    pub length: Duration,
    /// The variants. Only the first twelve are drawn, and the footer says so.
    pub panels: Vec<TimelinePanel>,
}

/// One variant. The rates are per second, one for each slice.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelinePanel {
    /// Its name; may be empty.
    pub name: String,
    /// All attempts.
    pub attempts: Vec<f64>,
    /// Attempts that are not retries.
    pub first_attempts: Vec<f64>,
    /// Answers in time.
    pub answered: Vec<f64>,
    /// What the service can do, if that is known.
    pub capacity: Option<f64>,
    /// Stretches of time that are marked.
    pub bands: Vec<Band>,
}

/// A stretch of time, such as an outage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// What it is called.
    pub label: String,
    /// Its start.
    pub from: Instant,
    /// Its end.
    pub until: Instant,
}

/// Draws the chart, as `timeline`.
///
/// # Errors
/// [`ChartError::Empty`] without panels; the others if a library fails.
pub fn timeline(chart: &TimelineChart) -> Result<Picture, ChartError> {
    if chart.panels.is_empty() {
        return Err(ChartError::Empty);
    }
    drawn("timeline", &scene(chart))
}

/// Between two panels; the name of the lower one stands there.
const GAP: f64 = 46.0;
/// From one label at the end of a line to the next.
const END_PITCH: f64 = 15.0;
/// The width of these labels at most.
const MOST_END: f64 = 190.0;

fn scene(chart: &TimelineChart) -> Scene {
    let panels = &chart.panels[..chart.panels.len().min(MOST_PANELS)];
    let footer = frame::footer_of(&chart.footer, panels.len(), chart.panels.len(), "variants");
    let words = Words { title: &chart.title, subtitle: &chart.subtitle, footer: &footer };
    let (mut scene, baseline) = frame::begin(&words);
    let height = match panels.len() {
        1 => 300.0,
        2 => 190.0,
        3 | 4 => 140.0,
        _ => 100.0,
    };
    let named = panels.iter().any(|panel| !panel.name.is_empty());
    let top = baseline + if named { 50.0 } else { 36.0 };
    let most = top_of(panels);
    let ends = |panel: &TimelinePanel| {
        ends_of(panel, most).iter().map(|end| end.face.width(&end.text)).fold(0.0, f64::max)
    };
    let end_width = panels.iter().map(ends).fold(0.0, f64::max).min(MOST_END);
    let scale_at = |top: f64| Scale::linear_round(most, (top + height, top), 42.0);
    let left = f64::round(MARGIN + frame::upright_axis_width(&scale_at(top)) + 8.0);
    let right = f64::round(RIGHT - end_width - 10.0);
    let time = TimeAxis::new(chart.length, (left, right), 84.0);
    let mut plot = Frame { left, top, right, bottom: top + height };
    for panel in panels {
        let slice = chart.slice.as_nanos() as f64;
        let axes = Axes { plot, scale: scale_at(plot.top), most, time: &time, slice };
        axes.panel(&mut scene, panel);
        axes.ends(&mut scene, panel);
        plot = Frame { top: plot.top + height + GAP, bottom: plot.bottom + height + GAP, ..plot };
    }
    let bottom = plot.top - GAP;
    time.numbers(&mut scene, bottom + 18.0, &format!(" {}", time.unit().sign));
    frame::end(&mut scene, &words, bottom + 26.0);
    scene
}

/// The highest value of the lines of a panel.
fn highest(panel: &TimelinePanel) -> f64 {
    let series = [&panel.attempts, &panel.first_attempts, &panel.answered];
    series.into_iter().flatten().copied().filter(|rate| rate.is_finite()).fold(0.0, f64::max)
}

/// The highest value that the scale must hold: that of all lines, and the
/// capacities that are not so far above them that they would press them flat.
fn top_of(panels: &[TimelinePanel]) -> f64 {
    const FAR: f64 = 3.0;
    let most = panels.iter().map(highest).fold(0.0, f64::max);
    let near = |capacity: &f64| *capacity <= FAR * most;
    panels.iter().filter_map(|panel| panel.capacity).filter(near).fold(most, f64::max)
}

/// What stands at the end of a line.
struct End {
    value: f64,
    text: String,
    face: Face,
    colour: Colour,
}

/// The ends of the lines of a panel that are not above `most`, from the highest
/// to the lowest.
fn ends_of(panel: &TimelinePanel, most: f64) -> Vec<End> {
    let lines = [
        ("all attempts", panel.attempts.last().copied(), STRONG_END, VERMILLION),
        ("capacity", panel.capacity.filter(|n| *n <= most), END, MUTED),
        ("first attempts", panel.first_attempts.last().copied(), END, MUTED),
        ("answered in time", panel.answered.last().copied(), STRONG_END, BLUE),
    ];
    let mut ends: Vec<End> = lines
        .into_iter()
        .filter_map(|(name, value, face, colour)| {
            let value = value?;
            let text = face.fitted(&format!("{name} {}", rate(value)), MOST_END);
            Some(End { value, text, face, colour })
        })
        .collect();
    ends.sort_by(|a, b| b.value.total_cmp(&a.value));
    ends
}

/// Places from top to bottom, at least `pitch` from each other and at most
/// `lowest`, each as near to where it is wanted as its neighbours allow.
fn spread(wanted: &[f64], pitch: f64, lowest: f64) -> Vec<f64> {
    // Groups of neighbours that touch, as the place of the first and their number.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    let room = |count: usize| pitch * (count - 1) as f64;
    for &place in wanted {
        groups.push((place.min(lowest), 1));
        while let [.., (upper, many), (lower, few)] = groups[..] {
            if lower - upper >= pitch * many as f64 {
                break;
            }
            // The middles of both groups, weighed by their members.
            let count = many + few;
            let middle = ((upper + room(many) / 2.0) * many as f64
                + (lower + room(few) / 2.0) * few as f64)
                / count as f64;
            groups.truncate(groups.len() - 2);
            groups.push(((middle - room(count) / 2.0).min(lowest - room(count)), count));
        }
    }
    let places = |(first, count): (f64, usize)| (0..count).map(move |i| first + pitch * i as f64);
    groups.into_iter().flat_map(places).collect()
}

/// A panel's plot with its axes.
struct Axes<'a> {
    plot: Frame,
    scale: Scale,
    /// Capacities above this are not drawn.
    most: f64,
    time: &'a TimeAxis,
    /// The nanoseconds of a slice.
    slice: f64,
}

impl Axes<'_> {
    fn panel(&self, scene: &mut Scene, panel: &TimelinePanel) {
        let plot = &self.plot;
        let name = NAME.fitted(&panel.name, plot.width());
        scene.text(&name, (plot.left, plot.top - 12.0), Anchor::Left, NAME, INK);
        self.bands(scene, panel, plot.left + NAME.width(&name) + 12.0);
        frame::upright_axis(scene, &self.scale, plot);
        let answered = self.points(&panel.answered);
        if let [(first, _), .., (last, _)] = answered[..] {
            let bottom = fine(plot.bottom);
            let mut under = answered.clone();
            under.extend([(last, bottom), (first, bottom)]);
            scene.area(under, PALE_BLUE);
        }
        scene.rule(plot.left, plot.right, plot.bottom, 1.0, AXIS);
        if let Some(capacity) = panel.capacity.filter(|capacity| *capacity <= self.most) {
            self.dashes(scene, self.scale.at(capacity));
        }
        let first_attempts = self.points(&panel.first_attempts);
        for (points, width, colour) in [
            (first_attempts, 1.75, GREY),
            (self.points(&panel.attempts), 2.0, VERMILLION),
            (answered, 2.25, BLUE),
        ] {
            scene.line(points, width, colour);
        }
    }

    /// A line through the middles of the slices.
    fn points(&self, rates: &[f64]) -> Vec<Point> {
        let place = |(i, &rate): (usize, &f64)| {
            let rate = if rate.is_finite() { rate } else { 0.0 };
            let x = self.time.at((i as f64 + 0.5) * self.slice);
            (fine(x), fine(self.scale.at(rate)))
        };
        rates.iter().enumerate().map(place).collect()
    }

    fn dashes(&self, scene: &mut Scene, y: f64) {
        let mut x = self.plot.left;
        while x < self.plot.right {
            scene.rule(x, (x + 6.0).min(self.plot.right), y, 1.5, MUTED);
            x += 10.0;
        }
    }

    /// Shades the bands and names each, above the plot if there is room right
    /// of the name of the panel, which ends at `free`, else in one of three rows
    /// inside it. A name that would cover others in all rows is left out.
    fn bands(&self, scene: &mut Scene, panel: &TimelinePanel, free: f64) {
        let plot = &self.plot;
        // The baselines of the rows, and where each is free from.
        let mut rows = [(-8.0, free), (13.0, plot.left), (27.0, plot.left), (41.0, plot.left)];
        for band in &panel.bands {
            let [left, right] =
                [band.from, band.until].map(|at| self.time.at(at.as_nanos() as f64));
            let right = right.max(left + 1.0).min(plot.right);
            scene.rect(Frame { left: left.min(right - 1.0), right, ..*plot }, BAND);
            let text = TICK.fitted(&band.label, plot.width());
            let half = TICK.width(&text) / 2.0;
            let middle = f64::midpoint(left, right).clamp(plot.left + half, plot.right - half);
            let row = rows.iter_mut().find(|(_, taken)| middle - half >= *taken);
            if let Some((baseline, taken)) = row {
                *taken = middle + half + 8.0;
                let at = (middle, plot.top + *baseline);
                scene.text(&text, at, Anchor::Centre, TICK, MUTED);
            }
        }
    }

    /// Writes names and last values beside the ends of the lines.
    fn ends(&self, scene: &mut Scene, panel: &TimelinePanel) {
        let ends = ends_of(panel, self.most);
        let wanted: Vec<f64> = ends.iter().map(|end| self.scale.at(end.value)).collect();
        let places = spread(&wanted, END_PITCH, self.plot.bottom);
        for (end, y) in ends.iter().zip(places) {
            let at = (self.plot.right + 10.0, y);
            frame::beside(scene, &end.text, at, Anchor::Left, end.face, end.colour);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
