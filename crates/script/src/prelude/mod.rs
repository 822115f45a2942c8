//! Declarations that every script finds, and those that `@load base/…` brings, in Zeek's language with Zeek's names.
//!
//! The declarations are interfaces: types, constants, events, functions. What functions do is in `own.zeek` and in the
//! built-in functions.

/// Types that declarations of built-in functions name.
pub const EARLY: &str = include_str!("early.zeek");

const BARE: &str = include_str!("bare.zeek");
/// Scripts by their paths: each begins behind a line `#@ PATH`.
const SCRIPTS: &str = include_str!("scripts.zeek");
/// Functions of scripts, in the same form.
const OWN: [&str; 21] = [
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
    include_str!("own/seen.zeek"),
    include_str!("own/policy.zeek"),
    include_str!("own/streams.zeek"),
    include_str!("own/ports.zeek"),
    include_str!("own/files.zeek"),
    include_str!("own/smb.zeek"),
    include_str!("own/certificates.zeek"),
];

const MARK: &str = "\n#@ ";
/// What every script finds.
const FIRST: &str = "base/init-bare";

/// Folder of Zeek's declarations of built-in functions and events.
const BUILT_IN: &str = "base/bif/";

fn section(all: &'static str, path: &str) -> Option<(&'static str, &'static str)> {
    let mark = format!("{MARK}{path}\n");
    let start = all.find(&mark)? + MARK.len();
    let rest = all.get(start..)?;
    let name = rest.get(..path.len())?;
    let text = rest.get(path.len()..)?;
    let end = text.find(MARK).unwrap_or(text.len());
    Some((name, text.get(..end)?))
}

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
    candidates.iter().find_map(|candidate| {
        let all = std::iter::once(SCRIPTS).chain(OWN);
        all.into_iter().find_map(|texts| section(texts, candidate)).map(|(name, _)| name)
    })
}

/// Returns the text of a part.
pub fn text(part: &str) -> String {
    let own: String = OWN.iter().filter_map(|texts| section(texts, part)).map(|(_, text)| text).collect();
    if part == FIRST {
        return format!("{BARE}{own}");
    }
    let declared = section(SCRIPTS, part).map_or("", |(_, text)| text);
    format!("{declared}{own}")
}
