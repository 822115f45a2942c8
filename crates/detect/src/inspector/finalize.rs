//! The end of a packet's inspection: alerts in order, thresholds and suppression applied.

use weir_applayer::Parser;
use weir_rules::Action;
use weir_rules::side::{NewAction, SuppressTrack, Track};

use super::{Inspection, Inspector};
use crate::alert::Alert;
use crate::ruleset::{Ruleset, Suppression};
use crate::signature::Signature;
use crate::threshold::{Purpose, Threshold, TrackKey, Verdict};

impl Inspector {
    /// Orders the alerts, applies rates and suppression, and ends at the first rule that lets pass.
    pub(super) fn finalize(&mut self, ruleset: &Ruleset, inspection: &mut Inspection<'_>) {
        if self.alerts.as_slice().is_empty() {
            return;
        }
        self.alerts.sort();
        let mut kept = 0;
        for position in 0..self.alerts.as_slice().len() {
            let Some(&alert) = self.alerts.as_slice().get(position) else { break };
            let Some(signature) = ruleset.signature(alert.signature) else { continue };
            let Some(alert) = self.rated(ruleset, signature, alert, inspection) else {
                self.alerts.suppressed += 1;
                continue;
            };
            if let Some(slot) = self.alerts.as_mut_slice().get_mut(kept) {
                *slot = alert;
            }
            kept += 1;
            if alert.action == Action::Pass {
                break;
            }
        }
        self.alerts.truncate(kept);
        self.counters.alerts += self.alerts.as_slice().iter().filter(|a| !a.silent).count() as u64;
        self.counters.overflow += std::mem::take(&mut self.alerts.discarded);
        self.counters.suppressed += std::mem::take(&mut self.alerts.suppressed);
        self.counters.threshold_full = self.thresholds.full;
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
            && let Some(key) = key(filter.track, inspection)
        {
            let now = inspection.packet.time;
            let span = filter.span + filter.timeout;
            let tracker = self.thresholds.tracker(alert.signature, Purpose::RateFilter, key, now, span);
            if tracker.is_some_and(|t| t.rate_reached(&filter, now)) {
                alert.action = new_action(filter.action, alert.action);
                alert.rate_filtered = true;
            }
        }
        // The rule's own detection filter counts before a rate of the configuration replaces it.
        let threshold = control.and_then(|c| c.threshold).or(signature.threshold);
        match threshold.map_or(Verdict::Alert, |t| self.count(&t, alert, inspection)) {
            Verdict::Alert => Some(alert),
            Verdict::Silent => {
                alert.silent = true;
                (alert.action != Action::Alert).then_some(alert)
            }
            Verdict::Nothing => None,
        }
    }

    fn count(&mut self, threshold: &Threshold, alert: Alert, inspection: &mut Inspection<'_>) -> Verdict {
        let now = inspection.packet.time;
        if threshold.track == Track::Flow {
            let Some(state) = inspection.state.as_deref_mut() else { return Verdict::Alert };
            let position = match state.thresholds.iter().position(|(s, _)| *s == alert.signature) {
                Some(position) => position,
                None => {
                    state.thresholds.push((alert.signature, crate::threshold::Tracker::default()));
                    state.thresholds.len() - 1
                }
            };
            return match state.thresholds.get_mut(position) {
                Some((_, tracker)) => tracker.count(threshold, now),
                None => Verdict::Alert,
            };
        }
        let Some(key) = key(threshold.track, inspection) else { return Verdict::Alert };
        match self.thresholds.tracker(alert.signature, Purpose::Threshold, key, now, threshold.span) {
            Some(tracker) => tracker.count(threshold, now),
            None => Verdict::Alert,
        }
    }
}

/// What a packet's matches are counted by.
fn key(track: Track, inspection: &Inspection<'_>) -> Option<TrackKey> {
    TrackKey::of(track, inspection.packet.source()?, inspection.packet.destination()?)
}

fn suppresses(suppression: &Suppression, inspection: &Inspection<'_>) -> bool {
    let Some((track, set)) = &suppression.addresses else { return true };
    let source = inspection.packet.source().is_some_and(|a| set.contains(a));
    let destination = inspection.packet.destination().is_some_and(|a| set.contains(a));
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

/// Whether a parser's transaction was inspected by all rules in both directions, so that it can go.
pub fn inspected(parser: &dyn Parser, state: &crate::state::FlowDetect, id: u64) -> bool {
    let only = parser.transaction(id).and_then(|t| t.meta().only);
    weir_base::Direction::BOTH
        .into_iter()
        .all(|direction| only.is_some_and(|o| o != direction) || state.is_inspected(id, direction))
}
