//! Habits that can be checked: size of files, what opens a module, where `unsafe` lives, that
//! protocols are registered, that fuzz targets are complete, that links in the documentation lead
//! somewhere.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workspace;

/// A file longer than this has a second noun in it.
const MAX_LINES: usize = 900;

/// Most lines of a file without its tests.
const MAX_PRODUCTION: usize = 600;

/// Most lines of a function.
const MAX_FUNCTION: usize = 80;

/// Functions that may be longer, each with its reason.
const LONG_FUNCTIONS: &[(&str, &str)] = &[
    // One table of jumps: a match within a match looks at a second one.
    ("script/src/vm/direct/mod.rs", "one"),
];

/// Where `unsafe` may be written, each block with its reason.
const UNSAFE_PLACES: &[&str] = &[
    "base/src/cycles.rs",
    "base/src/memory.rs",
    "base/src/prefetch.rs",
    "capture/src/batch.rs",
    "capture/src/sources/",
    "config/src/yaml/events.rs",
    "lab/src/heap/allocator.rs",
    "lab/src/own/",
    "magic/src/",
    "mpm/src/",
    "weir/src/allocator.rs",
];

/// All files below `folder` whose names end in `.extension`, except what was built.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder that can be read") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != "out" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no .{extension} file in {}", folder.display());
    found
}

/// The text of a file.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the part of a source that is built: all but the tests at its end.
pub fn production(source: &str) -> &str {
    source.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(source)
}

/// Whether a file is built into the program, and not for tests alone.
fn is_production(place: &str) -> bool {
    let for_tests = ["/tests", "/testing/", "testkit/", "/benches/", "_tests.rs"];
    place.contains("/src/") && !for_tests.iter().any(|part| place.contains(part))
}

/// The functions of a source by name, with how many lines each has.
fn functions(source: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let modifier =
            |word: &&str| word.starts_with("pub") || ["const", "unsafe", "async", "in"].contains(word);
        let head = code
            .split_once("fn ")
            .filter(|(before, _)| before.split_whitespace().all(|word| modifier(&word)));
        let Some((_, rest)) = head else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or_default();
        let indent = &line[..line.len() - code.len()];
        let is_end = |line: &str| {
            let rest = line.strip_prefix(indent).unwrap_or_default();
            rest == "}" || rest.starts_with(')') && rest.ends_with(';')
        };
        let is_short = line.ends_with(';') || line.ends_with('}');
        let length = if is_short { 1 } else { 2 + lines.by_ref().take_while(|line| !is_end(line)).count() };
        found.push((name, length));
    }
    found
}

#[test]
fn files_and_functions_fit_a_screen_or_a_few() {
    let sample =
        "fn a() {}\nimpl B {\n    pub(crate) const fn b(\n        c: u8,\n    ) {\n        d();\n    }\n}\n";
    assert_eq!(functions(sample), [("a", 1), ("b", 5)]);
    let root = workspace::root();
    let paths = ["crates", "analyst", "python"].iter().flat_map(|folder| files(&root.join(folder), "rs"));
    for path in paths {
        let place = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
        if !is_production(&place) {
            continue;
        }
        let text = read(&path);
        let built = production(&text);
        let lines = built.lines().count();
        assert!(
            lines <= MAX_PRODUCTION,
            "{place} has {lines} lines without its tests: split it by its nouns"
        );
        for (name, lines) in functions(built) {
            let is_listed =
                |(file, known): &(&str, &str)| place.to_string().ends_with(file) && name == *known;
            if LONG_FUNCTIONS.iter().any(is_listed) {
                continue;
            }
            assert!(lines <= MAX_FUNCTION, "{place}: {name} has {lines} lines: split it by its steps");
        }
    }
}

/// The names of the folders or files directly in `folder`, without extensions.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let stems = entries.map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_owned());
    let mut names: Vec<String> = stems.map(|stem| stem.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn source_files_are_short_and_say_what_they_are() {
    let root = workspace::root();
    for folder in ["crates", "analyst", "python", "fuzz"] {
        for path in files(&root.join(folder), "rs") {
            let text = read(&path);
            let place = path.strip_prefix(&root).unwrap_or(&path).display();
            let lines = text.lines().count();
            assert!(lines <= MAX_LINES, "{place} has {lines} lines: is there a second noun in it?");
            assert!(text.starts_with("//!") || is_inner_test(&path), "{place} does not open with what it is");
            let unfinished = concat!("to", "do!");
            assert!(!text.contains(unfinished), "{place} is not finished");
        }
    }
}

/// A test module beside its subject, whose module documentation is its subject's.
fn is_inner_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

#[test]
fn unsafe_lives_where_it_may() {
    let crates = workspace::root().join("crates");
    for name in names(&crates) {
        let manifest = read(&crates.join(&name).join("Cargo.toml"));
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{name} is not held by the lints of the workspace"
        );
        for path in files(&crates.join(&name).join("src"), "rs") {
            let place = path.strip_prefix(&crates).expect("below crates").to_string_lossy();
            let may = UNSAFE_PLACES.iter().any(|may| place.starts_with(may));
            // Whatever attribute lifts the lint names it.
            assert!(may || !read(&path).contains("unsafe_code"), "{place}: unsafe code");
        }
    }
}

#[test]
fn each_protocol_is_registered() {
    let source = workspace::root().join("crates/protocols/src");
    let registry: String = files(&source, "rs")
        .iter()
        // Those that only Zeek's logs follow stand beside those that are only recognised.
        .filter(|path| path.parent() == Some(&source) || path.ends_with("recognised/mod.rs"))
        .map(|path| read(path))
        .collect();
    for name in names(&source) {
        // A table of protocols of which nothing but their name is known, what protocols carry, and what their
        // tests share.
        if !source.join(&name).is_dir()
            || matches!(name.as_str(), "recognised" | "mime" | "gssapi" | "testing")
        {
            continue;
        }
        assert!(registry.contains(&format!("mod {name};")), "protocol {name} is no module");
        let rows = registry.matches(&format!("{name}::")).count();
        assert!(rows > 0, "protocol {name} is not in the registry");
    }
}

/// Each protocol over TCP that has transactions is tested in segments of any length.
#[test]
fn protocols_over_tcp_are_read_in_any_segments() {
    let folder = workspace::root().join("crates/protocols/src");
    let names = names(&folder).into_iter().filter(|name| folder.join(name).join("mod.rs").exists());
    let read_all = |name: &String| files(&folder.join(name), "rs").iter().map(|path| read(path)).collect();
    let untested = names.filter(|name| {
        let text: String = read_all(name);
        let has_transactions = text.contains("parser_transactions!") && text.contains("Transport::Tcp");
        has_transactions && !text.contains("_in_any_pieces(")
    });
    assert_eq!(untested.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn fuzz_targets_are_complete() {
    let fuzz = workspace::root().join("fuzz");
    let manifest = read(&fuzz.join("Cargo.toml"));
    let targets = names(&fuzz.join("fuzz_targets"));
    assert!(!targets.is_empty());
    for target in &targets {
        let row = format!("path = \"fuzz_targets/{target}.rs\"");
        assert!(manifest.contains(&row), "fuzz/Cargo.toml has no [[bin]] for {target}");
        let corpus = fuzz.join("corpus").join(target);
        assert!(corpus.is_dir() && !names(&corpus).is_empty(), "fuzz target {target} has no corpus");
    }
    for corpus in names(&fuzz.join("corpus")) {
        assert!(targets.contains(&corpus), "fuzz/corpus/{corpus} belongs to no target");
    }
}

/// The targets of links in a Markdown text that are paths: `[text](path#section)`.
fn linked_paths(text: &str) -> Vec<&str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links
        .map(|(link, _)| link.split('#').next().unwrap_or_default())
        .filter(|link| !link.is_empty() && !link.contains("://") && !link.starts_with("mailto:"))
        .collect()
}

#[test]
fn links_in_the_documentation_lead_somewhere() {
    assert_eq!(linked_paths("[a](b.md#c) [d](https://e) [f](#g)"), ["b.md"]);
    let root = workspace::root();
    for path in files(&root, "md") {
        let folder = path.parent().expect("a folder");
        for link in linked_paths(&read(&path)) {
            assert!(folder.join(link).exists(), "{}: the link to {link} is broken", path.display());
        }
    }
}

#[test]
fn the_list_of_passing_cases_is_sorted() {
    let text = read(&workspace::root().join("conformance/passing.txt"));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.is_sorted_by(|a, b| a < b), "conformance/passing.txt is not sorted, or has a line twice");
}

#[test]
fn inputs_of_properties_are_the_same_in_each_run_but_those_of_make_properties() {
    assert!(std::env::var("PROPTEST_RNG_SEED").is_ok_and(|seed| seed.parse::<u64>().is_ok()));
    let makefile = read(&workspace::root().join("Makefile"));
    let (_, goal) = makefile.split_once("\nproperties:").expect("a command of their own");
    let (goal, _) = goal.split_once("\n\n").expect("its end");
    assert!(goal.contains("/dev/urandom") && goal.contains("export PROPTEST_RNG_SEED="), "{goal}");
}
