//! Declarations that every script finds, and those that `@load base/…` brings, in Zeek's language with Zeek's names.
//!
//! The declarations are interfaces: types, constants, events, functions. What functions do is in `own` and in the
//! built-in functions.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Types that declarations of built-in functions name.
pub const EARLY: &str = include_str!("early.zeek");

const BARE: &str = include_str!("bare.zeek");
/// Scripts by their paths: each begins behind a line `#@ PATH`.
const SCRIPTS: &str = include_str!("scripts.zeek");
/// Functions of scripts, in the same form.
const OWN: [&str; 23] = [
    include_str!("own/logging.zeek"),
    include_str!("own/utilities.zeek"),
    include_str!("own/analyzers.zeek"),
    include_str!("own/frameworks.zeek"),
    include_str!("own/notices.zeek"),
    include_str!("own/netcontrol.zeek"),
    include_str!("own/netcontrol_plugins.zeek"),
    include_str!("own/catch_and_release.zeek"),
    include_str!("own/openflow.zeek"),
    include_str!("own/observations.zeek"),
    include_str!("own/places.zeek"),
    include_str!("own/statistics.zeek"),
    include_str!("own/traffic.zeek"),
    include_str!("own/records.zeek"),
    include_str!("own/sessions.zeek"),
    include_str!("own/seen.zeek"),
    include_str!("own/policy.zeek"),
    include_str!("own/policy_protocols.zeek"),
    include_str!("own/streams.zeek"),
    include_str!("own/ports.zeek"),
    include_str!("own/files.zeek"),
    include_str!("own/smb.zeek"),
    include_str!("own/certificates.zeek"),
];

/// Beginning of the names that policy scripts have as files.
pub(crate) const POLICIES: &str = "<policy/";

/// Policy scripts of which there are declarations alone.
const DECLARED: [&str; 8] = [
    "policy/frameworks/packet-filter/shunt",
    "policy/frameworks/signatures/iso-9660",
    "policy/frameworks/telemetry/log",
    "policy/misc/profiling",
    "policy/protocols/conn/speculative-service",
    "policy/protocols/http/detect-webapps",
    "policy/protocols/smtp/entities-excerpt",
    "policy/protocols/ssl/decryption",
];

const MARK: &str = "\n#@ ";
/// What every script finds.
const FIRST: &str = "base/init-bare";

/// Folder of Zeek's declarations of built-in functions and events.
const BUILT_IN: &str = "base/bif/";

/// Texts of a part: its declarations, then functions, each where there are such.
static PARTS: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut parts: HashMap<&str, Vec<&str>> = HashMap::new();
    for all in std::iter::once(SCRIPTS).chain(OWN) {
        for section in all.split(MARK).skip(1) {
            let (path, text) = section.split_at(section.find('\n').unwrap_or(section.len()));
            parts.entry(path).or_default().push(text);
        }
    }
    parts
});

/// Returns the name of a part for a path, where the prelude has one.
pub fn part(path: &str) -> Option<&'static str> {
    let path = path.trim_end_matches('/');
    // Declarations of built-in functions and events are there from the start.
    if path == FIRST || path.starts_with(BUILT_IN) {
        return Some(FIRST);
    }
    let candidates = [
        path.to_owned(),
        format!("{path}/__load__"),
        format!("policy/{path}"),
        format!("policy/{path}/__load__"),
    ];
    candidates.iter().find_map(|candidate| PARTS.get_key_value(candidate.as_str())).map(|(path, _)| *path)
}

/// Returns whether a part declares names and does nothing.
pub fn is_declared_only(part: &str) -> bool {
    DECLARED.contains(&part)
}

/// Returns the text of a part.
pub fn text(part: &str) -> String {
    let text = PARTS.get(part).map(|texts| texts.concat()).unwrap_or_default();
    if part == FIRST { format!("{BARE}{text}") } else { text }
}
