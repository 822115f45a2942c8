//! One evaluation for all subjects that rules are looked at in: a flow's addresses, a packet, a further window of
//! the stream, a transaction, a frame, a hook of the firewall. What differs between them is said here alone.

use weir_applayer::{FrameId, Transaction};
use weir_base::cycles;
use weir_base::profile::{Aspect, Stage, enter_part};

use super::frame::FrameWindow;
use super::measure::RuleClock;
use super::script::Scene;
use super::transaction::TransactionSide;
use super::{Inspection, Inspector};
use crate::explain::{Conclusion, Recorder};
use crate::model::alert::Alert;
use crate::model::post::PostView;
use crate::model::signature::{Kind, Signature};
use crate::ruleset::Ruleset;
use crate::state::NameId;
use crate::state::names::NameKind;

/// A subject that rules are looked at in.
pub(super) enum Subject<'s> {
    /// A flow in one direction: addresses alone decide.
    Addresses,
    /// A packet, with what of the stream is ready.
    Packet,
    /// A further window of the stream, of which the packet was looked at before.
    Stream,
    /// A direction of a transaction, which a rule can wait in.
    Transaction(TransactionSide<'s>),
    /// A frame, as far as it is new.
    Frame(FrameWindow<'s>),
    /// A packet in a table of the firewall, in a transaction where its table is of states.
    Hook(Option<u64>),
}

/// Outcome of a rule in its subject.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It does not hold.
    Missed,
    /// It may still hold.
    Waits,
    /// It holds, in the stream or elsewhere.
    Match { in_stream: bool },
}

impl Subject<'_> {
    /// The transaction that rules are looked at in.
    fn transaction(&self) -> Option<u64> {
        match self {
            Self::Addresses | Self::Packet | Self::Stream => None,
            Self::Transaction(side) => Some(side.transaction.meta().id),
            Self::Frame(shown) => shown.frame.transaction,
            Self::Hook(transaction) => *transaction,
        }
    }

    fn frame(&self) -> Option<FrameId> {
        match self {
            Self::Frame(shown) => Some(shown.frame.id),
            _ => None,
        }
    }

    /// Whether a rule that is a candidate is looked at here.
    fn is_for(&self, signature: &Signature) -> bool {
        match self {
            Self::Stream => signature.kind != Kind::Transaction && signature.checks.look_at_payload(),
            _ => true,
        }
    }
}

impl<R: Recorder> Inspector<R> {
    /// Looks at all candidates in their order.
    pub(super) fn look_at_candidates(
        &mut self,
        ruleset: &Ruleset,
        mut subject: Subject<'_>,
        inspection: &mut Inspection<'_>,
    ) {
        self.scan.candidates.sort_unstable();
        self.scan.candidates.dedup();
        let candidates = std::mem::take(&mut self.scan.candidates);
        match &subject {
            Subject::Packet => self.explain_left_out(ruleset, inspection, &candidates),
            Subject::Transaction(side) => {
                self.explain_left_out_of_transaction(ruleset, side, inspection, &candidates);
            }
            _ => {}
        }
        let is_measured = self.measures(Aspect::Rules);
        let _layer = enter_part(Stage::Detect, "rules");
        for &index in &candidates {
            let Some(signature) = ruleset.signature(index).filter(|signature| subject.is_for(signature))
            else {
                continue;
            };
            // What a literal in the payload narrows is looked at with each transaction.
            if signature.kind == Kind::Transaction && matches!(subject, Subject::Packet) {
                self.scan.in_transactions.push(index);
                continue;
            }
            self.checker.scratch.begin();
            let clock = is_measured.then(|| RuleClock::start(&self.checker.scratch));
            let found = self.evaluate(signature, &mut subject, inspection);
            match found {
                Found::Match { in_stream } => self.matched(signature, inspection, &subject, in_stream),
                Found::Waits => self.note_end(Conclusion::Waits),
                Found::Missed => self.note_end(Conclusion::Missed),
            }
            if let Some(clock) = clock {
                // Read here: what notes it is seldom in the processor's cache.
                self.checker.note_rule(index, clock, cycles::now(), found);
            }
        }
        self.scan.candidates = candidates;
    }

    /// Evaluates a rule.
    fn evaluate(
        &mut self,
        signature: &Signature,
        subject: &mut Subject<'_>,
        inspection: &mut Inspection<'_>,
    ) -> Found {
        if matches!(subject, Subject::Transaction(_)) {
            return self.evaluate_in_transaction(signature, subject, inspection);
        }
        self.note_begin(signature, inspection, subject.transaction());
        match self.holds(signature, subject, inspection) {
            Some(in_stream) if self.scripts_agree(signature, inspection, None) => Found::Match { in_stream },
            _ => Found::Missed,
        }
    }

    /// Whether a rule's head and checks hold, but for fields of transactions and for scripts that are asked last;
    /// and whether they do in the stream.
    pub(super) fn holds(
        &mut self,
        signature: &Signature,
        subject: &Subject<'_>,
        inspection: &mut Inspection<'_>,
    ) -> Option<bool> {
        // Of a packet that the engine made itself no header is looked at, but by the firewall.
        let is_made = inspection.facts.packet.is_pseudo() && matches!(subject, Subject::Packet);
        if signature.checks.wire_only && is_made
            || !signature.head.admits(&inspection.facts)
            || !self.packet_checks_hold(signature, inspection, subject.transaction())
        {
            return None;
        }
        let held = match subject {
            Subject::Addresses => return Some(false),
            Subject::Transaction(_) if signature.head.is_transactional() => return Some(false),
            Subject::Frame(shown) => return self.frame_holds(signature, shown, inspection).then_some(false),
            Subject::Stream => self.stream_holds(signature, inspection).then_some(true),
            Subject::Packet | Subject::Transaction(_) | Subject::Hook(_) => {
                if !self.packet_buffers_hold(signature, inspection) {
                    return None;
                }
                self.payload_holds(signature, inspection)
            }
        };
        if held.is_none() && matches!(subject, Subject::Packet | Subject::Stream) {
            self.let_wait(signature, inspection);
        }
        held
    }

    /// Whether the rule's checks on the packet and the flow hold. A rule that looks at what workers share
    /// waits for its turn first.
    pub(super) fn packet_checks_hold(
        &mut self,
        signature: &Signature,
        inspection: &Inspection<'_>,
        transaction: Option<u64>,
    ) -> bool {
        if signature.shares {
            self.turn.wait();
        }
        if signature.checks.packet.is_empty() {
            return true;
        }
        let view = inspection.view(transaction);
        let hold = || signature.checks.packet.iter().all(|check| check.matches(&view));
        match self.measures(Aspect::Keywords) {
            false => hold(),
            true => self.checker.time_packet_checks(hold),
        }
    }

    /// Whether the rule's scripts agree that are asked once all else holds.
    #[inline]
    pub(super) fn scripts_agree(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        transaction: Option<&dyn Transaction>,
    ) -> bool {
        signature.checks.scripts.is_empty() || {
            let mut scene = Scene { signature, inspection, transaction };
            self.checker.scripts.hold_last(&mut scene, &self.checker.scratch.variables, &mut self.counters)
        }
    }

    /// Gives the variables of the flow what the rule's expressions captured for them.
    fn keep_captures(&mut self, inspection: &mut Inspection<'_>) {
        let names = &self.ruleset.names;
        for (variable, value) in self.checker.scratch.captured.drain(..) {
            let name = NameId(variable);
            let room = match (names.kind(name), inspection.state.as_deref_mut()) {
                (Some(NameKind::FlowVariable), Some(state)) => state.set_variable(name, value),
                (Some(NameKind::PacketVariable), _) => {
                    crate::state::set(&mut inspection.matches.packet_variables, name, value)
                }
                _ => true,
            };
            self.counters.state_full += u64::from(!room);
        }
    }

    /// Queues the alert of a rule that matched, after its other effects.
    fn matched(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        subject: &Subject<'_>,
        in_stream: bool,
    ) {
        let transaction = subject.transaction();
        self.act(signature, inspection, transaction);
        let contexts = inspection.matches.alerts.keep_contexts(&mut self.checker.scratch.contexts);
        inspection.matches.alerts.push(Alert {
            contexts,
            frame: subject.frame(),
            stream_match: in_stream,
            state_match: matches!(subject, Subject::Transaction(_) | Subject::Frame(_)),
            ..Alert::new(signature, transaction)
        });
    }

    /// Does what a rule that matched does besides raising its alert.
    pub(super) fn act(
        &mut self,
        signature: &Signature,
        inspection: &mut Inspection<'_>,
        transaction: Option<u64>,
    ) {
        self.keep_captures(inspection);
        inspection.matches.replaced.append(&mut self.checker.scratch.replaced);
        let mut post = PostView {
            facts: &inspection.facts,
            transaction,
            state: inspection.state.as_deref_mut(),
            requests: &mut inspection.matches.requests,
            no_room: &mut self.counters.state_full,
        };
        for action in &signature.effects.post {
            action.apply(&mut post);
        }
        self.note_end(match signature.effects.no_alert {
            false => Conclusion::Fired,
            true => Conclusion::HeldBack("the rule raises no alert".to_owned()),
        });
    }
}
