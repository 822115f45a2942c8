//! State that lasts between packets: that of each flow and its transactions, and the tables that all
//! workers share (rates, tags of hosts, bits, datasets, reputations). It knows rules by their numbers alone.

pub mod countries;
pub mod dataset;
mod flow;
pub mod lineage;
pub mod names;
pub mod reputation;
pub mod shared_bits;
pub mod tag;
pub mod threshold;

pub(crate) use flow::set;
pub use flow::{
    DirectionDetect, FirewallTransaction, FlowDetect, MAX_FLOW_BITS, MAX_FLOW_VARIABLES,
    MAX_TRANSACTION_BITS, MAX_WAITING_RULES, TransactionDetect, WaitingRule, WaitingRules,
};
pub use names::NameId;

/// Number of a rule, by which it is known beyond its ruleset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct RuleId {
    /// Generator id.
    pub gid: u32,
    /// Signature id.
    pub sid: u32,
}

/// Position of a signature in its ruleset: the order of evaluation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct SignatureIndex(pub u32);
