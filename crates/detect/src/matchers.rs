//! Matchers for the groups of a ruleset.

use weir_mpm::{Backend, BuildError, Cache, Literal, MultiMatcher};

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

    /// A matcher for payloads, bodies and the like; none where there is nothing to look for.
    pub(crate) fn long(self, literals: Vec<Literal>) -> Result<Option<MultiMatcher>, BuildError> {
        self.build(literals, Backend::Auto)
    }

    /// One for buffers of some tens of bytes, as most fields are.
    pub(crate) fn short(self, literals: Vec<Literal>) -> Result<Option<MultiMatcher>, BuildError> {
        self.build(literals, Backend::AutoShort)
    }

    fn build(self, literals: Vec<Literal>, backend: Backend) -> Result<Option<MultiMatcher>, BuildError> {
        if literals.is_empty() {
            return Ok(None);
        }
        MultiMatcher::build_with(literals, backend, self.cache).map(Some)
    }
}
