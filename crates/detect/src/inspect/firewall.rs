//! The firewall's way through a packet: its tables, with the rules of detection between them.

use weir_applayer::{Access, Parser, Progress, Transaction};
use weir_base::{Direction, Timestamp};
use weir_rules::{Action, ActionScope};

use super::fields::{Answer, FieldView, FieldViews};
use super::subject::Subject;
use super::transaction::{mark_complete, take_due};
use super::{Inspection, Inspector, Matches, count_tags};
use crate::explain::{Conclusion, Recorder};
use crate::model::alert::{Alert, ContextRange};
use crate::model::firewall::{FirewallMatch, Policy, Ruling, Table};
use crate::model::signature::{Signature, Target};
use crate::ruleset::{Firewall, HookTable};
use crate::ruleset::{PacketClass, Ruleset};
use crate::state::FirewallTransaction;
use crate::state::WaitingRule;

/// Decisions on a packet or its flow from before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// The firewall accepted it.
    pub accepted: bool,
    /// The rules of detection let it pass.
    pub passed: bool,
    /// The flow's TCP session ended with it: the states of its direction are looked at.
    pub closing: bool,
}

/// The firewall drops a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirewallDrop {
    /// Where.
    pub table: Table,
    /// No rule matched there.
    pub by_policy: bool,
    /// All that follows of the flow is dropped too.
    pub flow: bool,
    /// Recipients of the rejection.
    pub reject: Option<Action>,
}

/// Decisions of the firewall on a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FirewallOutcome {
    /// It is dropped.
    pub drop: Option<FirewallDrop>,
    /// It goes on, whatever later tables would say.
    pub accepted: bool,
    /// So does all that follows of its flow.
    pub accept_flow: bool,
    /// The rules of detection are not to look at it, or at its flow.
    pub pass: Option<ActionScope>,
    /// Detection went its whole way.
    pub detected: bool,
    /// A policy of states accepted the flow: the rules of detection do not look at the transactions
    /// that have come so far.
    settled: bool,
}

impl FirewallOutcome {
    fn take(&mut self, ruling: Ruling, matched: FirewallMatch) {
        match ruling {
            Ruling::Accept(ActionScope::Packet) => self.accepted = true,
            Ruling::Accept(ActionScope::Flow) => (self.accepted, self.accept_flow) = (true, true),
            Ruling::Accept(ActionScope::Hook | ActionScope::Transaction) | Ruling::Open => {}
            Ruling::Drop { flow, reject } => {
                let (table, by_policy) = (matched.table, matched.by_policy);
                self.drop = Some(FirewallDrop { table, by_policy, flow, reject });
            }
        }
    }
}

/// The way of a packet through the firewall's tables.
struct Walk<'r> {
    ruleset: &'r Ruleset,
    firewall: &'r Firewall,
    outcome: FirewallOutcome,
}

/// A transaction in one of its states.
struct InState<'a> {
    transaction: &'a dyn Transaction,
    /// State that it has reached.
    progress: Progress,
    /// It has left the state that is looked at.
    left: bool,
    matched: FirewallMatch,
}

impl Inspector {
    /// Asks a table that is looked at before the packet has gone on to its flow or stream. What
    /// matched is behind what is in [`Inspection::matches`].
    pub fn inspect_early(&mut self, table: Table, inspection: Inspection<'_>) -> FirewallOutcome {
        match &mut self.explaining {
            None => self.look_early(table, inspection),
            Some(_) => {
                self.explained(|explaining| explaining.look_early(table, inspection)).unwrap_or_default()
            }
        }
    }

    /// Inspects a packet with the firewall: its table of packets, detection's rules on packets, its
    /// tables of states, detection's rules on transactions. What matched is behind what is in
    /// [`Inspection::matches`]; a drop ends the way.
    pub fn inspect_firewalled(&mut self, inspection: Inspection<'_>, standing: Standing) -> FirewallOutcome {
        match &mut self.explaining {
            None => self.look_firewalled(inspection, standing),
            Some(_) => self
                .explained(|explaining| explaining.look_firewalled(inspection, standing))
                .unwrap_or_default(),
        }
    }
}

impl<R: Recorder> Inspector<R> {
    fn look_early(&mut self, table: Table, mut inspection: Inspection<'_>) -> FirewallOutcome {
        let ruleset = self.ruleset_for(&mut inspection);
        inspection.matches.requests.clear();
        let Some(firewall) = &ruleset.firewall else { return FirewallOutcome::default() };
        let mut walk = Walk { ruleset: &ruleset, firewall, outcome: FirewallOutcome::default() };
        let from = inspection.matches.alerts.as_slice().len();
        self.packet_table(&mut walk, table, &mut inspection);
        self.finalize(&ruleset, &mut inspection, from);
        walk.outcome
    }

    fn look_firewalled(&mut self, mut inspection: Inspection<'_>, standing: Standing) -> FirewallOutcome {
        let ruleset = self.ruleset_for(&mut inspection);
        let outcome = FirewallOutcome { accepted: standing.accepted, ..FirewallOutcome::default() };
        inspection.matches.requests.clear();
        self.scan.in_transactions.clear();
        inspection.matches.packet_variables.clear();
        inspection.matches.tagged = false;
        let Some(firewall) = &ruleset.firewall else { return outcome };
        let mut walk = Walk { ruleset: &ruleset, firewall, outcome };
        let inspection = &mut inspection;
        if !walk.outcome.accepted {
            let from = inspection.matches.alerts.as_slice().len();
            self.packet_table(&mut walk, Table::PacketFilter, inspection);
            self.finalize(&ruleset, inspection, from);
            if walk.outcome.drop.is_some() {
                return walk.outcome;
            }
        }
        let mut detects = !standing.passed && walk.outcome.pass.is_none();
        let mut dropped_at = None;
        if detects {
            let from = inspection.matches.alerts.as_slice().len();
            self.inspect_ip_only(&ruleset, inspection);
            self.inspect_packet(&ruleset, inspection);
            self.finalize(&ruleset, inspection, from);
            let fresh = inspection.matches.alerts.as_slice().get(from..).unwrap_or_default();
            if fresh.iter().any(|alert| alert.action == Action::Drop || alert.action.is_reject()) {
                dropped_at = Some(inspection.matches.alerts.as_slice().len());
            }
            detects = dropped_at.is_none() && !fresh.iter().any(|alert| alert.action == Action::Pass);
        }
        if !walk.outcome.accepted {
            let from = inspection.matches.alerts.as_slice().len();
            if inspection.reach.parsed || standing.closing {
                self.state_tables(&mut walk, inspection);
            }
            self.finalize(&ruleset, inspection, from);
            if let Some(end) = dropped_at {
                // Nothing is recorded of a packet that detection dropped before.
                inspection.matches.alerts.truncate(end);
            }
            detects &= walk.outcome.pass.is_none() && walk.outcome.drop.is_none();
            if let (true, Some(parser), Some(state)) =
                (walk.outcome.settled, inspection.parser.as_deref(), inspection.state.as_deref_mut())
            {
                let due = take_due(parser, state, inspection.facts.direction, inspection.reach.ended);
                mark_complete(parser, state, due, inspection.facts.direction, inspection.reach.ended);
                detects = false;
            }
        }
        if detects {
            let from = inspection.matches.alerts.as_slice().len();
            self.inspect_transactions(&ruleset, inspection);
            self.finalize(&ruleset, inspection, from);
            walk.outcome.detected = true;
        }
        inspection.matches.tagged = count_tags(&ruleset, inspection);
        walk.outcome
    }

    /// Looks at the rules of a table on packets.
    fn packet_table(&mut self, walk: &mut Walk<'_>, table: Table, inspection: &mut Inspection<'_>) {
        let Some(rules) = walk.firewall.packets(table) else { return };
        let matched = FirewallMatch { table, state: None, by_policy: false };
        let class = PacketClass::of(inspection.facts.packet.ip_protocol());
        for &index in rules.rules(class) {
            let Some(signature) = walk.ruleset.signature(index) else { continue };
            self.checker.scratch.begin();
            self.note_begin(signature, inspection, None);
            if self.holds(signature, &Subject::Hook(None), inspection).is_some()
                && self.scripts_agree(signature, inspection, None)
                && self.decide(walk, signature, None, matched, inspection) != Ruling::Open
            {
                return;
            }
            self.note_end(Conclusion::Missed);
        }
        decide_by_policy(walk, rules.policy, None, matched, inspection.matches);
    }

    /// Looks at the states of each transaction that something came of.
    fn state_tables(&mut self, walk: &mut Walk<'_>, inspection: &mut Inspection<'_>) {
        let direction = inspection.facts.direction;
        let Some(parser) = inspection.parser.take() else { return };
        let tables = walk.firewall.states(parser.protocol(), direction);
        let eve_name = parser.protocol().eve_name;
        let Some(state) = inspection.state.as_deref_mut() else { return };
        // What was sent belongs to the first transaction that is not complete, and to those that changed behind
        // it.
        let current = first_open(parser, direction, state.open_from(direction));
        let mut due = state.take_due(direction);
        current.into_iter().for_each(|id| due.insert(id));
        for &id in due.sorted() {
            if walk.outcome.drop.is_some() || walk.outcome.accepted {
                break;
            }
            let Some(transaction) = parser.transaction(id) else { continue };
            let meta = transaction.meta();
            if meta.only.is_some_and(|only| only != direction)
                || !(current == Some(id) || has_begun(transaction, direction))
            {
                continue;
            }
            let Some(state) = inspection.state.as_deref_mut() else { break };
            // Taken out while rules may change the flow's state, put back at the end.
            let mut mine = state.transaction(meta.id).firewall.take().unwrap_or_default();
            if !mine.accepted && !mine.complete[direction] {
                let matched =
                    FirewallMatch { table: Table::AppFilter, state: Some((eve_name, "")), by_policy: false };
                let here = InState { transaction, progress: meta.progress[direction], left: false, matched };
                self.transaction_states(walk, tables, here, &mut mine, inspection);
            }
            if let Some(state) = inspection.state.as_deref_mut() {
                state.transaction(meta.id).firewall = Some(mine);
            }
        }
        if let Some(state) = inspection.state.as_deref_mut() {
            state.give_back_due(direction, due);
        }
        inspection.parser = Some(parser);
    }

    /// Looks at the states that a transaction is in or went through since it was looked at last.
    fn transaction_states(
        &mut self,
        walk: &mut Walk<'_>,
        tables: &[HookTable],
        mut here: InState<'_>,
        mine: &mut FirewallTransaction,
        inspection: &mut Inspection<'_>,
    ) {
        let direction = inspection.facts.direction;
        let reached = usize::from(mine.reached[direction].0);
        let progress = usize::from(here.progress.0);
        let states = tables.iter().enumerate().skip(reached).take(progress.saturating_sub(reached) + 1);
        for (state, table) in states {
            here.left = state < progress;
            here.matched.state = here.matched.state.map(|(protocol, _)| (protocol, table.state));
            let ruling = self.hook_table(walk, table, &here, mine, inspection);
            match ruling {
                Ruling::Accept(ActionScope::Hook) | Ruling::Open => {}
                Ruling::Accept(_) => {
                    mine.accepted = true;
                    return;
                }
                Ruling::Drop { .. } => {
                    // No other datagram brings more of what the dropped one had.
                    mine.complete[direction] = here.transaction.meta().only.is_some()
                        && inspection.facts.packet.ip_protocol() == Some(weir_packet::ip_protocol::UDP);
                    return;
                }
            }
        }
        mine.reached[direction] = here.progress;
        mine.complete[direction] = progress + 1 >= tables.len();
    }

    /// Looks at the rules on one state.
    fn hook_table(
        &mut self,
        walk: &mut Walk<'_>,
        table: &HookTable,
        here: &InState<'_>,
        mine: &mut FirewallTransaction,
        inspection: &mut Inspection<'_>,
    ) -> Ruling {
        let id = Some(here.transaction.meta().id);
        let mut before = None;
        for rule in &table.rules {
            let Some(signature) = walk.ruleset.signature(rule.index) else { continue };
            if before.is_some() && !looks_at_late_fields(signature) {
                continue;
            }
            self.checker.scratch.begin();
            if rule.earlier {
                if self.holds(signature, &Subject::Hook(id), inspection).is_some() {
                    return Ruling::Accept(ActionScope::Hook);
                }
                continue;
            }
            self.note_begin(signature, inspection, id);
            let found = self.state_rule(signature, here, mine, inspection);
            if found != Found::Now {
                self.note_end(Conclusion::Missed);
            }
            let ruling = match found {
                Found::Now => self.decide(walk, signature, id, here.matched, inspection),
                // What was not there when it matched may be for other rules.
                Found::Before if here.left => {
                    before = before.or(signature.head.firewall.as_ref().map(|rule| rule.ruling));
                    continue;
                }
                Found::Before => {
                    let ruling = signature.head.firewall.as_ref().map_or(Ruling::Open, |rule| rule.ruling);
                    walk.outcome.take(ruling, here.matched);
                    ruling
                }
                Found::Not => continue,
            };
            if ruling != Ruling::Open {
                return ruling;
            }
        }
        if let Some(ruling) = before {
            walk.outcome.take(ruling, here.matched);
            return ruling;
        }
        decide_by_policy(walk, table.policy, id, here.matched, inspection.matches)
    }

    /// Whether a rule on a state matches. One that looks at fields matches once in a transaction, and is
    /// obeyed from then on; what matched of the others' is not remembered.
    fn state_rule(
        &mut self,
        signature: &Signature,
        here: &InState<'_>,
        mine: &mut FirewallTransaction,
        inspection: &mut Inspection<'_>,
    ) -> Found {
        let id = here.transaction.meta().id;
        let begun = mine.rules.get(signature.index);
        if begun.is_some_and(|rule| rule.done) {
            return Found::Before;
        }
        if begun.is_none() && self.holds(signature, &Subject::Hook(Some(id)), inspection).is_none() {
            return Found::Not;
        }
        let mut rule = begun.unwrap_or(WaitingRule { signature: signature.index, matched: 0, done: false });
        let state = inspection.state.as_deref().and_then(|state| state.transaction_state(id));
        let direction = inspection.facts.direction;
        let bodies = state.map(|state| state.directions[direction].bodies.clone()).unwrap_or_default();
        let (transaction, progress) = (here.transaction, here.progress);
        let mine_now = FieldView { transaction, progress, bodies: &bodies, direction };
        let views = FieldViews { mine: mine_now, theirs: None };
        let answer = self.inspect_buffers(signature, views, inspection, &mut rule.matched);
        rule.done =
            answer == Answer::Holds && self.scripts_agree(signature, inspection, Some(here.transaction));
        if rule.matched != 0 {
            self.counters.waiting_full += u64::from(!mine.rules.keep(rule));
        }
        if rule.done { Found::Now } else { Found::Not }
    }

    /// A rule decides: what else it does is done, and its alert is queued.
    fn decide(
        &mut self,
        walk: &mut Walk<'_>,
        signature: &Signature,
        transaction: Option<u64>,
        matched: FirewallMatch,
        inspection: &mut Inspection<'_>,
    ) -> Ruling {
        let Some(rule) = &signature.head.firewall else { return Ruling::Open };
        self.act(signature, inspection, transaction);
        // The record of a dropped packet names the rule, be there an alert or not.
        if !signature.effects.no_alert || rule.ruling.drops() {
            let contexts = inspection.matches.alerts.keep_contexts(&mut self.checker.scratch.contexts);
            inspection.matches.alerts.push(Alert {
                contexts,
                action: rule.ruling.action(),
                state_match: transaction.is_some(),
                firewall: Some(matched),
                ..Alert::new(signature, transaction)
            });
        }
        walk.outcome.take(rule.ruling, matched);
        walk.outcome.pass = walk.outcome.pass.or(rule.pass);
        rule.ruling
    }
}

/// No rule matched.
fn decide_by_policy(
    walk: &mut Walk<'_>,
    policy: Policy,
    transaction: Option<u64>,
    matched: FirewallMatch,
    matches: &mut Matches,
) -> Ruling {
    let matched = FirewallMatch { by_policy: true, ..matched };
    if policy.alert {
        matches.alerts.push(Alert {
            signature: walk.firewall.notice(matched.table),
            action: policy.ruling.action(),
            scope: None,
            transaction,
            frame: None,
            stream_match: false,
            state_match: transaction.is_some(),
            silent: false,
            rate_filtered: false,
            contexts: ContextRange::default(),
            firewall: Some(matched),
        });
    }
    walk.outcome.take(policy.ruling, matched);
    walk.outcome.settled = transaction.is_some() && walk.outcome.accept_flow;
    policy.ruling
}

/// Whether a rule on a state matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// It does.
    Now,
    /// It did.
    Before,
    /// It does not.
    Not,
}

/// Whether a rule looks at a field that may come while the transaction is in one state.
fn looks_at_late_fields(signature: &Signature) -> bool {
    signature.checks.buffers.iter().any(|buffer| match &buffer.target {
        Target::Transaction(rows) => rows.iter().any(|row| matches!(row.field.access, Access::Late(_))),
        _ => false,
    })
}

/// The first transaction that is not complete in a direction; none before `from` is open, which becomes its id.
fn first_open(parser: &dyn Parser, direction: Direction, from: &mut u64) -> Option<u64> {
    let complete = parser.protocol().complete(direction);
    while let Some(transaction) = parser.next_from(*from) {
        let meta = transaction.meta();
        *from = meta.id;
        if meta.only.is_none_or(|only| only == direction) && meta.progress[direction] < complete {
            return Some(meta.id);
        }
        *from += 1;
    }
    None
}

/// Whether anything of a transaction was sent in a direction.
fn has_begun(transaction: &dyn Transaction, direction: Direction) -> bool {
    let meta = transaction.meta();
    meta.progress[direction] > Progress::default() || meta.first_seen[direction] != Timestamp::default()
}
