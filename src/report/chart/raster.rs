//! A scene as a PNG.
//!
//! The picture is drawn at four times its size and averaged to twice its size,
//! which gives every edge and glyph smooth borders, whatever draws it; the file
//! says 192 dots an inch, so it is shown at its size and is sharp on dense
//! screens. Strips are drawn one after another, so that memory and cache hold
//! a strip, not the picture.

use ab_glyph::{Font, PxScale, point};
use plotters::prelude::BitMapBackend;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::ChartError;
use super::scene::{Colour, FINE, Scene, face_of};
use super::theme::WHITE;

/// Pixels of the file in a pixel of the scene.
const DENSITY: u32 = 2;
/// Pixels drawn in a pixel of the file, along each side.
const AVERAGED: usize = FINE as usize / DENSITY as usize;
/// Pixels in a metre at 192 in an inch, rounded.
const PIXELS_PER_METRE: u32 = 7_559;
/// Rows of the scene in a strip.
const STRIP: u32 = 32;

/// Draws a scene and packs it.
///
/// # Errors
/// If the drawing library or the encoder fails, which no scene makes them do.
pub(super) fn png(scene: &Scene) -> Result<Vec<u8>, ChartError> {
    let width = scene.width * FINE as u32;
    let mut drawn = vec![0; 3 * width as usize * (STRIP as usize * FINE as usize)];
    let mut pixels = Vec::with_capacity(
        3 * (scene.width as usize * DENSITY as usize) * (scene.height as usize * DENSITY as usize),
    );
    for top in (0..scene.height).step_by(STRIP as usize) {
        let rows = STRIP.min(scene.height - top) * FINE as u32;
        let strip = &mut drawn[..3 * width as usize * rows as usize];
        fill(strip, WHITE);
        let first = top.cast_signed() * FINE;
        let mut raster = Raster { inner: BitMapBackend::with_buffer(strip, (width, rows)), first };
        scene
            .draw(&mut raster, (first, first + rows.cast_signed()))
            .map_err(|cause| ChartError::Drawing(cause.to_string()))?;
        drop(raster);
        average(&drawn[..3 * width as usize * rows as usize], width as usize, &mut pixels);
    }
    encode(&pixels, scene.width * DENSITY, scene.height * DENSITY)
}

fn fill(pixels: &mut [u8], Colour(red, green, blue): Colour) {
    for pixel in pixels.as_chunks_mut::<3>().0 {
        *pixel = [red, green, blue];
    }
}

/// Appends the means of squares of pixels, row by row.
fn average(drawn: &[u8], width: usize, pixels: &mut Vec<u8>) {
    for rows in drawn.chunks_exact(3 * width * AVERAGED) {
        let (upper, lower) = rows.split_at(3 * width);
        let pairs = upper.as_chunks::<6>().0.iter().zip(lower.as_chunks::<6>().0);
        for (above, below) in pairs {
            for channel in 0..3 {
                let sum = u16::from(above[channel])
                    + u16::from(above[channel + 3])
                    + u16::from(below[channel])
                    + u16::from(below[channel + 3]);
                pixels.push(((sum + 2) / 4) as u8);
            }
        }
    }
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, ChartError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Flat colours pack smaller and faster as they are than as differences.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: PIXELS_PER_METRE,
        yppu: PIXELS_PER_METRE,
        unit: png::Unit::Meter,
    }));
    let packed = encoder
        .write_header()
        .and_then(|mut writer| {
            writer.write_image_data(pixels)?;
            writer.finish()
        })
        .map_err(|cause| ChartError::Packing(cause.to_string()));
    packed.map(|()| bytes)
}

/// The library's bitmap with what it draws badly replaced: text, which it sets
/// without side bearings, and polygons and wide lines, whose right and lower
/// borders it draws a pixel too far.
struct Raster<'a> {
    inner: BitMapBackend<'a>,
    /// The row of the picture that is the first of this strip.
    first: i32,
}

type Cause = <BitMapBackend<'static> as DrawingBackend>::ErrorType;
type Drawn = Result<(), DrawingErrorKind<Cause>>;

impl Raster<'_> {
    /// Fills a part of a row of the strip.
    fn span(&mut self, row: i32, from: i32, to: i32, colour: BackendColor) -> Drawn {
        if from < to {
            self.inner.draw_rect((from, row), (to, row + 1), &colour, true)?;
        }
        Ok(())
    }

    /// Fills the pixels whose middle is inside the polygon (even-odd).
    fn fill(&mut self, points: &[(f64, f64)], colour: BackendColor) -> Drawn {
        let rows = points.iter().map(|point| point.1);
        let first = f64::ceil(rows.clone().fold(f64::INFINITY, f64::min) - 0.5).max(0.0) as i32;
        let last = f64::ceil(rows.fold(f64::NEG_INFINITY, f64::max) - 0.5);
        let last = last.min(f64::from(self.inner.get_size().1)) as i32;
        let mut crossings = Vec::new();
        for row in first..last {
            let middle = f64::from(row) + 0.5;
            crossings.clear();
            for (i, &(x, y)) in points.iter().enumerate() {
                let (next_x, next_y) = points[(i + 1) % points.len()];
                if (y <= middle) != (next_y <= middle) {
                    crossings.push(x + (middle - y) / (next_y - y) * (next_x - x));
                }
            }
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.as_chunks::<2>().0 {
                let [from, to] = pair.map(|x| f64::ceil(x - 0.5) as i32);
                self.span(row, from, to, colour)?;
            }
        }
        Ok(())
    }

    /// Fills the pixels whose middle is inside the circle.
    fn dot(&mut self, (x, y): (f64, f64), radius: f64, colour: BackendColor) -> Drawn {
        let first = f64::ceil(y - radius - 0.5) as i32;
        for row in first..f64::ceil(y + radius - 0.5) as i32 {
            let away = f64::from(row) + 0.5 - y;
            let half = f64::sqrt((radius * radius - away * away).max(0.0));
            let [from, to] = [x - half, x + half].map(|x| f64::ceil(x - 0.5) as i32);
            self.span(row, from, to, colour)?;
        }
        Ok(())
    }
}

impl DrawingBackend for Raster<'_> {
    type ErrorType = Cause;

    fn get_size(&self) -> (u32, u32) {
        self.inner.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.inner.draw_pixel((x, y - self.first), colour)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (from, to) = ((left, top - self.first), (right, bottom - self.first));
        self.inner.draw_rect(from, to, &style.color(), fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let radius = f64::from(style.stroke_width()) / 2.0;
        let mut last = None;
        for (x, y) in path {
            let here = (f64::from(x), f64::from(y - self.first));
            if let Some((from_x, from_y)) = last {
                let (dx, dy): (f64, f64) = (here.0 - from_x, here.1 - from_y);
                let length = f64::sqrt(dx * dx + dy * dy);
                if length > 0.0 {
                    let (ax, ay) = (-dy / length * radius, dx / length * radius);
                    let corners = [
                        (from_x + ax, from_y + ay),
                        (here.0 + ax, here.1 + ay),
                        (here.0 - ax, here.1 - ay),
                        (from_x - ax, from_y - ay),
                    ];
                    self.fill(&corners, style.color())?;
                }
            }
            self.dot(here, radius, style.color())?;
            last = Some(here);
        }
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let first = self.first;
        let points: Vec<(f64, f64)> =
            corners.into_iter().map(|(x, y)| (f64::from(x), f64::from(y - first))).collect();
        self.fill(&points, style.color())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, baseline): BackendCoord,
    ) -> Drawn {
        let face = face_of(style);
        let font = face.font();
        let (glyphs, width) = face.set(text);
        let left = f64::from(x)
            - match style.anchor().h_pos {
                HPos::Left => 0.0,
                HPos::Center => width / 2.0,
                HPos::Right => width,
            };
        // The library's scale is the height of a line rather than the em.
        let scale = PxScale::from((f64::from(font.height_unscaled()) * face.scale()) as f32);
        for (glyph, at) in glyphs {
            let place = point((left + at) as f32, (baseline - self.first) as f32);
            let Some(outline) = font.outline_glyph(glyph.with_scale_and_position(scale, place))
            else {
                continue; // a space
            };
            let corner = outline.px_bounds().min;
            let (left, top) = (corner.x as i32, corner.y as i32);
            let mut drawn = Ok(());
            outline.draw(|dx, dy, covered| {
                let at = (left + dx.cast_signed(), top + dy.cast_signed());
                if drawn.is_ok() {
                    drawn = self.inner.draw_pixel(at, style.color().mix(f64::from(covered)));
                }
            });
            drawn?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::font::Face;
    use super::super::scene::{Anchor, Frame, fine};
    use super::super::theme::{INK, VERMILLION};
    use super::*;

    /// The width, the height and the pixels of a file.
    fn read(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let mut reader = decoder.read_info().expect("a PNG");
        let size = reader.output_buffer_size().expect("a small picture");
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        let dims = reader.info().pixel_dims.expect("a density");
        assert_eq!((dims.xppu, dims.yppu, dims.unit), (7_559, 7_559, png::Unit::Meter));
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        (info.width, info.height, pixels)
    }

    fn blank(width: f64, height: u32) -> Scene {
        let mut scene = Scene::new(width, "");
        scene.height = height;
        scene
    }

    /// How dark a pixel is, from 0 to 255.
    fn dark(pixels: &[u8], width: u32, x: u32, y: u32) -> u8 {
        255 - pixels[3 * (y * width + x) as usize]
    }

    #[test]
    fn the_file_has_twice_the_pixels_and_says_so() {
        let (width, height, pixels) = read(&png(&blank(30.0, 75)).expect("drawn"));
        assert_eq!((width, height), (60, 150));
        assert!(pixels.iter().all(|&byte| byte == 255));
    }

    #[test]
    fn a_rectangle_fills_its_pixels_and_no_other() {
        let mut scene = blank(20.0, 80);
        // Across the border between two strips.
        scene.rect(Frame { left: 5.0, top: 30.0, right: 7.5, bottom: 34.0 }, Colour(0, 0, 0));
        let (width, height, pixels) = read(&png(&scene).expect("drawn"));
        for y in 0..height {
            for x in 0..width {
                let inside = (10..15).contains(&x) && (60..68).contains(&y);
                assert_eq!(dark(&pixels, width, x, y), if inside { 255 } else { 0 }, "{x} {y}");
            }
        }
    }

    #[test]
    fn a_polygon_fills_what_a_rectangle_of_its_corners_does() {
        let corners = [(5.0, 30.0), (7.5, 30.0), (7.5, 34.25), (5.0, 34.25)];
        let mut polygon = blank(20.0, 80);
        polygon.area(corners.map(|(x, y)| (fine(x), fine(y))).to_vec(), VERMILLION);
        let mut rectangle = blank(20.0, 80);
        rectangle.rect(Frame { left: 5.0, top: 30.0, right: 7.5, bottom: 34.25 }, VERMILLION);
        assert_eq!(png(&polygon), png(&rectangle));
    }

    #[test]
    fn a_line_is_as_wide_as_asked_whatever_its_direction() {
        let area = |from: (f64, f64), to: (f64, f64)| {
            let mut scene = blank(100.0, 100);
            let points = [from, to].map(|(x, y)| (fine(x), fine(y))).to_vec();
            scene.line(points, 2.0, Colour(0, 0, 0));
            let (_, _, pixels) = read(&png(&scene).expect("drawn"));
            // Three channels, four pixels in a square of one.
            pixels.iter().map(|&byte| f64::from(255 - byte)).sum::<f64>() / 255.0 / 12.0
        };
        let round_ends = std::f64::consts::PI;
        for (from, to, length) in [
            ((20.0, 50.0), (80.0, 50.0), 60.0),
            ((50.0, 20.0), (50.0, 80.0), 60.0),
            ((20.0, 20.0), (80.0, 65.0), 75.0),
        ] {
            let expected = 2.0 * length + round_ends;
            let found = area(from, to);
            assert!((found - expected).abs() < 1.5, "{found} for {expected}");
        }
    }

    #[test]
    fn text_stands_where_it_was_measured() {
        let face = Face::semi_bold(20.0);
        for (anchor, x) in [(Anchor::Left, 20.0), (Anchor::Centre, 100.0), (Anchor::Right, 180.0)] {
            let mut scene = blank(200.0, 60);
            scene.text("HHH", (x, 40.0), anchor, face, INK);
            let frame = scene.labels[0].frame();
            let (width, height, pixels) = read(&png(&scene).expect("drawn"));
            let inked = |x: u32, y: u32| dark(&pixels, width, x, y) > 60;
            let columns: Vec<u32> =
                (0..width).filter(|&x| (0..height).any(|y| inked(x, y))).collect();
            let rows: Vec<u32> = (0..height).filter(|&y| (0..width).any(|x| inked(x, y))).collect();
            // The side bearings of an H are a tenth of its size each.
            let (left, right) =
                (f64::from(columns[0]) / 2.0, f64::from(columns[columns.len() - 1] + 1) / 2.0);
            assert!((left - frame.left - 2.0).abs() < 1.0, "{anchor:?}: {left} in {frame:?}");
            assert!((frame.right - right - 2.0).abs() < 1.0, "{anchor:?}: {right} in {frame:?}");
            assert_eq!(rows[rows.len() - 1], 79, "it stands on its baseline");
            assert!((f64::from(rows[0]) / 2.0 - (40.0 - 0.7275 * 20.0)).abs() < 0.75);
        }
    }

    #[test]
    fn strips_do_not_show() {
        let mut scene = blank(120.0, 70);
        // Letters across the border of two strips.
        scene.text("Égjp|", (10.0, 34.0), Anchor::Left, Face::regular(30.0), INK);
        let across = read(&png(&scene).expect("drawn")).2;
        scene.labels[0].baseline = 58.0;
        let within = read(&png(&scene).expect("drawn")).2;
        let row = 3 * 240;
        let moved = &within[48 * row..];
        // The same picture 24 pixels lower, up to the rounding of coverage.
        let off = across.iter().zip(moved).filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert_eq!(off, 0);
    }
}
