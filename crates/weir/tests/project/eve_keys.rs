//! Keys of EVE: each that the page lists is written somewhere in the sources.

use std::collections::BTreeSet;

use crate::tidy::{files, read};
use crate::workspace;

/// The page's keys, as paths.
fn listed() -> Vec<String> {
    let page = read(&workspace::root().join("docs/eve-keys.md"));
    let cells = |row: &str| row.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows = page.lines().filter(|line| line.starts_with("| `")).map(cells);
    rows.flat_map(|row| {
        let (object, names) =
            row.split_first().map(|(object, names)| (object.clone(), names.to_vec())).unwrap_or_default();
        names.into_iter().map(move |name| format!("{object}.{name}"))
    })
    .collect()
}

/// The words of the strings in the sources, divided at points.
fn words() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in files(&workspace::root().join("crates"), "rs") {
        if path.components().any(|part| part.as_os_str() == "src") {
            let text = read(&path);
            let built = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
            words.extend(built.split(['"', '.']).filter(|word| word.len() < 64).map(str::to_ascii_lowercase));
        }
    }
    words
}

#[test]
fn listed_keys_are_written() {
    let (words, keys) = (words(), listed());
    assert!(keys.len() > 1000, "the page lists {} keys", keys.len());
    let is_written = |key: &&String| {
        let name = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        // Counters of protocols on both transports, and raw values beside named ones, have a name with an end.
        let stem = ["_tcp", "_udp", "_raw"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        name == "*" || words.contains(&name) || words.contains(stem)
    };
    let unknown: Vec<_> = keys.iter().filter(|key| !is_written(key)).collect();
    assert!(unknown.is_empty(), "nothing writes {unknown:#?}");
}
