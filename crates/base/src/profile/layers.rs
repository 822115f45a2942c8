//! Stages that a packet passes through, with the time that each takes by itself.
//!
//! A stage is *entered* and left again; what is entered meanwhile is not counted for it. Where the unit at hand is not
//! measured, to enter is one branch. Sums are kept by thread, and by the protocol of packets.

use std::cell::{Cell, RefCell};

use super::aspects::{Aspect, is_measured};
use super::units::Units;
use crate::cycles;

/// Most layers of a thread; what further ones take is counted for [`OTHERS`].
const MAX_LAYERS: usize = 192;

/// Most kinds of packets that sums are kept for; further ones are counted with those of no protocol.
const MAX_KINDS: usize = 32;

/// The layer of what has no own.
const OTHERS: Layer = Layer { stage: Stage::Worker, name: "others" };

/// A stage that a packet passes through.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// Headers are read.
    Decode,
    /// Fragments are put together.
    Defrag,
    /// The worker itself, between the others.
    Worker,
    /// Flows are found, and end.
    Flow,
    /// Segments are put in order.
    Stream,
    /// Protocols are recognised, and what they are given is handed to them.
    Session,
    /// A parser reads.
    Parser,
    /// Rules are looked at.
    Detect,
    /// Records are made.
    Output,
    /// Zeek's view of the traffic is kept.
    Zeek,
    /// Scripts run.
    Lua,
}

impl Stage {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Defrag => "defrag",
            Self::Worker => "worker",
            Self::Flow => "flow",
            Self::Stream => "stream",
            Self::Session => "session",
            Self::Parser => "parser",
            Self::Detect => "detect",
            Self::Output => "output",
            Self::Zeek => "zeek",
            Self::Lua => "lua",
        }
    }
}

/// A part of a stage: a parser, an output, a step of detection; without a name all of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layer {
    /// The stage.
    pub stage: Stage,
    /// Name of the part.
    pub name: &'static str,
}

/// Ticks that a layer took by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LayerCost {
    /// Times that it was entered.
    pub calls: u64,
    /// Units in which it was.
    pub units: u64,
    /// Sum.
    pub ticks: u64,
    /// Least of a unit.
    pub min: u64,
    /// Most of a unit.
    pub max: u64,
}

impl LayerCost {
    /// Adds one unit.
    fn add(&mut self, calls: u64, ticks: u64) {
        self.min = if self.units == 0 { ticks } else { self.min.min(ticks) };
        self.max = self.max.max(ticks);
        self.calls += calls;
        self.units += 1;
        self.ticks += ticks;
    }

    /// Adds the units of another thread.
    pub fn merge(&mut self, other: &Self) {
        if other.units == 0 {
            return;
        }
        self.min = if self.units == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.calls += other.calls;
        self.units += other.units;
        self.ticks += other.ticks;
    }
}

/// Packets that sums are kept for: by version of IP and protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct PacketKind {
    /// Version of IP; zero where it has none.
    pub version: u8,
    /// Number of its protocol; 256 where the engine made the packet, or a tunnel carries it.
    pub protocol: u16,
}

/// Times that a thread measured.
#[derive(Clone, Debug, Default)]
pub struct LayerCosts {
    /// Layers, in the order in which they were first entered.
    pub layers: Vec<Layer>,
    /// Kinds of packets, with the cost of each whole unit, and of each layer in it.
    pub kinds: Vec<(PacketKind, LayerCost, Vec<LayerCost>)>,
}

impl LayerCosts {
    fn with_room() -> Self {
        Self { layers: Vec::with_capacity(MAX_LAYERS), kinds: Vec::with_capacity(MAX_KINDS) }
    }

    /// Adds what another thread measured.
    pub fn merge(&mut self, other: &Self) {
        for (kind, whole, costs) in &other.kinds {
            let place = self.kind(*kind);
            if let Some((_, total, _)) = self.kinds.get_mut(place) {
                total.merge(whole);
            }
            for (layer, cost) in other.layers.iter().zip(costs) {
                let own = self.layer(*layer);
                if let Some((_, _, costs)) = self.kinds.get_mut(place)
                    && let Some(known) = costs.get_mut(own)
                {
                    known.merge(cost);
                }
            }
        }
    }

    /// Returns each layer with its cost in all packets.
    pub fn by_layer(&self) -> Vec<(Layer, LayerCost)> {
        let mut all: Vec<(Layer, LayerCost)> =
            self.layers.iter().map(|layer| (*layer, LayerCost::default())).collect();
        for (_, _, costs) in &self.kinds {
            all.iter_mut().zip(costs).for_each(|((_, total), cost)| total.merge(cost));
        }
        all
    }

    /// Returns the place of a layer, which is added unless there are too many.
    fn layer(&mut self, layer: Layer) -> usize {
        let same = |known: &Layer| known.stage == layer.stage && known.name == layer.name;
        match self.layers.iter().position(same) {
            Some(place) => place,
            None if self.layers.len() + 1 < MAX_LAYERS || layer == OTHERS => {
                self.layers.push(layer);
                self.layers.len() - 1
            }
            None => self.layer(OTHERS),
        }
    }

    fn kind(&mut self, kind: PacketKind) -> usize {
        match self.kinds.iter().position(|(known, _, _)| *known == kind) {
            Some(place) => place,
            None if self.kinds.len() < MAX_KINDS => {
                self.kinds.push((kind, LayerCost::default(), vec![LayerCost::default(); MAX_LAYERS]));
                self.kinds.len() - 1
            }
            None => 0,
        }
    }
}

/// The unit at hand.
struct Unit {
    costs: LayerCosts,
    /// Calls and ticks of each layer in it.
    own: Vec<(u32, u64)>,
    /// Layer that is at work.
    current: usize,
    /// When it went to work, or on.
    since: u64,
    began: u64,
}

thread_local! {
    static UNIT: RefCell<Option<Box<Unit>>> = const { RefCell::new(None) };
    /// Kind of the packet at hand.
    static KIND: Cell<PacketKind> = const { Cell::new(PacketKind { version: 0, protocol: 0 }) };
}

/// A layer that was entered, which is left when this is dropped.
#[must_use]
pub struct Entered(Option<usize>);

/// Enters a stage of which nothing is told apart.
#[inline]
pub fn enter(stage: Stage) -> Entered {
    enter_part(stage, "")
}

/// Enters a part of a stage.
#[inline]
pub fn enter_part(stage: Stage, name: &'static str) -> Entered {
    match is_measured(Aspect::Layers) {
        false => Entered(None),
        // Read here: what counts it is seldom in the processor's cache.
        true => Entered(change_to(Layer { stage, name }, cycles::now())),
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            go_back(before, cycles::now());
        }
    }
}

impl Unit {
    fn new() -> Self {
        Self { costs: LayerCosts::with_room(), own: vec![(0, 0); MAX_LAYERS], current: 0, since: 0, began: 0 }
    }

    /// Counts what the layer at work took until now.
    fn settle(&mut self, now: u64) {
        let ticks = cycles::between(self.since, now);
        if let Some((_, sum)) = self.own.get_mut(self.current) {
            *sum += ticks;
        }
        self.since = now;
    }
}

#[cold]
fn change_to(layer: Layer, now: u64) -> Option<usize> {
    UNIT.with_borrow_mut(|unit| {
        let unit = unit.as_deref_mut()?;
        unit.settle(now);
        let next = unit.costs.layer(layer);
        if let Some((calls, _)) = unit.own.get_mut(next) {
            *calls += 1;
        }
        let before = std::mem::replace(&mut unit.current, next);
        // To find the layer is nobody's work.
        unit.since = cycles::now();
        Some(before)
    })
}

#[cold]
fn go_back(before: usize, now: u64) {
    UNIT.with_borrow_mut(|unit| {
        if let Some(unit) = unit.as_deref_mut() {
            unit.settle(now);
            unit.current = before;
            unit.since = cycles::now();
        }
    });
}

/// Begins a unit, which is the worker's own until something is entered.
pub fn begin_unit() {
    UNIT.with_borrow_mut(|unit| {
        let unit = unit.get_or_insert_with(|| Box::new(Unit::new()));
        unit.current = unit.costs.layer(Layer { stage: Stage::Worker, name: "" });
        if let Some((calls, _)) = unit.own.get_mut(unit.current) {
            *calls += 1;
        }
        KIND.set(PacketKind::default());
        unit.began = cycles::now();
        unit.since = unit.began;
    });
}

/// Says what kind of packet the unit is, where it is measured.
#[inline]
pub fn note_kind(kind: impl FnOnce() -> PacketKind) {
    if is_measured(Aspect::Layers) {
        KIND.set(kind());
    }
}

/// Adds ticks that the unit took for a stage before it began.
pub fn add(stage: Stage, ticks: u64) {
    if is_measured(Aspect::Layers) {
        UNIT.with_borrow_mut(|unit| {
            let Some(unit) = unit.as_deref_mut() else { return };
            let place = unit.costs.layer(Layer { stage, name: "" });
            if let Some((calls, sum)) = unit.own.get_mut(place) {
                *calls += 1;
                *sum += ticks;
            }
            unit.since = cycles::now();
        });
    }
}

/// Ends the unit, which is the packet of this number; `units` keeps what it cost by itself.
pub fn end_unit(number: u64, units: Option<&mut Units>) {
    UNIT.with_borrow_mut(|unit| {
        let Some(unit) = unit.as_deref_mut() else { return };
        unit.settle(cycles::now());
        if let Some(units) = units {
            let entered = unit.own.iter().enumerate().filter(|(_, (calls, _))| *calls > 0);
            units.keep(
                number,
                KIND.get(),
                &unit.costs.layers,
                entered.map(|(place, (_, ticks))| (place, *ticks)),
            );
        }
        let place = unit.costs.kind(KIND.get());
        let Some((_, whole, costs)) = unit.costs.kinds.get_mut(place) else { return };
        let mut all = 0;
        for ((calls, ticks), cost) in unit.own.iter_mut().zip(costs) {
            if *calls > 0 {
                all += *ticks;
                cost.add(u64::from(*calls), *ticks);
            }
            (*calls, *ticks) = (0, 0);
        }
        whole.add(1, all);
    });
}

/// Returns what this thread measured so far.
pub fn so_far() -> LayerCosts {
    UNIT.with_borrow(|unit| unit.as_deref().map(|unit| unit.costs.clone()).unwrap_or_default())
}

/// Forgets what this thread measured.
pub fn forget() {
    UNIT.take();
}

#[cfg(test)]
mod tests {
    use super::super::aspects::{Aspects, measure};
    use super::*;

    fn work(rounds: u64) -> u64 {
        (0..rounds).fold(1, |hash, round| std::hint::black_box(hash ^ round.wrapping_mul(0x9e37_79b9)))
    }

    #[test]
    fn layers_are_measured_without_what_they_enter() {
        forget();
        measure(Aspects::of(Aspect::Layers));
        for _ in 0..50 {
            begin_unit();
            note_kind(|| PacketKind { version: 4, protocol: 6 });
            {
                let _stream = enter(Stage::Stream);
                work(2_000);
                {
                    let _parser = enter_part(Stage::Parser, "a");
                    work(20_000);
                }
                work(2_000);
            }
            end_unit(1, None);
        }
        measure(Aspects::NONE);
        let costs = so_far().by_layer();
        let of = |stage| costs.iter().find(|(layer, _)| layer.stage == stage).map(|(_, cost)| *cost).unwrap();
        let (stream, parser, worker) = (of(Stage::Stream), of(Stage::Parser), of(Stage::Worker));
        assert_eq!((stream.calls, parser.units, worker.units), (50, 50, 50));
        assert!(parser.ticks > 2 * stream.ticks && stream.ticks > worker.ticks, "{costs:?}");
        assert!(parser.min <= parser.max && parser.max <= parser.ticks);
        let [(kind, whole, _)] = so_far().kinds.try_into().map_err(|_| ()).unwrap();
        assert_eq!((kind.protocol, whole.units), (6, 50));
        assert_eq!(whole.ticks, stream.ticks + parser.ticks + worker.ticks);
        let mut both = so_far();
        both.merge(&so_far());
        assert_eq!(both.by_layer().iter().map(|(_, cost)| cost.ticks).sum::<u64>(), 2 * whole.ticks);
        forget();
        assert!(so_far().layers.is_empty());
    }

    #[test]
    fn nothing_is_counted_of_what_is_not_measured() {
        forget();
        let _stream = enter(Stage::Stream);
        assert!(so_far().kinds.is_empty());
    }

    #[test]
    fn room_is_bounded() {
        const NAMES: [&str; 4] = ["a", "b", "c", "d"];
        let mut costs = LayerCosts::default();
        let stages = [Stage::Parser, Stage::Output, Stage::Detect, Stage::Lua];
        for (stage, name) in stages.into_iter().flat_map(|stage| NAMES.map(|name| (stage, name))) {
            assert!(costs.layer(Layer { stage, name }) < 16);
        }
        for number in 0..100 {
            let place = costs.kind(PacketKind { version: 4, protocol: number });
            assert_eq!(place, if usize::from(number) < MAX_KINDS { usize::from(number) } else { 0 });
        }
    }
}
