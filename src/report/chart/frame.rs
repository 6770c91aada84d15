//! What all charts have around the plot: title, subtitle and footer, the names
//! of panels, the axis of time.

use super::font::Face;
use super::number::{self, TimeUnit};
use super::scale::Scale;
use super::scene::{Anchor, Colour, Frame, Scene};
use super::theme::{
    FOOTER, GRID, INK, MARGIN, MUTED, NAME, RIGHT, SMALL_NAME, SUBTITLE, TICK, TITLE, WIDTH,
};
use crate::report::number::{count, fixed};
use crate::time::Duration;

/// Panels that one picture shows at most.
pub(super) const MOST_PANELS: usize = 12;

/// The words of a picture beside the plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    /// The finding.
    pub title: &'a str,
    /// What is drawn.
    pub subtitle: &'a str,
    /// Where it comes from.
    pub footer: &'a str,
}

/// A new picture with title and subtitle, and the baseline of their last line.
pub(super) fn begin(words: &Words) -> (Scene, f64) {
    let mut scene = Scene::new(WIDTH, &format!("{}. {}", words.title, words.subtitle));
    let mut baseline = 12.0;
    for (text, face, colour, first, next, most) in
        [(words.title, TITLE, INK, 24.0, 24.0, 2), (words.subtitle, SUBTITLE, MUTED, 22.0, 18.0, 3)]
    {
        for (i, line) in face.wrapped(text, RIGHT - MARGIN, most).iter().enumerate() {
            baseline += if i == 0 { first } else { next };
            scene.text(line, (MARGIN, baseline), Anchor::Left, face, colour);
        }
    }
    (scene, baseline)
}

/// Writes the footer below what ends at `bottom`, and gives the picture its
/// height.
pub(super) fn end(scene: &mut Scene, words: &Words, bottom: f64) {
    let mut baseline = bottom + 8.0;
    for line in FOOTER.wrapped(words.footer, RIGHT - MARGIN, 3) {
        baseline += 16.0;
        scene.text(&line, (MARGIN, baseline), Anchor::Left, FOOTER, MUTED);
    }
    scene.height = f64::ceil(baseline + 12.0) as u32;
}

/// The footer with what the picture leaves out, if anything.
pub(super) fn footer_of(footer: &str, shown: usize, all: usize, what: &str) -> String {
    if shown == all {
        return footer.to_owned();
    }
    format!("{footer}  ·  the first {shown} of {} {what}", count(all as u64))
}

/// The width that a column of names needs, at most `most`.
pub(super) fn name_width<'a>(names: impl Iterator<Item = &'a str>, most: f64) -> f64 {
    names.map(|name| NAME.width(name)).fold(0.0, f64::max).min(most)
}

/// Writes a name in up to three lines around a middle: at the usual size if it
/// fits, else smaller, and with an ellipsis if it is still too long.
pub(super) fn name(scene: &mut Scene, text: &str, (left, middle): (f64, f64), room: f64) {
    let fits = |face: &Face| face.fits(text, room, 3);
    let face = [NAME, SMALL_NAME].into_iter().find(fits).unwrap_or(SMALL_NAME);
    let lines = face.wrapped(text, room, 3);
    let pitch = face.size + 3.5;
    // Half of the height of a small letter puts the middle of one line there.
    let first = middle + 0.36 * face.size - pitch * (lines.len().saturating_sub(1)) as f64 / 2.0;
    for (i, line) in lines.iter().enumerate() {
        scene.text(line, (left, first + pitch * i as f64), Anchor::Left, face, INK);
    }
}

/// Writes a text so that the middle of its digits is at `middle`.
pub(super) fn beside(
    scene: &mut Scene,
    text: &str,
    (x, middle): (f64, f64),
    anchor: Anchor,
    face: Face,
    colour: Colour,
) {
    scene.text(text, (x, middle + 0.364 * face.size), anchor, face, colour);
}

/// An axis of time below plots.
#[derive(Clone, Debug)]
pub(super) struct TimeAxis {
    scale: Scale,
    unit: TimeUnit,
    decimals: usize,
}

impl TimeAxis {
    /// An axis from 0 to `longest` between two edges, with ticks at least
    /// `apart` pixels from each other.
    pub(super) fn new(longest: Duration, ends: (f64, f64), apart: f64) -> Self {
        let unit = TimeUnit::for_axis(longest);
        let scale = Scale::linear(unit.of(longest), ends, apart);
        let decimals = scale.decimals();
        Self { scale, unit, decimals }
    }

    /// Where a number of nanoseconds stands.
    pub(super) fn at(&self, nanos: f64) -> f64 {
        self.scale.at(nanos / self.unit.nanos as f64)
    }

    /// Its unit.
    pub(super) fn unit(&self) -> TimeUnit {
        self.unit
    }

    /// Draws an upright line of the grid at each tick.
    pub(super) fn grid(&self, scene: &mut Scene, plot: &Frame) {
        for tick in self.scale.ticks() {
            scene.upright(tick.at, plot.top, plot.bottom, 1.0, GRID);
        }
    }

    /// Writes the numbers of the ticks, with `suffix` after each.
    pub(super) fn numbers(&self, scene: &mut Scene, baseline: f64, suffix: &str) {
        for tick in self.scale.ticks() {
            let text = fixed(tick.value, self.decimals);
            let text = if self.decimals > 0 { trimmed(&text) } else { &text };
            let text = format!("{text}{suffix}");
            scene.text(&text, (tick.at, baseline), Anchor::Centre, TICK, MUTED);
        }
    }
}

/// The number without zeros at the end of its decimals.
fn trimmed(number: &str) -> &str {
    number.trim_end_matches('0').trim_end_matches('.')
}

/// Draws the lines of the grid of an upright axis and its numbers left of the
/// plot.
pub(super) fn upright_axis(scene: &mut Scene, scale: &Scale, plot: &Frame) {
    for tick in scale.ticks() {
        scene.rule(plot.left, plot.right, tick.at, 1.0, GRID);
        if tick.numbered {
            let text = number::tick(tick.value, scale.decimals());
            beside(scene, &text, (plot.left - 8.0, tick.at), Anchor::Right, TICK, MUTED);
        }
    }
}

/// The width of the numbers of an upright axis.
pub(super) fn upright_axis_width(scale: &Scale) -> f64 {
    let ticks = scale.ticks().into_iter().filter(|tick| tick.numbered);
    ticks.map(|tick| TICK.width(&number::tick(tick.value, scale.decimals()))).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::scene::checks::assert_tidy;
    use super::*;

    #[test]
    fn long_words_wrap_and_the_picture_grows() {
        let words = Words { title: "Short", subtitle: "Short.", footer: "short" };
        let (mut scene, baseline) = begin(&words);
        end(&mut scene, &words, baseline);
        let short = scene.height;
        let long = "a rather long sentence about what is found here ".repeat(20);
        let words = Words { title: &long, subtitle: &long, footer: &long };
        let (mut scene, baseline) = begin(&words);
        end(&mut scene, &words, baseline);
        assert_tidy(&scene);
        assert_eq!(scene.labels.len(), 8);
        assert_eq!(scene.height - short, 24 + 2 * 18 + 2 * 16);
    }

    #[test]
    fn a_name_is_centred_whatever_its_lines() {
        for text in ["short", "three words wrap", "decorrelated-jitter-with-a-long-tail", "x"] {
            let mut scene = Scene::new(WIDTH, "");
            scene.height = 200;
            name(&mut scene, text, (24.0, 100.0), 80.0);
            let frames: Vec<Frame> =
                scene.labels.iter().map(super::super::scene::Label::frame).collect();
            let (top, bottom) = (frames[0].top, frames[frames.len() - 1].bottom);
            assert!((f64::midpoint(top, bottom) - 100.0).abs() < 2.5, "{text}: {top} {bottom}");
            assert!(frames.iter().all(|frame| frame.width() <= 80.0), "{text}");
            assert_tidy(&scene);
        }
    }

    #[test]
    fn the_footer_says_what_is_left_out() {
        assert_eq!(footer_of("sim", 3, 3, "variants"), "sim");
        assert_eq!(
            footer_of("sim", 12, 2_000, "variants"),
            "sim  ·  the first 12 of 2,000 variants"
        );
    }
}
