//! What a chart consists of: shapes and labels at their places.
//!
//! The charts lay out a scene in pixels, once; [`super::raster`] and
//! [`super::svg`] draw it. Coordinates of shapes are kept as whole quarters of
//! a pixel, so that both draw the same.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::{BackendColor, BackendTextStyle, DrawingBackend, DrawingErrorKind};

use super::font::{Face, Weight, printable};

/// Steps of a coordinate in a pixel.
pub(super) const FINE: i32 = 4;

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub u8, pub u8, pub u8);

/// A place, in quarters of a pixel from the upper left corner.
pub(super) type Point = (i32, i32);

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

/// A shape. Later ones cover earlier ones; labels cover all.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// A filled rectangle between two corners.
    Rect { from: Point, to: Point, colour: Colour },
    /// A filled polygon.
    Area { points: Vec<Point>, colour: Colour },
    /// A line with a width in quarters of a pixel and round joins.
    Line { points: Vec<Point>, width: u32, colour: Colour },
}

/// Which part of a label stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Its start.
    Left,
    /// Its middle.
    Centre,
    /// Its end.
    Right,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// The text, all of it in the font.
    pub text: String,
    /// Where its anchor stands, in pixels.
    pub x: f64,
    /// Where its baseline is, in pixels.
    pub baseline: f64,
    /// What stands at `x`.
    pub anchor: Anchor,
    /// Weight and size.
    pub face: Face,
    /// Its colour.
    pub colour: Colour,
}

/// A picture before it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scene {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// What the picture says, for those who cannot see it.
    pub description: String,
    /// The shapes, from below to above.
    pub shapes: Vec<Shape>,
    /// The labels.
    pub labels: Vec<Label>,
}

/// Quarters of a pixel, rounded.
pub(super) fn fine(pixels: f64) -> i32 {
    f64::round(pixels * f64::from(FINE)) as i32
}

/// The nearest border between two pixels of the PNG, where a thin line is sharp.
fn snapped(pixels: f64) -> f64 {
    f64::round(pixels * 2.0) / 2.0
}

impl Frame {
    /// Width in pixels.
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }
}

impl Label {
    /// The rectangle from the top of capitals to the foot of descenders.
    pub(super) fn frame(&self) -> Frame {
        let width = self.face.width(&self.text);
        let left = match self.anchor {
            Anchor::Left => self.x,
            Anchor::Centre => self.x - width / 2.0,
            Anchor::Right => self.x - width,
        };
        Frame {
            left,
            top: self.baseline - 0.75 * self.face.size,
            right: left + width,
            bottom: self.baseline + 0.22 * self.face.size,
        }
    }
}

impl Scene {
    /// An empty picture, still without height.
    pub(super) fn new(width: f64, description: &str) -> Self {
        let description = printable(description);
        Self { width: width as u32, height: 0, description, shapes: Vec::new(), labels: Vec::new() }
    }

    /// Fills a rectangle given by its edges in pixels.
    pub(super) fn rect(&mut self, frame: Frame, colour: Colour) {
        let from = (fine(frame.left), fine(frame.top));
        self.shapes.push(Shape::Rect { from, to: (fine(frame.right), fine(frame.bottom)), colour });
    }

    /// A horizontal line `thick` pixels thick whose middle is at `y`.
    pub(super) fn rule(&mut self, left: f64, right: f64, y: f64, thick: f64, colour: Colour) {
        let top = snapped(y - thick / 2.0);
        self.rect(Frame { left, top, right, bottom: top + thick }, colour);
    }

    /// A vertical line `thick` pixels thick whose middle is at `x`.
    pub(super) fn upright(&mut self, x: f64, top: f64, bottom: f64, thick: f64, colour: Colour) {
        let left = snapped(x - thick / 2.0);
        self.rect(Frame { left, top, right: left + thick, bottom }, colour);
    }

    /// Fills a polygon.
    pub(super) fn area(&mut self, points: Vec<Point>, colour: Colour) {
        self.shapes.push(Shape::Area { points, colour });
    }

    /// Draws a line `width` pixels wide.
    pub(super) fn line(&mut self, points: Vec<Point>, width: f64, colour: Colour) {
        self.shapes.push(Shape::Line { points, width: fine(width).max(1) as u32, colour });
    }

    /// A triangle that points down with its tip at a place.
    pub(super) fn marker(&mut self, x: f64, tip: f64, colour: Colour) {
        let at = |dx: f64, dy: f64| (fine(x + dx), fine(tip + dy));
        self.area(vec![at(0.0, 0.0), at(-4.0, -6.5), at(4.0, -6.5)], colour);
    }

    /// Writes a line of text.
    pub(super) fn text(
        &mut self,
        text: &str,
        (x, baseline): (f64, f64),
        anchor: Anchor,
        face: Face,
        colour: Colour,
    ) {
        if !text.is_empty() {
            let text = printable(text);
            self.labels.push(Label { text, x, baseline, anchor, face, colour });
        }
    }

    /// Draws what touches the rows from `top` to `bottom` (in quarters of a
    /// pixel) on a backend whose unit is a quarter of a pixel.
    pub(super) fn draw<B: DrawingBackend>(
        &self,
        backend: &mut B,
        (top, bottom): (i32, i32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        for shape in &self.shapes {
            let (from, to) = shape.rows();
            if from <= bottom && to >= top {
                shape.draw(backend)?;
            }
        }
        for label in &self.labels {
            let frame = label.frame();
            // Accents reach above capitals.
            let above = fine(frame.top - 0.4 * label.face.size);
            if above <= bottom && fine(frame.bottom) + FINE >= top {
                let at = (fine(label.x), fine(label.baseline));
                backend.draw_text(&label.text, &label.style(), at)?;
            }
        }
        Ok(())
    }
}

impl Shape {
    /// The first and the last row that it touches.
    fn rows(&self) -> (i32, i32) {
        match self {
            Self::Rect { from, to, .. } => (from.1.min(to.1), from.1.max(to.1)),
            Self::Area { points, .. } => rows_of(points, 0),
            Self::Line { points, width, .. } => rows_of(points, width.cast_signed()),
        }
    }

    fn draw<B: DrawingBackend>(
        &self,
        backend: &mut B,
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        match self {
            Self::Rect { from, to, colour } => {
                backend.draw_rect(*from, *to, &colour.style(1), true)
            }
            Self::Area { points, colour } => {
                backend.fill_polygon(points.iter().copied(), &colour.style(1))
            }
            Self::Line { points, width, colour } => {
                backend.draw_path(points.iter().copied(), &colour.style(*width))
            }
        }
    }
}

fn rows_of(points: &[Point], around: i32) -> (i32, i32) {
    let rows = || points.iter().map(|point| point.1);
    (rows().min().unwrap_or(0) - around, rows().max().unwrap_or(0) + around)
}

impl Colour {
    fn style(self, width: u32) -> ShapeStyle {
        let color = RGBColor(self.0, self.1, self.2).into();
        ShapeStyle { color, filled: true, stroke_width: width }
    }
}

impl Label {
    /// As the drawing library passes it to a backend. Its place is always the
    /// baseline.
    fn style(&self) -> TextStyle<'static> {
        let weight = match self.face.weight {
            Weight::Regular => FontStyle::Normal,
            Weight::SemiBold => FontStyle::Bold,
        };
        let side = match self.anchor {
            Anchor::Left => HPos::Left,
            Anchor::Centre => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let font = ("Inter", self.face.size * f64::from(FINE), weight).into_font();
        let Colour(red, green, blue) = self.colour;
        TextStyle {
            font,
            color: BackendColor { alpha: 1.0, rgb: (red, green, blue) },
            pos: Pos::new(side, VPos::Bottom),
        }
    }
}

/// The face that a text style of a [`Label`] stands for.
pub(super) fn face_of<S: BackendTextStyle>(style: &S) -> Face {
    match style.style() {
        FontStyle::Bold => Face::semi_bold(style.size()),
        _ => Face::regular(style.size()),
    }
}

#[cfg(test)]
pub(super) mod checks {
    //! What must be true of every picture.

    use super::*;

    impl Frame {
        /// Whether the two share more than an edge.
        fn overlaps(&self, other: &Self) -> bool {
            self.left < other.right
                && other.left < self.right
                && self.top < other.bottom
                && other.top < self.bottom
        }
    }

    /// Everything lies inside the picture and no two labels touch.
    pub(in super::super) fn assert_tidy(scene: &Scene) {
        let (width, height) = (f64::from(scene.width), f64::from(scene.height));
        let frames: Vec<Frame> = scene.labels.iter().map(Label::frame).collect();
        for (label, frame) in scene.labels.iter().zip(&frames) {
            let inside = frame.left >= 0.0
                && frame.top >= 0.0
                && frame.right <= width
                && frame.bottom <= height;
            assert!(inside, "{:?} at {frame:?} leaves {width} x {height}", label.text);
        }
        for (i, frame) in frames.iter().enumerate() {
            for (j, other) in frames.iter().enumerate().skip(i + 1) {
                let (a, b) = (&scene.labels[i].text, &scene.labels[j].text);
                assert!(!frame.overlaps(other), "{a:?} at {frame:?} covers {b:?} at {other:?}");
            }
        }
        let (right, bottom) = (fine(width), fine(height));
        for shape in &scene.shapes {
            let points = match shape {
                Shape::Rect { from, to, .. } => vec![*from, *to],
                Shape::Area { points, .. } | Shape::Line { points, .. } => points.clone(),
            };
            for (x, y) in points {
                let inside = (0..=right).contains(&x) && (0..=bottom).contains(&y);
                assert!(inside, "({x}, {y}) leaves {right} x {bottom}: {shape:?}");
            }
        }
    }
}
