//! Engines that several matchers have: those of the same literals, whatever these stand for. Rules that are loaded anew
//! are mostly those before, and so are the literals of most of their groups.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use sha2::{Digest as _, Sha256};

use crate::cache::Digest;
use crate::engines::AnyEngine;
use crate::keys::Keys;
use crate::{Backend, BuildError};

/// Engines for so few keys are built in no time.
const FEW_KEYS: usize = 2;

/// Engines are forgotten that nobody uses any more where there are twice as many as the last time, and as these.
const FIRST_SWEEP: usize = 16;

/// Engines in use. Locked while matchers are built, never while they are used.
static ENGINES: LazyLock<Mutex<Engines>> = LazyLock::new(Mutex::default);

/// Engines by what they look for.
#[derive(Default)]
struct Engines {
    known: HashMap<Digest, Weak<AnyEngine>>,
    /// The number of those that were in use when the others were forgotten.
    swept: usize,
}

impl Engines {
    fn insert(&mut self, digest: Digest, engine: &Arc<AnyEngine>) {
        if self.known.len() >= 2 * self.swept.max(FIRST_SWEEP) {
            self.known.retain(|_, engine| engine.strong_count() > 0);
            self.swept = self.known.len();
        }
        self.known.insert(digest, Arc::downgrade(engine));
    }
}

/// The engine of these keys: that of another matcher, else what `build` makes.
pub(crate) fn engine(
    keys: &Keys,
    backend: Backend,
    build: impl FnOnce() -> Result<AnyEngine, BuildError>,
) -> Result<Arc<AnyEngine>, BuildError> {
    if keys.len() <= FEW_KEYS {
        return build().map(Arc::new);
    }
    let digest = digest(keys, backend);
    let engines = || ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(engine) = engines().known.get(&digest).and_then(Weak::upgrade) {
        return Ok(engine);
    }
    let engine = Arc::new(build()?);
    engines().insert(digest, &engine);
    Ok(engine)
}

/// The digest of all that an engine depends on.
fn digest(keys: &Keys, backend: Backend) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update([backend as u8]);
    for (_, key, bytes) in keys.iter() {
        let (start, end) = key.window(u32::MAX as usize);
        hasher.update((bytes.len() as u32).to_le_bytes());
        hasher.update((start as u64).to_le_bytes());
        hasher.update((end as u64).to_le_bytes());
        hasher.update([u8::from(key.nocase)]);
        hasher.update(bytes);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Literal, MultiMatcher};

    /// So many literals, whose patterns are numbered from `first`.
    fn literals(count: u32, first: u32) -> Vec<Literal> {
        (0..count)
            .map(|number| Literal::new(format!("literal {number}"), number % 2 == 0, first + number))
            .collect()
    }

    #[test]
    fn the_same_literals_have_one_engine() {
        let build = |literals: Vec<Literal>, backend| MultiMatcher::build(literals, backend).unwrap();
        let auto = Backend::Auto;
        let (many, few) = (build(literals(100, 0), auto), build(literals(2, 0), auto));
        let within = literals(100, 0).into_iter().map(|literal| literal.within(0, 40)).collect();
        for (one, other, same) in [
            (&many, build(literals(100, 0), auto), true),
            (&many, build(literals(100, 7), auto), true),
            (&many, build(literals(101, 0), auto), false),
            (&many, build(literals(100, 0), Backend::DoubleArray), false),
            (&many, build(within, auto), false),
            (&many, build(literals(100, 0).into_iter().rev().collect(), auto), false),
            (&few, build(literals(2, 0), auto), false),
        ] {
            assert_eq!(Arc::ptr_eq(one.engine(), other.engine()), same, "{other:?}");
            // Each finds what its own patterns are.
            let mut found = Vec::new();
            let mut scratch = crate::MatchScratch::for_matchers([&other]);
            other.find(b"here is LITERAL 0 and literal 1", &mut scratch, &mut |id, _| found.push(id));
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), 2, "{other:?}");
        }
    }

    #[test]
    fn engines_that_nobody_has_are_forgotten() {
        let engine = Arc::new(AnyEngine::build(&Keys::new(&literals(3, 0)), Backend::Auto, None).unwrap());
        let mut engines = Engines::default();
        for number in 0..1000_u32 {
            let mut digest = Digest::default();
            digest[..4].copy_from_slice(&number.to_le_bytes());
            let gone;
            let used = if number % 100 == 0 {
                &engine
            } else {
                gone = Arc::new(AnyEngine::build(&Keys::new(&literals(3, 0)), Backend::Auto, None).unwrap());
                &gone
            };
            engines.insert(digest, used);
            assert!(engines.known.len() <= 2 * FIRST_SWEEP, "{number}");
        }
        assert_eq!(engines.known.values().filter(|engine| engine.strong_count() > 0).count(), 10);
    }
}
