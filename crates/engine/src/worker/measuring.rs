//! What a worker measures of its own work ([`weir_base::profile`]).
//!
//! A unit is a packet with all that follows from it, or the end of a flow that no packet ended. The sampler chooses; what
//! is measured changes no record.

use std::sync::Arc;

use weir_base::cycles;
use weir_base::profile::layers::{self, LayerCosts, PacketKind};
use weir_base::profile::{Aspect, Aspects, Layer, Rate, Sampler, Stage, Units};
use weir_detect::{DetectProfile, Ruleset};
use weir_packet::{Ip, Packet};

use super::ahead::{Decoded, Inside};
use super::renewal::RuleParts;
use super::slow::{Slow, SlowPackets};
use super::{Rest, Worker};

/// Protocol that stands for packets of the engine's own, and inside of tunnels.
const OWN: u16 = 256;

/// State of a worker's measurements.
#[derive(Default)]
pub(crate) struct Measuring {
    sampler: Sampler,
    /// A unit is being measured.
    within: bool,
    /// The sampler before, where nothing is measured any more.
    stopped: Option<Sampler>,
    /// What the thread measured, once it has ended.
    layers: LayerCosts,
    /// Costs of each packet, where they are kept.
    units: Option<Box<Units>>,
}

/// What a worker measured.
#[derive(Clone, Default)]
pub(crate) struct Measured {
    /// Says what it stands for.
    pub(crate) sampler: Sampler,
    /// By ruleset, with the tenant whose it is; 0 is none.
    pub(crate) detect: Vec<(u32, Arc<Ruleset>, DetectProfile)>,
    pub(crate) layers: LayerCosts,
    /// Costs of each packet, where they are kept.
    pub(crate) units: Option<Box<Units>>,
    /// Packets that took long.
    pub(crate) slow: Vec<Slow>,
}

impl Measuring {
    /// Whether the unit that begins now is to be measured.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        self.sampler.is_due()
    }

    /// The sampler that chose what was measured.
    fn last_sampler(&self) -> &Sampler {
        self.stopped.as_ref().unwrap_or(&self.sampler)
    }

    /// Begins to measure a unit.
    fn begin(&mut self) -> Aspects {
        self.within = true;
        let aspects = self.sampler.begin();
        if aspects.has(Aspect::Layers) {
            layers::begin_unit();
        }
        aspects
    }

    /// Ends a unit, of the packet of this number; 0: of none.
    fn end(&mut self, aspects: Aspects, number: u64) {
        if aspects.has(Aspect::Layers) {
            layers::end_unit(number, self.units.as_deref_mut().filter(|_| number > 0));
        }
        self.sampler.end();
        self.within = false;
    }

    /// Begins to measure the end of a flow, if it is a unit of its own and due.
    #[inline]
    pub(super) fn begin_flow_end(&mut self) -> Option<Aspects> {
        (!self.within && self.sampler.is_due()).then(|| self.begin_made())
    }

    #[cold]
    fn begin_made(&mut self) -> Aspects {
        let aspects = self.begin();
        layers::note_kind(|| PacketKind { version: 0, protocol: OWN });
        aspects
    }

    /// The end of a flow is over.
    #[inline]
    pub(super) fn end_flow_end(&mut self, begun: Option<Aspects>) {
        if let Some(aspects) = begun {
            self.end(aspects, 0);
        }
    }
}

/// Returns the kind of a packet by which costs are told apart.
fn kind_of(packet: &Packet<'_>) -> PacketKind {
    let version = match packet.ip {
        Some(Ip::V4(_)) => 4,
        Some(Ip::V6(_)) => 6,
        None => 0,
    };
    PacketKind { version, protocol: packet.ip_protocol().map_or(0, u16::from) }
}

impl Worker {
    /// Measures these from now on, at this rate; what was measured before is forgotten.
    pub(crate) fn begin_measuring(&mut self, rate: Rate, wanted: Aspects) {
        self.rest.measuring = Measuring { sampler: Sampler::new(rate, wanted), ..Measuring::default() };
        layers::forget();
        let is_on = self.rest.measuring.sampler.is_on();
        for inspector in self.rest.inspectors() {
            inspector.end_profile();
            if is_on {
                inspector.begin_profile();
            }
        }
    }

    /// Keeps what each measured packet costs from now on.
    pub(crate) fn keep_units(&mut self) {
        self.rest.measuring.units = Some(Box::default());
    }

    /// Keeps packets that take longer, in microseconds; 0: none.
    pub(crate) fn watch_slow(&mut self, micros: u32) {
        let ticks = (f64::from(micros) * cycles::per_second() / 1e6) as u64;
        self.rest.slow = (micros > 0).then(|| Box::new(SlowPackets::new(ticks)));
    }

    /// Measures no more; what was measured stays.
    pub(crate) fn stop_measuring(&mut self) {
        let wanted = self.rest.measuring.sampler.wanted();
        self.rest.measuring.stopped =
            Some(std::mem::replace(&mut self.rest.measuring.sampler, Sampler::new(Rate::Off, wanted)));
    }

    /// Goes on measuring with other rules; what those before cost goes with them.
    pub(super) fn measure_exchanged(&mut self, former: &mut RuleParts) {
        if self.rest.measuring.sampler.is_on() {
            self.rest.inspectors().for_each(weir_detect::Inspector::begin_profile);
        }
        let tenants = former.tenants.iter_mut().flat_map(|tenants| tenants.inspectors_mut());
        let main = former.inspector.as_deref_mut().map(|inspector| (0, inspector));
        let gone = main.into_iter().chain(tenants).filter_map(|(tenant, inspector)| {
            Some((tenant, inspector.shared_ruleset(), *inspector.end_profile()?))
        });
        let detect: Vec<_> = gone.collect();
        let sampler = self.rest.measuring.last_sampler().clone();
        former.measured = (!detect.is_empty()).then(|| Measured { sampler, detect, ..Measured::default() });
    }

    /// Keeps what the thread measured, which ends.
    pub(super) fn keep_measured(&mut self) {
        self.rest.measuring.layers.merge(&layers::so_far());
        layers::forget();
    }

    /// Returns the nanoseconds that each layer took so far, as far as that is measured. To be asked on the worker's thread.
    pub(crate) fn layer_times(&self) -> Vec<(Layer, u64)> {
        let factor = self.rest.measuring.last_sampler().factor(Aspect::Layers) as f64;
        let scale = factor * 1e9 / cycles::per_second();
        let layers = layers::so_far().by_layer().into_iter().filter(|(_, cost)| cost.calls > 0);
        layers.map(|(layer, cost)| (layer, (cost.ticks as f64 * scale) as u64)).collect()
    }

    /// Returns what was measured so far. To be asked on the worker's thread, or after its end.
    pub(crate) fn measured(&self) -> Measured {
        let measuring = &self.rest.measuring;
        let mut all = measuring.layers.clone();
        all.merge(&layers::so_far());
        let sampler = measuring.last_sampler().clone();
        let detect =
            self.rest.profiles().map(|(tenant, ruleset, profile)| (tenant, ruleset, profile.clone()));
        let slow = self.rest.slow.as_deref().map(|slow| slow.kept().cloned().collect()).unwrap_or_default();
        Measured { sampler, detect: detect.collect(), layers: all, units: measuring.units.clone(), slow }
    }

    /// Packets come, for which the thread may have waited.
    #[inline]
    pub(super) fn begin_work(&self) {
        // To be asked for each packet it would be what costs most of it.
        if self.rest.measuring.sampler.is_on() || self.rest.slow.is_some() {
            cycles::begin_work();
        }
    }

    /// Takes a packet that is measured.
    #[cold]
    #[inline(never)]
    pub(super) fn measured_packet<'a>(&mut self, packet: &mut Decoded<'a>, inside: Option<&mut Inside<'a>>) {
        let aspects = self.rest.measuring.begin();
        layers::note_kind(|| match &inside {
            Some(_) => PacketKind { protocol: OWN, ..kind_of(&packet.outer) },
            None => kind_of(&packet.outer),
        });
        layers::add(Stage::Decode, packet.decode_ticks);
        self.packet(packet, inside);
        self.rest.measuring.end(aspects, packet.outer.number);
    }

    /// Does `work`, which takes a part of a frame, and measures it if it is due.
    pub(crate) fn measure_part(&mut self, work: impl FnOnce(&mut Self)) {
        if !self.rest.measuring.is_due() {
            return work(self);
        }
        let aspects = self.rest.measuring.begin();
        layers::note_kind(|| PacketKind { version: 0, protocol: OWN });
        work(self);
        self.rest.measuring.end(aspects, 0);
    }
}

impl Rest {
    /// The rules of all tenants.
    fn inspectors(&mut self) -> impl Iterator<Item = &mut weir_detect::Inspector> {
        let waiting = self.tenancy.as_deref_mut().into_iter().flat_map(|tenancy| tenancy.waiting_mut());
        std::iter::once(&mut *self.inspector).chain(waiting)
    }

    /// What was measured of each ruleset.
    fn profiles(&self) -> impl Iterator<Item = (u32, Arc<Ruleset>, &DetectProfile)> {
        let current = self.tenancy.as_deref().map_or(0, |tenancy| tenancy.current_id());
        let waiting = self.tenancy.as_deref().into_iter().flat_map(|tenancy| tenancy.waiting());
        std::iter::once((current, &*self.inspector))
            .chain(waiting)
            .filter_map(|(id, inspector)| Some((id, inspector.shared_ruleset(), inspector.profile()?)))
    }
}

/// Takes the time of `work`, in ticks of which there is at least one.
#[cold]
pub(super) fn timed(work: impl FnOnce()) -> u64 {
    let began = cycles::now();
    work();
    cycles::since(began).max(1)
}
