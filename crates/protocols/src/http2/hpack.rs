//! Header blocks (HPACK, RFC 7541): fields by number or written out, and the table of one direction that
//! both ends build from them.
//!
//! The table is as large as its sender says, up to a cap; texts of the table and of transactions are
//! shared, so that a number that stands for a long text takes no memory. What numbers stand for is read as long as
//! there is [`Credit`] for it: a few bytes could make records of any length.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::Arc;

use weir_base::Reader;

use super::huffman;
use super::static_table;

/// Overhead of a table's entry beside its texts, in bytes (RFC 7541 4.1).
const OVERHEAD: usize = 32;

/// The size of a table of which nothing was said (RFC 9113 6.5.2).
const FIRST_SIZE: usize = 4096;

/// A name or value.
#[derive(Clone, Debug)]
pub enum Text {
    /// One that all connections know.
    Known(&'static [u8]),
    /// One that came.
    Sent(Arc<[u8]>),
}

impl Deref for Text {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Text::Known(text) => text,
            Text::Sent(text) => text,
        }
    }
}

/// A header field.
#[derive(Clone, Debug)]
pub struct HeaderField {
    /// Its name.
    pub name: Text,
    /// Its value.
    pub value: Text,
}

impl HeaderField {
    /// One that came.
    pub(super) fn sent(name: &[u8], value: &[u8]) -> Self {
        Self { name: Text::Sent(name.into()), value: Text::Sent(value.into()) }
    }

    /// Returns its size in a table, in bytes.
    fn size(&self) -> usize {
        self.name.len() + self.value.len() + OVERHEAD
    }
}

/// Fault of a header block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockError {
    /// A number that stands for no field.
    NotIndexed,
    /// A number too large.
    IntegerOverflow,
    /// A text that is none.
    InvalidText,
    /// It ends in the middle.
    Incomplete,
    /// Numbers stand for more than there is credit for.
    TooMuch,
}

impl BlockError {
    /// Returns its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            BlockError::NotIndexed => "HTTP2HeaderDecodeNotIndexed",
            BlockError::IntegerOverflow => "HTTP2HeaderDecodeIntegerOverflow",
            BlockError::InvalidText => "HTTP2HeaderDecodeError",
            BlockError::Incomplete => "HTTP2HeaderDecodeExtraHeaderBlock",
            BlockError::TooMuch => "HTTP2HeaderDecodeTooMuch",
        }
    }
}

/// An item of a header block.
#[derive(Clone, Debug)]
pub enum Item {
    /// A field.
    Field(HeaderField),
    /// The sender changes the size of its table.
    SizeUpdate(u64),
    /// Something that is wrong.
    Wrong(BlockError),
}

/// Bytes of sent texts that indices may yet stand for: some on each connection, and some for each byte that
/// both sides send.
#[derive(Debug)]
pub struct Credit(usize);

impl Credit {
    /// Of a connection of which nothing came.
    const FIRST: usize = 256 << 10;
    /// For each byte.
    const PER_BYTE: usize = 64;

    /// So many bytes came.
    pub fn earn(&mut self, bytes: usize) {
        self.0 = self.0.saturating_add(bytes.saturating_mul(Self::PER_BYTE));
    }

    /// Pays for a text; false where there is not enough.
    fn pay(&mut self, text: &Text) -> bool {
        let Text::Sent(text) = text else { return true };
        let left = self.0.checked_sub(text.len());
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

impl Default for Credit {
    fn default() -> Self {
        Self(Self::FIRST)
    }
}

/// The table of one direction.
#[derive(Debug)]
pub struct Table {
    /// The newest one first.
    fields: VecDeque<HeaderField>,
    size: usize,
    most: usize,
    /// Largest size that it may be set to, in bytes.
    cap: usize,
}

impl Table {
    /// An empty table.
    pub fn new(cap: usize) -> Self {
        Self { fields: VecDeque::new(), size: 0, most: FIRST_SIZE.min(cap), cap }
    }

    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        self.size + self.fields.capacity() * size_of::<HeaderField>()
    }

    /// The field with this number.
    fn field(&self, number: u64) -> Result<HeaderField, BlockError> {
        let index =
            usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1).ok_or(BlockError::NotIndexed)?;
        if let Some((name, value)) = static_table::FIELDS.get(index) {
            return Ok(HeaderField {
                name: Text::Known(name.as_bytes()),
                value: Text::Known(value.as_bytes()),
            });
        }
        self.fields.get(index - static_table::FIELDS.len()).cloned().ok_or(BlockError::NotIndexed)
    }

    fn add(&mut self, field: &HeaderField) {
        let size = field.size();
        if size > self.most {
            self.fields.clear();
            self.size = 0;
            return;
        }
        self.size += size;
        self.fields.push_front(field.clone());
        self.evict();
    }

    fn evict(&mut self) {
        while self.size > self.most
            && let Some(oldest) = self.fields.pop_back()
        {
            self.size = self.size.saturating_sub(oldest.size());
        }
    }

    fn resize(&mut self, size: u64) {
        self.most = usize::try_from(size).unwrap_or(usize::MAX).min(self.cap);
        self.evict();
    }

    /// Reads a whole header block. After what cannot be read nothing else is.
    pub fn read(&mut self, block: &[u8], credit: &mut Credit, take: &mut dyn FnMut(Item)) {
        let mut reader = Reader::new(block);
        while let Some(first) = reader.peek() {
            match self.item(first, &mut reader, credit) {
                Ok(item) => take(item),
                Err(error) => {
                    take(Item::Wrong(error));
                    if !matches!(error, BlockError::NotIndexed | BlockError::TooMuch) {
                        return;
                    }
                }
            }
        }
    }

    fn item(&mut self, first: u8, reader: &mut Reader<'_>, credit: &mut Credit) -> Result<Item, BlockError> {
        if first & 0x80 != 0 {
            let field = self.field(integer(reader, 7)?)?;
            let is_paid = credit.pay(&field.name) && credit.pay(&field.value);
            return if is_paid { Ok(Item::Field(field)) } else { Err(BlockError::TooMuch) };
        }
        if first & 0xe0 == 0x20 {
            let size = integer(reader, 5)?;
            self.resize(size);
            return Ok(Item::SizeUpdate(size));
        }
        let indexed = first & 0x40 != 0;
        let number = integer(reader, if indexed { 6 } else { 4 })?;
        let is_named = number > 0;
        let name = if is_named { self.field(number).map(|field| field.name) } else { Ok(text(reader)?) };
        // What follows a number that stands for nothing can be read all the same.
        let value = text(reader)?;
        let field = HeaderField { name: name?, value };
        if indexed {
            self.add(&field);
        }
        if is_named && !credit.pay(&field.name) {
            return Err(BlockError::TooMuch);
        }
        Ok(Item::Field(field))
    }
}

/// A number of which the first byte has the lower `bits` (RFC 7541 5.1).
fn integer(reader: &mut Reader<'_>, bits: u32) -> Result<u64, BlockError> {
    let most = (1_u64 << bits) - 1;
    let first = u64::from(reader.u8().ok_or(BlockError::Incomplete)?) & most;
    if first < most {
        return Ok(first);
    }
    let mut number = first;
    for shift in (0..=28).step_by(7) {
        let byte = reader.u8().ok_or(BlockError::Incomplete)?;
        number += u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return if number <= u64::from(u32::MAX) { Ok(number) } else { Err(BlockError::IntegerOverflow) };
        }
    }
    Err(BlockError::IntegerOverflow)
}

/// A text, perhaps in Huffman's code (RFC 7541 5.2).
fn text(reader: &mut Reader<'_>) -> Result<Text, BlockError> {
    let is_coded = reader.peek().ok_or(BlockError::Incomplete)? & 0x80 != 0;
    let length = integer(reader, 7)?;
    let bytes = usize::try_from(length).ok().and_then(|length| reader.take(length));
    let bytes = bytes.ok_or(BlockError::Incomplete)?;
    if bytes.is_empty() {
        return Ok(Text::Known(b""));
    }
    if !is_coded {
        return Ok(Text::Sent(bytes.into()));
    }
    let mut plain = Vec::with_capacity(bytes.len() + bytes.len() / 2);
    match huffman::decode(bytes, &mut plain) {
        true => Ok(Text::Sent(plain.into())),
        false => Err(BlockError::InvalidText),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &mut Table, block: &[u8]) -> Vec<String> {
        let mut items = Vec::new();
        table.read(block, &mut Credit::default(), &mut |item| {
            items.push(match item {
                Item::Field(HeaderField { name, value }) => {
                    format!("{}={}", String::from_utf8_lossy(&name), String::from_utf8_lossy(&value))
                }
                Item::SizeUpdate(size) => format!("size {size}"),
                Item::Wrong(error) => format!("{error:?}"),
            });
        });
        items
    }

    #[test]
    fn the_requests_of_the_standard() {
        let mut table = Table::new(4096);
        let expected = [":method=GET", ":scheme=http", ":path=/", ":authority=www.example.com"];
        let first = b"\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff";
        assert_eq!(read(&mut table, first), expected);
        let second = read(&mut table, b"\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf");
        assert_eq!(second[..4], expected);
        assert_eq!(second[4], "cache-control=no-cache");
        let third = b"\x82\x87\x85\xbf\x40\x88\x25\xa8\x49\xe9\x5b\xa9\x7d\x7f\x89\x25\xa8\x49\xe9\x5b\xb8\xe8\xb4\xbf";
        let third = read(&mut table, third);
        assert_eq!(third[3..], [":authority=www.example.com", "custom-key=custom-value"]);
        assert_eq!((table.fields.len(), table.size), (3, 164));
    }

    #[test]
    fn tables_are_bounded() {
        let mut table = Table::new(100);
        assert_eq!(read(&mut table, b"\x40\x01a\x01b\x40\x01c\x01d\x40\x01e\x01f").len(), 3);
        assert_eq!(read(&mut table, b"\xbe\xbf\xc0"), ["e=f", "c=d", "NotIndexed"]);
        assert_eq!(read(&mut table, b"\x3f\xe1\xff\x03\xbf"), ["size 65536", "c=d"]);
        assert_eq!(table.most, 100);
        assert_eq!(read(&mut table, b"\x3e\xbe\xbe"), ["size 30", "NotIndexed", "NotIndexed"]);
        assert_eq!(table.size, 0);
    }

    #[test]
    fn numbers_stand_for_so_much() {
        let mut table = Table::new(4096);
        let mut credit = Credit::default();
        let mut read = |credit: &mut Credit, block: &[u8]| {
            let (mut fields, mut refused) = (0, 0);
            table.read(block, credit, &mut |item| match item {
                Item::Field(_) => fields += 1,
                Item::Wrong(BlockError::TooMuch) => refused += 1,
                Item::SizeUpdate(_) | Item::Wrong(_) => {}
            });
            (fields, refused)
        };
        // A value of 1024 bytes, then numbers for it, for one that all know, and for its name alone.
        let long = [&b"\x40\x01a\x7f\x81\x07"[..], &[b'v'; 1024]].concat();
        assert_eq!(read(&mut credit, &long), (1, 0));
        assert_eq!(read(&mut credit, &[0xbe; 1000]), (255, 745));
        assert_eq!(read(&mut credit, b"\x82\x7e\x01x\xbf"), (2, 1));
        credit.earn(32);
        assert_eq!(read(&mut credit, &[0xbf; 1000]), (2, 998));
    }

    #[test]
    fn odd_blocks() {
        let cases: &[(&[u8], &[&str])] = &[
            (b"\x80\x82", &["NotIndexed", ":method=GET"]),
            (b"\x7e\x01x\x82", &["NotIndexed", ":method=GET"]),
            (b"\x10\x01a\x01b\x00\x01c\x00", &["a=b", "c="]),
            (b"\xff\xff\xff\xff\xff\xff\x82", &["IntegerOverflow"]),
            (b"\xff\xff\xff\xff\xff\x7f\x82", &["IntegerOverflow"]),
            (b"\x82\xff", &[":method=GET", "Incomplete"]),
            (b"\x40\x05ab", &["Incomplete"]),
            (b"\x40\x81\x1e\x01b", &["InvalidText"]),
        ];
        for (block, expected) in cases {
            assert_eq!(read(&mut Table::new(4096), block), *expected, "{block:02x?}");
        }
    }
}
