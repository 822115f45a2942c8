//! The firewall: rules that decide what may pass, apart from the rules of detection.
//!
//! Its rules stand in tables. Those of packets are looked at for each packet, those of the application
//! layer for each state that a transaction is in or goes through. Within a table the order is that of
//! the files, and the first rule that matches decides; where none does, the table's policy decides.
//! The rules of detection then look at all that the firewall lets go on.
//!
//! Here is what its rules say; [`crate::ruleset::Firewall`] has the tables, [`crate::Inspector`] walks them. A run
//! without a firewall has none and pays nothing.

mod policy;
mod rule;

pub use policy::{Policies, Policy};
pub use rule::{FirewallRule, Ruling, ruling};

/// A collection of rules. What matches is reported in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Table {
    /// Before the packet's flow is looked up.
    PreFlow,
    /// Before the packet reaches the TCP tracker.
    PreStream,
    /// Every packet.
    PacketFilter,
    /// The states of transactions.
    AppFilter,
}

impl Table {
    /// The documented name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PreFlow => "packet:pre_flow",
            Self::PreStream => "packet:pre_stream",
            Self::PacketFilter => "packet:filter",
            Self::AppFilter => "app:filter",
        }
    }
}

/// Where in the firewall something matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirewallMatch {
    /// The table.
    pub table: Table,
    /// Protocol, as records name it, and state, of a match in a transaction.
    pub state: Option<(&'static str, &'static str)>,
    /// No rule matched: the policy holds.
    pub by_policy: bool,
}
