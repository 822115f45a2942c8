//! Events of MySQL for scripts: what each side says, a row each.

use weir_applayer::event_names;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_applayer::{HeardMessage, Said};
use weir_base::{Direction, EventValue, Reader};

use super::message::Message;
use super::value::{ended_text, integer};

event_names! {
    /// Their names.
    const NAMES;
    HANDSHAKE = "mysql_handshake",
    SSL_REQUEST = "mysql_ssl_request",
    COMMAND = "mysql_command_request",
    OK = "mysql_ok",
    ERROR = "mysql_error",
    EOF = "mysql_eof",
    VERSION = "mysql_server_version",
    PLUGIN = "mysql_auth_plugin",
    SWITCH = "mysql_auth_switch_request",
    PROOF = "mysql_auth_more_data",
    CHANGE_USER = "mysql_change_user",
    ROW = "mysql_result_row",
}

/// What packets are to scripts.
pub(super) mod heard {
    pub(in crate::mysql) const GREETING: u8 = 0;
    pub(in crate::mysql) const LOGIN: u8 = 1;
    pub(in crate::mysql) const SWITCH: u8 = 2;
    pub(in crate::mysql) const PROOF: u8 = 3;
    pub(in crate::mysql) const CHANGE_USER: u8 = 4;
    pub(in crate::mysql) const END_OF_COLUMNS: u8 = 5;
    pub(in crate::mysql) const ROW: u8 = 6;
}

/// Capabilities of a client: a database is named, the proof has a length, a method is named, that length is an integer.
const WITH_DATABASE: u32 = 0x8;
const SECURE: u32 = 0x8000;
const WITH_METHOD: u32 = 0x8_0000;
const WITH_LONG_PROOF: u32 = 0x20_0000;

/// Most columns of a row that are shown.
const MAX_COLUMNS: usize = 4096;

/// What stands in place of a value that is none.
const NO_VALUE: u8 = 0xfb;

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/mysql/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(MySqlRaiser),
};

#[derive(Debug)]
struct MySqlRaiser;

impl EventRaiser for MySqlRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<Said<Message>>().filter(|_| news.complete) else { return };
        let c = EventValue::Connection;
        let heard = tx.meta.heard.take();
        match &tx.message {
            Message::Login(user) => sink.raise(HANDSHAKE, &[c, user.into()]),
            Message::Tls => sink.raise(SSL_REQUEST, &[c]),
            Message::Command { command, text } => {
                // Of a change of user all is shown that is behind the command.
                let whole = heard.first().and_then(|packet| packet.bytes.get(1..));
                let text = EventValue::String(whole.unwrap_or(text));
                sink.raise(COMMAND, &[c, (*command).into(), text]);
            }
            Message::Done { rows } => sink.raise(OK, &[c, (*rows).into()]),
            Message::End => sink.raise(EOF, &[c, EventValue::Bool(false)]),
            Message::Error { code, text } => sink.raise(ERROR, &[c, (*code).into(), text.into()]),
            Message::Heard | Message::Failure | Message::TooMany => {}
        }
        for packet in &heard {
            // What does not fit its format has no event.
            let _ = raise(packet, sink);
        }
    }
}

fn raise(packet: &HeardMessage, sink: &mut dyn EventSink) -> Option<()> {
    let c = EventValue::Connection;
    let is_orig = EventValue::Bool(packet.direction == Direction::ToServer);
    let mut reader = Reader::new(&packet.bytes);
    match packet.kind {
        heard::GREETING => {
            let version = reader.u8()?;
            sink.raise(VERSION, &[c, EventValue::String(ended_text(&mut reader)?)]);
            if version == 10 {
                reader.skip(4)?;
                let first = reader.take(8)?;
                // Zero, capabilities, the character set, the state, capabilities.
                reader.skip(1 + 2 + 1 + 2 + 2)?;
                let length = usize::from(reader.u8()?);
                reader.skip(10)?;
                let second = reader.take(length.saturating_sub(8).max(13).min(reader.len()))?;
                let name = EventValue::String(ended_text(&mut reader).unwrap_or(reader.rest()));
                let data = [first, second].concat();
                sink.raise(PLUGIN, &[c, is_orig, name, EventValue::String(&data)]);
            }
        }
        heard::LOGIN => {
            let flags = reader.u32_le()?;
            reader.skip(4 + 1 + 23)?;
            ended_text(&mut reader)?;
            let proof = proof(&mut reader, flags)?;
            if flags & WITH_DATABASE != 0 {
                ended_text(&mut reader)?;
            }
            if flags & WITH_METHOD != 0 {
                let name = EventValue::String(ended_text(&mut reader)?);
                sink.raise(PLUGIN, &[c, is_orig, name, EventValue::String(proof)]);
            }
        }
        heard::SWITCH => {
            reader.skip(1)?;
            let name = EventValue::String(ended_text(&mut reader)?);
            sink.raise(SWITCH, &[c, name, EventValue::String(reader.rest())]);
        }
        heard::PROOF => {
            // The server's begins with a mark.
            let mark = usize::from(packet.direction == Direction::ToClient);
            sink.raise(PROOF, &[c, is_orig, EventValue::String(packet.bytes.get(mark..)?)]);
        }
        heard::CHANGE_USER => {
            reader.skip(1)?;
            sink.raise(CHANGE_USER, &[c, EventValue::String(ended_text(&mut reader)?)]);
            let length = reader.u8()?;
            let proof = EventValue::String(reader.take(length.into())?);
            ended_text(&mut reader)?;
            reader.skip(2)?;
            let name = EventValue::String(ended_text(&mut reader)?);
            sink.raise(PLUGIN, &[c, is_orig, name, proof]);
        }
        heard::END_OF_COLUMNS => sink.raise(EOF, &[c, EventValue::Bool(true)]),
        heard::ROW => {
            let mut values = Vec::new();
            while !reader.is_empty() && values.len() < MAX_COLUMNS {
                values.push(EventValue::String(column(&mut reader)?));
            }
            sink.raise(ROW, &[c, EventValue::List(&values)]);
        }
        _ => {}
    }
    Some(())
}

/// The proof of who a client is.
fn proof<'a>(reader: &mut Reader<'a>, flags: u32) -> Option<&'a [u8]> {
    if flags & WITH_LONG_PROOF != 0 {
        return column(reader);
    }
    if flags & SECURE != 0 {
        let length = reader.u8()?;
        return reader.take(length.into());
    }
    ended_text(reader)
}

/// A value behind its length.
fn column<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    if reader.peek() == Some(NO_VALUE) {
        reader.skip(1)?;
        return Some(&[]);
    }
    let length = integer(reader)?;
    reader.take(usize::try_from(length).ok()?)
}
