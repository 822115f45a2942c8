//! Events for scripts, from bytes to their arguments.

use weir_base::Direction;

use super::*;
use crate::gssapi::ntlmssp::tests::{authenticate, challenge};
use crate::gssapi::token::tests::{answer, offer};
use crate::smb::events::{EVENTS, NAMES};
use crate::testing::Events;

/// Returns the events of messages, those of any message left out.
fn raised(messages: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let mut whole = Vec::new();
    for piece in [usize::MAX, 1, 61] {
        let mut talk = open();
        talk.files.messages = true;
        talk.as_zeek = true;
        let (mut raiser, mut sink) = ((EVENTS.open)(), Events::new(NAMES));
        for (direction, bytes) in messages {
            talk.push_in(*direction, bytes, piece.min(bytes.len().max(1)));
            raiser.heard(talk.parser.heard().unwrap().take(), &mut sink);
        }
        let is_own = |line: &String| !line.starts_with("smb1_message ") && !line.starts_with("smb2_message ");
        sink.raised.retain(is_own);
        if piece == usize::MAX {
            whole = sink.raised;
        } else {
            assert_eq!(sink.raised, whole, "in pieces of {piece}");
        }
    }
    whole
}

/// Leaves the header out of an event.
fn shown(events: &[String]) -> Vec<String> {
    let short = |event: &String| match (event.find(" ["), event.find("] ")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &event[..start], &event[end + 1..]),
        (Some(start), None) => event[..start].to_owned(),
        _ => event.clone(),
    };
    events.iter().map(short).collect()
}

#[test]
fn headers() {
    let mut talk = open();
    talk.files.messages = true;
    talk.as_zeek = true;
    talk.push(UP, &two(13, 0, (9, 4, 3), &[4, 0, 0, 0]));
    talk.push(DOWN, &one(0x2b, 0x80, &block(&[2, 0], b"ab")));
    let (mut raiser, mut sink) = ((EVENTS.open)(), Events::new(NAMES));
    raiser.heard(talk.parser.heard().unwrap().take(), &mut sink);
    assert_eq!(
        sink.raised,
        [
            "smb2_message c [0, 0, 13, 1, 0, 3, 0, 4, 9, \\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\
             \\x00\\x00\\x00\\x00\\x00] T",
            "smb1_message c [43, 0, 128, 16384, 5, 1, 6, 7] F",
            "smb1_echo_response c 2 ab",
        ]
    );
}

#[test]
fn version_2() {
    let attributes = "F".repeat(15).split("").filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let time = |later: u64| {
        let raw = 116_444_736_000_000_000u64 + (1_600_000_000 + later) * 10_000_000;
        format!("{}, {raw}", 1_600_000_000 + later)
    };
    let times = format!("[{}, {}, {}, {}]", time(2), time(1), time(0), time(3));
    let file = "[506381209866536711, 506381209866536711]";
    let length = [&0u64.to_le_bytes()[..], &[0; 8], &8u32.to_le_bytes(), &utf16("name")].concat();
    let cases: Vec<(Direction, Vec<u8>, Vec<String>)> = vec![
        (
            UP,
            two(0, 0, IDS, &negotiate(&[0x0202, 0x0311])),
            vec!["smb2_negotiate_request c (514, 785)".into()],
        ),
        (UP, two(3, 0, IDS, &connect("\\\\a\\b")), vec!["smb2_tree_connect_request c \\\\\\\\a\\\\b".into()]),
        (DOWN, two_answer(3, 0, IDS, &connected(2)), vec!["smb2_tree_connect_response c [2]".into()]),
        (
            UP,
            two(5, 0, IDS, &create("a.txt", 2, 0x1000)),
            vec!["smb2_create_request c [a.txt, 2, 4096]".into()],
        ),
        (
            DOWN,
            two_answer(5, 0, IDS, &created(7, 12)),
            vec![format!("smb2_create_response c [{file}, 12, {times}, [{attributes}], 1]")],
        ),
        (UP, two(8, 0, IDS, &read(7, 3, 5)), vec![format!("smb2_read_request c {file} 3 5")]),
        (UP, two(9, 0, IDS, &write(7, 4, b"abc")), vec![format!("smb2_write_request c {file} 4 3")]),
        (DOWN, two_answer(9, 0, IDS, &[17, 0, 0, 0, 3, 0, 0, 0]), vec!["smb2_write_response c 3".into()]),
        (UP, two(17, 0, IDS, &set_info(7, 13, &[1])), vec![format!("smb2_file_delete c {file} T")]),
        (UP, two(17, 0, IDS, &set_info(7, 10, &length)), vec![format!("smb2_file_rename c {file} name")]),
        (
            UP,
            two(17, 0, IDS, &set_info(7, 20, &9u64.to_le_bytes())),
            vec![format!("smb2_file_endoffile c {file} 9")],
        ),
        (UP, two(6, 0, IDS, &close(7)), vec![format!("smb2_close_request c {file}")]),
        (DOWN, two_answer(5, 0xc000_0022, IDS, &created(7, 12)), vec![]),
        (
            UP,
            two(5, 0, (1, 9, 1), &create("samr", 1, 0)),
            vec!["smb_pipe_connect_heuristic c".into(), "smb2_create_request c [samr, 1, 0]".into()],
        ),
        (UP, two(5, 0, IDS, &[57, 0, 0]), vec![]),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(shown(&raised(&[(direction, bytes)])), expected);
    }
}

#[test]
fn sessions_with_tokens() {
    let ntlm = offer(b"\x2b\x06", b"NTLMSSP\0\x01\0\0\0\0\0\0\0");
    let told = raised(&[
        (UP, two(1, 0, (0, 0, 1), &setup(&ntlm))),
        (DOWN, two_answer(1, 0xc000_0016, (9, 0, 1), &set_up(&answer(1, &challenge(&[(1, "SERVER")]))))),
        (UP, two(1, 0, (9, 0, 2), &setup(&answer(1, &authenticate("CONTOSO", "Admin", "HOST"))))),
        (DOWN, two_answer(1, 0, (9, 0, 2), &set_up(&answer(0, b"")))),
    ]);
    let names: Vec<&str> = told.iter().map(|event| event.split(' ').next().unwrap()).collect();
    assert_eq!(
        names,
        [
            "smb2_session_setup_request",
            "ntlm_negotiate",
            "smb2_session_setup_response",
            "ntlm_challenge",
            "gssapi_neg_result",
            "smb2_session_setup_request",
            "ntlm_authenticate",
            "gssapi_neg_result",
            "smb2_session_setup_response",
            "gssapi_neg_result",
        ]
    );
    assert!(told[3].contains("[SERVER, -, -,") && told[6].contains("CONTOSO, Admin, HOST"), "{told:?}");
}

#[test]
fn version_1() {
    let words = |numbers: &[u16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let read = last(&words(&[3, 7, 0, 9, 0, 0, 0, 0]));
    let write = last(&words(&[3, 7, 0, 0, 0, 0, 0, 0, 4, 63]));
    let connect = block(&last(&words(&[0, 1])), b"\0\\\\a\\b\0A:\0");
    let transaction = [4, 2, 0, 0, 0, 0, 0, 0, 0, 4, 74, 2, 78, 2, 0x26, 9];
    let transaction = block(&words(&transaction), b"\\PIPE\\\0abcdef");
    let cases: Vec<(Direction, Vec<u8>, &[&str])> = vec![
        (UP, one(0x72, 0, &block(&[], b"\x02A\0\x02B\0")), &["smb1_negotiate_request c (A, B)"]),
        (UP, one(0x2e, 0, &block(&read, b"")), &["smb1_read_andx_request c 3 7 9"]),
        (UP, one(0x2f, 0, &block(&write, b"abcd")), &["smb1_write_andx_request c 3 7 4"]),
        (UP, one(0x04, 0, &block(&words(&[3, 0, 0]), b"")), &["smb1_close_request c 3"]),
        (UP, one(0x10, 0, &block(&[], b"\x04dir\0")), &["smb1_check_directory_request c dir"]),
        (UP, one(0x75, 0, &connect), &["smb1_tree_connect_andx_request c \\\\\\\\a\\\\b A:"]),
        (DOWN, one(0x75, 0x80, &block(&last(&[]), b"IPC\0")), &["smb1_tree_connect_andx_response c IPC "]),
        (UP, one(0x25, 0, &transaction), &["smb1_transaction_request c \\\\PIPE\\\\ 38 abcd ef"]),
        (UP, one(0x71, 0, &block(&[], b"")), &["smb1_empty_response c"]),
        (DOWN, one_of(0xa2, 0x80, 0xc000_0034, &block(&[], b"")), &["smb1_error c F"]),
        (UP, one(0x2f, 0, &block(&write[..6], b"")), &[]),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(shown(&raised(&[(direction, bytes)])), expected);
    }
}

#[test]
fn what_is_encrypted() {
    let sealed = [&b"\xfdSMB"[..], &[7; 16], &[8; 16], &5u32.to_le_bytes(), &[0, 0, 1, 0], &[9; 8], b"abcde"];
    let told = raised(&[(UP, session(&sealed.concat()))]);
    let bytes = |byte: &str| byte.repeat(16);
    let number = u64::from_le_bytes([9; 8]);
    assert_eq!(
        told,
        [format!("smb2_transform_header c [{}, {}, 5, 1, {number}]", bytes("\\x07"), bytes("\\x08"))]
    );
}
