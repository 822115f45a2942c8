//! Header blocks: put together of the frames that carry them, and what their fields mean for the transaction.

use weir_applayer::{FileState, ParseContext, Transaction};
use weir_base::Direction;

use super::super::anomaly::Http2Anomaly;
use super::super::frame::{self, Header, kind};
use super::super::hpack::{BlockError, Item};
use super::super::transaction::{CLIENT, Http2Transaction, SERVER};
use super::Http2Parser;

/// A header block that goes on in another frame.
#[derive(Debug)]
pub(super) struct Block {
    stream: u32,
    transaction: u64,
    pub(super) bytes: Vec<u8>,
    /// It is too long: the rest is passed over.
    is_cut: bool,
    ends_stream: bool,
}

impl Http2Parser {
    /// A frame has a part of a header block, which may be all of it.
    pub(super) fn block_part(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        header: &Header,
        id: u64,
        fragment: &[u8],
        position: usize,
    ) {
        let begun = &mut self.sides[direction].block;
        if header.kind != kind::CONTINUATION {
            let ends_stream = header.kind == kind::HEADERS && header.has(frame::END_STREAM);
            if header.has(frame::END_HEADERS) {
                *begun = None;
                return self.block(cx, direction, id, fragment, ends_stream, position);
            }
            let stream = header.stream;
            *begun = Some(Block { stream, transaction: id, bytes: Vec::new(), is_cut: false, ends_stream });
        } else if begun.as_ref().is_none_or(|block| block.stream != header.stream) {
            return self.note(id, Http2Anomaly::InvalidFrameData);
        }
        self.add_to_block(direction, fragment);
        if header.has(frame::END_HEADERS)
            && let Some(block) = self.sides[direction].block.take()
        {
            self.block(cx, direction, block.transaction, &block.bytes, block.ends_stream, position);
        }
    }

    fn add_to_block(&mut self, direction: Direction, fragment: &[u8]) {
        let Some(block) = &mut self.sides[direction].block else { return };
        let room = self.settings.max_reassembly_size.saturating_sub(block.bytes.len());
        block.bytes.extend_from_slice(fragment.get(..room).unwrap_or(fragment));
        if room < fragment.len() && !std::mem::replace(&mut block.is_cut, true) {
            let id = block.transaction;
            self.note(id, Http2Anomaly::ReassemblyLimitReached);
        }
    }

    /// A whole header block.
    fn block(
        &mut self,
        cx: &mut ParseContext<'_>,
        direction: Direction,
        id: u64,
        block: &[u8],
        ends_stream: bool,
        position: usize,
    ) {
        let (table, credit) = (&mut self.sides[direction].table, &mut self.credit);
        let Some(transaction) = self.transactions.by_id_mut(id) else {
            // What it says of the table holds all the same.
            return table.read(block, credit, &mut |_| ());
        };
        let (before, first) = (transaction.size(), transaction.messages[direction].fields.len());
        table.read(block, credit, &mut |item| {
            match &item {
                Item::Wrong(BlockError::IntegerOverflow) => {
                    transaction.note(Http2Anomaly::HeaderIntegerOverflow);
                }
                Item::Wrong(BlockError::Incomplete) => transaction.note(Http2Anomaly::ExtraHeaderData),
                Item::Wrong(BlockError::TooMuch) => return transaction.note(Http2Anomaly::TooManyFrames),
                Item::Wrong(_) => transaction.note(Http2Anomaly::InvalidHeader),
                Item::Field(_) | Item::SizeUpdate(_) => {}
            }
            if !transaction.messages[direction].keep(item) {
                transaction.note(Http2Anomaly::TooManyFrames);
            }
        });
        self.took_fields(direction, id, first, before);
        if ends_stream {
            self.end(cx, direction, id, FileState::Closed, position);
        }
    }

    /// A transaction, which held `before` bytes, has new header fields of a side, from `first` on.
    pub(super) fn took_fields(&mut self, direction: Direction, id: u64, first: usize, before: usize) {
        let Some(transaction) = self.transactions.by_id_mut(id) else { return };
        if direction == Direction::ToServer {
            look_at_host(transaction, first);
        }
        if self.settings.reads_dns {
            transaction.look_for_dns(direction, first);
            self.has_dns |= transaction.carried(direction).is_some();
        }
        let state = match direction {
            Direction::ToServer => CLIENT,
            Direction::ToClient => SERVER,
        };
        transaction.meta.advance(direction, state);
        self.hold(id, before);
    }
}

/// A request that says its host twice should say the same, and no user. Looks at the fields from `first` on.
fn look_at_host(transaction: &mut Http2Transaction, first: usize) {
    let fields = transaction.messages.to_server.fields.get(first..).unwrap_or_default();
    let value = |name: &[u8]| {
        fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| &*field.value)
    };
    let Some(authority) = value(b":authority") else { return };
    let differs = value(b"host").is_some_and(|host| !host.eq_ignore_ascii_case(authority));
    let names_user = authority.contains(&b'@');
    if differs {
        transaction.note(Http2Anomaly::AuthorityHostMismatch);
    }
    if names_user {
        transaction.note(Http2Anomaly::UserinfoInUri);
    }
}
