//! Frames built here, through the parser, to fields, EVE records and a log of Zeek.

use proptest::prelude::*;
use weir_applayer::file::FileSettings;
use weir_applayer::{
    Access, Endpoints, NoOptions, Options, Outcome, ParseContext, Parser, Probe, Transport, downcast,
};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};

use super::WEBSOCKET;
use super::anomaly::ANOMALIES;
use super::inflate::tests::deflate;
use super::parser::MAX_TRANSACTIONS;
use super::transaction::WebSocketTransaction;

const UP: Direction = Direction::ToServer;
const DOWN: Direction = Direction::ToClient;

/// A frame: flags, opcode and payload, with a mask or without.
fn frame(flags: u8, opcode: u8, mask: Option<[u8; 4]>, payload: &[u8]) -> Vec<u8> {
    let masked = if mask.is_some() { 0x80 } else { 0 };
    let mut bytes = vec![flags | opcode];
    match payload.len() {
        length @ 0..=125 => bytes.push(masked | length as u8),
        length @ 126..=0xffff => {
            bytes.push(masked | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(masked | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(mask.into_iter().flatten());
    let key = mask.unwrap_or_default();
    bytes.extend(payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    bytes
}

fn endpoints() -> Endpoints {
    Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 4000,
        server: [10, 0, 0, 2].into(),
        server_port: 80,
        transport: Transport::Tcp,
    }
}

struct Settings(&'static [(&'static str, &'static str)]);

impl Options for Settings {
    fn text(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(key, _)| *key == path).map(|(_, value)| (*value).to_string())
    }
    fn children(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn complain(&self, _: &str, _: &str) {}
}

/// Pushes pieces; what is not taken is pushed again with what follows.
fn talk(options: &dyn Options, pieces: &[(Direction, &[u8])]) -> Box<dyn Parser> {
    let mut parser = (WEBSOCKET.configure)(options).open(&endpoints());
    let mut kept = [(Vec::new(), 1), (Vec::new(), 1)];
    for (clock, (direction, bytes)) in (1..).zip(pieces) {
        let (kept, needed) = &mut kept[*direction as usize];
        kept.extend_from_slice(bytes);
        if kept.len() < *needed {
            continue;
        }
        let time = Timestamp::new(clock, 0);
        let mut cx = ParseContext {
            offset: 0,
            frames: None,
            endpoints: &endpoints(),
            time,
            arrivals: &[(0, time)],
            files: &FileSettings::default(),
            as_zeek: false,
            order: &Turn::alone(),
            requests: &mut Vec::new(),
            anomalies: &mut Vec::new(),
        };
        match parser.data(&mut cx, *direction, kept) {
            Outcome::Ok => (*kept, *needed) = (Vec::new(), 1),
            Outcome::Incomplete { consumed, needed: wanted } => {
                kept.drain(..consumed);
                assert!(wanted > kept.len(), "it would be asked again at once");
                *needed = wanted;
            }
            Outcome::Error => panic!("nothing is refused"),
        }
    }
    parser
}

fn transactions(parser: &dyn Parser) -> impl Iterator<Item = &WebSocketTransaction> {
    (0..parser.created()).filter_map(|id| downcast(parser.transaction(id)?))
}

/// What is said of each frame: who sent it, flags, opcode, payload, anomalies.
fn told(parser: &dyn Parser) -> Vec<String> {
    let side = |tx: &WebSocketTransaction| if tx.meta.only == Some(UP) { '>' } else { '<' };
    let told = transactions(parser).map(|tx| {
        let payload = String::from_utf8_lossy(&tx.payload);
        let odd: Vec<_> = tx.meta.anomalies.iter().map(|odd| ANOMALIES[usize::from(odd.0)]).collect();
        format!("{} {:02x} {} {payload} {}", side(tx), tx.flags, tx.opcode, odd.join(" "))
            .trim_end()
            .to_owned()
    });
    told.collect()
}

#[test]
fn frames_and_messages() {
    let packed = deflate(&[b"hello hello hello", b"hello hello again"]);
    let (head, tail) = packed[0].split_at(3);
    type Case<'a> = (&'a str, Vec<(Direction, Vec<u8>)>, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            "both sides",
            vec![(UP, frame(0x80, 1, Some(*b"abcd"), b"ping pong")), (DOWN, frame(0x80, 2, None, b"x"))],
            &["> 80 1 ping pong", "< 80 2 x"],
        ),
        (
            "the last frame has the message, whatever comes in between",
            vec![
                (UP, frame(0, 1, None, b"one ")),
                (UP, frame(0x80, 9, None, b"ping")),
                (DOWN, frame(0x80, 10, None, b"ping")),
                (UP, frame(0, 0, Some(*b"key!"), b"two ")),
                (UP, frame(0x80, 0, None, b"three")),
                (UP, frame(0x80, 1, None, b"next")),
            ],
            &[
                "> 00 1 one",
                "> 80 9 ping",
                "< 80 10 ping",
                "> 00 0 two",
                "> 80 0 one two three",
                "> 80 1 next",
            ],
        ),
        (
            "compressed",
            vec![
                (DOWN, frame(0x40, 1, None, head)),
                (DOWN, frame(0x80, 9, None, b"")),
                (DOWN, frame(0x80, 0, None, tail)),
                (DOWN, frame(0xc0, 1, None, &packed[1])),
            ],
            &[
                &format!("< 40 1 {}", String::from_utf8_lossy(head)),
                "< 80 9",
                "< 80 0 hello hello hello",
                "< c0 1 hello hello again",
            ],
        ),
        (
            "not compressed after all",
            vec![(UP, frame(0xc0, 1, None, b"\x07no deflate")), (UP, frame(0xc0, 1, None, &packed[0]))],
            &["> c0 1 \x07no deflate", "> c0 1 hello hello hello"],
        ),
        ("of no known kind", vec![(UP, frame(0x80, 7, None, b"what"))], &["> 80 7 what"]),
        (
            "a message that was not ended",
            vec![(UP, frame(0, 1, None, b"one")), (UP, frame(0x80, 2, None, b"other"))],
            &["> 00 1 one", "> 80 2 other"],
        ),
    ];
    for (what, pieces, expected) in cases {
        let pieces: Vec<_> = pieces.iter().map(|(direction, bytes)| (*direction, &bytes[..])).collect();
        assert_eq!(told(&*talk(&NoOptions, &pieces)), *expected, "{what}");
    }
}

#[test]
fn limits() {
    let ten = Settings(&[("max-payload-size", "10")]);
    let long = frame(0x80, 1, None, b"0123456789abcdef");
    let next = frame(0x80, 1, None, b"next");
    let parser = talk(&ten, &[(UP, &long[..14]), (UP, &long[14..]), (UP, &next)]);
    assert_eq!(told(&*parser), ["> 80 1 0123456789 skip_end_of_payload", "> 80 1 next"]);
    let parts = [frame(0, 1, None, b"01234567"), frame(0, 0, None, b"89ab"), frame(0x80, 0, None, b"cd")];
    let parser = talk(&ten, &[(UP, &parts.concat()), (UP, &next)]);
    assert_eq!(
        told(&*parser),
        [
            "> 00 1 01234567",
            "> 00 0 89ab reassembly_limit_reached",
            "> 80 0 0123456789 reassembly_limit_reached",
            "> 80 1 next"
        ]
    );
    let bomb = frame(0xc0, 1, None, &deflate(&[&[b'a'; 100]])[0]);
    let parser = talk(&ten, &[(UP, &bomb)]);
    assert_eq!(told(&*parser), ["> c0 1 aaaaaaaaaa skip_end_of_payload"]);
    let many = frame(0x80, 9, None, b"").repeat(MAX_TRANSACTIONS + 5);
    let parser = talk(&NoOptions, &[(UP, &many)]);
    assert_eq!(parser.created(), MAX_TRANSACTIONS as u64);
    assert_eq!(told(&*parser).last().unwrap(), "> 80 9  reassembly_limit_reached");
    let huge = Settings(&[("max-payload-size", "1gb")]);
    assert_eq!(talk(&huge, &[(UP, b"\x81\x7f\0\0\0\0\0\x20\0\0")]).created(), 0);
}

#[test]
fn records() {
    let write = |options: &dyn Options, bytes: &[u8]| {
        let parser = talk(&NoOptions, &[(UP, bytes)]);
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        let eve = (WEBSOCKET.eve.unwrap().configure)(options);
        assert!(eve.write(parser.transaction(0).unwrap(), &endpoints(), &mut json));
        json.close_object();
        String::from_utf8(out).unwrap()
    };
    let text = frame(0x80, 1, Some([0, 0, 1, 2]), b"hi\xff");
    let all = Settings(&[("websocket-payload", "yes"), ("websocket-payload-printable", "yes")]);
    let cases: &[(&dyn Options, &[u8], &str)] = &[
        (&NoOptions, &text, r#"{"fin":true,"mask":258,"opcode":"text"}"#),
        (&NoOptions, &frame(0, 11, None, b""), r#"{"fin":false,"opcode":"unknown-11"}"#),
        (
            &all,
            &text,
            "{\"fin\":true,\"mask\":258,\"opcode\":\"text\",\"payload_base64\":\"aGn/\",\"payload_printable\":\"hi\u{fffd}\"}",
        ),
    ];
    for (options, bytes, expected) in cases {
        assert_eq!(write(*options, bytes), *expected);
    }
}

#[test]
fn fields() {
    let masked = frame(0xc0, 9, Some([0, 0, 0, 5]), b"");
    let plain = frame(0x80, 9, None, b"payload");
    let parser = talk(&NoOptions, &[(UP, &masked), (DOWN, &plain)]);
    let cases: &[(&str, [Option<u64>; 2])] = &[
        ("websocket.flags", [Some(0xc0), Some(0x80)]),
        ("websocket.mask", [Some(5), None]),
        ("websocket.opcode", [Some(9), Some(9)]),
    ];
    for (name, expected) in cases {
        let field = WEBSOCKET.fields.iter().find(|field| field.name == *name).unwrap();
        let (Access::Integer { read, .. } | Access::Flags { read, .. }) = field.access else {
            panic!("{name} is no integer");
        };
        let found = [0, 1].map(|id| read(parser.transaction(id).unwrap(), UP, 0));
        assert_eq!(found, *expected, "{name}");
        assert_eq!(read(parser.transaction(0).unwrap(), UP, 1), None, "{name}");
    }
}

#[test]
fn what_is_no_frame_is_told_by_its_first_byte() {
    let probe = WEBSOCKET.probe.unwrap();
    for (bytes, expected) in [
        (&b"\x81\x05"[..], Probe::Yes),
        (b"\xc1", Probe::Yes),
        (b"GET / HTTP/1.1\r\n", Probe::Yes),
        (b"\x16\x03", Probe::No),
        (b"{", Probe::No),
        (b"", Probe::More),
    ] {
        assert_eq!(probe(Transport::Tcp, UP, bytes), expected, "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn any_segmentation_gives_the_same_records(
        frames in proptest::collection::vec((0..4_u8, 0..11_u8, any::<Option<[u8; 4]>>(), 0..300_usize), 1..12),
        sizes in proptest::collection::vec(1..50_usize, 1..20),
    ) {
        let settings = Settings(&[("max-payload-size", "200")]);
        let bytes: Vec<u8> = frames
            .iter()
            .flat_map(|(flags, opcode, mask, length)| frame(flags << 6, *opcode, *mask, &vec![b'x'; *length]))
            .collect();
        let mut pieces = Vec::new();
        let mut rest = &bytes[..];
        for size in sizes.iter().cycle() {
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            pieces.push((UP, piece));
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(told(&*talk(&settings, &pieces)), told(&*talk(&settings, &[(UP, &bytes)])));
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        let parser = talk(&NoOptions, &[(UP, &bytes), (DOWN, &bytes)]);
        prop_assert!(transactions(&*parser).count() as u64 == parser.created());
    }
}
