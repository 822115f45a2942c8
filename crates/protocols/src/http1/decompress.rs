//! Bodies out of their compressions, as lenient as browsers are.
//!
//! A body that is not compressed as announced is tried as raw deflate, zlib and gzip in turn, and
//! passed on as it is if none fits. Checksums do not count, what follows the end of a stream is
//! ignored, and a truncated stream gives what it gave.

use brotli_decompressor::BrotliResult;
use flate2::{Decompress, FlushDecompress, Status};
use lzma_rs::decompress::{Options as LzmaOptions, Stream as LzmaStream};
use std::io::Write;
use weir_applayer::TakenMemory;

use super::brotli::{self, Brotli};
use super::content_encoding::Encoding;
use super::gzip_header::GzipHeader;
use super::octets::{head, tail};

/// Output is handed on in pieces of this size.
const PIECE: usize = 8192;

/// Bytes of output in one piece for Zeek's logs.
const ZEEK_PIECE: usize = 4096;

/// Bytes of a checksum behind a stream.
const CHECKSUM: usize = 4;

/// Attempts at another compression.
const MAX_RESTARTS: u8 = 3;

/// Most input kept to be read again by another decompressor, while there is no output.
const MAX_REPLAY: usize = 1024;

/// Bytes of memory that a decoder takes, about: its tables, and a window of 32 KB.
const DECODER: usize = 48 << 10;

/// Most input kept for a double of a decompressor.
const MAX_JOURNAL: usize = 64 << 10;

/// Room for that from the first byte on.
const MIN_JOURNAL: usize = 1024;

/// Most bits by which LZMA's table of literals is chosen from, as encoders have it; each bit more doubles what is to be
/// set up before the first byte.
const MAX_LZMA_BITS: u8 = 4;

enum Decoder {
    Gzip(GzipHeader, Decompress),
    Deflate(Decompress),
    Zlib(Decompress),
    Brotli(Brotli),
    Lzma(Option<Box<LzmaStream<Vec<u8>>>>),
    /// Leaves everything as it is.
    Identity,
    /// The end of the stream was seen, or it broke after some output.
    Ended,
}

/// Result of one step.
struct Stepped {
    taken: usize,
    given: usize,
    state: StepState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StepState {
    More,
    End,
    Broken,
}

impl Decoder {
    fn new(encoding: Encoding, lzma_memory: Option<usize>) -> Self {
        match encoding {
            Encoding::Gzip => Self::Gzip(GzipHeader::new(), Decompress::new(false)),
            Encoding::Deflate => Self::Deflate(Decompress::new(false)),
            Encoding::Zlib => Self::Zlib(Decompress::new(true)),
            Encoding::Brotli => Self::Brotli(Brotli::new()),
            Encoding::Lzma => match lzma_memory {
                None => Self::Identity,
                Some(memory) => {
                    let options = LzmaOptions { memlimit: Some(memory), ..LzmaOptions::default() };
                    Self::Lzma(Some(Box::new(LzmaStream::new_with_options(&options, Vec::new()))))
                }
            },
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Stepped {
        match self {
            Self::Gzip(header, inflate) => {
                if !header.is_done() {
                    return match header.read(input) {
                        Ok(taken) => Stepped { taken, given: 0, state: StepState::More },
                        Err(_) => Stepped { taken: 0, given: 0, state: StepState::Broken },
                    };
                }
                inflate_step(inflate, input, output)
            }
            Self::Deflate(inflate) | Self::Zlib(inflate) => inflate_step(inflate, input, output),
            Self::Brotli(brotli) => brotli_step(brotli, input, output),
            Self::Lzma(_) | Self::Identity | Self::Ended => {
                Stepped { taken: input.len(), given: 0, state: StepState::End }
            }
        }
    }
}

fn inflate_step(inflate: &mut Decompress, input: &[u8], output: &mut [u8]) -> Stepped {
    let before = (inflate.total_in(), inflate.total_out());
    let status = inflate.decompress(input, output, FlushDecompress::None);
    Stepped {
        taken: (inflate.total_in() - before.0) as usize,
        given: (inflate.total_out() - before.1) as usize,
        state: match status {
            Ok(Status::StreamEnd) => StepState::End,
            Ok(_) => StepState::More,
            Err(_) => StepState::Broken,
        },
    }
}

fn brotli_step(brotli: &mut Brotli, input: &[u8], output: &mut [u8]) -> Stepped {
    let brotli::Step { taken, given, result } = brotli.step(input, output);
    let state = match result {
        BrotliResult::ResultSuccess => StepState::End,
        BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => StepState::More,
        BrotliResult::ResultFailure => StepState::Broken,
    };
    Stepped { taken, given, state }
}

struct Layer {
    decoder: Decoder,
    encoding: Encoding,
    /// Encoding that was announced.
    announced: Encoding,
    restarts: u8,
    lzma_memory: Option<usize>,
    /// Input is missing: checksums will not be right.
    has_gap: bool,
    /// It broke after some output.
    failed: bool,
    /// It broke, and nothing else fits.
    gave_up: bool,
    /// Input of the decoder that gave no output yet, for the next one to try.
    replay: Vec<u8>,
    has_output: bool,
    /// It is not what the server said, and not proven.
    on_trial: bool,
    /// Output of a decoder on trial.
    held: Vec<u8>,
}

/// Takes decompressed pieces, and how many bytes at the beginning of each count for Zeek; false to stop.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&[u8], usize) -> bool;

impl Layer {
    fn new(encoding: Encoding, lzma_memory: Option<usize>) -> Self {
        Self {
            decoder: Decoder::new(encoding, lzma_memory),
            encoding,
            announced: encoding,
            restarts: 0,
            lzma_memory,
            has_gap: false,
            failed: false,
            gave_up: false,
            replay: Vec::new(),
            has_output: false,
            on_trial: false,
            held: Vec::new(),
        }
    }

    /// Sends `input` through this layer and the ones after it; false where the sink had enough.
    fn push(&mut self, input: &[u8], next: &mut [Layer], sink: Sink<'_>) -> bool {
        if matches!(self.decoder, Decoder::Identity) {
            return push(next, input, input.len(), sink);
        }
        if matches!(self.decoder, Decoder::Lzma(_)) {
            return self.push_lzma(input, next, sink);
        }
        let mut output = [0; PIECE];
        let room = output.len();
        let (mut position, mut retry) = (0, 0);
        loop {
            let in_header = self.in_header();
            let rest = tail(input, position);
            let trial = MAX_REPLAY.saturating_sub(self.replay.len() + position - retry);
            let shown = if self.on_trial { head(rest, trial.max(1)) } else { rest };
            let stepped = self.decoder.step(shown, &mut output);
            position += stepped.taken;
            let broken = self.is_broken(&stepped, input.len() - position);
            let kept = if broken { self.fail(stepped.given) } else { stepped.given };
            if !self.take(head(&output, stepped.given), kept, next, sink) {
                return false;
            }
            // A complete gzip header is not part of what is tried again.
            if in_header && !self.in_header() {
                self.replay.clear();
                retry = position;
            }
            match stepped.state {
                StepState::Broken => return self.broken(tail(input, retry), next, sink),
                StepState::End => {
                    self.decoder = Decoder::Ended;
                    return self.trust(next, sink);
                }
                StepState::More => {}
            }
            if stepped.taken >= trial && !self.trust(next, sink) {
                return false;
            }
            let stuck = stepped.taken == 0 && stepped.given == 0;
            if position >= input.len() && stepped.given < room || stuck {
                self.remember(tail(input, retry));
                return true;
            }
        }
    }

    /// Whether a step failed, perhaps for the checksum among the `left` bytes behind the stream.
    fn is_broken(&self, step: &Stepped, left: usize) -> bool {
        let checks = self.has_gap && self.encoding == Encoding::Gzip && left >= CHECKSUM;
        step.state == StepState::Broken || step.state == StepState::End && checks
    }

    /// A step fails that gave so many bytes: to Zeek, which reads in pieces of its own, those of the last piece are
    /// lost. Answers how many are not.
    fn fail(&mut self, given: usize) -> usize {
        if !self.has_output && (self.on_trial || given < ZEEK_PIECE) {
            return given;
        }
        self.failed = true;
        given - given % ZEEK_PIECE
    }

    /// Takes output, of which the first `kept` bytes count for Zeek. What a second choice makes of plain text may look right for some bytes, so that
    /// its output waits.
    fn take(&mut self, output: &[u8], kept: usize, next: &mut [Layer], sink: Sink<'_>) -> bool {
        if !self.on_trial {
            return self.hand_on(output, kept, next, sink);
        }
        self.held.extend_from_slice(output);
        self.held.len() <= PIECE || self.trust(next, sink)
    }

    /// The encoding seems to be right.
    fn trust(&mut self, next: &mut [Layer], sink: Sink<'_>) -> bool {
        self.on_trial = false;
        let held = std::mem::take(&mut self.held);
        self.hand_on(&held, held.len(), next, sink)
    }

    fn in_header(&self) -> bool {
        matches!(&self.decoder, Decoder::Gzip(header, _) if !header.is_done())
    }

    /// Hands output on, after which no other compression is tried.
    fn hand_on(&mut self, output: &[u8], kept: usize, next: &mut [Layer], sink: Sink<'_>) -> bool {
        if output.is_empty() {
            return true;
        }
        self.has_output = true;
        self.replay = Vec::new();
        push(next, output, kept, sink)
    }

    /// Keeps input for another try, as long as there is no output.
    fn remember(&mut self, bytes: &[u8]) {
        if !self.has_output {
            let room = MAX_REPLAY.saturating_sub(self.replay.len());
            self.replay.extend_from_slice(head(bytes, room));
        }
    }

    fn broken(&mut self, rest: &[u8], next: &mut [Layer], sink: Sink<'_>) -> bool {
        if self.has_output {
            self.gave_up = true;
            self.decoder = Decoder::Ended;
            return true;
        }
        let mut input = std::mem::take(&mut self.replay);
        input.extend_from_slice(rest);
        if self.restarts >= MAX_RESTARTS {
            self.gave_up = true;
            self.held.clear();
            for layer in std::iter::once(&mut *self).chain(next.iter_mut()) {
                layer.decoder = Decoder::Identity;
            }
            return push(next, &input, input.len(), sink);
        }
        self.restarts += 1;
        self.on_trial = true;
        self.held.clear();
        self.encoding = match self.encoding {
            Encoding::Deflate => Encoding::Zlib,
            Encoding::Zlib => Encoding::Gzip,
            Encoding::Gzip | Encoding::Brotli | Encoding::Lzma => Encoding::Deflate,
        };
        self.decoder = Decoder::new(self.encoding, self.lzma_memory);
        self.push(&input, next, sink)
    }

    fn push_lzma(&mut self, input: &[u8], next: &mut [Layer], sink: Sink<'_>) -> bool {
        let is_first = !self.has_output && self.replay.is_empty();
        if is_first && input.first().is_some_and(|&properties| lzma_bits(properties) > MAX_LZMA_BITS) {
            return self.broken(input, next, sink);
        }
        let Decoder::Lzma(stream) = &mut self.decoder else { return true };
        let Some(decoder) = stream.as_mut() else { return true };
        let written = decoder.write_all(input).is_ok();
        let output = decoder.get_output_mut().map(std::mem::take).unwrap_or_default();
        if !self.hand_on(&output, output.len(), next, sink) {
            return false;
        }
        if !written {
            return self.broken(input, next, sink);
        }
        self.remember(input);
        true
    }

    /// Flushes the output that the decoder held back until the end.
    fn finish(&mut self, next: &mut [Layer], sink: Sink<'_>) -> bool {
        if let Decoder::Lzma(stream) = &mut self.decoder
            && let Some(Ok(output)) = stream.take().map(|stream| stream.finish())
            && !output.is_empty()
        {
            return push(next, &output, output.len(), sink);
        }
        self.trust(next, sink)
    }
}

/// By how many bits of what came before, and of the position, the table for a literal is chosen: `lc + lp` of the
/// first byte, which is `(pb * 5 + lp) * 9 + lc`.
const fn lzma_bits(properties: u8) -> u8 {
    properties % 9 + properties / 9 % 5
}

fn push(layers: &mut [Layer], input: &[u8], kept: usize, sink: Sink<'_>) -> bool {
    match layers.split_first_mut() {
        Some((layer, next)) => layer.push(input, next, sink),
        None => input.is_empty() || sink(input, kept),
    }
}

/// Input that a decompressor has read.
struct Journal {
    bytes: Vec<u8>,
    memory: TakenMemory,
}

impl Journal {
    /// Keeps more; false where that is too much, or there is no memory for it.
    fn push(&mut self, input: &[u8]) -> bool {
        let length = self.bytes.len() + input.len();
        if length > MAX_JOURNAL {
            return false;
        }
        if length > self.bytes.capacity() {
            let room = length.next_power_of_two().max(MIN_JOURNAL);
            if !self.memory.grow_to(room as u64) {
                return false;
            }
            self.bytes.reserve_exact(room - self.bytes.len());
        }
        self.bytes.extend_from_slice(input);
        true
    }
}

/// The decompressors of one body.
pub(crate) struct Decompressor {
    /// The first undoes what was applied last.
    layers: Vec<Layer>,
    stopped: bool,
    /// All that was read so far, where a double may be asked for and it is not too much.
    journal: Option<Journal>,
}

impl std::fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decompressor")
            .field("layers", &self.layers.len())
            .field("stopped", &self.stopped)
            .finish()
    }
}

impl Decompressor {
    /// Decompressors for encodings in the order in which they were applied.
    pub(crate) fn new(encodings: &[Encoding], lzma_memory: Option<usize>) -> Self {
        let layer = |&encoding| Layer::new(encoding, lzma_memory);
        Self { layers: encodings.iter().rev().map(layer).collect(), stopped: false, journal: None }
    }

    /// Keeps a journal, so that it can be doubled; the memory for that is counted here.
    pub(crate) fn with_journal(mut self, memory: TakenMemory) -> Self {
        self.journal = Some(Journal { bytes: Vec::new(), memory });
        self
    }

    /// Bytes of memory that it takes, but for what it keeps of its output.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + self.layers.len() * DECODER
    }

    /// Whether there can be a double of it.
    pub(crate) fn has_double(&self) -> bool {
        self.journal.is_some()
    }

    /// Another one that has read what this one has. There is but one.
    pub(crate) fn double(&mut self) -> Option<Self> {
        let journal = self.journal.take()?;
        let layer = |layer: &Layer| Layer::new(layer.announced, layer.lzma_memory);
        let layers = self.layers.iter().map(layer).collect();
        let mut double = Self { layers, stopped: false, journal: None };
        double.push(&journal.bytes, &mut |_, _| true);
        double.stopped = self.stopped;
        Some(double)
    }

    /// Input is missing, of which what follows is to be read as if it were not.
    pub(crate) fn gap(&mut self) {
        if let Some(layer) = self.layers.first_mut() {
            layer.has_gap = true;
        }
    }

    /// Whether something may come out at the end of the input that was read.
    pub(crate) fn holds_back(&self) -> bool {
        let is_lzma = |layer: &Layer| matches!(layer.decoder, Decoder::Lzma(Some(_)));
        self.layers.iter().any(|layer| is_lzma(layer) || !layer.held.is_empty())
    }

    /// Whether a stream broke after some output, so that Zeek logs a weird.
    pub(crate) fn has_failed(&self) -> bool {
        self.layers.iter().any(|layer| layer.failed)
    }

    /// Whether something is not compressed as announced.
    pub(crate) fn gave_up(&self) -> bool {
        self.layers.iter().any(|layer| layer.gave_up)
    }

    /// Reads on. Once the sink answers false, nothing more comes out.
    pub(crate) fn push(&mut self, input: &[u8], sink: Sink<'_>) {
        self.journal.take_if(|journal| !journal.push(input));
        if !self.stopped {
            self.stopped = !push(&mut self.layers, input, input.len(), sink);
        }
    }

    /// No more input will come.
    pub(crate) fn finish(&mut self, sink: Sink<'_>) {
        let mut layers = &mut self.layers[..];
        while let Some((layer, next)) = layers.split_first_mut() {
            if self.stopped || !layer.finish(next, sink) {
                return;
            }
            layers = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use weir_applayer::Memory;

    const JSON: &[u8] =
        br#"{"sdk_version":11026,"app_package":"com.xcm.huasheng","device_id":"350672920106648"}"#;
    const TEXT: &[u8] = b"X5O!P%@AP[4 some text, some more text, and some more text after that";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decompressed(encodings: &[Encoding], input: &[u8], piece: usize) -> Vec<u8> {
        let mut output = Vec::new();
        let mut decompressor = Decompressor::new(encodings, Some(1 << 20));
        let mut sink = |bytes: &[u8], _: usize| {
            output.extend_from_slice(bytes);
            true
        };
        for bytes in input.chunks(piece) {
            decompressor.push(bytes, &mut sink);
        }
        decompressor.finish(&mut sink);
        output
    }

    #[test]
    fn right_and_wrong_labels_in_any_pieces() {
        use Encoding::*;
        let cases: [(&[Encoding], Vec<u8>); 12] = [
            (&[Gzip], gzip(TEXT)),
            (&[Deflate], deflate(TEXT)),
            (&[Deflate], zlib(TEXT)),
            (&[Deflate], gzip(TEXT)),
            (&[Gzip], deflate(TEXT)),
            (&[Gzip], zlib(TEXT)),
            (&[Brotli], gzip(TEXT)),
            (&[Lzma], TEXT.to_vec()),
            (&[Gzip], TEXT.to_vec()),
            (&[Gzip, Gzip], gzip(&gzip(TEXT))),
            (&[Deflate, Gzip], gzip(&deflate(TEXT))),
            (&[Gzip], [gzip(TEXT), b"junk".to_vec()].concat()),
        ];
        for (encodings, input) in cases {
            for piece in [input.len(), 7, 1] {
                let output = decompressed(encodings, &input, piece);
                // Which of the wrong readers says what of plain text depends on the text.
                assert_eq!(
                    String::from_utf8_lossy(&output),
                    String::from_utf8_lossy(TEXT),
                    "{encodings:?} by {piece}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_compressed_is_passed_on() {
        for encoding in [Encoding::Gzip, Encoding::Zlib] {
            for input in [JSON, TEXT, &JSON.repeat(50)] {
                for piece in [input.len(), 7, 1] {
                    let output = decompressed(&[encoding], input, piece);
                    assert!(output == input, "{encoding:?} by {piece}: {}", output.len());
                }
            }
        }
    }

    #[test]
    fn lzma_that_no_encoder_writes_is_passed_on() {
        // lc 3, lp 0, pb 2; lc 4; lc 3 and lp 2; lc 8 and lp 4.
        for (properties, is_read) in [(93, true), (4, true), (9 * 2 + 3, false), (9 * 4 + 8, false)] {
            let input = [&[properties, 0, 0, 1, 0][..], &[0xff; 8], &[0; 40]].concat();
            let output = decompressed(&[Encoding::Lzma], &input, 1000);
            assert_eq!(output != input, is_read, "{properties}");
        }
    }

    #[test]
    fn a_large_window_takes_what_is_written_of_it() {
        // A window of 16 MB, and a metablock of as much without compression, of which three bytes came.
        let output = decompressed(&[Encoding::Brotli], b"\xcf\xff\xff\xffabc", 3);
        assert_eq!(output, b"abc");
    }

    #[test]
    fn what_is_held_back_comes_at_the_end() {
        let mut lzma = Vec::new();
        lzma_rs::lzma_compress(&mut &TEXT[..], &mut lzma).unwrap();
        for (encoding, input, expected) in [
            (Encoding::Gzip, gzip(TEXT), false),
            (Encoding::Lzma, lzma, true),
            // On trial for what it was not said to be, and not whole.
            (Encoding::Gzip, zlib(TEXT)[..45].to_vec(), true),
        ] {
            let mut decompressor = Decompressor::new(&[encoding], Some(1 << 20));
            decompressor.push(&input, &mut |_, _| true);
            assert_eq!(decompressor.holds_back(), expected, "{encoding:?}");
            let mut rest = 0;
            decompressor.finish(&mut |bytes, _| {
                rest += bytes.len();
                true
            });
            assert_eq!((rest > 0, decompressor.holds_back()), (expected, false), "{encoding:?}");
        }
    }

    #[test]
    fn truncated_and_damaged_streams_give_what_they_gave() {
        let whole = gzip(TEXT);
        let output = decompressed(&[Encoding::Gzip], &whole[..whole.len() - 12], 5);
        assert!(output.len() > 20 && TEXT.starts_with(&output));
        let mut wrong_checksum = whole.clone();
        *wrong_checksum.iter_mut().rev().nth(5).unwrap() ^= 0xff;
        assert_eq!(decompressed(&[Encoding::Gzip], &wrong_checksum, 1000), TEXT);
    }

    #[test]
    fn what_comes_of_a_broken_piece_is_lost_to_zeek() {
        let text: Vec<u8> = (0..10_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let whole = gzip(&text);
        // A block that is stored as it is (RFC 1951 3.2.4), and one of a type that there is not.
        let stored = &text[..5000];
        let head = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x00\x88\x13\x77\xec";
        let damaged = [&head[..], stored, b"\x07"].concat();
        // The input, whether bytes are missing in it, and whether it fails.
        for (input, gap, fails) in [(&whole, false, false), (&whole, true, true), (&damaged, false, true)] {
            let mut output = Vec::new();
            let mut decompressor = Decompressor::new(&[Encoding::Gzip], None);
            if gap {
                decompressor.gap();
            }
            decompressor.push(input, &mut |piece, kept| {
                output.extend_from_slice(&piece[..kept]);
                true
            });
            assert_eq!(decompressor.has_failed(), fails);
            assert!(text.starts_with(&output) && !output.is_empty());
            assert_eq!(output.len() % ZEEK_PIECE == 0, fails, "{}", output.len());
        }
    }

    #[test]
    fn a_double_goes_on_by_itself() {
        let text: Vec<u8> = (0..9_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let input = gzip(&text);
        let (front, back) = input.split_at(input.len() / 2);
        let mut first = Decompressor::new(&[Encoding::Gzip], None).with_journal(TakenMemory::default());
        let (mut before, mut after) = (0, [0, 0]);
        first.push(front, &mut |piece, _| {
            before += piece.len();
            true
        });
        let mut second = first.double().unwrap();
        assert!(!first.has_double() && first.double().is_none());
        for (decompressor, length) in [&mut first, &mut second].into_iter().zip(&mut after) {
            decompressor.push(back, &mut |piece, _| {
                *length += piece.len();
                true
            });
        }
        assert_eq!(after.map(|after| before + after), [text.len(); 2]);
    }

    #[test]
    fn what_is_kept_for_a_double_is_bounded_and_counted() {
        let memory = Arc::new(Memory::new(MAX_JOURNAL as u64));
        let journalled = || {
            let decompressor = Decompressor::new(&[Encoding::Deflate], None);
            decompressor.with_journal(TakenMemory::of(Some(&memory)))
        };
        let (mut long, mut other) = (journalled(), journalled());
        for (piece, counted) in
            [(1, MIN_JOURNAL), (MIN_JOURNAL, 2 * MIN_JOURNAL), (MAX_JOURNAL - 1025, MAX_JOURNAL)]
        {
            long.push(&vec![0; piece], &mut |_, _| true);
            assert_eq!((long.has_double(), memory.used()), (true, counted as u64));
        }
        other.push(&[0], &mut |_, _| true);
        assert_eq!((other.has_double(), memory.refused()), (false, 1));
        long.push(&[0], &mut |_, _| true);
        assert_eq!((long.has_double(), memory.used()), (false, 0));
    }

    #[test]
    fn the_sink_can_stop_a_bomb() {
        let bomb = gzip(&vec![0; 1 << 20]);
        let mut total = 0;
        let mut decompressor = Decompressor::new(&[Encoding::Gzip], None);
        for bytes in bomb.chunks(100) {
            decompressor.push(bytes, &mut |bytes, _| {
                total += bytes.len();
                total < 100_000
            });
        }
        assert!((100_000..110_000).contains(&total));
    }
}
