//! Which module of a crate may know which: layers inside `detect`, held against the paths that its sources write.

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
    ("inspect", &["state", "model", "ruleset", "explain"]),
    ("analysis", &["state", "model", "ruleset", "keywords"]),
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
    for (position, (name, may_know)) in DETECT.iter().enumerate() {
        let before: Vec<&str> = DETECT.iter().take(position).map(|(name, _)| *name).collect();
        assert!(may_know.iter().all(|other| before.contains(other)), "{name} knows what comes after it");
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
fn paths_are_found_where_they_stand() {
    let source = "use crate::model::view;\n/// [`crate::explain`]\nfn f() -> (crate::state::A, crate::state::B) {}\n\
                  #[cfg(test)]\nmod tests {\n    use crate::keywords::find;\n}\n";
    assert_eq!(known_to(source).into_iter().collect::<Vec<_>>(), ["model", "state"]);
}
