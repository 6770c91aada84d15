//! The font of the pictures: measuring, fitting and breaking of text.
//!
//! Two weights of Inter are in the binary, so that a picture looks the same on
//! every machine and needs no font there (font/README.md). Digits have
//! one width. Widths include kerning; the rasteriser and, through the embedded
//! font, the browser set text in exactly these.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, GlyphId};

/// The Regular weight as browsers read it.
pub(super) const REGULAR_WOFF2: &[u8] = include_bytes!("font/Inter-Regular.woff2");
/// The SemiBold weight as browsers read it.
pub(super) const SEMI_BOLD_WOFF2: &[u8] = include_bytes!("font/Inter-SemiBold.woff2");

static REGULAR: LazyLock<FontRef<'static>> =
    LazyLock::new(|| parsed(include_bytes!("font/Inter-Regular.ttf")));
static SEMI_BOLD: LazyLock<FontRef<'static>> =
    LazyLock::new(|| parsed(include_bytes!("font/Inter-SemiBold.ttf")));

fn parsed(bytes: &'static [u8]) -> FontRef<'static> {
    FontRef::try_from_slice(bytes).expect("the font in the binary is one that the tests have read")
}

/// How bold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// For what accompanies.
    Regular,
    /// For titles, names and the numbers that matter.
    SemiBold,
}

/// A weight at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    /// How bold.
    pub weight: Weight,
    /// Pixels in an em.
    pub size: f64,
}

/// What stands for a character that the font lacks.
const MISSING: char = '□';
const ELLIPSIS: char = '…';

impl Face {
    /// Regular at a size.
    pub(super) const fn regular(size: f64) -> Self {
        Self { weight: Weight::Regular, size }
    }

    /// SemiBold at a size.
    pub(super) const fn semi_bold(size: f64) -> Self {
        Self { weight: Weight::SemiBold, size }
    }

    /// The font.
    pub(super) fn font(self) -> &'static FontRef<'static> {
        match self.weight {
            Weight::Regular => &REGULAR,
            Weight::SemiBold => &SEMI_BOLD,
        }
    }

    /// Pixels in a unit of the font.
    pub(super) fn scale(self) -> f64 {
        self.size / f64::from(self.font().units_per_em().unwrap_or(2_048.0))
    }

    /// The glyphs of a text with the position of each, in pixels from its
    /// start, and the width of all.
    pub(super) fn set(self, text: &str) -> (Vec<(GlyphId, f64)>, f64) {
        let font = self.font();
        let mut at = 0.0;
        let mut last = None;
        let mut glyphs = Vec::with_capacity(text.len());
        for character in text.chars() {
            let glyph = font.glyph_id(character);
            if let Some(last) = last {
                at += f64::from(font.kern_unscaled(last, glyph)) * self.scale();
            }
            glyphs.push((glyph, at));
            at += f64::from(font.h_advance_unscaled(glyph)) * self.scale();
            last = Some(glyph);
        }
        (glyphs, at)
    }

    /// The width of a text in pixels.
    pub(super) fn width(self, text: &str) -> f64 {
        self.set(text).1
    }

    /// The text, or as much of its start as fits `room` pixels with an ellipsis.
    pub(super) fn fitted(self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        let mut short = text.to_owned();
        while short.pop().is_some() {
            let mut candidate = short.trim_end().to_owned();
            candidate.push(ELLIPSIS);
            if self.width(&candidate) <= room {
                return candidate;
            }
        }
        String::new()
    }

    /// This weight at the largest size, down to `least`, at which the text fits
    /// `room` pixels, in steps of half a pixel.
    pub(super) fn shrunk(self, text: &str, room: f64, least: f64) -> Self {
        let mut face = self;
        while face.width(text) > room && face.size - 0.5 >= least {
            face.size -= 0.5;
        }
        face
    }

    /// The text in at most `most` lines of at most `room` pixels. It breaks at
    /// spaces and after hyphens and commas, in the middle of a word only if a
    /// word alone is too long, and ends in an ellipsis if it does not fit.
    pub(super) fn wrapped(self, text: &str, room: f64, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            if lines.len() + 1 >= most {
                lines.push(self.fitted(rest, room));
                break;
            }
            let end = self.break_of(rest, room);
            lines.push(rest[..end].trim_end().to_owned());
            rest = rest[end..].trim_start();
        }
        lines
    }

    /// Whether the text is whole in so many lines, no word broken.
    pub(super) fn fits(self, text: &str, room: f64, most: usize) -> bool {
        let lines = self.wrapped(text, room, most);
        let whole = |line: &String| self.width(line) <= room && !line.ends_with(ELLIPSIS);
        lines.iter().all(whole)
            && pieces(text)
                .iter()
                .all(|(start, end)| self.width(text[*start..*end].trim_end()) <= room)
    }

    /// Where the first line of a text ends, in bytes; at least one character.
    fn break_of(self, text: &str, room: f64) -> usize {
        if self.width(text) <= room {
            return text.len();
        }
        let fits = |end: &usize| self.width(text[..*end].trim_end()) <= room;
        if let Some(end) = pieces(text).into_iter().map(|(_, end)| end).take_while(fits).last() {
            return end;
        }
        let ends = || text.char_indices().map(|(at, character)| at + character.len_utf8());
        ends().take_while(fits).last().or_else(|| ends().next()).unwrap_or(text.len())
    }
}

/// The pieces of a text between which a line may end, as ranges of bytes, each
/// with the spaces after it.
fn pieces(text: &str) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let ends = match next {
            None => true,
            Some(' ') => false,
            Some(_) => matches!(character, ' ' | '-' | ',' | '/' | '_' | '='),
        };
        if ends {
            let end = at + character.len_utf8();
            pieces.push((start, end));
            start = end;
        }
    }
    pieces
}

/// The text with what cannot be drawn made visible: every control character a
/// space, every character that the font lacks a box. So pictures hold only
/// what was measured, and the SVG nothing that XML forbids. Nobody reads more
/// than a few lines in a picture, so what is longer is cut.
pub(super) fn printable(text: &str) -> String {
    const LONGEST: usize = 400;
    let drawn = |character: char| match character {
        _ if character.is_control() => ' ',
        _ if REGULAR.glyph_id(character).0 == 0 => MISSING,
        _ => character,
    };
    let mut shown: String = text.chars().take(LONGEST).map(drawn).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push(ELLIPSIS);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: Face = Face::regular(12.0);

    #[test]
    fn digits_line_up() {
        for face in [FACE, Face::semi_bold(12.0)] {
            let width = face.width("0");
            for digit in "123456789".chars() {
                assert_eq!(face.width(&digit.to_string()), width, "{digit}");
            }
            assert_eq!(face.width("1,111 ms"), face.width("8,888 ms"));
        }
    }

    #[test]
    fn pairs_of_letters_are_kerned() {
        assert!(FACE.width("Te") < FACE.width("T") + FACE.width("e") - 0.3);
        assert!((FACE.width("nn") - 2.0 * FACE.width("n")).abs() < 1e-9);
    }

    #[test]
    fn both_weights_have_every_character_that_charts_write() {
        for character in "abc XYZ äéßø 0123456789 ,.:;-–—'\"()%×≤≥±µ▼▲→←↑↓·•…□✓✗".chars()
        {
            for face in [FACE, Face::semi_bold(12.0)] {
                assert_ne!(face.font().glyph_id(character).0, 0, "{character}");
            }
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_shown_as_a_box() {
        assert_eq!(printable("a\u{1}b\n木\u{202e}ä"), "a b □□ä");
        assert_eq!(printable(&"x".repeat(10_000)).chars().count(), 401);
    }

    #[test]
    fn breaks_at_spaces_and_hyphens() {
        let room = FACE.width("decorrelated-");
        assert_eq!(
            FACE.wrapped("decorrelated-jitter with a budget", room, 4),
            ["decorrelated-", "jitter with a", "budget"]
        );
        assert!(FACE.fits("decorrelated-jitter with a budget", room, 3));
        assert!(!FACE.fits("decorrelated-jitter with a budget", room, 2));
        assert!(!FACE.fits("decorrelatedjitterwithoutend", room, 5), "a word is broken");
    }

    #[test]
    fn every_line_fits_and_nothing_is_lost_before_an_ellipsis() {
        let text = "a much too long name,of_many=parts and averyverylongwordthatfitsnowhere ok";
        for room in [1.0, 5.0, 20.0, 40.0, 80.0, 200.0, 900.0] {
            for most in 1..8 {
                let lines = FACE.wrapped(text, room, most);
                assert!(lines.len() <= most);
                for line in &lines {
                    let one = line.chars().count() <= 1;
                    assert!(one || FACE.width(line) <= room, "{line} in {room}");
                }
                let seen: String = lines.concat().replace([' ', '…'], "");
                assert!(text.replace(' ', "").starts_with(&seen), "{lines:?}");
            }
        }
    }

    #[test]
    fn a_long_number_is_written_smaller() {
        let room = FACE.width("1,000");
        assert_eq!(FACE.shrunk("1,000", room, 8.0), FACE);
        let smaller = FACE.shrunk("100,000", room, 8.0);
        assert!(smaller.size < 12.0 && smaller.width("100,000") <= room);
        assert_eq!(FACE.shrunk(&"9".repeat(99), room, 8.0).size, 8.0);
    }

    #[test]
    fn the_empty_text_has_no_line() {
        assert!(FACE.wrapped("  ", 100.0, 3).is_empty());
        assert_eq!(FACE.fitted("abc", 0.0), "");
    }
}
