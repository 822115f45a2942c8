//! Rules: compiled, grouped, and inspected against packets, streams and transactions.
//!
//! A rule lives three lives: its text ([`weir_rules::Rule`]), a compiled [`Signature`], and the
//! running state of each flow ([`FlowDetect`]). A [`Ruleset`] is shared by all workers and never
//! changes; an [`Inspector`] is a worker's own. Nothing here names a protocol: what rules can look
//! at comes from the protocols' field tables.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod address_index;
pub mod alert;
pub mod analysis;
pub mod buffer;
pub mod builder;
pub mod compilation;
pub mod compile;
mod consistency;
pub mod countries;
pub mod dataset;
pub mod explain;
pub mod fields;
pub mod firewall;
mod frame_group;
pub mod hook;
pub mod inspector;
pub mod keyword;
pub mod keywords;
mod matchers;
pub mod names;
pub mod payload_scan;
pub mod port_index;
pub mod post;
mod regex_table;
pub mod reputation;
pub mod ruleset;
pub mod script;
pub mod signature;
pub mod state;
pub mod strict;
pub mod tag;
pub mod threshold;
pub mod transform;
pub mod view;

pub use alert::{Alert, AlertContext, AlertQueue};
pub use compile::{Environment, Failure, Reason};
pub use fields::FieldCatalogue;
pub use firewall::Firewall;
pub use inspector::{FrameInspection, Inspection, Inspector, InspectorSettings, StreamWindow};
pub use ruleset::Ruleset;
pub use signature::{Signature, SignatureIndex};
pub use state::FlowDetect;
pub use strict::StrictKeywords;
pub use view::{FlowProtocol, PacketView};
