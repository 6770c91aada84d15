//! The executor around operations that a test plays, under a clock of its own:
//! no test here sleeps. Every case runs blocking and as a future, and both must
//! see the same.

mod by_hand;
mod fake;
mod lessons;
mod replay;
mod rules;

use fake::{Answer, Case, Chance, both};
