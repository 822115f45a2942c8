//! The raw stream: when it is ready, and what is in the window.

use crate::conversation::*;

fn window(conversation: &mut Conversation) -> Option<(u64, String)> {
    let window = conversation.session.raw(ToServer, &conversation.settings, &mut conversation.shared)?;
    let seen = (window.offset, String::from_utf8_lossy(window.bytes).into_owned());
    let end = window.end();
    conversation.session.raw_inspected(ToServer, end, 0);
    Some(seen)
}

fn ready(conversation: &Conversation) -> bool {
    conversation.session.raw_ready(ToServer, &conversation.settings)
}

#[test]
fn ready_by_chunk_trigger_or_end() {
    let mut conversation = Conversation::established(|s| s.chunk_to_server = 10);
    conversation.send(ToServer, ACK, 0, 0, b"01234567");
    conversation.send(ToClient, ACK, 0, 8, b"");
    assert!(!ready(&conversation));
    conversation.session.trigger_raw(ToServer);
    assert!(ready(&conversation));
    assert_eq!(window(&mut conversation), Some((0, "01234567".into())));
    assert!(!ready(&conversation));
    assert_eq!(window(&mut conversation), None);
    conversation.send(ToServer, ACK, 8, 0, b"89abcdefghi");
    assert!(!ready(&conversation), "not acknowledged yet");
    conversation.send(ToClient, ACK, 0, 18, b"");
    assert!(ready(&conversation));
    assert_eq!(window(&mut conversation), Some((8, "89abcdefgh".into())));
    conversation.flush();
    assert!(ready(&conversation));
    assert_eq!(window(&mut conversation), Some((18, "i".into())));
}

#[test]
fn gaps_divide_windows() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToServer, ACK, 0, 0, b"abc");
    conversation.send(ToServer, ACK, 6, 0, b"ghi");
    conversation.send(ToClient, ACK, 0, 9, b"");
    conversation.session.trigger_raw(ToServer);
    assert_eq!(window(&mut conversation), Some((0, "abc".into())));
    assert_eq!(window(&mut conversation), Some((6, "ghi".into())));
    assert_eq!(window(&mut conversation), None);
}

#[test]
fn inline_looks_back() {
    let mut conversation = Conversation::established(|s| (s.inline, s.chunk_to_server) = (true, 4));
    conversation.send(ToServer, ACK, 0, 0, b"abcdef");
    assert!(ready(&conversation));
    assert_eq!(window(&mut conversation), Some((0, "abcdef".into())));
    conversation.send(ToServer, ACK, 6, 0, b"gh");
    assert_eq!(window(&mut conversation), Some((2, "cdefgh".into())));
    assert!(!ready(&conversation));
}

#[test]
fn inline_what_fills_a_hole_is_seen_with_what_is_around() {
    let mut conversation = Conversation::established(|s| (s.inline, s.chunk_to_server) = (true, 4));
    let steps = [
        (0, "abc", Some((0, "abc"))),
        (9, "jkl", Some((9, "jkl"))),
        (12, "mno", Some((9, "jklmno"))),
        (3, "def", Some((0, "abcdef"))),
        (6, "ghi", Some((2, "cdefghijklm"))),
        (6, "ghi", Some((2, "cdefghijklm"))),
        (15, "p", Some((11, "lmnop"))),
    ];
    for (at, bytes, seen) in steps {
        conversation.send(ToServer, ACK, at, 0, bytes.as_bytes());
        assert_eq!(ready(&conversation), seen.is_some(), "{bytes} at {at}");
        assert_eq!(window(&mut conversation), seen.map(|(at, seen)| (at, seen.to_owned())));
    }
}

#[test]
fn raw_bytes_are_kept_after_the_parser_had_them() {
    let mut conversation = Conversation::established(|_| {});
    for part in 0..10 {
        conversation.send(ToServer, ACK, part * 4, 0, b"data");
        conversation.send(ToClient, ACK, 0, part * 4 + 4, b"");
    }
    assert_eq!(conversation.log.bytes.to_server.len(), 40);
    conversation.session.trigger_raw(ToServer);
    assert_eq!(window(&mut conversation), Some((0, "data".repeat(10))));
    conversation.send(ToServer, ACK, 40, 0, b"");
    assert_eq!(conversation.shared.counters.reassembly_memuse, 0);
}

#[test]
fn the_end_of_a_window_is_shown_with_the_next() {
    let mut conversation = Conversation::established(|s| s.chunk_to_server = 4);
    let steps = [
        (0, "abcd", 3, ("abcd", "")),
        (4, "efgh", 6, ("efgh", "bcd")),
        (8, "ijklmnop", 2, ("ijklmnop", "cdefgh")),
        (16, "qrst", 0, ("qrst", "op")),
        (20, "uvwx", 9, ("uvwx", "")),
        // Four bytes are missing before these.
        (28, "CDEF", 9, ("CDEF", "")),
        (32, "GHIJ", 9, ("GHIJ", "CDEF")),
    ];
    for (at, bytes, keep, (seen, before)) in steps {
        conversation.send(ToServer, ACK, at, 0, bytes.as_bytes());
        conversation.send(ToClient, ACK, 0, at + bytes.len() as i64, b"");
        let (settings, shared) = (&conversation.settings, &mut conversation.shared);
        let window = conversation.session.raw(ToServer, settings, shared).unwrap();
        assert_eq!(
            (window.offset, window.bytes, window.before),
            (at as u64, seen.as_bytes(), before.as_bytes())
        );
        let end = window.end();
        conversation.session.raw_inspected(ToServer, end, keep);
    }
    conversation.session.release(&mut conversation.shared);
    assert_eq!(conversation.shared.counters.reassembly_memuse, 0);
}
