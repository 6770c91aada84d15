//! Reports: what a person or a program reads of a result. All pure: results
//! in, bytes out.
//!
//! [`run::Run`] is what every report is made from. For people: [`screen`] and
//! [`markdown`], whose blocks are [`heading`], [`table`], [`finding`] (with
//! [`recovery`] and, for what theory says of it, [`feedback`]) and [`verdict`]. For programs: [`csv`], [`json`], [`junit`]. Pictures: [`chart`].

pub mod axis;
pub mod chart;
pub mod csv;
pub mod feedback;
pub mod finding;
pub mod grid;
pub mod heading;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod number;
pub mod recovery;
pub mod reproduction;
pub mod run;
pub mod screen;
pub mod shape;
pub mod style;
pub mod table;
pub mod verdict;

#[cfg(test)]
mod sample;
