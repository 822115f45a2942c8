//! What alerts, outputs and scripts say about a rule, filled by the rule compiler.

use std::sync::Arc;

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

/// Which end of a flow a rule says is attacked.
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
    /// Where in the text the pairs of `metadata` stand, key and value, in order; a key may stand several
    /// times.
    pub metadata: Vec<[Span; 2]>,
    /// References, in order.
    pub references: Vec<Reference>,
    /// What the rule does.
    pub action: Action,
    /// Which end is attacked.
    pub target: Target,
    /// The rule as written, on one line.
    pub text: Arc<str>,
    /// File it came from.
    pub file: Arc<str>,
    /// Line of the file.
    pub line: u32,
}

impl RuleInfo {
    /// Pairs of `metadata`, in order; a key may stand several times.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let part = |span: Span| self.text.get(span.start..span.end).unwrap_or_default();
        self.metadata.iter().map(move |&[key, value]| (part(key), part(value)))
    }
}

impl Default for RuleInfo {
    fn default() -> Self {
        Self {
            sid: 0,
            gid: 1,
            rev: 0,
            msg: "".into(),
            classtype: None,
            priority: DEFAULT_PRIORITY,
            metadata: Vec::new(),
            references: Vec::new(),
            action: Action::Alert,
            target: Target::None,
            text: "".into(),
            file: "".into(),
            line: 0,
        }
    }
}
