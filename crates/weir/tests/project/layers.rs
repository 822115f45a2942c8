//! Which module of a crate may know which, held against the paths that the sources write: layers inside `detect`, and
//! the protocols that use others.

use std::collections::BTreeSet;
use std::path::Path;

use crate::tidy::{files, read};
use crate::workspace;

/// The modules of `detect` with those that each may know. A module knows only modules before it.
const DETECT: &[(&str, &[&str])] = &[
    ("state", &[]),
    ("model", &["state"]),
    ("ruleset", &["state", "model"]),
    ("builder", &["state", "model"]),
    ("keywords", &["state", "model", "builder"]),
    ("compile", &["state", "model", "ruleset", "builder", "keywords"]),
    ("explain", &["state", "model"]),
    ("profile", &["state"]),
    ("inspect", &["state", "model", "ruleset", "explain", "profile"]),
    ("analysis", &["state", "model", "ruleset", "keywords"]),
];

/// The protocols, and what several of them have in common, that use others, with those that each may use. One uses
/// only such as stand before it or are not here: there are no circles.
const PROTOCOLS: &[(&str, &[&str])] = &[
    ("dhcp", &["span"]),
    ("dnp3", &["span"]),
    ("finger", &["lines"]),
    ("ident", &["lines"]),
    ("imap", &["mime"]),
    ("ldap", &["ber", "span"]),
    ("rpc", &["nfs"]),
    ("sip", &["span"]),
    ("smtp", &["mime"]),
    ("snmp", &["ber", "span"]),
    ("ssh", &["settings"]),
    ("tls", &["ocsp", "settings"]),
    ("quic", &["settings", "tls"]),
    ("rdp", &["ber", "tls"]),
    ("krb5", &["ber", "span", "tls"]),
    ("gssapi", &["ber", "krb5"]),
    ("dcerpc", &["gssapi", "krb5"]),
    ("smb", &["dcerpc", "gssapi", "krb5"]),
    ("http1", &["ocsp", "websocket"]),
    ("http2", &["dns", "http1"]),
    // Their hints and probes, for connections that are recognised and not read.
    ("recognised", &["dnp3", "dns", "ftp", "http1", "ntp", "quic", "radius", "sip", "syslog", "tls"]),
];

/// The first parts of the paths `crate::…` in a source, without those of comments and of its tests.
fn known_to(source: &str) -> BTreeSet<String> {
    let built = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or(source);
    let code = built.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .map(|path| path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

/// The edges between modules of the crate whose sources are below `root`: from, to, and the file.
fn edges(root: &Path) -> Vec<(String, String, String)> {
    let mut edges = Vec::new();
    for path in files(root, "rs") {
        let place = path.strip_prefix(root).expect("a file below the root").to_string_lossy().into_owned();
        let (from, rest) = place.split_once('/').unwrap_or((place.as_str(), ""));
        if from != "lib.rs" && !rest.starts_with("tests") {
            let known = known_to(&read(&path)).into_iter();
            edges.extend(known.map(|to| (from.to_owned(), to, place.clone())));
        }
    }
    edges
}

#[test]
fn layers_are_in_order() {
    for (table, others) in [(DETECT, false), (PROTOCOLS, true)] {
        for (position, (name, may_know)) in table.iter().enumerate() {
            let is_before = |other: &str| {
                let place = table.iter().position(|(known, _)| *known == other);
                place.map_or(others, |place| place < position)
            };
            assert!(may_know.iter().all(|other| is_before(other)), "{name} knows what comes after it");
        }
    }
}

#[test]
fn modules_of_detect_know_lower_layers_only() {
    let edges = edges(&workspace::root().join("crates/detect/src"));
    assert!(edges.len() > 100, "the sources are not where this test looks");
    for (from, to, path) in edges {
        let layer = DETECT.iter().find(|(name, _)| *name == from);
        let (_, may_know) =
            layer.unwrap_or_else(|| panic!("{path}: the module {from} has no layer: add it here"));
        assert!(from == to || may_know.contains(&to.as_str()), "{path}: {from} may not know {to}");
    }
}

#[test]
fn protocols_use_those_that_they_declare() {
    let edges = edges(&workspace::root().join("crates/protocols/src"));
    let mut used = BTreeSet::new();
    for (from, to, path) in edges {
        let from = from.trim_end_matches(".rs").to_owned();
        if from != to && to != "testing" && from != "testing" {
            let declared = PROTOCOLS.iter().find(|(name, _)| *name == from);
            let is_declared = declared.is_some_and(|(_, others)| others.contains(&to.as_str()));
            assert!(is_declared, "{path}: {from} uses {to}, which the table does not say");
            used.insert((from, to));
        }
    }
    for (from, others) in PROTOCOLS {
        for to in *others {
            assert!(used.contains(&((*from).to_owned(), (*to).to_owned())), "{from} does not use {to}");
        }
    }
}

#[test]
fn paths_are_found_where_they_stand() {
    let source = "use crate::model::view;\n/// [`crate::explain`]\nfn f() -> (crate::state::A, crate::state::B) {}\n\
                  #[cfg(test)]\nmod tests {\n    use crate::keywords::find;\n}\n";
    assert_eq!(known_to(source).into_iter().collect::<Vec<_>>(), ["model", "state"]);
}
