//! Calls of DCE/RPC in pipes.

use serde_json::json;
use weir_base::Direction;

use super::*;

const SVCCTL: &[u8; 16] = b"\x81\xbb\x7a\x36\x44\x98\xf1\x35\xad\x32\x98\xf0\x38\x00\x10\x03";
const TRANSCEIVE: u32 = 0x0011_c017;

fn message(kind: u8, flags: u8, call: u8, body: &[u8]) -> Vec<u8> {
    let length = (16 + body.len()) as u16;
    let head = [5, 0, kind, flags, 0x10, 0, 0, 0];
    [&head[..], &length.to_le_bytes(), &[0, 0, call, 0, 0, 0], body].concat()
}

fn bind() -> Vec<u8> {
    let offer = [&[0; 8][..], b"\x01\0\0\0", b"\0\0\x01\0", SVCCTL, b"\x02\0\0\0", &[7; 20]].concat();
    message(11, 3, 1, &offer)
}

fn bound() -> Vec<u8> {
    let address = b"\x0d\0\\PIPE\\ntsvcs\0";
    let mut body = [&[0; 8][..], address].concat();
    body.resize(body.len().next_multiple_of(4), 0);
    message(12, 3, 1, &[&body[..], b"\x01\0\0\0", &[0; 24]].concat())
}

fn call(flags: u8, stub: &[u8]) -> Vec<u8> {
    message(0, flags, 2, &[b"\0\0\0\0\0\0\x0f\0", stub].concat())
}

fn answer(stub: &[u8]) -> Vec<u8> {
    message(2, 3, 2, &[b"\0\0\0\0\0\0\0\0", stub].concat())
}

fn pipe(name: &str) -> Vec<(Direction, Vec<u8>)> {
    vec![
        (UP, two(3, 0, (9, 0, 1), &connect("\\\\h\\IPC$"))),
        (DOWN, two_answer(3, 0, (9, 4, 1), &connected(2))),
        (UP, two(5, 0, (9, 4, 2), &create(name, 1, 0))),
        (DOWN, two_answer(5, 0, (9, 4, 2), &created(7, 0))),
        (UP, two(9, 0, (9, 4, 3), &write(7, 0, &bind()))),
        (DOWN, two_answer(9, 0, (9, 4, 3), &[17, 0, 0, 0, 0, 0, 0, 0])),
        (UP, two(8, 0, (9, 4, 4), &read(7, 0, 1024))),
        (DOWN, two_answer(8, 0, (9, 4, 4), &read_answer(&bound()))),
    ]
}

/// A call, answered.
pub(super) fn calls() -> Vec<(Direction, Vec<u8>)> {
    let mut pieces = pipe("svcctl");
    pieces.push((UP, two(11, 0, (9, 4, 5), &ioctl(TRANSCEIVE, 7, &call(3, b"open")))));
    pieces.push((DOWN, two_answer(11, 0, (9, 4, 5), &ioctl_answer(TRANSCEIVE, 7, &answer(b"handle")))));
    pieces
}

const INTERFACE: &str = "367abb81-9844-35f1-ad32-98f038001003";

#[test]
fn calls_by_a_function_and_by_writes() {
    for name in ["svcctl", "\\svcctl", "other"] {
        let mut pieces = pipe(name);
        pieces.push((UP, two(11, 0, (9, 4, 5), &ioctl(TRANSCEIVE, 7, &call(3, b"open")))));
        pieces.push((DOWN, two_answer(11, 0, (9, 4, 5), &ioctl_answer(TRANSCEIVE, 7, &answer(b"handle")))));
        let mut talk = same_in_any_pieces(open, &pieces);
        assert_eq!(talk.ids(), [0, 1, 2, 3], "{name}");
        assert_eq!(
            talk.zeek().of("dce_rpc"),
            ["9: rtt=1 named_pipe=\\PIPE\\ntsvcs endpoint=svcctl operation=OpenSCManagerW"]
        );
        assert!(talk.is_complete(2) && talk.is_complete(3));
        assert_eq!(
            talk.eve(2, &NoOptions).unwrap()["dcerpc"],
            json!({"request": "BIND", "response": "BINDACK", "call_id": 1,
                "interfaces": [{"uuid": INTERFACE, "version": "2.0", "ack_result": 0, "ack_reason": 0}]})
        );
        let record = talk.eve(3, &NoOptions).unwrap();
        assert_eq!(
            (&record["command"], &record["status"]),
            (&json!("SMB2_COMMAND_IOCTL"), &json!("STATUS_SUCCESS"))
        );
        assert_eq!(
            record["dcerpc"],
            json!({"request": "REQUEST", "response": "RESPONSE", "opnum": 15,
                "req": {"frag_cnt": 1, "stub_data_size": 4}, "interfaces": [{"uuid": INTERFACE, "version": "2.0"}],
                "res": {"frag_cnt": 1, "stub_data_size": 6}, "call_id": 2})
        );
        assert_eq!(talk.values(3, "dcerpc.stub_data", UP), ["open"]);
        assert_eq!(talk.values(3, "dcerpc.stub_data", DOWN), ["handle"]);
    }
}

#[test]
fn a_call_in_pieces() {
    let mut pieces = pipe("svcctl");
    let (first, rest) = (call(1, b"one "), call(2, b"two"));
    pieces.push((UP, two(9, 0, (9, 4, 5), &write(7, 0, &first[..20]))));
    pieces.push((UP, two(9, 0, (9, 4, 6), &write(7, 0, &[&first[20..], &rest[..]].concat()))));
    let whole = answer(b"handle");
    pieces.push((UP, two(8, 0, (9, 4, 7), &read(7, 0, 20))));
    pieces.push((DOWN, two_answer(8, 0x8000_0005, (9, 4, 7), &read_answer(&whole[..20]))));
    pieces.push((UP, two(8, 0, (9, 4, 8), &read(7, 0, 20))));
    pieces.push((DOWN, two_answer(8, 0, (9, 4, 8), &read_answer(&whole[20..]))));
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0, 1, 2, 3]);
    assert_eq!(talk.values(3, "dcerpc.stub_data", UP), ["one two"]);
    assert_eq!(talk.values(3, "dcerpc.stub_data", DOWN), ["handle"]);
    assert_eq!(talk.eve(3, &NoOptions).unwrap()["dcerpc"]["req"]["frag_cnt"], 2);
}

#[test]
fn a_call_that_fails() {
    let mut pieces = pipe("svcctl");
    pieces.push((UP, two(11, 0, (9, 4, 5), &ioctl(TRANSCEIVE, 7, &call(3, b"open")))));
    pieces.push((DOWN, two_answer(11, 0x103, (9, 4, 5), &[9, 0, 0, 0, 0, 0, 0, 0, 0])));
    pieces.push((DOWN, two_answer(11, 0xc000_00b0, (9, 4, 5), &[9, 0, 0, 0, 0, 0, 0, 0, 0])));
    let talk = same_in_any_pieces(open, &pieces);
    let record = talk.eve(3, &NoOptions).unwrap();
    assert_eq!(
        (&record["status"], &record["dcerpc"]["response"]),
        (&json!("STATUS_PIPE_DISCONNECTED"), &json!("UNREPLIED"))
    );
    assert!(talk.is_complete(3));
}

#[test]
fn other_functions_and_other_pipes() {
    let mut pieces = pipe("svcctl");
    pieces.push((UP, two(11, 0, (9, 4, 5), &ioctl(0x0014_0204, 7, b"data"))));
    pieces.push((UP, two(11, 0, (9, 4, 6), &ioctl(TRANSCEIVE, 8, b"no call"))));
    pieces.push((UP, two(9, 0, (9, 4, 7), &write(8, 0, b"nor this"))));
    let talk = same_in_any_pieces(open, &pieces);
    let functions: Vec<_> = [3, 4].map(|id| talk.eve(id, &NoOptions).unwrap()["function"].clone()).to_vec();
    assert_eq!(functions, ["FSCTL_VALIDATE_NEGOTIATE_INFO", "FSCTL_PIPE_TRANSCEIVE"]);
    assert_eq!(talk.ids().len(), 5, "what is written to a pipe is no file");
}

#[test]
fn a_pipe_whose_beginning_was_not_seen() {
    let pieces = [(UP, two(9, 0, (9, 4, 3), &write(7, 0, &bind())))];
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.eve(0, &NoOptions).unwrap()["dcerpc"]["request"], "BIND");
}

#[test]
fn a_transaction_of_version_1() {
    let words = |data: &[u8]| {
        let start = 32 + 1 + 32 + 2;
        let mut words = vec![0; 22];
        words.extend((data.len() as u16).to_le_bytes());
        words.extend((start as u16).to_le_bytes());
        words.extend([2, 0, 0x26, 0, 0x10, 0x40]);
        words
    };
    let answered = |data: &[u8]| {
        let mut words = vec![0; 12];
        words.extend((data.len() as u16).to_le_bytes());
        words.extend([32 + 1 + 20 + 2, 0, 0, 0, 0, 0]);
        words
    };
    let (asked, came) = (bind(), bound());
    let pieces = [
        (UP, one(0x25, 0, &block(&words(&asked), &asked))),
        (DOWN, one(0x25, 0x80, &block(&answered(&came), &came))),
    ];
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0]);
    let record = talk.eve(0, &NoOptions).unwrap();
    assert_eq!(
        (&record["command"], &record["dcerpc"]["response"]),
        (&json!("SMB1_COMMAND_TRANS"), &json!("BINDACK"))
    );
}

#[test]
fn a_call_byte_by_byte() {
    let mut pieces = pipe("svcctl");
    let calls = [call(1, b"one "), call(2, b"two")].concat();
    for byte in &calls {
        pieces.push((UP, two(9, 0, (9, 4, 5), &write(7, 0, &[*byte]))));
    }
    let talk = Conversation::of(&SMB, &NoOptions, &pieces);
    assert_eq!(talk.values(3, "dcerpc.stub_data", UP), ["one two"]);
}
