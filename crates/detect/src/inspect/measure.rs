//! What inspection costs, where the packet at hand is one that is measured.

use weir_base::cycles;
use weir_base::profile::{Aspect, Stage, enter_part, is_measured};
use weir_mpm::PatternSet;
use weir_packet::Packet;

use super::checker::Checker;
use super::subject::Found;
use super::{Inspection, Inspector};
use crate::explain::{Recorder, Recording};
use crate::model::buffer::{BufferScratch, Check};
use crate::model::view::PacketFacts;
use crate::profile::{DetectProfile, GroupName, KeywordCosts, LookedUp, PACKET_CHECKS};
use crate::ruleset::PayloadScans;
use crate::state::SignatureIndex;

/// Name of the buffer that contents without a sticky buffer look at.
pub(super) const PAYLOAD: &str = "payload";

/// Name of the search in packets' payloads.
pub(super) const PACKET: &str = "packet payload";

/// Name of the searches in frames, and of their groups.
pub(super) const FRAME: &str = "frame";

/// Name of the search in streams.
pub(super) const STREAM: &str = "stream";

/// When the evaluation of a rule began.
pub(super) struct RuleClock {
    began: u64,
    searches: u64,
}

impl RuleClock {
    /// It begins now.
    pub(super) fn start(scratch: &BufferScratch) -> Self {
        Self { searches: scratch.all_searches, began: cycles::now() }
    }
}

/// Takes the time of each check in a buffer.
pub(super) struct KeywordClock<'a> {
    pub(super) buffer: &'static str,
    pub(super) costs: &'a mut KeywordCosts,
}

impl Recorder for KeywordClock<'_> {
    #[inline(always)]
    fn note(&mut self, _: impl FnOnce(&mut Recording)) {}

    fn make<T>(&mut self, check: &Check, work: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let began = cycles::now();
        let made = work(self);
        let ticks = cycles::since(began);
        self.costs.add(self.buffer, check.keyword(), ticks, made.is_some());
        made
    }
}

/// Searches for literals, and takes the time where that is measured.
#[inline]
pub(super) fn search(
    profile: &mut Option<Box<DetectProfile>>,
    name: &'static str,
    bytes: usize,
    found: &mut PatternSet,
    work: impl FnOnce(&mut PatternSet),
) {
    match profile {
        Some(profile) if is_measured(Aspect::Prefilters) => {
            let before = found.as_slice().len();
            let began = cycles::now();
            work(found);
            let ticks = cycles::since(began);
            profile.searches += 1;
            profile.prefilters.add(name, ticks, bytes, found.as_slice().len().saturating_sub(before));
        }
        _ => work(found),
    }
}

impl<R: Recorder> Checker<R> {
    /// Adds what the evaluation of a rule took.
    #[cold]
    pub(super) fn note_rule(&mut self, index: SignatureIndex, clock: RuleClock, ended: u64, found: Found) {
        let ticks = cycles::between(clock.began, ended);
        let searches = self.scratch.all_searches.wrapping_sub(clock.searches);
        if let Some(profile) = &mut self.profile {
            profile.rules.add(index, ticks, matches!(found, Found::Match { .. }), searches);
        }
    }

    /// Takes the time of the checks on a packet and its flow.
    #[cold]
    pub(super) fn time_packet_checks(&mut self, check: impl FnOnce() -> bool) -> bool {
        let began = cycles::now();
        let held = check();
        let ticks = cycles::since(began);
        if let Some(profile) = &mut self.profile {
            profile.keywords.add(PACKET_CHECKS, "header and flow", ticks, held);
        }
        held
    }
}

impl<R: Recorder> Inspector<R> {
    /// Whether this is measured of the packet at hand.
    #[inline]
    pub(super) fn measures(&self, aspect: Aspect) -> bool {
        is_measured(aspect) && self.checker.profile.is_some()
    }

    /// Searches a payload or a window of a stream for literals.
    #[inline]
    pub(super) fn find(
        &mut self,
        name: &'static str,
        scans: &PayloadScans,
        facts: &PacketFacts<'_>,
        (bytes, offset): (&[u8], u64),
    ) {
        let _layer = enter_part(Stage::Detect, "literals of payloads");
        let (matches, found) = (&mut self.scan.matches, &mut self.scan.found);
        search(&mut self.checker.profile, name, bytes.len(), found, |found| {
            scans.find(facts, (bytes, offset), matches, found);
        });
    }

    /// Takes note of the rules that a group leaves to look at.
    #[inline]
    pub(super) fn note_group(&mut self, of: &'static str, inspection: &Inspection<'_>) {
        if self.measures(Aspect::Groups) {
            self.add_group(of, inspection);
        }
    }

    #[cold]
    fn add_group(&mut self, of: &'static str, inspection: &Inspection<'_>) {
        let name = GroupName { of, direction: inspection.facts.direction };
        let (found, candidates) = (self.scan.found.as_slice().len(), self.scan.candidates.len());
        if let Some(profile) = &mut self.checker.profile {
            let searches = std::mem::take(&mut profile.searches);
            let looked_up = LookedUp { found, candidates, searches, is_syn: is_syn(inspection.facts.packet) };
            profile.groups.add(name, looked_up);
        }
    }
}

/// Flags of TCP.
const SYN: u8 = 2;
const ACK: u8 = 16;

/// Whether a packet begins a connection.
fn is_syn(packet: &Packet<'_>) -> bool {
    packet.tcp().is_some_and(|tcp| tcp.flags & (SYN | ACK) == SYN)
}

impl Inspector {
    /// Measures what rules cost from now on, where the thread's sampler chooses a packet.
    pub fn begin_profile(&mut self) {
        let rules = self.ruleset.all_signatures();
        self.checker.profile.get_or_insert_with(|| Box::new(DetectProfile::new(rules)));
    }

    /// Measures no more; the answer is what was measured, if anything.
    pub fn end_profile(&mut self) -> Option<Box<DetectProfile>> {
        self.checker.profile.take()
    }

    /// Returns what was measured so far, if anything is.
    pub fn profile(&self) -> Option<&DetectProfile> {
        self.checker.profile.as_deref()
    }
}
