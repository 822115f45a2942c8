//! Every way in which a new segment can lie over an old one. The old one is `oooo` at 4; the new one
//! begins before, at or after its begin and ends before, at or after its end. What comes before both
//! is sent last, so that neither was read yet.

use super::{Step, StreamCase, ack, data};

const OLD: Step = data(4, "oooo");

/// The segment that is sent again with other bytes has an event.
const DIFFERENT: &[&str] = &["reassembly_overlap_different_data"];

/// The cases, by where the new segment begins and ends.
pub const OVERLAPS: &[StreamCase] = &[
    StreamCase::new(
        "begins before, ends before",
        &[OLD, data(2, "nnnn"), data(0, "ab"), ack(8)],
        &[(&["first", "vista", "solaris", "hpux11"], "abnnoooo"), (&[], "abnnnnoo")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins before, ends with it",
        &[OLD, data(2, "nnnnnn"), data(0, "ab"), ack(8)],
        &[(&["first", "vista"], "abnnoooo"), (&[], "abnnnnnn")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins before, ends after",
        &[OLD, data(2, "nnnnnnnn"), data(0, "ab"), ack(10)],
        &[(&["first", "vista"], "abnnoooonn"), (&[], "abnnnnnnnn")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins with it, ends before",
        &[OLD, data(4, "nn"), data(0, "abcd"), ack(8)],
        &[(&["last"], "abcdnnoo"), (&[], "abcdoooo")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "the same place",
        &[OLD, data(4, "nnnn"), data(0, "abcd"), ack(8)],
        &[(&["old-linux", "solaris", "hpux11", "last"], "abcdnnnn"), (&[], "abcdoooo")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins with it, ends after",
        &[OLD, data(4, "nnnnnn"), data(0, "abcd"), ack(10)],
        &[(&["linux", "old-linux", "solaris", "hpux11", "last"], "abcdnnnnnn"), (&[], "abcdoooonn")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins after, ends before",
        &[OLD, data(5, "nn"), data(0, "abcd"), ack(8)],
        &[(&["last"], "abcdonno"), (&[], "abcdoooo")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins after, ends with it",
        &[OLD, data(5, "nnn"), data(0, "abcd"), ack(8)],
        &[(&["last"], "abcdonnn"), (&[], "abcdoooo")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "begins after, ends after",
        &[OLD, data(5, "nnnnn"), data(0, "abcd"), ack(10)],
        &[(&["solaris", "hpux11", "last"], "abcdonnnnn"), (&[], "abcdoooonn")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "over two and the hole between",
        &[data(2, "oo"), data(6, "oo"), data(1, "nnnnnnnn"), data(0, "a"), ack(9)],
        &[(&["first", "vista"], "anoonnoon"), (&[], "annnnnnnn")],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "into the hole between two, over both ends",
        &[data(0, "oooo"), data(6, "oooo"), data(2, "nnnnnn"), ack(10)],
        &[
            (&["first", "vista"], "oooonnoooo"),
            (&["solaris", "hpux11"], "oonnnnoooo"),
            (&["last"], "oonnnnnnoo"),
            (&[], "oooonnnnoo"),
        ],
    )
    .tells(DIFFERENT),
    StreamCase::new(
        "the same bytes again are no difference",
        &[data(0, "abcd"), data(2, "cdef"), data(0, "abcdefgh"), ack(8)],
        &[(&[], "abcdefgh")],
    ),
];
