//! What parsers keep of what was said is what they say that they do.

use weir_applayer::Protocol;
use weir_base::{Direction, IdSet};

use super::{Conversation, DOWN, Settings, UP};

/// What is said, and how many bytes of it are kept at least.
type Case = (&'static Protocol, Vec<(Direction, Vec<u8>)>, usize);

fn filled(head: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = head.to_vec();
    bytes.resize(head.len() + length, b'x');
    bytes
}

/// A message of MQTT that is to be acknowledged.
fn published(number: u16) -> Vec<u8> {
    // 2 + 1 + 2 + 2000 bytes follow.
    let mut bytes = vec![0x32, 0xd5, 0x0f, 0, 1, b't'];
    bytes.extend(number.to_be_bytes());
    filled(&bytes, 2000)
}

fn cases() -> Vec<Case> {
    let connect = b"\x10\x0d\0\x04MQTT\x04\x02\0\x3c\0\x01a".to_vec();
    let mut mqtt = vec![(UP, connect), (DOWN, b"\x20\x02\0\0".to_vec())];
    mqtt.extend((1..=20).map(|number| (UP, published(number))));
    let lines: Vec<u8> =
        (0..2000).flat_map(|number| format!("{number} 100 octets\r\n").into_bytes()).collect();
    let list = [&b"+OK\r\n"[..], &lines].concat();
    let pop3 = vec![(DOWN, b"+OK\r\n".to_vec()), (UP, b"LIST\r\n".to_vec()), (DOWN, list)];
    let replies: Vec<u8> = (0..4).flat_map(|_| filled(b"220-", 1000).into_iter().chain(*b"\r\n")).collect();
    let mut request = b"\x05\0\0\x01\x10\0\0\0".to_vec();
    request.extend(20_024_u16.to_le_bytes());
    request.extend(b"\0\0\x01\0\0\0\0\0\0\0\0\0\0\0");
    let word = [filled(b"*3\r\n$500\r\n", 500), b"\r\n".to_vec()].concat();
    let handshake = filled(b"\x16\x03\x03\x3e\x84\x01\0\xea\x60", 16_000);
    vec![
        // The first frame of a message, the first record of one, messages without an answer.
        (&crate::websocket::WEBSOCKET, vec![(UP, filled(b"\x02\x7e\x9c\x40", 40_000))], 40_000),
        (&crate::tls::TLS, vec![(UP, handshake)], 16_000),
        (&crate::mqtt::MQTT, mqtt, 40_000),
        // A list and a reply without end, the first fragment of a call.
        (&crate::pop3::POP3, pop3, 30_000),
        (&crate::ftp::FTP, vec![(DOWN, replies)], 4000),
        (&crate::dcerpc::DCERPC, vec![(UP, filled(&request, 20_000))], 20_000),
        // Beginnings of commands and lines.
        (&crate::redis::REDIS, vec![(UP, word)], 64),
        (&crate::irc::IRC, vec![(UP, filled(b"NICK ", 900))], 900),
        (&crate::smtp::SMTP, vec![(DOWN, b"220 a\r\n".to_vec()), (UP, filled(b"EHLO ", 1500))], 1400),
    ]
}

#[test]
fn parsers_say_what_they_keep() {
    for (protocol, pieces, kept) in cases() {
        let mut conversation = Conversation::new(protocol, &Settings(&[]));
        let before = conversation.parser.memory();
        for (direction, bytes) in &pieces {
            conversation.push_piece(*direction, bytes);
        }
        // As the engine does behind each push.
        conversation.parser.take_changed(&mut IdSet::default());
        let waits: usize = Direction::BOTH.iter().map(|&direction| conversation.waiting(direction)).sum();
        let says = conversation.parser.memory().saturating_sub(before) + waits;
        assert!(says >= kept, "{}: {says} of {kept}, {:?}", protocol.name, conversation.outcome);
    }
}
