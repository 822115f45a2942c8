//! Law: parsers report all the memory of what they keep.

use weir_applayer::Protocol;
use weir_base::{Direction, IdSet};

use super::{Conversation, DOWN, Settings, UP};

/// Bytes of both sides, and how many of them are kept at least.
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

/// An element of ASN.1.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u16).to_be_bytes();
    [&[tag, 0x82][..], &length, content].concat()
}

/// Prefixes bytes with their length in three bytes.
fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[1..], bytes].concat()
}

/// A wish of Kerberos for a ticket, whose user has a name of 50 parts in 2000 bytes.
fn ticket_request() -> Vec<u8> {
    let part = |number: u8, content: &[u8]| element(0xa0 | number, content);
    let parts = element(0x1b, &[b'x'; 40]).repeat(50);
    let name = element(0x30, &[part(0, b"\x02\x01\x01"), part(1, &element(0x30, &parts))].concat());
    let body = [part(0, b"\x03\x02\0\0"), part(1, &name), part(2, &element(0x1b, b"REALM"))].concat();
    let parts = [part(1, b"\x02\x01\x05"), part(2, b"\x02\x01\x0a"), part(4, &element(0x30, &body))].concat();
    let message = element(0x6a, &element(0x30, &parts));
    [&(message.len() as u32).to_be_bytes()[..], &message].concat()
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
    let query = filled(b"Q\0\0\x07\xd4", 2000);
    let mut pgsql = vec![(UP, b"\0\0\0\x10\0\x03\0\0user\0a\0\0".to_vec())];
    pgsql.push((DOWN, b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I".to_vec()));
    pgsql.extend([(UP, query), (DOWN, [filled(b"E\0\0\x0b\xbdM", 2998), b"\0\0".to_vec()].concat())]);
    let modbus = |number: u8| [&[0, number, 0, 0, 0, 247, 1, 16, 0, 0, 0, 120, 240][..], &[7; 240]].concat();
    let variables = element(0x30, &element(0x30, b"\x06\x01\x2b\x05\0").repeat(300));
    let pdu = element(0xa0, &[&b"\x02\x01\x07\x02\x01\0\x02\x01\0"[..], &variables].concat());
    let snmp = element(0x30, &[&b"\x02\x01\x01"[..], &element(4, &[b'x'; 2000]), &pdu].concat());
    let head =
        "OPTIONS sip:a@b SIP/2.0\r\nVia: c\r\nContent-Type: application/sdp\r\nContent-Length: 12039\r\n\r\n";
    let sip = [head, "v=0\no=- 1 1 IN IP4 192.0.2.1\ns=a\nt=0 0\n", &"m=audio 9 udp 0\n".repeat(750)]
        .concat()
        .into_bytes();
    let certificate = element(0x30, &element(0x30, &element(2, &[7; 2000])));
    let chain = sized(&sized(&sized(&certificate)));
    let rdp = [&b"\x16\x03\x03"[..], &(chain.len() as u16 + 1).to_be_bytes(), b"\x0b", &chain].concat();
    let mut smtp = vec![(DOWN, b"220 a\r\n".to_vec()), (UP, b"HELO a\r\nMAIL FROM:<a@b>\r\n".to_vec())];
    smtp.extend((0..100).map(|_| (UP, [filled(b"RCPT TO:<", 400), b">\r\n".to_vec()].concat())));
    let mail = [b"DATA\r\n".to_vec(), filled(b"Subject: ", 900), b"\r\n".to_vec()].concat();
    smtp.extend([(UP, mail)]);
    vec![
        (&crate::pgsql::PGSQL, pgsql, 5000),
        (&crate::modbus::MODBUS, (0..20).map(|number| (UP, modbus(number))).collect(), 4800),
        (&crate::snmp::SNMP, vec![(UP, snmp)], 10_000),
        (&crate::krb5::KRB5, vec![(UP, ticket_request())], 2500),
        // Each medium is more than its line.
        (&crate::sip::SIP, vec![(UP, sip)], 40_000),
        (&crate::rdp::RDP, vec![(DOWN, rdp)], 4000),
        (&crate::smtp::SMTP, smtp, 40_000),
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
