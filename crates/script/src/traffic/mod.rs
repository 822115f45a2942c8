//! Events of traffic for scripts: one lane takes the events of all workers in the order of packets, makes values of their
//! arguments and runs the handlers, as one process of Zeek would.
//!
//! Limits: connections and files that are known at a time ([`MOST_KNOWN`]; of others events have records of their own), and
//! batches that wait ([`BATCHES`]; whoever sends more waits).

mod connection;
mod demand;
mod lane;
mod logs;
mod readers;
mod rows;
mod streams;
mod values;

pub use demand::Demand;
pub use lane::{Batch, Hooks, Lane, Taker};
pub(crate) use logs::switch_groups;
pub(crate) use values::arguments;

/// Most connections and most files whose records are kept between events.
pub const MOST_KNOWN: usize = 1 << 20;

/// Batches of events that wait.
pub const BATCHES: usize = 16;
