//! Frames built here, through the parser, to fields, EVE records and a log of Zeek.

use proptest::prelude::*;
use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::WEBSOCKET;
use super::inflate::tests::deflate;
use super::parser::MAX_TRANSACTIONS;
use super::transaction::WebSocketTransaction;
use crate::testing::{Conversation, DOWN, Settings, UP, led_in_any_pieces};

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

/// Leads a conversation in pieces.
fn talk(settings: &[(&str, &str)], pieces: &[(Direction, &[u8])]) -> Conversation {
    Conversation::of(&WEBSOCKET, &Settings(settings), pieces)
}

/// Returns the facts of each frame: who sent it, flags, opcode, payload, anomalies.
fn told(conversation: &Conversation) -> Vec<String> {
    let told = conversation.ids().into_iter().map(|id| {
        let tx: &WebSocketTransaction = conversation.tx(id);
        let side = if tx.meta.only == Some(UP) { '>' } else { '<' };
        let (payload, odd) = (String::from_utf8_lossy(&tx.payload), conversation.anomalies(id).join(" "));
        format!("{side} {:02x} {} {payload} {odd}", tx.flags, tx.opcode).trim_end().to_owned()
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
        assert_eq!(told(&talk(&[], &pieces)), *expected, "{what}");
    }
}

#[test]
fn limits() {
    let ten = &[("max-payload-size", "10")];
    let long = frame(0x80, 1, None, b"0123456789abcdef");
    let next = frame(0x80, 1, None, b"next");
    let conversation = talk(ten, &[(UP, &long[..14]), (UP, &long[14..]), (UP, &next)]);
    assert_eq!(told(&conversation), ["> 80 1 0123456789 skip_end_of_payload", "> 80 1 next"]);
    let parts = [frame(0, 1, None, b"01234567"), frame(0, 0, None, b"89ab"), frame(0x80, 0, None, b"cd")];
    let conversation = talk(ten, &[(UP, &parts.concat()), (UP, &next)]);
    assert_eq!(
        told(&conversation),
        [
            "> 00 1 01234567",
            "> 00 0 89ab reassembly_limit_reached",
            "> 80 0 0123456789 reassembly_limit_reached",
            "> 80 1 next"
        ]
    );
    let bomb = frame(0xc0, 1, None, &deflate(&[&[b'a'; 100]])[0]);
    assert_eq!(told(&talk(ten, &[(UP, &bomb)])), ["> c0 1 aaaaaaaaaa skip_end_of_payload"]);
    let many = frame(0x80, 9, None, b"").repeat(MAX_TRANSACTIONS + 5);
    let conversation = talk(&[], &[(UP, &many)]);
    assert_eq!(conversation.parser.created(), MAX_TRANSACTIONS as u64);
    assert_eq!(told(&conversation).last().unwrap(), "> 80 9  reassembly_limit_reached");
    let huge = &[("max-payload-size", "1gb"), ("may-complain", "yes")];
    assert_eq!(talk(huge, &[(UP, b"\x81\x7f\0\0\0\0\0\x20\0\0")]).parser.created(), 0);
}

#[test]
fn what_is_carried() {
    let settings = Settings(&[("max-payload-size", "10000")]);
    let long = vec![b'x'; 20_000];
    let (first, last) = (frame(0, 2, Some(*b"abcd"), b"one "), frame(0x80, 0, Some(*b"efgh"), b"two"));
    // What it is, the pushes, and length and time of what is handed on.
    type Case<'a> = (&'a str, Vec<Vec<u8>>, &'a [(usize, u64)]);
    let cases: &[Case<'_>] = &[
        (
            "in pieces, each when it is whole",
            vec![frame(0x80, 1, None, &long)],
            &[(8192, 1), (1808, 1), (10_000, 1)],
        ),
        (
            "as it comes",
            vec![frame(0x80, 2, None, &long)[..8000].to_vec(), frame(0x80, 2, None, &long)[8000..].to_vec()],
            &[(8192, 2), (1808, 2), (10_000, 2)],
        ),
        ("all frames of a message", vec![first, frame(0x80, 9, None, b"ping"), last], &[(4, 1), (3, 3)]),
        ("of known kinds", vec![frame(0x80, 3, None, b"three"), frame(0x80, 8, None, b"\x03\xe8")], &[]),
    ];
    for (what, pieces, expected) in cases {
        let pieces: Vec<_> = pieces.iter().map(|piece| (DOWN, &piece[..])).collect();
        let carried = |as_zeek| {
            let mut conversation = Conversation::new(&WEBSOCKET, &settings);
            conversation.as_zeek = as_zeek;
            conversation.talk(&pieces);
            conversation.parser.take_carried()
        };
        let found = carried(true);
        let told: Vec<_> = found.iter().map(|part| (part.bytes.len(), part.time.seconds())).collect();
        assert_eq!(told, *expected, "{what}");
        assert_eq!(carried(false), [], "{what}: nobody asks");
        let text: Vec<u8> =
            found.into_iter().flat_map(|part| part.bytes).filter(|byte| *byte != b'x').collect();
        assert!([&b""[..], b"one two"].contains(&&text[..]), "{what}: {text:?}");
    }
}

#[test]
fn records() {
    let text = frame(0x80, 1, Some([0, 0, 1, 2]), b"hi\xff");
    let all = [("websocket-payload", "yes"), ("websocket-payload-printable", "yes")];
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [u8], &'a str);
    let cases: &[Case<'_>] = &[
        (&[], &text, r#"{"fin":true,"mask":258,"opcode":"text"}"#),
        (&[], &frame(0, 11, None, b""), r#"{"fin":false,"opcode":"unknown-11"}"#),
        (
            &all,
            &text,
            "{\"fin\":true,\"mask\":258,\"opcode\":\"text\",\"payload_base64\":\"aGn/\",\"payload_printable\":\"hi\u{fffd}\"}",
        ),
    ];
    for (settings, bytes, expected) in cases {
        let record = talk(&[], &[(UP, bytes)]).record(0, &Settings(settings)).unwrap();
        assert_eq!(record, format!("{{\"websocket\":{expected}}}"));
    }
}

#[test]
fn fields() {
    let masked = frame(0xc0, 9, Some([0, 0, 0, 5]), b"");
    let plain = frame(0x80, 9, None, b"payload");
    let conversation = talk(&[], &[(UP, &masked), (DOWN, &plain)]);
    let ids = conversation.ids().into_iter();
    let found: Vec<_> = ids
        .map(|id| {
            ["flags", "mask", "opcode", "payload"]
                .map(|name| conversation.values(id, &format!("websocket.{name}"), UP).join(" "))
                .join("|")
        })
        .collect();
    assert_eq!(found, ["192|5|9|", "128||9|payload"]);
}

#[test]
fn zeek() {
    let long = frame(0x80, 8, None, &[b'x'; 200]);
    let mut conversation = talk(&[], &[(UP, &long), (DOWN, &frame(0x80, 1, None, b"x"))]);
    assert_eq!(
        conversation.zeek().lines,
        ["weird websocket_control_frame_size_exceeded: 200 > 125", "service websocket"]
    );
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
    ) {
        let bytes: Vec<u8> = frames
            .iter()
            .flat_map(|(flags, opcode, mask, length)| frame(flags << 6, *opcode, *mask, &vec![b'x'; *length]))
            .collect();
        led_in_any_pieces(|| talk(&[("max-payload-size", "200")], &[]), &[(UP, bytes)])?;
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        let conversation = talk(&[], &[(UP, &bytes), (DOWN, &bytes)]);
        prop_assert_eq!(conversation.ids().len() as u64, conversation.parser.created());
    }
}
