//! Lua's patterns, matched here so that their work counts: backtracking takes time that grows with the text
//! to the power of the pattern's repetitions, which the interpreter's own matcher spends in one instruction.
//!
//! The language is that of the reference manual of Lua 5.4, section 6.4.1.

/// Most captures of a pattern.
pub(crate) const MAX_CAPTURES: usize = 32;

/// Most repetitions and captures within one another.
const MAX_DEPTH: usize = 200;

/// Reasons that a match ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// The pattern is none.
    Malformed(&'static str),
    /// The steps are used up.
    Steps,
}

/// Extent of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// Its end was not seen yet.
    Open,
    /// A position, not text.
    Position,
    /// So many bytes.
    Bytes(usize),
}

/// A capture, as a script gets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Capture<'t> {
    /// Text.
    Text(&'t [u8]),
    /// A position, from 1.
    Position(usize),
}

/// A pattern on its way over a text.
pub(crate) struct Matcher<'t> {
    text: &'t [u8],
    pattern: &'t [u8],
    captures: Vec<(usize, Extent)>,
    depth: usize,
    /// Steps that are left.
    pub(crate) steps: u64,
}

type Outcome = Result<Option<usize>, Flaw>;

impl<'t> Matcher<'t> {
    /// A matcher with so many steps.
    pub(crate) fn new(text: &'t [u8], pattern: &'t [u8], steps: u64) -> Self {
        Self { text, pattern, captures: Vec::new(), depth: 0, steps }
    }

    /// Where the first match at `start` or later begins and ends.
    pub(crate) fn find(&mut self, start: usize) -> Result<Option<(usize, usize)>, Flaw> {
        let anchored = self.pattern.first() == Some(&b'^');
        let mut at = start;
        while at <= self.text.len() {
            if let Some(end) = self.match_at(at)? {
                return Ok(Some((at, end)));
            }
            if anchored {
                break;
            }
            at += 1;
        }
        Ok(None)
    }

    /// Where the match that begins at `at` ends.
    pub(crate) fn match_at(&mut self, at: usize) -> Outcome {
        self.captures.clear();
        self.depth = 0;
        let anchored = self.pattern.first() == Some(&b'^');
        self.run(at, usize::from(anchored))
    }

    /// Returns the number of captures.
    pub(crate) fn captures(&self) -> usize {
        self.captures.len()
    }

    /// A capture of the last match, which lay from `start` to `end`; all of the match where the pattern has
    /// none.
    pub(crate) fn capture(&self, index: usize, found: (usize, usize)) -> Result<Capture<'t>, Flaw> {
        if index == 0 && self.captures.is_empty() {
            return Ok(self.whole(found));
        }
        match self.captures.get(index) {
            Some((from, Extent::Bytes(length))) => {
                Ok(Capture::Text(self.text.get(*from..from + length).unwrap_or_default()))
            }
            Some((from, Extent::Position)) => Ok(Capture::Position(from + 1)),
            Some((_, Extent::Open)) => Err(Flaw::Malformed("unfinished capture")),
            None => Err(Flaw::Malformed("invalid capture index")),
        }
    }

    /// All of the match.
    pub(crate) fn whole(&self, (start, end): (usize, usize)) -> Capture<'t> {
        Capture::Text(self.text.get(start..end).unwrap_or_default())
    }

    fn spend(&mut self, steps: u64) -> Result<(), Flaw> {
        self.steps = self.steps.checked_sub(steps).ok_or(Flaw::Steps)?;
        Ok(())
    }

    fn byte(&self, place: usize) -> Option<u8> {
        self.pattern.get(place).copied()
    }

    /// One level deeper.
    fn run(&mut self, text: usize, pattern: usize) -> Outcome {
        if self.depth >= MAX_DEPTH {
            return Err(Flaw::Malformed("pattern too complex"));
        }
        self.depth += 1;
        let outcome = self.run_here(text, pattern);
        self.depth -= 1;
        outcome
    }

    /// Matches the pattern from `pattern` on, in the text from `text` on.
    fn run_here(&mut self, mut text: usize, mut pattern: usize) -> Outcome {
        loop {
            self.spend(1)?;
            let Some(byte) = self.byte(pattern) else { return Ok(Some(text)) };
            match (byte, self.byte(pattern + 1)) {
                (b'(', Some(b')')) => return self.open(text, pattern + 2, Extent::Position),
                (b'(', _) => return self.open(text, pattern + 1, Extent::Open),
                (b')', _) => return self.close(text, pattern + 1),
                (b'$', None) => return Ok((text == self.text.len()).then_some(text)),
                (b'%', Some(b'b')) => match self.balanced(text, pattern + 2)? {
                    Some(end) => (text, pattern) = (end, pattern + 4),
                    None => return Ok(None),
                },
                (b'%', Some(b'f')) => match self.frontier(text, pattern + 2)? {
                    Some(next) => pattern = next,
                    None => return Ok(None),
                },
                (b'%', Some(digit @ b'0'..=b'9')) => match self.again(text, digit)? {
                    Some(end) => (text, pattern) = (end, pattern + 2),
                    None => return Ok(None),
                },
                _ => {
                    let next = self.class_end(pattern)?;
                    let fits = self.fits(text, pattern, next);
                    match self.byte(next) {
                        Some(b'?') => {
                            if fits && let Some(end) = self.run(text + 1, next + 1)? {
                                return Ok(Some(end));
                            }
                            pattern = next + 1;
                        }
                        Some(b'+') if !fits => return Ok(None),
                        Some(b'+') => return self.most(text + 1, pattern, next),
                        Some(b'*') => return self.most(text, pattern, next),
                        Some(b'-') => return self.least(text, pattern, next),
                        _ if !fits => return Ok(None),
                        _ => (text, pattern) = (text + 1, next),
                    }
                }
            }
        }
    }

    fn open(&mut self, text: usize, pattern: usize, extent: Extent) -> Outcome {
        if self.captures.len() >= MAX_CAPTURES {
            return Err(Flaw::Malformed("too many captures"));
        }
        let level = self.captures.len();
        self.captures.push((text, extent));
        let outcome = self.run(text, pattern)?;
        if outcome.is_none() {
            self.captures.truncate(level);
        }
        Ok(outcome)
    }

    fn close(&mut self, text: usize, pattern: usize) -> Outcome {
        let open = self.captures.iter().rposition(|(_, extent)| *extent == Extent::Open);
        let open = open.ok_or(Flaw::Malformed("invalid pattern capture"))?;
        if let Some(capture) = self.captures.get_mut(open) {
            capture.1 = Extent::Bytes(text.saturating_sub(capture.0));
        }
        let outcome = self.run(text, pattern)?;
        if outcome.is_none()
            && let Some(capture) = self.captures.get_mut(open)
        {
            capture.1 = Extent::Open;
        }
        Ok(outcome)
    }

    /// As many as there are, then fewer.
    fn most(&mut self, text: usize, pattern: usize, next: usize) -> Outcome {
        let mut count = 0;
        while self.fits(text + count, pattern, next) {
            self.spend(1)?;
            count += 1;
        }
        loop {
            if let Some(end) = self.run(text + count, next + 1)? {
                return Ok(Some(end));
            }
            if count == 0 {
                return Ok(None);
            }
            count -= 1;
        }
    }

    /// As few as will do.
    fn least(&mut self, mut text: usize, pattern: usize, next: usize) -> Outcome {
        loop {
            if let Some(end) = self.run(text, next + 1)? {
                return Ok(Some(end));
            }
            if !self.fits(text, pattern, next) {
                return Ok(None);
            }
            text += 1;
        }
    }

    /// `%b()`
    fn balanced(&mut self, text: usize, pattern: usize) -> Outcome {
        let (Some(open), Some(close)) = (self.byte(pattern), self.byte(pattern + 1)) else {
            return Err(Flaw::Malformed("malformed pattern (missing arguments to '%b')"));
        };
        if self.text.get(text) != Some(&open) {
            return Ok(None);
        }
        let mut level = 1usize;
        let mut at = text + 1;
        while let Some(&byte) = self.text.get(at) {
            self.spend(1)?;
            at += 1;
            if byte == close {
                level -= 1;
                if level == 0 {
                    return Ok(Some(at));
                }
            } else if byte == open {
                level += 1;
            }
        }
        Ok(None)
    }

    /// `%f[set]`: gives where the pattern goes on.
    fn frontier(&mut self, text: usize, pattern: usize) -> Outcome {
        if self.byte(pattern) != Some(b'[') {
            return Err(Flaw::Malformed("missing '[' after '%f' in pattern"));
        }
        let next = self.class_end(pattern)?;
        let before = text.checked_sub(1).and_then(|at| self.text.get(at)).copied().unwrap_or(0);
        let here = self.text.get(text).copied().unwrap_or(0);
        Ok((!self.in_set(before, pattern, next) && self.in_set(here, pattern, next)).then_some(next))
    }

    /// `%1`: what a capture holds, once more.
    fn again(&mut self, text: usize, digit: u8) -> Outcome {
        let index = usize::from(digit).wrapping_sub(usize::from(b'1'));
        let Some((from, Extent::Bytes(length))) = self.captures.get(index).copied() else {
            return Err(Flaw::Malformed("invalid capture index in pattern"));
        };
        self.spend(length as u64 / 8)?;
        let (held, here) = (self.text.get(from..from + length), self.text.get(text..text + length));
        Ok((held.is_some() && held == here).then_some(text + length))
    }

    /// Where the single-character class that begins at `pattern` ends.
    fn class_end(&self, pattern: usize) -> Result<usize, Flaw> {
        match self.byte(pattern) {
            Some(b'%') if self.byte(pattern + 1).is_none() => {
                Err(Flaw::Malformed("malformed pattern (ends with '%')"))
            }
            Some(b'%') => Ok(pattern + 2),
            Some(b'[') => {
                let mut at = pattern + 1 + usize::from(self.byte(pattern + 1) == Some(b'^'));
                // What stands first is a member, a closing bracket too.
                loop {
                    let skipped = if self.byte(at) == Some(b'%') { 2 } else { 1 };
                    at += skipped;
                    match self.byte(at) {
                        None => return Err(Flaw::Malformed("malformed pattern (missing ']')")),
                        Some(b']') => return Ok(at + 1),
                        Some(_) => {}
                    }
                }
            }
            _ => Ok(pattern + 1),
        }
    }

    /// Whether the text's byte at `text` is of the class from `pattern` to `next`.
    fn fits(&self, text: usize, pattern: usize, next: usize) -> bool {
        let Some(&byte) = self.text.get(text) else { return false };
        match self.byte(pattern) {
            Some(b'.') => true,
            Some(b'%') => self.byte(pattern + 1).is_some_and(|class| is_of(byte, class)),
            Some(b'[') => self.in_set(byte, pattern, next),
            other => other == Some(byte),
        }
    }

    /// Whether a byte is in the set between the brackets at `pattern` and before `next`.
    fn in_set(&self, byte: u8, pattern: usize, next: usize) -> bool {
        let members = self.pattern.get(pattern + 1..next.saturating_sub(1)).unwrap_or_default();
        let (mut rest, negated) = match members {
            [b'^', rest @ ..] => (rest, true),
            _ => (members, false),
        };
        loop {
            let (found, after) = match rest {
                [] => return negated,
                [b'%', class, after @ ..] => (is_of(byte, *class), after),
                [low, b'-', high, after @ ..] => ((*low..=*high).contains(&byte), after),
                [member, after @ ..] => (*member == byte, after),
            };
            if found {
                return !negated;
            }
            rest = after;
        }
    }
}

/// Whether a byte is of the class `%<class>`; a capital means what the small letter does not.
fn is_of(byte: u8, class: u8) -> bool {
    let found = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'g' => byte.is_ascii_graphic(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => matches!(byte, b'\t'..=b'\r' | b' '),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return byte == class,
    };
    found != class.is_ascii_uppercase()
}

/// Whether a pattern is a text as it stands.
pub(crate) fn is_plain(pattern: &[u8]) -> bool {
    !pattern.iter().any(|byte| b"^$*+?.([%-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the finds of the interpreter's own matcher and of this one.
    fn both(text: &str, pattern: &str) -> [Option<(usize, usize)>; 2] {
        let lua = mlua::Lua::new();
        let find: mlua::Function = lua.load("return string.find").eval().unwrap();
        let theirs: mlua::Result<mlua::MultiValue> = find.call((text, pattern));
        let place = |value: &mlua::Value| value.as_integer().map(|number| number as usize);
        let theirs = theirs.ok().and_then(|values| {
            let mut values = values.iter();
            Some((place(values.next()?)?, place(values.next()?)?))
        });
        let mut matcher = Matcher::new(text.as_bytes(), pattern.as_bytes(), 1_000_000);
        let ours = matcher.find(0).ok().flatten();
        let ours = ours.filter(|found| (0..matcher.captures()).all(|i| matcher.capture(i, *found).is_ok()));
        [theirs, ours.map(|(start, end)| (start + 1, end))]
    }

    #[test]
    fn the_same_is_found() {
        let texts = [
            "",
            "a",
            "hello world",
            "key = value; other=12",
            "((a)(b))",
            "a.b-c%d",
            "THE (quick) fox",
            "\0a\n\t",
        ];
        let patterns = [
            "",
            "a",
            "^a",
            "a$",
            "^$",
            ".",
            "l+",
            "l*",
            "l-o",
            "lx?o",
            "(l)(l)",
            "()ll()",
            "(h)(.-)(o)",
            "%w+",
            "%W",
            "%s*=%s*",
            "(%w+)%s*=%s*(%w+)",
            "%b()",
            "%f[%a]%a+%f[%A]",
            "[a-c]+",
            "[^a-c]+",
            "[]]",
            "[%]]",
            "[a-]",
            "[%w_]+$",
            "(.)%1",
            "%.",
            "%%d",
            "[^%s]+$",
            "%x+",
            "%u%l*",
            "%g+",
            "%c",
            "%p",
            "^(.-)%s*$",
            "(a*(.)%w(%s*))",
            "%",
            "[a",
            "(a",
            "%b",
            "%f",
            "%2",
            "x?y?z?",
            "^%s*(.-)%s*$",
            "[%a-z]",
            "[^]",
            "-",
            "a-",
            "%z",
        ];
        for text in texts {
            for pattern in patterns {
                let [theirs, ours] = both(text, pattern);
                assert_eq!(ours, theirs, "{pattern:?} in {text:?}");
            }
        }
    }

    #[test]
    fn work_is_bounded() {
        let text = vec![b'a'; 4000];
        for pattern in ["a*a*a*a*a*b", ".-.-.-.-.-b", "(.-)(.-)(.-)b"] {
            let mut matcher = Matcher::new(&text, pattern.as_bytes(), 100_000);
            assert_eq!(matcher.find(0), Err(Flaw::Steps), "{pattern}");
        }
        let deep = "a?".repeat(300);
        assert_eq!(
            Matcher::new(&text, deep.as_bytes(), 100_000).find(0),
            Err(Flaw::Malformed("pattern too complex"))
        );
    }

    #[test]
    fn captures_are_texts_and_places() {
        let mut matcher = Matcher::new(b"key=value", b"()(%w+)=(%w*)", 1000);
        let found = matcher.find(0).unwrap().unwrap();
        let captures: Vec<_> =
            (0..matcher.captures()).map(|index| matcher.capture(index, found).unwrap()).collect();
        assert_eq!(captures, [Capture::Position(1), Capture::Text(b"key"), Capture::Text(b"value")]);
    }
}
