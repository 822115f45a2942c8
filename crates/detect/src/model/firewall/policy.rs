//! Policies, which hold where no rule of a table matches.

use std::collections::HashMap;

use weir_applayer::Progress;
use weir_base::Direction;
use weir_rules::ActionScope;

use super::{Ruling, Table};

/// Decision on a hook without a rule that matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The decision.
    pub ruling: Ruling,
    /// An alert says so.
    pub alert: bool,
}

impl Policy {
    /// A decision without an alert.
    pub const fn silent(ruling: Ruling) -> Self {
        Self { ruling, alert: false }
    }

    /// The built-in policy of a table.
    pub const fn built_in(table: Table) -> Self {
        Self::silent(match table {
            Table::PreFlow | Table::PreStream => Ruling::Accept(ActionScope::Hook),
            Table::PacketFilter => Ruling::Drop { flow: false, reject: None },
            Table::AppFilter => Ruling::Drop { flow: true, reject: None },
        })
    }
}

/// The policies of all tables.
#[derive(Clone, Debug)]
pub struct Policies {
    /// Before the flow.
    pub pre_flow: Policy,
    /// Before the stream.
    pub pre_stream: Policy,
    /// Of packets.
    pub filter: Policy,
    /// Of states, by the protocol's name; others have the built-in one.
    pub states: HashMap<(&'static str, Direction, Progress), Policy>,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            pre_flow: Policy::built_in(Table::PreFlow),
            pre_stream: Policy::built_in(Table::PreStream),
            filter: Policy::built_in(Table::PacketFilter),
            states: HashMap::new(),
        }
    }
}

impl Policies {
    /// The policy of a state.
    pub fn state(&self, protocol: &'static str, direction: Direction, progress: Progress) -> Policy {
        let configured = self.states.get(&(protocol, direction, progress)).copied();
        configured.unwrap_or(Policy::built_in(Table::AppFilter))
    }
}
