//! Readers of streams in tests.

use proptest::prelude::*;
use weir_base::EventValue;
use weir_base::event::{StreamFindings, StreamReader};

use super::events::text;

/// What a reader found, a line each, with settings of scripts.
#[derive(Default)]
pub(crate) struct Found<'a> {
    lines: Vec<String>,
    numbers: &'a [(&'a str, u64)],
    words: &'a [(&'a str, &'a str)],
    now: f64,
}

impl StreamFindings for Found<'_> {
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        let arguments: Vec<String> = arguments.iter().map(text).collect();
        self.lines.push(format!("{event} {}", arguments.join(" ")));
    }

    fn weird(&mut self, name: &'static str, addl: &str) {
        self.lines.push(format!("weird {name} {addl}"));
    }

    fn weird_of_connection(&mut self, name: &'static str, addl: &str) {
        self.lines.push(format!("weird {name} {addl} connection"));
    }

    fn is_set(&self, setting: &str) -> bool {
        self.count(setting) == Some(1)
    }

    fn now(&self) -> f64 {
        self.now
    }

    fn count(&self, setting: &str) -> Option<u64> {
        self.numbers.iter().find(|(name, _)| *name == setting).map(|(_, number)| *number)
    }

    fn matches(&self, setting: &str, text: &[u8]) -> Option<usize> {
        let words = self.words.iter().filter(|(name, _)| *name == setting);
        words.filter_map(|(_, word)| Some(memchr::memmem::find(text, word.as_bytes())? + word.len())).next()
    }
}

/// Returns what a reader tells of bytes that the originator (true) and the responder send, by settings.
pub(crate) fn told_by_settings(
    reader: &StreamReader,
    numbers: &[(&str, u64)],
    words: &[(&str, &str)],
    pieces: &[(bool, &[u8])],
) -> Vec<String> {
    let mut found = Found { numbers, words, ..Found::default() };
    let mut open = (reader.open)();
    for (is_orig, bytes) in pieces {
        open.data(*is_orig, bytes, &mut found);
    }
    open.end(&mut found);
    for line in &found.lines {
        let event = line.split(' ').next().unwrap_or_default();
        assert!(event == "weird" || reader.events.contains(&event), "{event} is none of the reader's");
    }
    found.lines
}

/// Returns what a reader tells of datagrams, each a second behind the one before, by settings.
pub(crate) fn told_of_datagrams(
    reader: &StreamReader,
    numbers: &[(&str, u64)],
    datagrams: &[(bool, &[u8])],
) -> Vec<String> {
    let mut found = Found { numbers, ..Found::default() };
    let mut open = (reader.open)();
    for (is_orig, bytes) in datagrams {
        found.now += 1.0;
        open.datagram(*is_orig, bytes, &mut found);
    }
    open.end(&mut found);
    found.lines
}

/// Returns what a reader tells of bytes, whatever pieces they come in.
pub(crate) fn told(reader: &StreamReader, pieces: &[(bool, &[u8])]) -> Vec<String> {
    let whole = told_by_settings(reader, &[], &[], pieces);
    for length in [1, 2, 3, 7] {
        let cut: Vec<(bool, &[u8])> = pieces
            .iter()
            .flat_map(|(is_orig, bytes)| bytes.chunks(length).map(move |piece| (*is_orig, piece)))
            .collect();
        assert_eq!(told_by_settings(reader, &[], &[], &cut), whole, "in pieces of {length}");
    }
    whole
}

proptest! {
    #[test]
    fn any_bytes_are_taken(
        pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..80)), 0..12),
    ) {
        let pieces: Vec<(bool, &[u8])> = pieces.iter().map(|(is_orig, bytes)| (*is_orig, &bytes[..])).collect();
        for reader in crate::STREAM_READERS {
            told_by_settings(reader, &[], &[], &pieces);
            told_of_datagrams(reader, &[], &pieces);
        }
    }
}
