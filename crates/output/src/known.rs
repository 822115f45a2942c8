//! Memory of earlier records, for those that are written only where they are new: a host once a
//! day, its software where the version changed.
//!
//! The log thread decides, on the records of all workers in their order: so it does not matter which
//! worker met something first. Limits: [`MAX_SUBJECTS`] of an outlet, [`MAX_FACTS`] of each.

use std::hash::Hash;

use weir_base::{Duration, Expiring, Timestamp, keyed_hash};

/// Most subjects of an outlet; beyond, those that are over are forgotten, and all where none is.
const MAX_SUBJECTS: usize = 1 << 18;

/// Most facts that are remembered of a subject; further ones are news each time.
const MAX_FACTS: usize = 256;

/// Claim of a record to be new: a subject, or facts about it, each with a value.
#[derive(Clone, Debug)]
pub struct Claim {
    subject: u64,
    facts: Vec<(u64, u64)>,
    lifetime: Duration,
}

impl Claim {
    /// That a subject was not recorded for as long as `lifetime`.
    pub fn new(subject: impl Hash, lifetime: Duration) -> Self {
        Self { subject: keyed_hash().hash_one(subject), facts: Vec::new(), lifetime }
    }

    /// Among claims of this kind only.
    #[must_use]
    pub fn within(mut self, kind: impl Hash) -> Self {
        self.subject = keyed_hash().hash_one((kind, self.subject));
        self
    }

    /// Whether another one, made at the same time, leaves nothing new of this.
    pub(crate) fn repeats(&self, known: &Self) -> bool {
        self.facts.is_empty() && self.subject == known.subject
    }

    /// And that a fact about it was not, or had another value.
    #[must_use]
    pub fn fact(mut self, name: impl Hash, value: impl Hash) -> Self {
        self.facts.push((keyed_hash().hash_one(name), keyed_hash().hash_one(value)));
        self
    }
}

/// Subjects written before.
#[derive(Debug, Default)]
pub(crate) struct Known {
    subjects: Expiring<u64, Subject>,
    /// Subjects that were forgotten to make room: they are recorded again.
    pub(crate) forgotten: u64,
}

/// Facts written of a subject.
#[derive(Debug)]
struct Subject {
    facts: Vec<(u64, u64)>,
}

impl Known {
    /// Whether a claim is true when the capture's clock shows `clock`; it is known from then on.
    pub(crate) fn is_news(&mut self, claim: &Claim, clock: Timestamp) -> bool {
        if let Some((subject, over)) = self.subjects.get_mut(&claim.subject)
            && clock < over
        {
            let mut news = false;
            for fact in &claim.facts {
                news |= subject.learn(*fact);
            }
            return news;
        }
        if self.subjects.len() >= MAX_SUBJECTS {
            self.subjects.expire(clock, |_| {});
            if self.subjects.len() >= MAX_SUBJECTS {
                self.forgotten += self.subjects.len() as u64;
                self.subjects.clear();
            }
        }
        let facts = claim.facts.iter().copied().take(MAX_FACTS).collect();
        self.subjects.insert(claim.subject, Subject { facts }, clock.plus(claim.lifetime));
        true
    }
}

impl Subject {
    /// Takes in a fact; whether it is new.
    fn learn(&mut self, (name, value): (u64, u64)) -> bool {
        match self.facts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => std::mem::replace(known, value) != value,
            None => {
                if self.facts.len() < MAX_FACTS {
                    self.facts.push((name, value));
                }
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    #[test]
    fn subjects_and_facts() {
        let mut known = Known::default();
        let host = |name: &str| Claim::new(name, DAY);
        let cases = [
            (0, host("a"), true),
            (10, host("a"), false),
            (10, host("b"), true),
            (86_399, host("a"), false),
            (86_400, host("a"), true),
            (86_401, host("a").fact("Firefox", 1), true),
            (86_402, host("a").fact("Firefox", 1), false),
            (86_403, host("a").fact("Firefox", 2), true),
            (86_404, host("a").fact("Firefox", 1), true),
            (86_405, host("a").fact("curl", 1).fact("Firefox", 1), true),
            (86_406, host("a").fact("curl", 1).fact("Firefox", 1), false),
        ];
        for (second, claim, expected) in cases {
            assert_eq!(known.is_news(&claim, Timestamp::new(second, 0)), expected, "{second} {claim:?}");
        }
    }

    #[test]
    fn room_is_bounded() {
        let mut known = Known::default();
        for number in 0..=MAX_SUBJECTS {
            assert!(known.is_news(&Claim::new(number, DAY), Timestamp::new(1, 0)));
        }
        assert_eq!((known.subjects.len(), known.forgotten), (1, MAX_SUBJECTS as u64));
        let mut claim = Claim::new("one", DAY);
        for number in 0..=MAX_FACTS {
            claim = claim.fact(number, 0);
        }
        assert!(known.is_news(&claim, Timestamp::new(1, 0)) && known.is_news(&claim, Timestamp::new(1, 0)));
    }
}
