//! Messages built here, through the parser, to fields, EVE records and a log of Zeek.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome, Transport, downcast};
use weir_base::Direction;

use super::message::kind;
use super::transaction::Krb5Transaction;
use super::{KRB5, checks};
use crate::ber::tag;
use crate::testing::{Conversation, DOWN, UP, same_in_any_pieces};
use crate::tls::certificate::tests::build as certificate;

/// An element.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = if length < 0x80 {
        vec![tag, length as u8]
    } else {
        vec![tag, 0x82, (length >> 8) as u8, length as u8]
    };
    [&head, content].concat()
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tlv(tag::SEQUENCE, &parts.concat())
}

/// A part of a sequence.
fn part(number: u8, content: &[u8]) -> Vec<u8> {
    tlv(0xa0 | number, content)
}

fn number(value: u8) -> Vec<u8> {
    tlv(tag::INTEGER, &[value])
}

fn text(value: &str) -> Vec<u8> {
    tlv(0x1b, value.as_bytes())
}

fn moment(value: &str) -> Vec<u8> {
    tlv(0x18, value.as_bytes())
}

fn name(parts: &[&str]) -> Vec<u8> {
    let list: Vec<_> = parts.iter().map(|value| text(value)).collect();
    sequence(&[part(0, &number(1)), part(1, &sequence(&list))])
}

fn encrypted(kind: u8) -> Vec<u8> {
    sequence(&[part(0, &number(kind)), part(2, &tlv(tag::OCTET_STRING, b"secret"))])
}

fn hint(kind: u8, value: &[u8]) -> Vec<u8> {
    sequence(&[sequence(&[part(1, &number(kind)), part(2, &tlv(tag::OCTET_STRING, value))])])
}

/// A signed message with these certificates.
fn signed(certificates: Option<&[u8]>) -> Vec<u8> {
    let mut parts = vec![number(3), tlv(0x31, &[]), sequence(&[tlv(tag::OBJECT_IDENTIFIER, &[0x2b, 6, 1])])];
    parts.extend(certificates.map(|found| part(0, found)));
    parts.push(tlv(0x31, &[]));
    sequence(&[tlv(tag::OBJECT_IDENTIFIER, &[0x2a]), part(0, &sequence(&parts))])
}

/// A message of a kind.
fn message(kind: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    tlv(0x60 | kind, &sequence(parts))
}

fn request(kind: u8, hints: Option<Vec<u8>>, client: Option<&[&str]>, service: &[&str]) -> Vec<u8> {
    let mut body = vec![part(0, &tlv(3, &[0, 0x40, 0x80, 0, 0]))];
    body.extend(client.map(|client| part(1, &name(client))));
    body.push(part(2, &text("REALM")));
    body.push(part(3, &name(service)));
    body.push(part(4, &moment("19700101000140Z")));
    body.push(part(5, &moment("19700101000320Z")));
    body.push(part(7, &number(9)));
    let mut parts = vec![part(1, &number(5)), part(2, &number(kind))];
    parts.extend(hints.map(|hints| part(3, &hints)));
    parts.push(part(4, &sequence(&body)));
    message(kind, &parts)
}

fn reply(kind: u8, hints: Option<Vec<u8>>, encryption: u8, ticket: u8) -> Vec<u8> {
    let ticket = sequence(&[
        part(0, &number(5)),
        part(1, &text("REALM")),
        part(2, &name(&["krbtgt", "REALM"])),
        part(3, &encrypted(ticket)),
    ]);
    let mut parts = vec![part(0, &number(5)), part(1, &number(kind))];
    parts.extend(hints.map(|hints| part(2, &hints)));
    parts.push(part(3, &text("REALM")));
    parts.push(part(4, &name(&["user"])));
    parts.push(part(5, &tlv(0x61, &ticket)));
    parts.push(part(6, &encrypted(encryption)));
    message(kind, &parts)
}

fn error(code: u8, client: Option<&[&str]>, told: Option<&str>) -> Vec<u8> {
    let mut parts = vec![part(0, &number(5)), part(1, &number(kind::ERROR)), part(6, &number(code))];
    if let Some(client) = client {
        parts.extend([part(7, &text("REALM")), part(8, &name(client))]);
    }
    parts.extend([part(9, &text("REALM")), part(10, &name(&["host", "a"]))]);
    parts.extend(told.map(|told| part(11, &text(told))));
    message(kind::ERROR, &parts)
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes()[..], message].concat()
}

fn udp(datagrams: &[(Direction, Vec<u8>)]) -> Conversation {
    let mut conversation = Conversation::over(Transport::Udp, &KRB5, &NoOptions);
    conversation.talk(datagrams);
    conversation
}

fn first(kind: u8) -> Vec<u8> {
    request(kind, None, Some(&["user"]), &["krbtgt", "REALM"])
}

#[test]
fn records() {
    let conversation = udp(&[
        (UP, first(kind::AS_REQ)),
        (DOWN, error(25, None, None)),
        (DOWN, error(99, Some(&["a", "b"]), None)),
        (DOWN, reply(kind::AS_REP, None, 23, 18)),
        (UP, request(kind::TGS_REQ, None, None, &["host", "a"])),
        (DOWN, reply(kind::TGS_REP, None, 18, 4)),
    ]);
    let expected = [
        json!({"msg_type": "KRB_AS_REQ", "cname": "user", "realm": "REALM", "sname": "krbtgt/REALM",
            "encryption": "<none>", "weak_encryption": false}),
        json!({"msg_type": "KRB_ERROR", "failed_request": "KRB_AS_REQ", "error_code": "KDC_ERR_PREAUTH_REQUIRED",
            "cname": "<empty>", "realm": "<empty>", "sname": "host/a", "encryption": "<none>",
            "weak_encryption": false}),
        json!({"msg_type": "KRB_ERROR", "failed_request": "UNKNOWN",
            "error_code": "ErrorCode(99 / 0x63)", "cname": "a/b", "realm": "REALM", "sname": "host/a",
            "encryption": "<none>", "weak_encryption": false}),
        json!({"msg_type": "KRB_AS_REP", "cname": "user", "realm": "REALM", "sname": "krbtgt/REALM",
            "encryption": "rc4-hmac", "weak_encryption": true,
            "ticket_encryption": "aes256-cts-hmac-sha1-96", "ticket_weak_encryption": false}),
        json!({"msg_type": "KRB_TGS_REQ", "cname": "<empty>", "realm": "REALM", "sname": "host/a",
            "encryption": "<none>", "weak_encryption": false}),
        json!({"msg_type": "KRB_TGS_REP", "cname": "user", "realm": "REALM", "sname": "krbtgt/REALM",
            "encryption": "aes256-cts-hmac-sha1-96", "weak_encryption": false,
            "ticket_encryption": "EncryptionType(4 / 0x4)", "ticket_weak_encryption": true}),
    ];
    let found: Vec<Value> = (0..6).map(|id| conversation.eve(id, &NoOptions).unwrap()).collect();
    assert_eq!(found, expected);
    let odd: Vec<_> = (0..6).map(|id| conversation.anomalies(id)).collect();
    assert_eq!(odd, [vec![], vec![], vec![], vec!["weak_encryption"], vec![], vec![]]);
}

#[test]
fn fields() {
    let conversation = udp(&[
        (UP, request(kind::TGS_REQ, None, Some(&["user", "admin"]), &["host", "a", "b"])),
        (DOWN, error(25, None, None)),
    ]);
    let cases: &[(u64, &str, &[&str])] = &[
        (0, "krb5_msg_type", &["12"]),
        (0, "krb5_err_code", &[]),
        (0, "krb5.cname", &["user", "admin"]),
        (0, "krb5_sname", &["host", "a", "b"]),
        (1, "krb5_msg_type", &["30"]),
        (1, "krb5_err_code", &["25"]),
        (1, "krb5_cname", &[]),
        (1, "krb5.sname", &["host", "a"]),
    ];
    for (id, name, expected) in cases {
        assert_eq!(conversation.values(*id, name, UP), *expected, "{id} {name}");
    }
}

#[test]
fn encryption_of_tickets() {
    let conversation = udp(&[
        (DOWN, reply(kind::TGS_REP, None, 18, 23)),
        (DOWN, reply(kind::TGS_REP, None, 23, 18)),
        (UP, first(kind::AS_REQ)),
    ]);
    let cases: &[(&str, [bool; 3])] = &[
        ("weak", [true, false, false]),
        ("!weak", [false, true, false]),
        ("! weak", [false, true, false]),
        ("23", [true, false, false]),
        ("rc4-hmac", [true, false, false]),
        ("-133, aes256-cts-hmac-sha1-96", [false, true, false]),
        ("rc4-hmac 18", [true, true, false]),
        ("1", [false, false, false]),
    ];
    for (option, expected) in cases {
        let check = checks::ticket_encryption(Some(option)).unwrap();
        let found = [0, 1, 2].map(|id| {
            check.matches(downcast::<Krb5Transaction>(conversation.transaction(id)).unwrap(), DOWN)
        });
        assert_eq!(found, *expected, "{option}");
    }
    for option in ["", "!", ",", "strong", "!23", "rc4-hmac;1"] {
        assert!(checks::ticket_encryption(Some(option)).is_err(), "{option}");
    }
    assert!(checks::ticket_encryption(None).is_err());
}

#[test]
fn what_is_no_message() {
    let whole = first(kind::AS_REQ);
    let cases = [
        (whole[..whole.len() - 1].to_vec(), Outcome::Refused, true),
        (Vec::new(), Outcome::Refused, true),
        // What looks like a message of a kind that is read, and is none.
        (message(kind::AS_REQ, &[part(1, &number(4)), part(2, &number(10))]), Outcome::Ok, true),
        (message(kind::AS_REQ, &[part(1, &number(5)), part(2, &number(12))]), Outcome::Ok, true),
        (message(kind::AS_REP, &[part(0, &number(5)), part(1, &number(11))]), Outcome::Ok, true),
        // What is not read.
        (message(kind::AP_REQ, &[part(0, &number(5))]), Outcome::Ok, false),
        (sequence(&[number(1)]), Outcome::Ok, false),
    ];
    for (datagram, expected, is_malformed) in cases {
        let mut conversation = Conversation::over(Transport::Udp, &KRB5, &NoOptions);
        let (outcome, found) = conversation.call(|parser, cx| {
            let outcome = parser.data(cx, UP, &datagram);
            (
                outcome,
                cx.anomalies.iter().any(|anomaly| KRB5.anomalies[usize::from(anomaly.0)] == "malformed_data"),
            )
        });
        assert_eq!(
            (outcome, found, conversation.ids().len()),
            (expected, is_malformed, 0),
            "{datagram:02x?}"
        );
    }
}

#[test]
fn streams_in_any_pieces() {
    let up = [framed(&first(kind::AS_REQ)), framed(&first(kind::TGS_REQ))].concat();
    let down =
        [framed(&reply(kind::AS_REP, None, 18, 18)), framed(&error(6, None, Some("UNKNOWN")))].concat();
    let mut conversation =
        same_in_any_pieces(|| Conversation::new(&KRB5, &NoOptions), &[(UP, up), (DOWN, down)]);
    assert_eq!(conversation.ids(), [0, 1, 2, 3]);
    assert_eq!(conversation.zeek().of("service"), ["krb_tcp"]);
}

#[test]
fn what_is_too_long_is_passed_over() {
    let long = [&0x0020_0000u32.to_be_bytes()[..], &vec![0x6a; 0x0020_0000]].concat();
    let mut conversation = Conversation::new(&KRB5, &NoOptions);
    conversation.push_in(UP, &long, 1460);
    conversation.push(UP, &framed(&first(kind::AS_REQ)));
    assert_eq!((conversation.outcome, conversation.ids().len()), (Outcome::Ok, 1));
}

#[test]
fn zeek_rows() {
    let asked = "from=100 till=200";
    let flags = "forwardable=T renewable=T";
    let shown = certificate(b"someone", &[]);
    let by_client = hint(16, &sequence(&[tlv(0x80, &signed(Some(&shown)))]));
    let by_nobody = hint(16, &sequence(&[tlv(0x80, &signed(None))]));
    let by_server = hint(17, &part(0, &sequence(&[tlv(0x80, &signed(Some(&shown)))])));
    let with =
        |hints: &[u8]| request(kind::AS_REQ, Some(hints.to_vec()), Some(&["user"]), &["krbtgt", "REALM"]);
    let success = "success=T";
    type Case = (Vec<(Direction, Vec<u8>)>, Vec<String>);
    let cases: Vec<Case> = vec![
        (
            vec![
                (UP, first(kind::AS_REQ)),
                (DOWN, reply(kind::AS_REP, None, 23, 18)),
                (UP, first(kind::TGS_REQ)),
            ],
            vec![
                "service krb".into(),
                format!(
                    "kerberos 1: request_type=AS client=user/REALM service=krbtgt/REALM {success} {asked} \
                     cipher=aes256-cts-hmac-sha1-96 {flags}"
                ),
            ],
        ),
        (
            vec![
                (UP, first(kind::AS_REQ)),
                (DOWN, error(25, None, Some("NEEDED_PREAUTH"))),
                (UP, first(kind::AS_REQ)),
                (DOWN, error(24, None, Some("PREAUTH_FAILED"))),
            ],
            vec![
                "service krb".into(),
                format!(
                    "kerberos 3: request_type=AS client=user/REALM service=krbtgt/REALM success=F \
                     error_msg=PREAUTH_FAILED {asked} {flags}"
                ),
            ],
        ),
        (
            vec![
                (UP, request(kind::TGS_REQ, None, None, &["host", "a"])),
                (DOWN, error(7, Some(&["user"]), None)),
            ],
            vec![
                "service krb".into(),
                format!(
                    "kerberos 1: request_type=TGS client=user/REALM service=host/a success=F \
                     error_msg=KDC_ERR_S_PRINCIPAL_UNKNOWN {asked} {flags}"
                ),
            ],
        ),
        (
            vec![(UP, request(kind::TGS_REQ, None, None, &["host", "a"]))],
            vec![format!("kerberos 1: request_type=TGS service=host/a {asked} {flags}")],
        ),
        (
            vec![(UP, with(&by_client)), (DOWN, reply(kind::AS_REP, Some(by_server), 18, 99))],
            vec![
                "x509".into(),
                "service krb".into(),
                "x509".into(),
                format!(
                    "kerberos 1: request_type=AS client=user/REALM service=krbtgt/REALM {success} {asked} \
                     cipher=unknown-99 {flags} client_cert_subject=CN=someone,O=Weir,C=FR client_cert_fuid=F \
                     server_cert_subject=CN=someone,O=Weir,C=FR server_cert_fuid=F"
                ),
            ],
        ),
        (
            vec![(UP, with(&by_nobody))],
            vec![
                "weird of none x509_cert_parse_error: F".into(),
                format!(
                    "kerberos 1: request_type=AS client=user/REALM service=krbtgt/REALM {asked} {flags} \
                     client_cert_fuid=F"
                ),
            ],
        ),
        (vec![(UP, b"\x30\x00".to_vec())], vec![]),
    ];
    for (datagrams, expected) in cases {
        let mut conversation = udp(&datagrams);
        let rows = conversation.zeek();
        let found: Vec<_> =
            rows.lines.iter().map(|line| if line.starts_with("x509 ") { "x509" } else { line }).collect();
        assert_eq!(found, expected);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), tag in 0x6au8..0x7f) {
        let inner = tlv(tag, &tlv(tag::SEQUENCE, &bytes));
        let body = message(kind::AS_REQ, &[part(1, &number(5)), part(2, &number(10)), part(3, &bytes)]);
        let mut conversation = Conversation::over(Transport::Udp, &KRB5, &NoOptions);
        for datagram in [&bytes, &inner, &body] {
            prop_assert_ne!(conversation.push(UP, datagram), Outcome::Error);
        }
        prop_assert!(!conversation.summary().is_empty());
        let mut conversation = Conversation::new(&KRB5, &NoOptions);
        conversation.push(DOWN, &framed(&inner));
        conversation.push(DOWN, &bytes);
        prop_assert!(!conversation.summary().is_empty());
    }
}
