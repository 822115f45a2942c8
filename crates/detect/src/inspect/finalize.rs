//! The end of a packet's inspection: alerts in order, thresholds and suppression applied.

use weir_applayer::Parser;
use weir_base::{Direction, Duration, PerDirection, Timestamp};
use weir_rules::Action;
use weir_rules::side::{NewAction, SuppressTrack, Track};

use super::{Inspection, Inspector};
use crate::explain::Recorder;
use crate::model::alert::Alert;
use crate::model::signature::Signature;
use crate::ruleset::{Ruleset, Suppression};
use crate::state::threshold::{Occurrence, Purpose, Threshold, TrackKey, Tracker, Verdict};
use crate::state::{NameId, RuleId};

impl<R: Recorder> Inspector<R> {
    /// Orders the matches after the first `from`, applies rates and suppression, and ends at the first
    /// rule that lets pass. What exceeds the number of alerts of a packet keeps its action only.
    pub(super) fn finalize(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>, from: usize) {
        self.count_limits();
        self.keep_entropies(inspection);
        if inspection.matches.alerts.as_slice().len() <= from {
            return;
        }
        inspection.matches.alerts.sort_from(from);
        let heard = |alerts: &[Alert]| alerts.iter().filter(|a| !a.silent).count();
        let before = heard(inspection.matches.alerts.as_slice().get(..from).unwrap_or_default());
        let mut told = before;
        let mut kept = from;
        for position in from..inspection.matches.alerts.as_slice().len() {
            let Some(&alert) = inspection.matches.alerts.as_slice().get(position) else { break };
            let Some(signature) = ruleset.signature(alert.signature) else { continue };
            let Some(mut alert) = self.rated(ruleset, signature, alert, inspection) else {
                inspection.matches.alerts.suppressed += 1;
                self.checker.recorder.note(|recording| {
                    recording.held_back(alert.signature, "by the rule's threshold, or a suppression");
                });
                continue;
            };
            if !alert.silent && told >= self.settings.max_alerts {
                alert.silent = true;
                inspection.matches.alerts.discard(&alert);
            }
            told += usize::from(!alert.silent);
            if alert.silent {
                self.checker.recorder.note(|recording| {
                    recording
                        .held_back(alert.signature, "by a suppression, a rate or a full queue of alerts");
                });
            }
            if let Some(slot) = inspection.matches.alerts.as_mut_slice().get_mut(kept) {
                *slot = alert;
            }
            kept += 1;
            if alert.action == Action::Pass {
                let rest = inspection.matches.alerts.as_slice().get(position + 1..).unwrap_or_default();
                self.checker.recorder.note(|recording| {
                    for later in rest {
                        recording.held_back(later.signature, "by a rule that lets the packet pass");
                    }
                });
                break;
            }
        }
        inspection.matches.alerts.truncate(kept);
        self.counters.alerts += (told - before) as u64;
        self.counters.overflow += std::mem::take(&mut inspection.matches.alerts.discarded);
        self.counters.suppressed += std::mem::take(&mut inspection.matches.alerts.suppressed);
    }

    /// Gives the flow the entropies that were calculated, whether or not their rules matched.
    fn keep_entropies(&mut self, inspection: &mut Inspection<'_>) {
        for (name, value) in self.checker.scratch.entropies.drain(..) {
            let room =
                inspection.state.as_deref_mut().is_none_or(|state| state.set_entropy(NameId(name), value));
            self.counters.state_full += u64::from(!room);
        }
    }

    /// Counts where inspection came upon a limit.
    fn count_limits(&mut self) {
        let (counters, buffers) = (&mut self.counters, &mut self.checker.scratch);
        counters.datasets_full += std::mem::take(&mut buffers.datasets_full);
        counters.out_of_steps += std::mem::take(&mut buffers.out_of_steps);
        counters.unanswered += std::mem::take(&mut buffers.unanswered);
    }

    /// The alert after thresholds and suppression; none where nothing is left of it.
    fn rated(
        &mut self,
        ruleset: &Ruleset,
        signature: &Signature,
        mut alert: Alert,
        inspection: &mut Inspection<'_>,
    ) -> Option<Alert> {
        let control = ruleset.rate(alert.signature);
        if let Some(control) = control
            && control.suppress.iter().any(|s| suppresses(s, inspection))
        {
            // The action stays, the alert does not.
            alert.silent = true;
            return (alert.action != Action::Alert).then_some(alert);
        }
        if let Some(filter) = control.and_then(|c| c.rate_filter)
            && let Some(rule) = rule_id(ruleset, alert)
        {
            let now = inspection.facts.packet.time;
            let span = filter.span + filter.timeout;
            let wanted = (rule, Purpose::RateFilter);
            let decided = |tracker: &Tracker, latest: Timestamp| tracker.is_reached(latest).then_some(true);
            let asked = Asked { wanted, track: filter.track, span };
            let reached = self.with_tracker(ruleset, asked, inspection, decided, |tracker, _| {
                tracker.rate_reached(&filter, now)
            });
            if reached == Some(true) {
                alert.action = new_action(filter.action, alert.action);
                // What lets pass says nothing of it.
                alert.silent |= alert.action == Action::Pass;
                alert.rate_filtered = true;
            }
        }
        // The rule's own detection filter counts before a rate of the configuration replaces it.
        let threshold = control.and_then(|c| c.threshold).or(signature.effects.threshold);
        match threshold.map_or(Verdict::Alert, |t| self.count(ruleset, &t, alert, inspection)) {
            Verdict::Alert => Some(alert),
            Verdict::Silent => {
                alert.silent = true;
                (alert.action != Action::Alert).then_some(alert)
            }
            Verdict::Nothing => None,
        }
    }

    fn count(
        &mut self,
        ruleset: &Ruleset,
        threshold: &Threshold,
        alert: Alert,
        inspection: &mut Inspection<'_>,
    ) -> Verdict {
        let now = inspection.facts.packet.time;
        let Some(rule) = rule_id(ruleset, alert) else { return Verdict::Alert };
        let asked =
            Asked { wanted: (rule, Purpose::Threshold), track: threshold.track, span: threshold.span };
        let decided = |tracker: &Tracker, latest| Some((tracker.decided(threshold, latest)?, false));
        let value = threshold.unique_on.and_then(|unique_on| unique_on.value(inspection.facts.packet));
        let counted = self.with_tracker(ruleset, asked, inspection, decided, |tracker, room| {
            let verdict = tracker.count(threshold, Occurrence { now, value, room });
            let lost = !room && verdict == Verdict::Nothing && value.is_some_and(|value| !tracker.has(value));
            (verdict, lost)
        });
        let (verdict, lost) = counted.unwrap_or((Verdict::Alert, false));
        self.counters.values_full += u64::from(lost);
        verdict
    }

    /// Returns what `then` makes of the count of a rule: of the flow where the flow is tracked, else of the table
    /// that all workers share. None where there is nothing to track.
    ///
    /// Takes a verdict that is `decided` by matches of packets before without waiting for others that come before this
    /// one, since these change nothing.
    fn with_tracker<T>(
        &mut self,
        ruleset: &Ruleset,
        Asked { wanted, track, span }: Asked,
        inspection: &mut Inspection<'_>,
        decided: impl Fn(&Tracker, Timestamp) -> Option<T>,
        then: impl FnOnce(&mut Tracker, bool) -> T,
    ) -> Option<T> {
        if track == Track::Flow {
            let trackers = inspection.state.as_deref_mut()?.thresholds_mut();
            let found = trackers.binary_search_by_key(&wanted, |(key, _)| *key);
            let position = found.unwrap_or_else(|place| {
                trackers.insert(place, (wanted, Tracker::default()));
                place
            });
            return trackers.get_mut(position).map(|(_, tracker)| then(tracker, true));
        }
        let key = key(track, inspection)?;
        if track != Track::Both {
            if let Some(latest) = self.turn.clock()
                && let Some(found) =
                    ruleset.thresholds.decided(wanted, key, |tracker| decided(tracker, latest))
            {
                return Some(found);
            }
            self.turn.wait();
        }
        let now = inspection.facts.packet.time;
        let counted = ruleset.thresholds.with_tracker(wanted, key, now, span, decided, then);
        self.counters.threshold_full += u64::from(counted.is_err());
        Some(counted.unwrap_or_else(|answer| answer))
    }
}

/// The count that is asked for: whose and for what, by what it tracks, and how long it lives.
#[derive(Clone, Copy)]
struct Asked {
    wanted: (RuleId, Purpose),
    track: Track,
    span: Duration,
}

/// Returns the number of an alert's rule.
fn rule_id(ruleset: &Ruleset, alert: Alert) -> Option<RuleId> {
    let info = &ruleset.signature(alert.signature)?.info;
    Some(RuleId { gid: info.gid, sid: info.sid })
}

/// Returns the key that a packet's matches are counted by.
fn key(track: Track, inspection: &Inspection<'_>) -> Option<TrackKey> {
    TrackKey::of(track, inspection.facts.packet.source()?, inspection.facts.packet.destination()?)
}

fn suppresses(suppression: &Suppression, inspection: &Inspection<'_>) -> bool {
    let Some((track, set)) = &suppression.addresses else { return true };
    let source = inspection.facts.packet.source().is_some_and(|a| set.contains(a));
    let destination = inspection.facts.packet.destination().is_some_and(|a| set.contains(a));
    match track {
        SuppressTrack::Source => source,
        SuppressTrack::Destination => destination,
        SuppressTrack::Either => source || destination,
    }
}

fn new_action(wanted: NewAction, present: Action) -> Action {
    match wanted {
        NewAction::Alert => Action::Alert,
        NewAction::Drop => Action::Drop,
        NewAction::Pass => Action::Pass,
        NewAction::Reject => Action::Reject,
        NewAction::Log | NewAction::SilentDrop => present,
    }
}

/// Whether a parser's transaction was inspected by all rules in both directions, less those that are
/// `unseen`, so that it can go.
pub fn inspected(
    parser: &dyn Parser,
    state: &crate::state::FlowDetect,
    id: u64,
    unseen: PerDirection<bool>,
) -> bool {
    let only = parser.transaction(id).and_then(|t| t.meta().only);
    Direction::BOTH.into_iter().all(|direction| {
        unseen[direction] || only.is_some_and(|only| only != direction) || state.is_inspected(id, direction)
    })
}
