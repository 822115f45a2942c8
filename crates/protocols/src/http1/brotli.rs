//! Brotli (RFC 7932), whose window of up to 16 MB is announced by a few bytes: a large one is mapped, so that only
//! what is written of it takes memory and time, and kept for the stream after it, so that many small streams do not
//! have the kernel map and clear one each.

use std::cell::Cell;

use brotli_decompressor::{
    Allocator, BrotliDecompressStream, BrotliResult, BrotliState, SliceWrapper, SliceWrapperMut,
    StandardAlloc,
};
use memmap2::MmapMut;

/// Windows from this size on are mapped.
const MAPPED: usize = 256 << 10;

/// Bytes of a mapping: the largest window (RFC 7932 section 9.1), and what the decoder writes behind it.
const MAPPING: usize = (1 << 24) + (4 << 10);

thread_local! {
    /// A mapping that no stream uses. What the one before wrote there is never read: the decoder refuses distances
    /// beyond the bytes that it gave out.
    static SPARE: Cell<Option<MmapMut>> = const { Cell::new(None) };
}

/// Reads a stream.
pub(super) struct Brotli(Box<BrotliState<Bytes, StandardAlloc, StandardAlloc>>);

/// Result of a step.
pub(super) struct Step {
    /// Bytes of input taken.
    pub taken: usize,
    /// Bytes of output given.
    pub given: usize,
    /// State after it.
    pub result: BrotliResult,
}

impl Brotli {
    /// One that has read nothing.
    pub(super) fn new() -> Self {
        let state = BrotliState::new_strict(Bytes, StandardAlloc::default(), StandardAlloc::default());
        Self(Box::new(state))
    }

    /// Reads on, as far as there is room for what comes of it.
    pub(super) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        let (mut available_in, mut taken) = (input.len(), 0);
        let (mut available_out, mut given) = (output.len(), 0);
        let mut total = 0;
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut taken,
            input,
            &mut available_out,
            &mut given,
            output,
            &mut total,
            &mut self.0,
        );
        Step { taken, given, result }
    }
}

/// Allocates bytes for a decompressor.
struct Bytes;

/// Bytes of a decompressor; those of a mapping are the first of it.
enum Memory {
    Allocated(Box<[u8]>),
    Mapped(MmapMut, usize),
}

impl Default for Memory {
    fn default() -> Self {
        Self::Allocated(Box::default())
    }
}

impl SliceWrapper<u8> for Memory {
    fn slice(&self) -> &[u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(bytes, length) => bytes.get(..*length).unwrap_or_default(),
        }
    }
}

impl SliceWrapperMut<u8> for Memory {
    fn slice_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Allocated(bytes) => bytes,
            Self::Mapped(bytes, length) => bytes.get_mut(..*length).unwrap_or_default(),
        }
    }
}

impl Allocator<u8> for Bytes {
    type AllocatedMemory = Memory;

    fn alloc_cell(&mut self, length: usize) -> Memory {
        let mapped = if (MAPPED..=MAPPING).contains(&length) {
            SPARE.take().or_else(|| MmapMut::map_anon(MAPPING).ok())
        } else {
            None
        };
        mapped
            .map_or_else(|| Memory::Allocated(vec![0; length].into()), |bytes| Memory::Mapped(bytes, length))
    }

    fn free_cell(&mut self, memory: Memory) {
        if let Memory::Mapped(bytes, _) = memory {
            SPARE.set(Some(bytes));
        }
    }
}
