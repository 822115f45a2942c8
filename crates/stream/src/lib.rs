//! TCP: the state of a connection, and its two byte streams put back in order.
//!
//! A [`TcpSession`] takes each packet of its connection. It answers with a [`StreamOutcome`]
//! (events, whether the packet fits, what the engine should do) and pushes bytes, gaps and ends
//! into a [`StreamSink`]. Reassembly follows the receiving host's way with overlaps
//! ([`OverlapPolicy`]); states, checks and event names are those that users of `stream-event`
//! know. Knows nothing of flows or protocols.

pub mod counters;
pub mod event;
mod half;
mod handshake_queue;
mod offset_map;
pub mod outcome;
pub mod policy;
mod sack;
mod segments;
pub mod sequence;
pub mod session;
pub mod settings;
pub mod shared;
pub mod sink;
pub mod state;
mod store;

#[cfg(test)]
mod conversation;

pub use counters::{StreamAccount, StreamCounters};
pub use event::StreamEvent;
pub use outcome::{DropReason, StreamEvents, StreamException, StreamOutcome};
pub use policy::OverlapPolicy;
pub use sequence::Seq;
pub use session::{RawWindow, SideView, TcpSession};
pub use settings::{StreamSettings, UrgentPolicy};
pub use shared::StreamShared;
pub use sink::StreamSink;
pub use state::{Phase, TcpState};
pub use store::Kept;
