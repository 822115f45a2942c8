//! Scratch memory of a worker's regular expressions.

use std::ptr::{self, NonNull};

use pcre2_sys as sys;

use super::{MatchError, RegexLimits};

/// The machine stack of a match starts small and grows as a pattern needs it.
const JIT_STACK_START: usize = 32 * 1024;
/// A pattern that needs more stack ends as if it had reached its limit.
const JIT_STACK_MAX: usize = 1024 * 1024;

/// The working memory of matches, one per worker and usable with every [`Regex`](super::Regex).
#[derive(Debug, Default)]
pub struct RegexScratch {
    parts: Option<Parts>,
}

/// PCRE2's objects, made at the first match.
#[derive(Debug)]
struct Parts {
    data: NonNull<sys::pcre2_match_data_8>,
    /// The groups, whole match included, that `data` has room for.
    room: usize,
    context: NonNull<sys::pcre2_match_context_8>,
    stack: *mut sys::pcre2_jit_stack_8,
    limits: Option<RegexLimits>,
}

// SAFETY: the objects are plain memory that PCRE2 ties to no thread, used through `&mut` only.
unsafe impl Send for Parts {}

impl RegexScratch {
    /// Scratch that grows when a pattern first needs it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Match data with room for `groups`, and a context that sets `limits`.
    pub(super) fn prepare(
        &mut self,
        groups: usize,
        limits: RegexLimits,
    ) -> Result<(NonNull<sys::pcre2_match_data_8>, NonNull<sys::pcre2_match_context_8>), MatchError> {
        if self.parts.as_ref().is_none_or(|parts| parts.room < groups) {
            self.parts = Parts::new(groups);
        }
        let parts = self.parts.as_mut().ok_or(MatchError::Failed(sys::PCRE2_ERROR_NOMEMORY))?;
        parts.set_limits(limits);
        Ok((parts.data, parts.context))
    }

    /// The offsets of the first `groups` groups after a match.
    pub(super) fn offsets(&self, groups: usize) -> &[[usize; 2]] {
        let Some(parts) = &self.parts else { return &[] };
        // SAFETY: the offsets are an array of pairs, `room` in number, that lasts as long as the match data.
        unsafe {
            let offsets = sys::pcre2_get_ovector_pointer_8(parts.data.as_ptr());
            std::slice::from_raw_parts(offsets.cast(), groups.min(parts.room))
        }
    }
}

impl Parts {
    /// None when memory is short.
    fn new(room: usize) -> Option<Self> {
        let pairs = u32::try_from(room).ok()?;
        // SAFETY: a null general context means the default allocator.
        let data = NonNull::new(unsafe { sys::pcre2_match_data_create_8(pairs, ptr::null_mut()) })?;
        // SAFETY: as above.
        let context = NonNull::new(unsafe { sys::pcre2_match_context_create_8(ptr::null_mut()) });
        let Some(context) = context else {
            // SAFETY: made above, and freed here only.
            unsafe { sys::pcre2_match_data_free_8(data.as_ptr()) };
            return None;
        };
        // SAFETY: as above. Null means that there is no code generator or no memory.
        let stack = unsafe { sys::pcre2_jit_stack_create_8(JIT_STACK_START, JIT_STACK_MAX, ptr::null_mut()) };
        // SAFETY: without a callback the last argument is the stack, or null for the thread's own; it lives
        // as long as the context.
        unsafe { sys::pcre2_jit_stack_assign_8(context.as_ptr(), None, stack.cast()) };
        Some(Self { data, room, context, stack, limits: None })
    }

    fn set_limits(&mut self, limits: RegexLimits) {
        if self.limits == Some(limits) {
            return;
        }
        self.limits = Some(limits);
        // SAFETY: the context is valid and borrowed mutably through `self`.
        unsafe {
            sys::pcre2_set_match_limit_8(self.context.as_ptr(), limits.matches);
            sys::pcre2_set_depth_limit_8(self.context.as_ptr(), limits.depth);
            sys::pcre2_set_heap_limit_8(self.context.as_ptr(), limits.heap_kib);
        }
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        // SAFETY: all three were made in `new` and are freed here only; a null stack is allowed.
        unsafe {
            sys::pcre2_match_data_free_8(self.data.as_ptr());
            sys::pcre2_match_context_free_8(self.context.as_ptr());
            sys::pcre2_jit_stack_free_8(self.stack);
        }
    }
}
