//! Reads files of lines in blocks of whole lines, each part of a file by itself.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use crate::files::LogFile;

/// Bytes of a file that one part of the work takes.
const PART_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes that are read at once.
const BLOCK_BYTES: usize = 1024 * 1024;
/// Bytes that a line may have; longer ones are passed over and counted.
pub const LONGEST_LINE: usize = 32 * 1024 * 1024;

/// The lines of a file that begin between two offsets.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub file: Arc<LogFile>,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset behind the last byte in which a line may begin.
    pub end: u64,
}

impl Part {
    /// Divides files into parts. A compressed file is one part.
    pub fn of_files(files: &[Arc<LogFile>]) -> Vec<Self> {
        let mut parts = Vec::new();
        for file in files {
            if file.compressed {
                parts.push(Self { file: file.clone(), start: 0, end: u64::MAX });
                continue;
            }
            let mut start = 0;
            while start < file.length {
                let end = (start + PART_BYTES).min(file.length);
                parts.push(Self { file: file.clone(), start, end });
                start = end;
            }
        }
        parts
    }
}

/// Reads the lines of a part, a block of whole lines at a time.
pub struct Blocks {
    from: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that hold something.
    filled: usize,
    /// Bytes at its beginning that were given out.
    given: usize,
    /// Offset in the file of the buffer's first byte.
    offset: u64,
    end: u64,
    /// The rest of a line that began before the part, or that is too long, is passed over.
    skips: bool,
    over: bool,
    /// Lines that were too long.
    pub too_long: u64,
}

/// Whole lines and the offset of the first of them.
pub type Block<'a> = (u64, &'a [u8]);

impl Blocks {
    /// Opens a part.
    pub fn open(part: &Part) -> io::Result<Self> {
        let mut file = File::open(&part.file.path)?;
        let (from, offset): (Box<dyn Read + Send>, u64) = if part.file.compressed {
            (Box::new(MultiGzDecoder::new(file)), 0)
        } else {
            // Whether a line begins at the first byte, the byte before it tells.
            let offset = part.start.saturating_sub(1);
            file.seek(SeekFrom::Start(offset))?;
            (Box::new(file.take(part.file.length.saturating_sub(offset))), offset)
        };
        Ok(Self {
            from,
            buffer: vec![0; BLOCK_BYTES],
            filled: 0,
            given: 0,
            offset,
            end: part.end,
            skips: part.start > 0,
            over: false,
            too_long: 0,
        })
    }

    /// Returns the next lines; none at the end of the part. Damage of a compressed file is an error behind the lines
    /// before it.
    pub fn next(&mut self) -> io::Result<Option<Block<'_>>> {
        loop {
            if self.over {
                return Ok(None);
            }
            self.offset += self.given as u64;
            self.buffer.copy_within(self.given..self.filled, 0);
            self.filled -= self.given;
            self.given = 0;
            let fresh = self.filled;
            self.fill()?;
            let ended = self.filled == fresh;
            let text = self.buffer.get(..self.filled).unwrap_or_default();
            if self.skips {
                match memchr::memchr(b'\n', text) {
                    Some(at) => {
                        self.given = at + 1;
                        self.skips = false;
                    }
                    None => {
                        self.given = self.filled;
                        self.over = ended;
                    }
                }
                self.over |= self.offset + self.given as u64 >= self.end;
                continue;
            }
            let whole = match memchr::memrchr(b'\n', text) {
                Some(at) => at + 1,
                None if ended => self.filled,
                None if self.filled >= LONGEST_LINE => {
                    self.too_long += 1;
                    self.given = self.filled;
                    self.skips = true;
                    continue;
                }
                None => continue,
            };
            // Lines that begin at the end belong to the next part.
            let left = self.end.saturating_sub(self.offset);
            let take = match usize::try_from(left).ok().filter(|left| *left <= whole) {
                Some(left) => {
                    self.over = true;
                    let before = left.saturating_sub(1);
                    let rest = text.get(before..whole).unwrap_or_default();
                    memchr::memchr(b'\n', rest).map_or(whole, |at| before + at + 1)
                }
                None => whole,
            };
            self.over |= ended && take == self.filled;
            self.given = take;
            if take > 0 {
                return Ok(self.buffer.get(..take).map(|lines| (self.offset, lines)));
            }
        }
    }

    /// Reads more into the buffer, which grows where it is full.
    fn fill(&mut self) -> io::Result<()> {
        if self.filled == self.buffer.len() {
            let more = self.buffer.len().saturating_mul(2).min(LONGEST_LINE);
            self.buffer.resize(more.max(self.filled), 0);
        }
        while self.filled < self.buffer.len() {
            let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
            match self.from.read(room) {
                Ok(0) => break,
                Ok(more) => self.filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Runs `work` on all parts, as many at a time as there are `threads`, and returns what it answers in their order.
pub fn each_part<T: Send>(parts: &[Part], threads: usize, work: impl Fn(&Part) -> T + Sync) -> Vec<T> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = std::sync::Mutex::new(Vec::with_capacity(parts.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, parts.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, part)) = {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    parts.get(index).map(|part| (index, part))
                } {
                    let answer = work(part);
                    if let Ok(mut done) = done.lock() {
                        done.push((index, answer));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Kind;

    #[test]
    fn each_line_is_in_one_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (text, length) in [("", 0), ("one", 1), ("one\n", 1), ("a\nbb\n\nccc\nd", 5), ("\n\n\n", 3)] {
            std::fs::write(&path, text).unwrap();
            let file =
                LogFile { path: path.clone(), kind: Kind::Eve, compressed: false, length: text.len() as u64 };
            let file = Arc::new(file);
            for cut in 0..=text.len() as u64 {
                let mut lines = Vec::new();
                for (start, end) in [(0, cut), (cut, text.len() as u64)] {
                    let mut blocks = Blocks::open(&Part { file: file.clone(), start, end }).unwrap();
                    while start < end
                        && let Some((_, block)) = blocks.next().unwrap()
                    {
                        lines.extend(block.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec));
                    }
                }
                assert_eq!(
                    (lines.len(), lines.concat()),
                    (length, text.as_bytes().to_vec()),
                    "{text:?} cut at {cut}"
                );
            }
        }
    }
}
