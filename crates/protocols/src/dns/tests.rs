//! Messages built here, through the parser, to fields, EVE records and Zeek rows.

use std::net::{IpAddr, Ipv4Addr};

use weir_applayer::file::FileSettings;
use weir_applayer::zeek::{FileFate, FilePart, WholeFile};
use weir_applayer::{
    Access, Endpoints, EveWriter, NoOptions, Options, Outcome, ParseContext, Parser, Progress, Transport,
    ZeekConnection, ZeekSink, ZeekStream, ZeekValue,
};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};

use super::message::tests::{build, record};
use super::transaction::{ANOMALIES, COMPLETE};
use super::{DNS, rdata::types};

const NAME: &[u8] = b"\x03WWW\x04zeek\x03org\0";

fn endpoints(transport: Transport) -> Endpoints {
    Endpoints {
        client: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)),
        client_port: 4000,
        server: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)),
        server_port: 53,
        transport,
    }
}

struct Settings(&'static [(&'static str, &'static str)]);

impl Options for Settings {
    fn text(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(key, _)| *key == path).map(|(_, value)| (*value).to_string())
    }
    fn children(&self, path: &str) -> Vec<String> {
        let below = |(key, _): &(&str, &str)| key.strip_prefix(path)?.strip_prefix('.').map(str::to_string);
        self.0.iter().filter_map(below).collect()
    }
    fn complain(&self, path: &str, remedy: &str) {
        panic!("{path}: {remedy}");
    }
}

fn push(parser: &mut dyn Parser, direction: Direction, seconds: u64, bytes: &[u8]) -> Outcome {
    let transport = if bytes.is_empty() { Transport::Tcp } else { Transport::Udp };
    let time = Timestamp::new(seconds, 0);
    let mut cx = ParseContext {
        offset: 0,
        frames: None,
        endpoints: &endpoints(transport),
        time,
        arrivals: &[(0, time)],
        files: &FileSettings::default(),
        as_zeek: false,
        order: &Turn::alone(),
        requests: &mut Vec::new(),
        anomalies: &mut Vec::new(),
    };
    parser.data(&mut cx, direction, bytes)
}

fn open(transport: Transport) -> Box<dyn Parser> {
    (DNS.configure)(&NoOptions).open(&endpoints(transport))
}

fn anomalies(parser: &dyn Parser) -> Vec<&'static str> {
    let Some(last) = parser.created().checked_sub(1).and_then(|id| parser.transaction(id)) else {
        return Vec::new();
    };
    last.meta().anomalies.iter().map(|anomaly| ANOMALIES[usize::from(anomaly.0)]).collect()
}

fn eve(parser: &dyn Parser, id: u64, writer: &dyn EveWriter) -> Option<serde_json::Value> {
    let transaction = parser.transaction(id)?;
    let mut out = Vec::new();
    let mut json = JsonWriter::new(&mut out);
    json.open_object();
    let wrote = writer.write(transaction, &endpoints(Transport::Udp), &mut json);
    json.close_object();
    (wrote && writer.logs(transaction)).then(|| serde_json::from_slice(&out).unwrap())
}

fn request() -> Vec<u8> {
    build(7, 0x0100, NAME, types::A, [&[], &[], &[]])
}

fn response() -> Vec<u8> {
    let answers = [record(types::CNAME, 60, b"\x03web\xc0\x10"), record(types::A, 60, &[192, 0, 2, 1])];
    let soa = [&b"\x02ns\xc0\x10\x04root\xc0\x10"[..], &[0, 0, 0, 1].repeat(5)].concat();
    let options = record(types::OPT, 0, &[0, 10, 0, 2, 0xab, 0xcd]);
    build(7, 0x8180, NAME, types::A, [&answers, &[record(types::SOA, 9, &soa)], &[options]])
}

#[test]
fn request_and_response_are_transactions_of_their_own() {
    let mut parser = open(Transport::Udp);
    push(&mut *parser, Direction::ToServer, 1, &request());
    push(&mut *parser, Direction::ToClient, 2, &response());
    assert_eq!(parser.created(), 2);
    for (id, direction) in [(0, Direction::ToServer), (1, Direction::ToClient)] {
        let meta = parser.transaction(id).unwrap().meta();
        assert_eq!(meta.only, Some(direction));
        assert_eq!(meta.progress[direction], COMPLETE);
        assert_eq!(DNS.complete(direction), COMPLETE);
        assert!(meta.updated[direction] && !meta.updated[direction.opposite()]);
    }
    parser.free(0);
    assert_eq!(parser.next_from(0).map(|tx| tx.meta().id), Some(1));
}

#[test]
fn the_answer_to_a_silenced_question_is_silent() {
    for (silenced, id) in [(true, 0), (false, 1)] {
        let mut parser = open(Transport::Udp);
        push(&mut *parser, Direction::ToServer, 1, &request());
        parser.silenced(id);
        push(&mut *parser, Direction::ToClient, 2, &response());
        push(&mut *parser, Direction::ToClient, 3, &response());
        let silent = |id| parser.transaction(id).map(|transaction| transaction.meta().silent);
        assert_eq!((silent(1), silent(2)), (Some(silenced), Some(false)));
    }
}

#[test]
fn eve_version_3() {
    let mut parser = open(Transport::Udp);
    push(&mut *parser, Direction::ToServer, 1, &request());
    push(&mut *parser, Direction::ToClient, 2, &response());
    let writer = (DNS.eve.unwrap().configure)(&NoOptions);
    let expected_request = serde_json::json!({
        "version": 3, "type": "request", "tx_id": 0, "id": 7, "flags": "100", "rd": true, "opcode": 0,
        "rcode": "NOERROR", "queries": [{"rrname": "WWW.zeek.org", "rrtype": "A"}],
    });
    assert_eq!(eve(&*parser, 0, &*writer), Some(expected_request));
    let soa = serde_json::json!({
        "mname": "ns.zeek.org", "rname": "root.zeek.org", "serial": 1, "refresh": 1, "retry": 1,
        "expire": 1, "minimum": 1,
    });
    let expected_response = serde_json::json!({
        "version": 3, "type": "response", "tx_id": 1, "id": 7, "flags": "8180", "qr": true, "rd": true,
        "ra": true, "opcode": 0, "rcode": "NOERROR",
        "queries": [{"rrname": "WWW.zeek.org", "rrtype": "A"}],
        "answers": [
            {"rrname": "WWW.zeek.org", "rrtype": "CNAME", "ttl": 60, "rdata": "web.zeek.org"},
            {"rrname": "WWW.zeek.org", "rrtype": "A", "ttl": 60, "rdata": "192.0.2.1"},
        ],
        "grouped": {"CNAME": ["web.zeek.org"], "A": ["192.0.2.1"]},
        "authorities": [{"rrname": "WWW.zeek.org", "rrtype": "SOA", "ttl": 9, "soa": soa}],
        "additionals": [
            {"rrname": "WWW.zeek.org", "rrtype": "OPT", "ttl": 0, "opt": [{"code": 10, "data": "abcd"}]},
        ],
    });
    assert_eq!(eve(&*parser, 1, &*writer), Some(expected_response));
}

#[test]
fn eve_settings() {
    let mut parser = open(Transport::Udp);
    push(&mut *parser, Direction::ToServer, 1, &request());
    push(&mut *parser, Direction::ToClient, 2, &response());
    type Case = (&'static [(&'static str, &'static str)], [bool; 2]);
    let cases: [Case; 5] = [
        (&[("requests", "no")], [false, true]),
        (&[("responses", "no")], [true, false]),
        (&[("types.0", "aaaa")], [false, false]),
        (&[("types.0", "aaaa"), ("types.1", "a")], [true, true]),
        (&[("version", "2")], [true, true]),
    ];
    for (settings, logged) in cases {
        let writer = (DNS.eve.unwrap().configure)(&Settings(settings));
        assert_eq!([0, 1].map(|id| eve(&*parser, id, &*writer).is_some()), logged, "{settings:?}");
    }
    let writer = (DNS.eve.unwrap().configure)(&Settings(&[("version", "2"), ("formats.0", "grouped")]));
    let answer = eve(&*parser, 1, &*writer).unwrap();
    assert_eq!((&answer["type"], &answer["rrname"]), (&"answer".into(), &"WWW.zeek.org".into()));
    assert_eq!((answer.get("answers"), &answer["grouped"]["A"][0]), (None, &"192.0.2.1".into()));
    assert_eq!(eve(&*parser, 0, &*writer).unwrap()["type"], "query");
}

/// All values of a list or integer field.
fn field_values(parser: &dyn Parser, id: u64, name: &str, direction: Direction) -> Vec<String> {
    let field = DNS.fields.iter().find(|f| f.name == name || f.aliases.contains(&name)).unwrap();
    let transaction = parser.transaction(id).unwrap();
    match field.access {
        Access::List(read) => (0..)
            .map_while(|index| read(transaction, direction, index))
            .map(|value| String::from_utf8(value.to_vec()).unwrap())
            .collect(),
        Access::Integer { read, .. } => (0..)
            .map_while(|index| read(transaction, direction, index))
            .map(|value| value.to_string())
            .collect(),
        _ => panic!("{name} is neither a list nor an integer"),
    }
}

#[test]
fn fields_of_both_directions() {
    let mut parser = open(Transport::Udp);
    push(&mut *parser, Direction::ToServer, 1, &request());
    push(&mut *parser, Direction::ToClient, 2, &response());
    let (up, down) = (Direction::ToServer, Direction::ToClient);
    let www = "WWW.zeek.org";
    let cases: [(&str, u64, Direction, &[&str]); 10] = [
        ("dns_query", 0, up, &[www]),
        ("dns.query.name", 1, down, &[www]),
        ("dns.answers.rrname", 0, up, &[]),
        ("dns.answer.name", 1, down, &[www, www]),
        ("dns.authorities.rrname", 1, down, &[www]),
        ("dns.additionals.rrname", 1, down, &[www]),
        ("dns.response.rrname", 1, down, &[www, www, "web.zeek.org", www, www, www, "ns.zeek.org", www, www]),
        ("dns.rrtype", 0, up, &["1"]),
        ("dns.rrtype", 1, down, &["5", "1"]),
        ("dns.rcode", 1, down, &["0"]),
    ];
    for (name, id, direction, expected) in cases {
        assert_eq!(field_values(&*parser, id, name, direction), expected, "{name}");
    }
}

#[test]
fn anomalies_by_name() {
    let (up, down) = (Direction::ToServer, Direction::ToClient);
    let with = |flags: u16| build(1, flags, NAME, 1, [&[], &[], &[]]);
    let looped = build(1, 0, b"\x01a\xc0\x0c", 1, [&[], &[], &[]]);
    let long = [&[63][..], &[b'a'; 63]].concat().repeat(17);
    let long = build(1, 0, &[&long[..], b"\0"].concat(), 1, [&[], &[], &[]]);
    let labels = build(1, 0, &[&b"\x01a".repeat(256)[..], b"\0"].concat(), 1, [&[], &[], &[]]);
    let answer = [record(1, 1, &[1, 2, 3, 4])];
    let cut = |sections, bytes: usize| {
        let whole = build(1, 0x8000, NAME, 1, sections);
        whole[..whole.len() - bytes].to_vec()
    };
    let cases: [(Direction, Vec<u8>, &[&str]); 12] = [
        (up, with(0x0100), &[]),
        (up, with(0x8000), &["not_request"]),
        (down, with(0x0000), &["not_response"]),
        (up, with(0x0040), &["z_flag_set"]),
        (up, with(9 << 11), &["invalid_opcode"]),
        (up, with(4 << 11), &[]),
        (up, looped, &["infinite_loop"]),
        (up, long, &["name_too_long"]),
        (up, labels, &["too_many_labels"]),
        (down, cut([&answer, &[], &[]], 1), &["malformed_data"]),
        (down, cut([&answer, &answer, &[]], 1), &["invalid_authorities"]),
        (down, cut([&answer, &[], &answer], 1), &["invalid_additionals"]),
    ];
    for (direction, bytes, expected) in cases {
        let mut parser = open(Transport::Udp);
        assert_eq!(push(&mut *parser, direction, 1, &bytes), Outcome::Ok);
        assert_eq!(anomalies(&*parser), expected, "{bytes:?}");
    }
}

/// Pushes a stream in pieces as the engine does, keeping what was not taken.
fn feed(parser: &mut dyn Parser, direction: Direction, pieces: &[&[u8]]) -> Outcome {
    let (mut kept, mut needed) = (Vec::new(), 1);
    for piece in pieces {
        kept.extend_from_slice(piece);
        if kept.len() < needed {
            continue;
        }
        match push(parser, direction, 1, &kept) {
            Outcome::Ok => (kept, needed) = (Vec::new(), 1),
            Outcome::Incomplete { consumed, needed: wanted } => {
                kept.drain(..consumed);
                needed = wanted;
            }
            Outcome::Error => return Outcome::Error,
        }
    }
    if kept.is_empty() { Outcome::Ok } else { Outcome::Incomplete { consumed: 0, needed } }
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u16).to_be_bytes()[..], message].concat()
}

#[test]
fn any_segmentation_gives_the_same_messages() {
    let stream = [framed(&request()), vec![0, 0], framed(&request()), framed(&request())].concat();
    for step in 1..stream.len() + 1 {
        let mut parser = open(Transport::Tcp);
        let pieces: Vec<&[u8]> = stream.chunks(step).collect();
        assert_eq!(feed(&mut *parser, Direction::ToServer, &pieces), Outcome::Ok, "pieces of {step}");
        assert_eq!(parser.created(), 3, "pieces of {step}");
    }
}

#[test]
fn a_stream_goes_on_behind_a_gap() {
    let mut parser = open(Transport::Tcp);
    let time = Timestamp::default();
    let (files, ends) = (FileSettings::default(), endpoints(Transport::Tcp));
    let (mut requests, mut found) = (Vec::new(), Vec::new());
    let mut cx = ParseContext {
        offset: 0,
        frames: None,
        endpoints: &ends,
        time,
        arrivals: &[],
        files: &files,
        as_zeek: false,
        order: &Turn::alone(),
        requests: &mut requests,
        anomalies: &mut found,
    };
    assert_eq!(parser.gap(&mut cx, Direction::ToServer, 10), Outcome::Ok);
    push(&mut *parser, Direction::ToServer, 1, b"the end of something else");
    assert_eq!(parser.created(), 0);
    push(&mut *parser, Direction::ToServer, 1, &framed(&request()));
    assert_eq!(parser.created(), 1);
    assert_eq!(push(&mut *parser, Direction::ToServer, 1, b"\0\x02ab"), Outcome::Error);
}

/// Keeps rows as text.
#[derive(Default)]
struct Rows(Vec<String>, Vec<String>);

impl ZeekSink for Rows {
    fn row(
        &mut self,
        stream: &'static ZeekStream,
        _: &ZeekConnection<'_>,
        ts: Timestamp,
        values: &[ZeekValue<'_>],
    ) {
        assert_eq!(stream.columns.len(), values.len());
        let columns = stream.columns.iter().zip(values);
        let shown = columns.filter_map(|((name, _), value)| Some(format!("{name}={}", shown(value)?)));
        self.0.push(format!("{} {}", ts.seconds(), shown.collect::<Vec<_>>().join(" ")));
    }
    fn weird(&mut self, _: &ZeekConnection<'_>, _: Timestamp, name: &str, _: Option<&str>) {
        self.1.push(name.to_string());
    }
    fn file_part(&mut self, _: &ZeekConnection<'_>, _: &[u8], _: &weir_applayer::File) -> FilePart {
        FilePart::default()
    }
    fn file(&mut self, _: &ZeekConnection<'_>, _: &weir_applayer::File, _: FileFate) -> String {
        String::new()
    }
    fn whole_file(&mut self, _: &ZeekConnection<'_>, _: &WholeFile<'_>) -> String {
        String::new()
    }
    fn service(&mut self, _: &ZeekConnection<'_>, service: &'static str) {
        assert_eq!(service, DNS.zeek_service);
    }
}

fn shown(value: &ZeekValue<'_>) -> Option<String> {
    Some(match value {
        ZeekValue::Unset | ZeekValue::Bool(false) => return None,
        ZeekValue::Bool(true) => "T".into(),
        ZeekValue::Count(number) => number.to_string(),
        ZeekValue::Interval(nanos) => (nanos / 1_000_000_000).to_string(),
        ZeekValue::String(text) => String::from_utf8_lossy(text).into_owned(),
        ZeekValue::List(list) => list.iter().filter_map(shown).collect::<Vec<_>>().join(","),
        other => panic!("{other:?} is not in this log"),
    })
}

fn zeek_rows(messages: &[(Direction, u64, Vec<u8>)]) -> Rows {
    let mut parser = open(Transport::Udp);
    let ends = endpoints(Transport::Udp);
    let connection = ZeekConnection { endpoints: &ends, start: Timestamp::default(), uid: "C1" };
    let mut logger = (DNS.zeek.unwrap().open)(&NoOptions);
    let mut rows = Rows::default();
    for (direction, seconds, bytes) in messages {
        push(&mut *parser, *direction, *seconds, bytes);
        let transaction = parser.transaction(parser.created() - 1).unwrap();
        // Asking twice must not make two rows.
        logger.transaction(&connection, transaction, *direction, true, &mut rows);
        logger.transaction(&connection, transaction, *direction, true, &mut rows);
    }
    logger.end(&connection, &mut rows);
    rows
}

#[test]
fn zeek_pairs_replies_with_queries() {
    let (up, down) = (Direction::ToServer, Direction::ToClient);
    let class = "qclass=1 qclass_name=C_INTERNET qtype=1 qtype_name=A";
    let query = build(8, 0x0100, NAME, types::A, [&[], &[], &[]]);
    let refused = build(7, 0x8185, NAME, types::A, [&[], &[], &[]]);
    let rows = zeek_rows(&[
        (up, 1, request()),
        (up, 2, query),
        (down, 3, response()),
        (down, 4, response()),
        (up, 5, request()),
        (down, 6, refused),
    ]);
    let expected = [
        format!(
            "1 proto=udp trans_id=7 rtt=2 query=www.zeek.org {class} rcode=0 rcode_name=NOERROR RD=T RA=T Z=0 \
             answers=web.zeek.org,192.0.2.1 TTLs=60,60 opcode=0 opcode_name=query"
        ),
        format!(
            "4 proto=udp trans_id=7 query=www.zeek.org {class} rcode=0 rcode_name=NOERROR RD=T RA=T Z=0 \
             answers=web.zeek.org,192.0.2.1 TTLs=60,60 opcode=0 opcode_name=query"
        ),
        format!("2 proto=udp trans_id=8 query=www.zeek.org {class} RD=T Z=0 opcode=0 opcode_name=query"),
        "6 proto=udp trans_id=7 rcode=5 rcode_name=REFUSED Z=0 rejected=T opcode=0 opcode_name=query"
            .to_string(),
    ];
    assert_eq!(rows.0, expected);
}

#[test]
fn zeek_weirds() {
    let service = |parameters: &[u8]| record(types::HTTPS, 1, &[&[0, 1, 0][..], parameters].concat());
    let cases: [(Vec<u8>, &[&str]); 4] = [
        (service(&[0, 1, 0, 3, 2, b'h', b'2']), &[]),
        (service(&[0, 1, 0, 3, 5, b'h', b'2']), &["DNS_SVCB_alpn_length_invalid"]),
        (service(&[0, 3, 0, 1, 80]), &["DNS_SVCB_port_length_invalid"]),
        (record(types::A, 1, &[]), &["DNS_zero_rdlength"]),
    ];
    for (answer, expected) in cases {
        let message = build(1, 0x8180, NAME, types::HTTPS, [&[answer], &[], &[]]);
        assert_eq!(zeek_rows(&[(Direction::ToClient, 1, message)]).1, expected);
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_give_a_result(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600), header in 0u16..8) {
        // Few announced records keep the message going beyond the first of them.
        let mut message = [0, 1, (header as u8) << 5, 0, 0, header as u8, 0, 3, 0, 1, 0, 1].to_vec();
        message.extend(&bytes);
        for direction in Direction::BOTH {
            let mut parser = open(Transport::Udp);
            push(&mut *parser, direction, 1, &message);
            push(&mut *parser, direction, 1, &bytes);
            let writer = (DNS.eve.unwrap().configure)(&NoOptions);
            for id in 0..parser.created() {
                eve(&*parser, id, &*writer);
            }
            let mut parser = open(Transport::Tcp);
            feed(&mut *parser, direction, &bytes.chunks(7).collect::<Vec<_>>());
        }
    }
}

#[test]
fn states_have_names() {
    assert_eq!(DNS.complete(Direction::ToServer), Progress(1));
    assert_eq!(DNS.states.to_client, ["response_started", "response_complete"]);
}
