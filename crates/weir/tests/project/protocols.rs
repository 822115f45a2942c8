//! Protocols are known by their rows: their names stand in their own folders and nowhere else, but for words of users.

use std::collections::BTreeSet;

use crate::tidy::{files, read};
use crate::workspace;

/// Files that have names of protocols for words of users, or for tests, with what they are there.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("applayer/src/toy.rs", "protocols of tests"),
    ("config/src/eve.rs", "a server that records are sent to"),
    ("config/src/known.rs", "keys of configurations that had another name"),
    ("config/src/pipelines.rs", "servers that records are sent to"),
    ("detect/src/analysis/names.rs", "words of the report on rules"),
    ("detect/src/analysis/text.rs", "words of the report on rules"),
    ("detect/src/compile/consistency.rs", "the protocol whose files have no names"),
    ("detect/src/keywords/bytes.rs", "the protocol that gave the byte order `dce` its name"),
    ("detect/src/keywords/ip.rs", "protocols of IP"),
    ("detect/src/keywords/known.rs", "documented words of rules"),
    ("detect/src/keywords/notes.rs", "keywords"),
    ("engine/src/control/commands/memcaps.rs", "memories that commands name"),
    ("engine/src/reference.rs", "examples of keywords"),
    ("lint/src/checks/deprecated.rs", "words of rules, and what to write instead"),
    ("lint/src/checks/scope.rs", "words of rules"),
    ("output/src/formats/eve/mod.rs", "documented entries of the configuration"),
    ("output/src/formats/stream_data.rs", "a folder of logs"),
    ("output/src/samples.rs", "records of tests"),
    ("output/src/sinks/network/ecs.rs", "Zeek's logs in the words of a schema"),
    ("output/src/sinks/network/mod.rs", "servers that records are sent to"),
    ("output/src/sinks/network/syslog.rs", "ways to a server"),
    ("output/src/sinks/syslog.rs", "facilities of the system's log"),
    ("script/src/signatures/reader.rs", "conditions in the words of users"),
    ("zeek/src/limits.rs", "streams in the words of Zeek's scripts"),
    ("zeek/src/policy/inventory.rs", "services in the words of Zeek's logs"),
];

/// The strings between quotes on the lines of a source that are no comment, without those of its tests.
fn strings(source: &str) -> impl Iterator<Item = &str> {
    let built = source.split("\n#[cfg(test)]\nmod ").next().unwrap_or(source);
    let code = built.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// The strings of the list behind each `start`, up to `end`.
fn listed<'a>(source: &'a str, start: &str, end: char) -> Vec<&'a str> {
    source.split(start).skip(1).flat_map(|rest| strings(rest.split(end).next().unwrap_or_default())).collect()
}

/// All names that the rows of protocols have.
fn names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files(&workspace::root().join("crates/protocols/src"), "rs") {
        let text = read(&path);
        if text.contains("Protocol = Protocol {")
            && !path.components().any(|part| part.as_os_str() == "tests")
        {
            for (start, end) in [("Protocol::named(", ','), ("    aliases: &[", ']'), ("    eve_name: ", ',')]
            {
                names.extend(listed(&text, start, end).into_iter().map(str::to_owned));
            }
        }
    }
    names
}

#[test]
fn protocols_are_named_in_their_folders_only() {
    let names = names();
    assert!(
        ["tls", "ssl", "http", "http2", "ftp-data"].iter().all(|name| names.contains(*name)),
        "{names:?}"
    );
    let crates = workspace::root().join("crates");
    let mut excepted = BTreeSet::new();
    for path in files(&crates, "rs") {
        let place = path.strip_prefix(&crates).expect("a file of a crate").to_string_lossy().into_owned();
        let is_searched = !place.starts_with("protocols/") && !place.starts_with("testkit/");
        if !is_searched || !place.contains("/src/") || place.contains("/tests") {
            continue;
        }
        let text = read(&path);
        let Some(name) = strings(&text).find(|text| names.contains(*text)) else { continue };
        let exception = EXCEPTIONS.iter().find(|(file, _)| *file == place);
        assert!(exception.is_some(), "{place} names the protocol {name}: what it asks belongs into its row");
        excepted.insert(place);
    }
    for (file, _) in EXCEPTIONS {
        assert!(excepted.contains(*file), "{file} names no protocol: it needs no exception");
    }
}
