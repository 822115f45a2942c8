//! Names for addresses: functions, the ones inlined there too, and lines, from the debug information of the files that
//! are mapped; where there is none, from their symbol tables; where there is neither, the file with the offset in it.
//! The kernel's come from `/proc/kallsyms`, which only root may read.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use addr2line::Loader;

use crate::image::Image;
use crate::profile::{Function, KERNEL_NAME, Line, Mapping, Profile, index};

/// Most functions that may be inlined into each other at one address.
const MAX_INLINED: usize = 64;

/// Longest name of a function that is kept, in bytes.
const MAX_NAME: usize = 512;

/// Gives names to addresses.
#[derive(Default)]
pub struct Symboliser {
    files: HashMap<String, Option<Symbols>>,
    kernel: Option<Vec<(u64, String)>>,
    functions: HashMap<Function, u32>,
}

/// Symbols of a file.
struct Symbols {
    image: Image,
    loader: Loader,
}

impl Symboliser {
    /// Makes one that has read no file yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives functions and lines to all locations that have none.
    pub fn symbolise(&mut self, profile: &mut Profile) {
        self.functions = (0..).zip(&profile.functions).map(|(at, function)| (function.clone(), at)).collect();
        for at in 0..profile.mappings.len() {
            if let Some(mapping) = profile.mappings.get(at).cloned()
                && let Some(Some(symbols)) = self.file(&mapping)
                && let Some(mapping) = profile.mappings.get_mut(at)
            {
                mapping.build_id.clone_from(&symbols.image.build_id);
            }
        }
        for at in 0..profile.locations.len() {
            let Some(location) = profile.locations.get(at) else { continue };
            if !location.lines.is_empty() {
                continue;
            }
            let mapping =
                location.mapping.and_then(|mapping| profile.mappings.get(mapping as usize)).cloned();
            let found = self.lines(location.address, mapping.as_ref());
            let lines =
                found.into_iter().map(|(function, line)| self.line(profile, function, line)).collect();
            if let Some(location) = profile.locations.get_mut(at) {
                location.lines = lines;
            }
        }
    }

    fn line(&mut self, profile: &mut Profile, function: Function, line: u32) -> Line {
        let next = index(profile.functions.len());
        let at = *self.functions.entry(function.clone()).or_insert(next);
        if at == next {
            profile.functions.push(function);
        }
        Line { function: at, line }
    }

    /// Functions and lines at an address, the innermost first; never empty.
    fn lines(&mut self, address: u64, mapping: Option<&Mapping>) -> Vec<(Function, u32)> {
        let named = |name: String| vec![(Function { name, file: String::new() }, 0)];
        let Some(mapping) = mapping else { return named("[unknown code]".to_owned()) };
        if mapping.file == KERNEL_NAME {
            return named(self.kernel_name(address));
        }
        let offset = address.wrapping_sub(mapping.start).wrapping_add(mapping.offset);
        let found = match self.file(mapping) {
            Some(Some(symbols)) => symbols.lines(offset),
            _ => Vec::new(),
        };
        if !found.is_empty() {
            return found;
        }
        let file = Path::new(&mapping.file).file_name().unwrap_or(mapping.file.as_ref()).to_string_lossy();
        named(format!("{file}+{offset:#x}"))
    }

    fn file(&mut self, mapping: &Mapping) -> Option<&Option<Symbols>> {
        let known = self.files.entry(mapping.file.clone());
        Some(known.or_insert_with(|| Symbols::read(mapping)))
    }

    fn kernel_name(&mut self, address: u64) -> String {
        let symbols = self.kernel.get_or_insert_with(kernel_symbols);
        let at = symbols.partition_point(|(start, _)| *start <= address);
        let found = at.checked_sub(1).and_then(|at| symbols.get(at));
        found.map_or_else(|| KERNEL_NAME.to_owned(), |(_, name)| format!("{name} {KERNEL_NAME}"))
    }
}

impl Symbols {
    /// None where the file is gone, or another one than was mapped.
    fn read(mapping: &Mapping) -> Option<Self> {
        let path = Path::new(&mapping.file);
        let image = Image::read(path)?;
        if !mapping.build_id.is_empty() && mapping.build_id != image.build_id {
            return None;
        }
        Some(Self { image, loader: Loader::new(path).ok()? })
    }

    fn lines(&self, offset: u64) -> Vec<(Function, u32)> {
        let Some(address) = self.image.address(offset) else { return Vec::new() };
        let mut found = Vec::new();
        // Where nothing is inlined, line tables may know the line alone.
        let mut nameless = (String::new(), 0);
        if let Ok(mut frames) = self.loader.find_frames(address) {
            while let Ok(Some(frame)) = frames.next() {
                let file = frame.location.as_ref().and_then(|place| place.file).unwrap_or_default();
                let line = frame.location.as_ref().and_then(|place| place.line).unwrap_or_default();
                let Some(name) =
                    frame.function.as_ref().and_then(|name| Some(name.demangle().ok()?.into_owned()))
                else {
                    nameless = (file.to_owned(), line);
                    continue;
                };
                let name = qualified(name, file);
                found.push((Function { name: cut(name), file: file.to_owned() }, line));
                if found.len() == MAX_INLINED {
                    break;
                }
            }
        }
        if let Some(symbol) = self.loader.find_symbol(address) {
            // Line tables name functions without their modules; symbols have the whole path, of the outermost alone.
            let name = cut(addr2line::demangle_auto(symbol.into(), None).into_owned());
            match found.last_mut() {
                Some((function, _)) => function.name = name,
                None => found.push((Function { name, file: nameless.0 }, nameless.1)),
            }
        }
        found
    }
}

/// Returns the name of a function with the path of the module that its source file is, where it has none: line tables
/// know the last part of a name only.
fn qualified(name: String, file: &str) -> String {
    let short = name.split(['<', '(']).next().unwrap_or_default();
    if short.contains("::") || name.starts_with('<') {
        return name;
    }
    let Some((folder, source)) = file.rsplit_once("/src/") else { return name };
    let parts: Vec<&str> = folder.rsplit('/').take(2).collect();
    let package = match parts.as_slice() {
        ["weir", "crates"] => "weir".to_owned(),
        [package, "crates"] => format!("weir_{package}"),
        // Packages of registries have their version behind the name.
        [package, _] => without_version(package).replace('-', "_"),
        _ => return name,
    };
    let source = source.strip_suffix(".rs").unwrap_or(source);
    let modules = source.split('/').filter(|module| !matches!(*module, "mod" | "lib" | "main"));
    let path: Vec<&str> = std::iter::once(package.as_str()).chain(modules).collect();
    format!("{}::{name}", path.join("::"))
}

fn without_version(package: &str) -> &str {
    match package.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|letter: char| letter.is_ascii_digit()) => name,
        _ => package,
    }
}

/// Cuts names of generic functions that fill pages.
fn cut(mut name: String) -> String {
    if name.len() > MAX_NAME {
        let end = (0..=MAX_NAME).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
        name.truncate(end);
        name.push('…');
    }
    name
}

/// Functions of the kernel by address; empty where they are not to be seen.
fn kernel_symbols() -> Vec<(u64, String)> {
    let text = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    let mut found: Vec<(u64, String)> = text.lines().filter_map(kernel_symbol).collect();
    found.sort();
    found
}

/// A line such as `ffffffff81000000 T _stext`; none where addresses are hidden, and for data.
fn kernel_symbol(line: &str) -> Option<(u64, String)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok().filter(|address| *address > 0)?;
    let is_code = matches!(words.next()?, "t" | "T" | "w" | "W");
    is_code.then_some((address, words.next()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::mappings;
    use crate::profile::{Builder, Measure};

    #[inline(never)]
    fn a_function_of_the_test() -> u64 {
        std::hint::black_box(7)
    }

    #[test]
    fn functions_of_this_program_have_names_and_lines() {
        let address = a_function_of_the_test as fn() -> u64 as usize as u64;
        let mut builder = Builder::new("test", vec![Measure::new("cpu", "count")], mappings("self"));
        let stack = builder.stack(&[address + 1, 0x10]);
        builder.add(None, stack, &[a_function_of_the_test() as i64]);
        let mut profile = builder.finish();
        Symboliser::new().symbolise(&mut profile);
        let lines = profile.lines(stack);
        let (function, line) = lines[lines.len() - 2];
        assert!(function.name.ends_with("a_function_of_the_test"), "{lines:?}");
        assert!(function.file.ends_with("symbols.rs") && line > 100, "{lines:?}");
        assert_eq!(profile.names(stack).last(), Some(&"[unknown code]"));
    }

    #[test]
    fn names_have_the_modules_of_their_files() {
        let cases = [
            ("push", "/work/weir/crates/flow/src/table/mod.rs", "weir_flow::table::push"),
            ("main", "/work/weir/crates/weir/src/main.rs", "weir::main"),
            ("{closure#0}", "/build/crates/mpm/src/multi.rs", "weir_mpm::multi::{closure#0}"),
            (
                "find<a::B>",
                "/home/a/registry/src/index-1/aho-corasick-1.1.5/src/dfa.rs",
                "aho_corasick::dfa::find<a::B>",
            ),
            ("push<u8>", "/rustc/59807/library/alloc/src/vec/mod.rs", "alloc::vec::push<u8>"),
            ("a::b::c", "/work/weir/crates/flow/src/lib.rs", "a::b::c"),
            ("<T as U>::c", "/work/weir/crates/flow/src/lib.rs", "<T as U>::c"),
            ("pcre2_match", "pcre2/pcre2_match.c", "pcre2_match"),
        ];
        for (name, file, expected) in cases {
            assert_eq!(qualified(name.to_owned(), file), expected, "{name} in {file}");
        }
    }

    #[test]
    fn another_file_than_was_mapped_has_no_names() {
        let mut wrong = mappings("self").into_iter().next().expect("a mapping");
        wrong.build_id = "00".to_owned();
        let mut builder = Builder::new("test", Vec::new(), vec![wrong.clone()]);
        let stack = builder.stack(&[wrong.start + 0x10]);
        let mut profile = builder.finish();
        Symboliser::new().symbolise(&mut profile);
        assert!(profile.names(stack)[0].contains("+0x"), "{:?}", profile.names(stack));
    }

    #[test]
    fn lines_of_kallsyms() {
        let cases = [
            ("ffffffff81000000 T _stext", Some((0xffff_ffff_8100_0000, "_stext"))),
            ("0000000000000000 T hidden", None),
            ("ffffffff82000000 D data", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = kernel_symbol(line);
            assert_eq!(found.as_ref().map(|(at, name)| (*at, name.as_str())), expected, "{line}");
        }
        let long = cut("é".repeat(MAX_NAME));
        assert!(long.len() <= MAX_NAME + 3 && long.ends_with('…'));
    }
}
