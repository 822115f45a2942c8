//! Messages built here, through the parser, to fields, EVE records and the logs of Zeek.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{NoOptions, Outcome, Request, Transport};
use weir_base::Direction;

use super::LDAP;
use super::message::MAX_MESSAGE;
use super::transaction::{LdapTransaction, MAX_RESPONSES};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

const START_TLS: &[u8] = super::parser::START_TLS;

/// Messages, with their direction.
type Said = Vec<(Direction, Vec<u8>)>;

/// An element.
pub(super) fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = if length < 0x80 {
        vec![tag, length as u8]
    } else {
        vec![tag, 0x82, (length >> 8) as u8, length as u8]
    };
    [&head, content].concat()
}

pub(super) fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}

pub(super) fn octets(text: &str) -> Vec<u8> {
    tlv(4, text.as_bytes())
}

pub(super) fn number(value: u8) -> Vec<u8> {
    tlv(2, &[value])
}

pub(super) fn choice(value: u8) -> Vec<u8> {
    tlv(10, &[value])
}

pub(super) fn boolean(value: bool) -> Vec<u8> {
    tlv(1, &[if value { 0xff } else { 0 }])
}

fn attribute(name: &str, values: &[&str]) -> Vec<u8> {
    let values: Vec<_> = values.iter().flat_map(|value| octets(value)).collect();
    sequence(&[octets(name), tlv(0x31, &values)])
}

pub(super) fn message(id: u8, tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    sequence(&[number(id), tlv(tag, &parts.concat())])
}

pub(super) fn result(id: u8, tag: u8, code: u8) -> Vec<u8> {
    message(id, tag, &[choice(code), octets("dc=x"), octets("so")])
}

pub(super) fn search(id: u8, attributes: &[&str]) -> Vec<u8> {
    let attributes: Vec<_> = attributes.iter().map(|name| octets(name)).collect();
    let filter = tlv(0x87, b"objectClass");
    let parts = [
        octets("dc=x"),
        choice(2),
        choice(0),
        number(9),
        number(0),
        boolean(false),
        filter,
        sequence(&attributes),
    ];
    message(id, 0x63, &parts)
}

pub(super) fn entry(id: u8, name: &str) -> Vec<u8> {
    message(id, 0x64, &[octets(name), sequence(&[attribute("cn", &["a", "b"]), attribute("mail", &[])])])
}

pub(super) fn bind(id: u8, authentication: Vec<u8>) -> Vec<u8> {
    message(id, 0x60, &[number(3), octets("cn=me"), authentication])
}

fn unbind(id: u8) -> Vec<u8> {
    message(id, 0x42, &[])
}

pub(super) fn start_tls(id: u8) -> Vec<u8> {
    message(id, 0x77, &[tlv(0x80, START_TLS)])
}

fn eve(pieces: &[(Direction, Vec<u8>)]) -> Option<Value> {
    let conversation = Conversation::of(&LDAP, &NoOptions, pieces);
    conversation.eve(*conversation.ids().first()?, &NoOptions)
}

/// Returns the record of a result.
fn said(code: &str) -> Value {
    json!({"result_code": code, "matched_dn": "dc=x", "message": "so"})
}

#[test]
fn records() {
    let control = sequence(&[octets("1.2.3"), boolean(true), tlv(4, &[0xab])]);
    let with_control = sequence(&[number(1), tlv(0x42, b""), tlv(0xa0, &control)]);
    let change = sequence(&[choice(2), attribute("mail", &["x"])]);
    let sasl = tlv(0xa3, &[octets("GSSAPI"), tlv(4, &[1, 0xff])].concat());
    let cases: Vec<(Said, Value)> = vec![
        (
            vec![(UP, bind(1, tlv(0x80, b"secret"))), (DOWN, result(1, 0x61, 49))],
            json!({"request": {"message_id": 1, "operation": "bind_request",
                    "bind_request": {"version": 3, "name": "cn=me"}},
                "responses": [{"operation": "bind_response", "bind_response": said("invalid_credentials")}]}),
        ),
        (
            vec![
                (UP, bind(1, sasl)),
                (DOWN, message(1, 0x61, &[choice(14), octets(""), octets(""), tlv(0x87, &[2])])),
            ],
            json!({"request": {"message_id": 1, "operation": "bind_request", "bind_request": {"version": 3,
                    "name": "cn=me", "sasl": {"mechanism": "GSSAPI", "credentials": "01ff"}}},
                "responses": [{"operation": "bind_response", "bind_response": {"result_code":
                    "sasl_bind_in_progress", "matched_dn": "", "message": "", "server_sasl_creds": "02"}}]}),
        ),
        (
            vec![(UP, with_control)],
            json!({"request": {"message_id": 1, "operation": "unbind_request", "controls":
                [{"control_type": "1.2.3", "criticality": true, "control_value": "ab"}]}}),
        ),
        (
            vec![(UP, search(2, &["cn"])), (DOWN, entry(2, "cn=a")), (DOWN, result(2, 0x65, 0))],
            json!({"request": {"message_id": 2, "operation": "search_request", "search_request":
                    {"base_object": "dc=x", "scope": 2, "deref_alias": 0, "size_limit": 9, "time_limit": 0,
                    "types_only": false, "filter": {"type": "present", "value": "objectClass"},
                    "attributes": ["cn"]}},
                "responses": [{"operation": "search_result_entry", "search_result_entry": {"base_object": "cn=a",
                    "attributes": [{"type": "cn", "values": ["a", "b"]}, {"type": "mail"}]}},
                    {"operation": "search_result_done", "search_result_done": said("success")}]}),
        ),
        (
            vec![
                (UP, message(1, 0x68, &[octets("cn=a"), sequence(&[attribute("cn", &["a"])])])),
                (DOWN, result(1, 0x69, 68)),
            ],
            json!({"request": {"message_id": 1, "operation": "add_request", "add_request": {"entry": "cn=a",
                    "attributes": [{"name": "cn", "values": ["a"]}]}},
                "responses": [{"operation": "add_response", "add_response": said("entry_already_exists")}]}),
        ),
        (
            vec![(UP, message(1, 0x66, &[octets("cn=a"), sequence(&[change])])), (DOWN, result(1, 0x67, 9))],
            json!({"request": {"message_id": 1, "operation": "modify_request", "modify_request": {"object": "cn=a",
                    "changes": [{"operation": "replace", "modification": {"attribute_type": "mail",
                    "attribute_values": ["x"]}}]}},
                "responses": [{"operation": "modify_response", "modify_response": said("9")}]}),
        ),
        (
            vec![(UP, sequence(&[number(1), tlv(0x4a, b"cn=a")])), (DOWN, result(1, 0x6b, 32))],
            json!({"request": {"message_id": 1, "operation": "del_request", "del_request": {"dn": "cn=a"}},
                "responses": [{"operation": "del_response", "del_response": said("no_such_object")}]}),
        ),
        (
            vec![
                (UP, message(1, 0x6c, &[octets("cn=a"), octets("cn=b"), boolean(true), tlv(0x80, b"dc=y")])),
                (DOWN, result(1, 0x6d, 0)),
            ],
            json!({"request": {"message_id": 1, "operation": "mod_dn_request", "mod_dn_request": {"entry": "cn=a",
                    "new_rdn": "cn=b", "delete_old_rdn": true, "new_superior": "dc=y"}},
                "responses": [{"operation": "mod_dn_response", "mod_dn_response": said("success")}]}),
        ),
        (
            vec![
                (UP, message(1, 0x6e, &[octets("cn=a"), sequence(&[octets("mail"), octets("x")])])),
                (DOWN, result(1, 0x6f, 6)),
            ],
            json!({"request": {"message_id": 1, "operation": "compare_request", "compare_request": {"entry": "cn=a",
                    "attribute_value_assertion": {"description": "mail", "value": "x"}}},
                "responses": [{"operation": "compare_response", "compare_response": said("compare_true")}]}),
        ),
        (
            vec![(UP, sequence(&[number(2), tlv(0x50, &[1])]))],
            json!({"request": {"message_id": 2, "operation": "abandon_request",
                "abandon_request": {"message_id": 1}}}),
        ),
        (
            vec![
                (UP, message(1, 0x77, &[tlv(0x80, b"1.2"), tlv(0x81, b"v")])),
                (DOWN, message(1, 0x79, &[tlv(0x80, b"1.3"), tlv(0x81, b"w")])),
                (DOWN, message(1, 0x73, &[octets("ldap://x/")])),
                (
                    DOWN,
                    message(
                        1,
                        0x78,
                        &[choice(0), octets(""), octets(""), tlv(0x8a, b"1.2"), tlv(0x8b, b"x")],
                    ),
                ),
            ],
            json!({"request": {"message_id": 1, "operation": "extended_request",
                    "extended_request": {"name": "1.2", "value": "v"}},
                "responses": [{"operation": "intermediate_response",
                    "intermediate_response": {"name": "1.3", "value": "w"}},
                    {"operation": "search_result_reference"},
                    {"operation": "extended_response", "extended_response": {"result_code": "success",
                    "matched_dn": "", "message": "", "name": "1.2", "value": "x"}}]}),
        ),
        (
            vec![(DOWN, result(0, 0x78, 52))],
            json!({"responses": [{"message_id": 0, "operation": "extended_response",
                "extended_response": said("unavailable")}]}),
        ),
    ];
    for (pieces, expected) in cases {
        assert_eq!(eve(&pieces), Some(expected));
    }
}

#[test]
fn what_rules_look_at() {
    let pieces = [
        (UP, search(2, &["cn", "mail"])),
        (DOWN, entry(2, "cn=a")),
        (DOWN, message(2, 0x73, &[octets("ldap://x/")])),
        (DOWN, entry(2, "cn=b")),
        (DOWN, result(2, 0x65, 4)),
    ];
    let conversation = Conversation::of(&LDAP, &NoOptions, &pieces);
    let cases: &[(&str, Direction, &[&str])] = &[
        ("ldap.request.operation", UP, &["3"]),
        ("ldap.request.dn", UP, &["dc=x"]),
        ("ldap.request.attribute_type", UP, &["cn", "mail"]),
        ("ldap.responses.operation", DOWN, &["4", "19", "4", "5"]),
        ("ldap.responses.count", DOWN, &["4"]),
        ("ldap.responses.dn", DOWN, &["cn=a", "", "cn=b", "dc=x"]),
        ("ldap.responses.message", DOWN, &["", "", "", "so"]),
        ("ldap.responses.result_code", DOWN, &["4"]),
        ("ldap.responses.attribute_type", DOWN, &["cn", "mail", "cn", "mail"]),
    ];
    for (name, direction, expected) in cases {
        assert_eq!(conversation.values(0, name, *direction), *expected, "{name}");
    }
}

/// Of each transaction: the request's operation, those of the answers, whether it is over, and what is odd.
fn told(conversation: &Conversation) -> Vec<String> {
    let told = conversation.ids().into_iter().map(|id| {
        let tx: &LdapTransaction = conversation.tx(id);
        let request = tx.request.as_ref().map(|(message, _)| message.operation.to_string());
        let answers: Vec<_> =
            tx.responses.iter().map(|answer| answer.message.operation.to_string()).collect();
        let waits = if conversation.is_complete(id) { "" } else { " …" };
        let odd = conversation.anomalies(id).join(" ");
        format!("{}>{}{waits} {odd}", request.unwrap_or_default(), answers.join(",")).trim_end().to_owned()
    });
    told.collect()
}

#[test]
fn answers_find_what_they_answer() {
    type Case<'a> = (&'a str, Said, &'a [&'a str]);
    let cases: Vec<Case<'_>> = vec![
        (
            "two at once, answered the other way round",
            vec![
                (UP, [search(1, &[]), search(2, &[])].concat()),
                (DOWN, [result(2, 0x65, 0), entry(1, "a")].concat()),
            ],
            &["3>4 …", "3>5"],
        ),
        ("no request", vec![(DOWN, entry(1, "a"))], &[">4 request_not_found"]),
        ("a notice", vec![(DOWN, result(0, 0x78, 52))], &[">24"]),
        ("no answer", vec![(UP, unbind(1)), (UP, sequence(&[number(2), tlv(0x50, &[1])]))], &["2>", "16>"]),
    ];
    for (what, pieces, expected) in cases {
        assert_eq!(told(&Conversation::of(&LDAP, &NoOptions, &pieces)), expected, "{what}");
    }
}

#[test]
fn datagrams_are_told_of_with_the_servers_next_one() {
    let answer = || [entry(2, "a"), result(2, 0x65, 0)].concat();
    type Case<'a> = (&'a str, Vec<(Direction, Vec<u8>)>, &'a [bool]);
    let cases: [Case<'_>; 4] = [
        ("in one datagram", vec![(UP, search(2, &[])), (DOWN, answer())], &[false]),
        ("in two", vec![(UP, search(2, &[])), (DOWN, entry(2, "a")), (DOWN, result(2, 0x65, 0))], &[true]),
        (
            "asked and answered twice",
            vec![(UP, search(2, &[])), (UP, search(2, &[])), (DOWN, answer()), (DOWN, answer())],
            &[false, true],
        ),
        (
            "one after the other",
            vec![(UP, search(2, &[])), (DOWN, answer()), (UP, search(3, &[])), (DOWN, result(3, 0x65, 0))],
            &[false, false],
        ),
    ];
    for (name, datagrams, expected) in cases {
        for (transport, expected) in
            [(Transport::Udp, expected.to_vec()), (Transport::Tcp, vec![false; expected.len()])]
        {
            let mut conversation = Conversation::over(transport, &LDAP, &NoOptions);
            conversation.talk(&datagrams);
            let silent = (0..expected.len() as u64).map(|id| {
                assert!(conversation.is_complete(id), "{name}");
                conversation.transaction(id).meta().silent
            });
            assert_eq!(silent.collect::<Vec<_>>(), expected, "{name}");
        }
    }
}

#[test]
fn rules_look_at_the_stream_after_each_message() {
    for (transport, expected) in [(Transport::Tcp, vec![UP, UP]), (Transport::Udp, vec![])] {
        let mut conversation = Conversation::over(transport, &LDAP, &NoOptions);
        conversation.push(UP, &bind(1, tlv(0x80, b"x")));
        conversation.push(UP, &unbind(2));
        assert_eq!(conversation.inspected(), expected);
    }
}

#[test]
fn what_makes_no_sense() {
    let not_utf8 =
        bind(1, tlv(0x80, b"")).iter().map(|&byte| if byte == b'c' { 0xff } else { byte }).collect();
    type Case<'a> = (Transport, Direction, Vec<u8>, Outcome, &'a [&'a str]);
    let cases: Vec<Case<'_>> = vec![
        (Transport::Tcp, DOWN, b"x".to_vec(), Outcome::Error, &["2> invalid_data"]),
        (Transport::Tcp, UP, b"x".to_vec(), Outcome::Error, &["2> invalid_data"]),
        (Transport::Tcp, UP, not_utf8, Outcome::Error, &["2> invalid_data"]),
        (Transport::Udp, UP, b"x".to_vec(), Outcome::Refused, &["2> invalid_data"]),
        (Transport::Udp, DOWN, b"\x30\x05\x02".to_vec(), Outcome::Refused, &["2> incomplete_data"]),
        (Transport::Udp, UP, [unbind(1), b"x".to_vec()].concat(), Outcome::Ok, &["2>", "2>"]),
        (Transport::Tcp, DOWN, b"\x30\x83\xff\xff\xff".to_vec(), Outcome::Ok, &["2> incomplete_data"]),
    ];
    for (transport, direction, bytes, outcome, expected) in cases {
        let mut conversation = Conversation::over(transport, &LDAP, &NoOptions);
        conversation.push(UP, &unbind(9));
        assert_eq!(conversation.push(direction, &bytes), outcome, "{bytes:02x?}");
        assert_eq!(told(&conversation), expected, "{bytes:02x?}");
    }
}

#[test]
fn long_messages_are_passed_over() {
    let length = MAX_MESSAGE as u32;
    let mut conversation = Conversation::new(&LDAP, &NoOptions);
    let long = [&[0x30, 0x84][..], &length.to_be_bytes(), &vec![0; MAX_MESSAGE]].concat();
    conversation.talk(&[(UP, long), (UP, unbind(1))]);
    assert_eq!(told(&conversation), ["2>"]);
}

#[test]
fn gaps() {
    let cases: Vec<(Vec<u8>, Outcome, usize)> = vec![
        (unbind(2), Outcome::Ok, 2),
        (unbind(2)[..3].to_vec(), Outcome::Error, 1),
        (b"rest".to_vec(), Outcome::Error, 1),
    ];
    for (bytes, outcome, count) in cases {
        let mut conversation = Conversation::of(&LDAP, &NoOptions, &[(UP, unbind(1))]);
        assert_eq!(conversation.gap(UP, 100), Outcome::Ok);
        assert_eq!(conversation.push(UP, &bytes), outcome);
        assert_eq!(conversation.ids().len(), count);
    }
}

#[test]
fn too_much_waits() {
    let mut conversation = Conversation::new(&LDAP, &Settings(&[("max-tx", "1")]));
    conversation.talk(&[(UP, search(1, &[])), (UP, search(2, &[])), (UP, search(3, &[]))]);
    assert_eq!(told(&conversation), ["3> too_many_transactions", "3> …", "3> …"]);
    let mut conversation = Conversation::new(&LDAP, &Settings(&[("max-tx", "many"), ("may-complain", "")]));
    conversation.push(UP, &search(1, &[]));
    conversation.push(DOWN, &entry(1, "a").repeat(MAX_RESPONSES + 1));
    assert_eq!(conversation.tx::<LdapTransaction>(0).responses.len(), MAX_RESPONSES);
    assert_eq!(conversation.anomalies(0), ["too_many_responses"]);
    for (answers, told) in [(3, vec![]), (4, vec!["too_many_responses"])] {
        let mut conversation = Conversation::new(&LDAP, &Settings(&[("max-responses", "3")]));
        conversation.push(UP, &search(1, &[]));
        conversation.push(DOWN, &entry(1, "a").repeat(answers));
        assert_eq!(conversation.anomalies(0), told, "{answers}");
    }
    // Small answers take more than their bytes.
    let mut conversation = Conversation::new(&LDAP, &NoOptions);
    for id in 1..=10 {
        conversation.push(UP, &search(id, &[]));
        conversation.push(DOWN, &entry(id, "a").repeat(MAX_RESPONSES));
    }
    assert_eq!(conversation.anomalies(0), ["too_many_responses", "too_many_transactions"]);
}

#[test]
fn tls_follows_where_the_server_agrees() {
    for (code, expected) in [(0, true), (52, false)] {
        let pieces = [(UP, start_tls(1)), (DOWN, result(1, 0x78, code))];
        let mut conversation = Conversation::of(&LDAP, &NoOptions, &pieces);
        assert!(conversation.wishes().is_empty(), "nothing of it is there yet");
        conversation.push(UP, b"\x16\x03\x01");
        let wished = matches!(conversation.wishes()[..], [Request::Upgrade(Some("tls"))]);
        assert_eq!(wished, expected, "{code}");
    }
}

/// Returns the rows of Zeek's logs for a conversation, and its services.
fn rows(transport: Transport, pieces: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let mut conversation = Conversation::over(transport, &LDAP, &NoOptions);
    conversation.as_zeek = true;
    conversation.talk(pieces);
    conversation.zeek().lines.clone()
}

/// Messages inside of a token of Kerberos.
fn wrapped(messages: &[u8]) -> Vec<u8> {
    let length = messages.len() as u32 + 16;
    [&length.to_be_bytes()[..], b"\x05\x04\0\xff\0\0\0\0", &[0; 8], messages].concat()
}

#[test]
fn what_is_wrapped_has_no_record() {
    let mut conversation = Conversation::new(&LDAP, &NoOptions);
    conversation.as_zeek = true;
    conversation.talk(&[
        (UP, bind(1, tlv(0xa3, &octets("GSSAPI")))),
        (DOWN, result(1, 0x61, 0)),
        (UP, wrapped(&search(2, &[]))),
        (DOWN, wrapped(&result(3, 0x65, 0))),
    ]);
    let silent = |id| conversation.transaction(id).meta().silent;
    assert_eq!(conversation.ids().into_iter().map(silent).collect::<Vec<_>>(), [false, true, true]);
    assert!(conversation.anomalies(2).is_empty());
}

#[test]
fn logs_of_zeek() {
    let gssapi = tlv(0xa3, &octets("GSSAPI"));
    let cases: Vec<(Transport, Said, &[&str])> = vec![
        (
            Transport::Tcp,
            vec![(UP, bind(1, tlv(0x80, b"secret"))), (DOWN, result(1, 0x61, 49)), (UP, unbind(2))],
            &[
                "service ldap_tcp",
                "ldap 1: message_id=1 version=3 opcode=bind simple result=invalid credentials diagnostic_message=so \
                 object=cn=me argument=REDACTED",
                "ldap 3: message_id=2 opcode=unbind",
            ],
        ),
        (
            Transport::Udp,
            vec![(UP, search(2, &[])), (DOWN, [entry(2, "a"), entry(2, "b"), result(2, 0x65, 0)].concat())],
            &[
                "service ldap_udp",
                "ldap_search 1: message_id=2 scope=tree deref_aliases=never base_object=dc=x result_count=2 \
                 result=success diagnostic_message=so filter=(objectClass=*)",
            ],
        ),
        (
            Transport::Tcp,
            vec![(UP, start_tls(1)), (UP, search(3, &[])), (DOWN, result(4, 0x61, 0))],
            &[
                "service ldap_tcp",
                "weird LDAP_bind_without_opcode: 4: bind",
                "ldap 3: message_id=4 opcode=bind result=success diagnostic_message=so",
                "ldap 1: message_id=1 opcode=extended object=1.3.6.1.4.1.1466.20037 (StartTLS)",
                "ldap_search 2: message_id=3 scope=tree deref_aliases=never base_object=dc=x result_count=0 \
                 filter=(objectClass=*)",
            ],
        ),
        (
            Transport::Tcp,
            vec![
                (UP, bind(1, gssapi)),
                (DOWN, result(1, 0x61, 0)),
                (UP, wrapped(&unbind(2))),
                (UP, b"\0\0\0\x03???".to_vec()),
            ],
            &[
                "service ldap_tcp",
                "ldap 1: message_id=1 version=3 opcode=bind SASL result=success diagnostic_message=so object=cn=me \
                 argument=GSSAPI",
                "ldap 3: message_id=2 opcode=unbind",
            ],
        ),
    ];
    for (transport, pieces, expected) in cases {
        assert_eq!(rows(transport, &pieces), expected);
    }
}

#[test]
fn rows_that_wait_are_few() {
    let most = super::zeek::MAX_PENDING as u32;
    for (count, ended) in [(most, false), (most + 1, true)] {
        let searches: Vec<_> = (1..=count).map(|id| (UP, search(id as u8, &[]))).collect();
        let binds: Vec<_> = (1..=count).map(|id| (UP, bind(id as u8, tlv(0x80, b"x")))).collect();
        for (pieces, weird, log) in [(searches, "searches", "ldap_search "), (binds, "messages", "ldap ")] {
            let lines = rows(Transport::Tcp, &pieces);
            let weird = format!("weird LDAP_max_pending_{weird}_exceeded");
            let position = lines.iter().position(|line| line.starts_with(&weird));
            assert_eq!(position.is_some(), ended, "{lines:?}");
            let behind = |at| lines.iter().skip(at).take(1 + most as usize);
            let written = position.map(|at| behind(at).filter(|line| line.starts_with(log)).count());
            assert_eq!(written, ended.then_some(most as usize), "{lines:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200), tag in 0x40u8..0x80) {
        let mut conversation = Conversation::new(&LDAP, &NoOptions);
        conversation.push(UP, &bytes);
        conversation.push(DOWN, &sequence(&[number(1), tlv(tag, &bytes)]));
    }
}

#[test]
fn any_pieces() {
    let said = [
        (UP, [bind(1, tlv(0x80, b"x")), search(2, &["cn"])].concat()),
        (DOWN, [result(1, 0x61, 0), entry(2, "a"), result(2, 0x65, 0)].concat()),
    ];
    same_in_any_pieces(|| Conversation::new(&LDAP, &NoOptions), &said);
}
