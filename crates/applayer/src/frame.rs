//! Frames: the units that a protocol's bytes are made of (a request, a record, a header), as the
//! `frame` keyword and EVE's `frame` records know them.
//!
//! A parser reports frames through its [`ParseContext`], by place in the stream or datagram; nothing
//! is kept where nobody asked for the kind. Limit: [`MAX_FRAMES`] that are open in a direction.

use weir_base::{Direction, PerDirection};

use crate::parser::ParseContext;
use crate::protocol::Protocol;

/// Most frames of one direction that wait to be complete, inspected and logged.
pub const MAX_FRAMES: usize = 264;

/// Bytes after which a frame that is not complete is inspected and logged all the same.
pub const FRAME_WINDOW: u64 = 2500;

/// Bytes of a long frame that are kept for records of it.
const FRAME_KEPT: u64 = 8192;

/// A kind of frame: its position in [`Protocol::frames`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct FrameKind(pub u8);

impl FrameKind {
    /// All that a side says over TCP, from the first byte to the last; every protocol has it.
    pub const STREAM: Self = Self(63);

    /// The kind that rules call `name`, where `_` may stand for the `.` between its parts.
    pub fn named(protocol: &Protocol, name: &str) -> Option<Self> {
        if name == "stream" {
            return Some(Self::STREAM);
        }
        let same = |known: &str| {
            known.len() == name.len()
                && known.bytes().zip(name.bytes()).all(|(k, n)| k == n || (k == b'.' && n == b'_'))
        };
        protocol.frames.iter().position(|known| same(known)).map(|index| Self(index as u8))
    }

    /// Its name.
    pub fn name(self, protocol: &Protocol) -> &'static str {
        if self == Self::STREAM {
            return "stream";
        }
        protocol.frames.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

/// A set of kinds of one protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FrameKinds(u64);

impl FrameKinds {
    /// All kinds.
    pub const ALL: Self = Self(u64::MAX);

    /// Adds a kind.
    pub const fn add(&mut self, kind: FrameKind) {
        self.0 |= 1 << (kind.0 & 63);
    }

    /// Whether a kind is in the set.
    pub const fn has(self, kind: FrameKind) -> bool {
        self.0 & (1 << (kind.0 & 63)) != 0
    }

    /// Whether no kind is.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Frames that are asked for: by rules, by protocol and kind, and by the log, all of them.
#[derive(Clone, Debug, Default)]
pub struct FrameWants {
    all: bool,
    of: Vec<(&'static Protocol, FrameKinds)>,
}

impl FrameWants {
    /// All frames are asked for.
    pub const fn all() -> Self {
        Self { all: true, of: Vec::new() }
    }

    /// Asks for frames of a kind.
    pub fn add(&mut self, protocol: &'static Protocol, kind: FrameKind) {
        match self.of.iter_mut().find(|(known, _)| *known == protocol) {
            Some((_, kinds)) => kinds.add(kind),
            None => {
                let mut kinds = FrameKinds::default();
                kinds.add(kind);
                self.of.push((protocol, kinds));
            }
        }
    }

    /// Asks for what others ask for, too.
    pub fn add_all(&mut self, others: &Self) {
        self.all |= others.all;
        for (protocol, theirs) in &others.of {
            match self.of.iter_mut().find(|(known, _)| known == protocol) {
                Some((_, kinds)) => kinds.0 |= theirs.0,
                None => self.of.push((*protocol, *theirs)),
            }
        }
    }

    /// Whether any frame of any protocol is asked for.
    pub fn any(&self) -> bool {
        self.all || !self.of.is_empty()
    }

    /// The kinds asked for of `protocol`.
    pub fn of(&self, protocol: &Protocol) -> FrameKinds {
        if self.all {
            return FrameKinds::ALL;
        }
        self.of.iter().find(|(known, _)| *known == protocol).map_or_else(FrameKinds::default, |(_, k)| *k)
    }
}

/// A frame's number: one counts them by direction, from 1 on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FrameId(pub u64);

/// One frame.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its number.
    pub id: FrameId,
    /// The protocol that it is of.
    pub protocol: &'static Protocol,
    /// Its kind.
    pub kind: FrameKind,
    /// Where it begins: in the stream, or in the datagram.
    pub offset: u64,
    /// Its length; none until it is known.
    pub length: Option<u64>,
    /// The transaction that it is part of.
    pub transaction: Option<u64>,
    /// Number of its bytes that rules have looked at.
    pub inspected: u64,
    /// They have looked at its end.
    pub ended: bool,
    /// It has its record.
    pub logged: bool,
}

impl Frame {
    /// Where it ends, where that is known.
    pub fn end(&self) -> Option<u64> {
        self.length.map(|length| self.offset.saturating_add(length))
    }

    /// Its kind's name.
    pub fn name(&self) -> &'static str {
        self.kind.name(self.protocol)
    }

    /// Whether all of it came, where all before `progress` did.
    pub fn is_complete(&self, progress: u64) -> bool {
        self.end().is_some_and(|end| end <= progress)
    }
}

/// The frames of one direction that are not done with, in the order in which they began.
#[derive(Debug, Default)]
pub struct FrameList {
    frames: Vec<Frame>,
    created: u64,
}

impl FrameList {
    /// Bytes of memory that they take.
    pub(crate) fn memory(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
    }

    /// Adds a frame; none where too many wait.
    fn push(
        &mut self,
        protocol: &'static Protocol,
        kind: FrameKind,
        offset: u64,
        length: Option<u64>,
    ) -> Option<FrameId> {
        if self.frames.len() >= MAX_FRAMES {
            return None;
        }
        self.created += 1;
        let id = FrameId(self.created);
        self.frames.push(Frame {
            id,
            protocol,
            kind,
            offset,
            length,
            transaction: None,
            inspected: 0,
            ended: false,
            logged: false,
        });
        Some(id)
    }

    /// The frame with this number, if it is not done with.
    pub fn by_id(&self, id: FrameId) -> Option<&Frame> {
        let position = self.frames.binary_search_by_key(&id, |frame| frame.id).ok()?;
        self.frames.get(position)
    }

    fn by_id_mut(&mut self, id: FrameId) -> Option<&mut Frame> {
        let position = self.frames.binary_search_by_key(&id, |frame| frame.id).ok()?;
        self.frames.get_mut(position)
    }

    /// The frames.
    pub fn as_slice(&self) -> &[Frame] {
        &self.frames
    }

    /// The frames, to note what was done with them.
    pub fn as_mut_slice(&mut self) -> &mut [Frame] {
        &mut self.frames
    }

    /// Forgets all frames; what comes is numbered on.
    pub fn clear(&mut self) {
        self.frames.clear();
    }

    /// Forgets the frames that end before `progress`.
    pub fn prune(&mut self, progress: u64) {
        self.frames.retain(|frame| !frame.is_complete(progress));
    }

    /// From where on the stream's bytes are still of use, where all before `progress` came.
    pub fn left_edge(&self, progress: u64) -> u64 {
        let needed = self.frames.iter().map(|frame| frame.offset.max(progress.saturating_sub(FRAME_KEPT)));
        needed.fold(progress, u64::min)
    }
}

/// The bytes that frames lie in, as far as they came and are kept.
pub trait FrameBytes {
    /// Calls `visit` with contiguous bytes from `from` on and where they begin, until it answers false.
    fn pieces(&self, from: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool);
}

/// A datagram.
impl FrameBytes for &[u8] {
    fn pieces(&self, from: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(self.len());
        if let Some(bytes) = self.get(from..).filter(|bytes| !bytes.is_empty()) {
            visit(from as u64, bytes);
        }
    }
}

/// Takes what a parser reports.
pub struct FrameSink<'a> {
    /// The parser's protocol.
    pub protocol: &'static Protocol,
    /// The kinds that somebody asks for.
    pub kinds: FrameKinds,
    /// Where they go.
    pub lists: &'a mut PerDirection<FrameList>,
    /// Counts those that there was no room for.
    pub refused: &'a mut u64,
}

impl FrameSink<'_> {
    /// Begins a frame with a length that is not known yet.
    pub(crate) fn open(&mut self, direction: Direction, kind: FrameKind, offset: u64) -> Option<FrameId> {
        self.add(direction, kind, offset, None)
    }

    fn add(
        &mut self,
        direction: Direction,
        kind: FrameKind,
        offset: u64,
        length: Option<u64>,
    ) -> Option<FrameId> {
        if !self.kinds.has(kind) {
            return None;
        }
        let frame = self.lists[direction].push(self.protocol, kind, offset, length);
        *self.refused += u64::from(frame.is_none());
        frame
    }
}

impl ParseContext<'_> {
    /// Reports a frame of this push: `length` bytes from `start` on, which need not all be there yet.
    pub fn frame(
        &mut self,
        direction: Direction,
        kind: FrameKind,
        start: usize,
        length: usize,
    ) -> Option<FrameId> {
        let offset = self.offset.saturating_add(start as u64);
        self.frames.as_mut()?.add(direction, kind, offset, Some(length as u64))
    }

    /// Reports that a frame begins at `offset` of the stream, with a length that is not known yet.
    pub fn open_frame(&mut self, direction: Direction, kind: FrameKind, offset: u64) -> Option<FrameId> {
        self.frames.as_mut()?.open(direction, kind, offset)
    }

    /// Reports that a frame ends before `end` of the stream.
    pub fn close_frame(&mut self, direction: Direction, id: Option<FrameId>, end: u64) {
        if let (Some(sink), Some(id)) = (&mut self.frames, id)
            && let Some(frame) = sink.lists[direction].by_id_mut(id)
        {
            frame.length = Some(end.saturating_sub(frame.offset));
        }
    }

    /// Says which transaction a frame is part of.
    pub fn frame_transaction(&mut self, direction: Direction, id: Option<FrameId>, transaction: u64) {
        if let (Some(sink), Some(id)) = (&mut self.frames, id)
            && let Some(frame) = sink.lists[direction].by_id_mut(id)
        {
            frame.transaction = Some(transaction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::LINE;

    #[test]
    fn kinds_by_name() {
        assert_eq!(FrameKind::named(&LINE, "stream"), Some(FrameKind::STREAM));
        assert_eq!(FrameKind::named(&LINE, "line").map(|kind| kind.name(&LINE)), Some("line"));
        assert_eq!(FrameKind::named(&LINE, "nothing"), None);
    }

    #[test]
    fn only_what_is_asked_for() {
        let mut wants = FrameWants::default();
        assert!(!wants.any() && wants.of(&LINE).is_empty());
        wants.add(&LINE, FrameKind(0));
        wants.add(&LINE, FrameKind::STREAM);
        let kinds = wants.of(&LINE);
        assert!(wants.any() && kinds.has(FrameKind(0)) && kinds.has(FrameKind::STREAM));
        assert!(!kinds.has(FrameKind(1)) && FrameWants::all().of(&LINE).has(FrameKind(1)));
    }

    #[test]
    fn frames_are_kept_until_they_end() {
        let mut list = FrameList::default();
        let open = list.push(&LINE, FrameKind::STREAM, 0, None);
        let ended = list.push(&LINE, FrameKind(0), 10, Some(5));
        assert_eq!((open, ended), (Some(FrameId(1)), Some(FrameId(2))));
        let cases = [(12, 0), (8192, 0), (8200, 8), (20_000, 11_808)];
        for (progress, edge) in cases {
            assert_eq!(list.left_edge(progress), edge, "{progress}");
        }
        list.prune(14);
        assert_eq!(list.as_slice().len(), 2);
        list.prune(15);
        assert_eq!(list.as_slice().len(), 1);
        assert!(list.by_id(FrameId(2)).is_none() && list.by_id(FrameId(1)).is_some());
    }

    #[test]
    fn frames_that_nobody_ends_are_bounded() {
        let mut list = FrameList::default();
        let made = (0..1000).filter(|_| list.push(&LINE, FrameKind(0), 0, None).is_some()).count();
        assert_eq!((made, list.as_slice().len()), (MAX_FRAMES, MAX_FRAMES));
        list.clear();
        assert_eq!(list.push(&LINE, FrameKind(0), 0, None), Some(FrameId(MAX_FRAMES as u64 + 1)));
    }
}
