//! Reads the file of one thread of a recording.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use weir_packet::LinkType;
use weir_packet::decode::dispatch::FragmentFacts;

use super::blocks::{self, Block, Thread};
use super::{Event, Group};
use crate::SourceError;
use crate::batch::{Batch, Origin};
use crate::source::{PacketSlot, Source, SourceStats};
use crate::sources::Stance;

/// Bytes of a file that are held at a time; more for a longer block.
const WINDOW_BYTES: usize = 1 << 20;

/// Longest block, in bytes: no packet is longer.
const LONGEST_BLOCK: usize = 64 << 20;

/// A part of a file.
struct Window {
    file: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    /// Where the next block begins.
    offset: usize,
    /// Bytes of the file before the part.
    before: u64,
}

impl Window {
    /// Lets what was read go, and reads on; false where nothing came.
    fn move_on(&mut self) -> io::Result<bool> {
        self.bytes.drain(..self.offset);
        self.before += self.offset as u64;
        self.offset = 0;
        // A block that fills all of it is longer.
        let left = self.bytes.len();
        let wanted = (WINDOW_BYTES.max(2 * left)).min(LONGEST_BLOCK) - left.min(LONGEST_BLOCK);
        let count = self.file.by_ref().take(wanted as u64).read_to_end(&mut self.bytes)?;
        Ok(count > 0)
    }

    /// Reads the next block, and leaves it where it is; its length is beside it.
    fn block(&self) -> Option<(Block, usize)> {
        blocks::read(&self.bytes, self.offset)
    }
}

/// The packets and events of one thread.
pub(super) struct Recorded {
    path: PathBuf,
    window: Window,
    thread: Thread,
    /// Interfaces described so far.
    described: Vec<(u32, LinkType)>,
    slots: Vec<PacketSlot>,
    event: Option<Event>,
    earlier: u64,
    stats: SourceStats,
    /// A sentence about where it breaks off.
    broken: Option<String>,
}

impl Recorded {
    pub(super) fn open(path: &Path) -> Result<Self, SourceError> {
        let failed = |reason| SourceError::Open { path: path.to_owned(), reason };
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        Self::read(path, Box::new(file), size)
    }

    /// Reads what is named so and has `size` bytes.
    pub(super) fn read(path: &Path, file: Box<dyn Read + Send>, size: u64) -> Result<Self, SourceError> {
        let failed = |reason| SourceError::Open { path: path.to_owned(), reason };
        let mut window = Window { file, bytes: Vec::new(), offset: 0, before: 0 };
        window.move_on().map_err(failed)?;
        let thread = match window.block() {
            Some((Block::Thread(thread), length)) if thread.workers > 0 => {
                window.offset = length;
                thread
            }
            _ => return Err(SourceError::NotARecording { path: path.to_owned() }),
        };
        Ok(Self {
            path: path.to_owned(),
            window,
            thread,
            described: Vec::new(),
            slots: Vec::new(),
            event: None,
            earlier: 0,
            stats: SourceStats { size: Some(size), ..SourceStats::default() },
            broken: None,
        })
    }

    /// Number of threads of the recording.
    pub(super) fn workers(&self) -> usize {
        self.thread.workers.into()
    }

    /// Reads on in the file; false at its end, of which `broken` tells where it is amid a block.
    fn read_on(&mut self) -> Result<bool, SourceError> {
        let (path, offset) = (&self.path, self.window.before + self.window.offset as u64);
        let has_more = self.window.move_on();
        let has_more = has_more.map_err(|reason| SourceError::Read { path: path.clone(), offset, reason })?;
        let rest = &mut self.window.bytes;
        if !has_more && !rest.is_empty() {
            let path = path.display();
            self.broken =
                Some(format!("The recording {path} breaks off at byte {offset}: its writer was stopped."));
            rest.clear();
        }
        Ok(has_more)
    }

    /// Fills in the number of a packet's interface, as its thread had it, and its link type.
    fn complete(&self, slot: PacketSlot) -> PacketSlot {
        let known = self.described.get(slot.interface as usize).copied();
        let (interface, link) = known.unwrap_or((0, LinkType::ETHERNET));
        PacketSlot { interface, link, ..slot }
    }
}

impl Source for Recorded {
    fn name(&self) -> String {
        self.thread.interfaces.first().cloned().unwrap_or_default()
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, _: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        while self.slots.len() < max {
            let Some((block, length)) = self.window.block() else {
                // Packets of the part at hand are lent before another takes its place.
                if !self.slots.is_empty() || !self.read_on()? {
                    break;
                }
                continue;
            };
            match block {
                Block::Packet(slot) => {
                    let slot = self.complete(slot);
                    self.stats.bytes += u64::from(slot.length);
                    self.slots.push(slot);
                }
                Block::Event(_) | Block::Handed(..) if !self.slots.is_empty() => break,
                Block::Handed(slot, origin) => {
                    let slot = self.complete(slot);
                    self.slots.push(slot);
                    self.window.offset += length;
                    let origin = match origin {
                        Origin::Datagram(facts) => {
                            Origin::Datagram(FragmentFacts { interface: slot.interface, ..facts })
                        }
                        other => other,
                    };
                    return Ok(Batch::new(&self.window.bytes, &self.slots, 0).of_origin(origin));
                }
                Block::Event(event) => {
                    self.event = Some(event);
                    self.window.offset += length;
                    return Ok(Batch::empty());
                }
                Block::Interface(number, link) => self.described.push((number, link)),
                Block::Thread(_) | Block::Other => {}
            }
            self.window.offset += length;
        }
        self.stats.position = self.window.before + self.window.offset as u64;
        if self.slots.is_empty() {
            return Ok(Batch::end());
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        Ok(Batch::new(&self.window.bytes, &self.slots, first_number))
    }

    fn interfaces(&self) -> Vec<String> {
        self.thread.interfaces.clone()
    }

    fn group(&self) -> Option<Group> {
        self.thread.group
    }

    fn stance(&self) -> Stance {
        if self.thread.is_between { Stance::Between } else { Stance::Beside }
    }

    fn is_recorded(&self) -> bool {
        true
    }

    fn event(&mut self) -> Option<Event> {
        self.event.take()
    }

    fn stats(&self) -> SourceStats {
        self.stats
    }

    fn news(&mut self) -> Vec<String> {
        self.broken.take().into_iter().collect()
    }
}
