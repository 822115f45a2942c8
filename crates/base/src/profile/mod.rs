//! The cost of work, in ticks of the cycle counter ([`crate::cycles`]).
//!
//! One in so many *units* (a packet, the end of a flow) is measured: a [`Sampler`] chooses it, and says for its time to
//! the thread what of it is measured ([`Aspects`]). All others pass one branch that foresees well at each place that may
//! be measured. Nothing here is shared between threads but the counts of [`locks`], which the locks themselves guard.

mod aspects;
mod cost;
pub mod layers;
pub mod locks;
mod sampler;
pub mod units;

pub use aspects::{Aspect, Aspects, is_measured};
pub use cost::Cost;
pub use layers::{Layer, Stage, enter, enter_part};
pub use sampler::{Rate, Sampler};
pub use units::Units;
