//! A rule with what the compiler made of it.

use weir_detect::buffer::{Check, Content};
use weir_detect::builder::List;
use weir_detect::compile::{Compiled, Environment};
use weir_rules::{Rule, RuleOption, Span};

/// A rule that loads.
pub(crate) struct Subject<'a> {
    /// Its text.
    pub(crate) rule: &'a Rule,
    /// Compiled rule.
    pub(crate) compiled: &'a Compiled,
    /// Environment that it was compiled in.
    pub(crate) environment: &'a Environment,
}

/// A content with its list, and its place in it.
pub(crate) struct Placed<'a> {
    pub(crate) list: List,
    pub(crate) index: usize,
    pub(crate) content: &'a Content,
}

impl<'a> Subject<'a> {
    /// The checks of a list.
    pub(crate) fn checks(&self, list: List) -> &'a [Check] {
        let signature = &self.compiled.signature;
        match list {
            List::Payload => &signature.checks.payload,
            List::Buffer(index) => signature.checks.buffers.get(index).map_or(&[], |buffer| &buffer.checks),
            List::Decoded => {
                let lists = std::iter::once(&signature.checks.payload);
                let mut all = lists.chain(signature.checks.buffers.iter().map(|b| &b.checks)).flatten();
                all.find_map(|check| match check {
                    Check::Base64Decode(decode) => Some(decode.checks.as_slice()),
                    _ => None,
                })
                .unwrap_or_default()
            }
        }
    }

    /// The lists that have checks.
    pub(crate) fn lists(&self) -> Vec<List> {
        let buffers = (0..self.compiled.signature.checks.buffers.len()).map(List::Buffer);
        std::iter::once(List::Payload).chain(buffers).chain([List::Decoded]).collect()
    }

    /// All contents.
    pub(crate) fn contents(&self) -> Vec<Placed<'a>> {
        let mut found = Vec::new();
        for list in self.lists() {
            for (index, check) in self.checks(list).iter().enumerate() {
                if let Check::Content(content) = check {
                    found.push(Placed { list, index, content });
                }
            }
        }
        found
    }

    /// Returns the name of a list for messages.
    pub(crate) fn list_name(&self, list: List) -> String {
        match list {
            List::Payload => "the payload".to_owned(),
            List::Buffer(index) => {
                let buffer = self.compiled.signature.checks.buffers.get(index);
                buffer.map_or_else(String::new, |buffer| format!("`{}`", buffer.name))
            }
            List::Decoded => "the decoded bytes".to_owned(),
        }
    }

    /// Position of the option that made a check.
    pub(crate) fn position(&self, list: List, index: usize) -> Option<usize> {
        let found = self.compiled.places.checks.iter().find(|(l, i, _)| *l == list && *i == index);
        found.map(|(_, _, position)| *position)
    }

    /// The option that made a check.
    pub(crate) fn option(&self, list: List, index: usize) -> Option<&'a RuleOption> {
        self.rule.options.get(self.position(list, index)?)
    }

    /// The place of the option that made a check, or of the rule's protocol.
    pub(crate) fn span(&self, list: List, index: usize) -> Span {
        self.option(list, index).map_or_else(|| self.rule.protocol.name.span(), |option| option.span)
    }

    /// The modifiers of a check's content.
    pub(crate) fn modifiers(&self, list: List, index: usize) -> &'a [RuleOption] {
        let after = self.position(list, index).map_or(usize::MAX, |position| position + 1);
        let rest = self.rule.options.get(after..).unwrap_or_default();
        let count = rest.iter().take_while(|option| self.is_modifier(option)).count();
        rest.get(..count).unwrap_or_default()
    }

    /// Whether an option modifies the content before it.
    pub(crate) fn is_modifier(&self, option: &RuleOption) -> bool {
        self.environment.fields.modifies_content(&option.name)
    }
}
