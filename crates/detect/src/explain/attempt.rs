//! Records of attempts of rules, and of their steps.

use weir_base::{Direction, Timestamp};

use crate::model::signature::SignatureIndex;

/// Most bytes of a buffer kept for one step.
const MAX_EXCERPT: usize = 48;

/// Outcome of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// Its bytes are not there yet.
    Waiting,
}

impl Outcome {
    /// Passed or failed.
    pub const fn of(holds: bool) -> Self {
        if holds { Outcome::Passed } else { Outcome::Failed }
    }

    /// The word for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Waiting => "waiting",
        }
    }
}

/// Some of the bytes that a step looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// Position of the first one in the buffer.
    pub offset: usize,
    /// Number of bytes the step could look at from there.
    pub length: usize,
    /// The first of them.
    pub bytes: Vec<u8>,
}

impl Excerpt {
    /// The bytes of `buffer` from `start` up to `end`, as far as they are there.
    pub fn of(buffer: &[u8], start: usize, end: usize) -> Self {
        let end = end.min(buffer.len());
        let start = start.min(end);
        let window = buffer.get(start..end).unwrap_or_default();
        let bytes = window.get(..window.len().min(MAX_EXCERPT)).unwrap_or_default().to_vec();
        Self { offset: start, length: window.len(), bytes }
    }

    /// The last bytes of `buffer` before `end`, from `start` on.
    pub fn before(buffer: &[u8], start: usize, end: usize) -> Self {
        Self::of(buffer, start.max(end.saturating_sub(MAX_EXCERPT)), end)
    }

    /// The bytes for people: text with the rest in hexadecimal between bars, as rules write it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut in_hexadecimal = false;
        for &byte in &self.bytes {
            let plain = matches!(byte, b' '..=b'~') && byte != b'|';
            if plain == in_hexadecimal {
                text.push('|');
                in_hexadecimal = !plain;
            } else if in_hexadecimal {
                text.push(' ');
            }
            match plain {
                true => text.push(char::from(byte)),
                false => text.push_str(&format!("{byte:02x}")),
            }
        }
        if in_hexadecimal {
            text.push('|');
        }
        if self.bytes.len() < self.length {
            text.push('…');
        }
        text
    }
}

/// One step of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Question: an option as written, or a part of the header.
    pub name: String,
    /// Outcome of it.
    pub outcome: Outcome,
    /// Finding, in words.
    pub found: String,
    /// The bytes it looked at.
    pub bytes: Option<Excerpt>,
    /// The steps inside.
    pub steps: Vec<Step>,
}

impl Step {
    /// A step without bytes or steps inside.
    pub fn new(name: impl Into<String>, outcome: Outcome, found: impl Into<String>) -> Self {
        Self { name: name.into(), outcome, found: found.into(), bytes: None, steps: Vec::new() }
    }

    /// Returns how many steps without steps inside have passed.
    fn passed(&self) -> usize {
        match self.steps.as_slice() {
            [] => usize::from(self.outcome == Outcome::Passed),
            steps => steps.iter().map(Step::passed).sum(),
        }
    }

    /// The first step, going inside, that did not pass.
    fn miss(&self) -> Option<&Step> {
        if self.outcome == Outcome::Passed {
            return None;
        }
        self.steps.iter().find_map(Step::miss).or(Some(self))
    }
}

/// End of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// The rule matched.
    Fired,
    /// It matched, and its alert was held back for this reason.
    HeldBack(String),
    /// It did not match.
    Missed,
    /// It may still match when more of the transaction is there.
    Waits,
}

impl Conclusion {
    /// The word for programs.
    pub const fn name(&self) -> &'static str {
        match self {
            Conclusion::Fired => "fired",
            Conclusion::HeldBack(_) => "held-back",
            Conclusion::Missed => "missed",
            Conclusion::Waits => "waits",
        }
    }

    /// Whether the rule matched.
    pub const fn is_match(&self) -> bool {
        matches!(self, Conclusion::Fired | Conclusion::HeldBack(_))
    }
}

/// A rule looked at once: with a packet, and in a transaction where it looks at those.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The rule.
    pub signature: SignatureIndex,
    /// Number of the packet in the capture; 0 for one that the engine made.
    pub packet: u64,
    /// Its time.
    pub time: Timestamp,
    /// Protocol, addresses and ports.
    pub ends: String,
    /// Direction in its flow.
    pub direction: Direction,
    /// Number of its flow, as `flow_id` in EVE.
    pub flow: Option<u64>,
    /// Number of the transaction in its flow.
    pub transaction: Option<u64>,
    /// The steps taken.
    pub steps: Vec<Step>,
    /// End of it.
    pub conclusion: Conclusion,
}

impl Attempt {
    /// Returns how many steps have passed: how close it came.
    pub fn passed(&self) -> usize {
        self.steps.iter().map(Step::passed).sum()
    }

    /// The first step that did not pass.
    pub fn miss(&self) -> Option<&Step> {
        self.steps.iter().find_map(Step::miss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_rules_write_them() {
        let cases: &[(&[u8], &str)] =
            &[(b"GET /a", "GET /a"), (b"a\r\nb", "a|0d 0a|b"), (b"a|\x00", "a|7c 00|"), (b"", "")];
        for (bytes, expected) in cases {
            assert_eq!(Excerpt::of(bytes, 0, 99).text(), *expected);
        }
        let long = Excerpt::of(&[b'a'; 100], 10, 90);
        assert_eq!((long.offset, long.length, long.text().chars().count()), (10, 80, MAX_EXCERPT + 1));
    }

    #[test]
    fn the_first_miss_inside_counts() {
        let inner = |outcome| Step::new("inner", outcome, "");
        let mut outer = Step::new("outer", Outcome::Failed, "");
        outer.steps = vec![inner(Outcome::Passed), inner(Outcome::Passed), inner(Outcome::Failed)];
        assert_eq!(outer.passed(), 2);
        assert_eq!(outer.miss().map(|step| step.name.as_str()), Some("inner"));
    }
}
