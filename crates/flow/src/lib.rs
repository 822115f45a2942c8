//! Flows: what is known of a conversation, and the table that finds it for each packet.
//!
//! A [`Flow`] is generic over its session, so nothing here knows of streams or protocols.
//! Readers of a flow take its [`FlowCore`]. Time is packet time throughout.

pub mod core;
pub mod counters;
pub mod elephant;
pub mod flags;
pub mod hash;
pub mod id;
pub mod settings;
pub mod state;
pub mod table;
mod wheel;

#[cfg(test)]
mod packets;

pub use crate::core::{Flow, FlowCore, IcmpKind};
pub use counters::FlowCounters;
pub use elephant::ElephantSettings;
pub use flags::FlowFlags;
pub use id::FlowId;
pub use settings::{FlowSettings, IcmpErrors, Timeouts};
pub use state::{EndReason, FlowState};
pub use table::{FlowIndex, FlowTable, Found, NoFlow, PacketKey};
