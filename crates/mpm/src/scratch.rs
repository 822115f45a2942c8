//! Scratch memory of a worker's scans.

use crate::MultiMatcher;
#[cfg(hyperscan)]
use crate::engines::hyperscan::HyperscanScratch;
use crate::seen::Stamps;

/// The working memory of scans, one per worker and usable with every [`MultiMatcher`].
#[derive(Debug, Default)]
pub struct MatchScratch {
    /// The buffer being scanned, in lower case.
    pub(crate) folded: Vec<u8>,
    pub(crate) seen: Stamps,
    #[cfg(hyperscan)]
    pub(crate) hyperscan: HyperscanScratch,
}

impl MatchScratch {
    /// Scratch that grows when a matcher first needs it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Scratch large enough for all `matchers`, so that scanning with them does not allocate.
    pub fn for_matchers<'m>(matchers: impl IntoIterator<Item = &'m MultiMatcher>) -> Self {
        let mut scratch = Self::new();
        scratch.grow_for(matchers);
        scratch
    }

    /// Makes room for `matchers` as well, as after a reload of rules.
    pub fn grow_for<'m>(&mut self, matchers: impl IntoIterator<Item = &'m MultiMatcher>) {
        for matcher in matchers {
            matcher.grow_scratch(self);
        }
    }

    /// Sets `folded` to `haystack` in lower case.
    pub(crate) fn fold(&mut self, haystack: &[u8]) {
        self.folded.clear();
        self.folded.extend(haystack.iter().map(u8::to_ascii_lowercase));
    }
}
