//! The course of a run: what stands where, whatever the numbers.

use super::*;
use crate::report::chart::scene::Shape;
use crate::report::chart::scene::checks::assert_tidy;

fn band(label: &str, from: u64, until: u64) -> Band {
    let at = |seconds: u64| Instant::ZERO + Duration::from_secs(seconds);
    Band { label: label.into(), from: at(from), until: at(until) }
}

fn panel(name: &str, rates: &[f64]) -> TimelinePanel {
    TimelinePanel {
        name: name.into(),
        attempts: rates.to_vec(),
        first_attempts: rates.iter().map(|rate| rate / 2.0).collect(),
        answered: rates.iter().map(|rate| rate / 3.0).collect(),
        capacity: None,
        bands: Vec::new(),
    }
}

fn chart(panels: Vec<TimelinePanel>) -> TimelineChart {
    TimelineChart {
        title: "A finding".into(),
        subtitle: "What is drawn.".into(),
        footer: "sim".into(),
        slice: Duration::from_millis(500),
        length: Duration::from_secs(60),
        panels,
    }
}

/// Charts that are hard to lay out.
pub(in crate::report::chart) fn hard() -> Vec<TimelineChart> {
    let long = "a variant whose name says everything about it, and more, and then some more \
                of it, until it is wider than the plot";
    let course: Vec<f64> = (0..120).map(|i| f64::from(i * i % 977)).collect();
    let mut marked = panel(long, &course);
    marked.capacity = Some(1e15);
    marked.bands = vec![
        band("outage", 15, 25),
        band("another with a long name", 26, 27),
        band("a third", 28, 28),
        band("at the very end", 59, 600),
    ];
    let mut short = panel("3 attempts", &course);
    short.capacity = Some(400.0);
    short.bands = vec![band("outage", 15, 25)];
    vec![
        chart(vec![panel("", &[])]),
        chart(vec![panel("zero", &[0.0; 120])]),
        chart(vec![panel("one", &[1e-9])]),
        chart(vec![panel("strange", &[f64::NAN, f64::INFINITY, -5.0, 3.0])]),
        chart(vec![marked, short.clone()]),
        chart(vec![short; 40]),
    ]
}

#[test]
fn nothing_is_clipped_and_no_labels_touch() {
    for chart in hard() {
        assert_tidy(&scene(&chart));
    }
}

#[test]
fn labels_make_room_for_each_other_and_stay_in_order() {
    for wanted in [
        vec![10.0, 50.0, 90.0],
        vec![50.0, 50.0, 50.0, 50.0],
        vec![98.0, 99.0, 100.0],
        vec![0.0, 1.0, 60.0, 61.0, 100.0],
    ] {
        let places = spread(&wanted, 15.0, 102.0);
        assert_eq!(places.len(), wanted.len());
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 15.0 - 1e-9), "{places:?}");
        assert!(places.iter().all(|&place| place <= 102.0), "{places:?}");
    }
    assert_eq!(spread(&[10.0, 50.0, 90.0], 15.0, 102.0), [10.0, 50.0, 90.0]);
    assert_eq!(spread(&[50.0, 50.0], 15.0, 102.0), [42.5, 57.5]);
    assert!(spread(&[], 15.0, 102.0).is_empty());
}

#[test]
fn a_band_covers_its_time() {
    let scene = scene(&hard()[4]);
    let widths: Vec<i32> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Rect { from, to, colour } if *colour == BAND => Some(to.0 - from.0),
            _ => None,
        })
        .collect();
    assert_eq!(widths.len(), 5);
    assert!((widths[0] - 10 * widths[1]).abs() <= 10, "{widths:?}");
    assert_eq!(widths[2], 4, "a moment is seen");
    let named = |name: &str| scene.labels.iter().any(|label| label.text == name);
    assert!(named("outage") && named("another with a long name") && named("a third"));
}

#[test]
fn a_capacity_far_away_presses_nothing_flat() {
    let capacity = |capacity: f64| {
        let mut panel = panel("a", &[900.0, 800.0]);
        panel.capacity = Some(capacity);
        let scene = scene(&chart(vec![panel]));
        scene.labels.iter().any(|label| label.text.starts_with("capacity"))
    };
    assert!(capacity(2_000.0));
    assert!(!capacity(20_000.0));
}

#[test]
fn the_end_of_a_line_says_its_last_value() {
    let scene = scene(&chart(vec![panel("a", &[1_200.0, 600.0])]));
    let texts: Vec<&str> = scene.labels.iter().map(|label| label.text.as_str()).collect();
    for text in ["all attempts 600", "first attempts 300", "answered in time 200"] {
        assert!(texts.contains(&text), "{texts:?}");
    }
    assert!(!texts.iter().any(|text| text.contains("capacity")));
}

#[test]
fn without_panels_there_is_no_picture() {
    assert_eq!(timeline(&chart(Vec::new())), Err(ChartError::Empty));
}
