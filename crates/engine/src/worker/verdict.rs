//! Verdict on a packet: passed on, dropped, or refused, and why.

use weir_detect::Alert;
use weir_detect::inspect::Standing;
use weir_detect::signature::{Kind, Signature};
use weir_flow::FlowFlags;
use weir_output::{RejectTarget, Verdict, VerdictAction};
use weir_rules::{Action, ActionScope};

weir_base::counters! {
    /// Verdicts, by the names of an inline engine.
    pub struct VerdictCounters {
        /// Packets passed on.
        accepted => "ips.accepted",
        /// Packets dropped.
        blocked => "ips.blocked",
        /// Packets refused with a message.
        rejected => "ips.rejected",
        /// Packets passed on with other payload.
        replaced => "ips.replaced",
        /// Dropped because the packet could not be decoded.
        decode_error => "ips.drop_reason.decode_error",
        /// Dropped because its fragments could not be put together.
        defrag_error => "ips.drop_reason.defrag_error",
        /// Dropped by an exception policy for fragments.
        defrag_memcap => "ips.drop_reason.defrag_memcap",
        /// Dropped by an exception policy for flows.
        flow_memcap => "ips.drop_reason.flow_memcap",
        /// Dropped because the flow is dropped.
        flow_drop => "ips.drop_reason.flow_drop",
        /// Dropped by an exception policy for a parser's error.
        applayer_error => "ips.drop_reason.applayer_error",
        /// Dropped because a parser had no memory.
        applayer_memcap => "ips.drop_reason.applayer_memcap",
        /// Dropped because an exception policy dropped the flow.
        policy_flow_drop => "ips.drop_reason.exception_policy_flow_drop",
        /// Dropped by a rule.
        rules => "ips.drop_reason.rules",
        /// Dropped by a rule's threshold.
        threshold => "ips.drop_reason.threshold_detection_filter",
        /// Dropped because it does not fit its stream.
        stream_error => "ips.drop_reason.stream_error",
        /// Dropped by an exception policy for sessions.
        stream_memcap => "ips.drop_reason.stream_memcap",
        /// Dropped by an exception policy for sessions met in their middle.
        stream_midstream => "ips.drop_reason.stream_midstream",
        /// Dropped for its urgent data.
        stream_urgent => "ips.drop_reason.stream_urgent",
        /// Dropped because its segment could not be kept.
        stream_reassembly => "ips.drop_reason.stream_reassembly",
        /// Dropped because the queue of the firewall it came from failed.
        nfq_error => "ips.drop_reason.nfq_error",
        /// Dropped because a packet that it carries is dropped.
        tunnel_packet_drop => "ips.drop_reason.tunnel_packet_drop",
    }
}

weir_base::counters! {
    /// Counters of the firewall's verdicts. Packets that it accepted go on to those of detection.
    pub struct FirewallCounters {
        /// Packets accepted.
        accepted => "firewall.accepted",
        /// Packets dropped.
        blocked => "firewall.blocked",
        /// Packets refused with a message.
        rejected => "firewall.rejected",
        /// Dropped by a rule.
        rules => "firewall.drop_reason.rules",
        /// Dropped because no rule on packets matched.
        packet_policy => "firewall.drop_reason.default_packet_policy",
        /// Dropped because no rule on a transaction's state matched.
        app_policy => "firewall.drop_reason.default_app_policy",
        /// Dropped before its flow was looked up.
        pre_flow => "firewall.drop_reason.pre_flow_hook",
        /// Dropped before its stream saw it.
        pre_stream => "firewall.drop_reason.pre_stream_hook",
        /// Dropped because the flow is dropped.
        flow_drop => "firewall.drop_reason.flow_drop",
        /// Alerts of its rules that did not fit into a packet's queue.
        discarded_alerts => "firewall.discarded_alerts",
    }
}

/// Reasons that a packet is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// A rule.
    Rules,
    /// A rule whose rate asks for it.
    Threshold,
    /// The flow is dropped.
    FlowDrop,
    /// An exception policy dropped the flow.
    PolicyFlowDrop,
    /// It does not fit its stream.
    StreamError,
    /// An exception policy for fragments.
    DefragMemcap,
    /// Its urgent data.
    StreamUrgent,
    /// Its segment could not be kept.
    StreamReassembly,
    /// An exception policy for sessions without memory.
    StreamMemcap,
    /// An exception policy for sessions met in their middle.
    Midstream,
    /// An exception policy for flows.
    FlowMemcap,
    /// A packet that it carries is dropped.
    Tunnel,
    /// An exception policy for a parser's error.
    ParserError,
    /// A rule of the firewall.
    FirewallRules,
    /// No rule of the firewall on packets matched.
    FirewallPacketPolicy,
    /// No rule of the firewall on a transaction's state matched.
    FirewallAppPolicy,
    /// The firewall, before the flow.
    FirewallPreFlow,
    /// The firewall, before the stream.
    FirewallPreStream,
    /// The firewall dropped the flow.
    FirewallFlowDrop,
}

impl DropReason {
    /// The words of drop records.
    pub const fn name(self) -> &'static str {
        match self {
            DropReason::Rules => "rules",
            DropReason::Threshold => "threshold detection_filter",
            DropReason::FlowDrop => "flow drop",
            DropReason::PolicyFlowDrop => "exception policy flow drop",
            DropReason::StreamError => "stream error",
            DropReason::DefragMemcap => "defrag memcap",
            DropReason::StreamUrgent => "stream urgent",
            DropReason::StreamReassembly => "stream reassembly",
            DropReason::StreamMemcap => "stream memcap",
            DropReason::Midstream => "stream midstream",
            DropReason::FlowMemcap => "flow memcap",
            DropReason::Tunnel => "tunnel packet drop",
            DropReason::ParserError => "applayer error",
            DropReason::FirewallRules => "firewall rules",
            DropReason::FirewallPacketPolicy => "firewall default packet policy",
            DropReason::FirewallAppPolicy => "firewall default app policy",
            DropReason::FirewallPreFlow => "firewall pre_flow hook",
            DropReason::FirewallPreStream => "firewall pre_stream hook",
            DropReason::FirewallFlowDrop => "firewall flow drop",
        }
    }

    /// Counts the reason, among those of the firewall if it is one; whether it is.
    fn count(self, counters: &mut VerdictCounters, firewall: &mut FirewallCounters) -> bool {
        let counter = match self {
            DropReason::Rules => &mut counters.rules,
            DropReason::Threshold => &mut counters.threshold,
            DropReason::FlowDrop => &mut counters.flow_drop,
            DropReason::PolicyFlowDrop => &mut counters.policy_flow_drop,
            DropReason::StreamError => &mut counters.stream_error,
            DropReason::DefragMemcap => &mut counters.defrag_memcap,
            DropReason::StreamUrgent => &mut counters.stream_urgent,
            DropReason::StreamReassembly => &mut counters.stream_reassembly,
            DropReason::StreamMemcap => &mut counters.stream_memcap,
            DropReason::Midstream => &mut counters.stream_midstream,
            DropReason::FlowMemcap => &mut counters.flow_memcap,
            DropReason::Tunnel => &mut counters.tunnel_packet_drop,
            DropReason::ParserError => &mut counters.applayer_error,
            DropReason::FirewallRules => &mut firewall.rules,
            DropReason::FirewallPacketPolicy => &mut firewall.packet_policy,
            DropReason::FirewallAppPolicy => &mut firewall.app_policy,
            DropReason::FirewallPreFlow => &mut firewall.pre_flow,
            DropReason::FirewallPreStream => &mut firewall.pre_stream,
            DropReason::FirewallFlowDrop => &mut firewall.flow_drop,
        };
        *counter += 1;
        self.is_firewall()
    }

    const fn is_firewall(self) -> bool {
        matches!(
            self,
            DropReason::FirewallRules
                | DropReason::FirewallPacketPolicy
                | DropReason::FirewallAppPolicy
                | DropReason::FirewallPreFlow
                | DropReason::FirewallPreStream
                | DropReason::FirewallFlowDrop
        )
    }
}

impl From<weir_stream::DropReason> for DropReason {
    fn from(reason: weir_stream::DropReason) -> Self {
        match reason {
            weir_stream::DropReason::StreamError => DropReason::StreamError,
            weir_stream::DropReason::StreamUrgent => DropReason::StreamUrgent,
            weir_stream::DropReason::StreamReassembly => DropReason::StreamReassembly,
        }
    }
}

/// Counts of the verdicts on all packets.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// Counters of verdicts.
    pub counters: VerdictCounters,
    /// Counters of the firewall.
    pub firewall: FirewallCounters,
}

impl Verdicts {
    /// Counts the verdict on a packet that is done with, and adds it to what the packets of its frame mean for the
    /// one that carries them.
    pub fn count(&mut self, verdict: &PacketVerdict, carried: &mut CarriedVerdict) {
        match verdict.drop {
            Some(reason) => {
                let by_firewall = reason.count(&mut self.counters, &mut self.firewall);
                let (blocked, rejected) = match by_firewall {
                    true => (&mut self.firewall.blocked, &mut self.firewall.rejected),
                    false => (&mut self.counters.blocked, &mut self.counters.rejected),
                };
                *(if verdict.reject.is_some() { rejected } else { blocked }) += 1;
                self.firewall.accepted += u64::from(!by_firewall);
                carried.add(CarriedVerdict { dropped: true, reject: verdict.reject });
            }
            None => {
                self.firewall.accepted += 1;
                let counters = &mut self.counters;
                *(if verdict.replaced { &mut counters.replaced } else { &mut counters.accepted }) += 1;
            }
        }
    }
}

/// Verdict on a packet from the packets inside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CarriedVerdict {
    dropped: bool,
    reject: Option<RejectTarget>,
}

impl CarriedVerdict {
    /// That of a packet that is held back, of which nobody is told.
    pub const DROPPED: Self = Self { dropped: true, reject: None };

    /// Whether a packet inside is held back.
    pub const fn is_dropped(&self) -> bool {
        self.dropped
    }

    /// Adds what packets mean that come later.
    pub fn add(&mut self, later: Self) {
        self.dropped |= later.dropped;
        self.reject = self.reject.or(later.reject);
    }
}

/// The verdict on a packet, as far as it is decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketVerdict {
    /// The firewall accepted the packet, whatever later tables say.
    accepted: bool,
    drop: Option<DropReason>,
    reject: Option<RejectTarget>,
    pass: bool,
    /// Rules are not to look at the packet.
    left_alone: bool,
    /// Its payload was made to agree with the stream.
    replaced: bool,
}

impl PacketVerdict {
    /// The verdict on a packet before anything looked at it: with one that it carries it is dropped as well, once.
    pub fn on_carrier(carried: &CarriedVerdict) -> Self {
        match carried.dropped {
            true => Self { drop: Some(DropReason::Tunnel), reject: carried.reject, ..Self::default() },
            false => Self::default(),
        }
    }

    /// The packet's payload was replaced.
    pub fn replaced(&mut self) {
        self.replaced = true;
    }

    /// The packet is to be dropped; the first reason counts.
    pub fn drop(&mut self, reason: DropReason) {
        self.drop.get_or_insert(reason);
    }

    /// The firewall accepts the packet, whatever later tables say.
    pub fn accept_early(&mut self) {
        self.accepted = true;
    }

    /// Returns the verdict on the packet before its rules are looked at; `flags` are its flow's.
    pub fn standing(&self, flags: FlowFlags) -> Standing {
        Standing {
            accepted: self.accepted || flags.contains(FlowFlags::ACTION_ACCEPT),
            passed: flags.contains(FlowFlags::ACTION_PASS),
            closing: false,
        }
    }

    /// Rules are not to look at the packet.
    pub fn leave_alone(&mut self) {
        self.left_alone = true;
    }

    /// Whether rules are to look at the packet.
    pub fn inspected(&self) -> bool {
        self.drop.is_none() && !self.left_alone
    }

    /// A rule lets the packet pass.
    pub fn pass(&mut self) {
        self.pass = true;
    }

    /// The sender, the receiver or both are notified that the packet is refused.
    pub fn reject(&mut self, action: Action) {
        self.reject = match action {
            Action::Reject | Action::RejectSrc => Some(RejectTarget::Client),
            Action::RejectDst => Some(RejectTarget::Server),
            Action::RejectBoth => Some(RejectTarget::Both),
            _ => self.reject,
        };
    }

    /// Returns who is told that the packet is refused; not with one that is only dropped for what it carries.
    pub fn refused(&self) -> Option<RejectTarget> {
        self.reject.filter(|_| self.drop != Some(DropReason::Tunnel))
    }

    /// Returns the reason that the packet is dropped, if it is.
    pub fn dropped(&self) -> Option<DropReason> {
        self.drop
    }

    /// Returns the verdict for records; `otherwise` is the word where nothing was decided.
    pub fn shown(&self, otherwise: VerdictAction) -> Verdict {
        let action = match (self.drop, self.pass) {
            (Some(_), _) => VerdictAction::Drop,
            (None, true) => VerdictAction::Pass,
            (None, false) => otherwise,
        };
        Verdict { action, reject: self.reject }
    }
}

/// Whether a rule's action concerns the whole flow rather than the packet it matched in: as the rule
/// says, or as where it matched suggests.
pub fn concerns_flow(signature: &Signature, alert: &Alert) -> bool {
    match alert.scope {
        Some(ActionScope::Flow) => return true,
        Some(ActionScope::Packet) => return false,
        Some(ActionScope::Hook | ActionScope::Transaction) | None => {}
    }
    alert.state_match
        || alert.stream_match
        || matches!(
            signature.kind,
            Kind::IpOnly | Kind::LikeIpOnly | Kind::ProtocolOnly | Kind::Application | Kind::Transaction
        )
}
