//! A scene as an SVG.
//!
//! Coordinates are whole quarters of a pixel, shown small, so the file has no
//! long fractions and edges meet without seams. The font is inside: a viewer
//! that knows it sets the text as measured, one that does not keeps each text
//! within its measured length.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plotters::prelude::SVGBackend;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::ChartError;
use super::font::{REGULAR_WOFF2, SEMI_BOLD_WOFF2, Weight};
use super::scene::{FINE, Scene, face_of};

/// Draws a scene as the text of a file.
///
/// # Errors
/// If the drawing library fails, which no scene makes it do.
pub(super) fn svg(scene: &Scene) -> Result<String, ChartError> {
    let (width, height) = (scene.width * FINE as u32, scene.height * FINE as u32);
    let (shapes, texts) = parts(scene, (width, height))?;
    // The library's own frame has neither font nor a size of its own.
    let shapes = shapes
        .split_once('\n')
        .and_then(|(_, rest)| rest.trim_end().strip_suffix("</svg>"))
        .ok_or_else(|| ChartError::Drawing("the SVG has another frame than expected".into()))?;
    let mut file = String::with_capacity(shapes.len() + texts.len() + 60_000);
    let _ = writeln!(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" \
         font-family=\"Inter, Helvetica, Arial, sans-serif\" xml:space=\"preserve\">",
        scene.width,
        scene.height,
        escaped(&scene.description),
    );
    file.push_str(&style());
    let _ = writeln!(file, "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>");
    // Opaque is what a shape is if nothing is said.
    file.push_str(&shapes.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", ""));
    file.push_str(&texts);
    file.push_str("</svg>\n");
    Ok(file)
}

/// What the library writes of the shapes, in a frame of its own, and the texts.
fn parts(scene: &Scene, size: (u32, u32)) -> Result<(String, String), ChartError> {
    let mut shapes = String::new();
    let mut texts = String::new();
    let inner = SVGBackend::with_string(&mut shapes, size);
    let mut vector = Vector { inner, texts: &mut texts };
    let drawn = scene.draw(&mut vector, (0, size.1.cast_signed())).and_then(|()| vector.present());
    drop(vector);
    drawn.map_err(|cause| ChartError::Drawing(cause.to_string()))?;
    Ok((shapes, texts))
}

/// The font, spaces as they are written, and round joins for all lines.
fn style() -> String {
    let face = |weight: u32, bytes: &[u8]| {
        format!(
            "@font-face{{font-family:Inter;font-weight:{weight};\
             src:url(data:font/woff2;base64,{}) format(\"woff2\")}}\n",
            STANDARD.encode(bytes)
        )
    };
    format!(
        "<style>\n{}{}text{{white-space:pre}}\n\
         polyline{{stroke-linejoin:round;stroke-linecap:round}}\n</style>\n",
        face(400, REGULAR_WOFF2),
        face(600, SEMI_BOLD_WOFF2)
    )
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// The library's SVG with the text replaced: it knows neither baselines nor a
/// semibold, and sets sizes of its own.
struct Vector<'a> {
    inner: SVGBackend<'a>,
    /// The texts, which stand above all shapes.
    texts: &'a mut String,
}

type Drawn = Result<(), DrawingErrorKind<std::io::Error>>;

impl DrawingBackend for Vector<'_> {
    type ErrorType = std::io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.inner.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn {
        self.inner.ensure_prepared()
    }

    fn present(&mut self) -> Drawn {
        self.inner.present()
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Drawn {
        self.inner.draw_pixel(at, colour)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        self.inner.draw_rect(from, to, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        self.inner.draw_path(path, style)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.inner.fill_polygon(corners, style)
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, baseline): BackendCoord,
    ) -> Drawn {
        let face = face_of(style);
        let weight = match face.weight {
            Weight::Regular => "",
            Weight::SemiBold => " font-weight=\"600\"",
        };
        let anchor = match style.anchor().h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let (red, green, blue) = style.color().rgb;
        let _ = writeln!(
            self.texts,
            "<text x=\"{x}\" y=\"{baseline}\" font-size=\"{}\"{weight}{anchor} \
             textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" \
             fill=\"#{red:02x}{green:02x}{blue:02x}\">{}</text>",
            face.size,
            f64::round(face.width(text)),
            escaped(text),
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::super::{Source, pictures};

    /// The tags of a file in their order, with their attributes; fails if they
    /// are not nested, not closed or not quoted.
    fn tags(file: &str) -> Vec<(String, Vec<(String, String)>)> {
        let mut tags = Vec::new();
        let mut open: Vec<String> = Vec::new();
        let mut rest = file;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "a bare > in {:?}", &rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag ends");
            let inside = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = inside.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name));
                continue;
            }
            let (inside, closed) =
                inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
            let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
            tags.push((name.to_owned(), attributes_of(attributes)));
            if !closed {
                open.push(name.to_owned());
            }
        }
        assert!(open.is_empty(), "{open:?} is not closed");
        tags
    }

    fn attributes_of(mut text: &str) -> Vec<(String, String)> {
        let mut attributes = Vec::new();
        while let Some((name, rest)) = text.trim_start().split_once("=\"") {
            let (value, rest) = rest.split_once('"').expect("a value is quoted");
            attributes.push((name.to_owned(), value.to_owned()));
            text = rest;
        }
        assert!(text.trim().is_empty(), "{text:?} is no attribute");
        attributes
    }

    fn files() -> Vec<String> {
        let source = Source { file: "<\"&'>.toml", seed: 1 };
        let results = [sample::storm(), sample::layers(), sample::overload()];
        let all = results.iter().flat_map(|results| pictures(&source, results));
        all.map(|picture| picture.expect("a sample can be drawn").svg).collect()
    }

    #[test]
    fn the_file_is_well_formed_and_has_whole_coordinates() {
        const PLACES: [&str; 8] = ["x", "y", "width", "height", "points", "textLength", "x1", "y1"];
        for file in files() {
            let tags = tags(&file);
            assert_eq!(tags[0].0, "svg");
            for (name, value) in tags.iter().flat_map(|(_, attributes)| attributes) {
                if PLACES.contains(&name.as_str()) {
                    let whole = |number: &str| number.parse::<i32>().is_ok_and(|n| n >= 0);
                    let numbers = value.split([' ', ',']).filter(|number| !number.is_empty());
                    assert!(numbers.clone().all(whole), "{name}={value}");
                }
            }
        }
    }

    #[test]
    fn it_is_drawn_large_and_shown_small() {
        let file = &files()[0];
        let tags = tags(file);
        let of = |wanted: &str| {
            let found = tags[0].1.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let (width, height): (u32, u32) =
            (of("width").parse().expect("whole"), of("height").parse().expect("whole"));
        assert_eq!(width, 960);
        assert_eq!(of("viewBox"), format!("0 0 {} {}", 4 * width, 4 * height));
    }

    #[test]
    fn its_texts_use_the_font_inside_and_have_their_measured_length() {
        for file in files() {
            assert_eq!(file.matches("@font-face{font-family:Inter;").count(), 2);
            assert_eq!(file.matches("url(data:font/woff2;base64,d09GMg").count(), 2);
            let tags = tags(&file);
            let texts: Vec<_> = tags.iter().filter(|(name, _)| name == "text").collect();
            assert!(texts.len() > 10);
            for (_, attributes) in texts {
                let names: Vec<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
                assert!(names.contains(&"textLength"));
                assert!(!names.contains(&"font-family"), "no other font is asked for");
            }
            assert_eq!(file.matches("http").count(), 1, "only the namespace");
        }
    }

    #[test]
    fn a_run_of_slices_is_one_polygon() {
        // Five spikes twice, then the runs of three jittered strategies and a
        // mark for each: far fewer polygons than slices.
        let polygons = files()[0].matches("<polygon").count();
        assert!((20..120).contains(&polygons), "{polygons}");
    }
}
