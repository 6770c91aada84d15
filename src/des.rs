//! Discrete-event machinery. It knows no word of the domain.
//!
//! - [`Ladder`]: the future event list, for events at any time.
//! - [`Lane`]: timeouts of one constant length, which may be cancelled.
//! - [`Slab`]: what is alive, by a handle that notices when it is not any more.
//! - [`ChunkedQueue`]: waiting lines, thousands of which share one memory.
//!
//! Which of several sources comes first at one instant is the caller's rule:
//! it asks the ladder for what comes [until](Ladder::pop_until) the first time
//! of the others. How the ladder works and what it costs is in `docs/queue.md`.

mod fifo;
mod ladder;
mod lane;
mod slab;

pub use fifo::{ChunkPool, ChunkedQueue};
pub use ladder::Ladder;
pub use lane::{Lane, Ticket};
pub use slab::{Handle, Slab};
