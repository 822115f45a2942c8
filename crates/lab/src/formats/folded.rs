//! Folded stacks: a line for each stack, functions from the outermost in, separated by `;`, then a number. This is what
//! scripts for flame graphs read.

use std::collections::BTreeMap;

use crate::profile::Profile;

/// Returns the stacks of a profile with their sums of a measure, in the order of text; those of 0 are left out.
pub fn write(profile: &Profile, measure: usize) -> String {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for sample in profile.samples.iter().filter(|sample| sample.value(measure) != 0) {
        let names = profile.names(sample.stack);
        let mut words: Vec<String> = names.iter().rev().map(|name| plain(name)).collect();
        if let Some(thread) = sample.thread.and_then(|thread| profile.threads.get(thread as usize))
            && !thread.name.is_empty()
        {
            words.insert(0, plain(&thread.name));
        }
        *sums.entry(words.join(";")).or_default() += sample.value(measure);
    }
    sums.into_iter().map(|(stack, value)| format!("{stack} {value}\n")).collect()
}

/// A name without what separates names, stacks and lines.
fn plain(name: &str) -> String {
    let replaced = |letter: char| match letter {
        ';' => ':',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    name.chars().map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::folded;

    #[test]
    fn a_line_for_each_stack() {
        let mut profile = folded(&[("main;a;b", 3), ("main;a", 0), ("main;c", 2)]);
        assert_eq!(write(&profile, 0), "main;a;b 3\nmain;c 2\n");
        profile.functions[0].name = "b;\n<x>".to_owned();
        assert_eq!(write(&profile, 0), "main;a;b: <x> 3\nmain;c 2\n");
    }
}
