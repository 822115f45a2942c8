//! Cuts streams into lines and packets and drives the one transaction of a flow.
//!
//! Packets that something is read of are waited for in full, others passed over as they come. What is
//! encrypted is measured until the lengths show the authentication.

use weir_applayer::{Factory, Options, Outcome, ParseContext, Parser, Request, TransactionList, factory};
use weir_base::{Direction, PerDirection, Reader};

use super::SSH;
use super::anomaly::SshAnomaly;
use super::banner::{self, Banner};
use super::frame;
use super::key_exchange::KeyExchange;
use super::record::{self, HEADER_LENGTH, Header, LENGTH_LENGTH, message};
use super::settings::Settings;
use super::transaction::{BANNER_DONE, BANNER_WAIT_EOL, FINISHED, SshTransaction};
use crate::settings::EncryptionHandling;

/// Kinds of what scripts hear beside messages, which have their numbers.
pub(super) mod heard {
    /// A line that a server says before its banner.
    pub const BEFORE: u8 = 0xfd;
    /// The keys of a server that speaks the first version.
    pub const FIRST_VERSION_KEY: u8 = 0xfe;
    /// The length of something encrypted.
    pub const ENCRYPTED: u8 = 0xff;
}

/// Number of the first version's message that has a server's keys.
const PUBLIC_KEY: u8 = 2;

/// Whether scripts want messages.
fn hears(cx: &ParseContext<'_>) -> bool {
    cx.files.messages && cx.tells_zeek()
}

/// Cuts bytes of a push, from `position` on, into those of each segment: where they begin, and how many they are.
fn segments<'a>(
    cx: &'a ParseContext<'_>,
    position: usize,
    length: usize,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let end = position + length;
    let mut from = position;
    let starts = cx.arrivals.iter().map(|&(start, _)| start);
    let ends = starts.filter(move |&start| start > position && start < end).chain([end]);
    ends.map(move |end| {
        let start = std::mem::replace(&mut from, end);
        (start, end - start)
    })
}

/// Reads `app-layer.protocols.ssh`.
pub fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Settings::read(options);
    factory(move |_| {
        Box::new(SshParser {
            settings,
            streams: PerDirection::default(),
            secret: false,
            handed_over: false,
            transactions: TransactionList::default(),
        })
    })
}

/// Next part of a direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Stage {
    /// The banner, or what a server says before; so many bytes were not it.
    #[default]
    Banner,
    /// The end of a line that is too long; whether it is the banner's.
    RestOfLine { of_banner: bool },
    /// Packets.
    Packets,
    /// The one packet of the first version that is not encrypted.
    FirstVersion,
    /// Bytes that are encrypted, or of the first version.
    Opaque,
}

/// One direction's bytes.
#[derive(Clone, Debug, Default)]
struct Stream {
    stage: Stage,
    /// Bytes that a server said before its banner.
    before: usize,
    /// Bytes of a packet that are passed over.
    skip: usize,
    /// Something encrypted was seen.
    spoke: bool,
}

/// One conversation.
#[derive(Debug)]
pub struct SshParser {
    settings: Settings,
    streams: PerDirection<Stream>,
    /// Both sides speak in secret.
    secret: bool,
    /// Rules look at what is sent no more.
    handed_over: bool,
    transactions: TransactionList<SshTransaction>,
}

/// Result for the start of the bytes.
enum Step {
    /// This many were taken.
    Taken(usize),
    /// More are needed than there are.
    Needed(usize),
    /// They make no sense.
    Failed(SshAnomaly),
}

impl Parser for SshParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.transactions.created() == 0 {
            self.transactions.push(SshTransaction { settings: self.settings, ..SshTransaction::default() });
        }
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            match self.step(cx, direction, rest, position) {
                Step::Taken(count) => {
                    self.seen(cx, direction, position, position + count);
                    position += count;
                }
                Step::Needed(needed) => return Outcome::Incomplete { consumed: position, needed },
                Step::Failed(anomaly) => {
                    self.note(cx, anomaly);
                    return Outcome::Error;
                }
            }
        }
        Outcome::Ok
    }

    fn close(&mut self, _: &mut ParseContext<'_>, direction: Direction) {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.followed = false;
            transaction.meta.advance(direction, FINISHED);
        }
    }

    weir_applayer::parser_transactions!(&SSH);

    fn is_one_transaction(&self) -> bool {
        true
    }
}

impl SshParser {
    fn step(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        match self.streams[direction].stage {
            Stage::Banner => self.banner(cx, direction, rest, position),
            Stage::RestOfLine { of_banner } => self.rest_of_line(direction, rest, of_banner),
            Stage::Packets => self.packet(cx, direction, rest, position),
            Stage::FirstVersion => self.first_version(cx, direction, rest),
            Stage::Opaque => {
                self.measure(cx, direction, rest, position);
                Step::Taken(rest.len())
            }
        }
    }

    fn banner(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        let (line, length) = match banner::first_line(rest) {
            Some(found) => found,
            None if rest.len() < banner::MAX_LENGTH => return Step::Needed(rest.len() + 1),
            // The end of a line that is too long is not waited for.
            None => (rest, rest.len()),
        };
        let is_whole = length > line.len();
        if !banner::may_begin(line) || line.len() < banner::START.len() {
            return self.before(cx, direction, (position, length), line, is_whole);
        }
        let Some(found) = Banner::read(line) else { return Step::Failed(SshAnomaly::InvalidBanner) };
        if line.len() >= banner::MAX_LENGTH {
            self.note(cx, SshAnomaly::LongBanner);
        }
        let Some(transaction) = self.transactions.last_mut() else { return Step::Taken(length) };
        let side = &mut transaction.sides[direction];
        side.banner = Some(found);
        side.banner_at = cx.arrival(position + length - 1);
        self.streams[direction].stage = if is_whole {
            transaction.meta.advance(direction, BANNER_DONE);
            Stage::Packets
        } else {
            transaction.meta.advance(direction, BANNER_WAIT_EOL);
            Stage::RestOfLine { of_banner: true }
        };
        if transaction.is_version_1() {
            self.pass_over(cx);
        }
        Step::Taken(length)
    }

    fn forked(&mut self) -> Self {
        Self {
            streams: self.streams.clone(),
            transactions: self.transactions.fork(SshTransaction::fork),
            ..*self
        }
    }

    /// A line that is no banner: a server may say something before it (RFC 4253 4.2). That ends the reading for rules and
    /// records; Zeek's logs go on with the next line.
    fn before(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        (position, length): (usize, usize),
        line: &[u8],
        is_whole: bool,
    ) -> Step {
        if direction == Direction::ToClient && !cx.reads_as_zeek() {
            if cx.may_fork() {
                cx.fork(position, Box::new(self.forked()));
            }
            return Step::Failed(SshAnomaly::InvalidBanner);
        }
        if let Some(transaction) = self.transactions.last_mut().filter(|_| hears(cx)) {
            transaction.meta.heard.note(true, direction, cx.time, heard::BEFORE, line);
        }
        let stream = &mut self.streams[direction];
        stream.before += length;
        if direction == Direction::ToServer || stream.before > banner::MAX_BEFORE {
            return Step::Failed(SshAnomaly::InvalidBanner);
        }
        if !is_whole {
            stream.stage = Stage::RestOfLine { of_banner: false };
        }
        Step::Taken(length)
    }

    fn rest_of_line(&mut self, direction: Direction, rest: &[u8], of_banner: bool) -> Step {
        let line = banner::first_line(rest);
        let length = line.map_or(rest.len(), |(_, length)| length);
        let stream = &mut self.streams[direction];
        if !of_banner {
            stream.before += length;
            if stream.before > banner::MAX_BEFORE {
                return Step::Failed(SshAnomaly::InvalidBanner);
            }
        }
        if line.is_some() {
            stream.stage = if of_banner { Stage::Packets } else { Stage::Banner };
            if let Some(transaction) = self.transactions.last_mut().filter(|_| of_banner) {
                transaction.meta.advance(direction, BANNER_DONE);
            }
        }
        Step::Taken(length)
    }

    fn packet(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        rest: &[u8],
        position: usize,
    ) -> Step {
        let stream = &mut self.streams[direction];
        if stream.skip > 0 {
            let count = stream.skip.min(rest.len());
            stream.skip -= count;
            return Step::Taken(count);
        }
        let header = match Header::read(rest) {
            Ok(Some(header)) => header,
            Ok(None) => return Step::Needed(record::needed(rest)),
            Err(record::Malformed) => return Step::Failed(SshAnomaly::InvalidRecord),
        };
        let is_read = matches!(
            header.message,
            message::KEXINIT
                | message::NEWKEYS
                | message::RSA_PUBLIC_KEY
                | message::KEX_REPLY
                | message::GROUP_EXCHANGE_REPLY
        ) || hears(cx) && message::EXCHANGE.contains(&header.message);
        if !is_read || header.length > record::MAX_MESSAGE {
            match header.message {
                message::KEXINIT => self.note(cx, SshAnomaly::LongKexRecord),
                message::NEWKEYS => return Step::Failed(SshAnomaly::InvalidRecord),
                _ => {}
            }
            frame::report(cx, direction, position, header, self.transactions.created() - 1);
            self.streams[direction].skip = header.length;
            return Step::Taken(HEADER_LENGTH);
        }
        let Some(body) = rest.get(HEADER_LENGTH..header.whole()) else { return Step::Needed(header.whole()) };
        frame::report(cx, direction, position, header, self.transactions.created() - 1);
        self.message(cx, direction, header.message, body);
        Step::Taken(header.whole())
    }

    fn message(&mut self, cx: &mut ParseContext<'_>, direction: Direction, number: u8, body: &[u8]) {
        let Some(transaction) = self.transactions.last_mut() else { return };
        let is_told = hears(cx) && message::EXCHANGE.contains(&number);
        transaction.meta.heard.note(is_told, direction, cx.time, number, body);
        match number {
            message::KEXINIT => {
                // A later one changes keys.
                let side = &mut transaction.sides[direction];
                if side.offer.is_none() {
                    side.offer = KeyExchange::read(body);
                }
            }
            message::NEWKEYS => {
                transaction.sides[direction].encrypted = true;
                self.streams[direction].stage = Stage::Opaque;
                cx.request(Request::InspectStream(direction));
                self.conceal(cx);
            }
            // The side that opened the connection may be the server of what is spoken.
            reply if transaction.host_key.is_none() => {
                let wanted =
                    transaction.offers().map(|offers| match (offers.exchanges_groups(), offers.uses_rsa()) {
                        (true, _) => message::GROUP_EXCHANGE_REPLY,
                        (_, true) => message::RSA_PUBLIC_KEY,
                        _ => message::KEX_REPLY,
                    });
                if wanted == Some(reply) {
                    let mut reader = Reader::new(body);
                    let key = reader.u32().and_then(|length| reader.take(usize::try_from(length).ok()?));
                    transaction.host_key = key.map(Box::from);
                }
            }
            _ => {}
        }
    }

    /// Once both sides will speak in secret, nothing more is read of what they say.
    fn conceal(&mut self, cx: &mut ParseContext<'_>) {
        let Some(transaction) = self.transactions.last_mut() else { return };
        let all = Direction::BOTH.iter().all(|&direction| transaction.sides[direction].encrypted);
        if !all || std::mem::replace(&mut self.secret, true) {
            return;
        }
        for direction in Direction::BOTH {
            transaction.meta.advance(direction, FINISHED);
        }
        transaction.followed = !transaction.is_compressed();
        if self.settings.encryption != EncryptionHandling::Full {
            cx.request(Request::Flush);
        }
        if self.settings.encryption == EncryptionHandling::Bypass {
            self.handed_over = true;
            transaction.followed = false;
            cx.request(Request::StopInspection);
            cx.request(Request::StopParsing(Direction::ToServer));
            cx.request(Request::StopParsing(Direction::ToClient));
            cx.request(Request::Encrypted);
        }
    }

    /// Tells the engine what it need not look at, and looks at the lengths in which the server sends what is
    /// encrypted.
    fn measure(&mut self, cx: &mut ParseContext<'_>, direction: Direction, rest: &[u8], position: usize) {
        self.tell_lengths(cx, direction, rest.len(), position);
        let Some(transaction) =
            self.transactions.last_mut().filter(|transaction| !transaction.is_version_1())
        else {
            return;
        };
        // A server that speaks first says nothing of the client's authentication.
        let tells = if self.secret { transaction.followed } else { !transaction.is_compressed() };
        if direction == Direction::ToClient && self.streams.to_server.spoke && tells {
            for (_, length) in segments(cx, position, rest.len()) {
                transaction.authentication.packet(u32::try_from(length).unwrap_or(u32::MAX));
            }
        }
        self.streams[direction].spoke = true;
        if !self.secret {
            return;
        }
        // Scripts hear of each packet.
        let is_followed = hears(cx);
        // Rules look at the last of what was said in the clear before.
        if self.streams.to_server.spoke && self.streams.to_client.spoke && !self.handed_over {
            self.handed_over = true;
            if self.settings.encryption == EncryptionHandling::TrackOnly {
                cx.request(Request::StopStreamInspection);
            }
        }
        let is_over = !transaction.followed || transaction.authentication.is_decided();
        transaction.followed &= !is_over;
        if !is_followed && (is_over || direction == Direction::ToServer) {
            cx.request(Request::StopParsing(direction));
        }
    }

    /// Keeps the lengths of what is encrypted, by segments, for scripts.
    fn tell_lengths(&mut self, cx: &ParseContext<'_>, direction: Direction, length: usize, position: usize) {
        let Some(transaction) = self.transactions.last_mut().filter(|_| hears(cx)) else { return };
        for (start, length) in segments(cx, position, length) {
            let bytes = (length as u64).to_be_bytes();
            transaction.meta.heard.note(true, direction, cx.arrival(start), heard::ENCRYPTED, &bytes);
        }
    }

    /// Passes over the bytes of the first version.
    fn pass_over(&mut self, cx: &mut ParseContext<'_>) {
        let both = self.transactions.last_mut().is_some_and(|transaction| {
            Direction::BOTH.iter().all(|&direction| transaction.sides[direction].banner.is_some())
        });
        let is_told = hears(cx);
        for direction in Direction::BOTH {
            if self.streams[direction].stage == Stage::Packets {
                self.streams[direction].stage = if is_told { Stage::FirstVersion } else { Stage::Opaque };
            }
            if both && !is_told {
                cx.request(Request::StopParsing(direction));
            }
        }
    }

    /// Reads the one message that each side sends in the clear by the first version: packets are padded to eight bytes in
    /// front and end with a checksum.
    fn first_version(&mut self, cx: &ParseContext<'_>, direction: Direction, rest: &[u8]) -> Step {
        let Some(length) = Reader::new(rest).u32() else { return Step::Needed(LENGTH_LENGTH) };
        let padding = 8 - length as usize % 8;
        let Ok(length) = usize::try_from(length) else { return Step::Failed(SshAnomaly::InvalidRecord) };
        if length > record::MAX_MESSAGE {
            return Step::Failed(SshAnomaly::InvalidRecord);
        }
        let whole = LENGTH_LENGTH + padding + length;
        let Some(packet) = rest.get(LENGTH_LENGTH + padding..whole) else { return Step::Needed(whole) };
        let is_key = direction == Direction::ToClient && packet.first() == Some(&PUBLIC_KEY);
        if let Some(transaction) = self.transactions.last_mut().filter(|_| is_key) {
            let body = packet.get(1..).unwrap_or_default();
            transaction.meta.heard.note(true, direction, cx.time, heard::FIRST_VERSION_KEY, body);
        }
        self.streams[direction].stage = Stage::Opaque;
        Step::Taken(whole)
    }

    fn seen(&mut self, cx: &ParseContext<'_>, direction: Direction, start: usize, end: usize) {
        if let Some(transaction) = self.transactions.last_mut() {
            transaction.meta.seen(direction, cx.arrival(start));
            transaction.meta.seen(direction, cx.arrival(end.saturating_sub(1)));
        }
    }

    /// Records an anomaly of the conversation, or of the flow where the transaction is gone.
    fn note(&mut self, cx: &mut ParseContext<'_>, anomaly: SshAnomaly) {
        match self.transactions.last_mut() {
            Some(transaction) => transaction.note(anomaly),
            None => cx.anomalies.push(anomaly.into()),
        }
    }
}
