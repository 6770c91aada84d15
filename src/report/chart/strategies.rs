//! The chart of strategies: for each variant, when its retries arrive.

use super::frame::{self, MOST_PANELS, TimeAxis, Words};
use super::scale::Scale;
use super::scene::{Anchor, Colour, Frame, Point, Scene, fine};
use super::theme::{AXIS, CELL, HEAD, INK, MARGIN, MUTED, RIGHT, SERIES, STRONG_CELL, TICK, WHITE};
use super::{ChartError, Picture, drawn};
use crate::time::Duration;

/// Retries in each slice of the run, one panel for each variant below another,
/// over one axis of time, with three columns of numbers beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategiesChart {
    /// The finding.
    pub title: String,
    /// What is drawn. The chart adds what its scale and its marks mean.
    pub subtitle: String,
    /// Where it comes from.
    pub footer: String,
    /// The length of a slice.
    pub slice: Duration,
    /// What the times count from, after the unit: `after the failure`.
    pub since: String,
    /// The heads of the columns: `busiest 10 ms`.
    pub columns: [String; 3],
    /// The variants. Only the first twelve are drawn, and the footer says so.
    pub panels: Vec<Panel>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its name; may be empty.
    pub name: String,
    /// Retries in each slice of the run.
    pub slots: Vec<u64>,
    /// Index of the slice with the busiest one.
    pub peak_slot: Option<usize>,
    /// Its numbers.
    pub cells: [String; 3],
}

/// Draws the chart, as `strategies`.
///
/// # Errors
/// [`ChartError::Empty`] without panels; the others if a library fails.
pub fn strategies(chart: &StrategiesChart) -> Result<Picture, ChartError> {
    if chart.panels.is_empty() {
        return Err(ChartError::Empty);
    }
    drawn("strategies", &scene(chart))
}

/// From here on counts are spread too far for a linear scale.
const LOG_FROM: u64 = 50;
/// Runs of slices that are all farther than this from each other are drawn at
/// least [`SEEN`] wide, so that few and narrow ones are not overlooked.
const NEAR: f64 = 8.0;
/// The least width of a run that stands alone.
const SEEN: f64 = 2.75;
/// Between two panels.
const GAP: f64 = 14.0;
/// From the top of a panel to its highest possible value.
const HEADROOM: f64 = 5.0;
/// Between two columns.
const COLUMN_GAP: f64 = 22.0;
/// The width of a column at most.
const MOST_COLUMN: f64 = 120.0;
/// The width of the names at most.
const MOST_NAME: f64 = 160.0;

/// The places of everything.
struct Layout {
    /// The first panel.
    first: Frame,
    /// From the top of a panel to that of the next.
    pitch: f64,
    /// The room for names.
    names: f64,
    /// The right edges of the columns.
    columns: [f64; 3],
    /// The widths of the columns.
    widths: [f64; 3],
}

fn scene(chart: &StrategiesChart) -> Scene {
    let panels = &chart.panels[..chart.panels.len().min(MOST_PANELS)];
    let most = panels.iter().flat_map(|panel| &panel.slots).copied().max().unwrap_or(0);
    let subtitle = subtitle(chart, panels, most >= LOG_FROM);
    let footer = frame::footer_of(&chart.footer, panels.len(), chart.panels.len(), "variants");
    let words = Words { title: &chart.title, subtitle: &subtitle, footer: &footer };
    let (mut scene, baseline) = frame::begin(&words);
    let layout = layout(chart, panels, most, baseline);
    let slots = panels.iter().map(|panel| panel.slots.len()).max().unwrap_or(0).max(1);
    let length = slots as f64 * chart.slice.as_nanos() as f64;
    // A little air after the last slice.
    let longest = Duration::from_nanos_f64(length * 1.025);
    let time = TimeAxis::new(longest, (layout.first.left, layout.first.right), 48.0);
    for ((head, right), width) in chart.columns.iter().zip(layout.columns).zip(layout.widths) {
        let at = (right, layout.first.top - 13.0);
        scene.text(&HEAD.fitted(head, width), at, Anchor::Right, HEAD, MUTED);
    }
    for (i, panel) in panels.iter().enumerate() {
        let down = layout.pitch * i as f64;
        let plot = Frame {
            top: layout.first.top + down,
            bottom: layout.first.bottom + down,
            ..layout.first
        };
        let scale = values(most, &plot);
        let axes = Axes { plot, scale, time: &time, slice: chart.slice.as_nanos() as f64 };
        axes.panel(&mut scene, panel, SERIES[i % SERIES.len()]);
        beside_panel(&mut scene, panel, &layout, f64::midpoint(plot.top, plot.bottom));
    }
    let bottom = layout.first.bottom + layout.pitch * (panels.len() - 1) as f64;
    time.numbers(&mut scene, bottom + 17.0, "");
    let title = format!("{} {}", time.unit().name, chart.since);
    let middle = f64::midpoint(layout.first.left, layout.first.right);
    scene.text(title.trim(), (middle, bottom + 34.5), Anchor::Centre, TICK, MUTED);
    frame::end(&mut scene, &words, bottom + 34.0);
    scene
}

/// The subtitle with what the scale and the mark mean.
fn subtitle(chart: &StrategiesChart, panels: &[Panel], log: bool) -> String {
    let marked = panels.iter().any(|panel| panel.peak_slot.is_some());
    let scale = if log { " Log scale." } else { "" };
    let mark = if marked { format!(" ▼ marks the {}.", chart.columns[0]) } else { String::new() };
    format!("{}{scale}{mark}", chart.subtitle).trim().to_owned()
}
/// The axis of counts of a panel; the same for all panels.
fn values(most: u64, plot: &Frame) -> Scale {
    let ends = (plot.bottom, plot.top + HEADROOM);
    if most >= LOG_FROM {
        Scale::log(most as f64, ends, 8.0, 18.0)
    } else {
        Scale::whole(most, ends, 18.0)
    }
}

fn layout(chart: &StrategiesChart, panels: &[Panel], most: u64, baseline: f64) -> Layout {
    let mut columns = [0.0; 3];
    let mut widths = [0.0; 3];
    let mut right = RIGHT;
    for i in (0..3).rev() {
        let face = if i == 0 { STRONG_CELL } else { CELL };
        let cells = panels.iter().map(|panel| face.width(&panel.cells[i]));
        widths[i] = cells.fold(HEAD.width(&chart.columns[i]), f64::max).min(MOST_COLUMN);
        columns[i] = right;
        right -= if widths[i] > 0.0 { widths[i] + COLUMN_GAP } else { 0.0 };
    }
    let names = frame::name_width(panels.iter().map(|panel| panel.name.as_str()), MOST_NAME);
    let height = match panels.len() {
        1 => 180.0,
        2 => 120.0,
        3 => 96.0,
        _ => 80.0,
    };
    let top = baseline + 54.0;
    let mut first = Frame { left: MARGIN, top, right: right + 2.0, bottom: top + height };
    let numbers = frame::upright_axis_width(&values(most, &first));
    let name_gap = if names > 0.0 { 18.0 } else { 0.0 };
    first.left = f64::round(MARGIN + names + name_gap + numbers + 8.0);
    first.right = f64::round(first.right);
    Layout { first, pitch: height + GAP, names, columns, widths }
}

fn beside_panel(scene: &mut Scene, panel: &Panel, layout: &Layout, middle: f64) {
    frame::name(scene, &panel.name, (MARGIN, middle), layout.names);
    for (i, cell) in panel.cells.iter().enumerate() {
        // A number is never cut as long as it can be read.
        let face = if i == 0 { STRONG_CELL } else { CELL };
        let face = face.shrunk(cell, layout.widths[i], 7.0);
        let cell = face.fitted(cell, layout.widths[i]);
        frame::beside(scene, &cell, (layout.columns[i], middle), Anchor::Right, face, INK);
    }
}

/// A panel's plot with its axes.
struct Axes<'a> {
    plot: Frame,
    scale: Scale,
    time: &'a TimeAxis,
    /// The nanoseconds of a slice.
    slice: f64,
}

impl Axes<'_> {
    fn panel(&self, scene: &mut Scene, panel: &Panel, colour: Colour) {
        let plot = &self.plot;
        self.time.grid(scene, plot);
        frame::upright_axis(scene, &self.scale, plot);
        let runs = runs(&panel.slots);
        let apart = |pair: &[(usize, usize)]| self.edge(pair[1].0) - self.edge(pair[0].1) > NEAR;
        let least = if runs.windows(2).all(apart) { SEEN } else { 0.5 };
        for run in &runs {
            scene.area(self.steps(&panel.slots, *run, least), colour);
        }
        scene.rule(plot.left, plot.right, plot.bottom, 1.0, AXIS);
        if runs.is_empty() {
            self.nothing(scene);
        }
        if let Some(slot) =
            panel.peak_slot.filter(|slot| panel.slots.get(*slot).is_some_and(|&n| n > 0))
        {
            let x = self.time.at((slot as f64 + 0.5) * self.slice);
            let tip = self.scale.at(panel.slots[slot] as f64) - 3.0;
            scene.marker(x.clamp(plot.left + 4.0, plot.right - 4.0), tip, INK);
        }
    }

    /// Says that there is nothing, on a clear ground.
    fn nothing(&self, scene: &mut Scene) {
        const TEXT: &str = "no retries";
        let (plot, half) = (&self.plot, TICK.width(TEXT) / 2.0 + 6.0);
        let at = (f64::midpoint(plot.left, plot.right), f64::midpoint(plot.top, plot.bottom));
        let ground =
            Frame { left: at.0 - half, top: at.1 - 9.0, right: at.0 + half, bottom: at.1 + 9.0 };
        scene.rect(ground, WHITE);
        frame::beside(scene, TEXT, at, Anchor::Centre, TICK, MUTED);
    }

    /// Where a slice begins.
    fn edge(&self, slot: usize) -> f64 {
        self.time.at(slot as f64 * self.slice)
    }

    /// One polygon for a run of slices that are not empty, at least so wide.
    fn steps(&self, slots: &[u64], (from, to): (usize, usize), least: f64) -> Vec<Point> {
        let plot = &self.plot;
        let (left, right) = (self.edge(from), self.edge(to));
        let wider = ((least - (right - left)) / 2.0).max(0.0);
        let (start, end) = ((left - wider).max(plot.left), (right + wider).min(plot.right));
        let bottom = fine(plot.bottom);
        let mut points = vec![(fine(start), bottom)];
        for (slot, &count) in (from..to).zip(&slots[from..to]) {
            let height = fine(self.scale.at(count as f64));
            let [x0, x1] = [slot, slot + 1].map(|at| match at {
                _ if at == from => fine(start),
                _ if at == to => fine(end),
                _ => fine(self.edge(at)),
            });
            if points.last() == Some(&(x0, height)) {
                points.pop();
            } else {
                points.push((x0, height));
            }
            points.push((x1, height));
        }
        points.push((fine(end), bottom));
        points
    }
}

/// The runs of slots that are not empty, each from its first slot to the one
/// after its last.
fn runs(slots: &[u64]) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (i, &count) in slots.iter().chain(&[0]).enumerate() {
        match (start, count > 0) {
            (None, true) => start = Some(i),
            (Some(from), false) => {
                runs.push((from, i));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

#[cfg(test)]
pub(super) mod tests;
