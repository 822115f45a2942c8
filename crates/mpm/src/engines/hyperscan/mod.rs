//! Hyperscan or Vectorscan, as the system has it: its literal compiler, in block mode.
//!
//! Versions other than those `build.rs` accepts are refused again at run time, for the library is shared and
//! may be another one than at the build.

mod ffi;
mod scratch;
mod stored;

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) use scratch::HyperscanScratch;

use super::Engine;
use super::double_array::DoubleArray;
use crate::MatchScratch;
use crate::keys::Keys;

/// The most bytes given to one call, whose length is 32 bits wide.
const CHUNK_MAX: usize = 1 << 30;

/// A compiled database.
#[derive(Debug)]
pub(crate) struct Hyperscan {
    database: NonNull<ffi::Database>,
    /// Distinguishes databases in [`HyperscanScratch`].
    serial: u32,
    longest: usize,
    /// Matcher in its stead once a scan failed: libhs 5.4.0 gives an internal error for some
    /// sets and buffers, and a set that met one meets it again.
    spare: OnceLock<Option<DoubleArray>>,
}

// SAFETY: a database is not changed after hs_compile_lit_multi returned it, and libhs allows scans with one
// database by any number of threads.
unsafe impl Send for Hyperscan {}
// SAFETY: as above.
unsafe impl Sync for Hyperscan {}

impl Drop for Hyperscan {
    fn drop(&mut self) {
        // SAFETY: the database came from hs_compile_lit_multi and is freed here only.
        unsafe { ffi::hs_free_database(self.database.as_ptr()) };
    }
}

static NEXT_SERIAL: AtomicU32 = AtomicU32::new(0);

impl Engine for Hyperscan {
    fn build(keys: &Keys) -> Result<Self, String> {
        check_library()?;
        let mut expressions: Vec<*const c_char> = Vec::with_capacity(keys.len());
        let mut flags: Vec<c_uint> = Vec::with_capacity(keys.len());
        let mut ids: Vec<c_uint> = Vec::with_capacity(keys.len());
        let mut lengths: Vec<usize> = Vec::with_capacity(keys.len());
        for (index, key, bytes) in keys.iter() {
            expressions.push(bytes.as_ptr().cast());
            // Not HS_FLAG_SINGLEMATCH, although one match would do: with it, scans of libhs 5.4.0 for
            // some hundreds of literals end now and then with HS_UNKNOWN_ERROR.
            flags.push(if key.nocase { ffi::FLAG_CASELESS } else { 0 });
            ids.push(index);
            lengths.push(bytes.len());
        }
        let mut database = ptr::null_mut();
        let mut error = ptr::null_mut();
        // SAFETY: the four arrays have `keys.len()` elements each, every expression points to as many bytes
        // as its length says, and all outlive the call. A null platform means the machine it runs on.
        let code = unsafe {
            ffi::hs_compile_lit_multi(
                expressions.as_ptr(),
                flags.as_ptr(),
                ids.as_ptr(),
                lengths.as_ptr(),
                keys.len() as c_uint,
                ffi::MODE_BLOCK,
                ptr::null(),
                &mut database,
                &mut error,
            )
        };
        match NonNull::new(database) {
            Some(database) if code == ffi::SUCCESS => Ok(Self::new(database, keys)),
            _ => Err(take_message(error)),
        }
    }

    fn scan<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        scratch: &mut MatchScratch,
        on_key: &mut F,
    ) {
        if let Some(spare) = self.spare.get() {
            return scan_spare(spare.as_ref(), keys, haystack, scratch, on_key);
        }
        // Literals that occur at each place, as in runs of one byte, would be reported there over and over.
        let MatchScratch { hyperscan, seen, .. } = scratch;
        let mut seen = seen.begin(keys.len());
        let mut on_first = |key, end| {
            if !seen.contains(key) {
                if !keys.key(key).is_windowed() {
                    seen.insert(key);
                }
                on_key(key, end);
            }
        };
        let mut start = 0;
        loop {
            let end = haystack.len().min(start + CHUNK_MAX);
            if self.scan_chunk(&haystack[start..end], start, hyperscan, &mut on_first).is_err() {
                let spare = self.spare.get_or_init(|| DoubleArray::build(keys).ok());
                return scan_spare(spare.as_ref(), keys, haystack, scratch, on_key);
            }
            if end == haystack.len() {
                return;
            }
            start = end - (self.longest - 1).min(CHUNK_MAX / 2);
        }
    }

    fn grow_scratch(&self, _: &Keys, scratch: &mut MatchScratch) {
        // A failure shows again at the scan, which then searches without the library.
        let _ = scratch.hyperscan.prepare(self);
    }

    fn memory(&self) -> usize {
        let mut size = 0;
        // SAFETY: the database is valid while `self` lives, and `size` is written by the call only.
        unsafe { ffi::hs_database_size(self.database.as_ptr(), &mut size) };
        size
    }
}

/// Scans with the double array, or key by key where that could not be built.
fn scan_spare<F: FnMut(u32, usize)>(
    spare: Option<&DoubleArray>,
    keys: &Keys,
    haystack: &[u8],
    scratch: &mut MatchScratch,
    on_key: &mut F,
) {
    match spare {
        Some(spare) => spare.scan(keys, haystack, scratch, on_key),
        None => keys.search_naively(haystack, on_key),
    }
}

/// Context that a scan hands through libhs to the match handler.
struct Sink<'f, F> {
    on_key: &'f mut F,
    base: usize,
}

impl Hyperscan {
    fn new(database: NonNull<ffi::Database>, keys: &Keys) -> Self {
        let serial = NEXT_SERIAL.fetch_add(1, Ordering::Relaxed);
        let longest = keys.iter().map(|(_, key, _)| key.len()).max().unwrap_or(0);
        Self { database, serial, longest, spare: OnceLock::new() }
    }

    fn scan_chunk<F: FnMut(u32, usize)>(
        &self,
        chunk: &[u8],
        base: usize,
        scratch: &mut HyperscanScratch,
        on_key: &mut F,
    ) -> Result<(), c_int> {
        let scratch = scratch.prepare(self)?;
        let mut sink = Sink { on_key, base };
        // SAFETY: database and scratch are valid and made for each other, and the scratch is borrowed
        // mutably, so no other scan uses it. The chunk is at most CHUNK_MAX bytes long. The handler is the
        // one for this `F`, and the context it receives is `sink`, which outlives the call.
        let code = unsafe {
            ffi::hs_scan(
                self.database.as_ptr(),
                chunk.as_ptr().cast(),
                chunk.len() as c_uint,
                0,
                scratch.as_ptr(),
                Some(on_event::<F>),
                ptr::from_mut(&mut sink).cast(),
            )
        };
        if code == ffi::SUCCESS { Ok(()) } else { Err(code) }
    }
}

unsafe extern "C" fn on_event<F: FnMut(u32, usize)>(
    id: c_uint,
    _from: c_ulonglong,
    to: c_ulonglong,
    _flags: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: `context` is the `Sink<F>` that scan_chunk made for this call and uses for nothing else while
    // the call lasts; libhs calls handlers one at a time.
    let sink = unsafe { &mut *context.cast::<Sink<'_, F>>() };
    (sink.on_key)(id, sink.base + to as usize);
    0
}

/// Reads and frees libhs's description of an error.
fn take_message(error: *mut ffi::RawCompileError) -> String {
    let Some(error) = NonNull::new(error) else { return "libhs gave no reason".to_owned() };
    // SAFETY: libhs set the pointer to a valid error with a null-terminated message, freed here only and
    // after the message was copied.
    unsafe {
        let message = CStr::from_ptr(error.as_ref().message).to_string_lossy().into_owned();
        ffi::hs_free_compile_error(error.as_ptr());
        message
    }
}

/// Whether the processor and the version found at run time will do.
fn check_library() -> Result<(), String> {
    // SAFETY: takes nothing and changes nothing.
    if unsafe { ffi::hs_valid_platform() } != ffi::SUCCESS {
        return Err("the processor lacks the instructions".to_owned());
    }
    // SAFETY: hs_version returns a null-terminated string that is never freed.
    let version = unsafe { CStr::from_ptr(ffi::hs_version()) }.to_string_lossy();
    if is_accepted(&version) { Ok(()) } else { Err(format!("libhs {version} is not one known to be right")) }
}

/// The versions that `build.rs` accepts; a date may follow the number.
fn is_accepted(version: &str) -> bool {
    let number = version.split(' ').next().unwrap_or(version);
    let mut numbers = number.split('.').map(|number| number.parse::<u32>().ok());
    let triple = [(); 3].map(|()| numbers.next().flatten());
    matches!(triple, [Some(5), Some(4), Some(0..=2 | 12..)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_known_versions_only() {
        let cases = [
            ("5.4.0 2021-01-26", true),
            ("5.4.2", true),
            ("5.4.9 2023-03-23", false),
            ("5.4.11", false),
            ("5.4.12 2025-06-01", true),
            ("5.5.0", false),
            ("4.7.0", false),
            ("", false),
        ];
        for (version, accepted) in cases {
            assert_eq!(is_accepted(version), accepted, "{version}");
        }
    }
}
