//! Rows to which several connections contribute, of whatever workers: each waits until it is over.

use std::collections::{BTreeMap, BTreeSet};

use weir_applayer::zeek::JoinedRow;
use weir_applayer::{ZeekStream, ZeekValue};
use weir_base::Timestamp;

/// Most rows under way; the one that would be over first is written for another.
const MAX_ROWS: usize = 1 << 14;

/// Key of a row: its log, and a number.
pub(crate) type Key = (&'static str, u64);

/// Takes a row.
type Write<'a> = &'a mut dyn FnMut(&'static ZeekStream, Timestamp, &[ZeekValue<'_>]);

/// The rows under way.
#[derive(Debug, Default)]
pub(crate) struct JoinedRows {
    rows: BTreeMap<Key, (Timestamp, Box<dyn JoinedRow>)>,
    /// When they are over.
    ends: BTreeSet<(Timestamp, Key)>,
}

impl JoinedRows {
    /// Takes in a contribution, at a moment of the capture's clock. Rows that are over then are written.
    pub(crate) fn join(&mut self, key: Key, part: Box<dyn JoinedRow>, now: Timestamp, write: Write<'_>) {
        while let Some(&(_, over)) = self.ends.first().filter(|(end, _)| *end <= now) {
            self.end(over, write);
        }
        if let Some((_, known)) = self.rows.get_mut(&key) {
            if known.join(&*part) {
                return;
            }
            self.end(key, write);
        }
        if self.rows.len() >= MAX_ROWS
            && let Some(&(_, first)) = self.ends.first()
        {
            self.end(first, write);
        }
        let end = part.end();
        self.ends.insert((end, key));
        self.rows.insert(key, (end, part));
    }

    /// Writes all rows.
    pub(crate) fn finish(&mut self, write: Write<'_>) {
        while let Some(&(_, key)) = self.ends.first() {
            self.end(key, write);
        }
    }

    fn end(&mut self, key: Key, write: Write<'_>) {
        if let Some((end, row)) = self.rows.remove(&key) {
            self.ends.remove(&(end, key));
            row.write(write);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use super::*;

    static STREAM: ZeekStream = ZeekStream { name: "sums", connection: false, columns: &[] };

    /// A sum, as long as it is less than ten, from a second on for five seconds.
    #[derive(Debug)]
    struct Sum(u64, u64);

    impl JoinedRow for Sum {
        fn join(&mut self, later: &dyn JoinedRow) -> bool {
            let more = later.as_any().downcast_ref::<Sum>().map_or(0, |later| later.1);
            let fits = self.1 + more < 10;
            self.1 += if fits { more } else { 0 };
            fits
        }

        fn end(&self) -> Timestamp {
            Timestamp::new(self.0 + 5, 0)
        }

        fn as_any(&self) -> &dyn Any {
            self
        }

        fn write(&self, write: Write<'_>) {
            write(&STREAM, Timestamp::new(self.0, 0), &[ZeekValue::Count(self.1)]);
        }
    }

    fn written(parts: impl IntoIterator<Item = (u64, u64, u64)>) -> Vec<(u64, u64)> {
        let (mut rows, mut written) = (JoinedRows::default(), Vec::new());
        let mut write = |_: &'static ZeekStream, ts: Timestamp, values: &[ZeekValue<'_>]| {
            let [ZeekValue::Count(sum)] = values else { panic!("one number") };
            written.push((ts.seconds(), *sum));
        };
        for (number, second, value) in parts {
            let part = Box::new(Sum(second, value));
            rows.join(("sums", number), part, Timestamp::new(second, 0), &mut write);
        }
        rows.finish(&mut write);
        assert!(rows.rows.is_empty() && rows.ends.is_empty());
        written
    }

    #[test]
    fn contributions_make_rows() {
        type Case<'a> = (&'a [(u64, u64, u64)], &'a [(u64, u64)]);
        let cases: &[Case<'_>] = &[
            (&[(1, 1, 2), (1, 2, 3), (2, 3, 4)], &[(1, 5), (3, 4)]),
            // Over by time, and because it is full.
            (&[(1, 1, 2), (1, 6, 3)], &[(1, 2), (6, 3)]),
            (&[(2, 1, 2), (1, 6, 3), (2, 6, 4)], &[(1, 2), (6, 3), (6, 4)]),
            (&[(1, 1, 6), (1, 2, 6), (1, 3, 3)], &[(1, 6), (2, 9)]),
        ];
        for (parts, expected) in cases {
            assert_eq!(written(parts.iter().copied()), *expected);
        }
    }

    #[test]
    fn the_first_one_makes_room() {
        let most = MAX_ROWS as u64;
        let rows = written((0..most).map(|number| (number, 1, number)).chain([(most, 2, 1), (0, 2, 5)]));
        assert_eq!(
            (rows.len() as u64, rows[0], rows[1], *rows.last().unwrap()),
            (most + 2, (1, 0), (1, 1), (2, 1))
        );
    }
}
