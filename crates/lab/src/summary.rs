//! What a profile tells: its tree of calls, its functions, its call sites.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::profile::Profile;
use crate::purpose;

/// Most calls within each other that a tree has.
const MAX_DEPTH: usize = 256;

/// Function in a tree of calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Sum of the measure, with that of what it calls.
    pub value: i64,
    /// What it calls, in the order of names.
    pub children: Vec<Node>,
}

/// Node while a tree grows.
#[derive(Default)]
struct Growing<'a> {
    value: i64,
    children: BTreeMap<&'a str, Growing<'a>>,
}

/// Returns the tree of calls from the outermost in, without what is below `narrowest`, a share of all. Negative values
/// are left out.
pub fn tree(profile: &Profile, measure: usize, narrowest: f64) -> Node {
    let mut root = Growing::default();
    for sample in profile.samples.iter().filter(|sample| sample.value(measure) > 0) {
        let value = sample.value(measure);
        root.value += value;
        let mut node = &mut root;
        for name in profile.names(sample.stack).into_iter().rev().take(MAX_DEPTH) {
            node = node.children.entry(name).or_default();
            node.value += value;
        }
    }
    let least = root.value as f64 * narrowest;
    grown("all", root, least)
}

fn grown(name: &str, growing: Growing<'_>, least: f64) -> Node {
    let wide = growing.children.into_iter().filter(|(_, child)| child.value as f64 >= least);
    let children = wide.map(|(name, child)| grown(name, child, least)).collect();
    Node { name: name.to_owned(), value: growing.value, children }
}

/// Function with what was measured there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionSum {
    /// Name.
    pub name: String,
    /// Path of its source.
    pub file: String,
    /// Sum of where it is innermost.
    pub own: i64,
    /// Sum of where it is at work, itself or by what it calls.
    pub total: i64,
}

/// Returns the functions with their sums of a measure, the largest own ones first.
pub fn functions(profile: &Profile, measure: usize) -> Vec<FunctionSum> {
    let mut sums: HashMap<&str, FunctionSum> = HashMap::new();
    for sample in profile.samples.iter().filter(|sample| sample.value(measure) != 0) {
        let value = sample.value(measure);
        let mut seen = HashSet::new();
        for (at, (function, _)) in profile.lines(sample.stack).into_iter().enumerate() {
            let sum = sums.entry(&function.name).or_insert_with(|| FunctionSum {
                name: function.name.clone(),
                file: function.file.clone(),
                own: 0,
                total: 0,
            });
            sum.own += if at == 0 { value } else { 0 };
            sum.total += if seen.insert(&function.name) { value } else { 0 };
        }
    }
    let mut sums: Vec<FunctionSum> = sums.into_values().collect();
    sums.sort_by(|a, b| (b.own, b.total, &a.name).cmp(&(a.own, a.total, &b.name)));
    sums
}

/// Call site: a place in the program that allocates, with all sums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Name of the function.
    pub name: String,
    /// Path of its source; empty where it is unknown.
    pub file: String,
    /// Line.
    pub line: u32,
    /// What the memory is for.
    pub purpose: &'static str,
    /// A sum for each measure.
    pub values: Vec<i64>,
}

/// Libraries that allocate for others: call sites are behind them.
const LIBRARIES: &[&str] = &["alloc::", "core::", "std::", "hashbrown::", "smallvec::"];

/// Whether a function allocates for others.
pub fn is_library(name: &str) -> bool {
    let name = name.trim_start_matches(['<', '&', '[']);
    LIBRARIES.iter().any(|library| name.starts_with(library)) || is_allocator(name)
}

/// Whether a function belongs to the allocator itself: the recorder's, and what the compiler makes for the allocator
/// that a program declares, which has the name of that declaration's module before its own.
pub fn is_allocator(name: &str) -> bool {
    let name = name.trim_start_matches('<');
    let last = name.rsplit("::").next().unwrap_or(name);
    ["weir_lab::", "alloc::alloc::"].iter().any(|own| name.starts_with(own))
        || ["__rust_", "__rg_", "__rdl_"].iter().any(|made| last.starts_with(made))
}

/// Returns the name of a function without the arguments of generic types, for sentences: `Vec<u8>::push` is `Vec::push`.
/// Names that begin with a type in angle brackets, as those of trait implementations, keep these.
pub fn without_arguments(name: &str) -> String {
    let (mut short, mut depth, mut last) = (String::new(), 0_usize, ' ');
    for letter in name.chars() {
        let begins =
            letter == '<' && (depth > 0 || last.is_alphanumeric() || matches!(last, '_' | ':' | '}'));
        if begins {
            depth += 1;
            if depth == 1 && short.ends_with("::") {
                short.truncate(short.len() - 2);
            }
        } else if depth == 0 {
            short.push(letter);
        } else if letter == '>' && last != '-' {
            depth -= 1;
        }
        last = letter;
    }
    short
}

/// Returns the call sites with their sums, those with the largest of `measure` first.
pub fn sites(profile: &Profile, measure: usize) -> Vec<Site> {
    let mut sums: HashMap<(String, u32), Site> = HashMap::new();
    for sample in &profile.samples {
        let lines = profile.lines(sample.stack);
        let own = lines.iter().find(|(function, _)| !is_library(&function.name)).or(lines.first());
        let (name, file, line) = match own {
            Some((function, line)) => (function.name.clone(), function.file.clone(), *line),
            None => ("[unknown code]".to_owned(), String::new(), 0),
        };
        let site = sums.entry((name.clone(), line)).or_insert_with(|| Site {
            name,
            file,
            line,
            purpose: purpose::of_stack(profile, sample.stack),
            values: vec![0; profile.measures.len()],
        });
        for (sum, value) in site.values.iter_mut().zip(&sample.values) {
            *sum += value;
        }
    }
    let mut sites: Vec<Site> =
        sums.into_values().filter(|site| site.values.iter().any(|sum| *sum != 0)).collect();
    let value = |site: &Site| site.values.get(measure).copied().unwrap_or_default().abs();
    sites.sort_by(|a, b| (value(b), &a.name, a.line).cmp(&(value(a), &b.name, b.line)));
    sites
}

/// Takes the allocator's own functions off the inner end of all stacks.
pub fn without_allocator(profile: &mut Profile) {
    for stack in 0..profile.stacks.len() {
        let Some(places) = profile.stacks.get(stack) else { continue };
        let is_own = |place: &&u32| {
            let lines = profile.locations.get(**place as usize).map(|place| place.lines.as_slice());
            let mut names = lines
                .unwrap_or_default()
                .iter()
                .filter_map(|line| profile.functions.get(line.function as usize));
            names.all(|function| is_allocator(&function.name))
        };
        let own = places.iter().take_while(is_own).count();
        if let Some(places) = profile.stacks.get_mut(stack).filter(|places| own < places.len()) {
            places.drain(..own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::folded;

    #[test]
    fn names_without_arguments() {
        let cases = [
            ("weir_engine::crew::{closure#0}", "weir_engine::crew::{closure#0}"),
            (
                "a::{closure#1}<alloc::vec::Vec<b::C, alloc::alloc::Global>, d::{closure_env#3}>",
                "a::{closure#1}",
            ),
            ("a::Queue<u8>::push", "a::Queue::push"),
            ("a::make::<fn(u8) -> b::C<u8>>::{closure#0}", "a::make::{closure#0}"),
            ("<a::B<u8> as c::D<e>>::f<u8>", "<a::B as c::D>::f"),
            ("a::cut<b::C", "a::cut"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(without_arguments(name), expected, "{name}");
        }
    }

    #[test]
    fn trees_functions_and_sites() {
        let profile = folded(&[("main;a;b", 6), ("main;a;a", 3), ("main;alloc::grow", 990), ("main;c", 1)]);
        let root = tree(&profile, 0, 0.002);
        assert_eq!((root.value, root.children.len()), (1000, 1));
        let names: Vec<(&str, i64)> =
            root.children[0].children.iter().map(|child| (child.name.as_str(), child.value)).collect();
        assert_eq!(names, [("a", 9), ("alloc::grow", 990)]);

        let sums = functions(&profile, 0);
        let found: Vec<(&str, i64, i64)> =
            sums.iter().map(|sum| (sum.name.as_str(), sum.own, sum.total)).collect();
        assert_eq!(
            found,
            [("alloc::grow", 990, 990), ("b", 6, 6), ("a", 3, 9), ("c", 1, 1), ("main", 0, 1000)]
        );

        let sites = sites(&profile, 0);
        let found: Vec<(&str, i64)> = sites.iter().map(|site| (site.name.as_str(), site.values[0])).collect();
        assert_eq!(found, [("main", 990), ("b", 6), ("a", 3), ("c", 1)]);
    }

    #[test]
    fn the_allocator_is_no_part_of_stacks() {
        let mut profile = folded(&[
            ("main;__rust_alloc;weir_lab::heap::made", 1),
            ("__rust_alloc", 1),
            ("main;alloc::alloc::alloc;weir::allocator::__rust_alloc_zeroed", 1),
        ]);
        without_allocator(&mut profile);
        let names = [profile.names(0), profile.names(1), profile.names(2)];
        assert_eq!(names, [vec!["main"], vec!["__rust_alloc"], vec!["main"]]);
    }
}
