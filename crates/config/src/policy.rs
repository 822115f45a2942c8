//! Exception policies, for when a limit is reached or traffic cannot be understood.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};

/// The words of `exception-policy` and of each `*-policy` setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ExceptionPolicy {
    /// As the mode of running says: `drop-flow` inline, else `ignore`.
    Auto,
    /// Go on as if nothing had happened.
    #[default]
    Ignore,
    /// Drop this packet.
    DropPacket,
    /// Drop this packet and what follows of its flow.
    DropFlow,
    /// Drop and tell the sender.
    Reject,
    /// Drop and tell both sides.
    RejectBoth,
    /// Stop looking at the flow, in the capture if it can.
    Bypass,
    /// Let this packet through without inspection.
    PassPacket,
    /// Let the flow through without inspection.
    PassFlow,
}

const WORDS: &[(&str, ExceptionPolicy)] = &[
    ("auto", ExceptionPolicy::Auto),
    ("ignore", ExceptionPolicy::Ignore),
    ("drop-packet", ExceptionPolicy::DropPacket),
    ("drop-flow", ExceptionPolicy::DropFlow),
    ("reject", ExceptionPolicy::Reject),
    ("rejectboth", ExceptionPolicy::RejectBoth),
    ("bypass", ExceptionPolicy::Bypass),
    ("pass-packet", ExceptionPolicy::PassPacket),
    ("pass-flow", ExceptionPolicy::PassFlow),
];

impl ExceptionPolicy {
    /// The word of the configuration and of counters.
    pub fn name(self) -> &'static str {
        WORDS.iter().find(|(_, policy)| *policy == self).map_or("ignore", |(word, _)| word)
    }

    /// `auto` made definite: drop the flow where packets can be dropped, else ignore.
    #[must_use]
    pub fn settle(self, inline: bool) -> Self {
        match (self, inline) {
            (Self::Auto, true) => Self::DropFlow,
            (Self::Auto, false) => Self::Ignore,
            (policy, _) => policy,
        }
    }

    /// The policy as it acts on a place with no flow: what is meant for a flow is done to the packet.
    #[must_use]
    pub fn without_flow(self) -> Self {
        match self {
            Self::DropFlow => Self::DropPacket,
            Self::PassFlow => Self::PassPacket,
            Self::Bypass => Self::Ignore,
            policy => policy,
        }
    }

    fn read(section: &Section<'_>, key: &str) -> Result<Option<Self>, ConfigError> {
        if section.text(key).is_none() {
            return Ok(None);
        }
        section.choice(key, Self::Ignore, WORDS).map(Some)
    }
}

/// The exception policies of all places, with `auto` made definite for the mode of running.
///
/// A place without a word of its own follows `exception-policy`, which is `auto` by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceptionPolicies {
    /// `exception-policy` as written; `Auto` where it is not set.
    pub master: ExceptionPolicy,
    /// `defrag.memcap-policy`.
    pub defrag_memcap: ExceptionPolicy,
    /// `flow.memcap-policy`.
    pub flow_memcap: ExceptionPolicy,
    /// `stream.memcap-policy`.
    pub stream_memcap: ExceptionPolicy,
    /// `stream.reassembly.memcap-policy`.
    pub reassembly_memcap: ExceptionPolicy,
    /// `stream.midstream-policy`.
    pub midstream: ExceptionPolicy,
    /// `app-layer.error-policy`.
    pub app_layer_error: ExceptionPolicy,
}

impl ExceptionPolicies {
    /// Reads all policies. `inline` says that packets can be dropped.
    pub fn from_settings(settings: &Settings, inline: bool) -> Result<Self, ConfigError> {
        let root = settings.section("");
        let master = ExceptionPolicy::read(&root, "exception-policy")?.unwrap_or(ExceptionPolicy::Auto);
        let master = possible(&root, "exception-policy", master, inline);
        let place = |section: &str, key: &str, flow: bool| -> Result<ExceptionPolicy, ConfigError> {
            let section = settings.section(section);
            let own = ExceptionPolicy::read(&section, key)?.map(|own| possible(&section, key, own, inline));
            let policy = own.unwrap_or(master).settle(inline);
            Ok(if flow { policy } else { policy.without_flow() })
        };
        Ok(Self {
            master,
            defrag_memcap: place("defrag", "memcap-policy", false)?,
            flow_memcap: place("flow", "memcap-policy", false)?,
            stream_memcap: place("stream", "memcap-policy", true)?,
            reassembly_memcap: place("stream.reassembly", "memcap-policy", true)?,
            midstream: midstream(settings, master, inline)?,
            app_layer_error: place("app-layer", "error-policy", true)?,
        })
    }
}

/// Dropping is not possible where packets are only watched: such a word is ignored with a warning.
fn possible(section: &Section<'_>, key: &str, policy: ExceptionPolicy, inline: bool) -> ExceptionPolicy {
    if inline || !matches!(policy, ExceptionPolicy::DropFlow | ExceptionPolicy::DropPacket) {
        return policy;
    }
    let path = [section.path(), key].join(".");
    let path = path.trim_start_matches('.');
    let message = format!("{path}: {} not a valid config in IDS mode. Ignoring it", policy.name());
    let place = section.node().and_then(|node| node.child(key)).map(|node| node.location());
    section.settings().warn("exception-policy", message, place);
    ExceptionPolicy::Ignore
}

/// Reads the policy for connections whose beginning was not seen: only whole-flow policies, and
/// with pickups on only those that let the flow be followed.
fn midstream(
    settings: &Settings,
    master: ExceptionPolicy,
    inline: bool,
) -> Result<ExceptionPolicy, ConfigError> {
    let stream = settings.section("stream");
    let pickups = stream.flag("midstream", false);
    let key = "midstream-policy";
    match ExceptionPolicy::read(&stream, key)? {
        None if pickups => Ok(match master {
            ExceptionPolicy::PassFlow => ExceptionPolicy::PassFlow,
            _ => ExceptionPolicy::Ignore,
        }),
        None => Ok(master.settle(inline)),
        Some(ExceptionPolicy::Auto) => Ok(ExceptionPolicy::Auto.settle(inline && !pickups)),
        Some(policy) if pickups && !matches!(policy, ExceptionPolicy::Ignore | ExceptionPolicy::PassFlow) => {
            Err(stream.wrong(key, "a valid exception policy when midstream is enabled; write pass-flow or ignore"))
        }
        Some(ExceptionPolicy::DropPacket | ExceptionPolicy::PassPacket) => {
            Err(stream.wrong(key, "a valid exception policy for midstream flows; write ignore, pass-flow, drop-flow, bypass or reject"))
        }
        Some(ExceptionPolicy::DropFlow) if !inline => {
            Err(stream.wrong(key, "a valid exception policy where packets cannot be dropped; write ignore, pass-flow or bypass"))
        }
        Some(policy) => Ok(policy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(overrides: &[&str], inline: bool) -> Option<ExceptionPolicies> {
        let settings = Settings::from_text(b"", "test", overrides).unwrap();
        ExceptionPolicies::from_settings(&settings, inline).ok()
    }

    #[test]
    fn midstream_depends_on_mode_and_pickups() {
        use ExceptionPolicy::*;
        for (pickups, inline, word, expected) in [
            ("false", false, "ignore", Some(Ignore)),
            ("false", false, "drop-flow", None),
            ("false", false, "drop-packet", None),
            ("false", false, "pass-packet", None),
            ("false", false, "bypass", Some(Bypass)),
            ("false", false, "auto", Some(Ignore)),
            ("false", true, "drop-flow", Some(DropFlow)),
            ("false", true, "drop-packet", None),
            ("false", true, "reject", Some(Reject)),
            ("false", true, "auto", Some(DropFlow)),
            ("true", true, "auto", Some(Ignore)),
            ("true", true, "drop-flow", None),
            ("true", false, "bypass", None),
            ("true", false, "reject", None),
            ("true", false, "pass-flow", Some(PassFlow)),
        ] {
            let overrides =
                [format!("stream.midstream={pickups}"), format!("stream.midstream-policy={word}")];
            let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
            let found = read(&overrides, inline).map(|policies| policies.midstream);
            assert_eq!(found, expected, "pickups {pickups}, inline {inline}, {word}");
        }
    }

    #[test]
    fn where_nothing_can_be_dropped_such_a_word_is_ignored() {
        for (overrides, said) in [
            (["stream.memcap-policy=drop-flow"], "stream.memcap-policy: drop-flow"),
            (["app-layer.error-policy=drop-packet"], "app-layer.error-policy: drop-packet"),
            (["exception-policy=drop-flow"], "exception-policy: drop-flow"),
        ] {
            let settings = Settings::from_text(b"", "test", &overrides).unwrap();
            let policies = ExceptionPolicies::from_settings(&settings, false).unwrap();
            assert_eq!(policies.stream_memcap, ExceptionPolicy::Ignore);
            let warnings: Vec<String> = settings.take_warnings().iter().map(ToString::to_string).collect();
            let expected = format!("{said} not a valid config in IDS mode. Ignoring it (command line)");
            assert_eq!(warnings, [expected]);
        }
    }

    #[test]
    fn places_follow_the_master() {
        let inline = read(&[], true).unwrap();
        assert_eq!(inline.app_layer_error, ExceptionPolicy::DropFlow);
        assert_eq!(inline.defrag_memcap, ExceptionPolicy::DropPacket);
        let passive = read(&[], false).unwrap();
        assert_eq!(passive.app_layer_error, ExceptionPolicy::Ignore);
        let own = read(&["exception-policy=bypass", "app-layer.error-policy=reject"], true).unwrap();
        assert_eq!(
            (own.stream_memcap, own.app_layer_error),
            (ExceptionPolicy::Bypass, ExceptionPolicy::Reject)
        );
        assert_eq!(own.flow_memcap, ExceptionPolicy::Ignore);
        assert!(read(&["exception-policy=maybe"], false).is_none());
    }
}
