//! Bytes of the client: commands, and messages between them.

use std::collections::VecDeque;
use std::sync::Arc;

use weir_applayer::{
    Early, Factory, File, FileState, FrameId, FrameKind, Heard, Options, Outcome, ParseContext, Parser,
    TransactionList, factory, parser_transactions,
};
use weir_base::{Direction, Timestamp};

use super::SMTP;
use super::anomaly::Oddity;
use super::attachments::Attachments;
use super::command::{Chunk, Verb};
use super::envelope::{self, Envelope, Order};
use super::events::heard;
use super::settings::{Extraction, Settings};
use super::transaction::{self, COMPLETE, MAX_RECIPIENTS, SmtpTransaction};
use crate::mime::entities::Reader;
use crate::mime::{Line, Lines, Message, Sink};

/// Most commands that wait for their replies.
pub(super) const MAX_COMMANDS: usize = 4096;

/// Kinds of frames.
pub(super) const FRAMES: &[&str] = &["command_line", "data", "response_line"];

const COMMAND_LINE: FrameKind = FrameKind(0);
const DATA: FrameKind = FrameKind(1);
/// A line of a reply.
pub(super) const RESPONSE_LINE: FrameKind = FrameKind(2);

/// The type of a mail (RFC 2046 5.2.1).
const TYPE_OF_MAIL: &str = "message/rfc822";

/// The name of a message that is one file.
const RAW_NAME: &[u8] = b"rawmsg";

/// Reads `app-layer.protocols.smtp`.
pub(super) fn configure(options: &dyn Options) -> Box<dyn Factory> {
    let settings = Arc::new(Settings::read(options));
    factory(move |_| Box::new(SmtpParser::new(Arc::clone(&settings))))
}

/// A command that waits for its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Command {
    pub kind: CommandKind,
    /// The transaction that it belongs to.
    pub transaction: Option<u64>,
}

/// Kind of a command, as far as its reply matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CommandKind {
    Data,
    /// The end of a message.
    EndOfData,
    Reset,
    StartTls,
    Other,
}

/// Mode of reading the client's next bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Commands.
    Commands,
    /// A message up to a line with a dot.
    Data,
    /// So many bytes of a message.
    Chunk(Chunk),
}

/// Columns that Zeek's rows of a connection share.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// When the row at hand began.
    pub start: Timestamp,
    /// Messages that were answered.
    pub messages: u64,
    /// Something came that is worth a row.
    pub active: bool,
    /// Id of the flow's next entity.
    next_entity: u64,
    /// Entities that began.
    entities: u64,
    /// Order of the commands.
    order: Order,
}

/// One side's bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    /// The line at hand.
    pub lines: Lines,
    /// Where it began in the stream.
    pub line_start: u64,
}

/// The parser of one connection.
///
/// Its fields are facts of the connection, which replies change that belong to commands long past.
#[derive(Debug)]
pub(super) struct SmtpParser {
    pub(super) settings: Arc<Settings>,
    pub(super) transactions: TransactionList<SmtpTransaction>,
    pub(super) request: Side,
    pub(super) response: Side,
    /// The lines of a message in chunks.
    content: Lines,
    pub(super) mode: Mode,
    /// Commands without a reply, oldest first.
    pub(super) commands: VecDeque<Command>,
    /// Name in the client's HELO or EHLO.
    hello: Option<Vec<u8>>,
    /// The server said something.
    pub(super) heard: bool,
    /// The server greeted.
    pub(super) welcomed: bool,
    /// The server reads commands before it has answered those before.
    pub(super) pipelining: bool,
    /// The frame of the message at hand.
    frame: Option<FrameId>,
    next_file: u64,
    pub(super) row: Row,
    /// The flow speaks TLS now.
    pub(super) left: bool,
    /// Lines for scripts. They are no transaction's: some stand between two, and no number is spent on them.
    lines: Heard,
}

impl SmtpParser {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        Self {
            settings,
            transactions: TransactionList::default(),
            request: Side::default(),
            response: Side::default(),
            content: Lines::default(),
            mode: Mode::Commands,
            commands: VecDeque::new(),
            hello: None,
            heard: false,
            welcomed: false,
            pipelining: false,
            frame: None,
            next_file: 0,
            row: Row::default(),
            left: false,
            lines: Heard::default(),
        }
    }

    /// Keeps a line for scripts, where they want it.
    pub(super) fn hear(
        &mut self,
        cx: &ParseContext<'_>,
        direction: Direction,
        kind: u8,
        bytes: &[u8],
        time: Timestamp,
    ) {
        self.lines.note(cx.files.messages && cx.tells_zeek(), direction, time, kind, bytes);
    }

    /// The transaction that the client is at, if it is still known.
    pub(super) fn current(&mut self) -> Option<&mut SmtpTransaction> {
        let id = self.transactions.created().checked_sub(1)?;
        self.transactions.by_id_mut(id)
    }

    /// Notes an oddity of the transaction at hand.
    pub(super) fn odd(&mut self, direction: Direction, oddity: Oddity) {
        if let Some(transaction) = self.current() {
            transaction.odd(direction, oddity);
        }
    }

    /// Begins a transaction where the one before is over; false where there are too many.
    fn begin(&mut self, cx: &ParseContext<'_>) -> bool {
        let is_over = self.current().is_none_or(|transaction| transaction.ended);
        if is_over {
            if self.transactions.len() >= self.settings.max_transactions {
                return false;
            }
            let hello = self.hello.clone();
            let envelope = cx.files.magic.then(|| {
                let (start, depth) = (self.row.start, self.row.messages + 1);
                Box::new(Envelope { start, depth, ..Envelope::default() })
            });
            self.transactions.push(SmtpTransaction { hello, envelope, ..SmtpTransaction::default() });
        }
        true
    }

    /// Remembers a command until its reply comes.
    fn expect_reply(&mut self, kind: CommandKind, transaction: Option<u64>) {
        let waits = self
            .commands
            .back()
            .is_some_and(|before| matches!(before.kind, CommandKind::Data | CommandKind::StartTls));
        if waits {
            // Nothing may follow those before they are answered.
            self.odd(Direction::ToServer, Oddity::InvalidPipelinedSequence);
        }
        if self.commands.len() < MAX_COMMANDS {
            self.commands.push_back(Command { kind, transaction });
        }
    }

    /// A line outside of messages; `until` is when its last byte was captured.
    fn command(&mut self, cx: &mut ParseContext<'_>, line: &Line<'_>, end: u64, until: Timestamp) -> Outcome {
        if line.continues {
            // The rest of a line that was too long.
            return Outcome::Ok;
        }
        let verb = Verb::read(line.text);
        // Neither begins a transaction where there was one before.
        let ends = matches!(verb, Verb::Reset | Verb::Quit) && self.transactions.created() > 0;
        let is_aside = ends && self.current().is_none_or(|transaction| transaction.ended);
        if !is_aside && !self.begin(cx) {
            return Outcome::Error;
        }
        let id = self.transactions.created().checked_sub(1).filter(|_| !is_aside);
        self.hear(cx, Direction::ToServer, heard::LINE, line.text, until);
        let frame = cx.open_frame(Direction::ToServer, COMMAND_LINE, self.request.line_start);
        cx.close_frame(Direction::ToServer, frame, end);
        if let Some(id) = id {
            cx.frame_transaction(Direction::ToServer, frame, id);
            self.envelope(verb, line, until);
        }
        let kind = match verb {
            Verb::Data => CommandKind::Data,
            Verb::Reset => CommandKind::Reset,
            Verb::StartTls => CommandKind::StartTls,
            Verb::Chunk(Some(Chunk { last: true, .. })) => CommandKind::EndOfData,
            _ => CommandKind::Other,
        };
        self.expect_reply(kind, id);
        match verb {
            // Where only the client is heard, Zeek reads on.
            Verb::Data if self.pipelining || cx.reads_as_zeek() && !self.heard => self.begin_data(cx, until),
            Verb::Chunk(Some(chunk)) => {
                self.begin_message(cx, until);
                self.mode = Mode::Chunk(chunk);
                self.end_chunk(cx, until);
            }
            _ => {}
        }
        Outcome::Ok
    }

    /// Adds a command to the transaction at hand.
    fn envelope(&mut self, verb: Verb<'_>, line: &Line<'_>, until: Timestamp) {
        let (welcomed, greeted) = (self.welcomed, self.hello.is_some());
        let takes_apart = self.settings.extraction == Extraction::Mime;
        let id = self.transactions.created().saturating_sub(1);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        let direction = Direction::ToServer;
        transaction.meta.seen(direction, until);
        if !welcomed {
            // Each line says so.
            transaction.meta.anomaly(Oddity::NoServerWelcomeMessage.into());
            transaction.meta.updated[direction] = true;
        }
        if line.end.is_empty() {
            transaction.odd(direction, Oddity::TruncatedLine);
        }
        let early = self.row.order.command(verb);
        if let Some(envelope) = &mut transaction.envelope {
            early.into_iter().for_each(|oddity| envelope.odd(until, oddity));
            if matches!(verb, Verb::Chunk(_)) {
                envelope.odd(until, envelope::Oddity::of_chunk(line.text.get(4..).unwrap_or_default()));
            }
        }
        match verb {
            Verb::Hello(name) => {
                if greeted {
                    transaction.odd(direction, Oddity::DuplicateFields);
                    transaction.ended |= transaction.has_envelope();
                } else {
                    transaction.hello = Some(name.to_vec());
                    self.hello = Some(name.to_vec());
                }
            }
            Verb::Mail(sender) => {
                if std::mem::replace(&mut self.row.active, true) {
                    self.row.start = until;
                }
                if let Some(envelope) = &mut transaction.envelope {
                    envelope.start = self.row.start;
                }
                if transaction.sender.is_some() {
                    transaction.odd(direction, Oddity::DuplicateFields);
                } else {
                    transaction.sender = Some(sender.to_vec());
                }
            }
            Verb::Recipient(recipient) => {
                self.row.active = true;
                if transaction.recipients.len() < MAX_RECIPIENTS {
                    transaction.recipient_bytes += recipient.len();
                    transaction.recipients.push(recipient.to_vec());
                }
            }
            Verb::Data | Verb::Chunk(Some(_)) => {
                transaction.shows_mail |= takes_apart && matches!(verb, Verb::Data);
                transaction.data_asked = true;
                transaction.meta.advance(direction, transaction::DATA);
            }
            Verb::Chunk(None) => transaction.odd(direction, Oddity::InvalidBdat),
            Verb::Reset => transaction.ended |= transaction.has_envelope(),
            Verb::Quit | Verb::StartTls | Verb::Other => {}
        }
    }

    /// The client's next bytes are a message.
    pub(super) fn begin_data(&mut self, cx: &mut ParseContext<'_>, time: Timestamp) {
        if self.current().is_some_and(|transaction| transaction.has_content && !transaction.ended) {
            // Chunks of a message that never ended.
            self.odd(Direction::ToServer, Oddity::UnparsableContent);
            self.finish_message(cx, false, time);
            if !self.begin(cx) {
                return;
            }
        }
        self.mode = Mode::Data;
        self.begin_message(cx, time);
    }

    fn begin_message(&mut self, cx: &mut ParseContext<'_>, time: Timestamp) {
        let settings = Arc::clone(&self.settings);
        let id = self.transactions.created().saturating_sub(1);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        if std::mem::replace(&mut transaction.has_content, true) {
            return;
        }
        if let Some(envelope) = transaction.envelope.as_deref_mut().filter(|_| cx.files.told) {
            let id = self.row.next_entity;
            self.row.next_entity += 1;
            let mut file = File::open_entity(id, Vec::new(), Direction::ToServer, time, cx.files);
            file.told_type = Some(TYPE_OF_MAIL);
            envelope.whole = Some((self.row.entities + 1, file));
        }
        match settings.extraction {
            Extraction::Nothing => {}
            Extraction::Mime => transaction.message = Some(Box::new(Message::new(&settings.message))),
            Extraction::Raw => {
                let meta = &mut transaction.meta;
                let (limits, next_file) = (settings.limits, &mut self.next_file);
                Attachments { meta, files: cx.files, limits, next_file, time }.open(RAW_NAME);
            }
        }
    }

    /// The server will not take the message that DATA was to bring.
    pub(super) fn refuse_data(&mut self) {
        if self.mode == Mode::Data
            && self.frame.is_none()
            && let Some(transaction) = self.current()
        {
            transaction.has_content = false;
            transaction.message = None;
            self.mode = Mode::Commands;
        }
    }

    /// A line of a message.
    fn content(&mut self, cx: &mut ParseContext<'_>, line: &Line<'_>, stuffed: bool, time: Timestamp) {
        let settings = Arc::clone(&self.settings);
        let id = self.transactions.created().saturating_sub(1);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        transaction.meta.seen(Direction::ToServer, time);
        if let Some(envelope) = transaction.envelope.as_deref_mut() {
            envelope.append(line, stuffed, time);
            let Envelope { mail, entities, .. } = envelope;
            let (next_id, begun) = (&mut self.row.next_entity, &mut self.row.entities);
            entities.line(
                line,
                stuffed,
                &mut Reader { time, next_id, begun, files: cx.files, listener: mail },
            );
        }
        let (meta, limits) = (&mut transaction.meta, settings.limits);
        let mut sink = Attachments { meta, files: cx.files, limits, next_file: &mut self.next_file, time };
        if let Some(message) = &mut transaction.message {
            message.line(line, stuffed, &settings.message, &mut sink);
        } else if settings.extraction == Extraction::Raw {
            sink.data(line.text);
            sink.data(line.end);
        }
    }

    /// The message is over.
    fn finish_message(&mut self, cx: &mut ParseContext<'_>, whole: bool, time: Timestamp) {
        let settings = Arc::clone(&self.settings);
        let id = self.transactions.created().saturating_sub(1);
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        let (meta, limits) = (&mut transaction.meta, settings.limits);
        let mut sink = Attachments { meta, files: cx.files, limits, next_file: &mut self.next_file, time };
        if let Some(message) = &mut transaction.message {
            message.finish(whole, &settings.message, &mut sink);
        } else if settings.extraction == Extraction::Raw && transaction.has_content {
            sink.close(whole);
        }
        if let Some(Envelope { mail, entities, whole: mails_file, .. }) = transaction.envelope.as_deref_mut()
        {
            let (next_id, begun) = (&mut self.row.next_entity, &mut self.row.entities);
            let state = if whole { FileState::Closed } else { FileState::Truncated };
            entities.finish(state, &mut Reader { time, next_id, begun, files: cx.files, listener: mail });
            if let Some((_, file)) = mails_file {
                file.close(state);
            }
        }
        transaction.ended = true;
        transaction.meta.updated[Direction::ToServer] = true;
        self.row.order.end();
    }

    /// A line behind DATA, which begins at `start` of the stream.
    fn data_line(&mut self, cx: &mut ParseContext<'_>, line: &Line<'_>, time: Timestamp) {
        let start = self.request.line_start;
        if line.text != b"." || line.continues || line.end.is_empty() {
            let kind = heard::of_line(heard::CONTENT, line);
            self.hear(cx, Direction::ToServer, kind, line.text, time);
            if self.frame.is_none() {
                self.frame = cx.open_frame(Direction::ToServer, DATA, start);
                cx.frame_transaction(
                    Direction::ToServer,
                    self.frame,
                    self.transactions.created().saturating_sub(1),
                );
            }
            return self.content(cx, line, true, time);
        }
        self.hear(cx, Direction::ToServer, heard::END, b"", time);
        cx.close_frame(Direction::ToServer, self.frame.take(), start);
        self.mode = Mode::Commands;
        let id = self.transactions.created().checked_sub(1);
        self.expect_reply(CommandKind::EndOfData, id);
        self.finish_message(cx, true, time);
    }

    /// Takes what belongs to the chunk at hand; answers how much that is.
    fn chunk(&mut self, cx: &mut ParseContext<'_>, mut chunk: Chunk, bytes: &[u8], index: usize) -> usize {
        let length = usize::try_from(chunk.left).unwrap_or(usize::MAX).min(bytes.len());
        let mut rest = bytes.get(..length).unwrap_or(bytes);
        let mut lines = std::mem::take(&mut self.content);
        while !rest.is_empty() {
            let (taken, line) = lines.next(rest);
            if let Some(line) = line {
                let time = cx.arrival(index + (length - rest.len()) + taken.saturating_sub(1));
                self.chunk_line(cx, &line, time);
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        self.content = lines;
        chunk.left -= length as u64;
        self.mode = Mode::Chunk(chunk);
        let time = cx.arrival(index + length.saturating_sub(1));
        self.end_chunk(cx, time);
        length
    }

    /// A line of a chunk.
    fn chunk_line(&mut self, cx: &mut ParseContext<'_>, line: &Line<'_>, time: Timestamp) {
        self.hear(cx, Direction::ToServer, heard::of_line(heard::CHUNK, line), line.text, time);
        self.content(cx, line, false, time);
    }

    /// Goes back to commands where all of a chunk came.
    fn end_chunk(&mut self, cx: &mut ParseContext<'_>, time: Timestamp) {
        let Mode::Chunk(Chunk { left: 0, last }) = self.mode else { return };
        self.mode = Mode::Commands;
        if last {
            let mut lines = std::mem::take(&mut self.content);
            if let Some(line) = lines.finish() {
                self.chunk_line(cx, &line, time);
            }
            self.hear(cx, Direction::ToServer, heard::END_OF_CHUNKS, b"", time);
            self.finish_message(cx, true, time);
        }
    }

    /// Reads the client's bytes.
    fn client(&mut self, cx: &mut ParseContext<'_>, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) {
            if let Mode::Chunk(chunk) = self.mode {
                position += self.chunk(cx, chunk, rest, position);
                continue;
            }
            let mut lines = std::mem::take(&mut self.request.lines);
            if !lines.is_within_line() {
                self.request.line_start = cx.offset.saturating_add(position as u64);
            }
            let (taken, line) = lines.next(rest);
            position += taken;
            let mut outcome = Outcome::Ok;
            if let Some(line) = line {
                let time = cx.arrival(position.saturating_sub(1));
                if self.mode == Mode::Data {
                    self.data_line(cx, &line, time);
                } else {
                    outcome = self.command(cx, &line, cx.offset.saturating_add(position as u64), time);
                }
            }
            self.request.lines = lines;
            if outcome != Outcome::Ok {
                return outcome;
            }
        }
        Outcome::Ok
    }
}

impl Parser for SmtpParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        if self.left {
            return Outcome::Ok;
        }
        // On other ports Zeek takes up a conversation with its first command.
        let known = SMTP.ports.contains(&cx.endpoints.server_port);
        if self.row.start == Timestamp::default() && (known || direction == Direction::ToServer) {
            self.row.start = cx.arrival(0);
        }
        match direction {
            Direction::ToServer => self.client(cx, bytes),
            Direction::ToClient => self.server(cx, bytes),
        }
    }

    fn close(&mut self, cx: &mut ParseContext<'_>, direction: Direction) {
        if direction == Direction::ToServer
            && self.current().is_some_and(|transaction| transaction.has_content && !transaction.ended)
        {
            self.finish_message(cx, false, cx.time);
        }
        for transaction in self.transactions.iter_mut() {
            transaction.meta.advance(direction, COMPLETE);
        }
    }

    fn fork(&mut self, _: Direction, early: Early) -> Option<Box<dyn Parser>> {
        if early != Early::Depth || self.left {
            return None;
        }
        Some(Box::new(Self {
            transactions: self.transactions.fork(SmtpTransaction::fork),
            request: self.request.clone(),
            response: self.response.clone(),
            content: self.content.clone(),
            commands: self.commands.clone(),
            hello: self.hello.clone(),
            row: self.row.clone(),
            lines: std::mem::take(&mut self.lines),
            frame: None,
            settings: Arc::clone(&self.settings),
            ..*self
        }))
    }

    fn held(&self) -> usize {
        let lines = [&self.request.lines, &self.response.lines, &self.content].map(Lines::memory);
        let newest = self.transactions.by_id(self.transactions.created().saturating_sub(1));
        let envelope = newest.and_then(|transaction| transaction.envelope.as_deref());
        let waiting = envelope.and_then(|envelope| envelope.entities.files.last()).map_or(0, File::awaiting);
        let whole = envelope.and_then(|envelope| envelope.whole.as_ref());
        let waiting = waiting + whole.map_or(0, |(_, file)| file.awaiting());
        lines.into_iter().sum::<usize>() + self.commands.capacity() * size_of::<Command>() + waiting
    }

    fn heard(&self) -> Option<&Heard> {
        Some(&self.lines)
    }

    parser_transactions!(&SMTP);
}
