//! The chart of layers: how attempts multiply on the way down a chain.

use super::font::Face;
use super::frame::{self, MOST_PANELS, Words};
use super::number::times;
use super::scene::{Anchor, Colour, Frame, Scene};
use super::theme::{
    AXIS, BLUE, CELL, GRID, HEAD, INK, MARGIN, MUTED, RIGHT, STRONG_CELL, VERMILLION,
};
use super::{ChartError, Picture, drawn};
use crate::report::number::count;

/// Attempts that reach each service, for each variant: one bar a service, split
/// into what would have come if nothing had failed and what came on top.
#[derive(Clone, Debug, PartialEq)]
pub struct LayersChart {
    /// The finding.
    pub title: String,
    /// What is drawn.
    pub subtitle: String,
    /// Where it comes from.
    pub footer: String,
    /// The services, callers before those they call. Only the first twelve are
    /// drawn, and the footer says so.
    pub services: Vec<String>,
    /// The variants. Only the first twelve are drawn, and the footer says so.
    pub variants: Vec<LayersVariant>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq)]
pub struct LayersVariant {
    /// Its name; may be empty.
    pub name: String,
    /// Attempts at each service.
    pub attempts: Vec<u64>,
    /// Those of them that would have come if nothing had failed.
    pub expected: Vec<f64>,
    /// Attempts at each service if nothing had failed; zero if that is unknown.
    pub normal: Vec<f64>,
}

/// Draws the chart, as `layers`.
///
/// # Errors
/// [`ChartError::Empty`] without variants or services; the others if a library
/// fails.
pub fn layers(chart: &LayersChart) -> Result<Picture, ChartError> {
    if chart.variants.is_empty() || chart.services.is_empty() {
        return Err(ChartError::Empty);
    }
    drawn("layers", &scene(chart))
}

/// Services of one variant at most.
const MOST_SERVICES: usize = 12;
/// The thickness of a bar.
const BAR: f64 = 14.0;
/// Between two variants.
const GAP: f64 = 20.0;
/// The width of the names of variants at most.
const MOST_NAME: f64 = 160.0;
/// The width of the names of services at most.
const MOST_SERVICE: f64 = 190.0;
/// What is expected.
const NORMAL: Colour = BLUE;
/// What comes on top.
const EXTRA: Colour = VERMILLION;

/// The places of everything.
struct Layout {
    /// The room for the names of variants.
    names: f64,
    /// Where the names of services begin, and their room.
    services: (f64, f64),
    /// Where bars begin.
    bars: f64,
    /// The pixels of one attempt.
    scale: f64,
    /// From one bar to the next.
    pitch: f64,
}

fn scene(chart: &LayersChart) -> Scene {
    let variants = &chart.variants[..chart.variants.len().min(MOST_PANELS)];
    let services = &chart.services[..chart.services.len().min(MOST_SERVICES)];
    let footer = frame::footer_of(&chart.footer, variants.len(), chart.variants.len(), "variants");
    let footer = frame::footer_of(&footer, services.len(), chart.services.len(), "services");
    let words = Words { title: &chart.title, subtitle: &chart.subtitle, footer: &footer };
    let (mut scene, baseline) = frame::begin(&words);
    let layout = layout(variants, services);
    legend(&mut scene, variants, (layout.bars, baseline + 34.0));
    let mut top = baseline + 52.0;
    let height = layout.pitch * services.len() as f64;
    for (i, variant) in variants.iter().enumerate() {
        if i > 0 {
            scene.rule(MARGIN, RIGHT, top - GAP / 2.0, 1.0, GRID);
        }
        frame::name(&mut scene, &variant.name, (MARGIN, top + height / 2.0), layout.names);
        for (j, service) in services.iter().enumerate() {
            let middle = top + layout.pitch * (j as f64 + 0.5);
            let (left, room) = layout.services;
            let face = CELL.shrunk(service, room, 10.0);
            let text = face.fitted(service, room);
            frame::beside(&mut scene, &text, (left + room, middle), Anchor::Right, face, MUTED);
            bar(&mut scene, &layout, middle, at(variant, j));
        }
        scene.upright(layout.bars - 0.5, top, top + height, 1.0, AXIS);
        top += height + GAP;
    }
    frame::end(&mut scene, &words, top - GAP + 8.0);
    scene
}

/// The numbers of a service.
#[derive(Clone, Copy)]
struct Numbers {
    attempts: u64,
    /// Those that would have come anyway; all, if nothing is normal here.
    expected: f64,
    normal: f64,
}

fn at(variant: &LayersVariant, service: usize) -> Numbers {
    let positive = |all: &[f64]| {
        let number = all.get(service).copied().filter(|number| number.is_finite());
        number.unwrap_or(0.0).max(0.0)
    };
    let attempts = variant.attempts.get(service).copied().unwrap_or(0);
    let normal = positive(&variant.normal);
    let all = attempts as f64;
    let expected = if normal > 0.0 { positive(&variant.expected).min(all) } else { all };
    Numbers { attempts, expected, normal }
}

fn layout(variants: &[LayersVariant], services: &[String]) -> Layout {
    let numbers = || {
        let all = variants.iter().flat_map(|variant| (0..services.len()).map(|i| at(variant, i)));
        all.map(|numbers| (numbers.attempts as f64, labels(numbers)))
    };
    let names = frame::name_width(variants.iter().map(|variant| variant.name.as_str()), MOST_NAME);
    let left = MARGIN + names + if names > 0.0 { 24.0 } else { 0.0 };
    let room = services.iter().map(|name| CELL.width(name)).fold(0.0, f64::max).min(MOST_SERVICE);
    let bars = f64::round(left + room + 10.0);
    // The longest bar leaves room for its own label, and every other for its.
    let space = |label: &[(String, Face, Colour)]| RIGHT - bars - label_width(label);
    let scale = numbers()
        .filter(|(attempts, _)| *attempts > 0.0)
        .map(|(attempts, label)| space(&label) / attempts)
        .fold(f64::INFINITY, f64::min);
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let rows = variants.len() * services.len();
    Layout {
        names,
        services: (left, room),
        bars,
        scale,
        pitch: if rows > 36 { 19.0 } else { 23.0 },
    }
}

/// Draws a bar and its numbers.
fn bar(scene: &mut Scene, layout: &Layout, middle: f64, numbers: Numbers) {
    let (top, bottom) = (middle - BAR / 2.0, middle + BAR / 2.0);
    let attempts = numbers.attempts as f64;
    // What is not zero is seen.
    let least = if attempts > 0.0 { 1.5 } else { 0.0 };
    let right = layout.bars + (attempts * layout.scale).max(least);
    let expected = (layout.bars + numbers.expected * layout.scale).min(right);
    let split = if numbers.expected < attempts { expected } else { right };
    scene.rect(Frame { left: layout.bars, top, right: split, bottom }, NORMAL);
    scene.rect(Frame { left: split, top, right, bottom }, EXTRA);
    let mut x = right + LABEL_GAP;
    for (text, face, colour) in labels(numbers) {
        frame::beside(scene, &text, (x, middle), Anchor::Left, face, colour);
        x += face.width(&text) + LABEL_GAP;
    }
}

/// Between a bar and its number, and between two numbers.
const LABEL_GAP: f64 = 8.0;

/// What stands at the end of a bar.
fn labels(numbers: Numbers) -> Vec<(String, Face, Colour)> {
    let mut labels = vec![(count(numbers.attempts), STRONG_CELL, INK)];
    if numbers.normal > 0.0 {
        let ratio = numbers.attempts as f64 / numbers.normal;
        labels.push((format!("{} normal", times(ratio)), HEAD, MUTED));
    }
    labels
}

fn label_width(labels: &[(String, Face, Colour)]) -> f64 {
    labels.iter().map(|(text, face, _)| face.width(text) + LABEL_GAP).sum()
}

/// Says what the colours mean, if both are in the picture.
fn legend(scene: &mut Scene, variants: &[LayersVariant], (left, baseline): (f64, f64)) {
    let extra = |variant: &LayersVariant| {
        let mut all = (0..variant.attempts.len()).map(|i| at(variant, i));
        all.any(|numbers| numbers.attempts as f64 > numbers.expected)
    };
    let mut x = left;
    let more = [(EXTRA, "on top of that, through retries")];
    let more = if variants.iter().any(extra) { &more[..] } else { &[] };
    for (colour, text) in [(NORMAL, "if nothing failed")].iter().chain(more) {
        let frame = Frame { left: x, top: baseline - 8.5, right: x + 9.0, bottom: baseline + 0.5 };
        scene.rect(frame, *colour);
        scene.text(text, (x + 14.0, baseline), Anchor::Left, HEAD, MUTED);
        x += 14.0 + HEAD.width(text) + 22.0;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::scene::Shape;
    use super::super::scene::checks::assert_tidy;
    use super::*;

    fn variant(name: &str, attempts: &[u64], normal: &[f64]) -> LayersVariant {
        LayersVariant {
            name: name.into(),
            attempts: attempts.to_vec(),
            expected: normal.to_vec(),
            normal: normal.to_vec(),
        }
    }

    fn chart(services: &[&str], variants: Vec<LayersVariant>) -> LayersChart {
        LayersChart {
            title: "A finding".into(),
            subtitle: "What is drawn.".into(),
            footer: "sim".into(),
            services: services.iter().map(|name| (*name).to_owned()).collect(),
            variants,
        }
    }

    /// Charts that are hard to lay out.
    pub(in super::super) fn hard() -> Vec<LayersChart> {
        let long = "a variant whose name says everything about it, and then some more of it";
        let deep: Vec<String> =
            (0..30).map(|i| format!("a-service-with-a-long-name-{i}")).collect();
        let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
        let powers: Vec<u64> = (0..30).map(|i| 4_u64.saturating_pow(i)).collect();
        vec![
            chart(&["a", "b"], vec![variant("", &[0, 0], &[0.0, 0.0])]),
            chart(&["a", "b"], vec![variant("x", &[1, u64::MAX], &[1.0, 1.0])]),
            chart(&["a", "b"], vec![variant("short of numbers", &[5], &[])]),
            chart(&["a", "b"], vec![variant("fewer", &[100, 3], &[100.0, 100.0])]),
            chart(&["a"], vec![variant("strange", &[7], &[f64::NAN]), variant("", &[7], &[-1.0])]),
            chart(&deep, vec![variant(long, &powers, &[1.0; 30]); 40]),
        ]
    }

    #[test]
    fn nothing_is_clipped_and_no_labels_touch() {
        for chart in hard() {
            let scene = scene(&chart);
            assert_tidy(&scene);
            for label in &scene.labels {
                assert!(label.frame().right <= RIGHT + 0.01, "{:?}", label.text);
            }
        }
    }

    /// The bars, from their left to their right edge, of one colour.
    fn bars(scene: &Scene, wanted: Colour) -> Vec<i32> {
        let tall = |shape: &Shape| match shape {
            Shape::Rect { from, to, colour } if *colour == wanted && to.1 - from.1 == 56 => {
                Some(to.0 - from.0)
            }
            _ => None,
        };
        scene.shapes.iter().filter_map(tall).collect()
    }

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let chart = chart(
            &["gateway", "database"],
            vec![variant("a", &[1_000, 8_000], &[1_000.0, 1_000.0])],
        );
        let scene = scene(&chart);
        let (normal, extra) = (bars(&scene, NORMAL), bars(&scene, EXTRA));
        assert!((normal[0] - normal[1]).abs() <= 1);
        assert_eq!(extra[0], 0);
        assert!((extra[1] - 7 * normal[0]).abs() <= 7, "{normal:?} {extra:?}");
        let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
        assert!(texts.contains(&"8,000") && texts.contains(&"8.0× normal"));
        assert!(texts.contains(&"on top of that, through retries"));
    }

    #[test]
    fn fewer_than_normal_is_no_retry() {
        let scene = scene(&hard()[3]);
        assert!(bars(&scene, EXTRA).iter().all(|&width| width == 0));
        assert!(scene.labels.iter().all(|label| !label.text.contains("through retries")));
    }

    /// Half of the normal attempts never came, and there are retries all the same.
    #[test]
    fn retries_are_seen_where_less_than_normal_comes() {
        let mut starved = variant("a", &[1_000, 900], &[1_000.0, 1_000.0]);
        starved.expected[1] = 500.0;
        let scene = scene(&chart(&["gateway", "database"], vec![starved]));
        let (normal, extra) = (bars(&scene, NORMAL), bars(&scene, EXTRA));
        assert!((normal[0] - 2 * normal[1]).abs() <= 2, "{normal:?}");
        assert!((5 * extra[1] - 4 * normal[1]).abs() <= 5, "{normal:?} {extra:?}");
    }

    #[test]
    fn what_is_left_out_is_said() {
        let scene = scene(&hard()[5]);
        let footer = scene.labels.last().map(|label| label.text.as_str());
        assert_eq!(
            footer,
            Some("sim  ·  the first 12 of 40 variants  ·  the first 12 of 30 services")
        );
    }

    #[test]
    fn without_variants_or_services_there_is_no_picture() {
        assert_eq!(layers(&chart(&["a"], Vec::new())), Err(ChartError::Empty));
        assert_eq!(layers(&chart(&[], vec![variant("a", &[], &[])])), Err(ChartError::Empty));
    }
}
