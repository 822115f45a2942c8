//! Runs the checks of a buffer. A content or regular expression that later checks are relative to
//! is tried at each of its occurrences until the rest holds; the steps of one rule are bounded.

use super::{Buffer, BufferScratch, Check, Content, RegexCheck};
use crate::explain::{Look, Recorder, Silent};

/// How a run of checks ended.
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

/// The same, told to `recorder`.
pub fn inspect_with(
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
        let passed = match check {
            Check::Content(content) if content.followed && !content.negated => {
                return run_content((check, content), rest, buffer, previous, scratch, recorder);
            }
            Check::Content(content) => find_content(content, buffer, previous, 0, scratch),
            Check::Regex(regex) if regex.followed && !regex.negated => {
                return run_regex((check, regex), rest, buffer, previous, scratch, recorder);
            }
            Check::Regex(regex) => regex.find(buffer, previous, 0, scratch),
            Check::IsDataAt(check) => check.holds(buffer, previous, scratch).then_some(previous),
            Check::ByteTest(check) => check.holds(buffer, previous, scratch).then_some(previous),
            Check::ByteJump(check) => check.jump(buffer, previous, scratch),
            Check::ByteExtract(check) => check.extract(buffer, previous, scratch),
            Check::ByteMath(check) => check.calculate(buffer, previous, scratch),
            Check::Base64Decode(check) => {
                check.holds(buffer, previous, scratch, recorder).then_some(previous)
            }
            Check::Whole(check) => check.holds(buffer, previous, scratch).then_some(previous),
        };
        recorder.note(|recording| {
            recording.check(check, checks.len(), &Look { buffer, previous, resume: 0 }, scratch, passed);
        });
        match passed {
            Some(end) => previous = end,
            // What is not relative fails wherever the checks before matched.
            None if check.is_relative() => return End::Fails,
            None => return End::Never,
        }
        checks = rest;
    }
    End::Holds
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

/// Tries each occurrence of a content that the next check is relative to.
fn run_content(
    (check, content): (&Check, &Content),
    rest: &[Check],
    buffer: &Buffer<'_>,
    previous: usize,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> End {
    let mut resume = 0;
    loop {
        let found = locate(content, buffer, previous, resume, scratch);
        recorder.note(|recording| {
            recording.check(check, rest.len() + 1, &Look { buffer, previous, resume }, scratch, found);
        });
        let Some(end) = found else {
            return if content.is_relative() || resume > 0 { End::Fails } else { End::Never };
        };
        match run(rest, buffer, end, scratch, recorder) {
            End::Fails => {}
            ended => return ended,
        }
        if scratch.steps == 0 {
            return End::Never;
        }
        resume = end - content.bytes.len() + 1;
    }
}

/// Tries each match of a regular expression that the next check is relative to.
fn run_regex(
    (check, regex): (&Check, &RegexCheck),
    rest: &[Check],
    buffer: &Buffer<'_>,
    previous: usize,
    scratch: &mut BufferScratch,
    recorder: &mut impl Recorder,
) -> End {
    let mut resume = 0;
    loop {
        let found = regex.locate(buffer, previous, resume, scratch);
        recorder.note(|recording| {
            let end = found.map(|(_, end)| end);
            recording.check(check, rest.len() + 1, &Look { buffer, previous, resume }, scratch, end);
        });
        let Some((start, end)) = found else {
            return if regex.relative || resume > 0 { End::Fails } else { End::Never };
        };
        match run(rest, buffer, end, scratch, recorder) {
            End::Fails => {}
            ended => return ended,
        }
        if scratch.steps == 0 || start >= buffer.bytes.len() {
            return End::Never;
        }
        resume = start + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{IsDataAt, Number};
    use super::*;

    fn content(text: &str, edit: impl FnOnce(&mut Content)) -> Check {
        let mut content = Content::new(text.as_bytes().to_vec(), false);
        edit(&mut content);
        Check::Content(Box::new(content))
    }

    fn holds(mut checks: Vec<Check>, text: &str) -> bool {
        for index in 0..checks.len() {
            let followed = checks.get(index + 1).is_some_and(Check::is_relative);
            checks[index].set_followed(followed);
        }
        let mut scratch = BufferScratch { steps: 3000, ..Default::default() };
        inspect(&checks, &Buffer::whole(text.as_bytes()), &mut scratch)
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
}
