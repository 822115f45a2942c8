//! Facts on a rule for alerts, outputs and scripts, filled by the rule compiler.

use std::sync::{Arc, OnceLock};

use crate::rule::Action;
use crate::text::Span;

/// The class of a rule, from `classtype` and classification.config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classtype {
    /// Short name, such as `trojan-activity`.
    pub name: Arc<str>,
    /// Description, such as `A Network Trojan was detected`.
    pub description: Arc<str>,
}

/// One `reference` of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Type key, such as `url` or `cve`.
    pub key: Box<str>,
    /// The reference with the prefix that reference.config gives its key.
    pub url: Box<str>,
}

/// End of a flow that is attacked, by a rule's `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Target {
    /// The rule does not say.
    #[default]
    None,
    /// `target:src_ip`
    SrcIp,
    /// `target:dest_ip`
    DestIp,
}

/// Priority of a rule that names neither a priority nor a class.
pub const DEFAULT_PRIORITY: u32 = 3;

/// The record of one loaded rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Signature id.
    pub sid: u32,
    /// Generator id.
    pub gid: u32,
    /// Revision.
    pub rev: u32,
    /// Message, escapes undone.
    pub msg: Arc<str>,
    /// Class.
    pub classtype: Option<Classtype>,
    /// Priority, 1 the most urgent.
    pub priority: u32,
    /// Where in the text the pairs of `metadata` stand.
    pub metadata: Metadata,
    /// References, in order.
    pub references: Vec<Reference>,
    /// Action of the rule.
    pub action: Action,
    /// End that is attacked.
    pub target: Target,
    /// The rule as written, on one line.
    pub text: Arc<str>,
    /// File it came from.
    pub file: Arc<str>,
}

/// The `metadata` of a rule. Pairs are split when they are first asked for: of most rules they never are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The values of the options, by place in the rule's text.
    options: Vec<Span>,
    pairs: OnceLock<Box<[[Span; 2]]>>,
}

impl Metadata {
    /// Most pairs of a rule.
    pub const MAX_PAIRS: usize = 4096;

    /// Adds an option by the place of its value in the rule's text.
    pub fn push(&mut self, value: Span) {
        // A rule seldom has a second one.
        self.options.reserve_exact(1);
        self.options.push(value);
        self.pairs.take();
    }

    /// Where in `text` the pairs stand, key and value, in order.
    fn pairs(&self, text: &str) -> &[[Span; 2]] {
        self.pairs.get_or_init(|| {
            self.options.iter().flat_map(|option| pairs_of(*option, text)).take(Self::MAX_PAIRS).collect()
        })
    }
}

/// The pairs of one option: `key value`, with commas between them. A word alone says nothing that a record
/// could show.
fn pairs_of(option: Span, text: &str) -> impl Iterator<Item = [Span; 2]> {
    let mut start = option.start;
    text.get(option.start..option.end).unwrap_or_default().split(',').filter_map(move |item| {
        let pair = Span::new(start, start + item.len()).trimmed_in(text);
        start += item.len() + 1;
        let words = text.get(pair.start..pair.end)?;
        let key = words.find(|c: char| c.is_ascii_whitespace())?;
        let value = Span::new(pair.start + key, pair.end).trimmed_in(text);
        Some([Span::new(pair.start, pair.start + key), value])
    })
}

impl RuleInfo {
    /// Pairs of `metadata`, in order; a key may stand several times.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let part = |span: Span| self.text.get(span.start..span.end).unwrap_or_default();
        self.metadata.pairs(&self.text).iter().map(move |&[key, value]| (part(key), part(value)))
    }
}

impl Default for RuleInfo {
    fn default() -> Self {
        Self {
            sid: 0,
            gid: 1,
            rev: 0,
            msg: Arc::default(),
            classtype: None,
            priority: DEFAULT_PRIORITY,
            metadata: Metadata::default(),
            references: Vec::new(),
            action: Action::Alert,
            target: Target::None,
            text: Arc::default(),
            file: Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_metadata_are_told_apart() {
        type Case = (&'static [&'static str], &'static [(&'static str, &'static str)]);
        let cases: [Case; 6] = [
            (&[], &[]),
            (&["tag a"], &[("tag", "a")]),
            (&[" tag a , by  b c,tag d "], &[("tag", "a"), ("by", "b c"), ("tag", "d")]),
            (&["alone, tag a,,", "by\tb"], &[("tag", "a"), ("by", "b")]),
            (&["one 1", "two 2", "three 3"], &[("one", "1"), ("two", "2"), ("three", "3")]),
            (&["é ü"], &[("é", "ü")]),
        ];
        for (options, expected) in cases {
            let mut info = RuleInfo { text: options.join(";").into(), ..RuleInfo::default() };
            let mut start = 0;
            for option in options {
                info.metadata.push(Span::new(start, start + option.len()));
                start += option.len() + 1;
            }
            assert_eq!(info.metadata().collect::<Vec<_>>(), expected, "{options:?}");
        }
        let mut info = RuleInfo { text: "a b,".repeat(5000).into(), ..RuleInfo::default() };
        info.metadata.push(Span::new(0, info.text.len()));
        assert_eq!(info.metadata().count(), Metadata::MAX_PAIRS);
    }
}
