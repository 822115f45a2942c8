//! The lines of threshold.config: rates and suppression that replace those of rules.

use std::sync::Arc;

use weir_base::Duration;
use weir_rules::side::{SuppressTrack, ThresholdEntry, ThresholdRule, ThresholdType};
use weir_rules::{AddressSet, Diagnostic, Resolver};

use crate::state::threshold::{Rate, RateFilter, Threshold};

/// Suppression and rates of threshold.config for a rule, or for all.
#[derive(Clone, Debug, Default)]
pub struct RateControl {
    /// Addresses whose alerts are suppressed.
    pub suppress: Vec<Suppression>,
    /// A rate that replaces the rule's own.
    pub threshold: Option<Threshold>,
    /// Another action at a rate.
    pub rate_filter: Option<RateFilter>,
}

/// One `suppress` line.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// Address that is checked, and its set; none: always.
    pub addresses: Option<(SuppressTrack, Arc<AddressSet>)>,
}

pub(super) fn rate_control(
    entry: &ThresholdEntry,
    resolver: &mut Resolver<'_>,
) -> Result<RateControl, Box<Diagnostic>> {
    let seconds = |s: &u32| Duration::from_secs(u64::from(*s));
    let mut control = RateControl::default();
    match &entry.rule {
        ThresholdRule::Suppress { addresses: None } => control.suppress.push(Suppression { addresses: None }),
        ThresholdRule::Suppress { addresses: Some((track, text)) } => {
            let set = resolver.addresses(text).map_err(|e| Box::new(entry.origin.error(text.locate(e))))?;
            control.suppress.push(Suppression { addresses: Some((*track, set)) });
        }
        ThresholdRule::Threshold { kind, track, count, seconds: time } => {
            let rate = match kind {
                ThresholdType::Limit => Rate::Limit,
                ThresholdType::Threshold => Rate::Threshold,
                ThresholdType::Both => Rate::Both,
            };
            let span = seconds(time);
            control.threshold = Some(Threshold { rate, track: *track, count: *count, span, unique_on: None });
        }
        ThresholdRule::RateFilter { track, count, seconds: time, new_action, timeout } => {
            control.rate_filter = Some(RateFilter {
                track: *track,
                count: *count,
                span: seconds(time),
                action: *new_action,
                timeout: seconds(timeout),
            });
        }
    }
    Ok(control)
}
