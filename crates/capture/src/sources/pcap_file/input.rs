//! The bytes of a capture file: mapped into memory, or streamed through a chunk buffer.

use std::fs::File;
use std::io::{self, Read};
use std::time::Duration;

use memmap2::{Advice, Mmap, UncheckedAdvice};
use weir_base::prefetch::{CACHE_LINE, prefetch};

use super::compression::Compression;
use super::record::MAGIC_LENGTH;
use super::walker::Window;
use crate::wait::wait_for_bytes;

/// Bytes read at once from a stream. The buffer grows past this only for a longer record, and no
/// further than the longest that is allowed.
const CHUNK_LENGTH: usize = 256 * 1024;

/// Bytes of a mapped file given up at once; a multiple of the page size.
const RELEASED_AT_ONCE: usize = 16 << 20;

/// Bytes of a mapped file that are fetched into the processor's cache ahead of reading. The
/// next record is found only by the length of the one before, so that without it each would be waited for.
const FETCHED_AHEAD: usize = 4096;

/// Time that a pipe is waited for before the caller has its turn.
pub const PIPE_WAIT: Duration = Duration::from_millis(50);

/// Where the bytes come from.
pub(super) enum Input {
    /// A regular file, uncompressed.
    Mapped(Mapped),
    /// A pipe, or a compressed file.
    Streamed(Stream),
}

impl Input {
    /// Takes the best way to read `file`.
    pub(super) fn open(file: File) -> io::Result<Self> {
        match map(&file) {
            Some(mapped) if Compression::detect(&mapped).is_none() => {
                Ok(Input::Mapped(Mapped { map: mapped, released: 0, fetched: 0 }))
            }
            _ if is_regular(&file) => Ok(Input::Streamed(Stream::new(Box::new(file)))),
            _ => Ok(Input::Streamed(Stream { is_pipe: true, ..Stream::new(Box::new(Pipe(file))) })),
        }
    }

    /// Whether the bytes may be long in coming: opening then does not wait for the first of them.
    pub(super) fn is_pipe(&self) -> bool {
        matches!(self, Input::Streamed(stream) if stream.is_pipe)
    }

    #[inline]
    pub(super) fn window(&self) -> Window<'_> {
        match self {
            Input::Mapped(mapped) => Window { bytes: &mapped.map, base: 0, ended: true },
            Input::Streamed(stream) => stream.window(),
        }
    }

    /// Lets go of what lies before `position` and reads on until `size` bytes from there on are in
    /// the window, or the end is.
    pub(super) fn fill(&mut self, position: u64, size: usize) -> io::Result<()> {
        match self {
            Input::Mapped(_) => Ok(()),
            Input::Streamed(stream) => stream.fill(position, size),
        }
    }

    /// Lets the system have back the memory of what lies before `position` and will not be read again.
    #[inline]
    pub(super) fn release(&mut self, position: u64) {
        if let Input::Mapped(mapped) = self {
            mapped.release(position);
        }
    }

    /// Has the processor fetch what comes soon after `position`.
    #[inline]
    pub(super) fn fetch(&mut self, position: u64) {
        if let Input::Mapped(mapped) = self {
            mapped.fetch(position);
        }
    }

    /// The length of the capture, where it is known.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Input::Mapped(mapped) => Some(mapped.map.len() as u64),
            Input::Streamed(_) => None,
        }
    }

    pub(super) fn compression(&self) -> Option<Compression> {
        match self {
            Input::Mapped(_) => None,
            Input::Streamed(stream) => stream.compression,
        }
    }
}

/// A mapped file.
pub(super) struct Mapped {
    map: Mmap,
    /// Bytes before this are no longer in the process's memory.
    released: usize,
    /// Bytes before this are on their way into the processor's cache, or were there.
    fetched: usize,
}

impl Mapped {
    /// Gives up the pages before `position`, in large pieces: the memory of a run is then that of the
    /// engine, however long the capture. The pages stay in the system's cache.
    fn release(&mut self, position: u64) {
        let position = usize::try_from(position).unwrap_or(usize::MAX).min(self.map.len());
        let end = position - position % RELEASED_AT_ONCE;
        if end > self.released {
            // SAFETY: the map is shared and read-only, so that pages given up are read from the file
            // again should anyone look at them; no byte changes.
            #[allow(unsafe_code)]
            let given_up = unsafe {
                self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, self.released, end - self.released)
            };
            // Advice: reading is right without it.
            let _ = given_up;
            self.released = end;
        }
    }

    #[inline]
    fn fetch(&mut self, position: u64) {
        let position = usize::try_from(position).unwrap_or(usize::MAX).min(self.map.len());
        let end = position.saturating_add(FETCHED_AHEAD);
        let start = self.fetched.max(position);
        let lines = self.map.get(start..end.min(self.map.len())).unwrap_or_default().chunks(CACHE_LINE);
        self.fetched = start + lines.len() * CACHE_LINE;
        lines.filter_map(<[u8]>::first).for_each(|byte| prefetch(byte, 1));
    }
}

/// Maps a regular file that is not empty.
fn map(file: &File) -> Option<Mmap> {
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() == 0 {
        return None;
    }
    // SAFETY: the map is read-only and the bytes are only ever read as integers and slices of
    // plain bytes, so that another process that writes to the file can change what is parsed and
    // nothing more. Parsing checks each length it reads against the map before it uses it, in one
    // copy of that length. Should the file be cut short meanwhile, the system ends the process
    // with a signal, which is safe though not pleasant; captures are appended to, not cut.
    #[allow(unsafe_code)]
    let mapped = unsafe { Mmap::map(file) }.ok()?;
    // Advice: reading is right without it.
    let _ = mapped.advise(Advice::Sequential);
    Some(mapped)
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// A pipe, a socket or a device. Reading it is interrupted where nothing comes for a while: the caller may have
/// other things to do meanwhile.
struct Pipe(File);

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !wait_for_bytes(&self.0, PIPE_WAIT)? {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match self.0.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(io::ErrorKind::Interrupted.into()),
            read => read,
        }
    }
}

/// A reader behind a buffer that holds whole records.
pub(super) struct Stream {
    reader: Box<dyn Read + Send>,
    is_pipe: bool,
    /// Whether the first bytes were looked at for a compression.
    is_told: bool,
    compression: Option<Compression>,
    buffer: Vec<u8>,
    /// The part of the buffer that is filled.
    filled: usize,
    /// Where in the capture the buffer begins.
    base: u64,
    ended: bool,
}

impl Stream {
    /// Reads `reader`, through a decompressor if its first bytes ask for one.
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        Self {
            reader,
            is_pipe: false,
            is_told: false,
            compression: None,
            buffer: vec![0; CHUNK_LENGTH],
            filled: 0,
            base: 0,
            ended: false,
        }
    }

    /// Reads the first bytes, and has all be decompressed where they ask for that.
    fn tell_compression(&mut self) -> io::Result<()> {
        while self.filled < MAGIC_LENGTH && !self.ended {
            self.read()?;
        }
        self.is_told = true;
        let beginning = self.buffer.get(..self.filled).unwrap_or_default();
        if let Some(compression) = Compression::detect(beginning) {
            let beginning = io::Cursor::new(beginning.to_vec());
            let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
            self.compression = Some(compression);
            (self.filled, self.ended) = (0, false);
            self.reader = compression.decoder(Box::new(beginning.chain(rest)))?;
        }
        Ok(())
    }

    fn window(&self) -> Window<'_> {
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        Window { bytes, base: self.base, ended: self.ended }
    }

    fn fill(&mut self, position: u64, size: usize) -> io::Result<()> {
        if !self.is_told {
            self.tell_compression()?;
        }
        loop {
            self.discard(position);
            let at = position.saturating_sub(self.base);
            if self.ended || at + size as u64 <= self.filled as u64 {
                return Ok(());
            }
            if size > self.buffer.len() {
                self.buffer.resize(size.next_power_of_two(), 0);
            }
            self.read()?;
        }
    }

    /// Reads once.
    fn read(&mut self) -> io::Result<()> {
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        match self.reader.read(room)? {
            0 => self.ended = true,
            count => self.filled += count.min(room.len()),
        }
        Ok(())
    }

    /// Returns the size of the buffer.
    #[cfg(test)]
    pub(super) fn buffer_length(&self) -> usize {
        self.buffer.len()
    }

    /// Moves what is kept to the front of the buffer.
    fn discard(&mut self, position: u64) {
        let spent =
            usize::try_from(position.saturating_sub(self.base)).map_or(self.filled, |at| at.min(self.filled));
        if spent > 0 {
            self.buffer.copy_within(spent..self.filled, 0);
            self.filled -= spent;
            self.base += spent as u64;
        }
    }
}
