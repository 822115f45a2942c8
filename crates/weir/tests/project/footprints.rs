//! The cost of adding something: a registry names each of its members in one row, and nobody else does.

use std::collections::BTreeSet;

use crate::tidy::{files, production, read};
use crate::workspace;

/// Folders whose members are registered in the `mod.rs` there, with the item of each that its row names, and its type.
const REGISTRIES: &[(&str, &str, &str)] = &[
    ("capture/src/sources", "KIND", "SourceKind"),
    ("detect/src/keywords", "KEYWORDS", "&[Keyword]"),
    ("output/src/formats/eve/types", "TYPE", "RecordType"),
];

/// A source is a folder and a row, a family of keywords and a type of EVE records a file and a row.
#[test]
fn members_of_a_registry_are_named_once() {
    let crates = workspace::root().join("crates");
    let sources: Vec<String> =
        files(&crates, "rs").iter().map(|path| production(&read(path)).to_owned()).collect();
    for (folder, item, kind) in REGISTRIES {
        let registry = production(&read(&crates.join(folder).join("mod.rs"))).to_owned();
        let mut members = 0;
        for path in files(&crates.join(folder), "rs") {
            let text = read(&path);
            let is_member = text.contains(&format!(" {item}: {kind} = "));
            let place = path.strip_prefix(crates.join(folder)).expect("a file below it");
            let name = place.iter().next().expect("a name").to_string_lossy().replace(".rs", "");
            if !is_member || name == "tests" {
                continue;
            }
            members += 1;
            let row = format!("{name}::{item}");
            assert!(registry.contains(&format!("mod {name};")), "{folder}/{name} is no module");
            let ends_a_word =
                |part: &&str| part.ends_with(|last: char| last.is_alphanumeric() || last == '_');
            let named = |text: &String| {
                let before = text.split(&row).collect::<Vec<_>>();
                before.iter().rev().skip(1).filter(|part| !ends_a_word(part)).count()
            };
            assert_eq!((named(&registry), sources.iter().map(named).sum()), (1, 1), "{folder}: {row}");
        }
        assert!(members > 0, "{folder} has no members");
    }
}

/// A sticky buffer is a row: what rules can be written with, and the page about it, is made of the rows.
#[test]
fn sticky_buffers_are_rows() {
    let root = workspace::root();
    let page = read(&root.join("docs/keywords.md"));
    let mut rows = BTreeSet::new();
    for path in files(&root.join("crates/protocols/src"), "rs") {
        for row in production(&read(&path)).split("Field::").skip(1) {
            let (function, rest) = row.split_once('(').unwrap_or_default();
            if function.chars().all(|letter| letter == '_' || letter.is_lowercase()) {
                rows.extend(
                    rest.trim_start()
                        .strip_prefix('"')
                        .and_then(|rest| Some(rest.split_once('"')?.0.to_owned())),
                );
            }
        }
    }
    assert!(rows.len() > 200 && rows.contains("http.uri"), "{rows:?}");
    rows.retain(|name| !page.contains(&format!("`{name}`")));
    assert_eq!(rows, BTreeSet::new(), "docs/keywords.md lacks these: make docs");
}

/// A column of Zeek's logs is a line of a `zeek_stream!`, which makes the schema and the row: neither is written by hand.
#[test]
fn logs_of_zeek_are_declared_once() {
    let crates = workspace::root().join("crates");
    let by_hand: Vec<_> = files(&crates, "rs")
        .into_iter()
        .filter(|path| {
            !path.ends_with("zeek/column.rs")
                && !path.iter().any(|part| part.to_string_lossy().contains("tests"))
        })
        .filter(|path| production(&read(path)).contains("ZeekStream = ZeekStream {"))
        .collect();
    assert_eq!(by_hand, Vec::<std::path::PathBuf>::new());
}
