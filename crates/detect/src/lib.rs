//! Rules: compiled, grouped, and inspected against packets, streams and transactions.
//!
//! A rule lives three lives: its text ([`weir_rules::Rule`]), a compiled [`Signature`], and the
//! running state of each flow ([`FlowDetect`]). A [`Ruleset`] is shared by all workers and never
//! changes; an [`Inspector`] is a worker's own. Nothing here names a protocol: what rules can look
//! at comes from the protocols' field tables.
//!
//! The modules are layers, each of which knows only those before it: [`state`] lasts between packets,
//! [`model`] is what a rule is, [`ruleset`] groups rules by what they look at. From text to model lead
//! [`builder`], [`keywords`] and [`compile`]; [`inspect`] looks at traffic and tells [`explain`] and [`profile`]. Of these
//! two ways neither knows the other. [`analysis`] describes what was made of a rule.

pub mod analysis;
pub mod builder;
pub mod compile;
pub mod explain;
pub mod inspect;
pub mod keywords;
pub mod model;
pub mod profile;
pub mod ruleset;
pub mod state;

pub use builder::{Environment, Failure, Reason, StrictKeywords};
pub use compile::compilation;
pub use compile::digits::example_of_content;
pub use inspect::{FrameInspection, Inspection, Inspector, InspectorSettings, Matches, Reach, StreamWindow};
pub use model::alert::{Alert, AlertContext, AlertQueue};
pub use model::fields::FieldCatalogue;
pub use model::signature::{Signature, SignatureIndex};
pub use model::view::{FlowProtocol, PacketFacts, PacketView};
pub use model::{buffer, fields, firewall, hook, pool, post, script, signature, view};
pub use profile::DetectProfile;
pub use ruleset::{Firewall, Ruleset};
pub use state::{FlowDetect, countries, dataset, names, reputation};
