//! Calls and replies, and what scripts are told of them.

use weir_base::event::StreamReader;

use super::{MOUNT, NFS3, PORTMAPPER};
use crate::testing::{told, told_of_datagrams};

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Opaque bytes with their length, filled up.
fn opaque(bytes: &[u8]) -> Vec<u8> {
    let filling = vec![0; bytes.len().wrapping_neg() % 4];
    [&words(&[bytes.len() as u32]), bytes, &filling].concat()
}

fn call(number: u32, program: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    [&words(&[number, 0, 2, program, 3, procedure, 0, 0, 0, 0]), arguments].concat()
}

/// A call of user 7, groups 8 and 9, on the machine `host`.
fn call_of_user(number: u32, program: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    let user = [words(&[77]), opaque(b"host"), words(&[7, 8, 2, 8, 9])].concat();
    let head = [words(&[number, 0, 2, program, 3, procedure, 1]), opaque(&user), words(&[0, 0])].concat();
    [head, arguments.to_vec()].concat()
}

fn reply(number: u32, results: &[u8]) -> Vec<u8> {
    [&words(&[number, 1, 0, 0, 0, 0]), results].concat()
}

fn record(message: &[u8]) -> Vec<u8> {
    [&words(&[0x8000_0000 | message.len() as u32]), message].concat()
}

const PM: u32 = 100_000;
const MNT: u32 = 100_005;
const NFS: u32 = 100_003;

/// What is told of datagrams, without events of all programs.
fn own(reader: &StreamReader, datagrams: &[(bool, &[u8])]) -> Vec<String> {
    let mut lines = told_of_datagrams(reader, &[("NFS3::return_data_first_only", 1)], datagrams);
    lines.retain(|line| !line.starts_with("rpc_"));
    lines
}

#[test]
fn any_program() {
    let asked = call(1, PM, 0, b"");
    type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            &[(true, &asked), (false, &reply(1, b""))],
            &[
                "rpc_call c 1 100000 3 0 32",
                "rpc_reply c 1 0 0",
                "pm_request_null c",
                "rpc_dialogue c 100000 3 0 0 1 32 0",
            ],
        ),
        (
            &[(true, &asked)],
            &["rpc_call c 1 100000 3 0 32", "rpc_dialogue c 100000 3 0 6 1 32 0", "pm_attempt_null c 6"],
        ),
        (
            &[(true, &asked), (true, &asked), (true, &call(1, PM, 4, b""))],
            &[
                "rpc_call c 1 100000 3 0 32",
                "rpc_call c 1 100000 3 0 32",
                "weird RPC_rexmit_inconsistency ",
                "rpc_call c 1 100000 3 0 32",
                "rpc_dialogue c 100000 3 0 6 3 32 0",
                "pm_attempt_null c 6",
            ],
        ),
        (&[(false, &reply(9, b""))], &["rpc_reply c 9 0 0", "weird unpaired_RPC_response "]),
        (
            &[(true, &reply(9, b"")), (false, &asked), (true, &words(&[1, 2, 3]))],
            &[
                "weird originator_RPC_reply ",
                "rpc_reply c 9 0 0",
                "weird unpaired_RPC_response ",
                "weird responder_RPC_call ",
                "rpc_call c 1 100000 3 0 32",
                "weird bad_RPC ",
                "weird excess_RPC ",
                "rpc_dialogue c 100000 3 0 6 2 32 0",
                "pm_attempt_null c 6",
            ],
        ),
        (&[(true, b"\0\0\0\x01\0\0")], &["weird bad_RPC "]),
        (&[(true, &asked[..20])], &["weird bad_RPC ", "weird bad_RPC "]),
        (
            &[(true, &call(1, 5, 6, b"")), (false, &reply(1, b""))],
            &[
                "rpc_call c 1 5 3 6 32",
                "weird bad_RPC_program ",
                "weird bad_RPC ",
                "weird bad_RPC ",
                "rpc_reply c 1 0 0",
                "weird successful_RPC_reply_to_invalid_request ",
                "rpc_dialogue c 5 3 6 0 1 32 0",
            ],
        ),
    ];
    for (datagrams, expected) in cases {
        assert_eq!(told_of_datagrams(&PORTMAPPER, &[], datagrams), *expected, "{datagrams:?}");
    }
}

#[test]
fn statuses_of_replies() {
    let cases: &[(&[u32], &str)] = &[
        (&[0, 0, 0, 1], "rpc_reply c 1 1 0"),
        (&[0, 0, 0, 2, 1, 2], "rpc_reply c 1 2 0"),
        (&[0, 0, 0, 5], "rpc_reply c 1 5 0"),
        (&[0, 0, 0, 6], "rpc_reply c 1 9 0"),
        (&[1, 0, 2, 2], "rpc_reply c 1 7 0"),
        (&[1, 1, 5], "rpc_reply c 1 8 0"),
        (&[1, 2], "weird bad_RPC "),
        (&[2], "weird bad_RPC "),
        (&[0, 0, 0, 2, 1], "weird bad_RPC "),
        (&[], "weird bad_RPC "),
    ];
    for (status, expected) in cases {
        let bytes = [words(&[1, 1]), words(status)].concat();
        assert_eq!(told_of_datagrams(&PORTMAPPER, &[], &[(false, &bytes)])[0], *expected, "{status:?}");
    }
}

#[test]
fn calls_that_wait_are_bounded() {
    let calls: Vec<Vec<u8>> = (0..5).map(|number| call(number, PM, 0, b"")).collect();
    let datagrams: Vec<(bool, &[u8])> = calls.iter().map(|call| (true, &call[..])).collect();
    let lines = told_of_datagrams(&PORTMAPPER, &[("rpc_max_pending_calls", 2)], &datagrams);
    let expected = [
        "rpc_call c 0 100000 3 0 32",
        "rpc_call c 1 100000 3 0 32",
        "weird RPC_pending_calls_discarded ",
        "rpc_discarded_pending_calls c",
        "rpc_call c 2 100000 3 0 32",
        "rpc_call c 3 100000 3 0 32",
        "weird RPC_pending_calls_discarded ",
        "rpc_discarded_pending_calls c",
        "rpc_call c 4 100000 3 0 32",
        "rpc_dialogue c 100000 3 0 6 5 32 0",
        "pm_attempt_null c 6",
    ];
    assert_eq!(lines, expected);
    let long: Vec<Vec<u8>> = (0..40).map(|number| call(number, MNT, 1, &opaque(&[b'a'; 60_000]))).collect();
    let datagrams: Vec<(bool, &[u8])> = long.iter().map(|call| (true, &call[..])).collect();
    let lines = told_of_datagrams(&MOUNT, &[("rpc_max_pending_calls", 0)], &datagrams);
    let discarded = lines.iter().filter(|line| line.starts_with("rpc_discarded")).count();
    assert_eq!(discarded, 2, "by their bytes");
}

#[test]
fn portmapper() {
    let mapping = words(&[NFS, 3, 6, 2049]);
    let bad = words(&[NFS, 3, 17, 70_000]);
    let dump = [words(&[1]), mapping.clone(), words(&[1]), bad.clone(), words(&[0])].concat();
    let callit = [words(&[1, 2, 3]), opaque(b"abcde")].concat();
    let called = [words(&[600]), opaque(b"x")].concat();
    let failed = words(&[1, 1, 1, 1, 2]);
    type Case<'a> = (u32, &'a [u8], &'a [u8], &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (1, &mapping, &words(&[1]), &["pm_request_set c [100003, 3, 2049] T"]),
        (2, &bad, &words(&[0]), &["pm_bad_port c 70000", "pm_request_unset c [100003, 3, 0] F"]),
        (3, &mapping, &words(&[635]), &["pm_request_getport c [100003, 3, T] 635"]),
        (3, &bad, &words(&[65_536]), &["pm_bad_port c 65536", "pm_request_getport c [100003, 3, F] 0"]),
        (
            4,
            b"",
            &dump,
            &["pm_bad_port c 70000", "pm_request_dump c {1, [100003, 3, 2049], 2, [100003, 3, 0]}"],
        ),
        (5, &callit, &called, &["pm_request_callit c [1, 2, 3, 5] 600"]),
        (4, b"", &dump[..24], &["weird bad_RPC "]),
        (3, &mapping, b"", &["weird bad_RPC "]),
    ];
    for (procedure, arguments, results, expected) in cases {
        let (asked, answer) = (call(1, PM, *procedure, arguments), reply(1, results));
        assert_eq!(own(&PORTMAPPER, &[(true, &asked), (false, &answer)]), *expected, "{procedure}");
    }
    for (procedure, arguments, expected) in [
        (1, &mapping[..], "pm_attempt_set c 8 [100003, 3, 2049]"),
        (2, &mapping, "pm_attempt_unset c 8 [100003, 3, 2049]"),
        (3, &mapping, "pm_attempt_getport c 8 [100003, 3, T]"),
        (4, b"", "pm_attempt_dump c 8"),
        (5, &callit, "pm_attempt_callit c 8 [1, 2, 3, 5]"),
    ] {
        let asked = call(1, PM, procedure, arguments);
        assert_eq!(own(&PORTMAPPER, &[(true, &asked), (false, &failed)]), [expected]);
    }
}

#[test]
fn mounting() {
    let directory = opaque(b"/home");
    let mounted = [words(&[0]), opaque(b"fh"), words(&[2, 1, 390_003])].concat();
    let many = [words(&[0]), opaque(b"fh"), words(&[40]), words(&[1; 40])].concat();
    let info = |status: u32, length: usize, call: usize| {
        format!("[0, {status}, 1, 0, {call}, 2, 0, {length}, 0, 0, 0, , ()]")
    };
    type Case<'a> = (u32, &'a [u8], &'a [u8], u32, &'a str);
    let cases: &[Case<'_>] = &[
        (0, b"", b"", u32::MAX, "mount_proc_null c {}"),
        (1, &directory, &mounted, 0, "mount_proc_mnt c {} [/home] [fh, (1, 390003)]"),
        (1, &directory, &words(&[13]), 13, "mount_proc_mnt c {} [/home] [-, -]"),
        (3, &directory, b"", u32::MAX, "mount_proc_umnt c {} [/home]"),
        (4, b"", b"", u32::MAX, "mount_proc_umnt_all c {} []"),
        (5, b"", &words(&[0, 0]), 0, "mount_proc_not_implemented c {} 5"),
    ];
    for (procedure, arguments, results, status, expected) in cases {
        let (asked, answer) = (call(1, MNT, *procedure, arguments), reply(1, results));
        let info = info(*status, answer.len() - 8, asked.len() - 8);
        let expected = [format!("mount_reply_status c {info}"), expected.replace("{}", &info)];
        assert_eq!(own(&MOUNT, &[(true, &asked), (false, &answer)]), expected, "{procedure}");
    }
    let lines = own(&MOUNT, &[(true, &call(1, MNT, 1, &directory)), (false, &reply(1, &many))]);
    assert_eq!(lines[1], "weird excessive_MNT_auth_flavors ");
    assert_eq!(lines.len(), 3);
    let lines = own(&MOUNT, &[(true, &call_of_user(1, MNT, 9, b"")), (false, &reply(1, b""))]);
    let expected = [
        "weird unknown_MOUNT_request 9",
        "mount_reply_status c [0, 4294967295, 1, 0, 64, 2, 0, 16, 7, 8, 77, host, (8, 9)]",
        "weird bad_RPC ",
    ];
    assert_eq!(lines, expected);
    let lines = own(&MOUNT, &[(true, &call(1, MNT, 1, &directory))]);
    assert_eq!(lines[1], "mount_proc_mnt c [6, 0, 1, 0, 44, 1, 0, 0, 0, 0, 0, , ()] [/home] [-, ()]");
}

/// Attributes of a file, and their text.
fn attributes() -> (Vec<u8>, &'static str) {
    let bytes =
        [words(&[2, 0o755, 1, 2, 3]), words(&[0, 4, 0, 5, 6, 7, 0, 8, 0, 9]), words(&[10, 0, 11, 0, 12, 0])];
    (bytes.concat(), "[2, 493, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]")
}

#[test]
fn nfs() {
    let (file, file_text) = attributes();
    let (yes, no, ok) = (words(&[1]), words(&[0]), words(&[0]));
    let some = [&yes[..], &file].concat();
    let before = words(&[1, 0, 4, 5, 0, 6, 0]);
    let around = [&before[..], &no].concat();
    let (handle, name) = (opaque(b"fh"), opaque(b"name"));
    let entry = [&handle[..], &name].concat();
    let new = words(&[1, 0o644, 0, 0, 1, 0, 99, 2, 5, 0, 1]);
    let list = |is_plus: bool| {
        let more = if is_plus { [&some[..], &yes, &handle].concat() } else { Vec::new() };
        [&ok[..], &no, &words(&[0, 3, 1, 0, 5]), &name, &words(&[0, 1]), &more, &words(&[0, 1])].concat()
    };
    let place = words(&[0, 6, 0, 7, 512]);
    type Case<'a> = (u32, Vec<u8>, Vec<u8>, &'a str);
    let cases: &[Case<'_>] = &[
        (0, vec![], vec![], "nfs_proc_null c {}"),
        (1, handle.clone(), [&ok[..], &file].concat(), "nfs_proc_getattr c {} fh ATTR"),
        (
            1,
            handle.clone(),
            words(&[70]),
            "nfs_proc_getattr c {} fh [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
        ),
        (
            2,
            [&handle[..], &new, &no].concat(),
            [&ok[..], &around].concat(),
            "nfs_proc_sattr c {} [fh, [420, -, -, 99, 2, 1]] [[4, 5, 6], -]",
        ),
        (
            3,
            entry.clone(),
            [&ok[..], &handle, &some, &no].concat(),
            "nfs_proc_lookup c {} [fh, name] [fh, ATTR, -]",
        ),
        (
            3,
            entry.clone(),
            [&words(&[2])[..], &some].concat(),
            "nfs_proc_lookup c {} [fh, name] [-, -, ATTR]",
        ),
        (4, handle.clone(), words(&[0, 0, 63]), "nfs_proc_not_implemented c {} 4"),
        (5, handle.clone(), [&ok[..], &no, &name].concat(), "nfs_proc_readlink c {} fh [-, name]"),
        (
            6,
            [&handle[..], &words(&[0, 0, 4])].concat(),
            [&ok[..], &no, &words(&[3, 1]), &opaque(b"abc")].concat(),
            "nfs_proc_read c {} [fh, 0, 4] [-, 3, T, -]",
        ),
        (
            7,
            [&handle[..], &words(&[0, 9, 3, 2]), &opaque(b"abc")].concat(),
            [&ok[..], &around, &words(&[3, 2, 0, 77])].concat(),
            "nfs_proc_write c {} [fh, 9, 3, 2, -] [[4, 5, 6], -, 3, 2, 77]",
        ),
        (
            8,
            [&entry[..], &words(&[0]), &new].concat(),
            [&ok[..], &yes, &handle, &no, &around].concat(),
            "nfs_proc_create c {} [fh, name] [fh, -, [4, 5, 6], -]",
        ),
        (
            9,
            entry.clone(),
            [&words(&[17])[..], &around].concat(),
            "nfs_proc_mkdir c {} [fh, name] [-, -, [4, 5, 6], -]",
        ),
        (
            10,
            [&entry[..], &new, &name].concat(),
            [&ok[..], &no, &no, &no, &no].concat(),
            "nfs_proc_symlink c {} [[fh, name], [[420, -, -, 99, 2, 1], name]] [-, -, -, -]",
        ),
        (12, entry.clone(), [&ok[..], &around].concat(), "nfs_proc_remove c {} [fh, name] [[4, 5, 6], -]"),
        (13, entry.clone(), [&ok[..], &around].concat(), "nfs_proc_rmdir c {} [fh, name] [[4, 5, 6], -]"),
        (
            14,
            [&entry[..], &entry].concat(),
            [&ok[..], &around, &no, &some].concat(),
            "nfs_proc_rename c {} [fh, name, fh, name] [[4, 5, 6], -, -, ATTR]",
        ),
        (
            15,
            [&handle[..], &entry].concat(),
            [&ok[..], &some, &around].concat(),
            "nfs_proc_link c {} [fh, [fh, name]] [ATTR, [4, 5, 6], -]",
        ),
        (
            16,
            [&handle[..], &place].concat(),
            list(false),
            "nfs_proc_readdir c {} [F, fh, 6, 7, 512, -] [F, -, 3, (-, [5, name, 1, -, -]), T]",
        ),
        (
            17,
            [&handle[..], &place, &words(&[4096])].concat(),
            list(true),
            "nfs_proc_readdir c {} [T, fh, 6, 7, 512, 4096] [T, -, 3, (-, [5, name, 1, ATTR, fh]), T]",
        ),
    ];
    for (procedure, arguments, results, expected) in cases {
        let (asked, answer) = (call_of_user(1, NFS, *procedure, arguments), reply(1, results));
        let status = results.first_chunk().map_or(u32::MAX, |word| u32::from_be_bytes(*word));
        let (asked_length, length) = (asked.len() - 8, answer.len() - 8);
        let info = format!("[0, {status}, 1, 0, {asked_length}, 2, 0, {length}, 7, 8, 77, host, (8, 9)]");
        let expected = expected.replace("{}", &info).replace("ATTR", file_text);
        let lines = own(&NFS3, &[(true, &asked), (false, &answer)]);
        assert_eq!(lines, [format!("nfs_reply_status c {info}"), expected], "{procedure}");
    }
    let lines = own(&NFS3, &[(true, &call(1, NFS, 40, b""))]);
    assert_eq!(lines[0], "weird unknown_NFS_request 40");
}

#[test]
fn content_of_files() {
    let write = |offset: u32| [opaque(b"fh"), words(&[0, offset, 6, 2]), opaque(b"abcdef")].concat();
    let read = [opaque(b"fh"), words(&[0, 0, 4])].concat();
    let bytes = [words(&[0, 0, 3, 1]), opaque(b"abc")].concat();
    type Case<'a> = (&'a [(&'a str, u64)], u32, Vec<u8>, Vec<u8>, &'a str);
    let cases: &[Case<'_>] = &[
        (&[], 7, write(0), words(&[1, 0, 0]), "[fh, 0, 6, 2, -]"),
        (&[("NFS3::return_data_max", 4)], 7, write(0), words(&[1, 0, 0]), "[fh, 0, 6, 2, abcd]"),
        (&[("NFS3::return_data_first_only", 1)], 7, write(9), words(&[1, 0, 0]), "[fh, 9, 6, 2, -]"),
        (&[("NFS3::return_data_first_only", 0)], 7, write(9), words(&[1, 0, 0]), "[fh, 9, 6, 2, abcdef]"),
        (&[("NFS3::return_data_first_only", 1)], 6, read, bytes, "[-, 3, T, abc]"),
    ];
    for (settings, procedure, arguments, results, expected) in cases {
        let mut settings = settings.to_vec();
        settings.push(("NFS3::return_data", u64::from(!settings.is_empty())));
        let (asked, answer) = (call(1, NFS, *procedure, arguments), reply(1, results));
        let lines = told_of_datagrams(&NFS3, &settings, &[(true, &asked), (false, &answer)]);
        assert!(lines.iter().any(|line| line.contains(expected)), "{expected}: {lines:?}");
    }
}

#[test]
fn streams() {
    let asked = record(&call(1, PM, 0, b""));
    let answer = record(&reply(1, b"\0\0\0\0"));
    let expected = [
        "rpc_call c 1 100000 3 0 32",
        "rpc_reply c 1 0 4",
        "pm_request_null c",
        "rpc_dialogue c 100000 3 0 0 0 32 4",
    ];
    assert_eq!(told(&PORTMAPPER, &[(true, &asked), (false, &answer)]), expected);
    let short = record(b"abc");
    assert_eq!(told(&PORTMAPPER, &[(true, &short)]), ["weird partial_RPC  connection"]);
    let long = [&words(&[0x8001_0001])[..], &call(1, PM, 0, b""), &[0; 65_497]].concat();
    let lines = told(&PORTMAPPER, &[(true, &long)]);
    assert_eq!(lines[..2], ["weird RPC_message_too_long 65537 connection", "rpc_call c 1 100000 3 0 65528"]);
}
