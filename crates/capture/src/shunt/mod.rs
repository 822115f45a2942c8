//! Flows of which the kernel drops all further packets, and counts them: nobody looks at them any more, and so they cost
//! nothing more.
//!
//! A table of flows lies in memory that the kernel's program and this one share (a mapped array). So flows are added,
//! counted and taken out by plain accesses to memory, without calls of the system and the rights that these need.

pub mod key;
#[cfg(target_os = "linux")]
pub mod program;
pub mod table;

pub use key::{Depth, ShuntKey, Tracking};
pub use table::{Counts, Place, Refusal, Shunt};
