//! Cuts both sides into packets, and follows what the server's stand for.

use weir_applayer::waiting::MAX_LIVE;
use weir_applayer::{
    Factory, Options, Outcome, ParseContext, Parser, Request, Said, TransactionList, factory,
    parser_transactions,
};
use weir_base::{Direction, PerDirection, Reader, Timestamp};

use super::events::heard;
use super::handshake::{Greeting, Login};
use super::message::Message;
use super::value::{ended_text, integer};
use super::{MYSQL, attributes};

/// Most bytes of a packet that are read; the rest is passed over.
pub const MAX_READ: usize = 16_384;

/// Bytes of a packet's length, and of its number.
const HEADER: usize = 4;

/// Bytes of a packet that says no more than that rows are at their end, at most.
const MAX_END: u32 = 9;

/// Commands by number.
mod command {
    pub const QUERY: u8 = 3;
    pub const FIELD_LIST: u8 = 4;
    pub const PROCESS_INFO: u8 = 10;
    pub const CHANGE_USER: u8 = 17;

    /// Those whose answer says no more than how they end.
    pub const PLAIN: &[u8] = &[0, 1, 2, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 29, 31];
}

/// First bytes of a server's packets.
mod kind {
    pub const DONE: u8 = 0;
    pub const MORE_DATA: u8 = 1;
    pub const END: u8 = 0xfe;
    pub const ERROR: u8 = 0xff;
}

/// Packet that the server is to send next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// Nothing that is known.
    Anything,
    /// Result of a command.
    Status,
    /// Number of columns, or the result of the command.
    ColumnCount,
    /// One of these many columns.
    Columns(u32),
    /// A column, or the end.
    ColumnOrEnd,
    /// The end of columns, where ends are sent, or a row.
    EndOfColumns,
    /// A row, or the end.
    Row,
}

/// There is nothing to configure.
pub fn configure(_: &dyn Options) -> Box<dyn Factory> {
    factory(|_| {
        Box::new(MySqlParser {
            left: PerDirection::default(),
            has_failed: false,
            version: 0,
            number: 0,
            is_in_commands: false,
            proves_itself: false,
            has_no_ends: false,
            has_attributes: PerDirection::default(),
            expected: Expected::Status,
            said: None,
            heard: None,
            transactions: TransactionList::default(),
        })
    })
}

/// One connection.
#[derive(Debug)]
struct MySqlParser {
    /// Bytes of a packet that are passed over, by direction.
    left: PerDirection<usize>,
    /// Bytes that are no message came: nothing more is read.
    has_failed: bool,
    /// The greeting's; 0 where there was none.
    version: u8,
    /// The server's last packet's.
    number: u8,
    /// The client is let in.
    is_in_commands: bool,
    /// The client says more to prove who it is.
    proves_itself: bool,
    /// Nothing but a message that all is well ends rows.
    has_no_ends: bool,
    /// Queries may have attributes, if both sides say so.
    has_attributes: PerDirection<bool>,
    expected: Expected,
    /// Message of the packet.
    said: Option<Message>,
    /// What the packet is to scripts, beside that: [`heard`].
    heard: Option<u8>,
    transactions: TransactionList<Said<Message>>,
}

/// A packet, as far as it is read.
#[derive(Clone, Copy)]
struct Packet<'a> {
    length: u32,
    number: u8,
    bytes: &'a [u8],
}

impl Parser for MySqlParser {
    fn data(&mut self, cx: &mut ParseContext<'_>, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut position = 0;
        while let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty() && !self.has_failed) {
            let left = &mut self.left[direction];
            if *left > 0 {
                let passed = rest.len().min(*left);
                *left -= passed;
                position += passed;
                continue;
            }
            let [low, middle, high, number, body @ ..] = rest else {
                return Outcome::Incomplete { consumed: position, needed: HEADER };
            };
            let length = u32::from_le_bytes([*low, *middle, *high, 0]);
            let read = (length as usize).min(MAX_READ);
            let Some(body) = body.get(..read) else {
                return Outcome::Incomplete { consumed: position, needed: HEADER + read };
            };
            *left = length as usize - read;
            position += HEADER + read;
            let packet = Packet { length, number: *number, bytes: body };
            let read = match direction {
                Direction::ToServer => self.client(packet),
                Direction::ToClient => self.server(packet),
            };
            self.has_failed = read.is_none();
            let message = self.said.take();
            let message = if self.has_failed { Some(Message::Failure) } else { message };
            let heard = self.heard.take().filter(|_| cx.files.messages && !self.has_failed);
            let message = message.or(heard.map(|_| Message::Heard));
            let is_encrypted = message == Some(Message::Tls);
            if let Some(message) = message {
                let time = cx.arrival(position.saturating_sub(1));
                self.tell(direction, time, message);
                if let (Some(kind), Some(transaction)) = (heard, self.transactions.last_mut()) {
                    transaction.meta.heard.note(true, direction, time, kind, body);
                }
            }
            if is_encrypted {
                cx.request(Request::Upgrade(Some("tls")));
                return Outcome::Incomplete { consumed: position, needed: 0 };
            }
        }
        Outcome::Ok
    }

    parser_transactions!(&MYSQL);
}

impl MySqlParser {
    fn tell(&mut self, direction: Direction, time: Timestamp, message: Message) {
        let message = match MAX_LIVE.saturating_sub(self.transactions.len()) {
            0 => return,
            1 => Message::TooMany,
            _ => message,
        };
        self.transactions.push(Said::new(direction, time, message));
    }

    /// A packet of the client; nothing where it is none.
    fn client(&mut self, packet: Packet<'_>) -> Option<()> {
        let mut reader = Reader::new(packet.bytes);
        if !self.is_in_commands {
            self.heard = Some(if self.proves_itself { heard::PROOF } else { heard::LOGIN });
            return if self.proves_itself { Some(()) } else { self.login(&mut reader) };
        }
        let command = reader.u8()?;
        self.expected = match command {
            command::QUERY | command::PROCESS_INFO => Expected::ColumnCount,
            command::FIELD_LIST => Expected::ColumnOrEnd,
            command::CHANGE_USER => {
                self.is_in_commands = false;
                self.heard = Some(heard::CHANGE_USER);
                let text = ended_text(&mut reader)?.to_vec();
                self.said = Some(Message::Command { command, text });
                return Some(());
            }
            plain if command::PLAIN.contains(&plain) => Expected::Status,
            _ => Expected::Anything,
        };
        if command == command::QUERY
            && self.has_attributes.to_server
            && self.has_attributes.to_client
            && attributes::skip(&mut reader).is_none()
        {
            // They may be longer than what is read.
            let is_cut = packet.bytes.len() < packet.length as usize;
            reader = Some(Reader::new(b"")).filter(|_| is_cut)?;
        }
        let text = reader.rest();
        let text = text.strip_suffix(b"\0").unwrap_or(text).to_vec();
        self.said = Some(Message::Command { command, text });
        Some(())
    }

    fn login(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if self.version == 0 {
            return None;
        }
        let login = Login::read(self.version, reader)?;
        self.has_no_ends = login.has_no_ends;
        self.has_attributes.to_server = login.has_attributes;
        self.proves_itself = login.may_continue;
        self.said = Some(login.user.map_or(Message::Tls, |user| Message::Login(user.to_vec())));
        Some(())
    }

    /// A packet of the server; nothing where it is none.
    fn server(&mut self, packet: Packet<'_>) -> Option<()> {
        let mut reader = Reader::new(packet.bytes);
        let last = std::mem::replace(&mut self.number, packet.number);
        if self.is_in_commands {
            return self.answer(packet, &mut reader);
        }
        match reader.u8()? {
            // Numbers begin anew behind 255.
            version if packet.number == 0 && last != u8::MAX => {
                if !matches!(version, 9 | 10) {
                    return self.error(&mut reader);
                }
                self.version = version;
                self.heard = Some(heard::GREETING);
                self.has_attributes.to_client = Greeting::read(version, &mut reader)?.has_attributes;
                Some(())
            }
            kind::DONE => self.done(&mut reader),
            kind::MORE_DATA => {
                self.heard = Some(heard::PROOF);
                Some(())
            }
            kind::END => {
                let _method = ended_text(&mut reader)?;
                self.heard = Some(heard::SWITCH);
                self.proves_itself = true;
                self.expected = Expected::Status;
                Some(())
            }
            kind::ERROR => self.error(&mut reader),
            _ => None,
        }
    }

    fn answer(&mut self, packet: Packet<'_>, reader: &mut Reader<'_>) -> Option<()> {
        let first = || packet.bytes.first().copied();
        let is_end = || first() == Some(kind::END);
        match self.expected {
            Expected::Anything => {}
            Expected::Status => match reader.u8()? {
                kind::DONE => self.done(reader)?,
                kind::END => self.end(reader)?,
                kind::ERROR => self.error(reader)?,
                _ => {}
            },
            Expected::ColumnCount => match first()? {
                kind::DONE => reader.skip(1).and_then(|()| self.done(reader))?,
                kind::ERROR => reader.skip(1).and_then(|()| self.error(reader))?,
                _ => self.expected = Expected::Columns(integer(reader)? as u32),
            },
            Expected::Columns(left) => {
                self.expected = match left.wrapping_sub(1) {
                    0 => Expected::EndOfColumns,
                    left => Expected::Columns(left),
                };
            }
            Expected::ColumnOrEnd => {
                if is_end() {
                    self.end_or_done(packet, reader)?;
                }
            }
            Expected::EndOfColumns if !self.has_no_ends => {
                // A mark, warnings and a state.
                reader.skip(1 + 2 + 2)?;
                self.heard = Some(heard::END_OF_COLUMNS);
                self.expected = Expected::Row;
            }
            Expected::EndOfColumns | Expected::Row => {
                self.expected = if is_end() { Expected::Anything } else { Expected::Row };
                if is_end() {
                    self.end_or_done(packet, reader)?;
                } else {
                    self.heard = Some(heard::ROW);
                }
            }
        }
        Some(())
    }

    /// Reads the end of rows.
    fn end_or_done(&mut self, packet: Packet<'_>, reader: &mut Reader<'_>) -> Option<()> {
        reader.skip(1)?;
        if self.has_no_ends || packet.length > MAX_END { self.done(reader) } else { self.end(reader) }
    }

    fn done(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let rows = integer(reader)? as u32;
        self.enter(Message::Done { rows });
        Some(())
    }

    /// Warnings, and a state.
    fn end(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        reader.skip(2 + 2)?;
        self.said = Some(Message::End);
        Some(())
    }

    /// A number, a state behind a mark, and a text.
    fn error(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let code = reader.u16_le()?;
        reader.skip(6)?;
        self.enter(Message::Error { code, text: reader.rest().to_vec() });
        Some(())
    }

    /// Says how something ended: commands follow.
    fn enter(&mut self, message: Message) {
        self.said = Some(message);
        self.is_in_commands = true;
        self.proves_itself = false;
    }
}
