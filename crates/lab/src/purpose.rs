//! What time and memory are for, from the names of functions: the innermost function of a stack that has a row here
//! decides. Functions of the standard library and of what all parts share have none.

use crate::profile::Profile;
use crate::summary::is_allocator;

/// Purpose of what has no function with a row.
pub const OTHER: &str = "other";

/// Beginnings of paths, longer ones before shorter ones, and what is done there.
const ROWS: &[(&str, &str)] = &[
    ("weir_applayer::file", "files"),
    ("weir_applayer::session", "sessions"),
    ("weir_applayer::detection", "sessions"),
    ("weir_applayer::eve", "logs"),
    ("weir_applayer::zeek", "logs"),
    ("weir_applayer", "parsers"),
    ("weir_capture", "capture"),
    ("weir_config", "settings"),
    ("weir_detect::explain", "detection"),
    ("weir_detect::inspect", "detection"),
    ("weir_detect::state", "detection"),
    ("weir_detect", "rules"),
    ("weir_engine::load", "rules"),
    ("weir_engine::reload", "rules"),
    ("weir_engine::rules", "rules"),
    ("weir_engine::worker::ahead", "decoding"),
    ("weir_engine::worker::feed", "flows"),
    ("weir_engine::worker::tcp", "reassembly"),
    ("weir_engine::worker::files", "files"),
    ("weir_engine::worker::records", "logs"),
    ("weir_engine", "engine"),
    ("weir_flow", "flows"),
    ("weir_lua", "scripts"),
    ("weir_magic", "files"),
    ("weir_mpm", "matchers"),
    ("weir_output", "logs"),
    ("weir_packet::defrag", "reassembly"),
    ("weir_packet", "decoding"),
    ("weir_protocols", "parsers"),
    ("weir_rules", "rules"),
    ("weir_script", "scripts"),
    ("weir_stream", "reassembly"),
    ("weir_zeek", "Zeek's logs"),
    ("weir::", "command line"),
];

/// Returns the purpose of a function by its name; none where its name tells none, or it allocates for others.
pub fn of_function(name: &str) -> Option<&'static str> {
    if is_allocator(name) {
        return None;
    }
    // `<weir_mpm::multi::Matcher as core::ops::drop::Drop>::drop` belongs to the type it is implemented for.
    let path = name.find("weir").and_then(|at| name.get(at..))?;
    let starts = |row: &&(&str, &str)| {
        let rest = path.strip_prefix(row.0);
        row.0.ends_with(':') && rest.is_some()
            || rest.is_some_and(|rest| {
                !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            })
    };
    ROWS.iter().find(starts).map(|row| row.1)
}

/// Returns the purpose of a stack.
pub fn of_stack(profile: &Profile, stack: u32) -> &'static str {
    profile.names(stack).into_iter().find_map(of_function).unwrap_or(OTHER)
}

/// Returns the sums of a measure by purpose, the largest first.
pub fn sums(profile: &Profile, measure: usize) -> Vec<(&'static str, i64)> {
    let purposes: Vec<&str> = (0..).zip(&profile.stacks).map(|(stack, _)| of_stack(profile, stack)).collect();
    let mut sums: Vec<(&str, i64)> = Vec::new();
    for sample in &profile.samples {
        let purpose = purposes.get(sample.stack as usize).copied().unwrap_or(OTHER);
        match sums.iter_mut().find(|(known, _)| *known == purpose) {
            Some((_, sum)) => *sum += sample.value(measure),
            None => sums.push((purpose, sample.value(measure))),
        }
    }
    sums.retain(|(_, sum)| *sum != 0);
    sums.sort_by_key(|(purpose, sum)| (std::cmp::Reverse(*sum), *purpose));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::folded;

    #[test]
    fn names_and_purposes() {
        let cases = [
            ("weir_flow::table::Table::insert", Some("flows")),
            ("weir_flow", Some("flows")),
            ("<weir_mpm::multi::Matcher as core::ops::Drop>::drop", Some("matchers")),
            ("weir_applayer::filename::x", Some("parsers")),
            ("weir_applayer::file::File::push", Some("files")),
            ("weir_detect::compile::rule", Some("rules")),
            ("weir_detect::inspect::run", Some("detection")),
            ("weir::main", Some("command line")),
            ("weir::allocator::__rust_alloc", None),
            ("weird::main", None),
            ("weir_base::json::write", None),
            ("alloc::vec::Vec<T>::push", None),
        ];
        for (name, expected) in cases {
            assert_eq!(of_function(name), expected, "{name}");
        }
    }

    #[test]
    fn rows_do_not_hide_each_other() {
        for (at, (path, _)) in ROWS.iter().enumerate() {
            let hidden = ROWS.iter().take(at).any(|(earlier, _)| path.starts_with(earlier));
            assert!(!hidden, "{path} stands behind its beginning");
        }
    }

    #[test]
    fn the_innermost_function_with_a_purpose_decides() {
        let profile = folded(&[
            ("weir::main;weir_engine::run;weir_flow::insert;alloc::grow", 5),
            ("weir::main;weir_engine::run;weir_mpm::scan", 7),
            ("start;somewhere", 1),
        ]);
        assert_eq!(sums(&profile, 0), [("matchers", 7), ("flows", 5), ("other", 1)]);
    }
}
