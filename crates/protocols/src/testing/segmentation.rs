//! Law: bytes are read in the same way however they are cut into segments: the same transactions, the same fields and
//! records, in the same order.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;

use proptest::test_runner::TestCaseError;
use weir_applayer::{NoOptions, Transport};
use weir_base::Direction;
use weir_testkit::Random;

use super::{Conversation, DOWN, UP};

/// Lengths of the segments that every conversation is cut into.
const LENGTHS: [usize; 7] = [1, 2, 3, 5, 7, 64, 500];

/// Random cuts of each case.
const TIMES: u64 = 8;

/// So many conversations are led to find fewer cuts that make a difference, too.
const MAX_SHRINKS: u32 = 200;

/// Characters of a line that a difference shows.
const EXCERPT: usize = 400;

/// Bytes of one side before the other's.
type Turn = (Direction, Vec<u8>);

/// Where turns are cut, by the number of bytes that were said by then.
type Cuts = BTreeSet<usize>;

/// Leads the conversation as [`led_in_any_pieces`] does; a difference fails the test.
#[track_caller]
pub(crate) fn same_in_any_pieces<B: AsRef<[u8]>>(
    open: impl Fn() -> Conversation,
    pieces: &[(Direction, B)],
) -> Conversation {
    match led_in_any_pieces(open, pieces) {
        Ok(conversation) => conversation,
        Err(difference) => panic!("{difference}"),
    }
}

/// Leads the conversation with each turn as one segment and cut in many ways, which is to make no difference; one is
/// told with as few turns and cuts as show it. Returns the conversation in the pieces that are given.
pub(crate) fn led_in_any_pieces<B: AsRef<[u8]>>(
    open: impl Fn() -> Conversation,
    pieces: &[(Direction, B)],
) -> Result<Conversation, TestCaseError> {
    let turns = turns(pieces);
    let whole = summary(&open, &turns, &Cuts::new());
    let found = cuts(pieces, &turns).into_iter().find(|cuts| summary(&open, &turns, cuts) != whole);
    if let Some(found) = found {
        return Err(TestCaseError::fail(difference(&open, turns, found)));
    }
    let mut conversation = open();
    for (direction, bytes) in pieces {
        conversation.push(*direction, bytes.as_ref());
    }
    Ok(conversation)
}

/// Joins the pieces of each side into turns.
fn turns<B: AsRef<[u8]>>(pieces: &[(Direction, B)]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (direction, bytes) in pieces {
        match turns.last_mut().filter(|(last, _)| last == direction) {
            Some((_, said)) => said.extend(bytes.as_ref()),
            None => turns.push((*direction, bytes.as_ref().to_vec())),
        }
    }
    turns
}

/// The ways to cut turns: between the pieces, into segments of a length, and anywhere.
fn cuts<B: AsRef<[u8]>>(pieces: &[(Direction, B)], turns: &[Turn]) -> Vec<Cuts> {
    let ends = |lengths: &mut dyn Iterator<Item = usize>| -> Cuts {
        lengths.scan(0, |said, length| Some(std::mem::replace(said, *said + length))).collect()
    };
    let between = ends(&mut pieces.iter().map(|(_, bytes)| bytes.as_ref().len()));
    let starts = ends(&mut turns.iter().map(|(_, said)| said.len()));
    let segments = LENGTHS.map(|length| {
        let of_turn = |(start, (_, said)): (&usize, &Turn)| (*start..*start + said.len()).step_by(length);
        starts.iter().zip(turns).flat_map(of_turn).collect()
    });
    let said = turns.iter().map(|(_, said)| said.len()).sum::<usize>().max(1) as u64;
    let mut random = Random::new(seed());
    let anywhere = (1..=TIMES).map(|time| {
        let count = 1 + random.below(said.min(1 << time));
        (0..count).map(|_| random.below(said) as usize).collect()
    });
    [between].into_iter().chain(segments).chain(anywhere).collect()
}

/// Seed, fixed in all runs; `make properties` sets another one.
fn seed() -> u64 {
    env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// Returns the transactions, fields and records of the turns, and of the end.
fn summary(open: &impl Fn() -> Conversation, turns: &[Turn], cuts: &Cuts) -> String {
    let (mut conversation, mut said) = (open(), 0);
    for (direction, bytes) in turns {
        // A turn takes a second, in any number of segments.
        conversation.clock += 1;
        let (start, end) = (said, said + bytes.len());
        for &cut in cuts.range(start + 1..end.max(start + 1)).chain([&end]) {
            conversation.push_piece(*direction, &bytes[said - start..cut - start]);
            said = cut;
        }
    }
    conversation.close();
    conversation.summary()
}

fn differ(open: &impl Fn() -> Conversation, turns: &[Turn], cuts: &Cuts) -> bool {
    summary(open, turns, cuts) != summary(open, turns, &Cuts::new())
}

/// Tells of a difference, of as few turns and cuts as show one.
fn difference(open: &impl Fn() -> Conversation, mut turns: Vec<Turn>, mut cuts: Cuts) -> String {
    while turns.len() > 1 && differ(open, &turns[..turns.len() - 1], &cuts) {
        turns.pop();
    }
    let mut tries = 0;
    let mut at_once = cuts.len();
    while at_once > 0 {
        let all: Vec<usize> = cuts.iter().copied().collect();
        for some in all.chunks(at_once) {
            let fewer: Cuts = cuts.iter().copied().filter(|cut| !some.contains(cut)).collect();
            tries += 1;
            if tries <= MAX_SHRINKS && differ(open, &turns, &fewer) {
                cuts = fewer;
            }
        }
        at_once /= 2;
    }
    let (whole, pieces) = (summary(open, &turns, &Cuts::new()), summary(open, &turns, &cuts));
    let mut text = "segments make a difference\n".to_owned();
    let mut start = 0;
    let told = turns.iter().map(|(direction, bytes)| {
        let end = start + bytes.len();
        let here: Vec<usize> = cuts.range(start + 1..end.max(start + 1)).map(|cut| cut - start).collect();
        start = end;
        (!here.is_empty()).then(|| format!("{direction:?}: {} bytes, cut at {here:?}\n", bytes.len()))
    });
    for turns in told.collect::<Vec<_>>().chunk_by(|one, other| one.is_none() && other.is_none()) {
        match turns.iter().flatten().next() {
            Some(cut) => text += cut,
            None => _ = writeln!(text, "{} turns in one piece", turns.len()),
        }
    }
    let same = whole.lines().zip(pieces.lines()).take_while(|(one, other)| one == other).count();
    let line = |of: &str| of.lines().nth(same).unwrap_or("nothing").to_owned();
    let (whole, pieces) = excerpts(&line(&whole), &line(&pieces));
    text + &format!("in one piece: {whole}\n  in segments: {pieces}\n")
}

/// Cuts two lines that differ down to what is around the first difference.
fn excerpts(one: &str, other: &str) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let skipped = same.saturating_sub(EXCERPT / 4);
    let excerpt = |line: &str| {
        let dots = |are: bool| if are { "…" } else { "" };
        let shown: String = line.chars().skip(skipped).take(EXCERPT).collect();
        let more = line.chars().count() > skipped + EXCERPT;
        format!("{}{shown}{}", dots(skipped > 0), dots(more))
    };
    (excerpt(one), excerpt(other))
}

#[test]
fn a_difference_is_told_with_what_makes_it() {
    // A datagram is a message, and no part of one is.
    let open = || Conversation::over(Transport::Udp, &crate::dns::DNS, &NoOptions);
    let query = b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01".to_vec();
    let turns = vec![(UP, query.clone()), (DOWN, query)];
    let told = difference(&open, turns, Cuts::from([0, 3, 5, 30]));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[..2], ["segments make a difference", "ToServer: 19 bytes, cut at [5]"]);
    assert!(lines[2].starts_with("in one piece: 0 ") && lines[2].ends_with(" []"), "{told}");
    assert!(lines[3].starts_with("  in segments: 0 ") && lines[3].contains("malformed_data"), "{told}");
    assert_eq!(lines.len(), 4);
}

#[test]
fn a_difference_in_much_is_told_in_little() {
    // Many queries, of which all or the last are cut.
    let open = || Conversation::over(Transport::Udp, &crate::dns::DNS, &NoOptions);
    let query = [b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x3f".as_slice(), &[b'a'; 63], b"\0\0\x01\0\x01"].concat();
    let turns: Vec<Turn> = (0..60).map(|turn| ([UP, DOWN][turn % 2], query.clone())).collect();
    let said: usize = turns.iter().map(|(_, said)| said.len()).sum();
    for cuts in [(1..said).step_by(3).collect(), Cuts::from([said - 9])] {
        let told = difference(&open, turns.clone(), cuts);
        assert!(told.contains("bytes, cut at ["), "{told}");
        assert!(told.lines().count() <= 6 && told.len() < 1_200, "{told}");
    }
}
