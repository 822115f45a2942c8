//! Compressed captures, recognised by their first bytes and decompressed as they are read.

use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::XzReader;

/// Largest zstd window accepted, as a power of two: 128 MiB, what the zstd tool accepts itself.
const MAX_ZSTD_WINDOW_LOG: u32 = 27;

/// Most memory that xz data may ask for, in KiB: room for a dictionary of 128 MiB, twice that of `xz -9`.
const MAX_XZ_MEMORY_KIB: u32 = 132 * 1024;

/// Compression of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compression {
    /// RFC 1952, one or more members.
    Gzip,
    /// RFC 8878, one or more frames.
    Zstd,
    /// The LZ4 frame format, one or more frames.
    Lz4,
    /// The .xz file format, one or more streams.
    Xz,
    /// bzip2, one or more streams.
    Bzip2,
}

impl Compression {
    /// Tells the compression by the first bytes of a file.
    pub(super) fn detect(magic: &[u8]) -> Option<Self> {
        match magic {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            [0x04, 0x22, 0x4d, 0x18, ..] => Some(Compression::Lz4),
            [0xfd, b'7', b'z', b'X', ..] => Some(Compression::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Compression::Bzip2),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Lz4 => "lz4",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// Reads what `compressed` holds.
    pub(super) fn decoder(self, compressed: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let compressed = BufReader::new(compressed);
        Ok(match self {
            Compression::Gzip => Box::new(MultiGzDecoder::new(compressed)),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(compressed)?;
                decoder.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Compression::Lz4 => Box::new(Lz4Frames(FrameDecoder::new(compressed))),
            Compression::Xz => Box::new(XzReader::new_mem_limit(compressed, true, MAX_XZ_MEMORY_KIB)),
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(compressed)),
        })
    }
}

/// Frames one after another; the decoder itself stops after each.
struct Lz4Frames<R: Read>(FrameDecoder<R>);

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(count);
            }
        }
    }
}
