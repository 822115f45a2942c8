//! A stream, or a frame of stream 0: what each side said in it.

use std::any::Any;

use weir_applayer::{File, FileState, Progress, Transaction, TxMeta};
use weir_base::{Direction, PerDirection};

use super::anomaly::Http2Anomaly;
use super::body::BodyState;
use super::dns::{Carried, Signs};
use super::frame::kind;
use super::hpack::{HeaderField, Item};

/// The client said its header fields; its body may follow.
pub const CLIENT: Progress = Progress(3);
/// The server said its header fields; its body may follow.
pub const SERVER: Progress = Progress(5);
/// No more is said.
pub const CLOSED: Progress = Progress(7);

/// The states of a stream (RFC 9113 5.1); a side goes through those that its own frames lead to.
pub const STATES: &[&str] = &[
    "idle",
    "open",
    "reserved",
    "data_client",
    "half_closed_client",
    "data_server",
    "half_closed_server",
    "closed",
];

/// Most values of a kind that are kept of a side, and most header fields.
pub const MAX_VALUES: usize = 4096;

/// Most items of header blocks that are no fields.
const MAX_ASIDES: usize = 64;

/// Most bytes of header fields that are kept of a side, those included that others share.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// Bytes of a header field beside its texts.
const FIELD_SIZE: usize = size_of::<HeaderField>() + 64;

/// Frames of kinds below this are noted as bits.
const USUAL_KINDS: u8 = 16;

/// Frames that are no part of a message, which most sides of a stream have none of.
#[derive(Debug, Default)]
pub struct Controls {
    /// Unusual kinds of frames, each once.
    kinds: Vec<u8>,
    /// Settings: number and value.
    pub settings: Vec<(u16, u32)>,
    /// Reason that it ended the stream or the connection.
    pub errors: Vec<u32>,
    /// Priorities.
    pub priorities: Vec<u8>,
    /// Window increments for the other side, in bytes.
    pub windows: Vec<u32>,
    /// Other items of its header blocks, each before the field with this index.
    asides: Vec<(usize, Item)>,
}

impl Controls {
    /// Bytes of memory that they take.
    fn memory(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&self.settings[..])
            + size_of_val(&self.errors[..])
            + size_of_val(&self.windows[..])
            + size_of_val(&self.asides[..])
            + self.priorities.len()
    }
}

/// One side.
#[derive(Debug, Default)]
pub struct Message {
    /// Its header fields.
    pub fields: Vec<HeaderField>,
    controls: Option<Box<Controls>>,
    pub(super) body: BodyState,
    pub(super) carried: Carried,
    /// Signs of DNS in its fields.
    pub(super) signs: Signs,
    header_bytes: u32,
    /// Number of its frames.
    frames: u32,
    /// Bits of its usual kinds of frames.
    kinds: u16,
    /// It said header fields.
    pub has_headers: bool,
    /// It says no more.
    pub ended: bool,
}

impl Message {
    /// Notes a frame; returns the number of its frames.
    pub(super) fn note_kind(&mut self, kind: u8) -> u32 {
        if kind < USUAL_KINDS {
            self.kinds |= 1 << kind;
        } else if !self.unusual_kinds().contains(&kind) {
            self.controls_mut().kinds.push(kind);
        }
        self.has_headers |= matches!(kind, kind::HEADERS | kind::PUSH_PROMISE | kind::CONTINUATION);
        self.frames = self.frames.saturating_add(1);
        self.frames
    }

    fn unusual_kinds(&self) -> &[u8] {
        self.controls.as_ref().map_or(&[], |controls| &controls.kinds)
    }

    /// The kinds of its frames, each once.
    pub fn kinds(&self) -> impl Iterator<Item = u8> {
        let usual = (0..USUAL_KINDS).filter(|kind| self.kinds & 1 << kind != 0);
        usual.chain(self.unusual_kinds().iter().copied())
    }

    /// Returns the frames that are no part of a message; none where there are none.
    pub fn controls(&self) -> Option<&Controls> {
        self.controls.as_deref()
    }

    /// Returns the control frames, to add to them.
    pub(super) fn controls_mut(&mut self) -> &mut Controls {
        self.controls.get_or_insert_default()
    }

    /// Returns the other items of its header blocks, each before the field with this index.
    pub fn asides(&self) -> &[(usize, Item)] {
        self.controls.as_ref().map_or(&[], |controls| &controls.asides)
    }

    /// Keeps an item of a header block; false where there is no room for it.
    pub(super) fn keep(&mut self, item: Item) -> bool {
        let Item::Field(field) = item else {
            let fits = self.asides().len() < MAX_ASIDES;
            if fits {
                let before = self.fields.len();
                self.controls_mut().asides.push((before, item));
            }
            return fits;
        };
        let size = field.name.len() + field.value.len();
        let bytes = self.header_bytes as usize + size;
        let fits = self.fields.len() < MAX_VALUES && bytes <= MAX_HEADER_BYTES;
        if fits {
            self.header_bytes = bytes as u32;
            self.fields.push(field);
        }
        fits
    }

    /// Bytes that it holds.
    fn size(&self) -> usize {
        let fields = self.header_bytes as usize + FIELD_SIZE * self.fields.len();
        fields + self.body.size() + self.carried.size()
    }

    /// The new sizes of its table.
    pub fn size_updates(&self) -> impl Iterator<Item = u64> {
        self.asides().iter().filter_map(|(_, item)| match item {
            Item::SizeUpdate(size) => Some(*size),
            Item::Field(_) | Item::Wrong(_) => None,
        })
    }

    /// The values of the fields with this name.
    pub fn values(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.fields
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name))
            .map(|field| &*field.value)
    }

    /// The first of them.
    pub fn value(&self, name: &[u8]) -> Option<&[u8]> {
        self.values(name).next()
    }
}

/// One stream.
#[derive(Debug, Default)]
pub struct Http2Transaction {
    /// Metadata common to all transactions.
    pub meta: TxMeta,
    /// Its number.
    pub stream: u32,
    /// Messages of the sides.
    pub messages: PerDirection<Message>,
}

impl Transaction for Http2Transaction {
    fn meta(&self) -> &TxMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut TxMeta {
        &mut self.meta
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn carried(&self, direction: Direction) -> Option<&dyn Transaction> {
        self.messages[direction].carried.message()
    }
}

impl Http2Transaction {
    /// Records an anomaly.
    pub fn note(&mut self, anomaly: Http2Anomaly) {
        self.meta.anomaly_once(anomaly.into());
    }

    /// The target of the request; a pushed one is in what the server says.
    pub fn path(&self) -> Option<&[u8]> {
        self.of_request(b":path")
    }

    /// The host as the request says it.
    pub fn authority(&self) -> Option<&[u8]> {
        self.of_request(b":authority").or_else(|| self.of_request(b"host"))
    }

    /// The host without user and port.
    pub fn host(&self) -> Option<&[u8]> {
        let authority = self.authority()?;
        let host = authority.rsplit(|byte| *byte == b'@').next().unwrap_or(authority);
        let end = match host.first() {
            Some(b'[') => host.iter().position(|byte| *byte == b']').map(|end| end + 1),
            _ => host.iter().position(|byte| *byte == b':'),
        };
        host.get(..end.unwrap_or(host.len()))
    }

    fn of_request(&self, name: &[u8]) -> Option<&[u8]> {
        Direction::BOTH.into_iter().find_map(|direction| self.messages[direction].value(name))
    }

    /// Bytes that it holds until it is over.
    pub(super) fn size(&self) -> usize {
        self.messages.to_server.size() + self.messages.to_client.size()
    }

    /// Bytes of memory that it takes beside itself.
    pub(super) fn memory(&self) -> usize {
        let files: usize = self.meta.files.iter().map(File::memory).sum();
        let controls = [&self.messages.to_server, &self.messages.to_client].map(Message::controls);
        let controls: usize = controls.into_iter().flatten().map(Controls::memory).sum();
        self.size() + files + controls
    }

    /// Stops following a side.
    pub(super) fn give_up(&mut self, direction: Direction) {
        self.messages[direction].body = BodyState::Over;
        for file in &mut self.meta.files {
            file.close(FileState::Truncated);
        }
        self.end(direction);
    }

    /// A side says no more.
    pub(super) fn end(&mut self, direction: Direction) {
        self.messages[direction].ended = true;
        self.meta.advance(direction, CLOSED);
    }

    /// Whether nobody says more.
    pub fn is_closed(&self) -> bool {
        Direction::BOTH.iter().all(|direction| self.messages[*direction].ended)
    }
}
