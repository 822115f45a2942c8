//! Inspection: a worker's own state, and the order in which a packet's rules are looked at.

mod across;
mod checker;
mod checks;
mod explain;
mod fields;
mod finalize;
mod firewall;
mod frame;
mod measure;
mod packet;
mod script;
mod subject;
mod transaction;
mod values;

#[cfg(test)]
pub(crate) use checks::inspect;
pub use finalize::inspected;
pub use firewall::{FirewallDrop, FirewallOutcome, Standing};
pub use frame::FrameInspection;

use std::sync::Arc;

use weir_applayer::Parser;
use weir_base::profile::{Stage, enter_part};
use weir_base::{Direction, Turn};
use weir_mpm::{MatchScratch, PatternSet};
use weir_packet::Packet;

use crate::explain::{Recorder, Recording, Silent};
use crate::model::alert::AlertQueue;
use crate::model::buffer::BufferScratch;
use crate::model::post::PostRequest;
use crate::model::signature::SignatureIndex;
use crate::model::transform::TransformScratch;
use crate::model::view::{PacketFacts, PacketView};
use crate::ruleset::Ruleset;
use crate::state::{FlowDetect, NameId};
use checker::Checker;
use script::Scripts;
use values::Text;

/// Settings of inspection (`detect`).
#[derive(Clone, Copy, Debug)]
pub struct InspectorSettings {
    /// Steps that the checks of one buffer may take (`inspection-recursion-limit`).
    pub steps: u32,
    /// Most alerts of one packet (`packet-alert-max`).
    pub max_alerts: usize,
}

impl Default for InspectorSettings {
    fn default() -> Self {
        Self { steps: 3000, max_alerts: crate::model::alert::DEFAULT_MAX_ALERTS }
    }
}

weir_base::counters! {
    /// Counters of detection.
    pub struct DetectCounters {
        /// Alerts raised.
        alerts => "detect.alert",
        /// Alerts that did not fit into a packet's queue.
        overflow => "detect.alert_queue_overflow",
        /// Alerts that a threshold suppressed.
        suppressed => "detect.alerts_suppressed",
        /// Rules of a transaction that could not wait because there were too many.
        waiting_full => "detect.waiting_rules_full",
        /// Matches that a full threshold table could not count.
        threshold_full => "detect.threshold_table_full",
        /// Matches with a value that `unique_on` could not keep.
        values_full => "detect.threshold_values_full",
        /// Bits, numbers, values and tags that rules could not set, because their flow, their transaction or the
        /// table of hosts had as many as it may.
        state_full => "detect.state_full",
        /// Values that rules could not add to a dataset, because it had reached its memory.
        datasets_full => "detect.datasets_full",
        /// Inspections of a rule that ended without an answer because they took `detect.inspection-recursion-limit` steps.
        out_of_steps => "detect.inspection_recursion_limit",
        /// Searches of regular expressions that ended without an answer because they took `pcre.match-limit` attempts.
        unanswered => "detect.pcre_match_limit",
        /// Scripts that ended without an answer.
        script_errors => "detect.lua.errors",
        /// … because they called what is not allowed.
        script_blocked => "detect.lua.blocked_function_errors",
        /// … because they took too many steps.
        script_instructions => "detect.lua.instruction_limit_errors",
        /// … because they wanted too much memory.
        script_memory => "detect.lua.memory_limit_errors",
    }
}

/// A window of the reassembled stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamWindow<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Position of the first one in the stream.
    pub offset: u64,
    /// The stream ends here.
    pub ends: bool,
    /// Bytes just before them, of windows inspected already.
    pub before: &'a [u8],
}

/// Progress of a flow with a packet.
#[derive(Clone, Copy, Default)]
pub struct Reach {
    /// It was settled what the packet's direction speaks, and rules on that alone have not looked yet.
    pub recognised: bool,
    /// The payload was added to the stream, which is inspected in its stead.
    pub in_stream: bool,
    /// The payload is not to be looked at.
    pub no_payload: bool,
    /// The parser was given bytes of this direction with this packet.
    pub parsed: bool,
    /// Nothing more will come in this direction: transactions count as complete.
    pub ended: bool,
}

/// A packet to be inspected, with all that belongs to it.
pub struct Inspection<'a> {
    /// The packet and its flow.
    pub facts: PacketFacts<'a>,
    /// Progress of the flow with it.
    pub reach: Reach,
    /// The flow's detection state.
    pub state: Option<&'a mut FlowDetect>,
    /// The flow's parser.
    pub parser: Option<&'a mut dyn Parser>,
    /// Part of the stream that is ready to be inspected in the packet's direction.
    pub stream: Option<StreamWindow<'a>>,
    /// Matches in the packet so far, to which others are added.
    pub matches: &'a mut Matches,
}

/// Matches of rules in a packet, and what follows from them.
#[derive(Debug, Default)]
pub struct Matches {
    /// Alerts, in order, thresholds applied.
    pub alerts: AlertQueue,
    /// Requests of the rules to the engine.
    pub requests: Vec<PostRequest>,
    /// Captures of the rules' expressions.
    pub packet_variables: Vec<(NameId, Vec<u8>)>,
    /// Places of the packet's payload with the bytes that replace those there.
    pub replaced: Vec<(usize, Arc<[u8]>)>,
    /// The packet is to be recorded because an earlier one was tagged.
    pub tagged: bool,
}

impl Matches {
    /// Forgets all, for the next packet; the memory stays. There is nothing to forget of nearly all packets.
    #[inline]
    pub fn clear(&mut self) {
        self.tagged = false;
        if !(self.alerts.is_empty()
            && self.requests.is_empty()
            && self.packet_variables.is_empty()
            && self.replaced.is_empty())
        {
            self.forget();
        }
    }

    #[cold]
    fn forget(&mut self) {
        self.alerts.clear();
        self.requests.clear();
        self.packet_variables.clear();
        self.replaced.clear();
    }
}

impl<'a> Inspection<'a> {
    /// A packet with nothing that belongs to it.
    pub fn bare(packet: &'a Packet<'a>, direction: Direction, matches: &'a mut Matches) -> Self {
        Self {
            facts: PacketFacts::bare(packet, direction),
            reach: Reach { no_payload: packet.skip_payload, ..Reach::default() },
            state: None,
            parser: None,
            stream: None,
            matches,
        }
    }

    /// The packet as the checks of a rule see it.
    fn view(&self, transaction: Option<u64>) -> PacketView<'_> {
        let packet_variables = &self.matches.packet_variables;
        PacketView { facts: &self.facts, transaction, packet_variables, state: self.state.as_deref() }
    }
}

/// A worker's inspection, with a recorder.
pub struct Inspector<R = Silent> {
    ruleset: Arc<Ruleset>,
    settings: InspectorSettings,
    turn: Turn,
    scan: Scan,
    text: Text,
    checker: Checker<R>,
    /// Counters so far.
    pub counters: DetectCounters,
    /// Inspector with a recorder that records: it stands in for this one while rules are
    /// explained.
    explaining: Option<Box<Inspector<Recording>>>,
}

/// Scans for literals, and the rules that they leave over.
struct Scan {
    matches: MatchScratch,
    found: PatternSet,
    /// Rules to look at in the subject at hand.
    candidates: Vec<SignatureIndex>,
    /// Rules on transactions, which a literal in the payload narrows.
    in_transactions: Vec<SignatureIndex>,
    /// Bytes on both sides of a border of windows.
    joined: Vec<u8>,
}

impl Inspector {
    /// An inspector of `ruleset`, which waits for its `turn` before it touches what workers share.
    pub fn new(ruleset: Arc<Ruleset>, settings: InspectorSettings, turn: Turn) -> Self {
        Self::with_recorder(ruleset, settings, turn, Silent)
    }

    /// Exchanges this inspector for another one with other rules; the counters stay here. The one before takes time to
    /// drop.
    pub fn exchange(&mut self, next: &mut Inspector) {
        self.hand_counters_to(next);
        std::mem::swap(self, next);
    }

    /// Has `next`, which goes on in its place, go on counting, and measuring where this one does.
    pub fn hand_counters_to(&mut self, next: &mut Inspector) {
        std::mem::swap(&mut self.counters, &mut next.counters);
        if self.checker.profile.is_some() {
            next.begin_profile();
        }
    }

    /// Inspects a packet. Matches of what was looked at before are forgotten.
    pub fn inspect(&mut self, inspection: Inspection<'_>) {
        match &mut self.explaining {
            None => self.look(inspection),
            Some(_) => self.explained(|explaining| explaining.look(inspection)).unwrap_or_default(),
        }
    }

    /// Inspects another window of the stream beside those of the packet. Its alerts are behind those that there are.
    pub fn inspect_window(&mut self, inspection: Inspection<'_>) {
        match &mut self.explaining {
            None => self.look_at_window(inspection),
            Some(_) => self.explained(|explaining| explaining.look_at_window(inspection)).unwrap_or_default(),
        }
    }

    /// Looks at the frames of a packet's direction. Alerts are added behind those of the packet.
    pub fn inspect_frames(&mut self, inspection: Inspection<'_>, shown: FrameInspection<'_>) {
        match &mut self.explaining {
            None => self.look_at_frames(inspection, shown),
            Some(_) => {
                self.explained(|explaining| explaining.look_at_frames(inspection, shown)).unwrap_or_default();
            }
        }
    }
}

impl<R: Recorder> Inspector<R> {
    fn with_recorder(ruleset: Arc<Ruleset>, settings: InspectorSettings, turn: Turn, recorder: R) -> Self {
        let scripts = || Scripts::of(&ruleset, &turn);
        Self {
            settings,
            counters: DetectCounters::default(),
            scan: Scan {
                matches: ruleset.match_scratch(),
                found: PatternSet::with_bound(ruleset.signatures().len() as u32),
                candidates: Vec::new(),
                in_transactions: Vec::new(),
                joined: Vec::new(),
            },
            text: Text { scratch: TransformScratch::new(scripts().into_runner()), ..Text::default() },
            checker: Checker {
                steps: settings.steps,
                scratch: BufferScratch::default(),
                scripts: scripts(),
                profile: None,
                recorder,
            },
            explaining: None,
            ruleset,
            turn,
        }
    }

    /// The rules.
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// Returns the rules, which others share.
    pub fn shared_ruleset(&self) -> Arc<Ruleset> {
        Arc::clone(&self.ruleset)
    }

    /// The rules, where the flow's state is theirs from now on.
    #[inline]
    pub(super) fn ruleset_for(&self, inspection: &mut Inspection<'_>) -> Arc<Ruleset> {
        if let Some(state) = inspection.state.as_deref_mut() {
            state.renew(&self.ruleset.lineage);
        }
        Arc::clone(&self.ruleset)
    }

    fn look(&mut self, mut inspection: Inspection<'_>) {
        inspection.matches.clear();
        self.scan.in_transactions.clear();
        let ruleset = self.ruleset_for(&mut inspection);
        {
            let _layer = enter_part(Stage::Detect, "addresses");
            self.inspect_ip_only(&ruleset, &mut inspection);
        }
        {
            let _layer = enter_part(Stage::Detect, "packets");
            self.inspect_packet(&ruleset, &mut inspection);
        }
        {
            let _layer = enter_part(Stage::Detect, "transactions");
            self.inspect_transactions(&ruleset, &mut inspection);
        }
        let _layer = enter_part(Stage::Detect, "alerts");
        self.finalize(&ruleset, &mut inspection, 0);
        if ruleset.host_tags.expected() {
            self.turn.wait();
        }
        inspection.matches.tagged = count_tags(&ruleset, &mut inspection);
    }

    fn look_at_window(&mut self, mut inspection: Inspection<'_>) {
        let ruleset = self.ruleset_for(&mut inspection);
        let from = inspection.matches.alerts.as_slice().len();
        let _layer = enter_part(Stage::Detect, "streams");
        self.inspect_stream(&ruleset, &mut inspection);
        self.finalize(&ruleset, &mut inspection, from);
    }
}

/// Counts the packet for the tags of its flow and hosts; whether it is to be recorded.
fn count_tags(ruleset: &Ruleset, inspection: &mut Inspection<'_>) -> bool {
    let packet = inspection.facts.packet;
    if packet.is_pseudo() {
        return false;
    }
    let (now, length) = (packet.time, packet.wire_length);
    let of_flow = match inspection.state.as_deref_mut() {
        Some(state) if !state.tags().is_empty() => crate::state::tag::count(state.tags_mut(), now, length),
        _ => false,
    };
    ruleset.host_tags.count([packet.source(), packet.destination()], now, length) || of_flow
}
