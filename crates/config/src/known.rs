//! The settings that are known, and what a misspelled one was probably meant to be.
//!
//! The table is `known_keys.txt`: the keys of the shipped file, set or commented out, and the
//! further ones that the manual documents. Parts that users name themselves are open.

use std::collections::BTreeMap;

use weir_base::nearest;

use crate::error::Location;
use crate::node::Node;
use crate::settings::Settings;

const TABLE: &str = include_str!("known_keys.txt");

/// Most unknown settings that are reported.
const MAX_REPORTED: usize = 100;
/// Settings of earlier releases by the names they have now, where those do not resemble each other.
const RENAMED: &[(&str, &str)] = &[("ikev2", "ike")];

/// A setting that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKey {
    /// Dotted path.
    pub path: String,
    /// Where it is written.
    pub location: Location,
    /// The known path it resembles most, if any does.
    pub suggestion: Option<String>,
}

impl UnknownKey {
    /// The sentence that warns of it.
    pub fn sentence(&self) -> String {
        let Self { path, location, suggestion } = self;
        match suggestion {
            Some(suggestion) => format!("unknown setting {path}; did you mean {suggestion}? ({location})"),
            None => format!("unknown setting {path}, which is left out ({location})"),
        }
    }
}

#[derive(Default)]
struct Known<'a> {
    below: BTreeMap<&'a str, Known<'a>>,
}

impl<'a> Known<'a> {
    fn table(text: &'a str) -> Self {
        let mut root = Self::default();
        let mut path: Vec<&str> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let name = line.trim_start();
            path.truncate(line.len() - name.len());
            path.push(name);
            path.iter().fold(&mut root, |known, part| known.below.entry(part).or_default());
        }
        root
    }

    fn is_open(&self) -> bool {
        self.below.contains_key("**")
    }

    fn get(&self, name: &str) -> Option<&Self> {
        self.below.get(name).or_else(|| self.below.get("*"))
    }

    fn resembling(&self, name: &str) -> Option<&'a str> {
        if let Some((_, new)) = RENAMED.iter().find(|(old, new)| *old == name && self.below.contains_key(new))
        {
            return Some(new);
        }
        nearest(name, self.below.keys().copied().filter(|known| !known.starts_with('*')))
    }
}

/// Every setting that is not known, once for each path with list indices left out, in the order
/// of the file.
pub fn unknown_keys(settings: &Settings) -> Vec<UnknownKey> {
    let table = Known::table(TABLE);
    let mut found = Finder { unknown: Vec::new(), seen: Default::default() };
    found.walk(settings.root(), &table, "", "");
    found.unknown
}

struct Finder {
    unknown: Vec<UnknownKey>,
    seen: std::collections::HashSet<String>,
}

impl Finder {
    fn walk(&mut self, node: &Node, known: &Known<'_>, path: &str, general: &str) {
        if known.is_open() {
            return;
        }
        for child in node.children() {
            let indexed = node.is_sequence() && child.name().bytes().all(|byte| byte.is_ascii_digit());
            if indexed
                && child.children().is_empty()
                && known.below.get("*").is_none_or(|item| item.below.is_empty())
            {
                continue;
            }
            let below = join(path, child.name());
            let general_below = join(general, if indexed { "*" } else { child.name() });
            match known.get(child.name()) {
                Some(next) => self.walk(child, next, &below, &general_below),
                None if self.unknown.len() < MAX_REPORTED && self.seen.insert(general_below) => {
                    let suggestion = known.resembling(child.name()).map(|name| join(path, name));
                    self.unknown.push(UnknownKey {
                        path: below,
                        location: child.location().clone(),
                        suggestion,
                    });
                }
                None => {}
            }
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_known() {
        let settings = Settings::built_in::<&str>(&[]).unwrap();
        let unknown: Vec<_> = unknown_keys(&settings).iter().map(UnknownKey::sentence).collect();
        assert_eq!(unknown, Vec::<String>::new());
    }

    #[test]
    fn misspelled_settings_are_found() {
        for (argument, path, suggestion) in [
            ("stream.memcpa=1", "stream.memcpa", Some("stream.memcap")),
            ("stream.reasembly.depth=1", "stream.reasembly", Some("stream.reassembly")),
            (
                "app-layer.protocols.htpp.enabled=no",
                "app-layer.protocols.htpp",
                Some("app-layer.protocols.http"),
            ),
            ("zzzzzz=1", "zzzzzz", None),
            (
                "app-layer.protocols.ikev2.enabled=no",
                "app-layer.protocols.ikev2",
                Some("app-layer.protocols.ike"),
            ),
            ("outputs.1.eve-log.typess=x", "outputs.1.eve-log.typess", Some("outputs.1.eve-log.types")),
        ] {
            let settings = Settings::built_in(&[argument]).unwrap();
            let unknown = unknown_keys(&settings);
            assert_eq!(unknown.len(), 1, "{argument}: {unknown:?}");
            assert_eq!((unknown[0].path.as_str(), unknown[0].suggestion.as_deref()), (path, suggestion));
        }
    }

    #[test]
    fn open_parts_stay_open() {
        let overrides =
            ["vars.address-groups.MINE=any", "host-os-policy.beos=10.0.0.0/8", "multi-detect.7.anything=1"];
        assert_eq!(unknown_keys(&Settings::built_in(&overrides).unwrap()), []);
    }
}
