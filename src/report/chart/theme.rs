//! Colours and sizes of all charts.
//!
//! The colours of the series are those of Okabe and Ito, which people with any
//! of the common forms of colour blindness can tell apart.

use super::font::Face;
use super::scene::Colour;

/// Titles, names and numbers.
pub(super) const INK: Colour = Colour(0x1b, 0x1f, 0x24);
/// What explains: subtitles, ticks, footers.
pub(super) const MUTED: Colour = Colour(0x57, 0x60, 0x6a);
/// Lines of the grid.
pub(super) const GRID: Colour = Colour(0xe4, 0xe6, 0xea);
/// The line on which a plot stands.
pub(super) const AXIS: Colour = Colour(0x8b, 0x93, 0x9e);
/// A stretch of time that is marked.
pub(super) const BAND: Colour = Colour(0xee, 0xef, 0xf3);
/// The paper.
pub(super) const WHITE: Colour = Colour(0xff, 0xff, 0xff);

/// Okabe and Ito's vermillion.
pub(super) const VERMILLION: Colour = Colour(0xd5, 0x5e, 0x00);
/// Okabe and Ito's blue.
pub(super) const BLUE: Colour = Colour(0x00, 0x72, 0xb2);
/// Their blue as the filling of an area under a line.
pub(super) const PALE_BLUE: Colour = Colour(0xd8, 0xe8, 0xf3);
/// A line that the others are compared with.
pub(super) const GREY: Colour = Colour(0x8c, 0x90, 0x99);

/// The colours of panels, in order, and again from the first.
pub(super) const SERIES: [Colour; 7] = [
    VERMILLION,
    Colour(0xe6, 0x9f, 0x00),
    BLUE,
    Colour(0x56, 0xb4, 0xe9),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x6b, 0x72, 0x80),
];

/// The width of every picture in pixels.
pub(super) const WIDTH: f64 = 960.0;
/// The space left and right.
pub(super) const MARGIN: f64 = 24.0;
/// Where the content ends on the right.
pub(super) const RIGHT: f64 = WIDTH - MARGIN;

/// The finding.
pub(super) const TITLE: Face = Face::semi_bold(19.0);
/// What is drawn.
pub(super) const SUBTITLE: Face = Face::regular(13.0);
/// The name of a panel.
pub(super) const NAME: Face = Face::semi_bold(13.5);
/// The name of a panel that is too long for the usual size.
pub(super) const SMALL_NAME: Face = Face::semi_bold(11.5);
/// A number in a column.
pub(super) const CELL: Face = Face::regular(12.5);
/// The number that matters in a column.
pub(super) const STRONG_CELL: Face = Face::semi_bold(12.5);
/// The head of a column.
pub(super) const HEAD: Face = Face::regular(11.0);
/// A tick, the name of an axis.
pub(super) const TICK: Face = Face::regular(11.0);
/// The name at the end of a line.
pub(super) const END: Face = Face::regular(11.5);
/// The name at the end of a line that matters.
pub(super) const STRONG_END: Face = Face::semi_bold(11.5);
/// Where the picture comes from.
pub(super) const FOOTER: Face = Face::regular(10.5);
