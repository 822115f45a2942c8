//! Every back end finds the same patterns as a search that tries each literal at each place.

#![allow(clippy::indexing_slicing, clippy::panic)]

use proptest::prelude::*;
use weir_mpm::{Backend, BuildError, Literal, MatchScratch, MultiMatcher, PatternSet};

const BACKENDS: [Backend; 6] = [
    Backend::Auto,
    Backend::Memmem,
    Backend::Teddy,
    Backend::DoubleArray,
    Backend::Fingerprint,
    Backend::Hyperscan,
];

fn naive(literals: &[Literal], haystack: &[u8]) -> Vec<u32> {
    let occurs = |literal: &Literal| {
        (0..haystack.len()).any(|start| {
            let end = start + literal.bytes.len();
            let Some(found) = haystack.get(start..end) else { return false };
            let same = if literal.nocase {
                found.eq_ignore_ascii_case(&literal.bytes)
            } else {
                found == literal.bytes
            };
            same && start >= literal.earliest_start as usize && end <= literal.latest_end as usize
        })
    };
    let mut ids: Vec<u32> =
        literals.iter().filter(|literal| occurs(literal)).map(|literal| literal.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn found(matcher: &MultiMatcher, scratch: &mut MatchScratch, haystack: &[u8]) -> Vec<u32> {
    let mut set = PatternSet::new();
    matcher.find_set(haystack, scratch, &mut set);
    let mut ids = set.as_slice().to_vec();
    ids.sort_unstable();
    let mut reported = Vec::new();
    matcher.find(haystack, scratch, &mut |id, end| {
        assert!(end <= haystack.len());
        reported.push(id);
    });
    reported.sort_unstable();
    reported.dedup();
    assert_eq!(ids, reported, "{:?}", matcher.backend());
    ids
}

/// Builds with every back end that can take the literals, and compares.
fn check(literals: &[Literal], haystacks: &[&[u8]]) {
    let mut scratch = MatchScratch::new();
    for backend in BACKENDS {
        match MultiMatcher::build(literals.to_vec(), backend) {
            Ok(matcher) => {
                for haystack in haystacks {
                    let expected = naive(literals, haystack);
                    assert_eq!(found(&matcher, &mut scratch, haystack), expected, "{backend:?} {haystack:?}");
                }
            }
            Err(BuildError::Unavailable { .. }) if backend != Backend::Auto => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn literals(of: &[(&str, bool)]) -> Vec<Literal> {
    of.iter().zip(0..).map(|(&(text, nocase), id)| Literal::new(text, nocase, id)).collect()
}

#[test]
fn finds_overlapping_and_nested_literals() {
    let set = literals(&[
        ("abcd", false),
        ("bc", false),
        ("cde", false),
        ("c", false),
        ("abc", false),
        ("e", true),
    ]);
    check(&set, &[b"abcde", b"xxabcxx", b"", b"c", b"zzzz", b"E"]);
}

#[test]
fn minds_case_where_asked() {
    let set = literals(&[
        ("GET", false),
        ("get", false),
        ("get", true),
        ("Get /", true),
        ("eT", false),
        ("@[", true),
    ]);
    check(&set, &[b"GET /", b"get /", b"gEt /", b"geT", b"`{", b"@["]);
}

#[test]
fn counts_occurrences_within_the_window_only() {
    let set = vec![
        Literal::new("ab", false, 0).within(2, u32::MAX),
        Literal::new("ab", false, 1).within(0, 4),
        Literal::new("ab", false, 2).within(2, 4),
        Literal::new("AB", true, 3).within(4, 6),
        Literal::new("ab", false, 4),
    ];
    check(&set, &[b"ab", b"abab", b"xxab", b"xxxab", b"ababab", b"xxxxAB", b"abxxxxab"]);
}

/// Keys that begin at place after place, before and behind which others occur once.
#[test]
fn finds_what_occurs_once_in_a_crowd() {
    let anywhere = literals(&[
        ("k", false),
        ("kk", true),
        ("lk", false),
        ("once", false),
        ("LAST", true),
        ("kx", false),
    ]);
    let mut within = anywhere.clone();
    within.push(Literal::new("kl", false, 90).within(3_000, 3_500));
    for all in [anywhere, within] {
        for place in [0, 10, 200, 2_000] {
            let mut text = b"kklk".repeat(1_000);
            text.splice(place..place, *b"once");
            text.extend_from_slice(b"last");
            check(&all, &[&text, text.get(..150).unwrap_or_default(), b"kkkkonce"]);
        }
    }
}

#[test]
fn same_bytes_serve_several_patterns() {
    let set =
        vec![Literal::new("x1", false, 9), Literal::new("x1", true, 3), Literal::new("x1", false, 4_000)];
    check(&set, &[b"..x1..", b"X1", b"x"]);
}

#[test]
fn an_empty_set_finds_nothing() {
    check(&[], &[b"", b"abc"]);
    assert_eq!(
        MultiMatcher::build(vec![Literal::new("", false, 5)], Backend::Auto).err(),
        Some(BuildError::EmptyLiteral { id: 5 })
    );
}

#[test]
fn every_length_and_place_in_long_buffers() {
    let set: Vec<Literal> = (1u32..40)
        .map(|length| Literal::new(vec![b'k' + (length % 9) as u8; length as usize], length % 2 == 0, length))
        .collect();
    let mut haystacks = Vec::new();
    for at in 0..70 {
        let mut haystack = vec![b'.'; 140];
        haystack[at..at + 20].fill(b'k' + (at % 9) as u8);
        haystacks.push(haystack);
    }
    let haystacks: Vec<&[u8]> = haystacks.iter().map(Vec::as_slice).collect();
    check(&set, &haystacks);
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn bytes(&mut self, length: u64, alphabet: &[u8]) -> Vec<u8> {
        (0..length).map(|_| alphabet[self.below(alphabet.len() as u64) as usize]).collect()
    }
}

#[test]
fn twenty_thousand_literals() {
    let mut numbers = Numbers(42);
    let alphabet = b"abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789/.=-\x00\xff";
    let set: Vec<Literal> = (0..20_000)
        .map(|id| {
            let length = 4 + numbers.below(17);
            Literal::new(numbers.bytes(length, alphabet), numbers.below(3) == 0, id)
        })
        .collect();
    let mut haystack = numbers.bytes(20_000, alphabet);
    for at in (0..19_000).step_by(500) {
        let literal = &set[numbers.below(20_000) as usize].bytes;
        haystack[at..at + literal.len()].copy_from_slice(literal);
    }
    let mut scratch = MatchScratch::new();
    let mut results = Vec::new();
    for backend in [Backend::Auto, Backend::DoubleArray, Backend::Fingerprint, Backend::Hyperscan] {
        if let Ok(matcher) = MultiMatcher::build(set.clone(), backend) {
            assert_eq!(matcher.id_bound(), 20_000);
            results.push(found(&matcher, &mut scratch, &haystack));
        }
    }
    assert!(results[0].len() >= 38 && results.iter().all(|result| *result == results[0]));
}

#[test]
fn one_scratch_serves_matchers_that_come_and_go() {
    let mut scratch = MatchScratch::new();
    for round in 0..100u32 {
        let set: Vec<Literal> =
            (0..70 + round).map(|id| Literal::new(format!("word{id}"), false, id)).collect();
        let matcher = MultiMatcher::build(set, Backend::Auto).unwrap();
        if round % 2 == 0 {
            scratch.grow_for([&matcher]);
        }
        assert_eq!(found(&matcher, &mut scratch, b"a word69 here"), [6, 69]);
    }
}

#[test]
fn workers_share_a_matcher() {
    let set: Vec<Literal> = (0..300).map(|id| Literal::new(format!("<{id}>"), true, id)).collect();
    let matchers: Vec<MultiMatcher> =
        BACKENDS.iter().filter_map(|&backend| MultiMatcher::build(set.clone(), backend).ok()).collect();
    std::thread::scope(|scope| {
        for worker in 0..4u32 {
            let matchers = &matchers;
            scope.spawn(move || {
                let mut scratch = MatchScratch::for_matchers(matchers);
                let haystack = format!("..<{worker}>..<29{worker}>");
                for matcher in matchers {
                    assert_eq!(found(matcher, &mut scratch, haystack.as_bytes()), [worker, 290 + worker]);
                }
            });
        }
    });
}

fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        Just(b'a'),
        Just(b'A'),
        Just(b'b'),
        Just(b'B'),
        Just(b'@'),
        Just(0u8),
        Just(0xffu8),
        any::<u8>()
    ]
}

fn literal() -> impl Strategy<Value = Literal> {
    let window = prop_oneof![4 => Just((0, u32::MAX)), 1 => (0u32..40, 0u32..80)];
    (proptest::collection::vec(byte(), 1..8), any::<bool>(), 0u32..30, window)
        .prop_map(|(bytes, nocase, id, (start, end))| Literal::new(bytes, nocase, id).within(start, end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_sets_in_random_buffers(
        few in proptest::collection::vec(literal(), 0..60),
        haystack in proptest::collection::vec(byte(), 0..300),
    ) {
        check(&few, &[&haystack, &haystack[haystack.len() / 2..]]);
    }
}
