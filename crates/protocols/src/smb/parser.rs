//! Cuts streams into messages.
//!
//! A message is waited for until it is whole, but for one that reads or writes a file: its data is passed on as it
//! comes. Of other messages that are longer than [`MAX_MESSAGE`], only the beginning is looked at. After a gap, and
//! where a stream is met in its midst, what comes is passed over up to where a message seems to begin; the file that
//! was coming goes on behind the gap, if this lies in it.

use weir_applayer::{Factory, Heard, Options, Outcome, ParseContext, Parser, Request, factory};
use weir_base::{Direction, PerDirection};

use super::anomaly::SmbAnomaly;
use super::chunks::Coming;
use super::frame::{self, Family};
use super::nbss::{self, Version};
use super::settings::Settings;
use super::state::{Moment, State};
use super::{SMB, events, one, pipe, two};

/// Bytes of the longest message that is waited for.
const MAX_MESSAGE: usize = 512 << 10;

/// Bytes that must be there of a message that is looked at before all of it is.
const MIN_PARTIAL: usize = 512;

/// Bytes in which a message may begin without being known by its magic.
const MIN_SEARCHED: usize = nbss::HEADER_LENGTH + nbss::MAGIC_LENGTH - 1;

/// Most messages of a chain that are looked at.
const MAX_CHAIN: usize = 256;

/// Reads `app-layer.protocols.smb`.
pub(super) fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(SmbParser {
            depth: Some(settings.stream_depth),
            streams: PerDirection::default(),
            state: State::new(settings),
        })
    })
}

/// One direction's bytes.
#[derive(Debug, Default)]
struct Stream {
    /// Something was said.
    has_begun: bool,
    /// Where the next message begins is to be found out.
    searching: bool,
    /// Something is missing, and nothing was made of what follows.
    gap: bool,
    /// The file whose data is coming.
    coming: Option<Coming>,
    /// Bytes of a message that are passed over.
    skip: usize,
}

/// One connection.
#[derive(Debug)]
pub(super) struct SmbParser {
    /// The depth that is yet to be asked for.
    depth: Option<u64>,
    streams: PerDirection<Stream>,
    state: State,
}

/// Result for the start of the bytes.
enum Step {
    /// This many were taken.
    Taken(usize),
    /// More are needed than there are.
    Needed(usize),
    /// They make no sense.
    Malformed,
}

/// A message that has come, as far as it has.
#[derive(Clone, Copy)]
struct Piece<'a> {
    /// Where it begins in the push.
    start: usize,
    /// Its bytes.
    bytes: &'a [u8],
    /// Its length.
    length: usize,
}

impl Parser for SmbParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if let Some(depth) = self.depth.take() {
            cx.request(Request::StreamDepth(depth));
        }
        self.state.lose_patience(cx.time);
        let mut position = 0;
        let mut outcome = Outcome::Ok;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            match self.step(cx, direction, rest, position) {
                Step::Taken(_) if self.state.is_full => {
                    outcome = Outcome::Error;
                    break;
                }
                Step::Taken(count) => position += count,
                Step::Needed(needed) => {
                    outcome = Outcome::Incomplete { consumed: position, needed };
                    break;
                }
                Step::Malformed => {
                    self.state.note(SmbAnomaly::MalformedData);
                    outcome = Outcome::Error;
                    break;
                }
            }
        }
        cx.anomalies.append(&mut self.state.loose);
        outcome
    }

    fn gap(&mut self, cx: &mut ParseContext<'_>, direction: Direction, length: u64) -> Outcome {
        let moment = moment(cx, direction, 0, 0);
        let stream = &mut self.streams[direction];
        let mut left = length;
        if let Some(coming) = &mut stream.coming {
            let missing = coming.left.min(left);
            self.state.missing(&moment, coming.transaction, missing);
            coming.left -= missing;
            left -= missing;
            stream.coming = stream.coming.filter(|coming| coming.left > 0);
        }
        let skipped = left.min(stream.skip as u64);
        stream.skip -= skipped as usize;
        self.state.has_gap = true;
        stream.has_begun = true;
        stream.gap = true;
        stream.searching |= stream.coming.is_none() && stream.skip == 0;
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        self.state.close(direction);
    }

    fn held(&self) -> usize {
        self.state.pipes.values().map(|pipe| pipe.memory()).sum()
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.state.heard)
    }

    weir_applayer::parser_transactions!(&SMB, state.transactions);
}

fn moment<'a>(cx: &ParseContext<'a>, direction: Direction, first: usize, last: usize) -> Moment<'a> {
    Moment { direction, first: cx.arrival(first), last: cx.arrival(last), files: cx.files }
}

impl SmbParser {
    /// Takes what `rest` begins with, which stands at `start` of the push.
    fn step(&mut self, cx: &mut ParseContext<'_>, direction: Direction, rest: &[u8], start: usize) -> Step {
        if let Some(taken) = self.pass_on(cx, direction, rest, start) {
            return Step::Taken(taken);
        }
        let Some(header) = nbss::Header::read(rest) else { return Step::Needed(nbss::HEADER_LENGTH) };
        let body = rest.get(nbss::HEADER_LENGTH..).unwrap_or_default();
        let body = body.get(..header.length).unwrap_or(body);
        let can_be_known = header.is_message() && header.length >= nbss::MAGIC_LENGTH;
        if can_be_known && body.len() < nbss::MAGIC_LENGTH {
            return Step::Needed(MIN_SEARCHED + 1);
        }
        let version = Version::of(body).filter(|_| header.is_message());
        let stream = &mut self.streams[direction];
        if !std::mem::replace(&mut stream.has_begun, true) {
            stream.searching = if can_be_known { version.is_none() } else { !header.is_valid() };
        }
        if stream.searching {
            return self.search(direction, rest);
        }
        let length = nbss::HEADER_LENGTH.saturating_add(header.length);
        let Some(version) = version else {
            if can_be_known {
                return Step::Malformed;
            }
            frame::report_session(cx, direction, start, header);
            stream.skip = length.saturating_sub(rest.len());
            return Step::Taken(length.min(rest.len()));
        };
        let piece = Piece { start: start + nbss::HEADER_LENGTH, bytes: body, length: header.length };
        if body.len() < header.length
            && let Some(needed) = self.needed(direction, version, piece)
        {
            return Step::Needed(needed + nbss::HEADER_LENGTH);
        }
        frame::report_session(cx, direction, start, header);
        let taken = nbss::HEADER_LENGTH + body.len();
        self.keep(cx, direction, version, piece);
        let coming = match self.message(cx, direction, version, piece) {
            Ok(coming) => coming,
            Err(Malformed) => return Step::Malformed,
        };
        let stream = &mut self.streams[direction];
        stream.skip = length - taken;
        if let Some(coming) = coming {
            stream.skip = stream.skip.saturating_sub(usize::try_from(coming.left).unwrap_or(usize::MAX));
            stream.coming = Some(coming);
        }
        if std::mem::take(&mut stream.gap) {
            self.state.settle(direction, cx.time);
        }
        Step::Taken(taken)
    }

    /// Keeps a message for scripts.
    fn keep(&mut self, cx: &ParseContext<'_>, direction: Direction, version: Version, piece: Piece<'_>) {
        if !cx.files.messages || !cx.tells_zeek() {
            return;
        }
        let is_carrier = self.can_be_long(direction, version, piece);
        let most = if is_carrier { events::KEPT_OF_CARRIER } else { events::MAX_KEPT };
        let bytes = piece.bytes.get(..most).unwrap_or(piece.bytes);
        let last = piece.start + piece.bytes.len().saturating_sub(1);
        self.state.heard.note(true, direction, cx.arrival(last), events::kind(version), bytes);
    }

    /// Passes on what belongs to a message that was looked at before.
    fn pass_on(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        start: usize,
    ) -> Option<usize> {
        let stream = &mut self.streams[direction];
        if let Some(coming) = &mut stream.coming {
            let count = usize::try_from(coming.left).unwrap_or(usize::MAX).min(rest.len());
            let moment = moment(cx, direction, start, start + count.saturating_sub(1));
            self.state.more(&moment, coming.transaction, rest.get(..count).unwrap_or_default());
            coming.left -= count as u64;
            stream.coming = stream.coming.filter(|coming| coming.left > 0);
            return Some(count);
        }
        let count = stream.skip.min(rest.len());
        stream.skip -= count;
        (count > 0).then_some(count)
    }

    fn search(&mut self, direction: Direction, rest: &[u8]) -> Step {
        let stream = &mut self.streams[direction];
        match nbss::find_message(rest) {
            Some(place) => {
                stream.searching = false;
                Step::Taken(place)
            }
            None if rest.len() > MIN_SEARCHED => Step::Taken(rest.len() - MIN_SEARCHED),
            None => Step::Needed(MIN_SEARCHED + 1),
        }
    }

    /// Returns the bytes needed before a message that is not whole is looked at; none where it may be.
    fn needed(&mut self, direction: Direction, version: Version, piece: Piece<'_>) -> Option<usize> {
        let has = piece.bytes.len();
        if has < piece.length.min(MIN_PARTIAL) {
            return Some(piece.length.min(MIN_PARTIAL));
        }
        if self.can_be_long(direction, version, piece) {
            return None;
        }
        let wanted = piece.length.min(MAX_MESSAGE);
        (has < wanted).then_some(wanted)
    }

    /// Whether a message reads or writes a file: what goes through pipes is looked at when it is whole.
    fn can_be_long(&mut self, direction: Direction, version: Version, piece: Piece<'_>) -> bool {
        let (ids, data) = match version {
            Version::One => {
                let record = one::Record::read(piece.bytes, piece.length);
                let Some(record) = record.filter(|r| r.direction() == direction && r.can_be_long()) else {
                    return false;
                };
                (record.ids(), record.carried_start())
            }
            Version::Two => {
                let record = two::Record::read(piece.bytes, piece.length);
                let Some(record) = record.filter(|r| r.direction() == direction && r.can_be_long()) else {
                    return false;
                };
                (record.ids(), record.carried_start())
            }
            Version::Encrypted | Version::Compressed => return false,
        };
        match self.state.is_pipe(ids) {
            Some(is_pipe) => !is_pipe,
            None => !pipe::looks_like_rpc(data),
        }
    }

    /// Takes a message; answers what of a file is yet to come.
    fn message(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        version: Version,
        piece: Piece<'_>,
    ) -> Result<Option<Coming>, Malformed> {
        match version {
            Version::One => {
                let record = one::Record::read(piece.bytes, piece.length).ok_or(Malformed)?;
                let lengths = (one::HEADER_LENGTH, piece.length);
                frame::report(cx, direction, Family::One, piece.start, lengths);
                if record.direction() != direction {
                    wrong_direction(cx, direction);
                    return Ok(None);
                }
                let moment = moment_of(cx, direction, piece);
                Ok(self.state.one(&moment, &record))
            }
            Version::Two => self.chain(cx, direction, piece),
            Version::Encrypted => encrypted(cx, direction, piece),
            Version::Compressed => Ok(None),
        }
    }

    /// Takes messages of version 2 that are chained.
    fn chain(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        piece: Piece<'_>,
    ) -> Result<Option<Coming>, Malformed> {
        let is_whole = piece.bytes.len() == piece.length;
        let moment = moment_of(cx, direction, piece);
        let mut piece = piece;
        for _ in 0..MAX_CHAIN {
            let record = two::Record::read(piece.bytes, piece.length);
            let is_one = Version::of(piece.bytes) == Some(Version::Two);
            let Some(record) = record.filter(|_| is_one) else {
                // The rest of what is too long to be waited for.
                return if is_whole { Err(Malformed) } else { Ok(None) };
            };
            let lengths = (two::HEADER_LENGTH, record.length());
            frame::report(cx, direction, Family::Two, piece.start, lengths);
            let coming = if record.direction() == direction {
                self.state.two(&moment, &record)
            } else {
                wrong_direction(cx, direction);
                None
            };
            let Some(next) = record.next().filter(|next| *next < piece.bytes.len()) else {
                return Ok(coming);
            };
            let bytes = piece.bytes.get(next..).unwrap_or_default();
            piece = Piece { start: piece.start + next, bytes, length: piece.length - next };
        }
        Ok(None)
    }
}

/// Bytes that are no message.
struct Malformed;

fn moment_of<'a>(cx: &ParseContext<'a>, direction: Direction, piece: Piece<'_>) -> Moment<'a> {
    let last = piece.start + piece.bytes.len().saturating_sub(1);
    moment(cx, direction, piece.start.saturating_sub(nbss::HEADER_LENGTH), last)
}

fn wrong_direction(cx: &mut ParseContext<'_>, direction: Direction) {
    let anomaly = match direction {
        Direction::ToServer => SmbAnomaly::ResponseToServer,
        Direction::ToClient => SmbAnomaly::RequestToClient,
    };
    if !cx.anomalies.contains(&anomaly.into()) {
        cx.anomalies.push(anomaly.into());
    }
}

/// Reports messages that nobody can read.
fn encrypted(
    cx: &mut ParseContext<'_>,
    direction: Direction,
    piece: Piece<'_>,
) -> Result<Option<Coming>, Malformed> {
    let is_whole = piece.bytes.len() == piece.length;
    let mut position = 0;
    while let Some(rest) = piece.bytes.get(position..).filter(|rest| !rest.is_empty()) {
        let length = two::transform_length(rest).filter(|_| Version::of(rest) == Some(Version::Encrypted));
        let Some(length) = length.filter(|length| !is_whole || *length <= rest.len()) else {
            return if is_whole { Err(Malformed) } else { Ok(None) };
        };
        let lengths = (two::TRANSFORM_LENGTH, length);
        frame::report(cx, direction, Family::Three, piece.start + position, lengths);
        position = position.saturating_add(length);
    }
    Ok(None)
}
