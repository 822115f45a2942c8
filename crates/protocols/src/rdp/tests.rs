//! Packets built here, through the parser, to EVE records and Zeek's log.

use proptest::prelude::*;
use serde_json::json;
use weir_applayer::{IdSet, NoOptions, Outcome, Request};
use weir_base::Direction;

use super::RDP;
use super::parser::MAX_TRANSACTIONS;
use super::server::MAX_CERTIFICATES;
use crate::testing::{Conversation, DOWN, UP, same_in_any_pieces, told_by_settings};
use crate::tls::certificate::tests::build as certificate;

/// A packet with this of X.224, and what it carries.
fn packet(transport: &[u8], data: &[u8]) -> Vec<u8> {
    let length = 4 + transport.len() + data.len();
    [&[3, 0, (length >> 8) as u8, length as u8][..], transport, data].concat()
}

fn request(said: &[u8]) -> Vec<u8> {
    packet(&[&[said.len() as u8 + 6, 0xe0, 0, 0, 0, 0, 0][..], said].concat(), b"")
}

fn confirm(said: &[u8]) -> Vec<u8> {
    packet(&[&[said.len() as u8 + 6, 0xd0, 0, 0, 0x12, 0x34, 0][..], said].concat(), b"")
}

fn wide(text: &str, length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.resize(length, 0);
    bytes
}

fn block(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(data.len() as u16 + 4).to_le_bytes(), data].concat()
}

/// Blocks behind a key of H.221.
fn user_data(kind: u8, before: &[u8], blocks: &[u8]) -> Vec<u8> {
    let length = [0x80 | (blocks.len() >> 8) as u8, blocks.len() as u8];
    packet(b"\x02\xf0\x80", &[&[0x7f, kind][..], before, &length, blocks].concat())
}

fn client() -> Vec<u8> {
    let core = [
        &b"\x04\0\x08\0\x00\x05\x00\x04\x01\xca\x03\xaa\x09\x04\0\0\xb1\x1d\0\0"[..],
        &wide("DESK", 32),
        b"\x04\0\0\0\0\0\0\0\x0c\0\0\0",
        &wide("", 64),
        b"\x01\xca\x01\0\0\0\0\0\x18\0\x07\0\x03\0",
        &wide("id-1", 64),
        b"\x06\0\0\0\0\0\xff\0\0\0",
    ]
    .concat();
    let network = b"\x02\0\0\0rdpdr\0\0\0\0\0\0\x80cliprdr\0\0\0\xa0\xc0";
    user_data(
        0x65,
        b"stuffDuca",
        &[block(0xc001, &core), block(0xc003, network), block(0xc004, b"xx")].concat(),
    )
}

fn server() -> Vec<u8> {
    server_with(b"\x01\0\0\0and a key")
}

/// A server that shows this certificate.
fn server_with(certificate: &[u8]) -> Vec<u8> {
    let security = [
        &b"\x02\0\0\0\x03\0\0\0\x04\0\0\0"[..],
        &(certificate.len() as u32).to_le_bytes(),
        b"rand",
        certificate,
    ]
    .concat();
    user_data(
        0x66,
        b"stuff\0\x01\xc0\x04McDn",
        &[block(0x0c01, b"\x04\0\x08\0"), block(0x0c02, &security)].concat(),
    )
}

const COOKIE: &[u8] = b"Cookie: mstshash=bob\r\n\x01\x01\x08\0\x0b\0\0\0";

#[test]
fn what_is_encrypted_is_told_by_the_piece() {
    let data = packet(b"\x02\xf0\x80", b"secret");
    let by_tls = confirm(b"\x02\0\x08\0\x01\0\0\0");
    type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
    let (asked, answer, ours, theirs) = (request(COOKIE), confirm(b""), client(), server());
    let cases: &[Case<'_>] = &[
        (
            &[
                (true, &asked),
                (false, &answer),
                (true, &ours[..9]),
                (true, &ours[9..]),
                (false, &theirs[..9]),
                (false, &theirs[9..]),
                (true, &data),
                (false, b"more"),
            ],
            &["rdp_native_encrypted_data c T 13", "rdp_native_encrypted_data c F 4"],
        ),
        (&[(true, &asked), (false, &by_tls), (false, &theirs), (true, &data)], &[]),
        (&[(true, b"no packet"), (false, &theirs), (true, &data)], &[]),
    ];
    for (pieces, expected) in cases {
        assert_eq!(told_by_settings(&super::encrypted::READER, &[], &[], pieces), *expected);
    }
}

#[test]
fn sessions() {
    let said = [(UP, request(COOKIE)), (DOWN, confirm(b"")), (UP, client()), (DOWN, server())];
    let mut found = same_in_any_pieces(|| Conversation::new(&RDP, &NoOptions), &said);
    let records: Vec<_> = found.ids().iter().filter_map(|id| found.eve(*id, &NoOptions)).collect();
    assert_eq!(
        records,
        [
            json!({"tx_id": 1, "event_type": "initial_request", "cookie": "bob",
                   "flags": ["restricted_admin_mode_required"]}),
            json!({"tx_id": 2, "event_type": "initial_response"}),
            json!({
                "tx_id": 3, "event_type": "connect_request",
                "client": {
                    "version": "v5", "desktop_width": 1280, "desktop_height": 1024, "color_depth": 24,
                    "keyboard_layout": "en-US", "build": "Windows 7 SP1", "client_name": "DESK",
                    "keyboard_type": "enhanced", "function_keys": 12, "product_id": 1,
                    "capabilities": ["support_errinfo_pdf", "want_32bpp_session"], "id": "id-1",
                    "connection_hint": "lan", "physical_width": 255,
                },
                "channels": ["rdpdr", "cliprdr"],
            }),
            json!({"tx_id": 4, "event_type": "connect_response"}),
        ]
    );
    let rows = found.zeek();
    assert_eq!(
        rows.of("rdp"),
        ["1: cookie=bob result=Success security_protocol=RDP client_channels=rdpdr,cliprdr \
          keyboard_layout=English - United States client_build=RDP 7.1 client_name=DESK \
          client_dig_product_id=id-1 desktop_width=1280 desktop_height=1024 requested_color_depth=32bit \
          cert_type=RSA cert_count=1 cert_permanent=T encryption_level=High encryption_method=128bit"]
    );
    assert_eq!(rows.of("service"), ["rdp"]);
}

#[test]
fn certificates_are_logged() {
    let chain = [certificate(b"signer", &[]), certificate(b"host", &[])];
    let of_x509: Vec<u8> = chain.iter().fold(b"\x02\0\0\0\x02\0\0\0".to_vec(), |mut bytes, der| {
        bytes.extend((der.len() as u32).to_le_bytes());
        bytes.extend(der);
        bytes
    });
    let said = [(UP, request(COOKIE)), (DOWN, confirm(b"")), (UP, client()), (DOWN, server_with(&of_x509))];
    let mut found = read_as_zeek(&said);
    let rows = found.zeek();
    let subjects: Vec<bool> =
        rows.of("x509").iter().zip(["signer", "host"]).map(|(row, name)| row.contains(name)).collect();
    assert_eq!(subjects, [true, true]);
    assert!(rows.of("rdp")[0].contains("cert_type=X.509 cert_count=2"));
    // One of which a part is missing is none.
    let cut = &of_x509[..of_x509.len() - 1];
    let said = [(UP, client()), (DOWN, server_with(cut))];
    assert_eq!(read_as_zeek(&said).zeek().of("x509").len(), 1);
}

fn read_as_zeek(said: &[(Direction, Vec<u8>)]) -> Conversation {
    let mut conversation = Conversation::new(&RDP, &NoOptions);
    conversation.as_zeek = true;
    conversation.talk(said);
    conversation
}

#[test]
fn certificates_are_kept_for_zeeks_logs_alone_and_counted() {
    let der = [0x30; 700];
    let length = (der.len() as u32).to_le_bytes();
    let listed: Vec<u8> = [&length[..], &der].concat().repeat(20);
    let said = [(DOWN, server_with(&[&b"\x02\0\0\0\x14\0\0\0"[..], &listed].concat()))];
    let taken = |mut conversation: Conversation| {
        conversation.parser.take_changed(&mut IdSet::default());
        conversation.parser.memory()
    };
    let without = taken(Conversation::of(&RDP, &NoOptions, &said));
    let with = taken(read_as_zeek(&said));
    assert_eq!(with - without, MAX_CERTIFICATES * (der.len() + size_of::<Vec<u8>>()));
    assert!(
        read_as_zeek(&said[..]).zeek().of("rdp")[0].contains("cert_count=20"),
        "those beyond are told of"
    );
}

#[test]
fn what_follows_is_secret() {
    let mut found = Conversation::of(&RDP, &NoOptions, &[(UP, client()), (DOWN, server())]);
    assert!(found.requests.iter().filter(|wish| matches!(wish, Request::StopParsing(_))).count() == 2);
    assert_eq!(found.push(UP, b"anything"), Outcome::Ok);
    assert_eq!(found.ids().len(), 2);
}

#[test]
fn failures() {
    let said = [(UP, request(COOKIE)), (DOWN, confirm(b"\x03\0\x08\0\x02\0\0\0"))];
    let mut found = Conversation::of(&RDP, &NoOptions, &said);
    let expected = json!({"tx_id": 2, "event_type": "initial_response", "error_code": 2, "reason": "ssl not allowed by server"});
    assert_eq!(found.eve(1, &NoOptions), Some(expected));
    let rows = found.zeek();
    assert_eq!(rows.of("rdp"), ["1: cookie=bob result=SSL_NOT_ALLOWED_BY_SERVER cert_count=0"]);
    assert_eq!(rows.of("service"), [""; 0]);
}

#[test]
fn tls() {
    let chosen = confirm(b"\x02\x03\x08\0\x08\0\0\0");
    let certificate = b"\x30\x05\x30\x03\x02\x01\x1f";
    let handshake = [&b"\x0b\0\0\x0d\0\0\x0a\0\0\x07"[..], certificate].concat();
    let record = [&[22, 3, 3, 0, handshake.len() as u8][..], &handshake].concat();
    let hello = b"\x16\x03\x01\0\x05\x01\0\0\x01x";
    let said = [(UP, [request(b""), hello.to_vec()].concat()), (DOWN, [chosen.clone(), record].concat())];
    let found = Conversation::of(&RDP, &NoOptions, &said);
    assert_eq!(
        found.eve(1, &NoOptions),
        Some(json!({"tx_id": 2, "event_type": "initial_response",
                    "server_supports": ["extended_client_data", "dynvc_gfx"], "protocol": "hybrid_ex"}))
    );
    assert_eq!(
        found.eve(2, &NoOptions),
        Some(json!({"tx_id": 3, "event_type": "tls_handshake", "x509_serials": ["1f"]}))
    );

    let mut as_zeek = Conversation::new(&RDP, &NoOptions);
    as_zeek.as_zeek = true;
    as_zeek.talk(&[(UP, request(b"")), (DOWN, chosen)]);
    assert!(matches!(as_zeek.wishes()[..], [Request::Upgrade(Some("tls"))]));
    assert_eq!(as_zeek.inspected(), [UP, DOWN]);
    assert_eq!(
        as_zeek.zeek().of("rdp"),
        ["1: cookie= result=encrypted security_protocol=HYBRID_EX cert_count=0"]
    );
}

#[test]
fn other_bytes_and_limits() {
    let mut found = Conversation::new(&RDP, &NoOptions);
    for _ in 0..=MAX_TRANSACTIONS {
        found.push(UP, &request(b""));
    }
    assert_eq!(found.ids().len() as u64, MAX_TRANSACTIONS);
    assert_eq!(found.push(UP, &packet(b"\x02\xf0\x80", b"others")), Outcome::Ok);
    assert_eq!(found.push(UP, b"\x03\0\0\x01"), Outcome::Error);
}

proptest! {
    #[test]
    fn any_bytes(pieces in prop::collection::vec((any::<bool>(), 0..4, prop::collection::vec(any::<u8>(), 0..60)), 0..12)) {
        let mut found = Conversation::new(&RDP, &NoOptions);
        for (up, kind, bytes) in &pieces {
            let (direction, bytes): (Direction, _) = match kind {
                0 => (UP, request(bytes)),
                1 => (UP, user_data(0x65, b"Duca", &block(0xc001, bytes))),
                2 => (DOWN, user_data(0x66, b"McDn", &block(0x0c02, bytes))),
                _ => (if *up { UP } else { DOWN }, bytes.clone()),
            };
            found.push(direction, &bytes);
        }
        found.summary();
    }
}
