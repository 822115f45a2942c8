//! Findings: what the stages found in a packet, each for those behind it.

use weir_applayer::FlowEvent;
use weir_base::IdSet;
use weir_detect::Matches;
use weir_stream::StreamOutcome;

use super::feed::AppReports;
use super::verdict::{CarriedVerdict, PacketVerdict};

/// Findings of the stages in a packet so far.
///
/// Its fields are each one stage's, and read by those behind it.
#[derive(Default)]
pub(crate) struct Findings {
    /// The verdict so far.
    pub(crate) verdict: PacketVerdict,
    /// Matches of rules.
    pub(crate) matches: Matches,
    /// The payload became part of the stream.
    pub(crate) in_stream: bool,
    /// Outcome of the stream stage.
    pub(crate) outcome: Option<StreamOutcome>,
    /// The TCP session ended with it.
    pub(crate) closing: bool,
    /// It was settled what its direction speaks.
    pub(crate) recognised: bool,
    /// The parser wants what was gathered to be inspected and logged ahead of the packet.
    pub(crate) flush: bool,
    /// Names of stream events.
    pub(crate) stream_events: Vec<&'static str>,
    /// Application-layer events that belong to no transaction.
    pub(crate) app_events: Vec<FlowEvent>,
    /// Names of anomalies of a parser that belong to no transaction.
    pub(crate) app_anomalies: Vec<&'static str>,
    /// Transactions that the parser changed with what it got last.
    pub(super) changed: IdSet,
    /// Reports of the flow's protocol session.
    pub(super) reports: AppReports,
}

impl Findings {
    /// Forgets all, for the next packet, which carries packets with this verdict.
    #[inline]
    pub(crate) fn begin(&mut self, carried: &CarriedVerdict) {
        self.verdict = PacketVerdict::on_carrier(carried);
        self.matches.clear();
        self.clear();
    }

    /// Forgets all but verdict and matches, for a flow's stages.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.in_stream = false;
        self.outcome = None;
        self.closing = false;
        self.recognised = false;
        self.flush = false;
        if !(self.is_unremarkable() && self.changed.is_empty()) {
            self.forget();
        }
        self.reports.clear();
    }

    #[cold]
    fn forget(&mut self) {
        self.stream_events.clear();
        self.app_events.clear();
        self.app_anomalies.clear();
        self.changed.clear();
    }

    /// Whether there is nothing to record of it.
    pub(crate) fn is_unremarkable(&self) -> bool {
        self.stream_events.is_empty() && self.app_events.is_empty() && self.app_anomalies.is_empty()
    }
}
