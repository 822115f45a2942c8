//! A DNS message, RFC 1035 section 4: header, questions, and three sections of records.

use weir_base::{Direction, Reader};

use super::name::{Name, NameFlaws, Names};
use super::rdata::{RData, types};

/// Length of the header.
pub const HEADER_LENGTH: usize = 12;

/// The header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The number that pairs a response with its request.
    pub id: u16,
    /// QR, opcode, AA, TC, RD, RA, Z, AD, CD and rcode.
    pub flags: u16,
    /// Count of questions (`QDCOUNT`).
    pub questions: u16,
    /// Count of answers (`ANCOUNT`).
    pub answers: u16,
    /// Count of authority records (`NSCOUNT`).
    pub authorities: u16,
    /// Count of additional records (`ARCOUNT`).
    pub additionals: u16,
}

impl Header {
    /// Reads the header that `bytes` start with.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        Some(Self {
            id: reader.u16()?,
            flags: reader.u16()?,
            questions: reader.u16()?,
            answers: reader.u16()?,
            authorities: reader.u16()?,
            additionals: reader.u16()?,
        })
    }

    /// A response (QR).
    pub const fn is_response(self) -> bool {
        self.flags & 0x8000 != 0
    }

    /// Whether it is sent this way: requests go to the server, responses to the client.
    pub fn goes(self, direction: Direction) -> bool {
        self.is_response() == (direction == Direction::ToClient)
    }

    /// The operation code.
    pub const fn opcode(self) -> u8 {
        (self.flags >> 11) as u8 & 0xf
    }

    /// Authoritative answer.
    pub const fn aa(self) -> bool {
        self.flags & 0x0400 != 0
    }

    /// Truncated.
    pub const fn tc(self) -> bool {
        self.flags & 0x0200 != 0
    }

    /// Recursion desired.
    pub const fn rd(self) -> bool {
        self.flags & 0x0100 != 0
    }

    /// Recursion available.
    pub const fn ra(self) -> bool {
        self.flags & 0x0080 != 0
    }

    /// The reserved bit.
    pub const fn z(self) -> bool {
        self.flags & 0x0040 != 0
    }

    /// The response code.
    pub const fn rcode(self) -> u16 {
        self.flags & 0xf
    }

    /// All records and questions announced.
    pub fn total(self) -> usize {
        [self.questions, self.answers, self.authorities, self.additionals].map(usize::from).iter().sum()
    }
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// Name asked for (`QNAME`).
    pub name: Name,
    /// The type of records wanted.
    pub rrtype: u16,
    /// Their class.
    pub class: u16,
}

/// A resource record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Owner name.
    pub name: Name,
    /// Its type.
    pub rrtype: u16,
    /// Its class.
    pub class: u16,
    /// Seconds that it may be kept.
    pub ttl: u32,
    /// Its data.
    pub data: RData,
    /// The data as sent, of types that records of mDNS show so.
    pub wire: Box<[u8]>,
}

/// A message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The header.
    pub header: Header,
    /// The questions.
    pub questions: Vec<Question>,
    /// The answers.
    pub answers: Vec<Record>,
    /// The authority records.
    pub authorities: Vec<Record>,
    /// The additional records.
    pub additionals: Vec<Record>,
    /// The questions or answers end before their announced number: what is here is what could be
    /// read.
    pub malformed: bool,
    /// As above, of the authority records.
    pub invalid_authorities: bool,
    /// As above, of the additional records; they are only looked for behind valid authority records.
    pub invalid_additionals: bool,
    /// Flaws of any name in it.
    pub flaws: NameFlaws,
    /// Options of EDNS of which the last one is cut short.
    pub cut_options: Box<[u8]>,
    /// Its length in bytes.
    pub length: usize,
}

impl Message {
    /// Reads a message; none where not even a header is there.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let header = Header::read(bytes)?;
        let mut message = Self { header, length: bytes.len(), ..Self::default() };
        let mut cursor = Cursor {
            names: Names::new(bytes),
            position: HEADER_LENGTH,
            flaws: NameFlaws::default(),
            cut_options: Box::default(),
        };
        message.malformed = !cursor.fill(header.questions, &mut message.questions, Cursor::question)
            || !cursor.fill(header.answers, &mut message.answers, Cursor::record);
        if !message.malformed {
            message.invalid_authorities =
                !cursor.fill(header.authorities, &mut message.authorities, Cursor::record);
            message.invalid_additionals = !message.invalid_authorities
                && !cursor.fill(header.additionals, &mut message.additionals, Cursor::record);
        }
        message.flaws = cursor.flaws;
        message.cut_options = cursor.cut_options;
        Some(message)
    }

    /// Bytes that it takes, beside data that is not longer than on the wire.
    pub fn size(&self) -> usize {
        let questions =
            self.questions.iter().map(|question| size_of::<Question>() + question.name.text.len());
        let sections = [&self.answers, &self.authorities, &self.additionals];
        let records = sections.into_iter().flatten();
        let records = records.map(|record| {
            size_of::<Record>() + record.name.text.len() + record.wire.len() + record.data.names_size()
        });
        questions.chain(records).sum()
    }
}

struct Cursor<'a> {
    names: Names<'a>,
    position: usize,
    flaws: NameFlaws,
    cut_options: Box<[u8]>,
}

impl<'a> Cursor<'a> {
    /// Reads `count` items; whether all were there.
    fn fill<T>(&mut self, count: u16, items: &mut Vec<T>, read: fn(&mut Self) -> Option<T>) -> bool {
        for _ in 0..count {
            let Some(item) = read(self) else { return false };
            items.push(item);
        }
        true
    }

    fn name(&mut self) -> Option<Name> {
        let (name, end) = self.names.read(self.position)?;
        self.position = end;
        self.flaws = self.flaws.or(name.flaws);
        Some(name)
    }

    fn reader(&self) -> Reader<'a> {
        Reader::new(self.names.message().get(self.position..).unwrap_or_default())
    }

    fn question(&mut self) -> Option<Question> {
        let name = self.name()?;
        let mut reader = self.reader();
        let (rrtype, class) = (reader.u16()?, reader.u16()?);
        self.position += 4;
        Some(Question { name, rrtype, class })
    }

    fn record(&mut self) -> Option<Record> {
        let name = self.name()?;
        let mut reader = self.reader();
        let (rrtype, class, ttl) = (reader.u16()?, reader.u16()?, reader.u32()?);
        let length = usize::from(reader.u16()?);
        let start = self.position + 10;
        let end = start + length;
        self.names.message().get(start..end)?;
        let (data, flaws) = RData::read(&mut self.names, start, end, rrtype);
        if rrtype == types::OPT && !matches!(data, RData::Opt(_)) {
            // Options that are cut short leave nothing of it.
            self.cut_options = self.names.message().get(start..end).unwrap_or_default().into();
            return None;
        }
        let wire = match data.is_shown_as_sent() {
            true => self.names.message().get(start..end).unwrap_or_default().into(),
            false => Box::default(),
        };
        self.position = end;
        self.flaws = self.flaws.or(flaws);
        Some(Record { name, rrtype, class, ttl, data, wire })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A message with one question and the given records, counted by section.
    pub fn build(id: u16, flags: u16, name: &[u8], rrtype: u16, sections: [&[Vec<u8>]; 3]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in
            [id, flags, 1, sections[0].len() as u16, sections[1].len() as u16, sections[2].len() as u16]
        {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(name);
        bytes.extend(rrtype.to_be_bytes());
        bytes.extend(1u16.to_be_bytes());
        sections.iter().for_each(|records| bytes.extend(records.concat()));
        bytes
    }

    /// A record of the question's name.
    pub fn record(rrtype: u16, ttl: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0xc0, 12];
        bytes.extend(rrtype.to_be_bytes());
        bytes.extend(1u16.to_be_bytes());
        bytes.extend(ttl.to_be_bytes());
        bytes.extend((data.len() as u16).to_be_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn sections_end_where_the_bytes_do() {
        let answer = [record(1, 60, &[10, 0, 0, 1])];
        let whole = build(7, 0x8180, b"\x04zeek\x03org\0", 1, [&answer, &answer, &answer]);
        let message = Message::read(&whole).unwrap();
        assert_eq!(message.questions[0].name.text, b"zeek.org");
        assert_eq!(message.answers[0].data, RData::A([10, 0, 0, 1]));
        assert_eq!(message.answers[0].name.text, b"zeek.org");
        assert!(!message.malformed && !message.invalid_additionals && !message.invalid_authorities);

        let record_length = answer[0].len();
        let cases = [
            (1, (false, false, true)),
            (record_length + 1, (false, true, false)),
            (2 * record_length + 1, (true, false, false)),
        ];
        for (cut, expected) in cases {
            let message = Message::read(&whole[..whole.len() - cut]).unwrap();
            let found = (message.malformed, message.invalid_authorities, message.invalid_additionals);
            assert_eq!(found, expected, "{cut} bytes cut");
        }
        assert_eq!(Message::read(&whole[..11]), None);
    }
}
