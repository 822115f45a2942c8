//! Calls and replies built here, through the parser, to files, fields and EVE records.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_applayer::{FileState, NoOptions, Outcome, Probe, Transport};
use weir_base::Direction;

use super::parser::MAX_RECORD;
use super::transaction::NfsTransaction;
use super::{NFS, probe, waiting};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

const HANDLE: &[u8] = b"handle-1";

type Said = (Direction, Vec<u8>);

fn word(number: u32) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn long(number: u64) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

fn opaque(bytes: &[u8]) -> Vec<u8> {
    let mut out = word(bytes.len() as u32);
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

fn marked(message: &[u8]) -> Vec<u8> {
    [&word(0x8000_0000 | message.len() as u32)[..], message].concat()
}

fn call(xid: u32, version: u32, procedure: u32, arguments: &[Vec<u8>]) -> Vec<u8> {
    let unix = [word(7), opaque(b"host"), word(1000), word(100), word(0)].concat();
    let head =
        [word(xid), word(0), word(2), word(100_003), word(version), word(procedure), word(1), opaque(&unix)];
    [head.concat(), word(0), word(0), arguments.concat()].concat()
}

fn reply(xid: u32, results: &[Vec<u8>]) -> Vec<u8> {
    [word(xid), word(1), word(0), word(0), word(0), word(0), results.concat()].concat()
}

fn up(xid: u32, version: u32, procedure: u32, arguments: &[Vec<u8>]) -> Said {
    (UP, marked(&call(xid, version, procedure, arguments)))
}

fn down(xid: u32, results: &[Vec<u8>]) -> Said {
    (DOWN, marked(&reply(xid, results)))
}

/// A look-up by version 3 that finds `a.txt`.
fn look_up() -> [Said; 2] {
    [
        up(1, 3, 3, &[opaque(b"directory"), opaque(b"a.txt")]),
        down(1, &[word(0), opaque(HANDLE), word(0), word(0)]),
    ]
}

fn read(xid: u32, offset: u64) -> Said {
    up(xid, 3, 6, &[opaque(HANDLE), long(offset), word(4096)])
}

fn piece(xid: u32, is_end: bool, bytes: &[u8]) -> Said {
    let attributes = [word(1), vec![0; 84]].concat();
    down(xid, &[word(0), attributes, word(bytes.len() as u32), word(is_end.into()), opaque(bytes)])
}

fn write(xid: u32, offset: u64, stable: u32, bytes: &[u8]) -> Said {
    let count = word(bytes.len() as u32);
    up(xid, 3, 7, &[opaque(HANDLE), long(offset), count, word(stable), opaque(bytes)])
}

fn content(conversation: &Conversation, id: u64) -> (String, Vec<u8>, FileState) {
    let file = &conversation.transaction(id).meta().files[0];
    let name = String::from_utf8_lossy(&file.name).into_owned();
    (name, file.content.bytes().1.to_vec(), file.state)
}

fn nfs(conversation: &Conversation, id: u64) -> Value {
    conversation.eve(id, &NoOptions).unwrap()
}

#[test]
fn a_call_and_its_reply() {
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &look_up());
    assert!(conversation.is_complete(0));
    let record: Value = serde_json::from_str(&conversation.record(0, &NoOptions).unwrap()).unwrap();
    assert_eq!(
        record,
        json!({
            "nfs": {
                "version": 3, "procedure": "LOOKUP", "filename": "a.txt", "hhash": "5bb98734", "id": 1,
                "file_tx": false, "type": "response", "status": "OK",
            },
            "rpc": {
                "xid": 1, "status": "ACCEPTED", "auth_type": "UNIX",
                "creds": {"machine_name": "host", "uid": 1000, "gid": 100},
            },
        })
    );
}

#[test]
fn a_file_that_is_read_out_of_order() {
    let mut pieces = look_up().to_vec();
    let tail = [b'b'; 700];
    pieces.extend([read(2, 0), read(3, 600), piece(3, true, &tail), piece(2, false, &[b'a'; 600])]);
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    let expected = [&[b'a'; 600][..], &tail].concat();
    assert_eq!(content(&conversation, 1), ("a.txt".to_owned(), expected, FileState::Closed));
    assert!(conversation.is_complete(1));
    let record = nfs(&conversation, 1);
    assert_eq!(record["read"], json!({"first": true, "last": true, "last_xid": 3, "chunks": 2}));
    assert_eq!((&record["procedure"], &record["file_tx"]), (&json!("READ"), &json!(true)));
}

#[test]
fn a_file_that_is_written() {
    let data = vec![b'x'; 5000];
    let mut pieces = look_up().to_vec();
    pieces.extend([
        write(2, 0, 0, &data),
        down(2, &[word(0)]),
        write(3, 5000, 0, b"end"),
        up(4, 3, 21, &[opaque(HANDLE), long(0), word(0)]),
        down(4, &[word(70)]),
    ]);
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    let expected = [&data[..], b"end"].concat();
    assert_eq!(content(&conversation, 1), ("a.txt".to_owned(), expected, FileState::Closed));
    assert!(conversation.is_complete(1));
    let record = nfs(&conversation, 1);
    assert_eq!(record["write"], json!({"first": true, "last": true, "last_xid": 4, "chunks": 2}));
    assert_eq!(record["status"], "ERR_STALE");
    let tx = conversation.tx::<NfsTransaction>(1);
    assert_eq!([7, 21, 6].map(|wanted| tx.has_procedure(|found| found == wanted)), [true, true, false]);
    assert_eq!(tx.credentials.unix, None, "nothing is kept of those who write");
}

#[test]
fn what_is_to_last_ends_a_file() {
    let mut conversation =
        Conversation::of(&NFS, &NoOptions, &[write(2, 0, 2, b"one"), write(3, 0, 2, b"two")]);
    assert_eq!(
        (content(&conversation, 0).1, content(&conversation, 1).1),
        (b"one".to_vec(), b"two".to_vec())
    );
    assert!(!conversation.is_complete(0));
    conversation.talk(&[down(2, &[word(0)])]);
    assert!(conversation.is_complete(0) && !conversation.is_complete(1));
}

#[test]
fn a_file_of_version_2() {
    let handle = vec![9; 32];
    let attributes = |size: u32| [vec![0; 20], word(size), vec![0; 44]].concat();
    let pieces = [
        up(1, 2, 4, &[vec![1; 32], opaque(b"old")]),
        down(1, &[word(0), handle.clone(), attributes(5)]),
        up(2, 2, 6, &[handle.clone(), word(0), word(4096), word(0)]),
        down(2, &[word(0), attributes(5), opaque(b"hello")]),
        up(3, 2, 11, &[vec![1; 32], opaque(b"old"), vec![1; 32], opaque(b"new")]),
        down(3, &[word(13)]),
        up(4, 2, 14, &[vec![1; 32], opaque(b"directory"), vec![0; 32]]),
    ];
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    assert_eq!(content(&conversation, 1), ("old".to_owned(), b"hello".to_vec(), FileState::Closed));
    let renamed = nfs(&conversation, 2);
    assert_eq!(renamed["rename"], json!({"from": "old", "to": "new"}));
    assert_eq!(renamed["status"], "ERR_ACCES");
    let made = nfs(&conversation, 3);
    assert_eq!((&made["procedure"], made.get("rename")), (&json!("MKDIR"), None));
}

/// A compound of version 4.
fn compound(xid: u32, operations: &[Vec<u8>]) -> Said {
    let head = [opaque(b""), word(1), word(operations.len() as u32)].concat();
    up(xid, 4, 1, &[head, operations.concat()])
}

fn results(xid: u32, status: u32, operations: &[Vec<u8>]) -> Said {
    down(xid, &[word(status), opaque(b""), word(operations.len() as u32), operations.concat()])
}

fn operation(number: u32, parts: &[Vec<u8>]) -> Vec<u8> {
    [word(number), parts.concat()].concat()
}

fn opening() -> [Said; 2] {
    let sequence = operation(53, &[vec![0; 32]]);
    let open = operation(
        18,
        &[
            vec![0; 20],
            opaque(b"owner"),
            word(1),
            word(0),
            word(0),
            opaque(b""),
            word(0),
            opaque(b"four.txt"),
        ],
    );
    let opened = operation(18, &[word(0), vec![0; 40], word(0), word(0)]);
    [
        compound(1, &[sequence, operation(22, &[opaque(b"root")]), open, operation(10, &[])]),
        results(
            1,
            0,
            &[
                operation(53, &[word(0), vec![0; 36]]),
                operation(22, &[word(0)]),
                opened,
                operation(10, &[word(0), opaque(HANDLE)]),
            ],
        ),
    ]
}

#[test]
fn files_of_version_4() {
    let data = vec![b'y'; 3000];
    let current = operation(22, &[opaque(HANDLE)]);
    let mut pieces = opening().to_vec();
    pieces.extend([
        compound(
            2,
            &[
                current.clone(),
                operation(38, &[vec![0; 16], long(0), word(0), opaque(&data)]),
                operation(10, &[]),
            ],
        ),
        results(2, 0, &[operation(22, &[word(0)]), operation(38, &[word(0), vec![0; 16]])]),
        compound(3, &[current.clone(), operation(4, &[vec![0; 20]])]),
        results(3, 0, &[operation(22, &[word(0)]), operation(4, &[word(0), vec![0; 16]])]),
        compound(4, &[current.clone(), operation(25, &[vec![0; 16], long(0), word(9000)])]),
        results(4, 0, &[operation(22, &[word(0)]), operation(25, &[word(0), word(1), opaque(&data)])]),
        compound(5, &[current, operation(28, &[opaque(b"gone")])]),
        results(5, 2, &[operation(22, &[word(0)]), operation(28, &[word(2)])]),
    ]);
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    let expected = ("four.txt".to_owned(), data, FileState::Closed);
    assert_eq!((content(&conversation, 0), content(&conversation, 1)), (expected.clone(), expected));
    assert!((0..3).all(|id| conversation.is_complete(id)));
    let shown = [0, 1, 2].map(|id| nfs(&conversation, id));
    assert_eq!(
        shown.each_ref().map(|shown| shown["procedure"].as_str().unwrap()),
        ["WRITE", "READ", "REMOVE"]
    );
    assert_eq!(shown[0]["write"], json!({"first": true, "last": true, "last_xid": 3, "chunks": 0}));
    assert_eq!((&shown[2]["filename"], &shown[2]["status"]), (&json!("gone"), &json!("ERR_NOENT")));
}

#[test]
fn parts_of_several_files_of_a_compound() {
    let part = |handle: &[u8], offset| {
        [operation(22, &[opaque(handle)]), operation(25, &[vec![0; 16], long(offset), word(100)])]
    };
    let came = |bytes: &[u8]| [operation(22, &[word(0)]), operation(25, &[word(0), word(1), opaque(bytes)])];
    let asked = [part(b"one", 0), part(b"two", 0), part(b"six", 0)].concat();
    let pieces = [compound(1, &asked), results(1, 0, &[came(b"of one"), came(b"of two")].concat())];
    let conversation = Conversation::of(&NFS, &NoOptions, &pieces);
    let contents = [0, 1].map(|id| content(&conversation, id).1);
    assert_eq!(contents, [&b"of one"[..], b"of two"]);
    let handles = [0, 1].map(|id| conversation.tx::<NfsTransaction>(id).handle.as_slice());
    assert_eq!(handles, [b"one", b"two"]);
    assert_eq!(conversation.ids(), [0, 1]);
}

fn current(handle: &[u8]) -> Vec<u8> {
    operation(22, &[opaque(handle)])
}

fn write_4(bytes: &[u8]) -> Vec<u8> {
    operation(38, &[vec![0; 16], long(0), word(0), opaque(bytes)])
}

fn read_4(offset: u64) -> Vec<u8> {
    operation(25, &[vec![0; 16], long(offset), word(4096)])
}

fn remove(name: &[u8]) -> Vec<u8> {
    operation(28, &[opaque(name)])
}

#[test]
fn operations_behind_data() {
    let data = [b'd'; 2999];
    let large = vec![b'l'; 10_000];
    for head in [current(HANDLE), operation(24, &[])] {
        // Without a handle the data are nobody's.
        let is_known = head.len() > 4;
        let asked = [head, write_4(&data), current(b"two"), write_4(&large), write_4(b""), remove(b"gone")];
        let gone = operation(28, &[word(2)]);
        let done = || operation(38, &[word(0), vec![0; 16]]);
        let pieces = [
            compound(1, &asked),
            results(
                1,
                2,
                &[operation(22, &[word(0)]), done(), operation(22, &[word(0)]), done(), done(), gone],
            ),
        ];
        let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
        let has_file = |id: &u64| !conversation.transaction(*id).meta().files.is_empty();
        assert_eq!(conversation.ids().iter().filter(|id| has_file(id)).count(), 1 + usize::from(is_known));
        let last = *conversation.ids().last().unwrap();
        let shown = nfs(&conversation, last);
        assert_eq!((&shown["filename"], &shown["status"]), (&json!("gone"), &json!("ERR_NOENT")));
    }
}

#[test]
fn results_behind_data() {
    let came = |bytes: &[u8]| operation(25, &[word(0), word(1), opaque(bytes)]);
    let asked = [current(b"one"), read_4(0), current(b"two"), read_4(0), remove(b"gone")];
    let ok = operation(22, &[word(0)]);
    let gone = operation(28, &[word(2)]);
    let said = [ok.clone(), came(&[b'1'; 3001]), ok, came(&[b'2'; 2002]), gone];
    let pieces = [compound(1, &asked), results(1, 2, &said)];
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    let contents = [1, 2].map(|id| content(&conversation, id).1);
    assert_eq!(contents, [vec![b'1'; 3001], vec![b'2'; 2002]]);
    assert_eq!(nfs(&conversation, 0)["status"], "ERR_NOENT");
}

#[test]
fn operations_behind_data_that_are_wrapped_up() {
    let credentials = [word(1), word(0), word(5), word(2), opaque(b"context")].concat();
    let operations = [current(HANDLE), write_4(&[b'w'; 2001]), current(b"directory"), remove(b"gone")];
    let inside = [word(5), opaque(b""), word(1), word(operations.len() as u32), operations.concat()].concat();
    let head = [word(9), word(0), word(2), word(100_003), word(4), word(1), word(6), opaque(&credentials)];
    let message = [head.concat(), word(0), word(0), opaque(&inside), opaque(&[0xff; 40])].concat();
    let pieces = [(UP, marked(&message)), compound(10, &[current(b"directory"), remove(b"more")])];
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    assert_eq!(content(&conversation, 0).1, vec![b'w'; 2001]);
    assert_eq!([1, 2].map(|id| nfs(&conversation, id)["filename"].clone()), ["gone", "more"]);
    assert!(conversation.ids().iter().all(|id| conversation.anomalies(*id).is_empty()));
}

#[test]
fn operations_behind_data_that_do_not_come() {
    // They are not there, and they are cut.
    let next = || compound(2, &[current(b"directory"), remove(b"more")]);
    for behind in [Vec::new(), [word(28), word(900)].concat()] {
        let pieces = [compound(1, &[current(HANDLE), write_4(&[b'd'; 2000]), behind]), next()];
        let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
        assert_eq!(content(&conversation, 0).1, vec![b'd'; 2000]);
        assert_eq!(conversation.anomalies(0), ["malformed_data"]);
        assert_eq!(nfs(&conversation, 1)["filename"], "more");
    }
    // They are more than are waited for.
    let endless = [word(28), word(0x7fff_ffff), vec![0; MAX_RECORD + 5000]].concat();
    let (_, record) = compound(1, &[current(HANDLE), write_4(&[b'd'; 2000]), endless]);
    let mut conversation = Conversation::new(&NFS, &NoOptions);
    conversation.push_in(UP, &record, 1000);
    conversation.talk(&[next()]);
    assert_eq!(conversation.anomalies(0), ["malformed_data"]);
    assert_eq!(nfs(&conversation, 1)["filename"], "more");
}

#[test]
fn gaps_in_compounds() {
    let (_, record) = compound(1, &[current(HANDLE), write_4(&[b'd'; 2000]), current(b"x"), remove(b"gone")]);
    // Where the gap is, and whether what follows the data is read.
    for (start, end, is_read) in
        [(500, 700, true), (500, record.len() - 40, true), (500, record.len() - 20, false)]
    {
        let mut conversation = Conversation::new(&NFS, &NoOptions);
        conversation.push(UP, &record[..start]);
        assert_eq!(conversation.gap(UP, (end - start) as u64), Outcome::Ok);
        conversation.push_in(UP, &record[end..], 7);
        conversation.talk(&[compound(2, &[current(b"directory"), remove(b"more")])]);
        let names: Vec<_> = conversation
            .ids()
            .into_iter()
            .skip(1)
            .map(|id| nfs(&conversation, id)["filename"].clone())
            .collect();
        assert_eq!(names, if is_read { &["gone", "more"][..] } else { &["more"] }, "{start} to {end}");
    }
}

#[test]
fn what_waits_of_all_files_is_limited() {
    let mut conversation = Conversation::new(&NFS, &NoOptions);
    let part = vec![b'p'; 1 << 20];
    for file in 0..(waiting::MAX_WAITING >> 20) as u32 + 2 {
        let handle = opaque(&[b"file", &file.to_be_bytes()[..]].concat());
        let count = word(part.len() as u32);
        // Behind a hole.
        conversation.talk(&[up(file, 3, 7, &[handle, long(7), count, word(0), opaque(&part)])]);
    }
    let missing =
        conversation.ids().into_iter().map(|id| conversation.transaction(id).meta().files[0].missing);
    let given_up: Vec<u64> = missing.filter(|missing| *missing > 0).collect();
    assert_eq!(given_up, [7, 7, 7], "each part takes a little more than its bytes");
    assert_eq!(
        (conversation.anomalies(0), conversation.anomalies(3)),
        (vec!["too_many_transactions"], vec![])
    );
    assert_eq!(content(&conversation, 0).1, part);
}

#[test]
fn data_that_is_longer_than_what_carries_it() {
    let arguments = [opaque(HANDLE), long(0), word(9999), word(2), word(9999), b"data".to_vec()];
    let message = call(2, 3, 7, &arguments);
    let (first, rest) = message.split_at(60);
    let fragments = [&word(60)[..], first, &word(0x8000_0000 | rest.len() as u32), rest].concat();
    let over_udp = Conversation::over(Transport::Udp, &NFS, &NoOptions);
    for (mut conversation, bytes) in [(Conversation::new(&NFS, &NoOptions), fragments), (over_udp, message)] {
        conversation.push(UP, &bytes);
        assert_eq!(content(&conversation, 0).1, b"data");
        assert_eq!(conversation.anomalies(0), ["malformed_data"]);
        assert_eq!(content(&conversation, 0).2, FileState::Closed);
    }
}

#[test]
fn names_of_a_directory() {
    let entry = [word(1), long(5), opaque(b"listed"), long(0), word(0), word(1), opaque(HANDLE)].concat();
    let pieces = [
        up(1, 3, 17, &[opaque(b"directory"), long(0), long(0), word(99), word(99)]),
        down(1, &[word(0), word(0), long(0), entry, word(0), word(1)]),
        up(2, 3, 4, &[opaque(HANDLE), word(1)]),
    ];
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    assert_eq!(nfs(&conversation, 1)["filename"], "listed");
}

#[test]
fn calls_for_attributes_are_not_logged() {
    let conversation =
        Conversation::of(&NFS, &NoOptions, &[up(1, 3, 1, &[opaque(HANDLE)]), down(1, &[word(0)])]);
    assert!(conversation.is_complete(0) && conversation.record(0, &NoOptions).is_none());
}

#[test]
fn what_is_wrong() {
    let short = |version, procedure| up(2, version, procedure, &[word(900)]);
    let cases: Vec<(Vec<Said>, u64, &[&str])> = vec![
        (vec![look_up()[0].clone(), short(3, 3)], 1, &["malformed_data"]),
        (vec![look_up()[0].clone(), short(4, 1)], 0, &["malformed_data"]),
        (vec![look_up()[0].clone(), short(5, 1)], 0, &["non_existing_version"]),
        (vec![look_up()[0].clone(), down(1, &[word(0), word(900)])], 0, &["malformed_data"]),
    ];
    for (pieces, id, expected) in cases {
        let conversation = Conversation::of(&NFS, &NoOptions, &pieces);
        assert_eq!(conversation.anomalies(id), expected, "{pieces:02x?}");
    }
    let mut conversation = Conversation::of(&NFS, &NoOptions, &look_up());
    assert_eq!(conversation.push(UP, &marked(b"short")), Outcome::Error);
}

#[test]
fn a_call_that_is_denied() {
    let denied = [word(1), word(1), word(1), word(1), word(2)].concat();
    let unwanted = [word(1), word(1), word(0), word(0), word(0), word(2), word(2), word(3)].concat();
    for (message, status) in [(denied, 1), (unwanted, 0)] {
        let message = [message, vec![0; 8]].concat();
        let conversation =
            Conversation::of(&NFS, &NoOptions, &[look_up()[0].clone(), (DOWN, marked(&message))]);
        assert!(conversation.is_complete(0));
        assert_eq!(conversation.tx::<NfsTransaction>(0).rpc_status, status);
    }
}

#[test]
fn records_in_fragments() {
    let message = call(1, 3, 3, &[opaque(b"directory"), opaque(b"a.txt")]);
    let (first, second) = message.split_at(50);
    let fragments = [&word(first.len() as u32)[..], first, &word(0), &marked(second)].concat();
    let pieces = [(UP, fragments), look_up()[1].clone()];
    let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
    assert_eq!(nfs(&conversation, 0)["filename"], "a.txt");
}

#[test]
fn records_that_are_too_long_are_passed_over() {
    let mut conversation = Conversation::of(&NFS, &NoOptions, &look_up());
    let listing = call(5, 3, 99, &[vec![0; MAX_RECORD + 5000]]);
    conversation.push_in(UP, &marked(&listing), 10_000);
    conversation.talk(&[up(6, 3, 19, &[opaque(HANDLE)])]);
    assert_eq!((conversation.ids().len(), conversation.anomalies(0)), (2, vec!["malformed_data"]));
}

#[test]
fn data_end_with_their_record() {
    for length in [3, 2000] {
        let mut pieces = look_up().to_vec();
        let lies = [opaque(HANDLE), long(0), word(9999), word(2), word(9999), vec![b'a'; length]];
        pieces.extend([up(2, 3, 7, &lies), up(3, 3, 12, &[opaque(b"d"), opaque(b"gone")])]);
        let conversation = same_in_any_pieces(|| Conversation::new(&NFS, &NoOptions), &pieces);
        assert_eq!(content(&conversation, 1).1.len(), length);
        assert_eq!(conversation.anomalies(1), ["malformed_data"]);
        assert_eq!(nfs(&conversation, 2)["filename"], "gone");
    }
}

#[test]
fn gaps() {
    let mut conversation = Conversation::of(&NFS, &NoOptions, &look_up());
    conversation.talk(&[read(2, 0), up(3, 3, 19, &[opaque(HANDLE)])]);
    let (_, record) = piece(2, true, &[b'a'; 2000]);
    conversation.push(DOWN, &record[..1000]);
    assert_eq!(conversation.gap(DOWN, 100), Outcome::Ok);
    assert!(conversation.is_complete(2), "its reply may be lost");
    conversation.push(DOWN, &record[1100..]);
    let (_, bytes, state) = content(&conversation, 1);
    assert_eq!((bytes.len(), state, conversation.is_complete(1)), (1900, FileState::Truncated, true));

    conversation.talk(&[read(4, 0), read(5, 0)]);
    assert_eq!(conversation.gap(DOWN, 5000), Outcome::Ok);
    let noise = [&[0xffu8; 77][..], &marked(&reply(99, &[word(0)]))].concat();
    conversation.push(DOWN, &noise);
    conversation.talk(&[piece(5, true, b"later")]);
    assert_eq!(content(&conversation, 3).1, b"later");

    assert_eq!(conversation.gap(UP, 10), Outcome::Ok);
    // What looks like a call has marks of none: of one of several fragments, of nothing, and of more than there is.
    let (_, next) = up(6, 3, 12, &[opaque(b"d"), opaque(b"f")]);
    let like = [0x7fff_ffff, 0x8000_0004, 0xffff_ffff].map(|mark| [&word(mark)[..], &next[4..20]].concat());
    let found = [&[0u8; 33][..], &like.concat(), &next].concat();
    conversation.push_in(UP, &found, 5);
    assert_eq!(nfs(&conversation, 4)["procedure"], "REMOVE");
}

#[test]
fn the_end_ends_files() {
    let mut conversation = Conversation::of(&NFS, &NoOptions, &[write(2, 0, 0, b"begun")]);
    conversation.close();
    assert_eq!(content(&conversation, 0).2, FileState::Truncated);
}

#[test]
fn transactions_that_wait_are_limited() {
    let mut conversation = Conversation::new(&NFS, &Settings(&[("max-tx", "2")]));
    for xid in 0..4 {
        conversation.talk(&[up(xid, 3, 19, &[opaque(HANDLE)])]);
    }
    let complete = [0, 1, 2, 3].map(|id| conversation.is_complete(id));
    assert_eq!(complete, [true, true, false, false]);
    assert_eq!(conversation.anomalies(0), ["too_many_transactions"]);
}

#[test]
fn datagrams() {
    let mut conversation = Conversation::over(Transport::Udp, &NFS, &NoOptions);
    conversation.push(UP, &call(1, 3, 3, &[opaque(b"directory"), opaque(b"a.txt")]));
    conversation.push(DOWN, &reply(1, &[word(2), word(0)]));
    conversation.push(UP, &call(2, 4, 1, &[]));
    assert_eq!((conversation.ids().len(), conversation.anomalies(0)), (1, vec!["unsupported_version"]));
    assert_eq!(nfs(&conversation, 0)["status"], "ERR_NOENT");
}

#[test]
fn detection() {
    let asked = look_up()[0].1.clone();
    let answered = look_up()[1].1.clone();
    let callback =
        [marked(&[word(1), word(0), word(2), word(0x4000_0000), word(1), word(0)].concat())].concat();
    let cases: &[(Direction, &[u8], Probe)] = &[
        (UP, &asked, Probe::Yes),
        (DOWN, &asked, Probe::Reversed),
        (UP, &asked[..20], Probe::More),
        (UP, &callback, Probe::No),
        (DOWN, &answered, Probe::Yes),
        (UP, b"GET / HTTP/1.1\r\n", Probe::No),
        (UP, b"", Probe::More),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(probe::probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:02x?}");
    }
    let long = call(1, 3, 3, &[opaque(b"directory"), opaque(b"a.txt")]);
    let cases: &[(Direction, &[u8], Probe)] = &[
        (UP, &long, Probe::Yes),
        (UP, &long[..47], Probe::No),
        (DOWN, &reply(1, &[word(0), word(0)]), Probe::Yes),
        (DOWN, &reply(1, &[word(0)]), Probe::No),
    ];
    for (direction, bytes, expected) in cases {
        assert_eq!(probe::probe(Transport::Udp, *direction, bytes), *expected, "{bytes:02x?}");
    }
}

#[test]
fn versions_and_procedures_of_rules() {
    use super::checks::{procedure, version};
    let conversation = Conversation::of(&NFS, &NoOptions, &look_up());
    for (option, expected) in [("3", true), ("2<>3", true), ("3<>4", true), (">3", false), ("4", false)] {
        for parse in [procedure, version] {
            let check = parse(Some(option)).unwrap();
            assert_eq!(check.matches(conversation.transaction(0), UP), expected, "{option}");
        }
    }
    assert!(procedure(Some("lookup")).is_err() && version(None).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_taken(
        arguments in proptest::collection::vec(any::<u8>(), 0..200),
        version in 2u32..6,
        procedure in 0u32..24,
    ) {
        let mut pieces = look_up().to_vec();
        pieces.extend([
            up(7, version, procedure, std::slice::from_ref(&arguments)),
            down(7, std::slice::from_ref(&arguments)),
            (UP, arguments.clone()),
            (DOWN, arguments),
        ]);
        let mut conversation = Conversation::new(&NFS, &NoOptions);
        for (direction, bytes) in pieces {
            conversation.push(direction, &bytes);
        }
        let _ = conversation.summary();
    }

    #[test]
    fn any_operations_are_taken(operations in proptest::collection::vec((0u32..70, any::<[u8; 24]>()), 0..8)) {
        let built: Vec<Vec<u8>> = operations.iter().map(|(number, bytes)| operation(*number, &[bytes.to_vec()])).collect();
        let mut conversation = Conversation::new(&NFS, &NoOptions);
        for (direction, bytes) in [compound(1, &built), results(1, 0, &built)] {
            conversation.push(direction, &bytes);
        }
        let _ = conversation.summary();
    }
}
