//! Which crate may know which: the levels of ARCHITECTURE.md, held against `cargo metadata`.

use std::collections::BTreeMap;

use crate::workspace;

/// The level of each crate. A crate depends on crates of lower levels only.
const LEVELS: &[(&str, u8)] = &[
    ("weir-base", 0),
    ("weir-sandbox", 0),
    ("weir-columns", 0),
    ("weir-lab", 1),
    ("weir-packet", 1),
    ("weir-rules", 1),
    ("weir-script", 1),
    ("weir-mpm", 1),
    ("weir-config", 1),
    ("weir-magic", 1),
    ("weir-capture", 2),
    ("weir-flow", 2),
    ("weir-stream", 2),
    ("weir-applayer", 2),
    ("weir-update", 2),
    ("weir-detect", 3),
    ("weir-lint", 4),
    ("weir-lua", 4),
    ("weir-output", 4),
    ("weir-protocols", 4),
    ("weir-zeek", 5),
    ("weir-engine", 6),
    ("weir", 7),
];

/// What the levels alone would allow, or should they change, must stay apart all the same.
const FORBIDDEN: &[(&str, &str)] = &[
    ("weir-detect", "weir-protocols"),
    ("weir-lint", "weir-protocols"),
    ("weir-lua", "weir-protocols"),
    ("weir-output", "weir-protocols"),
    ("weir-zeek", "weir-protocols"),
    ("weir-flow", "weir-protocols"),
    ("weir-stream", "weir-protocols"),
    ("weir-flow", "weir-stream"),
    ("weir-stream", "weir-flow"),
    ("weir-packet", "weir-rules"),
    ("weir-applayer", "weir-detect"),
    ("weir-protocols", "weir-detect"),
    ("weir-protocols", "weir-output"),
];

/// What tests build their traffic with; no crate is built upon it.
const TESTKIT: &str = "weir-testkit";

/// Each crate with the workspace's crates that it is built upon (not those that only its tests use).
fn edges() -> BTreeMap<String, Vec<String>> {
    let metadata = workspace::metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let own = dependencies
                .iter()
                .filter(|dependency| !dependency["path"].is_null() && dependency["kind"] != "dev")
                .map(|dependency| dependency["name"].as_str().expect("name").to_owned())
                .collect();
            (package["name"].as_str().expect("name").to_owned(), own)
        })
        .collect()
}

fn level(name: &str) -> u8 {
    let found = LEVELS.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("{name} has no level: add it here and to ARCHITECTURE.md")).1
}

#[test]
fn crates_depend_on_lower_levels_only() {
    for (name, dependencies) in edges() {
        if name == TESTKIT {
            assert_eq!(dependencies, ["weir-base"], "the test kit knows nothing of what it tests");
            continue;
        }
        for dependency in dependencies {
            assert_ne!(dependency, TESTKIT, "{name} is built upon the test kit");
            assert!(level(&dependency) < level(&name), "{name} may not know {dependency}");
        }
    }
}

#[test]
fn forbidden_edges_do_not_exist() {
    let edges = edges();
    for (from, to) in FORBIDDEN {
        let dependencies = edges.get(*from).unwrap_or_else(|| panic!("{from} is gone"));
        assert!(!dependencies.iter().any(|name| name == to), "{from} may not know {to}");
    }
    for (name, dependencies) in &edges {
        let knows_engine = dependencies.iter().any(|dependency| dependency == "weir-engine");
        assert!(
            !knows_engine || name == "weir",
            "{name} may not know weir-engine: only the command line does"
        );
    }
}

/// The page lists each crate at its level, in rows such as `| 3 | detect | … |`.
#[test]
fn the_page_tells_the_same_levels() {
    let page = std::fs::read_to_string(workspace::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (name, level) in LEVELS {
        let folder = name.strip_prefix("weir-").unwrap_or(name);
        let row = format!("| {level} | {folder} |");
        assert!(page.contains(&row), "ARCHITECTURE.md has no row '{row}'");
    }
}
