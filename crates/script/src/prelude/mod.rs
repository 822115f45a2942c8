//! Declarations that every script finds, and those that `@load base/…` brings, in Zeek's language with Zeek's names.

/// Parts, by the path that `@load` names.
const PARTS: &[(&str, &str)] = &[("base/init-bare", include_str!("bare.zeek"))];

/// Returns the name of a part for a path, where the prelude has one.
pub fn part(path: &str) -> Option<&'static str> {
    PARTS.iter().map(|(name, _)| *name).find(|name| *name == path)
}

/// Returns the text of a part.
pub fn text(part: &str) -> &'static str {
    PARTS.iter().find(|(name, _)| *name == part).map_or("", |(_, text)| *text)
}

/// Types that declarations of built-in functions name.
pub const EARLY: &str = include_str!("early.zeek");
