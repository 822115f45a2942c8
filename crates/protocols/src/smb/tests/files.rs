//! Files that are read and written.

use super::*;
use weir_applayer::FileState;

fn opened(file: u8, size: u64) -> Vec<(weir_base::Direction, Vec<u8>)> {
    vec![
        (UP, two(3, 0, (9, 0, 1), &connect("\\\\h\\share"))),
        (DOWN, two_answer(3, 0, (9, 4, 1), &connected(1))),
        (UP, two(5, 0, (9, 4, 2), &create("a.txt", 1, 0))),
        (DOWN, two_answer(5, 0, (9, 4, 2), &created(file, size))),
    ]
}

/// A file that is read and written.
pub(super) fn reads() -> Vec<(weir_base::Direction, Vec<u8>)> {
    let mut pieces = opened(7, 12);
    pieces.push((UP, two(8, 0, (9, 4, 3), &read(7, 0, 600))));
    pieces.push((DOWN, two_answer(8, 0, (9, 4, 3), &read_answer(&[b'r'; 600]))));
    pieces.push((UP, two(9, 0, (9, 4, 4), &write(7, 600, &[b'w'; 600]))));
    pieces.push((UP, two(6, 0, (9, 4, 5), &close(7))));
    pieces
}

fn file(talk: &Conversation, id: u64) -> (&[u8], &weir_applayer::File) {
    let file = &talk.transaction(id).meta().files[0];
    (file.content.bytes().1, file)
}

#[test]
fn a_file_is_read() {
    let data: Vec<u8> = (0..3000u32).map(|place| place as u8).collect();
    let mut pieces = opened(7, 3000);
    for (message, place) in [(3, 0), (4, 1500)] {
        pieces.push((UP, two(8, 0, (9, 4, message), &read(7, place as u64, 1500))));
        let piece = read_answer(&data[place..place + 1500]);
        pieces.push((DOWN, two_answer(8, 0, (9, 4, message), &piece)));
    }
    pieces.push((UP, two(8, 0, (9, 4, 5), &read(7, 3000, 1500))));
    pieces.push((DOWN, two_answer(8, 0xc000_0011, (9, 4, 5), &[9, 0, 0, 0, 0, 0, 0, 0, 0])));
    pieces.push((UP, two(6, 0, (9, 4, 6), &close(7))));
    let talk = same_in_any_pieces(open, &pieces);
    let (content, whole) = file(&talk, 2);
    assert_eq!((content, whole.state, whole.size), (&data[..], FileState::Closed, 3000));
    assert_eq!((&whole.name[..], whole.direction, whole.announced), (&b"a.txt"[..], DOWN, Some(3000)));
    let record = talk.eve(2, &NoOptions).unwrap();
    assert_eq!(
        (&record["command"], &record["status"]),
        (&"SMB2_COMMAND_READ".into(), &"STATUS_SUCCESS".into())
    );
    assert_eq!((&record["filename"], &record["share"]), (&"a.txt".into(), &"\\\\h\\share".into()));
    assert_eq!(talk.eve(3, &NoOptions).unwrap()["command"], "SMB2_COMMAND_CLOSE");
    assert!(talk.is_complete(2));
}

#[test]
fn a_file_is_written_in_any_order() {
    let mut pieces = opened(7, 0);
    for (message, offset, data) in [(3, 3, b"def"), (4, 0, b"abc"), (5, 1, b"bcd")] {
        pieces.push((UP, two(9, 0, (9, 4, message), &write(7, offset, data))));
    }
    pieces.push((UP, two(6, 0, (9, 4, 6), &close(7))));
    pieces.push((UP, two(9, 0, (9, 4, 7), &write(7, 0, b"again"))));
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!((file(&talk, 2).0, file(&talk, 2).1.direction), (&b"abcdef"[..], UP));
    assert_eq!(talk.eve(2, &NoOptions).unwrap()["share"], "");
    assert_eq!(talk.anomalies(2), ["file_overlap"]);
    assert_eq!((file(&talk, 4).0, file(&talk, 4).1.state), (&b"again"[..], FileState::Open));
}

#[test]
fn a_file_goes_on_behind_a_gap() {
    let mut talk = open();
    talk.talk(&opened(7, 0));
    let message = two(9, 0, (9, 4, 3), &write(7, 0, &[b'x'; 1000]));
    talk.push(UP, &message[..600]);
    assert_eq!(talk.gap(UP, 100), Outcome::Ok);
    talk.push(UP, &message[700..]);
    talk.push(UP, &two(9, 0, (9, 4, 4), &write(7, 1000, b"end")));
    talk.push(UP, &two(6, 0, (9, 4, 5), &close(7)));
    let whole = file(&talk, 2).1;
    assert_eq!((whole.state, whole.size, whole.missing), (FileState::Truncated, 903, 100));
    assert!(talk.is_complete(2));
}

#[test]
fn a_file_that_is_not_closed() {
    let mut talk = open();
    talk.talk(&opened(7, 0));
    talk.push(UP, &two(9, 0, (9, 4, 3), &write(7, 0, b"abc")));
    talk.close();
    assert_eq!((file(&talk, 2).1.state, talk.is_complete(2)), (FileState::Truncated, true));
}

#[test]
fn limits() {
    type Case = (&'static [(&'static str, &'static str)], Vec<(weir_base::Direction, Vec<u8>)>, &'static str);
    let written = |offset, length| (UP, two(9, 0, (9, 4, 3), &write(7, offset, &vec![0; length])));
    let asked = |length| (UP, two(8, 0, (9, 4, 3), &read(7, 0, length)));
    let answered = |length| (DOWN, two_answer(8, 0, (9, 4, 3), &read_answer(&vec![0; length])));
    let offered = || (DOWN, two_answer(0, 0, (0, 0, 0), &negotiated(0x0202, 2000)));
    let late = |count: u64| (1..=count).map(|place| written(place * 10, 5)).collect();
    let cases: [Case; 8] = [
        (&[("max-write-size", "10")], vec![written(0, 11)], "write_request_too_large"),
        (&[], vec![offered(), written(0, 2001)], "write_request_too_large"),
        (&[("max-read-size", "10")], vec![asked(11)], "read_request_too_large"),
        (&[("max-read-size", "10")], vec![asked(10), answered(11)], "read_response_too_large"),
        (&[("max-read-size", "10")], vec![offered()], "negotiate_max_read_size_too_large"),
        (&[("max-write-size", "10")], vec![offered()], "negotiate_max_write_size_too_large"),
        (&[("max-write-queue-size", "12")], late(3), "write_queue_size_exceeded"),
        (&[("max-write-queue-cnt", "2")], late(3), "write_queue_cnt_exceeded"),
    ];
    for (settings, pieces, expected) in cases {
        let mut talk = Conversation::new(&SMB, &Texts(settings));
        talk.talk(&opened(7, 0));
        talk.talk(&pieces);
        let last = talk.ids().len() as u64 - 1;
        assert_eq!(talk.anomalies(last), [expected]);
    }
}

#[test]
fn a_file_of_version_1() {
    let name = b"b.txt";
    let create = last(&[&[0, 5, 0][..], &[0; 28], &[1, 0, 0, 0], &[0; 9]].concat());
    let mut answer = last(&[&[0, 0x10, 0x40][..], &[0; 4 + 32 + 4]].concat());
    answer.extend(4096u64.to_le_bytes());
    answer.extend(6u64.to_le_bytes());
    answer.extend([0; 5]);
    // The file, the place, what is reserved, the length, where the data stands.
    let write = |offset: u32, data: &[u8]| {
        let mut words = last(&[0x10, 0x40]);
        words.extend(offset.to_le_bytes());
        words.extend([0; 10]);
        words.extend([data.len() as u8, 0, 64, 0, 0, 0, 0, 0]);
        one(0x2f, 0, &block(&words, &[b"\0", data].concat()))
    };
    let asked = last(&[&[0x10, 0x40][..], &[0; 18]].concat());
    let read = last(&[&[0; 6][..], &[6, 0, 60, 0], &[0; 10]].concat());
    let pieces = [
        (UP, one(0xa2, 0, &block(&create, name))),
        (DOWN, one(0xa2, 0x80, &block(&answer, b""))),
        (UP, write(0, b"abc")),
        (UP, write(3, b"def")),
        (UP, one(0x2e, 0, &block(&asked, b""))),
        (DOWN, one(0x2e, 0x80, &block(&read, b"\0abcdef"))),
        (UP, one(0x04, 0, &block(&[0x10, 0x40, 0, 0, 0, 0], b""))),
        (DOWN, one(0x04, 0x80, &block(&[], b""))),
    ];
    let talk = same_in_any_pieces(open, &pieces);
    assert_eq!(talk.ids(), [0, 1, 2, 3]);
    for (id, direction) in [(1, UP), (2, DOWN)] {
        let (content, whole) = file(&talk, id);
        assert_eq!((content, whole.state, whole.direction), (&b"abcdef"[..], FileState::Closed, direction));
        assert_eq!(whole.name, b"b.txt");
    }
    assert_eq!(talk.eve(0, &NoOptions).unwrap()["size"], 4096, "on disk");
    let record = talk.eve(1, &NoOptions).unwrap();
    assert_eq!((&record["command"], &record["fuid"]), (&"SMB1_COMMAND_WRITE_ANDX".into(), &"4010".into()));
    assert_eq!(talk.eve(3, &NoOptions).unwrap()["command"], "SMB1_COMMAND_CLOSE");
}

#[test]
fn data_that_stands_far_behind_what_says_so() {
    let data = vec![b'd'; 300];
    let write = |next: [u8; 4], between: &[u8]| {
        let start = 32 + 1 + 28 + 2 + between.len() as u16;
        let mut words = next.to_vec();
        words.extend([0x10, 0x40]);
        words.extend([0; 14]);
        words.extend((data.len() as u16).to_le_bytes());
        words.extend(start.to_le_bytes());
        words.extend([0; 4]);
        one(0x2f, 0, &block(&words, &[between, &data].concat()))
    };
    let far = write([0xff, 0, 0, 0], &[b'x'; 900]);
    // What closes the file stands between what writes to it and its data.
    let chained = block(&[0x10, 0x40, 0, 0, 0, 0], &[]);
    let chained = write([0x04, 0, 63, 0], &[&chained[..], &[b'x'; 900]].concat());
    for message in [far, chained] {
        let talk = same_in_any_pieces(open, &[(UP, message)]);
        assert_eq!(file(&talk, 0).0, data);
    }
}
