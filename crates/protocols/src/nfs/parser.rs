//! Cuts streams into records, and takes datagrams.
//!
//! A record is waited for until all of it is there; but what comes of a file's data goes into the file at once. A record
//! in several fragments is put together first. After a gap, records are looked for again: calls by what they begin
//! with, replies by the number of a call that waits.

use memchr::memmem;
use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request as Wish, Transport, factory, parser_transactions,
};
use weir_base::{Direction, PerDirection, Reader, Timestamp};

use super::NFS;
use super::anomaly::NfsAnomaly;
use super::compound::{Begun, Rest};
use super::conversation::{Conversation, MAX_CHUNK, Streaming};
use super::frame::{self, Place};
use super::rpc::{Call, Flaw, Header, MARK_LENGTH, MIN_RECORD, Mark, PROGRAM, Reply};

/// Longest record that is waited for.
pub const MAX_RECORD: usize = 1_000_000;

/// Most transactions of a flow that wait, where nothing is said.
const MAX_TRANSACTIONS: u64 = 1024;

/// Bytes that are waited for at least where a record is not all there.
const MIN_PART: usize = 1024;

/// Beginning of a call of NFS after its number: the type, the version of calls, and the program.
const CALL: &[u8] = b"\0\0\0\0\0\0\0\x02\0\x01\x86\xa3";

/// Beginning of a reply to an accepted call after its number.
const REPLY: &[u8] = b"\0\0\0\x01\0\0\0\0";

/// Where these stand behind the mark in front of the number.
const NUMBER_END: usize = MARK_LENGTH + 4;

/// Reads `app-layer.protocols.nfs`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let most = options.size("max-tx", MAX_TRANSACTIONS);
    let max_transactions = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    factory(move |endpoints| {
        Box::new(NfsParser {
            is_datagrams: endpoints.transport == Transport::Udp,
            conversation: Conversation::new(max_transactions),
            streams: PerDirection::default(),
        })
    })
}

/// A record in several fragments.
#[derive(Debug)]
struct Gathered {
    bytes: Vec<u8>,
    /// Bytes of the current fragment to come.
    left: usize,
    /// That is the last one.
    is_last: bool,
    /// It is longer than any that is read.
    is_too_long: bool,
}

/// Operations of a compound behind the data of a file.
#[derive(Debug)]
struct Behind {
    rest: Box<Rest>,
    /// Their bytes.
    length: usize,
    /// Bytes of the record that follow them.
    after: usize,
}

/// One direction's bytes.
#[derive(Debug, Default)]
struct Stream {
    /// The part of a file that is coming.
    file: Option<Streaming>,
    /// Bytes behind it to pass over.
    skip: usize,
    /// Operations of a compound behind those bytes.
    behind: Option<Behind>,
    gathered: Option<Gathered>,
    /// Where the next record begins is to be found out.
    is_searching: bool,
}

/// One flow.
#[derive(Debug)]
struct NfsParser {
    is_datagrams: bool,
    conversation: Conversation,
    streams: PerDirection<Stream>,
}

/// Result for a message.
enum Step {
    /// It is read, but for what is yet to come.
    Taken(Begun),
    /// More of it is wanted.
    More,
    /// Rest of it is of no interest.
    Skipped,
    /// It makes no sense, nor does what follows.
    Failed,
}

impl Parser for NfsParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.is_datagrams {
            let place = Place { start: 0, mark: 0, length: bytes.len() };
            return match self.message(cx, direction, place, bytes, cx.time) {
                Step::Failed => Outcome::Refused,
                Step::Taken(begun) => {
                    self.settle(cx, direction, begun, 0, cx.time);
                    Outcome::Ok
                }
                Step::More | Step::Skipped => Outcome::Ok,
            };
        }
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            let time = cx.arrival(position);
            if let Some(taken) = self.pass(direction, rest, time) {
                position += taken;
                continue;
            }
            if let Some(behind) = self.streams[direction].behind.take() {
                match self.behind(cx, direction, behind, rest, time) {
                    Ok(taken) => position += taken,
                    Err(needed) => return Outcome::Incomplete { consumed: position, needed },
                }
                continue;
            }
            match self.gather(cx, direction, rest, time) {
                Some(0) => return Outcome::Incomplete { consumed: position, needed: MARK_LENGTH },
                Some(taken) => {
                    position += taken;
                    continue;
                }
                None => {}
            }
            if self.streams[direction].is_searching {
                match self.search(direction, rest) {
                    Some(start) => position += start,
                    None => {
                        let kept = rest.len().min(NUMBER_END + CALL.len() - 1);
                        return Outcome::Incomplete { consumed: bytes.len() - kept, needed: kept + 1 };
                    }
                }
                self.streams[direction].is_searching = false;
                continue;
            }
            match self.record(cx, direction, position, rest, time) {
                Ok(taken) => position += taken,
                Err(None) => return Outcome::Error,
                Err(Some(needed)) => return Outcome::Incomplete { consumed: position, needed },
            }
        }
        Outcome::Ok
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        self.conversation.gap(direction);
        let stream = &mut self.streams[direction];
        let mut length = usize::try_from(length).unwrap_or(usize::MAX);
        if let Some(part) = stream.file.take() {
            let missed = u32::try_from(length).unwrap_or(u32::MAX).min(part.left);
            let part = self.conversation.miss(part, direction, missed);
            stream.file = Some(part).filter(|part| part.left > 0);
            length -= missed as usize;
        }
        let skipped = stream.skip.min(length);
        stream.skip -= skipped;
        let is_at_operations = length == skipped && stream.behind.is_some();
        if stream.file.is_none()
            && !is_at_operations
            && (length > skipped || stream.skip == 0 && skipped == 0)
        {
            let lost = std::mem::replace(stream, Stream { is_searching: true, ..Stream::default() });
            if let Some(behind) = lost.behind {
                self.conversation.give_up_rest(*behind.rest, cx.time);
            }
        }
        Outcome::Ok
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if let Some(behind) = self.streams[direction].behind.take() {
            self.conversation.give_up_rest(*behind.rest, cx.time);
        }
        self.conversation.close(direction);
    }

    fn held(&self) -> usize {
        let gathered = |direction: Direction| {
            self.streams[direction].gathered.as_ref().map_or(0, |it| it.bytes.capacity())
        };
        Direction::BOTH.into_iter().map(gathered).sum::<usize>() + self.conversation.memory()
    }

    parser_transactions!(&NFS, conversation.transactions);
}

impl NfsParser {
    /// Takes what follows of a file's part, or passes over what is of no interest: how many bytes, if there are any.
    fn pass(&mut self, direction: Direction, rest: &[u8], time: Timestamp) -> Option<usize> {
        let stream = &mut self.streams[direction];
        if let Some(part) = stream.file.take() {
            let taken = rest.len().min(part.left as usize);
            let part = self.conversation.stream(part, direction, rest.get(..taken)?, time);
            stream.file = Some(part).filter(|part| part.left > 0);
            return Some(taken);
        }
        let skipped = stream.skip.min(rest.len());
        stream.skip -= skipped;
        (skipped > 0).then_some(skipped)
    }

    /// Takes what follows of a record in several fragments: how many bytes, if there is one; zero where its next mark
    /// is not all there.
    fn gather(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        time: Timestamp,
    ) -> Option<usize> {
        let gathered = self.streams[direction].gathered.as_mut()?;
        let mut start = 0;
        if gathered.left == 0 {
            let Some(mark) = Mark::read(rest) else { return Some(0) };
            (gathered.left, gathered.is_last) = (mark.length, mark.is_last);
            start = MARK_LENGTH;
        }
        let end = rest.len().min(start.saturating_add(gathered.left));
        let bytes = rest.get(start..end)?;
        gathered.left -= bytes.len();
        gathered.is_too_long |= gathered.bytes.len() + bytes.len() > MAX_RECORD;
        if gathered.is_too_long {
            gathered.bytes = Vec::new();
        } else {
            gathered.bytes.extend_from_slice(bytes);
        }
        if gathered.left == 0 && gathered.is_last {
            self.gathered(cx, direction, time);
        }
        Some(end)
    }

    /// Takes a record that was in several fragments.
    fn gathered(&mut self, cx: &mut ParseContext<'_>, direction: Direction, time: Timestamp) {
        let Some(gathered) = self.streams[direction].gathered.take() else { return };
        if gathered.is_too_long {
            return self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
        }
        // Frames lie in the stream, which this record does not.
        let frames = cx.frames.take();
        let place = Place { start: 0, mark: 0, length: gathered.bytes.len() };
        let step = self.message(cx, direction, place, &gathered.bytes, time);
        cx.frames = frames;
        if let Step::Taken(begun) = step {
            self.settle(cx, direction, begun, 0, time);
        }
    }

    /// Of a record that is read `left` bytes are yet to come, and no more of the part of a file that it carries.
    fn settle(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        begun: Begun,
        left: usize,
        time: Timestamp,
    ) {
        let inside = begun.missing.map_or(left, |missing| missing.min(left));
        let data = begun.rest.as_ref().map(|rest| rest.data).or(begun.part.map(|part| part.left));
        let data = data.map_or(0, |data| data as usize);
        if data > inside {
            self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
        }
        let part = begun.part.map(|part| self.conversation.limit(part, direction, inside));
        let stream = &mut self.streams[direction];
        stream.file = part.filter(|part| part.left > 0);
        let coming = stream.file.map_or(0, |part| part.left as usize);
        stream.skip = left.saturating_sub(coming);
        let Some(rest) = begun.rest else { return };
        let before = data.saturating_add(rest.padding as usize);
        match inside.checked_sub(before).filter(|length| *length > 0) {
            Some(length) => {
                stream.skip = before.saturating_sub(coming);
                stream.behind = Some(Behind { rest, length, after: left.saturating_sub(inside) });
            }
            None => {
                self.conversation.give_up_rest(*rest, time);
                if data <= inside {
                    self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
                }
            }
        }
    }

    /// Takes the operations of a compound that stand behind the data of a file: how many bytes, or how many are
    /// wanted.
    fn behind(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        behind: Behind,
        bytes: &[u8],
        time: Timestamp,
    ) -> Result<usize, usize> {
        let Behind { rest, length, after } = behind;
        let there = length.min(bytes.len());
        let operations = bytes.get(..there).unwrap_or_default();
        if there < length && !Conversation::rest_is_in_data(&rest, operations) {
            if is_too_long(bytes.len(), length) {
                self.conversation.give_up_rest(*rest, time);
                self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
                self.streams[direction].skip = length - there + after;
                return Ok(there);
            }
            self.streams[direction].behind = Some(Behind { rest, length, after });
            return Err(wanted(bytes.len(), length));
        }
        let begun = self.conversation.go_on(cx, *rest, operations, time);
        let begun = Begun { missing: Some(length - there), ..begun };
        self.settle(cx, direction, begun, length - there + after, time);
        cx.request(Wish::InspectStream(direction));
        Ok(there)
    }

    /// Where a record seems to begin: behind the mark of one that is whole, and no longer than any that is taken.
    fn search(&self, direction: Direction, rest: &[u8]) -> Option<usize> {
        let (beginning, is_reply) = match direction {
            Direction::ToServer => (CALL, false),
            Direction::ToClient => (REPLY, true),
        };
        memmem::find_iter(rest, beginning).find_map(|found| {
            let start = found.checked_sub(NUMBER_END)?;
            let mut reader = Reader::new(rest.get(start..)?);
            let mark = Mark::read(reader.take(MARK_LENGTH)?)?;
            let fits = mark.is_last && (MIN_RECORD..=MAX_RECORD + MAX_CHUNK as usize).contains(&mark.length);
            let number = reader.u32()?;
            (fits && (!is_reply || self.conversation.waits_for(number))).then_some(start)
        })
    }

    /// Takes the record at the beginning of `rest`, which is at `position` of the push: how many bytes, or how many
    /// are wanted, if it makes sense.
    fn record(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        position: usize,
        rest: &[u8],
        time: Timestamp,
    ) -> Result<usize, Option<usize>> {
        let Some(mark) = Mark::read(rest) else { return Err(Some(MARK_LENGTH)) };
        if !mark.is_last {
            let gathered =
                Gathered { bytes: Vec::new(), left: mark.length, is_last: false, is_too_long: false };
            self.streams[direction].gathered = Some(gathered);
            return Ok(MARK_LENGTH);
        }
        if mark.length < MIN_RECORD {
            self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
            return Err(None);
        }
        let whole = MARK_LENGTH + mark.length;
        let there = whole.min(rest.len());
        let place = Place { start: position, mark: MARK_LENGTH, length: mark.length };
        let message = rest.get(MARK_LENGTH..there).unwrap_or_default();
        match self.message(cx, direction, place, message, time) {
            Step::Taken(begun) => {
                if begun.part.is_none() {
                    cx.request(Wish::InspectStream(direction));
                }
                self.settle(cx, direction, begun, whole - there, time);
                Ok(there)
            }
            Step::Skipped => {
                self.streams[direction].skip = whole - there;
                cx.request(Wish::InspectStream(direction));
                Ok(there)
            }
            Step::More if is_too_long(rest.len(), whole) => {
                self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
                self.streams[direction].skip = whole - there;
                Ok(there)
            }
            Step::More => Err(Some(wanted(rest.len(), whole))),
            Step::Failed => Err(None),
        }
    }

    /// Takes a message, of which perhaps only the beginning is there.
    fn message(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        place: Place,
        bytes: &[u8],
        time: Timestamp,
    ) -> Step {
        let is_whole = bytes.len() >= place.length;
        let mut reader = Reader::new(bytes);
        let header = match Header::read(&mut reader) {
            Some(Some(header)) => header,
            Some(None) => {
                self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
                return Step::Failed;
            }
            None if is_whole => {
                self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
                return Step::Taken(Begun::default());
            }
            None => return Step::More,
        };
        let read = match (direction, header.is_reply) {
            (Direction::ToServer, false) => self.call(cx, place, header.xid, &mut reader, is_whole, time),
            (Direction::ToClient, true) => self.reply(cx, place, header.xid, &mut reader, is_whole, time),
            // The server calls back, and the client answers.
            _ => return Step::Skipped,
        };
        match read {
            Ok(step) => step,
            Err(Flaw::Short) if !is_whole => Step::More,
            Err(_) => {
                self.conversation.anomaly(cx, NfsAnomaly::MalformedData);
                Step::Skipped
            }
        }
    }

    fn call(
        &mut self,
        cx: &mut ParseContext<'_>,
        place: Place,
        xid: u32,
        reader: &mut Reader<'_>,
        is_whole: bool,
        time: Timestamp,
    ) -> Result<Step, Flaw> {
        let call = Call::read(reader)?;
        if call.target.program != PROGRAM || call.target.rpc_version != 2 {
            return Ok(Step::Skipped);
        }
        if self.is_datagrams && call.target.version == 4 {
            self.conversation.anomaly(cx, NfsAnomaly::UnsupportedVersion);
            return Ok(Step::Skipped);
        }
        if !is_whole && !self.conversation.call_is_in_data(&call) {
            return Ok(Step::More);
        }
        frame::call(cx, place, &call);
        Ok(Step::Taken(self.conversation.call(cx, xid, &call, time)))
    }

    fn reply(
        &mut self,
        cx: &mut ParseContext<'_>,
        place: Place,
        xid: u32,
        reader: &mut Reader<'_>,
        is_whole: bool,
        time: Timestamp,
    ) -> Result<Step, Flaw> {
        let Some(version) = self.conversation.version_of(xid) else { return Ok(Step::Skipped) };
        let reply = Reply::read(reader)?;
        if !is_whole && !self.conversation.reply_is_in_data(xid, &reply) {
            return Ok(Step::More);
        }
        frame::reply(cx, place, &reply, version);
        Ok(Step::Taken(self.conversation.reply(cx, xid, &reply, time)))
    }
}

/// Whether what is waited for is longer than anything that is.
const fn is_too_long(there: usize, whole: usize) -> bool {
    there * 2 > MAX_RECORD && whole > MAX_RECORD
}

/// Returns the bytes to wait for of something that is so long: ever more, so that it is seldom looked at.
fn wanted(there: usize, whole: usize) -> usize {
    whole.min(MIN_PART.max(there * 2))
}
