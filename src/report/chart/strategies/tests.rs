//! The panels: what stands where, whatever the numbers.

use super::*;
use crate::report::chart::scene::checks::assert_tidy;
use crate::report::chart::scene::{Label, Shape};
use crate::report::number::count;

fn panel(name: &str, slots: Vec<u64>) -> Panel {
    let most = slots.iter().copied().max().unwrap_or(0);
    let peak_slot = slots.iter().position(|&count| count == most && count > 0);
    let cells = [count(most), "1,234 ms".to_owned(), "12,345 ms".to_owned()];
    Panel { name: name.to_owned(), slots, peak_slot, cells }
}

fn chart(panels: Vec<Panel>) -> StrategiesChart {
    StrategiesChart {
        title: "A finding".into(),
        subtitle: "What is drawn.".into(),
        footer: "sim".into(),
        slice: Duration::from_millis(10),
        since: "after the failure".into(),
        columns: ["busiest 10 ms", "mean wait", "longest wait"].map(String::from),
        panels,
    }
}

fn texts(scene: &Scene) -> Vec<&str> {
    scene.labels.iter().map(|label| label.text.as_str()).collect()
}

/// Panels that are hard to lay out: long and strange names, values without
/// measure, nothing at all.
pub(in crate::report::chart) fn hard() -> Vec<StrategiesChart> {
    let long = "a variant whose name says everything about it: retry = decorrelated-jitter, \
                base = 100 ms, cap = 1 s, budget = tenth";
    let word = "averyveryverylongnamewithoutanyplacetobreakititgoesonandon";
    let mut wide = panel("wide", vec![1]);
    wide.cells = [count(u64::MAX), "18,446,744,073,709,551,615 ms".into(), long.into()];
    let mut hostile = panel("<b>&\"木\u{0}\u{202e}\n", vec![3, 0, 7]);
    hostile.peak_slot = Some(99);
    vec![
        chart(vec![panel("", vec![0, 0, 0])]),
        chart(vec![panel("one", vec![5])]),
        chart(vec![panel(long, vec![1; 600]), panel(word, vec![u64::MAX, 0, 1])]),
        chart(vec![wide, hostile, panel("none", Vec::new())]),
        chart((0..12).map(|i| panel(&format!("number {i}"), vec![10_u64.pow(i); 300])).collect()),
        chart((0..40).map(|_| panel(long, vec![2, 1])).collect()),
    ]
}

#[test]
fn nothing_is_clipped_and_no_labels_touch() {
    for chart in hard() {
        assert_tidy(&scene(&chart));
    }
}

#[test]
fn what_is_left_out_is_said() {
    let many = chart((0..40).map(|i| panel(&format!("v{i}"), vec![1])).collect());
    let scene = scene(&many);
    assert!(texts(&scene).contains(&"sim  ·  the first 12 of 40 variants"));
    assert!(texts(&scene).contains(&"v11") && !texts(&scene).contains(&"v12"));
}

#[test]
fn the_picture_grows_with_its_panels() {
    let height = |n| scene(&chart(vec![panel("a", vec![1]); n])).height;
    assert_eq!(height(12) - height(11), 94);
    assert!(height(1) < height(2) && height(2) < height(3));
}

#[test]
fn the_subtitle_explains_scale_and_mark() {
    let subtitle = |slots: Vec<u64>| {
        let chart = chart(vec![panel("a", slots)]);
        scene(&chart).labels[1].text.clone()
    };
    assert_eq!(subtitle(vec![10_000]), "What is drawn. Log scale. ▼ marks the busiest 10 ms.");
    assert_eq!(subtitle(vec![10]), "What is drawn. ▼ marks the busiest 10 ms.");
    assert_eq!(subtitle(vec![0]), "What is drawn.");
}

#[test]
fn a_run_of_slices_is_one_stepped_polygon() {
    let scene = scene(&chart(vec![panel("a", vec![2, 2, 4, 0, 0, 1])]));
    let areas: Vec<&Vec<Point>> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Area { points, colour } if *colour == SERIES[0] => Some(points),
            _ => None,
        })
        .collect();
    assert_eq!(areas.len(), 2);
    // Up, along two equal slices in one step, up, along the third, down.
    let points = areas[0];
    assert_eq!(points.len(), 6, "{points:?}");
    let steps = |of: fn(&Point) -> i32| -> Vec<bool> {
        points.windows(2).map(|pair| of(&pair[0]) == of(&pair[1])).collect()
    };
    assert_eq!(steps(|p| p.0), [true, false, true, false, true]);
    assert_eq!(steps(|p| p.1), [false, true, false, true, false]);
    let heights = |i: usize| points[0].1 - points[i].1;
    assert_eq!(2 * heights(1), heights(3), "twice as many are twice as high");
}

#[test]
fn the_mark_stands_above_its_slice() {
    let scene = scene(&chart(vec![panel("a", vec![1, 2, 9, 2])]));
    let tip = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Area { points, colour } if *colour == INK => Some(points[0]),
        _ => None,
    });
    let top = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Area { points, colour } if *colour == SERIES[0] => {
            let highest = points.iter().map(|point| point.1).min()?;
            let mut at = points.iter().filter(|point| point.1 == highest).map(|point| point.0);
            Some((at.next()?, at.next()?, highest))
        }
        _ => None,
    });
    let ((x, tip), (left, right, highest)) = (tip.expect("a mark"), top.expect("a slice"));
    assert!((2 * x - left - right).abs() <= 2, "{x} is the middle of {left} and {right}");
    assert_eq!(highest - tip, 12);
}

#[test]
fn columns_line_up_at_the_right() {
    let scene = scene(&hard()[4]);
    let right = |text: &str| {
        let at: Vec<f64> = scene
            .labels
            .iter()
            .filter(|label: &&Label| label.text == text && label.anchor == Anchor::Right)
            .map(|label| label.x)
            .collect();
        at
    };
    assert_eq!(right("12,345 ms"), [RIGHT; 12]);
    assert_eq!(right("longest wait"), [RIGHT]);
}

#[test]
fn without_panels_there_is_no_picture() {
    assert_eq!(strategies(&chart(Vec::new())), Err(ChartError::Empty));
}
