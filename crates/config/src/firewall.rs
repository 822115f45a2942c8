//! `firewall`: whether there is one, its rule files, and what holds where none of its rules matches.

use std::path::{Path, PathBuf};

use crate::error::ConfigError;
use crate::settings::{Section, Settings};

/// Where rule files lie without `firewall.rule-path`.
const DEFAULT_RULE_FOLDER: &str = "/etc/suricata/firewall";

/// Most names of a policy's list.
const MAX_ACTIONS: usize = 8;

/// `firewall`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirewallSettings {
    /// Packets go on only where a rule or a policy accepts them.
    pub enabled: bool,
    /// Rule files, in order, with their folder.
    pub files: Vec<PathBuf>,
}

impl FirewallSettings {
    /// Reads `firewall`.
    pub fn from_settings(settings: &Settings) -> Self {
        let section = settings.section("firewall");
        let folder = Path::new(section.text("rule-path").unwrap_or(DEFAULT_RULE_FOLDER)).to_owned();
        Self {
            enabled: section.flag("enabled", false),
            files: section.list("rule-files").into_iter().map(|name| folder.join(name)).collect(),
        }
    }
}

/// A policy as written: `["drop:flow", "alert"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyText {
    /// The first action's name (`drop`).
    pub action: String,
    /// Scope (`flow`).
    pub scope: String,
    /// An alert says that the policy held.
    pub alert: bool,
}

/// The policies, by the places they are for.
#[derive(Clone, Debug)]
pub struct PolicySettings<'a> {
    policies: Section<'a>,
}

impl<'a> PolicySettings<'a> {
    /// Reads `firewall.policies`.
    pub fn from_settings(settings: &'a Settings) -> Self {
        Self { policies: settings.section("firewall.policies") }
    }

    /// The names of protocols that have policies of their own.
    pub fn protocols(&self) -> Vec<&'a str> {
        let children = self.policies.section("app").node().map(|node| node.children()).unwrap_or_default();
        children.iter().map(|node| node.name()).filter(|name| *name != "default-policy").collect()
    }

    /// The names of a protocol's hooks that have policies.
    pub fn hooks(&self, protocol: &str) -> Vec<&'a str> {
        let section = self.policies.section("app").section(protocol);
        let children = section.node().map(|node| node.children()).unwrap_or_default();
        children.iter().map(|node| node.name()).filter(|name| *name != "default-policy").collect()
    }

    /// The policy of a hook of packets (`filter`): its own, that of packets, that of all.
    pub fn packet(&self, hook: &str) -> Result<Option<PolicyText>, ConfigError> {
        self.first(&[&format!("packet.{hook}"), "packet.default-policy", "default-policy"])
    }

    /// The policy of a protocol's hook (`request-started`) by one of the names of either: its own,
    /// that of the protocol, that of all protocols, that of all.
    pub fn app(&self, protocols: &[&str], hooks: &[&str]) -> Result<Option<PolicyText>, ConfigError> {
        let own =
            hooks.iter().flat_map(|hook| protocols.iter().map(move |name| format!("app.{name}.{hook}")));
        let of_protocol = protocols.iter().map(|name| format!("app.{name}.default-policy"));
        let general = ["app.default-policy", "default-policy"].map(str::to_owned);
        let keys: Vec<String> = own.chain(of_protocol).chain(general).collect();
        self.first(&keys.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The error for the policy of a hook, with what was expected.
    pub fn wrong(&self, key: &str, expected: &str) -> ConfigError {
        self.policies.wrong(key, expected)
    }

    fn first(&self, keys: &[&str]) -> Result<Option<PolicyText>, ConfigError> {
        for key in keys {
            let words = self.policies.list(key);
            if !words.is_empty() {
                return self.policy(key, &words).map(Some);
            }
        }
        Ok(None)
    }

    fn policy(&self, key: &str, words: &[&str]) -> Result<PolicyText, ConfigError> {
        let expected = "an action with its scope, such as accept:hook or drop:flow, and perhaps alert";
        let (first, rest) = words.split_first().ok_or_else(|| self.wrong(key, expected))?;
        let (action, scope) = first.split_once(':').ok_or_else(|| self.wrong(key, expected))?;
        if rest.len() > MAX_ACTIONS || rest.iter().any(|word| *word != "alert") {
            return Err(self.wrong(key, expected));
        }
        Ok(PolicyText { action: action.to_owned(), scope: scope.to_owned(), alert: !rest.is_empty() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"%YAML 1.1
---
firewall:
  enabled: yes
  rule-path: /rules
  rule-files:
    - a.rules
    - /other/b.rules
  policies:
    packet:
      filter: ["accept:hook", "alert"]
    app:
      default-policy: ["drop:packet"]
      http1:
        request-started: ["accept:flow"]
      dns:
        default-policy: ["accept:tx"]
        request-complete: ["alert"]
"#;

    fn settings() -> Settings {
        Settings::from_text::<&str>(TEXT.as_bytes(), "test.yaml", &[]).unwrap()
    }

    #[test]
    fn files_with_their_folder() {
        let firewall = FirewallSettings::from_settings(&settings());
        assert!(firewall.enabled);
        assert_eq!(firewall.files, [PathBuf::from("/rules/a.rules"), PathBuf::from("/other/b.rules")]);
        assert!(!FirewallSettings::from_settings(&Settings::default()).enabled);
    }

    #[test]
    fn the_nearest_policy_holds() {
        let settings = settings();
        let policies = PolicySettings::from_settings(&settings);
        let text =
            |policy: Option<PolicyText>| policy.map(|p| (format!("{}:{}", p.action, p.scope), p.alert));
        let some = |text: &str, alert| Some((text.to_owned(), alert));
        assert_eq!(text(policies.packet("filter").unwrap()), some("accept:hook", true));
        assert_eq!(text(policies.packet("pre-flow").unwrap()), None);
        for (protocol, hook, expected) in [
            ("http1", "request-started", some("accept:flow", false)),
            ("http1", "request-line", some("drop:packet", false)),
            ("dns", "request-started", some("accept:tx", false)),
            ("tls", "client-hello-done", some("drop:packet", false)),
        ] {
            let found = policies.app(&[protocol], &[hook]).unwrap();
            assert_eq!(text(found), expected, "{protocol} {hook}");
        }
        assert!(policies.app(&["dns"], &["request-complete"]).is_err());
        assert_eq!(policies.protocols(), ["http1", "dns"]);
        assert_eq!(policies.hooks("dns"), ["request-complete"]);
    }
}
