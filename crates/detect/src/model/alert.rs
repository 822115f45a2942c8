//! The alerts of one packet.

use std::sync::Arc;

use weir_applayer::FrameId;
use weir_rules::{Action, ActionScope};

use crate::model::firewall::FirewallMatch;
use crate::model::signature::{Signature, SignatureIndex};

/// A rule that matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alert {
    /// The rule.
    pub signature: SignatureIndex,
    /// Action that it takes.
    pub action: Action,
    /// To what.
    pub scope: Option<ActionScope>,
    /// The transaction it matched in.
    pub transaction: Option<u64>,
    /// The frame it matched in.
    pub frame: Option<FrameId>,
    /// It matched in the reassembled stream.
    pub stream_match: bool,
    /// It matched in a transaction or in the state of a protocol.
    pub state_match: bool,
    /// The action applies, but no alert is to be recorded (threshold).
    pub silent: bool,
    /// A rate filter changed the action.
    pub rate_filtered: bool,
    /// Where in the firewall it matched; none for the rules of detection.
    pub firewall: Option<FirewallMatch>,
    /// Its contexts in the queue.
    pub contexts: ContextRange,
}

/// Context that a dataset gives for a value that a rule found in it: `alert.context`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlertContext {
    /// The key that the rule gives it.
    pub key: Arc<str>,
    /// JSON.
    pub json: Arc<str>,
}

/// Most contexts of one alert.
pub const MAX_CONTEXTS: usize = 16;

/// Contexts of an alert, by their places in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ContextRange {
    start: u32,
    end: u32,
}

impl Alert {
    /// The match of a rule, in a transaction where one is given.
    pub fn new(signature: &Signature, transaction: Option<u64>) -> Self {
        Self {
            signature: signature.index,
            action: signature.head.action,
            scope: signature.head.scope,
            transaction,
            frame: None,
            stream_match: false,
            state_match: false,
            silent: signature.effects.no_alert,
            rate_filtered: false,
            firewall: None,
            contexts: ContextRange::default(),
        }
    }
}

/// Most alerts of one packet (`packet-alert-max`).
pub const DEFAULT_MAX_ALERTS: usize = 15;

/// Most matches of one packet that are kept until the packet is done: only then is it known which of
/// them come first.
pub const MAX_QUEUED: usize = 16_384;

/// Matches gathered while a packet is inspected.
#[derive(Debug, Default)]
pub struct AlertQueue {
    alerts: Vec<Alert>,
    contexts: Vec<AlertContext>,
    /// Alerts that did not fit.
    pub discarded: u64,
    /// Those of them that the firewall raised.
    pub firewall_discarded: u64,
    /// Alerts suppressed by thresholds.
    pub suppressed: u64,
}

impl AlertQueue {
    /// Whether nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.alerts.is_empty() && self.contexts.is_empty()
    }

    /// Empties the queue for the next packet; the counts stay.
    #[inline]
    pub fn clear(&mut self) {
        self.alerts.clear();
        self.contexts.clear();
    }

    /// Takes over what sets said of a match that is about to be queued.
    #[inline]
    pub fn keep_contexts(&mut self, contexts: &mut Vec<AlertContext>) -> ContextRange {
        if contexts.is_empty() || self.alerts.len() >= MAX_QUEUED {
            return ContextRange::default();
        }
        let start = self.contexts.len() as u32;
        self.contexts.append(contexts);
        ContextRange { start, end: self.contexts.len() as u32 }
    }

    /// Returns what sets said of an alert's values.
    pub fn contexts(&self, alert: &Alert) -> &[AlertContext] {
        let ContextRange { start, end } = alert.contexts;
        self.contexts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Adds a match.
    pub fn push(&mut self, alert: Alert) {
        if self.alerts.len() < MAX_QUEUED {
            self.alerts.push(alert);
        } else {
            self.discard(&alert);
        }
    }

    /// Counts an alert that does not fit.
    pub fn discard(&mut self, alert: &Alert) {
        match alert.firewall {
            Some(_) => self.firewall_discarded += 1,
            None => self.discarded += 1,
        }
    }

    /// The alerts, in the order of [`AlertQueue::sort_from`] once sorted.
    pub fn as_slice(&self) -> &[Alert] {
        &self.alerts
    }

    /// The alerts, to change them.
    pub fn as_mut_slice(&mut self) -> &mut [Alert] {
        &mut self.alerts
    }

    /// Orders what was added after the first `from`: by rule, then by transaction.
    pub fn sort_from(&mut self, from: usize) {
        if let Some(fresh) = self.alerts.get_mut(from..) {
            fresh.sort_by_key(|a| (a.signature, a.transaction));
        }
    }

    /// Keeps the alerts before `end`.
    pub fn truncate(&mut self, end: usize) {
        self.alerts.truncate(end);
    }
}
