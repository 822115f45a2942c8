//! The back ends of [`MultiMatcher`](crate::MultiMatcher).

mod double_array;
mod fingerprint;
#[cfg(hyperscan)]
pub(crate) mod hyperscan;
mod memmem;
mod teddy;

use double_array::DoubleArray;
use fingerprint::Fingerprint;
pub(crate) use fingerprint::Prefixes;
#[cfg(hyperscan)]
use hyperscan::Hyperscan;
use memmem::Memmem;
use teddy::Teddy;

use crate::keys::Keys;
use crate::{Backend, BuildError, Cache, MatchScratch};

/// A way to find keys. An engine is built from the keys it is later given to scan with.
trait Engine: Sized {
    /// Builds the engine, or says why it cannot take these keys.
    fn build(keys: &Keys) -> Result<Self, String>;

    /// Calls `on_key` with a key and the offset one past its occurrence: for a windowed key at every
    /// occurrence, for the others at least once.
    fn scan<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        scratch: &mut MatchScratch,
        on_key: &mut F,
    );

    /// Makes room in `scratch`, so that a scan need not.
    fn grow_scratch(&self, _keys: &Keys, _scratch: &mut MatchScratch) {}

    /// The bytes occupied, about.
    fn memory(&self) -> usize;
}

/// One engine of any kind. A match on the kind per scan keeps the scan itself free of dynamic calls.
#[derive(Debug)]
pub(crate) enum AnyEngine {
    Memmem(Memmem),
    Teddy(Box<Teddy>),
    DoubleArray(DoubleArray),
    Fingerprint(Fingerprint),
    #[cfg(hyperscan)]
    Hyperscan(Hyperscan),
}

/// Up to this many keys are looked for one after another.
const MEMMEM_KEYS: usize = 2;
/// Up to this many keys Teddy is quicker than fingerprints that take more than so many lookups for each byte.
const TEDDY_KEYS: usize = 16;
const LOOKUPS_BEFORE_TEDDY: f64 = 0.5;
/// Beyond this many lookups for each byte because of short keys, Hyperscan is quicker than fingerprints, and
/// beyond the next so is the double array.
const LOOKUPS_BEFORE_HYPERSCAN: f64 = 4.0;
const LOOKUPS_BEFORE_DOUBLE_ARRAY: f64 = 8.0;

impl AnyEngine {
    pub(crate) fn build(keys: &Keys, backend: Backend, cache: Option<&Cache>) -> Result<Self, BuildError> {
        let unavailable = |reason| BuildError::Unavailable { backend, reason };
        match backend {
            Backend::Auto => Self::quickest(keys, cache).map_err(unavailable),
            Backend::Memmem => Memmem::build(keys).map(Self::Memmem).map_err(unavailable),
            Backend::Teddy => Self::teddy(keys).map_err(unavailable),
            Backend::DoubleArray => DoubleArray::build(keys).map(Self::DoubleArray).map_err(unavailable),
            Backend::Fingerprint => Fingerprint::build(keys).map(Self::Fingerprint).map_err(unavailable),
            Backend::Hyperscan => Self::hyperscan(keys, cache).map_err(unavailable),
        }
    }

    /// The engine that the figures of `benches/matchers.rs` speak for, or the next best that can be built.
    fn quickest(keys: &Keys, cache: Option<&Cache>) -> Result<Self, String> {
        if keys.len() <= MEMMEM_KEYS {
            return Memmem::build(keys).map(Self::Memmem);
        }
        let plan = Fingerprint::plan(keys);
        if keys.len() <= TEDDY_KEYS
            && plan.cost.all > LOOKUPS_BEFORE_TEDDY
            && let Ok(teddy) = Self::teddy(keys)
        {
            return Ok(teddy);
        }
        if plan.cost.of_short > LOOKUPS_BEFORE_HYPERSCAN
            && let Ok(hyperscan) = Self::hyperscan(keys, cache)
        {
            return Ok(hyperscan);
        }
        if plan.cost.of_short > LOOKUPS_BEFORE_DOUBLE_ARRAY
            && let Ok(double_array) = DoubleArray::build(keys)
        {
            return Ok(Self::DoubleArray(double_array));
        }
        Ok(Self::Fingerprint(Fingerprint::by_plan(keys, &plan)))
    }

    fn teddy(keys: &Keys) -> Result<Self, String> {
        Teddy::build(keys).map(|teddy| Self::Teddy(Box::new(teddy)))
    }

    #[cfg(hyperscan)]
    fn hyperscan(keys: &Keys, cache: Option<&Cache>) -> Result<Self, String> {
        Hyperscan::from_cache(keys, cache).map(Self::Hyperscan)
    }

    #[cfg(not(hyperscan))]
    fn hyperscan(_: &Keys, _: Option<&Cache>) -> Result<Self, String> {
        Err("this build does not include it".to_owned())
    }

    #[inline]
    pub(crate) fn scan<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        scratch: &mut MatchScratch,
        on_key: &mut F,
    ) {
        if haystack.is_empty() {
            return;
        }
        match self {
            Self::Memmem(engine) => engine.scan(keys, haystack, scratch, on_key),
            Self::Teddy(engine) => engine.scan(keys, haystack, scratch, on_key),
            Self::DoubleArray(engine) => engine.scan(keys, haystack, scratch, on_key),
            Self::Fingerprint(engine) => engine.scan(keys, haystack, scratch, on_key),
            #[cfg(hyperscan)]
            Self::Hyperscan(engine) => engine.scan(keys, haystack, scratch, on_key),
        }
    }

    pub(crate) fn backend(&self) -> Backend {
        match self {
            Self::Memmem(_) => Backend::Memmem,
            Self::Teddy(_) => Backend::Teddy,
            Self::DoubleArray(_) => Backend::DoubleArray,
            Self::Fingerprint(_) => Backend::Fingerprint,
            #[cfg(hyperscan)]
            Self::Hyperscan(_) => Backend::Hyperscan,
        }
    }

    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Memmem(engine) => engine.memory(),
            Self::Teddy(engine) => engine.memory(),
            Self::DoubleArray(engine) => engine.memory(),
            Self::Fingerprint(engine) => engine.memory(),
            #[cfg(hyperscan)]
            Self::Hyperscan(engine) => engine.memory(),
        }
    }

    /// Grows `scratch` for scans with this engine.
    pub(crate) fn grow_scratch(&self, keys: &Keys, scratch: &mut MatchScratch) {
        match self {
            Self::Memmem(engine) => engine.grow_scratch(keys, scratch),
            Self::Teddy(engine) => engine.grow_scratch(keys, scratch),
            Self::DoubleArray(engine) => engine.grow_scratch(keys, scratch),
            Self::Fingerprint(engine) => engine.grow_scratch(keys, scratch),
            #[cfg(hyperscan)]
            Self::Hyperscan(engine) => engine.grow_scratch(keys, scratch),
        }
    }
}
