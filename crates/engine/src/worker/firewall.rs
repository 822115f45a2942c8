//! The firewall's part in a packet's way: its tables before the flow and before the stream, and what
//! its decisions mean for the packet and its flow.

use weir_base::Direction;
use weir_detect::Inspection;
use weir_detect::firewall::Table;
use weir_detect::inspect::{FirewallDrop, FirewallOutcome};
use weir_detect::post::PostRequest;
use weir_flow::{Flow, FlowFlags};
use weir_packet::Packet;
use weir_rules::ActionScope;

use super::findings::Findings;
use super::verdict::DropReason;
use super::{PacketContext, Rest};
use crate::session::Session;

/// Firewall's decision on a packet before its flow is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BeforeFlow {
    /// It goes on.
    Goes,
    /// It goes on, but is not to be part of a flow.
    Untracked,
    /// It is dropped.
    Dropped,
}

impl Rest {
    /// Asks the firewall's table before flows.
    pub(crate) fn before_flow(&mut self, packet: &Packet<'_>, found: &mut Findings) -> BeforeFlow {
        let inspection = Inspection::bare(packet, Direction::ToServer, &mut found.matches);
        let outcome = self.inspector.inspect_early(Table::PreFlow, inspection);
        let untracked = found.matches.requests.contains(&PostRequest::LeaveUntracked);
        self.obey_firewall(&outcome, None, found);
        match (outcome.drop, untracked) {
            (Some(_), _) => BeforeFlow::Dropped,
            (None, true) => BeforeFlow::Untracked,
            (None, false) => BeforeFlow::Goes,
        }
    }

    /// Asks the firewall's table before streams; whether the packet is dropped.
    pub(crate) fn before_stream(
        &mut self,
        flow: &mut Flow<Session>,
        context: &PacketContext<'_>,
        found: &mut Findings,
    ) -> bool {
        if found.verdict.standing(flow.core.flags).accepted {
            return false;
        }
        let mut inspection = Inspection::bare(context.packet, context.direction, &mut found.matches);
        (inspection.facts.flow, inspection.facts.established) = (Some(&flow.core), context.established);
        inspection.state = Some(&mut flow.session.detect);
        let outcome = self.inspector.inspect_early(Table::PreStream, inspection);
        self.obey_firewall(&outcome, Some(flow), found);
        self.apply_actions(Some(flow), found);
        if outcome.drop.is_some() {
            self.record_flow_packet(flow, context, found);
        }
        outcome.drop.is_some()
    }

    /// Does what the firewall decided.
    pub(crate) fn obey_firewall(
        &mut self,
        outcome: &FirewallOutcome,
        flow: Option<&mut Flow<Session>>,
        found: &mut Findings,
    ) {
        self.verdicts.firewall.discarded_alerts +=
            std::mem::take(&mut found.matches.alerts.firewall_discarded);
        if outcome.accepted {
            found.verdict.accept_early();
        }
        if let Some(drop) = &outcome.drop {
            found.verdict.drop(reason(drop));
            if let Some(action) = drop.reject {
                found.verdict.reject(action);
            }
        }
        let Some(flow) = flow else { return };
        if outcome.drop.is_some_and(|drop| drop.flow) {
            flow.core.flags.insert(FlowFlags::ACTION_DROP | FlowFlags::FIREWALL_DROP);
        } else if outcome.accept_flow {
            flow.core.flags.insert(FlowFlags::ACTION_ACCEPT);
        }
        if outcome.pass == Some(ActionScope::Flow) {
            flow.core.flags.insert(FlowFlags::ACTION_PASS);
        }
    }
}

fn reason(drop: &FirewallDrop) -> DropReason {
    match (drop.table, drop.by_policy) {
        (Table::PreFlow, _) => DropReason::FirewallPreFlow,
        (Table::PreStream, _) => DropReason::FirewallPreStream,
        (_, false) => DropReason::FirewallRules,
        (Table::PacketFilter, true) => DropReason::FirewallPacketPolicy,
        (Table::AppFilter, true) => DropReason::FirewallAppPolicy,
    }
}
