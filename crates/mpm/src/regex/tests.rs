use std::ops::Range;
use std::time::{Duration, Instant};

use super::*;

fn regex(pattern: &[u8], options: RegexOptions) -> Regex {
    Regex::new(pattern, options, RegexLimits::default()).unwrap()
}

fn find(pattern: &[u8], options: RegexOptions, subject: &[u8], start: usize) -> Option<Range<usize>> {
    let mut scratch = RegexScratch::new();
    regex(pattern, options).find_at(subject, start, &mut scratch).unwrap().map(|captures| captures.range())
}

/// Pattern, options, subject, start, expected.
type Case = (&'static [u8], RegexOptions, &'static [u8], usize, Option<Range<usize>>);

#[test]
fn options_change_what_matches() {
    let none = RegexOptions::default();
    let cases: Vec<Case> = vec![
        (b"b+", none, b"abbbc", 0, Some(1..4)),
        (b"B+", none, b"abbbc", 0, None),
        (b"B+", RegexOptions { caseless: true, ..none }, b"abbbc", 0, Some(1..4)),
        (b"a.c", none, b"a\nc", 0, None),
        (b"a.c", RegexOptions { dotall: true, ..none }, b"a\nc", 0, Some(0..3)),
        (b"^c", none, b"a\nc", 0, None),
        (b"^c", RegexOptions { multiline: true, ..none }, b"a\nc", 0, Some(2..3)),
        (b"a c # d", RegexOptions { extended: true, ..none }, b"ac", 0, Some(0..2)),
        (b"c", RegexOptions { anchored: true, ..none }, b"ac", 0, None),
        (b"c", RegexOptions { anchored: true, ..none }, b"ac", 1, Some(1..2)),
        (b"c$", none, b"c\n", 0, Some(0..1)),
        (b"c$", RegexOptions { dollar_end_only: true, ..none }, b"c\n", 0, None),
        (b"b+", RegexOptions { ungreedy: true, ..none }, b"abbbc", 0, Some(1..2)),
        (b"(?<=a)b", none, b"ab", 1, Some(1..2)),
        (b"^b", none, b"ab", 1, None),
        (b"\xff\\xfe", none, b"\x00\xff\xfe", 0, Some(1..3)),
        (b"x?", none, b"", 0, Some(0..0)),
        (b"", none, b"ab", 2, Some(2..2)),
        (b"", none, b"ab", 3, None),
    ];
    for (pattern, options, subject, start, expected) in cases {
        let shown = String::from_utf8_lossy(pattern);
        assert_eq!(find(pattern, options, subject, start), expected, "{shown} {options:?}");
    }
}

#[test]
fn groups_are_given_by_number_and_name() {
    let regex = regex(b"(?<user>\\w+)(?:=(?<value>\\d+))?(;)?", RegexOptions::default());
    assert_eq!(regex.capture_count(), 3);
    assert_eq!(regex.capture_names(), [("user".to_owned(), 1), ("value".to_owned(), 2)]);
    let mut scratch = RegexScratch::new();
    let captures = regex.find_at(b"  ann=42", 0, &mut scratch).unwrap().unwrap();
    let groups: Vec<_> = (0..5).map(|number| captures.group(number)).collect();
    assert_eq!(groups, [Some(2..8), Some(2..5), Some(6..8), None, None]);
    let captures = regex.find_at(b"bob;", 0, &mut scratch).unwrap().unwrap();
    let groups: Vec<_> = (0..4).map(|number| captures.group(number)).collect();
    assert_eq!(groups, [Some(0..4), Some(0..3), None, Some(3..4)]);
}

#[test]
fn a_runaway_pattern_ends_at_its_limit() {
    let mut scratch = RegexScratch::new();
    let subject = [b'a'; 4000];
    for pattern in
        [&b"^(([a-z])+.)+[A-Z]([a-z])+$"[..], b"(a+)+[0-9]", b"(*NO_JIT)^(([a-z])+.)+[A-Z]([a-z])+$"]
    {
        let regex = regex(pattern, RegexOptions::default());
        let started = Instant::now();
        assert_eq!(regex.is_match(&subject, &mut scratch), Err(MatchError::Limit));
        assert!(started.elapsed() < Duration::from_secs(1));
        // The scratch is as good as before.
        assert_eq!(regex.is_match(b"-", &mut scratch), Ok(false));
    }
}

#[test]
fn a_window_tells_of_patterns_that_begin_at_the_start() {
    let mut scratch = RegexScratch::new();
    // A pattern, what a search of eight bytes sees, and whether it is known to fail whatever follows.
    for (pattern, subject, expected) in [
        (&b"^abc"[..], &b"abd45678rest"[..], true),
        (b"^abc", b"abc45678rest", false),
        (b"^[a-z]+\\d", b"abcdefghijk1", false),
        (b"^[a-z]+\\d", b"abc-efghijk1", true),
        (b"^[^z]*y", b"kkkkkkkkkkkk", false),
        (b"^abcdefgh$", b"abcdefgh", false),
        (b"(?i)^ABC(?!d)", b"abcd5678", true),
        (b"^abcdefgh(?!i)", b"abcdefghi", false),
        (b"abc", b"xyz45678rest", false),
        (b"^abc|d", b"xyz45678rest", false),
    ] {
        let regex = regex(pattern, RegexOptions::default());
        assert_eq!(regex.fails_within(subject, 8, &mut scratch), expected, "{}", pattern.escape_ascii());
        let found = regex.is_match(subject, &mut scratch).unwrap();
        assert!(!(found && expected), "{}", pattern.escape_ascii());
    }
}

#[test]
fn each_pattern_has_its_own_limits_in_one_scratch() {
    let mut scratch = RegexScratch::new();
    let pattern = b"^(([a-z])+.)+[A-Z]([a-z])+$";
    let subject = [b'a'; 12];
    let tight = RegexLimits { matches: 10, ..RegexLimits::default() };
    let tight = Regex::new(pattern, RegexOptions::default(), tight).unwrap();
    let loose = Regex::new(pattern, RegexOptions::default(), RegexLimits::UNLIMITED).unwrap();
    for _ in 0..2 {
        assert_eq!(tight.is_match(&subject, &mut scratch), Err(MatchError::Limit));
        assert_eq!(loose.is_match(&subject, &mut scratch), Ok(false));
    }
}

#[test]
fn a_wrong_pattern_says_where() {
    let error = Regex::new(b"ab(c", RegexOptions::default(), RegexLimits::default()).unwrap_err();
    assert_eq!(error.offset, 4);
    assert!(error.to_string().contains("missing closing parenthesis"), "{error}");
}

#[test]
fn workers_share_a_pattern() {
    let regex = regex(b"(\\d+)-(\\d+)", RegexOptions::default());
    std::thread::scope(|scope| {
        for worker in 0..4usize {
            let regex = &regex;
            scope.spawn(move || {
                let mut scratch = RegexScratch::new();
                let subject = format!("{}{worker}-7", "x".repeat(worker));
                for _ in 0..100 {
                    let captures = regex.find_at(subject.as_bytes(), 0, &mut scratch).unwrap().unwrap();
                    assert_eq!(captures.range(), worker..subject.len());
                }
            });
        }
    });
}

#[test]
#[cfg(target_arch = "x86_64")]
fn patterns_become_machine_code() {
    assert!(regex(b"a.*b", RegexOptions::default()).code.machine().is_some());
}

#[test]
fn only_what_parts_are_searched_for_keeps_its_pattern() {
    for (in_parts, pattern, last) in [
        (true, &b"ab"[..], Some(2)),
        (true, b"(?<=abc)d", Some(4)),
        (true, b"^ab", None),
        (true, b"\\Gab", None),
        (false, b"ab", None),
    ] {
        let regex = regex(pattern, RegexOptions { in_parts, ..RegexOptions::default() });
        assert_eq!(regex.last_start(), last, "{}", pattern.escape_ascii());
    }
}
