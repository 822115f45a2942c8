//! The scratch space of libhs: one allocation that is grown until it serves every database used with it.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use super::{Hyperscan, ffi};

/// Scratch space, and which databases it was grown for.
#[derive(Debug, Default)]
pub(crate) struct HyperscanScratch {
    space: Option<NonNull<ffi::Scratch>>,
    /// A bit for each database serial.
    grown_for: Vec<u64>,
}

// SAFETY: scratch space is plain memory that libhs ties to no thread; it is used through `&mut` only.
unsafe impl Send for HyperscanScratch {}

impl HyperscanScratch {
    /// The space, grown for `engine` if it was not yet.
    #[inline]
    pub(super) fn prepare(&mut self, engine: &Hyperscan) -> Result<NonNull<ffi::Scratch>, c_int> {
        let word = (engine.serial / 64) as usize;
        let grown = self.grown_for.get(word).is_some_and(|bits| bits & (1 << (engine.serial % 64)) != 0);
        match self.space {
            Some(space) if grown => Ok(space),
            _ => self.grow(engine),
        }
    }

    #[cold]
    fn grow(&mut self, engine: &Hyperscan) -> Result<NonNull<ffi::Scratch>, c_int> {
        let mut space = self.space.map_or(ptr::null_mut(), NonNull::as_ptr);
        // SAFETY: the database is valid while `engine` lives; `space` is null or scratch that hs_alloc_scratch
        // made, which it may replace.
        let code = unsafe { ffi::hs_alloc_scratch(engine.database.as_ptr(), &mut space) };
        self.space = NonNull::new(space);
        match self.space {
            Some(space) if code == ffi::SUCCESS => {
                let word = (engine.serial / 64) as usize;
                if word >= self.grown_for.len() {
                    self.grown_for.resize(word + 1, 0);
                }
                self.grown_for[word] |= 1 << (engine.serial % 64);
                Ok(space)
            }
            _ => Err(code),
        }
    }
}

impl Drop for HyperscanScratch {
    fn drop(&mut self) {
        if let Some(space) = self.space {
            // SAFETY: the space came from hs_alloc_scratch and is freed here only.
            unsafe { ffi::hs_free_scratch(space.as_ptr()) };
        }
    }
}
