//! Matchers for the groups of a ruleset.

use std::sync::{Mutex, PoisonError};

use weir_mpm::{Backend, BuildError, Cache, Literal, MultiMatcher};

/// Most threads that build them: each takes some tens of megabytes for as long.
const MAX_THREADS: usize = 4;

/// Builds matchers, with help from what earlier starts left on disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matchers<'c> {
    cache: Option<&'c Cache>,
}

impl<'c> Matchers<'c> {
    /// Builds with `cache`, if there is one.
    pub(crate) fn new(cache: Option<&'c Cache>) -> Self {
        Self { cache }
    }

    /// A matcher; none where there is nothing to look for.
    pub(crate) fn build(self, literals: Vec<Literal>) -> Result<Option<MultiMatcher>, BuildError> {
        if literals.is_empty() {
            return Ok(None);
        }
        MultiMatcher::build_with(literals, Backend::Auto, self.cache).map(Some)
    }
}

/// Returns what `build` makes of each of `parts`, in their order, made on several threads: to compile the matchers
/// of a large ruleset takes a second or two.
pub(crate) fn build_each<P: Send, B: Send>(parts: Vec<P>, build: impl Fn(P) -> B + Sync) -> Vec<B> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = processors.min(MAX_THREADS).min(parts.len());
    let left = Mutex::new(parts.into_iter().enumerate());
    let build_some = || {
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::iter::from_fn(next).map(|(place, part)| (place, build(part))).collect::<Vec<_>>()
    };
    let mut built = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(build_some)).collect();
        let mut built = build_some();
        for other in others {
            built.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        built
    });
    built.sort_unstable_by_key(|(place, _)| *place);
    built.into_iter().map(|(_, built)| built).collect()
}

#[cfg(test)]
mod tests {
    use super::build_each;

    #[test]
    fn what_is_built_on_several_threads_keeps_its_order() {
        for count in [0, 1, 2, 100] {
            let built = build_each((0..count).collect(), |part: u32| part * 2);
            assert_eq!(built, (0..count).map(|part| part * 2).collect::<Vec<_>>());
        }
    }
}
