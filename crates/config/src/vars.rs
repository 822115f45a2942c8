//! `vars`: the names that rules write with a dollar sign.

use std::collections::BTreeMap;

use crate::settings::{Section, Settings};

/// Deepest chain of variables that name each other.
const MAX_CHAIN: usize = 32;

/// Address and port variables as written; the rule compiler reads the texts.
#[derive(Clone, Debug, PartialEq, Eq, Default, Hash)]
pub struct Variables {
    addresses: BTreeMap<String, String>,
    ports: BTreeMap<String, String>,
}

impl Variables {
    /// Reads `vars`.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::from_section(&settings.section("vars"))
    }

    /// Reads a tenant's `vars`.
    pub fn from_section(vars: &Section<'_>) -> Self {
        let group = |key: &str| -> BTreeMap<String, String> {
            let children = vars.section(key).node().map(|node| node.children()).unwrap_or_default();
            children
                .iter()
                .filter_map(|variable| {
                    let text = match variable.value() {
                        Some(text) => text.to_owned(),
                        None if variable.is_sequence() => format!("[{}]", variable.texts().join(",")),
                        None => return None,
                    };
                    Some((variable.name().to_owned(), text))
                })
                .collect()
        };
        Self { addresses: group("address-groups"), ports: group("port-groups") }
    }

    /// The text of an address variable, named without its dollar sign.
    pub fn addresses(&self, name: &str) -> Option<&str> {
        self.addresses.get(name).map(String::as_str)
    }

    /// The text of a port variable, named without its dollar sign.
    pub fn ports(&self, name: &str) -> Option<&str> {
        self.ports.get(name).map(String::as_str)
    }

    /// All address variables by name.
    pub fn all_addresses(&self) -> impl Iterator<Item = (&str, &str)> {
        self.addresses.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// A text that may be one port variable, followed to what is no variable any more.
    pub fn resolve_ports<'a>(&'a self, text: &'a str) -> Option<&'a str> {
        let mut text = text.trim();
        for _ in 0..MAX_CHAIN {
            let Some(name) = text.strip_prefix('$') else { return Some(text) };
            text = self.ports(name.trim())?.trim();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_texts() {
        let text = b"%YAML 1.1\n---\nvars:\n  address-groups:\n    HOME_NET: \"[10.0.0.0/8]\"\n    LIST: [10.0.0.1, 10.0.0.2]\n  port-groups:\n    A: $B\n    B: 80\n    L: $L\n";
        let variables = Variables::from_settings(&Settings::from_text::<&str>(text, "t", &[]).unwrap());
        assert_eq!(variables.addresses("HOME_NET"), Some("[10.0.0.0/8]"));
        assert_eq!(variables.addresses("LIST"), Some("[10.0.0.1,10.0.0.2]"));
        assert_eq!(variables.addresses("home_net"), None);
        assert_eq!(variables.resolve_ports("$A"), Some("80"));
        assert_eq!(variables.resolve_ports("$L"), None);
    }
}
