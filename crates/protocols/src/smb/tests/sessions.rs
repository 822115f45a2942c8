//! Sessions, shares and files that are opened.

use serde_json::json;

use super::*;
use crate::gssapi::ntlmssp::tests::{authenticate, challenge};
use crate::gssapi::token::KERBEROS;
use crate::gssapi::token::tests::{answer, offer, ticket};

const MORE: u32 = 0xc000_0016;

pub(super) fn session() -> Vec<(weir_base::Direction, Vec<u8>)> {
    let ntlm = offer(b"\x2b\x06", b"NTLMSSP\0\x01\0\0\0");
    vec![
        (UP, two(0, 0, (0, 0, 0), &negotiate(&[0x0202, 0x0311]))),
        (DOWN, two_answer(0, 0, (0, 0, 0), &negotiated(0x0202, 1000))),
        (UP, two(1, 0, (0, 0, 1), &setup(&ntlm))),
        (DOWN, two_answer(1, MORE, (9, 0, 1), &set_up(&answer(1, &challenge(&[(1, "SERVER")]))))),
        (UP, two(1, 0, (9, 0, 2), &setup(&answer(1, &authenticate("CONTOSO", "Admin", "HOST"))))),
        (DOWN, two_answer(1, 0, (9, 0, 2), &set_up(&answer(0, b"")))),
        (UP, two(3, 0, (9, 0, 3), &connect("\\\\10.0.0.1\\files"))),
        (DOWN, two_answer(3, 0, (9, 4, 3), &connected(1))),
        (UP, two(5, 0, (9, 4, 4), &create("a\\b.txt", 2, 0x1000))),
        (DOWN, two_answer(5, 0, (9, 4, 4), &created(7, 12))),
    ]
}

#[test]
fn a_session_of_version_2() {
    let talk = same_in_any_pieces(open, &session());
    assert_eq!(talk.ids(), [0, 1, 2, 3, 4]);
    assert!(talk.ids().iter().all(|id| talk.is_complete(*id)));
    let guid = |byte: &str| format!("{0}-{1}-{1}-{1}-{2}", byte.repeat(4), byte.repeat(2), byte.repeat(6));
    let expected = [
        json!({"id": 1, "dialect": "2.02", "command": "SMB2_COMMAND_NEGOTIATE_PROTOCOL",
            "status": "STATUS_SUCCESS", "status_code": "0x0", "session_id": 0, "tree_id": 0,
            "client_dialects": ["2.02", "3.11"], "client_guid": guid("09"), "server_guid": guid("08"),
            "max_read_size": 1000, "max_write_size": 1000}),
        json!({"id": 2, "dialect": "2.02", "command": "SMB2_COMMAND_SESSION_SETUP",
            "status": "STATUS_MORE_PROCESSING_REQUIRED", "status_code": "0xc0000016", "session_id": 9,
            "tree_id": 0}),
        json!({"id": 3, "dialect": "2.02", "command": "SMB2_COMMAND_SESSION_SETUP",
            "status": "STATUS_SUCCESS", "status_code": "0x0", "session_id": 9, "tree_id": 0,
            "ntlmssp": {"domain": "CONTOSO", "user": "Admin", "host": "HOST",
            "version": "6.1 build 7601 rev 15"}}),
        json!({"id": 4, "dialect": "2.02", "command": "SMB2_COMMAND_TREE_CONNECT",
            "status": "STATUS_SUCCESS", "status_code": "0x0", "session_id": 9, "tree_id": 4,
            "share": "\\\\10.0.0.1\\files", "share_type": "FILE"}),
        json!({"id": 5, "dialect": "2.02", "command": "SMB2_COMMAND_CREATE",
            "status": "STATUS_SUCCESS", "status_code": "0x0", "session_id": 9, "tree_id": 4,
            "filename": "a\\b.txt", "disposition": "FILE_CREATE", "access": "delete on close",
            "created": 1_600_000_000, "accessed": 1_600_000_001, "modified": 1_600_000_002,
            "changed": 1_600_000_003, "size": 12, "fuid": guid("07")}),
    ];
    for (id, expected) in expected.into_iter().enumerate() {
        assert_eq!(talk.eve(id as u64, &NoOptions).unwrap(), expected);
    }
    let values = [
        (2, "smb.ntlmssp_user", "Admin"),
        (2, "smb.ntlmssp_domain", "CONTOSO"),
        (3, "smb.share", "\\\\10.0.0.1\\files"),
    ];
    for (id, field, expected) in values {
        assert_eq!(talk.values(id, field, UP), [expected], "{field}");
    }
    assert!(talk.values(3, "smb.named_pipe", UP).is_empty());
}

#[test]
fn a_share_is_known_by_its_answer() {
    let mut talk = open();
    talk.talk(&[(UP, two(3, 0, (9, 0, 3), &connect("\\\\h\\IPC$")))]);
    assert_eq!(talk.progress(0).0.0, 0, "it may be one of pipes");
    talk.talk(&[(DOWN, two_answer(3, 0, (9, 4, 3), &connected(2)))]);
    assert!(talk.is_complete(0));
    assert_eq!(talk.values(0, "smb.named_pipe", UP), ["\\\\h\\IPC$"]);
    assert!(talk.values(0, "smb.share", UP).is_empty());
    assert_eq!(talk.eve(0, &NoOptions).unwrap()["named_pipe"], "\\\\h\\IPC$");
}

#[test]
fn types_of_records() {
    let talk = Conversation::of(&SMB, &NoOptions, &session());
    let logged = |types: &'static [(&'static str, &'static str)]| -> Vec<u64> {
        talk.ids().into_iter().filter(|id| talk.record(*id, &Texts(types)).is_some()).collect()
    };
    assert_eq!(logged(&[]), [0, 1, 2, 3, 4]);
    assert_eq!(logged(&[("types.0", "create"), ("types.1", "negotiate")]), [0, 4]);
    assert_eq!(logged(&[("types.0", "session_setup"), ("types.1", "dcerpc")]), [1, 2]);
}

#[test]
fn files_that_are_renamed_or_to_be_gone() {
    let to = utf16("new.txt");
    let rename = [&[0; 16][..], &(to.len() as u32).to_le_bytes(), &to].concat();
    let mut pieces = session();
    pieces.push((UP, two(17, 0, (9, 4, 5), &set_info(7, 10, &rename))));
    pieces.push((UP, two(17, 0, (9, 4, 6), &set_info(7, 13, &[1]))));
    pieces.push((UP, two(17, 0, (9, 4, 7), &set_info(7, 4, &[0; 40]))));
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0, 1, 2, 3, 4, 5, 6]);
    let rename = talk.eve(5, &NoOptions).unwrap();
    assert_eq!(rename["rename"], json!({"from": "a\\b.txt", "to": "new.txt"}));
    assert_eq!(rename["set_info"]["info_level"], "SMB2_FILE_RENAME_INFO");
    let gone = talk.eve(6, &NoOptions).unwrap();
    assert_eq!((&gone["filename"], &gone["access"]), (&json!("a\\b.txt"), &json!("delete on close")));
}

#[test]
fn chains_name_the_file_that_they_open() {
    let unknown = [0xff; 16];
    let mut info = set_info(7, 13, &[1]);
    info[16..32].copy_from_slice(&unknown);
    let links = [(5, (9, 4, 4), create("gone.txt", 1, 0)), (17, (9, 4, 5), info)];
    let talk = same_in_any_pieces(open, &[(UP, chain(0, &links))]);
    assert_eq!(talk.eve(1, &NoOptions).unwrap()["filename"], "gone.txt");
}

#[test]
fn a_session_of_version_1() {
    let names = b"\x02PC NETWORK PROGRAM 1.0\0\x02NT LM 0.12\0";
    let chosen = [&[1, 0][..], &[0; 32]].concat();
    let token = authenticate("D", "U", "H");
    let words = last(&[&[0; 10][..], &(token.len() as u16).to_le_bytes(), &[0; 8]].concat());
    let setup = block(&words, &[&token[..], b"Unix\0Samba\0"].concat());
    let set_up = block(&last(&[0, 0]), b"Windows 5.1\0Windows 2000 LAN Manager\0");
    let tree = block(&last(&[0, 0, 1, 0]), b"\0\\\\10.0.0.1\\IPC$\0?????\0");
    let pipe = block(&last(&[0, 0]), b"IPC\0\0");
    let pieces = [
        (UP, one(0x72, 0, &block(&[], names))),
        (DOWN, one(0x72, 0x80, &block(&chosen, &[8; 16]))),
        (UP, one(0x73, 0, &setup)),
        (DOWN, one(0x73, 0x80, &set_up)),
        (UP, one(0x75, 0, &tree)),
        (DOWN, one(0x75, 0x80, &pipe)),
        (UP, one(0x74, 0, &block(&last(&[]), b""))),
        (DOWN, one_of(0x74, 0x80, 0xc000_0022, &block(&last(&[]), b""))),
    ];
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0, 1, 2, 3]);
    assert!(talk.ids().iter().all(|id| talk.is_complete(*id) && talk.anomalies(*id).is_empty()));
    let record = |id| talk.eve(id, &NoOptions).unwrap();
    assert_eq!(record(0)["dialect"], "NT LM 0.12");
    assert_eq!(record(0)["client_dialects"], json!(["PC NETWORK PROGRAM 1.0", "NT LM 0.12"]));
    assert_eq!(record(1)["ntlmssp"]["user"], "U");
    assert_eq!(record(1)["request"], json!({"native_os": "Unix", "native_lm": "Samba"}));
    assert_eq!(record(1)["response"]["native_lm"], "Windows 2000 LAN Manager");
    assert_eq!(record(2)["named_pipe"], "\\10.0.0.1\\IPC$");
    assert_eq!(record(2)["service"], json!({"request": "?????", "response": "IPC"}));
    assert_eq!(record(3)["status"], "STATUS_ACCESS_DENIED");
    assert_eq!(talk.values(2, "smb.named_pipe", UP), ["\\10.0.0.1\\IPC$"]);
}

#[test]
fn dialects_that_are_none() {
    let cases: [(&[u8], u16, &[&str]); 4] = [
        (b"\x02NT LM 0.12\0", 0, &[]),
        (b"\x02NT LM 0.12\0", 1, &["negotiate_malformed_dialects"]),
        (b"\0\x02NT LM 0.12\0", 0, &["negotiate_malformed_dialects"]),
        (b"\x02\0\x02NT LM 0.12\0", 1, &["negotiate_malformed_dialects"]),
    ];
    for (names, index, expected) in cases {
        let chosen = [&index.to_le_bytes()[..], &[0; 32]].concat();
        let pieces = [(UP, one(0x72, 0, &block(&[], names))), (DOWN, one(0x72, 0x80, &block(&chosen, b"")))];
        assert_eq!(same_in_any_pieces(open, &pieces).anomalies(0), expected, "{names:?}");
    }
    let mut talk = open();
    talk.talk(&[(UP, one(0x72, 0, &block(&[], b"\x02a\0"))), (UP, one(0x72, 0, &block(&[], b"\x02a\0")))]);
    assert_eq!((talk.ids(), talk.anomalies(0)), (vec![0], vec!["duplicate_negotiate"]));
}

#[test]
fn users_that_are_malformed() {
    let mut message = authenticate("D", "U", "H");
    message[44] = 0xff;
    message[45] = 0xff;
    let talk = same_in_any_pieces(open, &[(UP, two(1, 0, (9, 0, 2), &setup(&message)))]);
    assert_eq!(talk.anomalies(0), ["malformed_ntlmssp_request"]);
    // To Zeek nothing is wrong where the session's key, which is empty, stands at the very end.
    let message = authenticate("D", "U", "H");
    let message = &message[..message.len() - 1];
    let mut talk = same_in_any_pieces(open, &[(UP, two(1, 0, (9, 0, 2), &setup(message)))]);
    assert_eq!(talk.anomalies(0), ["malformed_ntlmssp_request"]);
    assert!(talk.eve(0, &NoOptions).unwrap().get("ntlmssp").is_none());
    assert_eq!(talk.zeek().of("ntlm"), ["1: username=U hostname=H domainname=D"]);
}

#[test]
fn the_rows_of_a_session() {
    let to = utf16("new.txt");
    let rename = [&[0; 16][..], &(to.len() as u32).to_le_bytes(), &to].concat();
    let mut pieces = session();
    pieces.push((UP, two(17, 0, (9, 4, 5), &set_info(7, 10, &rename))));
    pieces.push((UP, two(8, 0, (9, 4, 6), &read(7, 0, 12))));
    pieces.push((DOWN, two_answer(8, 0, (9, 4, 6), &read_answer(b"%PDF-content"))));
    pieces.push((UP, two(6, 0, (9, 4, 7), &close(7))));
    // The same file is opened again, which is not logged again.
    pieces.push((UP, two(5, 0, (9, 4, 8), &create("a\\b.txt", 2, 0))));
    pieces.push((DOWN, two_answer(5, 0, (9, 4, 8), &created(7, 12))));
    let mut talk = Conversation::of(&SMB, &NoOptions, &pieces);
    let rows = talk.zeek();
    assert_eq!(rows.of("smb_mapping"), ["7: path=\\\\10.0.0.1\\files share_type=DISK"]);
    assert_eq!(
        rows.of("ntlm"),
        ["3: username=Admin hostname=HOST domainname=CONTOSO server_nb_computer_name=SERVER success=T"]
    );
    let times = "times.modified=1600000002 times.accessed=1600000001 times.created=1600000000 \
                 times.changed=1600000003";
    let path = "path=\\\\10.0.0.1\\files";
    assert_eq!(
        rows.of("smb_files"),
        [
            format!("9: action=SMB::FILE_OPEN {path} name=a\\b.txt size=12 {times}"),
            format!("9: action=SMB::FILE_RENAME {path} name=new.txt size=12 prev_name=a\\b.txt {times}"),
            format!(
                "9: fuid=F0 action=SMB::FILE_DELETE {path} name=new.txt size=12 prev_name=a\\b.txt {times}"
            ),
        ]
    );
    assert_eq!(rows.of("service"), ["gssapi", "ntlm", "smb"]);
}

#[test]
fn the_row_of_a_ticket() {
    let token = offer(KERBEROS, &ticket());
    let pieces = [
        (UP, two(0, 0, (0, 0, 0), &negotiate(&[0x0202]))),
        (DOWN, two_answer(0, 0, (0, 0, 0), &negotiated(0x0202, 1000))),
        (UP, two(1, 0, (0, 0, 1), &setup(&token))),
    ];
    let mut talk = Conversation::of(&SMB, &NoOptions, &pieces);
    assert_eq!(
        talk.eve(1, &NoOptions).unwrap()["kerberos"],
        json!({"realm": "EXAMPLE", "snames": ["cifs", "server"]})
    );
    assert_eq!(talk.zeek().of("kerberos").len(), 1);
    assert_eq!(talk.zeek().of("service"), ["gssapi", "smb", "krb"]);
}

#[test]
fn zeek_of_a_chain_that_leads_back() {
    let after = |offset: u16| [&[0x74, 0][..], &offset.to_le_bytes()].concat();
    for (offset, expected) in [(2, &["weird smb_andx_offset_not_advancing"][..]), (39, &[])] {
        let mut talk = open();
        let chain = [block(&after(offset), b""), block(&[0xff, 0, 0, 0], b"")].concat();
        talk.push(UP, &one(0x74, 0, &chain));
        assert_eq!(talk.zeek().lines, expected, "{offset}");
    }
}
