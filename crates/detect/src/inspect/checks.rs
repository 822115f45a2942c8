//! Runs the checks of a buffer. A content or regular expression that later checks are relative to
//! is tried at each of its occurrences until the rest holds; the steps of one rule are bounded.

use std::sync::Arc;

use weir_base::steps;

use crate::explain::{Look, Recorder, Silent};
use crate::model::buffer::regex::keep;
use crate::model::buffer::{Base64Decode, Buffer, BufferScratch, Check, Content};

/// Most places of a payload that a rule replaces.
const MAX_REPLACED: usize = 64;

/// Decoded bytes that take as long as a step of an inspection.
const BYTES_PER_STEP: usize = 48;

/// End of a run of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// All hold.
    Holds,
    /// They do not from here on; another place of an earlier check may do.
    Fails,
    /// They never will in this buffer.
    Never,
}

/// Whether all `checks` hold in `buffer`.
pub fn inspect(checks: &[Check], buffer: &Buffer<'_>, scratch: &mut BufferScratch) -> bool {
    inspect_with(checks, buffer, scratch, &mut Silent)
}

/// Whether all `checks` hold in `buffer`, recorded by `recorder`.
pub fn inspect_with(
    checks: &[Check],
    buffer: &Buffer<'_>,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> bool {
    let before = scratch.steps;
    scratch.searches = 0;
    scratch.absent.clear();
    let holds = inspect_within(checks, buffer, scratch, recorder);
    steps::count(before.saturating_sub(scratch.steps) as usize);
    scratch.out_of_steps += u64::from(!holds && scratch.steps == 0);
    holds
}

/// Whether all `checks` hold in a part of the inspection of another buffer.
fn inspect_within(
    checks: &[Check],
    buffer: &Buffer<'_>,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> bool {
    recorder.note(|recording| recording.enter(checks));
    let holds = run(checks, buffer, 0, scratch, recorder) == End::Holds;
    recorder.note(|recording| recording.leave(holds));
    holds
}

/// Whether something is decoded and the checks on it hold.
fn decoded_holds(
    check: &Base64Decode,
    buffer: &Buffer<'_>,
    previous: usize,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> bool {
    let mut decoded = std::mem::take(&mut scratch.decoded);
    decoded.clear();
    check.decode(buffer, previous, &mut decoded);
    // What is absent from other bytes says nothing of these, and the other way round.
    let absent = std::mem::take(&mut scratch.absent);
    let holds =
        !decoded.is_empty() && inspect_within(&check.checks, &Buffer::whole(&decoded), scratch, recorder);
    scratch.absent = absent;
    // The first one is looked at whatever it takes.
    scratch.steps = scratch.steps.saturating_sub((decoded.len() / BYTES_PER_STEP) as u32);
    scratch.decoded = decoded;
    holds
}

/// Runs the checks from the first of `checks` on; `previous` is where the one before ended.
fn run(
    checks: &[Check],
    buffer: &Buffer<'_>,
    previous: usize,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> End {
    let mut checks = checks;
    let mut previous = previous;
    while let Some((check, rest)) = checks.split_first() {
        if scratch.steps == 0 {
            return End::Never;
        }
        scratch.steps -= 1;
        if check.has_followers() {
            return run_at_each(check, rest, buffer, previous, scratch, recorder);
        }
        let passed = recorder.make(check, |recorder| pass(check, buffer, previous, scratch, recorder));
        recorder.note(|recording| {
            recording.check(check, checks.len(), &Look { buffer, previous, resume: 0 }, scratch, passed);
        });
        match passed {
            Some(end) => previous = end,
            // What is not relative fails wherever the checks before matched.
            None if check.is_relative() && !check.is_last_hope() => return End::Fails,
            None => return End::Never,
        }
        checks = rest;
    }
    End::Holds
}

/// Makes a check that none is relative to; the answer is where it ended, if it holds.
#[inline]
fn pass(
    check: &Check,
    buffer: &Buffer<'_>,
    previous: usize,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> Option<usize> {
    match check {
        Check::Content(content) => {
            let found = find_content(content, buffer, previous, 0, scratch);
            found.inspect(|end| note_replacement(content, *end, scratch))
        }
        Check::Regex(regex) => regex.find(buffer, previous, 0, scratch),
        Check::IsDataAt(check) => check.holds(buffer, previous, scratch).then_some(previous),
        Check::ByteTest(check) => check.holds(buffer, previous, scratch).then_some(previous),
        Check::ByteJump(check) => check.jump(buffer, previous, scratch),
        Check::ByteExtract(check) => check.extract(buffer, previous, scratch),
        Check::ByteMath(check) => check.calculate(buffer, previous, scratch),
        Check::Base64Decode(check) => {
            decoded_holds(check, buffer, previous, scratch, recorder).then_some(previous)
        }
        Check::Whole(check) => check.holds(buffer, previous, scratch).then_some(previous),
    }
}

/// Notes what takes the place of a content that ends at a place.
#[inline]
fn note_replacement(content: &Content, end: usize, scratch: &mut BufferScratch) {
    if let Some(bytes) = &content.replacement
        && let Some(at) = end.checked_sub(bytes.len())
        && scratch.replaced.len() < MAX_REPLACED
    {
        scratch.replaced.push((at, Arc::clone(bytes)));
    }
}

/// Where `content` ends, searched from `resume` on; for a negated one, `previous` where it is absent.
fn find_content(
    content: &Content,
    buffer: &Buffer<'_>,
    previous: usize,
    resume: usize,
    scratch: &BufferScratch,
) -> Option<usize> {
    let found = locate(content, buffer, previous, resume, scratch);
    if content.negated { found.is_none().then_some(previous) } else { found }
}

/// One past the last byte of the first occurrence of `content` in its window.
fn locate(
    content: &Content,
    buffer: &Buffer<'_>,
    previous: usize,
    resume: usize,
    scratch: &BufferScratch,
) -> Option<usize> {
    let matcher = content.matcher();
    let length = buffer.bytes.len();
    let (mut start, end) = content.window(length, buffer.offset, previous, resume, &scratch.variables)?;
    if content.ends_with {
        // Only the last place counts.
        if !buffer.ends {
            return None;
        }
        start = start.max(length.checked_sub(content.bytes.len())?);
        let found = matcher.find_at(buffer.bytes, start, end)?;
        return (found + content.bytes.len() == length).then_some(length);
    }
    matcher.find_at(buffer.bytes, start, end).map(|found| found + content.bytes.len())
}

/// Where a check that others are relative to was found.
struct Place {
    /// One past its last byte.
    end: usize,
    /// Where the next one is searched from.
    next: usize,
}

/// Tries each place of a content or an expression that the next check is relative to.
fn run_at_each(
    check: &Check,
    rest: &[Check],
    buffer: &Buffer<'_>,
    previous: usize,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> End {
    let mut resume = 0;
    loop {
        let found = recorder.make(check, |_| place(check, buffer, previous, resume, scratch));
        recorder.note(|recording| {
            let end = found.as_ref().map(|place| place.end);
            recording.check(check, rest.len() + 1, &Look { buffer, previous, resume }, scratch, end);
        });
        let Some(Place { end, next }) = found else {
            let may_lie_elsewhere = (check.is_relative() || resume > 0) && !check.is_last_hope();
            return if may_lie_elsewhere { End::Fails } else { End::Never };
        };
        // Contents capture nothing: their followers use the list of groups in place.
        let groups = matches!(check, Check::Regex(_)).then(|| std::mem::take(&mut scratch.groups));
        let (before, replaced) = (scratch.captured.len(), scratch.replaced.len());
        if let Check::Content(content) = check {
            note_replacement(content, end, scratch);
        }
        match run(rest, buffer, end, scratch, recorder) {
            End::Fails => {}
            End::Holds => {
                keep(groups.as_deref().unwrap_or_default(), buffer, before, scratch);
                return End::Holds;
            }
            End::Never => return End::Never,
        }
        scratch.captured.truncate(before);
        scratch.replaced.truncate(replaced);
        if let Some(groups) = groups {
            scratch.groups = groups;
        }
        if scratch.steps == 0 || next > buffer.bytes.len() {
            return End::Never;
        }
        resume = next;
    }
}

/// The first place of a content or an expression from `resume` on.
fn place(
    check: &Check,
    buffer: &Buffer<'_>,
    previous: usize,
    resume: usize,
    scratch: &mut BufferScratch,
) -> Option<Place> {
    scratch.groups.clear();
    match check {
        Check::Content(content) => {
            let end = locate(content, buffer, previous, resume, scratch)?;
            Some(Place { end, next: end - content.bytes.len() + 1 })
        }
        Check::Regex(regex) => {
            let (start, end) = regex.locate(buffer, previous, resume, scratch).ok()??;
            Some(Place { end, next: start + 1 })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use weir_mpm::{Regex, RegexLimits, RegexOptions};

    use super::*;
    use crate::model::buffer::{Base64Decode, IsDataAt, Number, RegexCheck, find_last_hopes};

    fn content(text: &str, edit: impl FnOnce(&mut Content)) -> Check {
        let mut content = Content::new(text.as_bytes().to_vec(), false);
        edit(&mut content);
        Check::Content(Box::new(content))
    }

    fn holds(checks: Vec<Check>, text: &str) -> bool {
        inspected(checks, text).0
    }

    fn inspected(mut checks: Vec<Check>, text: &str) -> (bool, BufferScratch) {
        for index in 0..checks.len() {
            let followed = checks.get(index + 1).is_some_and(Check::is_relative);
            checks[index].set_followed(followed);
        }
        find_last_hopes(&mut checks);
        let mut scratch = BufferScratch { steps: 3000, ..Default::default() };
        let holds = inspect(&checks, &Buffer::whole(text.as_bytes()), &mut scratch);
        (holds, scratch)
    }

    #[test]
    fn relative_contents_try_every_occurrence() {
        let chain = || {
            vec![
                content("a", |_| ()),
                content("b", |c| {
                    c.distance = Some(Number::Value(0));
                    c.within = Some(Number::Value(1));
                }),
                content("c", |c| {
                    c.distance = Some(Number::Value(0));
                    c.within = Some(Number::Value(1));
                }),
            ]
        };
        assert!(holds(chain(), "a ab abc"));
        assert!(!holds(chain(), "a ab ac bc"));
    }

    #[test]
    fn negated_and_anchored_contents() {
        let cases = [
            (vec![content("x", |c| c.negated = true)], "abc", true),
            (vec![content("b", |c| c.negated = true)], "abc", false),
            (vec![content("bc", |c| c.ends_with = true)], "abcbc", true),
            (vec![content("ab", |c| c.ends_with = true)], "abcbc", false),
            (vec![content("B", |c| c.nocase = true)], "abc", true),
            (vec![content("b", |c| c.depth = Some(Number::Value(1)))], "abc", false),
            (
                vec![
                    content("a", |_| ()),
                    content("b", |c| {
                        c.negated = true;
                        c.within = Some(Number::Value(1));
                    }),
                ],
                "abac",
                true,
            ),
        ];
        for (index, (checks, text, expected)) in cases.into_iter().enumerate() {
            assert_eq!(holds(checks, text), expected, "case {index}");
        }
    }

    #[test]
    fn steps_bound_the_work() {
        let mut checks: Vec<Check> = vec![content("a", |_| ())];
        for _ in 0..8 {
            checks.push(content("a", |c| c.distance = Some(Number::Value(0))));
        }
        checks.push(Check::IsDataAt(IsDataAt { at: Number::Value(1000), relative: true, negated: false }));
        assert!(!holds(checks, &"a".repeat(500)), "ends, and does not hold");
    }

    fn behind(text: &str, distance: i32, within: Option<i32>) -> Check {
        content(text, |c| {
            c.distance = Some(Number::Value(distance));
            c.within = within.map(Number::Value);
        })
    }

    #[test]
    fn what_is_absent_from_the_buffer_is_searched_for_once() {
        for length in [40, 150, 500] {
            let mut negated = expression(r"zzz\d", false);
            if let Check::Regex(regex) = &mut negated {
                regex.negated = true;
            }
            let follows = Check::IsDataAt(IsDataAt { at: Number::Value(1), relative: true, negated: false });
            let checks = vec![content("a", |_| ()), follows, negated, behind("b", 0, Some(1))];
            assert!(holds(checks, &format!("{}b", "a".repeat(length))), "{length}");
        }
    }

    #[test]
    fn nothing_is_tried_without_hope() {
        let text = format!("{}c", "ab".repeat(400));
        // What follows the contents, and the most steps until it is known whether it does.
        for (rest, expected, most) in [
            (vec![behind("never", 0, None)], false, 10),
            (vec![behind("b", -1, None), behind("never", 0, None)], false, 10),
            (vec![behind("c", 0, None), behind("never", 0, Some(5))], false, 10),
            (vec![behind("b", 0, None), behind("c", 0, Some(1))], true, 3000),
            (vec![behind("c", 0, Some(3))], true, 3000),
        ] {
            let mut chain = vec![content("a", |_| ()), behind("b", 0, Some(1))];
            chain.extend(rest);
            let (holds, scratch) = inspected(chain, &text);
            let taken = 3000 - scratch.steps;
            assert!(holds == expected && taken <= most, "{holds} after {taken} steps");
        }
    }

    fn expression(pattern: &str, relative: bool) -> Check {
        let options = RegexOptions { in_parts: relative, ..RegexOptions::default() };
        let regex = Regex::new(pattern.as_bytes(), options, RegexLimits::default()).unwrap();
        let captures = (1..=regex.capture_count()).map(|group| (group, group as u32)).collect();
        Check::Regex(Box::new(RegexCheck {
            regex: Arc::new(regex),
            negated: false,
            nocase: false,
            relative,
            followed: false,
            captures,
        }))
    }

    #[test]
    fn what_matches_in_the_end_is_captured() {
        let chain = vec![content("=", |_| ()), expression("^([a-z]+)", true), behind(";", 0, Some(1))];
        let (holds, scratch) = inspected(chain, "a=b, c=de, f=gh;");
        assert!(holds && scratch.captured == [(1, b"gh".to_vec())], "{:?}", scratch.captured);
        let chain = vec![expression("a(.)", false), expression("^b(.)", true), behind(";", 0, Some(1))];
        let (holds, scratch) = inspected(chain, "a1bx a2by;");
        assert!(
            holds && scratch.captured == [(1, b"2".to_vec()), (1, b"y".to_vec())],
            "{:?}",
            scratch.captured
        );
    }

    #[test]
    fn decoding_takes_steps() {
        let decode =
            Base64Decode { bytes: None, offset: 0, relative: true, checks: vec![content("never", |_| ())] };
        let chain = vec![content("k", |_| ()), Check::Base64Decode(Box::new(decode))];
        let (holds, scratch) = inspected(chain, &"k".repeat(64_000));
        // Some 64,000 bytes again and again, at 64 a step.
        assert!(!holds && scratch.steps == 0 && scratch.searches == 0);
    }

    /// Only walks that fail are bounded: matches among many places are found.
    #[test]
    fn matches_among_many_places_are_found() {
        let dots = ".".repeat(5000);
        let near = |text| behind(text, 0, Some(3));
        let numbers = format!("{}77XYZ{dots}", "12345 ".repeat(20));
        assert!(holds(vec![expression("[0-9]+", false), near("XYZ")], &numbers));
        let fields: String = (0..120).map(|field| format!("field{field}={field}&")).collect();
        assert!(holds(vec![expression("=[0-9]+", false), near(";dr")], &format!("{fields}z=4;drop{dots}")));
        let tags = format!("k{}", "a".repeat(149)).repeat(40);
        let tagged = format!("{tags}k{}evil{dots}", "a".repeat(100));
        assert!(holds(vec![content("k", |_| ()), expression("^.{0,140}evil", true)], &tagged));
        let decode =
            Base64Decode { bytes: None, offset: 0, relative: true, checks: vec![content("evil", |_| ())] };
        let images = format!("base64,{}\"", "QUJD".repeat(1800)).repeat(6);
        let page = format!("{images}base64,ZXZpbCBldmls\"{dots}");
        assert!(holds(vec![content("base64,", |_| ()), Check::Base64Decode(Box::new(decode))], &page));
    }

    /// An expression that is absent from some place on is looked for behind others where it can still be.
    #[test]
    fn expressions_that_begin_lines_are_found_behind_many_places() {
        let lines = format!("k{}\n", ".".repeat(9)).repeat(1000);
        let dots = ".".repeat(5000);
        for (pattern, end, expected) in [
            ("(?m)^(?:fooevil|barevil)", "kbarevil", true),
            ("(?m)(?:^bar|zz)evil", "kbarevil", true),
            ("(?:^bar|zz)evil", "kbarevil", true),
            ("(?<!x)\\bbarevil$|^evil", "kevil", true),
            ("(?m)^(?:fooevil|barevil)", "kbazevil", false),
            ("(?m)(?:^bar|zz)evil", "k.barevil", false),
        ] {
            let text = format!("{lines}{end}{dots}");
            let (holds, scratch) = inspected(vec![content("k", |_| ()), expression(pattern, true)], &text);
            assert_eq!((holds, scratch.steps > 0), (expected, true), "{pattern} {end}");
        }
        // What is absent from one part of what is decoded may be in another.
        let decode = |checks| Base64Decode { bytes: None, offset: 0, relative: true, checks };
        let decode = decode(vec![content("k", |_| ()), expression("(?:^bar|zz)evil", true)]);
        let page = format!("{}base64,a2JhcmV2aWw=\"", "base64,a2sgaw==\"".repeat(30));
        assert!(holds(vec![content("base64,", |_| ()), Check::Base64Decode(Box::new(decode))], &page));
    }

    /// Neither the expression nor its negation holds where its match takes more than it may.
    #[test]
    fn a_match_without_an_answer_holds_in_no_way() {
        for negated in [false, true] {
            let mut check = expression("^(?:(?:a+)+)+z", false);
            if let Check::Regex(regex) = &mut check {
                regex.negated = negated;
            }
            assert!(!holds(vec![check], &format!("{}bz", "a".repeat(64))), "{negated}");
        }
    }

    #[test]
    fn searches_behind_many_contents_are_bounded() {
        let text = format!("{}zy", "k".repeat(1000));
        // An expression behind each letter, and the searches that it has.
        for (pattern, searches) in [
            // A few bytes tell: each place is looked at.
            ("^k[^kz]y", 900..=1000),
            // All of the text is walked over again and again.
            ("^k[^z]*y", 100..=400),
            // It is nowhere behind the first place: what little others could add is looked at.
            ("x[^z]*y", 900..=1000),
        ] {
            let (holds, scratch) = inspected(vec![content("k", |_| ()), expression(pattern, true)], &text);
            assert!(!holds && searches.contains(&scratch.searches), "{pattern}: {}", scratch.searches);
        }
        let (holds, _) = inspected(vec![content("k", |_| ()), expression("^zy$", true)], &text);
        assert!(holds, "the last place is as good as the first");
    }
}
