//! Charts: results in, pictures out.
//!
//! Each chart ([`strategies()`], [`layers()`], [`timeline()`]) lays out a scene once;
//! the scene is then drawn twice, as PNG and as SVG. [`pictures`] decides which
//! charts suit a result and fills them. All pure: the same input gives the same
//! bytes on every machine, nothing is read from disk or clock, and no font of
//! the system is used.

mod data;
mod font;
mod frame;
mod layers;
mod number;
mod raster;
#[cfg(test)]
mod sample;
mod scale;
mod scene;
mod strategies;
mod svg;
mod theme;
mod timeline;

use std::fmt;

pub use data::{Source, pictures};
pub use layers::{LayersChart, LayersVariant, layers};
pub use strategies::{Panel, StrategiesChart, strategies};
pub use timeline::{Band, TimelineChart, TimelinePanel, timeline};

/// A chart in both forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Its name, the stem of its files: `strategies`.
    pub name: String,
    /// The PNG file: twice as many pixels along each side as the picture is
    /// large, and 192 dots an inch.
    pub png: Vec<u8>,
    /// The SVG file, with its font inside.
    pub svg: String,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChartError {
    /// There is not a single panel.
    Empty,
    /// The drawing library failed, and what it said.
    Drawing(String),
    /// The PNG encoder failed, and what it said.
    Packing(String),
}

impl fmt::Display for ChartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a chart without a single variant cannot be drawn"),
            Self::Drawing(cause) => write!(f, "a chart could not be drawn: {cause}"),
            Self::Packing(cause) => write!(f, "a chart could not be packed as PNG: {cause}"),
        }
    }
}

impl std::error::Error for ChartError {}

/// Draws a scene in both forms.
fn drawn(name: &str, scene: &scene::Scene) -> Result<Picture, ChartError> {
    Ok(Picture { name: name.to_owned(), png: raster::png(scene)?, svg: svg::svg(scene)? })
}
