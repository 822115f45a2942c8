//! The instructions of a function with the share of samples that were taken at each, and their lines of source. For
//! x86-64 only.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use addr2line::Loader;
use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use object::read::ReadCache;
use object::{Object, ObjectSection, ObjectSymbol};

use crate::image::Image;
use crate::profile::{Mapping, Profile};

/// Longest functions that are shown, in bytes of code.
const MAX_CODE: u64 = 1 << 20;
/// Instructions below this share of the function are shown beside others only.
const HOT: f64 = 0.01;
/// Instructions that are shown around a hot one.
const AROUND: usize = 3;

/// Instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Instruction {
    /// Address in the file's own count.
    pub address: u64,
    /// Share of the function's samples, from 0 to 1.
    pub share: f64,
    /// Text in Intel's syntax.
    pub text: String,
    /// Source file and line; none where they are unknown.
    pub source: Option<(String, u32)>,
}

/// Function with its instructions.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotated {
    /// Name.
    pub name: String,
    /// Share of all samples that were taken in it.
    pub share: f64,
    /// All its instructions.
    pub instructions: Vec<Instruction>,
}

/// Returns the functions of the compiled code with the largest own sums of a measure: their names, as they are asked
/// for by [`annotate`]. What is inlined into them is theirs.
pub fn hottest(profile: &Profile, measure: usize, count: usize) -> Vec<String> {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for (_, name, _, value) in innermost(profile, measure) {
        *sums.entry(name).or_default() += value;
    }
    let mut sums: Vec<(&str, i64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    sums.into_iter().take(count).map(|(name, _)| name.to_owned()).collect()
}

/// The innermost address of each sample, the function that was compiled there, its mapping and the value.
fn innermost(profile: &Profile, measure: usize) -> impl Iterator<Item = (u64, &str, &Mapping, i64)> {
    profile.samples.iter().filter(move |sample| sample.value(measure) > 0).filter_map(move |sample| {
        let place = profile.locations.get(*profile.stacks.get(sample.stack as usize)?.first()? as usize)?;
        let function = profile.functions.get(place.lines.last()?.function as usize)?;
        let mapping = profile.mappings.get(place.mapping? as usize)?;
        Some((place.address, function.name.as_str(), mapping, sample.value(measure)))
    })
}

/// Annotates a function by a part of its name; of several the one with the most samples. The error is a sentence.
pub fn annotate(profile: &Profile, measure: usize, name: &str) -> Result<Annotated, String> {
    if !cfg!(target_arch = "x86_64") {
        return Err("Instructions can be shown on x86-64 only.".to_owned());
    }
    let found = hottest(profile, measure, usize::MAX);
    let exact = found.iter().find(|known| *known == name);
    let Some(name) = exact.or_else(|| found.iter().find(|known| known.contains(name))) else {
        return Err(format!("No sample was taken in a function whose name has '{name}' in it."));
    };
    let own: Vec<_> = innermost(profile, measure).filter(|(_, known, _, _)| known == name).collect();
    let Some((address, _, mapping, _)) = own.first() else {
        return Err(format!("No sample was taken in {name}."));
    };
    let missing = || format!("The code of {name} cannot be read from {}.", mapping.file);
    let path = Path::new(&mapping.file);
    let image = Image::read(path).ok_or_else(missing)?;
    let bias = image.bias(mapping).ok_or_else(missing)?;
    let loader = Loader::new(path).map_err(|_| missing())?;
    let (start, code) = code(path, address.wrapping_sub(bias)).ok_or_else(missing)?;
    let mut sums: BTreeMap<u64, i64> = BTreeMap::new();
    for (address, _, _, value) in &own {
        *sums.entry(address.wrapping_sub(bias)).or_default() += value;
    }
    let all = profile.total(measure).max(1) as f64;
    let total = sums.values().sum::<i64>().max(1) as f64;
    let mut instructions = decode(&code, start);
    for instruction in &mut instructions {
        instruction.share = sums.get(&instruction.address).map_or(0.0, |sum| *sum as f64 / total);
        if let Ok(Some(place)) = loader.find_location(instruction.address) {
            instruction.source = place.file.map(str::to_owned).zip(place.line);
        }
    }
    Ok(Annotated { name: name.clone(), share: total / all, instructions })
}

/// Where the function at an address begins, in the file's own count, and the bytes of its code.
fn code(path: &Path, address: u64) -> Option<(u64, Vec<u8>)> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let holds = |start: u64, size: u64| start <= address && address - start < size;
    let symbol = file.symbols().find(|symbol| holds(symbol.address(), symbol.size()))?;
    let section = file.sections().find(|section| holds(section.address(), section.size()))?;
    let size = symbol.size().min(MAX_CODE);
    Some((symbol.address(), section.data_range(symbol.address(), size).ok()??.to_vec()))
}

fn decode(code: &[u8], start: u64) -> Vec<Instruction> {
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    formatter.options_mut().set_uppercase_hex(false);
    formatter.options_mut().set_branch_leading_zeros(false);
    formatter.options_mut().set_show_branch_size(false);
    let decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let shown = |instruction: iced_x86::Instruction| {
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        Instruction { address: instruction.ip(), share: 0.0, text, source: None }
    };
    decoder.into_iter().map(shown).collect()
}

impl Annotated {
    /// Returns the function as text: hot instructions and what is around them, with lines of source where these change.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {:.1} % of all samples\n", self.name, self.share * 100.0);
        let mut sources: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut last_source = None;
        let mut skipped = false;
        for (at, instruction) in self.instructions.iter().enumerate() {
            let around = self
                .instructions
                .get(at.saturating_sub(AROUND)..(at + AROUND + 1).min(self.instructions.len()));
            if !around.unwrap_or_default().iter().any(|near| near.share >= HOT) {
                skipped = true;
                continue;
            }
            if std::mem::take(&mut skipped) {
                text += "          …\n";
            }
            if instruction.source != last_source
                && let Some((file, line)) = &instruction.source
            {
                let lines = sources.entry(file.clone()).or_insert_with(|| {
                    fs::read_to_string(file)
                        .map(|text| text.lines().map(str::to_owned).collect())
                        .unwrap_or_default()
                });
                let source = lines.get((*line as usize).saturating_sub(1)).map_or("", |line| line.trim());
                text += &format!("          ; {}:{line}  {source}\n", short(file));
            }
            last_source.clone_from(&instruction.source);
            let share = if instruction.share > 0.0 {
                format!("{:6.2} %", instruction.share * 100.0)
            } else {
                String::new()
            };
            text += &format!("{share:>8}  {:x}  {}\n", instruction.address, instruction.text);
        }
        text
    }
}

/// The last three parts of a path.
fn short(path: &str) -> String {
    let parts: Vec<&str> = path.rsplit('/').take(3).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::image::mappings;
    use crate::profile::{Builder, Measure};
    use crate::symbols::Symboliser;

    #[inline(never)]
    fn product_of_the_test(numbers: &[u64]) -> u64 {
        numbers.iter().fold(1, |product, number| product.wrapping_mul(*number | 1))
    }

    #[test]
    fn a_function_of_this_program_has_instructions_with_lines() {
        assert_eq!(product_of_the_test(&[3, 5]), 15);
        let address = product_of_the_test as fn(&[u64]) -> u64 as usize as u64;
        let mut builder = Builder::new("test", vec![Measure::new("cpu", "count")], mappings("self"));
        let stack = builder.stack(&[address]);
        builder.add(None, stack, &[3]);
        let elsewhere = builder.stack(&[0x10]);
        builder.add(None, elsewhere, &[1]);
        let mut profile = builder.finish();
        Symboliser::new().symbolise(&mut profile);
        let found = annotate(&profile, 0, "product_of_the_test").expect("a function");
        assert!((found.share - 0.75).abs() < 1e-9 && found.instructions.len() > 2, "{found:?}");
        assert!((found.instructions[0].share - 1.0).abs() < 1e-9);
        assert!(found.text().contains("100.00 %") && found.text().contains(".rs:"), "{}", found.text());
        assert!(
            annotate(&profile, 0, "no such function")
                .is_err_and(|sentence| sentence.contains("no such function"))
        );
    }
}
