//! The firewall: rules that decide what may pass, apart from the rules of detection.
//!
//! Its rules stand in tables. Those of packets are looked at for each packet, those of the application
//! layer for each state that a transaction is in or goes through. Within a table the order is that of
//! the files, and the first rule that matches decides; where none does, the table's policy decides.
//! What the firewall lets go on is then for the rules of detection.
//!
//! [`crate::Inspector`] walks the tables; a run without a firewall has none and pays nothing.

mod policy;
mod rule;
mod tables;

pub use policy::{Policies, Policy};
pub use rule::{FirewallRule, Ruling, ruling};
pub(crate) use tables::HookTable;
pub use tables::{Firewall, notices};

use weir_applayer::Progress;
use weir_base::PerDirection;

use crate::state::WaitingRule;

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

/// What the firewall decided of a transaction so far.
#[derive(Debug, Default)]
pub struct FirewallTransaction {
    /// All that is still to come of it is accepted.
    pub(crate) accepted: bool,
    /// The state that was looked at last.
    pub(crate) reached: PerDirection<Progress>,
    /// Nothing more will come.
    pub(crate) complete: PerDirection<bool>,
    /// Rules that have matched, wholly or in part.
    pub(crate) rules: Vec<WaitingRule>,
}
