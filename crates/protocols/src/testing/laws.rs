//! The laws of all parsers, held in every conversation that a test leads: the state of a transaction goes forward
//! only, and no further than the last one; what is odd has a name and is noted once, up to a number; a parser waits for
//! no more bytes than are kept, and asks for no more than is heard; a record is one object in which no key is twice.

use std::collections::BTreeSet;

use serde_json::Value;
use weir_applayer::transaction::MAX_ANOMALIES;
use weir_applayer::{Parser, Progress};
use weir_base::{Direction, PerDirection};

/// The progress that each transaction of a parser had made.
#[derive(Default)]
pub(super) struct Laws {
    seen: Vec<Option<PerDirection<Progress>>>,
}

impl Laws {
    /// Looks at all transactions after something was said.
    pub(super) fn hold(&mut self, parser: &dyn Parser) {
        let (protocol, created) = (parser.protocol(), parser.created() as usize);
        assert!(created >= self.seen.len(), "{}: transactions are made, and not unmade", protocol.name);
        self.seen.resize(created, None);
        for (id, seen) in (0..).zip(&mut self.seen) {
            let Some(meta) = parser.transaction(id).map(|transaction| transaction.meta()) else { continue };
            assert_eq!(meta.id, id, "{}: a transaction has its own number", protocol.name);
            for direction in Direction::BOTH {
                let (now, last) = (meta.progress[direction], protocol.complete(direction));
                assert!(now <= last, "{}: {now:?} of {id} is behind {last:?}, the last state", protocol.name);
                let before = seen.map_or(Progress::default(), |seen| seen[direction]);
                assert!(before <= now, "{}: {id} was at {before:?} and is at {now:?}", protocol.name);
            }
            let count = meta.anomalies.len();
            assert!(count <= MAX_ANOMALIES, "{}: {count} anomalies of {id}", protocol.name);
            let named =
                meta.anomalies.iter().all(|anomaly| usize::from(anomaly.0) < protocol.anomalies.len());
            assert!(named, "{}: {:?} of {id} have names", protocol.name, meta.anomalies);
            *seen = Some(meta.progress);
        }
        assert!(
            parser.held() <= parser.memory(),
            "{}: what it holds is part of what it takes",
            protocol.name
        );
    }
}

/// The record as it is, which is a JSON object that has `key`.
pub(super) fn sound(record: String, key: &str) -> String {
    let read: Value = serde_json::from_str(&record).unwrap_or_else(|error| panic!("{error}: {record}"));
    assert!(read.get(key).is_some_and(|value| !value.is_null()), "no {key} in {record}");
    assert_eq!(repeated(&record), None, "{record}");
    record
}

/// A key that one of the objects of sound JSON has twice.
fn repeated(json: &str) -> Option<&str> {
    // The keys of the objects that are open; an array has none.
    let mut open: Vec<BTreeSet<&str>> = Vec::new();
    let mut rest = json;
    while let Some(first) = rest.bytes().next() {
        let mut length = 1;
        match first {
            b'{' | b'[' => open.push(BTreeSet::new()),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let mut is_escaped = false;
                let end = rest.bytes().skip(1).position(|byte| {
                    let ends = byte == b'"' && !is_escaped;
                    is_escaped = byte == b'\\' && !is_escaped;
                    ends
                })?;
                length = end + 2;
                let text = &rest[..length];
                if rest[length..].starts_with(':') && !open.last_mut()?.insert(text) {
                    return Some(text);
                }
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    None
}

#[test]
fn a_key_is_found_twice_in_one_object_only() {
    let cases = [
        (r#"{"a":1,"b":[{"a":1},{"a":2}],"c":{"a":"\"a\":"}}"#, None),
        (r#"{"a":1,"b":{"c":1,"d":"é","c":2}}"#, Some("\"c\"")),
        (r#"{"a":"\\","a":1}"#, Some("\"a\"")),
    ];
    for (json, expected) in cases {
        assert_eq!(repeated(json), expected, "{json}");
    }
}
