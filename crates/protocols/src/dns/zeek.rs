//! Zeek's dns log: queries and replies of a connection paired by transaction id, in the order Zeek
//! pairs them, and what is left alone written when the connection ends.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use smallvec::SmallVec;
use weir_applayer::zeek::column::Interval;
use weir_applayer::zeek::{News, Script, ZeekNotice};
use weir_applayer::{Transport, ZeekLogger, ZeekLogs, ZeekSink, ZeekValue, zeek_stream};
use weir_base::Timestamp;

use super::message::{Message, Record};
use super::names;
use super::rdata::RData;
use super::transaction::DnsTransaction;

mod answer;
mod weird;

pub use weird::{Odd, WATCH, is_whole, of_message as oddities};

/// Messages of one transaction id, and transaction ids, that may wait for their counterpart.
const MAX_PENDING: usize = 50;

/// Records of one section that are shown at most.
const MAX_RECORDS: usize = 100;

/// A message with more questions is not looked at.
const MAX_QUESTIONS: u16 = 25;

/// The port of the NetBIOS name service, which writes names in a code of its own.
const NETBIOS_PORT: u16 = 137;

/// Setting of scripts that names responders and ports whose answers are not looked at for names of elsewhere.
const PASSED_OVER: &str = "DNS::skip_resp_host_port_pairs";

zeek_stream! {
    static STREAM: "dns" of a connection;
    /// A row as it is written.
    struct Columns {
        proto: Enum,
        trans_id: Count,
        rtt: Interval,
        query: Text,
        qclass: Count,
        qclass_name: Text,
        qtype: Count,
        qtype_name: Text,
        rcode: Count,
        rcode_name: Text,
        aa as "AA": Bool,
        tc as "TC": Bool,
        rd as "RD": Bool,
        ra as "RA": Bool,
        z as "Z": Count,
        answers: Vector<Text>,
        ttls as "TTLs": Vector<Interval>,
        rejected: Bool,
        opcode: Count,
        opcode_name: Text,
    }
    with static MORE {
        auth: Set<Text> of OtherSections,
        addl: Set<Text> of OtherSections,
        original_query: Text of OriginalQueries,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    more: &MORE,
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<DnsLogger>::default())
};

/// A row in the making.
///
/// It has a field for each column that messages fill one after another.
#[derive(Debug, Default)]
struct Row {
    ts: Timestamp,
    id: u16,
    opcode: u8,
    rtt: Option<i64>,
    query: Option<Vec<u8>>,
    question: Option<(u16, u16)>,
    rcode: Option<u16>,
    aa: bool,
    tc: bool,
    rd: bool,
    ra: bool,
    z: u8,
    answers: Answers,
    rejected: bool,
    more: Option<Box<More>>,
}

/// Columns seldom asked for.
#[derive(Debug, Default)]
struct More {
    /// Records of the other two sections of a reply.
    sections: [Vec<Vec<u8>>; 2],
    /// The query as it was asked.
    original: Option<Vec<u8>>,
}

/// Texts of records, one behind the other.
#[derive(Debug, Default)]
struct Answers {
    text: Vec<u8>,
    /// Where each ends, and how long it lives.
    ends: SmallVec<[(u32, u32); 4]>,
}

impl Answers {
    /// Adds what the record says, if it says anything; whether it counts.
    fn push(&mut self, record: &Record) -> bool {
        let start = self.text.len();
        let counts = answer::append(record, &mut self.text);
        if self.text.len() > start {
            self.ends.push((u32::try_from(self.text.len()).unwrap_or(u32::MAX), record.ttl));
        }
        counts
    }

    fn texts(&self) -> SmallVec<[ZeekValue<'_>; 4]> {
        let mut start = 0;
        let text = |&(end, _): &(u32, u32)| {
            let end = end as usize;
            ZeekValue::String(self.text.get(std::mem::replace(&mut start, end)..end).unwrap_or_default())
        };
        self.ends.iter().map(text).collect()
    }

    fn ttls(&self) -> SmallVec<[ZeekValue<'_>; 4]> {
        let ttl = |&(_, ttl): &(u32, u32)| ZeekValue::Interval(i64::from(ttl) * 1_000_000_000);
        self.ends.iter().map(ttl).collect()
    }
}

/// Rows that wait, by transaction id, in the order the ids came.
#[derive(Debug, Default)]
struct Pending {
    order: VecDeque<u16>,
    rows: HashMap<u16, VecDeque<Row>>,
    /// Bytes of them.
    held: usize,
}

impl Pending {
    /// Adds a row; answers those that have to be written because too many wait.
    fn put(&mut self, row: Row) -> Vec<Row> {
        let id = row.id;
        self.held += row.size();
        let queue = match self.rows.entry(id) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                self.order.push_back(id);
                // Most have one.
                entry.insert(VecDeque::with_capacity(1))
            }
        };
        queue.push_back(row);
        if queue.len() > MAX_PENDING || self.order.len() > MAX_PENDING { self.drain() } else { Vec::new() }
    }

    fn take(&mut self, id: u16) -> Option<Row> {
        let queue = self.rows.get_mut(&id)?;
        let row = queue.pop_front();
        self.held = self.held.saturating_sub(row.as_ref().map_or(0, Row::size));
        if queue.is_empty() {
            self.rows.remove(&id);
            self.order.retain(|&other| other != id);
        }
        row
    }

    fn take_any(&mut self) -> Option<Row> {
        let id = *self.order.front()?;
        self.take(id)
    }

    fn drain(&mut self) -> Vec<Row> {
        let mut drained = Vec::new();
        for id in std::mem::take(&mut self.order) {
            drained.extend(self.rows.remove(&id).unwrap_or_default());
        }
        self.held = 0;
        drained
    }
}

#[derive(Debug, Default)]
struct DnsLogger {
    /// The next transaction that was not looked at.
    next: u64,
    /// The query that waits where only one does, and the first of several.
    query: Option<Box<Row>>,
    /// Further queries, and replies, where several wait.
    waiting: Option<Box<Waiting>>,
}

#[derive(Debug, Default)]
struct Waiting {
    queries: Pending,
    replies: Pending,
}

impl ZeekLogger for DnsLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(transaction) = news.of::<DnsTransaction>() else { return };
        let meta = &transaction.meta;
        // A message goes one way, whichever way the packet goes that has it looked at.
        let Some(direction) = meta.only.filter(|_| meta.id >= self.next) else { return };
        self.next = meta.id + 1;
        let time = meta.last_seen[direction];
        for (name, addl) in &transaction.odd {
            sink.weird(time, name, addl.as_deref());
        }
        if transaction.headless {
            return;
        }
        if transaction.confirms {
            sink.service("dns");
        }
        let message = &transaction.message;
        let (mut row, paired) = self.pair(message, time);
        let port = sink.connection().endpoints.server_port;
        if message.header.is_response() {
            row.reply(message, time, port);
            if sink.has(Script::ExternalNames) {
                look_for_external_names(message, sink);
            }
            if sink.has(Script::OtherSections) {
                row.other_sections(message);
            }
        } else {
            row.ask(message, port);
        }
        if sink.has(Script::OriginalQueries)
            && let Some(question) = message.questions.last()
        {
            row.more().original.get_or_insert_with(|| question.name.text.clone());
        }
        if paired {
            row.write(sink);
        } else {
            self.wait(row, message.header.is_response(), sink);
        }
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        let mut waiting = self.waiting.take().unwrap_or_default();
        let several = waiting.queries.drain().into_iter().chain(waiting.replies.drain());
        for row in self.query.take().map(|query| *query).into_iter().chain(several) {
            row.write(sink);
        }
    }

    fn held(&self) -> usize {
        let several = self.waiting.as_ref().map_or(0, |waiting| waiting.queries.held + waiting.replies.held);
        several + self.query.as_deref().map_or(0, Row::size)
    }
}

impl DnsLogger {
    /// The row that a message belongs to, and whether its counterpart was there.
    fn pair(&mut self, message: &Message, time: Timestamp) -> (Row, bool) {
        let header = message.header;
        let id = header.id;
        let waiting = self.waiting.as_deref_mut();
        let found = if !header.is_response() {
            waiting.and_then(|waiting| waiting.replies.take(id))
        } else if self.query.as_ref().is_some_and(|query| query.id == id) {
            let next =
                waiting.and_then(|Waiting { queries, .. }| queries.take(id).or_else(|| queries.take_any()));
            std::mem::replace(&mut self.query, next.map(Box::new)).map(|query| *query)
        } else {
            waiting.and_then(|waiting| waiting.queries.take(id))
        };
        match found {
            Some(row) => (row, true),
            None => (Row { ts: time, id, opcode: header.opcode(), ..Row::default() }, false),
        }
    }

    fn wait(&mut self, row: Row, reply: bool, sink: &mut dyn ZeekSink) {
        let overdue = if reply {
            self.waiting.get_or_insert_default().replies.put(row)
        } else if self.query.is_none() {
            self.query = Some(Box::new(row));
            Vec::new()
        } else {
            self.waiting.get_or_insert_default().queries.put(row)
        };
        for row in overdue {
            row.write(sink);
        }
    }
}

impl Row {
    /// Bytes that it takes while it waits.
    fn size(&self) -> usize {
        let query = self.query.as_ref().map_or(0, Vec::capacity);
        let more = self.more.as_ref().map_or(0, |more| {
            let texts =
                more.sections.iter().flatten().map(|text| size_of::<Vec<u8>>() + text.len()).sum::<usize>();
            size_of::<More>() + texts + more.original.as_ref().map_or(0, Vec::len)
        });
        size_of::<Self>() + query + self.answers.text.capacity() + more
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// Adds a request. Of several questions the last one stays.
    fn ask(&mut self, message: &Message, port: u16) {
        let header = message.header;
        if header.questions > MAX_QUESTIONS {
            return;
        }
        for question in &message.questions {
            self.rd = header.rd();
            self.tc = header.tc();
            self.z = (header.flags >> 4 & 7) as u8;
            self.question = Some((question.rrtype, question.class));
            self.query = Some(query_text(&question.name.text, port));
        }
    }

    /// Adds a reply.
    fn reply(&mut self, message: &Message, time: Timestamp, port: u16) {
        let header = message.header;
        self.rcode = Some(header.rcode());
        if header.rcode() != 0 && header.questions == 0 {
            self.rejected = true;
        }
        if header.questions > MAX_QUESTIONS {
            return;
        }
        // A reply that brings no record at all turns the question down.
        if header.answers == 0 && header.authorities == 0 && header.additionals == 0 {
            self.rejected |= !message.questions.is_empty();
        }
        for record in &message.answers {
            // Zeek takes a record without data for the end of what makes sense.
            if matches!(&record.data, RData::Raw(bytes) if bytes.is_empty()) {
                break;
            }
            if !self.answers.push(record) {
                continue;
            }
            self.aa = header.aa();
            self.ra = header.ra();
            if self.query.is_none() {
                self.query = Some(query_text(&record.name.text, port));
            }
            if self.rtt.is_none() && time > self.ts {
                self.rtt = i64::try_from(time.0 - self.ts.0).ok();
            }
        }
    }

    /// Adds the sections of a reply beside its answers.
    fn other_sections(&mut self, message: &Message) {
        for (known, records) in
            self.more().sections.iter_mut().zip([&message.authorities, &message.additionals])
        {
            for record in records {
                let mut text = Vec::new();
                answer::append(record, &mut text);
                if !text.is_empty() && !known.contains(&text) && known.len() < MAX_RECORDS {
                    known.push(text);
                }
            }
        }
    }

    fn write(&self, sink: &mut dyn ZeekSink) {
        let netbios = sink.connection().endpoints.server_port == NETBIOS_PORT;
        let proto = match sink.connection().endpoints.transport {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
        };
        let class = self.question.map(|(_, class)| names::zeek_class(class));
        let rrtype = self.question.map(|(rrtype, _)| names::zeek_type(rrtype));
        let rcode = self.rcode.map(names::zeek_rcode);
        let opcode = names::zeek_opcode(self.opcode, netbios);
        let (answers, ttls) = (self.answers.texts(), self.answers.ttls());
        let none = More::default();
        let more = self.more.as_deref().unwrap_or(&none);
        let [authorities, additionals] = more.sections.each_ref().map(|texts| ZeekValue::texts(texts));
        let row = Columns {
            proto: proto.into(),
            trans_id: self.id.into(),
            rtt: self.rtt.map_or(Interval::UNSET, Interval::nanos),
            query: self.query.as_deref().into(),
            qclass: self.question.map(|(_, class)| class).into(),
            qclass_name: class.as_deref().into(),
            qtype: self.question.map(|(rrtype, _)| rrtype).into(),
            qtype_name: rrtype.as_deref().into(),
            rcode: self.rcode.into(),
            rcode_name: rcode.as_deref().into(),
            aa: self.aa.into(),
            tc: self.tc.into(),
            rd: self.rd.into(),
            ra: self.ra.into(),
            z: self.z.into(),
            answers: answers.as_slice().into(),
            ttls: ttls.as_slice().into(),
            rejected: self.rejected.into(),
            opcode: self.opcode.into(),
            opcode_name: (&*opcode).into(),
            auth: authorities.as_slice().into(),
            addl: additionals.as_slice().into(),
            original_query: more.original.as_ref().into(),
        };
        let values = row.values(|script| sink.has(script));
        sink.row(&STREAM, self.ts, &values);
    }
}

/// Returns whether scripts say that answers of the responder are not looked at for names of elsewhere.
fn is_passed_over(sink: &dyn ZeekSink) -> bool {
    let ends = sink.connection().endpoints;
    let pair = format!("{}, {}/udp", ends.server, ends.server_port);
    let pairs = sink.settings().and_then(|settings| settings.words(PASSED_OVER));
    pairs.is_some_and(|pairs| pairs.contains(pair.as_bytes()))
}

/// Tells of names that are not the site's and point at hosts that are.
fn look_for_external_names(message: &Message, sink: &mut dyn ZeekSink) {
    if is_passed_over(sink) {
        return;
    }
    for record in &message.answers {
        let address = match record.data {
            RData::A(address) => IpAddr::from(address),
            RData::Aaaa(address) if sink.settings().is_some() => IpAddr::from(address),
            _ => continue,
        };
        let name = record.name.text.to_ascii_lowercase();
        if !sink.is_local(address) || !sink.is_foreign_name(&name) {
            continue;
        }
        let message = format!("{} is pointing to a local host - {address}.", String::from_utf8_lossy(&name));
        let identifier = [address.to_string().as_bytes(), &name].concat();
        let note = "DNS::External_Name";
        sink.notice(&ZeekNotice { note, message: &message, identifier: &identifier });
    }
}

/// A name as Zeek shows it of connections to a port: in lower case; NetBIOS names decoded.
pub(super) fn query_text(name: &[u8], port: u16) -> Vec<u8> {
    let lower = name.to_ascii_lowercase();
    if port != NETBIOS_PORT {
        return lower;
    }
    decode_netbios(name).unwrap_or(lower)
}

/// RFC 1001 section 14.1: each byte as two letters from `A`; padding blanks and the last byte, the
/// kind of name, are left out.
fn decode_netbios(name: &[u8]) -> Option<Vec<u8>> {
    let label = name.split(|&byte| byte == b'.').next()?;
    if label.len() != 32 || !label.iter().all(|byte| (b'A'..=b'P').contains(&byte.to_ascii_uppercase())) {
        return None;
    }
    let nibble = |byte: u8| byte.to_ascii_uppercase() - b'A';
    let mut decoded: Vec<u8> = label
        .chunks_exact(2)
        .filter_map(|pair| match pair {
            [high, low] => Some(nibble(*high) << 4 | nibble(*low)),
            _ => None,
        })
        .collect();
    decoded.pop();
    let end = decoded.iter().rposition(|&byte| byte != b' ' && byte != 0).map_or(0, |last| last + 1);
    decoded.truncate(end);
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netbios_names() {
        let cases: [(&[u8], Option<&[u8]>); 3] = [
            (b"FHEPFCELEHFCEPFFFACACACACACACABL", Some(b"WORKGROUP")),
            (b"CKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", Some(b"*")),
            (b"zeek.org", None),
        ];
        for (name, expected) in cases {
            assert_eq!(decode_netbios(name).as_deref(), expected);
        }
    }
}
