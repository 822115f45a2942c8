//! Associations and datagrams, from bytes to records.

use weir_applayer::{NoOptions, Outcome, Transport};
use weir_base::Direction;
use weir_base::Direction::{ToClient, ToServer};

use super::context::MAX_SAME;
use super::pdu::{flag, kind};
use super::transaction::DceRpcTransaction;
use super::*;
use crate::gssapi::ntlmssp::tests::{authenticate, challenge};
use crate::gssapi::token::KERBEROS;
use crate::gssapi::token::tests::{answer, offer, ticket};
use crate::testing::{Conversation, Settings as Texts, same_in_any_pieces};

const ONLY: u8 = flag::FIRST | flag::LAST;

/// The interface of services, and its identifier as sent.
const SVCCTL: [u8; 16] = *b"\x81\xbb\x7a\x36\x44\x98\xf1\x35\xad\x32\x98\xf0\x38\x00\x10\x03";

fn message(kind: u8, flags: u8, call: u32, body: &[u8]) -> Vec<u8> {
    let length = (16 + body.len()) as u16;
    let head = [5, 0, kind, flags, 0x10, 0, 0, 0];
    [&head[..], &length.to_le_bytes(), &[0, 0], &call.to_le_bytes(), body].concat()
}

fn bind(kind: u8, flags: u8, call: u32, contexts: &[u16]) -> Vec<u8> {
    let mut body = vec![0xd0, 0x16, 0xd0, 0x16, 0, 0, 0, 0, contexts.len() as u8, 0, 0, 0];
    for context in contexts {
        body.extend(context.to_le_bytes());
        body.extend([1, 0]);
        body.extend(SVCCTL);
        body.extend([2, 0, 0, 0]);
        body.extend([7; 20]);
    }
    message(kind, flags, call, &body)
}

fn bind_ack(kind: u8, call: u32, address: &str, results: &[u8]) -> Vec<u8> {
    let mut body = vec![0; 8];
    body.extend((address.len() as u16 + 1).to_le_bytes());
    body.extend(address.as_bytes());
    body.push(0);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend([results.len() as u8, 0, 0, 0]);
    for result in results {
        body.extend([*result, 0, 0, 0]);
        body.extend([7; 20]);
    }
    message(kind, ONLY, call, &body)
}

fn request(flags: u8, call: u32, context: u16, operation: u16, stub: &[u8]) -> Vec<u8> {
    let body = [&[0; 4][..], &context.to_le_bytes(), &operation.to_le_bytes(), stub].concat();
    message(kind::REQUEST, flags, call, &body)
}

fn response(flags: u8, call: u32, context: u16, stub: &[u8]) -> Vec<u8> {
    let body = [&[0; 4][..], &context.to_le_bytes(), &[0, 0], stub].concat();
    message(kind::RESPONSE, flags, call, &body)
}

fn open() -> Conversation {
    Conversation::new(&DCERPC, &NoOptions)
}

type Piece = (Direction, Vec<u8>);

fn bound() -> Vec<Piece> {
    vec![
        (ToServer, bind(kind::BIND, ONLY, 1, &[0, 1])),
        (ToClient, bind_ack(kind::BIND_ACK, 1, "\\PIPE\\ntsvcs", &[0, 2])),
    ]
}

#[test]
fn a_call_and_its_answer() {
    let mut pieces = bound();
    pieces.push((ToServer, request(ONLY, 2, 0, 15, b"open")));
    pieces.push((ToClient, response(ONLY, 2, 0, b"handle")));
    let mut talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0, 1]);
    assert!(talk.is_complete(0) && talk.is_complete(1));
    let uuid = "367abb81-9844-35f1-ad32-98f038001003";
    assert_eq!(
        talk.record(0, &NoOptions).unwrap(),
        format!(
            "{{\"dcerpc\":{{\"request\":\"BIND\",\"interfaces\":[\
             {{\"uuid\":\"{uuid}\",\"version\":\"2.0\",\"ack_result\":0}},\
             {{\"uuid\":\"{uuid}\",\"version\":\"2.0\",\"ack_result\":2}}],\
             \"response\":\"BINDACK\",\"call_id\":1,\"rpc_version\":\"5.0\"}}}}"
        )
    );
    assert_eq!(
        talk.record(1, &NoOptions).unwrap(),
        format!(
            "{{\"dcerpc\":{{\"request\":\"REQUEST\",\"req\":{{\"opnum\":15,\"frag_cnt\":1,\"stub_data_size\":4}},\
             \"interfaces\":[{{\"uuid\":\"{uuid}\",\"version\":\"2.0\",\"ack_result\":0}}],\
             \"response\":\"RESPONSE\",\"res\":{{\"frag_cnt\":1,\"stub_data_size\":14}},\
             \"call_id\":2,\"rpc_version\":\"5.0\"}}}}"
        )
    );
    assert_eq!(talk.values(1, "dcerpc.stub_data", ToServer), ["open"]);
    assert_eq!(
        talk.zeek().of("dce_rpc"),
        ["3: rtt=1 named_pipe=\\PIPE\\ntsvcs endpoint=svcctl operation=OpenSCManagerW"]
    );
    assert_eq!(talk.zeek().of("service"), ["dce_rpc"]);
}

/// A message that says or proves who sends it: a kind of proof, and a token.
fn proving(mut message: Vec<u8>, kind: u8, token: &[u8]) -> Vec<u8> {
    message.extend([&[kind, 6, 0, 0, 0, 0, 0, 0][..], token].concat());
    let length = (message.len() as u16).to_le_bytes();
    message[8..10].copy_from_slice(&length);
    message[10..12].copy_from_slice(&(token.len() as u16).to_le_bytes());
    message
}

#[test]
fn zeek_of_who_is_who() {
    let bind = || bind(kind::BIND, ONLY, 1, &[0]);
    let accepted = || bind_ack(kind::BIND_ACK, 1, "135", &[0]);
    let third = |proof: u8, token: &[u8]| proving(message(kind::AUTH3, ONLY, 1, &[0; 4]), proof, token);
    let call = || request(ONLY, 2, 0, 15, b"");
    let server = challenge(&[(1, "SERVER"), (3, "server.example")]);
    let client = authenticate("DOMAIN", "user", "HOST");
    type Case<'a> = (Vec<Piece>, &'a [&'a str]);
    let cases: [Case<'_>; 4] = [
        (
            vec![
                (ToServer, proving(bind(), 10, b"NTLMSSP\0\x01\0\0\0")),
                (ToClient, proving(accepted(), 10, &server)),
                (ToServer, third(10, &client)),
                (ToServer, proving(call(), 10, b"verifies")),
            ],
            &["ntlm 1: username=user hostname=HOST domainname=DOMAIN server_nb_computer_name=SERVER \
               server_dns_computer_name=server.example"],
        ),
        (
            vec![
                (ToServer, proving(bind(), 9, &offer(b"\x2b\x06", b"NTLMSSP\0\x01\0\0\0"))),
                (ToClient, proving(accepted(), 9, &answer(2, &server))),
            ],
            &["ntlm 1: server_nb_computer_name=SERVER server_dns_computer_name=server.example success=F"],
        ),
        (vec![(ToServer, proving(bind(), 9, &offer(KERBEROS, &ticket())))], &["kerberos 1:"]),
        (vec![(ToServer, proving(bind(), 16, b"ticket"))], &["weird unknown_dce_rpc_auth_type: 16"]),
    ];
    for (pieces, expected) in cases {
        let mut talk = Conversation::of(&DCERPC, &NoOptions, &pieces);
        talk.close();
        let rows = talk.zeek();
        let told = |line: &&String| !line.starts_with("service ");
        assert_eq!(rows.lines.iter().filter(told).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn requests_without_data_are_known_by_their_response() {
    let mut talk = open();
    talk.talk(&bound());
    talk.talk(&[(ToServer, request(ONLY, 2, 0, 5, b""))]);
    assert_eq!(talk.record(1, &NoOptions), None);
    talk.talk(&[(ToClient, response(ONLY, 2, 0, b"handle"))]);
    assert_eq!(
        talk.record(1, &NoOptions).unwrap(),
        "{\"dcerpc\":{\"request\":\"REQUEST_LOST\",\
         \"response\":\"RESPONSE\",\"res\":{\"frag_cnt\":1,\"stub_data_size\":14},\
         \"call_id\":2,\"rpc_version\":\"5.0\"}}"
    );
}

#[test]
fn fragments_are_put_together() {
    let mut pieces = bound();
    pieces.push((ToServer, request(flag::FIRST, 2, 0, 15, b"one ")));
    pieces.push((ToServer, request(0, 2, 0, 15, b"two ")));
    let mut talk = same_in_any_pieces(open, &pieces);
    assert!(talk.tx::<DceRpcTransaction>(1).exchange.is_call() && talk.progress(1).0.0 == 0);
    talk.talk(&[(ToServer, request(flag::LAST, 2, 0, 15, b"three"))]);
    assert_eq!(talk.values(1, "dcerpc.stub_data", ToServer), ["one two three"]);
    assert_eq!(talk.ids(), [0, 1]);
    assert_eq!(talk.eve(1, &NoOptions).unwrap()["req"]["frag_cnt"], 3);
}

#[test]
fn zeek_reads_no_further_where_fragments_are_many() {
    for (fragments, expected) in [(29, 2), (30, 1)] {
        let mut pieces = bound();
        pieces.push((ToServer, request(ONLY, 2, 0, 15, b"")));
        pieces.push((ToClient, response(ONLY, 2, 0, b"")));
        pieces.push((ToServer, request(flag::FIRST, 3, 0, 15, &[7; 992])));
        pieces.extend((1..fragments).map(|_| (ToServer, request(0, 3, 0, 15, &[7; 992]))));
        pieces.push((ToServer, request(flag::LAST, 3, 0, 15, &[7; 192])));
        pieces.push((ToClient, response(ONLY, 3, 0, b"")));
        let mut talk = open();
        talk.talk(&pieces);
        let lines = &talk.zeek().lines;
        let rows = lines.iter().filter(|line| line.starts_with("dce_rpc")).count();
        let weird = "weird too_much_dce_rpc_fragment_data".to_owned();
        assert_eq!((rows, lines.contains(&weird)), (expected, expected == 1), "{lines:?}");
    }
}

#[test]
fn zeek_reads_no_further_where_many_messages_wait_for_fragments() {
    let weird = |name: &str| format!("weird {name}");
    let (many, twice) = (
        weird("too_many_dce_rpc_msgs_in_reassembly"),
        weird("multiple_first_fragments_in_dce_rpc_reassembly"),
    );
    let first = |call| (ToServer, request(flag::FIRST, call, 0, 15, b"a"));
    let last = |call| (ToServer, request(flag::LAST, call, 0, 15, b"b"));
    // Messages that begin, calls that come to their end among them, and weirds.
    let cases: [(Vec<_>, &[String]); 5] = [
        ((10..30).map(first).collect(), &[]),
        ((10..31).map(first).collect(), std::slice::from_ref(&many)),
        ((10..50).map(first).collect(), std::slice::from_ref(&many)),
        ((10..50).flat_map(|call| [first(call), last(call)]).collect(), &[]),
        (vec![first(10), first(11), first(10)], std::slice::from_ref(&twice)),
    ];
    for (fragments, expected) in cases {
        let mut pieces = bound();
        pieces.extend(fragments);
        pieces.push((ToServer, request(ONLY, 3, 0, 15, b"")));
        pieces.push((ToClient, response(ONLY, 3, 0, b"")));
        let mut talk = open();
        talk.talk(&pieces);
        let lines = &talk.zeek().lines;
        let weirds: Vec<_> = lines.iter().filter(|line| line.starts_with("weird")).cloned().collect();
        let rows = lines.iter().filter(|line| line.starts_with("dce_rpc")).count();
        assert_eq!((weirds.as_slice(), rows), (expected, usize::from(expected.is_empty())), "{lines:?}");
    }
}

#[test]
fn numbers_of_calls_come_again() {
    let mut pieces = bound();
    for _ in 0..2 {
        pieces.push((ToServer, request(ONLY, 2, 0, 15, b"a")));
        pieces.push((ToClient, response(ONLY, 2, 0, b"b")));
    }
    // Two calls, and the answers the other way round.
    pieces.push((ToServer, request(ONLY, 3, 0, 15, b"")));
    pieces.push((ToServer, request(ONLY, 4, 0, 16, b"")));
    pieces.push((ToClient, response(ONLY, 4, 0, b"")));
    pieces.push((ToClient, response(ONLY, 3, 0, b"")));
    // An answer before the call, and a call that fails.
    pieces.push((ToClient, response(ONLY, 5, 0, b"early")));
    pieces.push((ToServer, request(ONLY, 5, 0, 17, b"late")));
    pieces.push((ToServer, request(ONLY, 6, 0, 17, b"bad")));
    pieces.push((ToClient, message(kind::FAULT, ONLY, 6, &[0; 16])));
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0, 1, 2, 3, 4, 5, 6]);
    for id in talk.ids() {
        assert!(talk.is_complete(id), "{id}");
    }
    let operations: Vec<u16> = (1..7).map(|id| talk.tx::<DceRpcTransaction>(id).exchange.operation).collect();
    assert_eq!(operations, [15, 15, 15, 16, 17, 17]);
    assert_eq!(talk.eve(6, &NoOptions).unwrap()["response"], "FAULT");
}

#[test]
fn what_does_not_make_calls_is_passed_over() {
    let mut pieces = bound();
    for kind in [16, kind::SHUTDOWN, kind::RTS, 18, 19] {
        pieces.push((ToServer, message(kind, ONLY, 1, &[0; 8])));
    }
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0]);
}

/// Reads as Zeek does, who goes on behind a gap.
fn open_as_zeek() -> Conversation {
    let mut talk = open();
    talk.as_zeek = true;
    talk
}

#[test]
fn a_gap_ends_what_records_are_told() {
    for direction in [ToServer, ToClient] {
        let mut talk = open();
        talk.talk(&bound());
        talk.talk(&[(ToServer, request(ONLY, 2, 0, 15, b"on"))]);
        assert_eq!(talk.gap(direction, 100), Outcome::Error);
        assert!(talk.is_complete(1));
    }
}

#[test]
fn messages_after_a_gap() {
    let mut talk = open_as_zeek();
    talk.talk(&bound());
    assert_eq!(talk.gap(ToServer, 100), Outcome::Ok);
    talk.talk(&[
        (ToClient, bind_ack(kind::ALTER_CONTEXT_RESPONSE, 1, "", &[0])),
        (ToServer, [&b"\x05\x01 the end of what is lost"[..], &request(ONLY, 2, 0, 15, b"on")].concat()),
        (ToClient, response(ONLY, 2, 0, b"")),
    ]);
    let lost = talk.eve(1, &NoOptions).unwrap();
    assert_eq!((&lost["request"], &lost["response"]), (&"REQUEST_LOST".into(), &"ALTER_CONTEXT_RESP".into()));
    assert!(talk.is_complete(1) && talk.is_complete(2));
    assert_eq!(talk.values(2, "dcerpc.stub_data", ToServer), ["on"]);
    // Calls whose answers are lost.
    talk.talk(&[(ToServer, request(ONLY, 3, 0, 15, b"on"))]);
    assert_eq!(talk.gap(ToClient, 100), Outcome::Ok);
    talk.talk(&[(ToServer, request(ONLY, 4, 0, 15, b"")), (ToClient, response(ONLY, 4, 0, b""))]);
    assert!(talk.is_complete(3) && talk.is_complete(4));
    assert_eq!(talk.eve(3, &NoOptions).unwrap()["response"], "UNREPLIED");
    assert_eq!(talk.eve(4, &NoOptions).unwrap()["response"], "RESPONSE");
}

#[test]
fn what_makes_no_sense() {
    let cases = [
        b"\x05\0\x00\x03\x10\0\0\0\x0f\0\0\0\x01\0\0\0".to_vec(),
        message(kind::BIND, ONLY, 1, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
        message(kind::BIND_ACK, ONLY, 1, &[0; 8]),
        message(kind::REQUEST, ONLY, 1, &[0; 7]),
        message(kind::RESPONSE, ONLY, 1, &[0; 5]),
    ];
    for bytes in cases {
        let mut talk = open();
        talk.talk(&bound());
        assert_eq!(talk.push(ToServer, &bytes), Outcome::Error, "{bytes:02x?}");
    }
}

#[test]
fn what_only_begins_like_a_message_after_a_gap() {
    let no_header = b"\x05\0\x00\x03\x10\0\0\0\x0f\0\0\0\x01\0\0\0";
    let rest = [&b"of stub \x05\0"[..], no_header, &request(ONLY, 2, 0, 15, b"on")].concat();
    for length in [1, 9, 99] {
        let mut talk = open_as_zeek();
        talk.talk(&bound());
        assert_eq!(talk.gap(ToServer, 100), Outcome::Ok);
        assert_ne!(talk.push_in(ToServer, &rest, length), Outcome::Error);
        assert_eq!(talk.values(1, "dcerpc.stub_data", ToServer), ["on"]);
    }
}

#[test]
fn limits() {
    let settings = Texts(&[("max-tx", "3"), ("max-stub-size", "6")]);
    let mut talk = Conversation::new(&DCERPC, &settings);
    for call in 0..10 {
        talk.talk(&[(ToServer, request(ONLY, call, 0, 1, b"abcdefgh"))]);
    }
    let open: Vec<u64> = talk.ids().into_iter().filter(|id| !talk.is_complete(*id)).collect();
    assert_eq!(
        (open, talk.values(9, "dcerpc.stub_data", ToServer)),
        (vec![6, 7, 8, 9], vec!["abcdef".to_owned()])
    );
}

#[test]
fn several_calls_after_a_gap() {
    let mut talk = open_as_zeek();
    talk.talk(&bound());
    assert_eq!(talk.gap(ToClient, 100), Outcome::Ok);
    talk.talk(&[
        (ToClient, response(ONLY, 2, 0, b"")),
        (ToServer, request(ONLY, 3, 0, 15, b"")),
        (ToServer, request(ONLY, 4, 0, 15, b"")),
        (ToClient, response(ONLY, 4, 0, b"")),
        (ToClient, response(ONLY, 3, 0, b"")),
    ]);
    let responses = [2, 3].map(|id| talk.eve(id, &NoOptions).unwrap()["response"].clone());
    assert_eq!(responses, ["RESPONSE", "RESPONSE"]);
}

fn datagram(kind: u8, flags: u8, sequence: u32, stub: &[u8]) -> Vec<u8> {
    let length = stub.len() as u16;
    let mut bytes = vec![4, kind, flags, 0, 0x10, 0, 0, 0];
    bytes.extend([0; 16]);
    bytes.extend(SVCCTL);
    bytes.extend(*b"\x86\xc2\x37\x67\xf7\x1e\xd1\x11\xbc\xd9\x00\x60\x97\x92\xd2\x6c");
    bytes.extend([0; 4]);
    bytes.extend([2, 0, 0, 0]);
    bytes.extend(sequence.to_le_bytes());
    bytes.extend([15, 0, 0xff, 0xff, 0xff, 0xff]);
    bytes.extend(length.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(stub);
    bytes
}

#[test]
fn calls_in_datagrams() {
    let mut talk = Conversation::over(Transport::Udp, &DCERPC, &NoOptions);
    talk.talk(&[
        (ToServer, datagram(0, 4, 7, b"first ")),
        (ToServer, datagram(0, 6, 7, b"last")),
        (ToServer, datagram(1, 0, 7, b"")),
        (ToClient, datagram(2, 0, 7, b"answer")),
        (ToServer, datagram(0, 0, 8, b"alone")),
    ]);
    assert_eq!(talk.ids(), [0, 1]);
    assert!(talk.is_complete(0) && !talk.is_complete(1));
    assert_eq!(
        talk.record(0, &NoOptions).unwrap(),
        "{\"dcerpc\":{\"request\":\"REQUEST\",\"req\":{\"opnum\":15,\"frag_cnt\":2,\"stub_data_size\":10},\
         \"response\":\"RESPONSE\",\"res\":{\"frag_cnt\":1,\"stub_data_size\":6},\
         \"activityuuid\":\"6737c286-1ef7-11d1-bcd9-00609792d26c\",\"seqnum\":7,\"rpc_version\":\"4.0\"}}"
    );
    assert_eq!(talk.values(0, "dcerpc.stub_data", ToServer), ["first last"]);
    assert!(talk.zeek().lines.is_empty());
    let mut short = datagram(0, 0, 9, b"short");
    short.pop();
    assert_eq!(talk.push(ToServer, &short), Outcome::Refused);
    assert_eq!(talk.push(ToServer, &datagram(0, 0, 10, b"right")), Outcome::Ok);
    assert_eq!(talk.ids(), [0, 1, 2]);
}

#[test]
fn calls_keep_few_contexts() {
    let mut talk = open();
    let all = [0; 255];
    for call in 1..3 {
        talk.talk(&[(ToServer, bind(kind::BIND, ONLY, call, &all))]);
    }
    // One more is offered by a call whose number was there, and the number of the context, too.
    talk.talk(&[
        (ToServer, bind(kind::ALTER_CONTEXT, ONLY, 2, &[0])),
        (ToServer, request(ONLY, 3, 0, 15, b"")),
        (ToClient, response(ONLY, 3, 0, b"")),
    ]);
    let kept = |id| talk.tx::<DceRpcTransaction>(id).exchange.contexts.len();
    assert_eq!([0, 1, 2, 3].map(kept), [MAX_SAME, MAX_SAME, 1, MAX_SAME]);
}
