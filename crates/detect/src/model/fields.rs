//! All fields of all protocols, by the names rules use.

use std::collections::HashMap;

use weir_applayer::{Access, Protocol};
use weir_rules::RuleHash;

use crate::model::signature::FieldRow;

/// Options that modify the content before them, beside the older names of fields.
const MODIFIERS: &[&str] = &[
    "nocase",
    "depth",
    "offset",
    "distance",
    "within",
    "startswith",
    "endswith",
    "rawbytes",
    "fast_pattern",
];

/// Use of a field keyword in a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldUse {
    /// A sticky buffer: later options look at it.
    Sticky,
    /// A modifier that moves the content before it.
    Modifier,
    /// An integer or a check with an option of its own.
    Value,
}

/// The fields of a set of protocols.
#[derive(Debug, Default)]
pub struct FieldCatalogue {
    protocols: Vec<&'static Protocol>,
    /// By the names of protocols, in small letters.
    named: HashMap<String, Vec<&'static Protocol>, RuleHash>,
    by_name: HashMap<&'static str, (FieldUse, Vec<FieldRow>), RuleHash>,
}

impl FieldCatalogue {
    /// The fields of `protocols`.
    pub fn new(protocols: &[&'static Protocol]) -> Self {
        let mut catalogue = Self { protocols: protocols.to_vec(), ..Self::default() };
        for &protocol in protocols {
            catalogue.add_protocol(protocol);
            for field in protocol.fields {
                let row = FieldRow { protocol, field };
                let kind = match field.access {
                    Access::Integer { .. } | Access::Flags { .. } | Access::Check(_) => FieldUse::Value,
                    _ => FieldUse::Sticky,
                };
                catalogue.add(field.name, kind, row);
                for &alias in field.aliases {
                    catalogue.add(alias, kind, row);
                }
                if let Some(modifier) = field.modifier {
                    catalogue.add(modifier, FieldUse::Modifier, row);
                }
            }
        }
        catalogue
    }

    fn add_protocol(&mut self, protocol: &'static Protocol) {
        for name in protocol.aliases.iter().chain([&protocol.name]) {
            let named = self.named.entry(name.to_ascii_lowercase()).or_default();
            if named.last() != Some(&protocol) {
                named.push(protocol);
            }
        }
    }

    fn add(&mut self, name: &'static str, kind: FieldUse, row: FieldRow) {
        self.by_name.entry(name).or_insert_with(|| (kind, Vec::new())).1.push(row);
    }

    /// Returns the use of the keyword `name`, and the rows it means.
    pub fn find(&self, name: &str) -> Option<(FieldUse, &[FieldRow])> {
        self.by_name.get(name).map(|(kind, rows)| (*kind, rows.as_slice()))
    }

    /// Whether the option `name` says more of the content before it: where it may lie, how it is compared,
    /// or, by an older name, in which field.
    pub fn modifies_content(&self, name: &str) -> bool {
        MODIFIERS.contains(&name) || matches!(self.find(name), Some((FieldUse::Modifier, _)))
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by_name.keys().copied()
    }

    /// The protocols.
    pub fn protocols(&self) -> &[&'static Protocol] {
        &self.protocols
    }

    /// The protocols that a rule's protocol field or `app-layer-protocol` means by `name`.
    pub fn protocols_named(&self, name: &str) -> Vec<&'static Protocol> {
        let named = self.named.get(name).or_else(|| self.named.get(&name.to_ascii_lowercase()));
        named.cloned().unwrap_or_default()
    }
}
