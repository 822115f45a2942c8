//! The tables of the firewall.

use std::collections::HashMap;

use weir_applayer::{Progress, Protocol};
use weir_base::{Direction, PerDirection};
use weir_rules::{Action, ActionScope};

use super::PacketClass;
use crate::model::firewall::{Policies, Policy, Ruling, Table};
use crate::model::signature::{Signature, SignatureIndex, Subjects};

/// Rules on packets, in order, by kind of packet.
#[derive(Debug)]
pub(crate) struct PacketTable {
    pub(crate) policy: Policy,
    rules: [Vec<SignatureIndex>; PacketClass::ALL.len()],
}

impl PacketTable {
    fn new(signatures: &[&Signature], table: Table, policy: Policy) -> Self {
        let rules = PacketClass::ALL.map(|class| {
            let mine = signatures.iter().filter(|s| in_table(s, table) && class.admits(s));
            mine.map(|signature| signature.index).collect()
        });
        Self { policy, rules }
    }

    /// The rules on packets of a kind.
    pub(crate) fn rules(&self, class: PacketClass) -> &[SignatureIndex] {
        self.rules.get(class as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether nothing is ever decided here.
    fn is_idle(&self) -> bool {
        let goes_on = Policy::silent(Ruling::Accept(ActionScope::Hook));
        self.policy == goes_on && self.rules.iter().all(Vec::is_empty)
    }
}

/// A rule in the table of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookRule {
    pub(crate) index: SignatureIndex,
    /// The rule is on a later state and accepts this one (`<`).
    pub(crate) earlier: bool,
}

/// Rules on one state of a protocol, in order.
#[derive(Debug)]
pub(crate) struct HookTable {
    /// The state's name.
    pub(crate) state: &'static str,
    pub(crate) policy: Policy,
    pub(crate) rules: Vec<HookRule>,
}

/// All tables.
#[derive(Debug)]
pub struct Firewall {
    pre_flow: PacketTable,
    pre_stream: PacketTable,
    filter: PacketTable,
    states: HashMap<&'static str, PerDirection<Vec<HookTable>>>,
    /// A rule looks at the reassembled stream.
    pub(crate) wants_stream: bool,
    /// The first of the signatures that alerts of policies bear.
    notices: SignatureIndex,
}

impl Firewall {
    /// The tables of those of `signatures` that are the firewall's; from `notices` on stand those that alerts of
    /// policies bear.
    pub(crate) fn new(
        signatures: &[Signature],
        notices: SignatureIndex,
        protocols: &[&'static Protocol],
        policies: &Policies,
    ) -> Self {
        let before = signatures.iter().filter(|s| s.index < notices && s.head.firewall.is_some());
        let mine: Vec<&Signature> = before.collect();
        let states = protocols.iter().map(|protocol| {
            let tables = |direction| state_tables(&mine, protocol, direction, policies);
            (protocol.name, PerDirection::from_fn(tables))
        });
        Self {
            pre_flow: PacketTable::new(&mine, Table::PreFlow, policies.pre_flow),
            pre_stream: PacketTable::new(&mine, Table::PreStream, policies.pre_stream),
            filter: PacketTable::new(&mine, Table::PacketFilter, policies.filter),
            states: states.collect(),
            wants_stream: mine
                .iter()
                .any(|s| s.checks.payload_in.contains(Subjects::STREAM) && s.checks.look_at_payload()),
            notices,
        }
    }

    /// A table of packets that something can be decided in.
    pub(crate) fn packets(&self, table: Table) -> Option<&PacketTable> {
        let found = match table {
            Table::PreFlow => &self.pre_flow,
            Table::PreStream => &self.pre_stream,
            Table::PacketFilter => &self.filter,
            Table::AppFilter => return None,
        };
        (!found.is_idle()).then_some(found)
    }

    /// The tables of a protocol's states, in order.
    pub(crate) fn states(&self, protocol: &Protocol, direction: Direction) -> &[HookTable] {
        self.states.get(protocol.name).map_or(&[], |tables| tables[direction].as_slice())
    }

    /// The signature that an alert of a table's policy bears.
    pub(crate) fn notice(&self, table: Table) -> SignatureIndex {
        SignatureIndex(self.notices.0 + u32::from(table == Table::AppFilter))
    }
}

fn in_table(signature: &Signature, table: Table) -> bool {
    signature.head.firewall.as_ref().is_some_and(|rule| rule.table == table)
}

fn state_tables(
    signatures: &[&Signature],
    protocol: &'static Protocol,
    direction: Direction,
    policies: &Policies,
) -> Vec<HookTable> {
    let of_state = |(position, state): (usize, &&'static str)| {
        let progress = Progress(position as u8);
        let rules = signatures.iter().filter_map(|signature| {
            let hook = signature.head.state_hook()?;
            let here = hook.direction == direction && signature.head.app_protocols.contains(&protocol);
            // What a rule drops says nothing of the states before.
            let accepts =
                hook.with_earlier && signature.head.firewall.as_ref()?.ruling.action() == Action::Accept;
            let earlier = accepts && progress < hook.progress;
            (here && (earlier || progress == hook.progress))
                .then_some(HookRule { index: signature.index, earlier })
        });
        HookTable {
            state,
            policy: policies.state(protocol.name, direction, progress),
            rules: rules.collect(),
        }
    };
    protocol.states[direction].iter().enumerate().map(of_state).collect()
}
