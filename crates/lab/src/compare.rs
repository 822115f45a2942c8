//! The difference of two profiles: what the later one has more, and, with a minus, less.

use crate::profile::{Line, Location, Profile, Sample, index};

/// Returns the difference. Functions are told apart by their names, so that profiles of different builds can be
/// compared too. The error is a sentence.
pub fn difference(before: &Profile, after: &Profile) -> Result<Profile, String> {
    if before.measures != after.measures {
        let names = |profile: &Profile| {
            profile.measures.iter().map(|measure| measure.name.clone()).collect::<Vec<_>>().join(", ")
        };
        return Err(format!(
            "These profiles do not measure the same: one has {}, the other {}.",
            names(before),
            names(after)
        ));
    }
    let mut both = after.clone();
    both.title = format!("{} less {}", after.title, before.title);
    both.timeline.clear();
    let functions = index(both.functions.len());
    let (mappings, locations) = (index(both.mappings.len()), index(both.locations.len()));
    let (stacks, threads) = (index(both.stacks.len()), index(both.threads.len()));
    both.functions.extend(before.functions.iter().cloned());
    both.mappings.extend(before.mappings.iter().cloned());
    both.threads.extend(before.threads.iter().cloned());
    let line = |line: &Line| Line { function: line.function + functions, line: line.line };
    both.locations.extend(before.locations.iter().map(|place| Location {
        address: place.address,
        mapping: place.mapping.map(|mapping| mapping + mappings),
        lines: place.lines.iter().map(line).collect(),
    }));
    both.stacks
        .extend(before.stacks.iter().map(|stack| stack.iter().map(|place| place + locations).collect()));
    both.samples.extend(before.samples.iter().map(|sample| Sample {
        stack: sample.stack + stacks,
        thread: sample.thread.map(|thread| thread + threads),
        values: sample.values.iter().map(|value| -value).collect(),
    }));
    Ok(summed(both))
}

/// Puts stacks together that have the same functions.
fn summed(mut profile: Profile) -> Profile {
    let mut known = std::collections::HashMap::new();
    let mut samples: Vec<Sample> = Vec::new();
    for sample in &profile.samples {
        let names: Vec<String> = profile.names(sample.stack).into_iter().map(str::to_owned).collect();
        let at = *known.entry(names).or_insert(samples.len());
        match samples.get_mut(at) {
            Some(sum) => {
                for (sum, value) in sum.values.iter_mut().zip(&sample.values) {
                    *sum += value;
                }
            }
            None => samples.push(Sample { thread: None, ..sample.clone() }),
        }
    }
    samples.retain(|sample| sample.values.iter().any(|value| *value != 0));
    profile.samples = samples;
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::folded::write;
    use crate::profile::tests::folded;

    #[test]
    fn what_grew_and_what_shrank() {
        let before = folded(&[("main;a", 5), ("main;b", 2), ("main;gone", 1)]);
        let after = folded(&[("main;b", 9), ("main;new", 4), ("main;a", 5)]);
        let both = difference(&before, &after).expect("a difference");
        assert_eq!(write(&both, 0), "main;b 7\nmain;gone -1\nmain;new 4\n");
        let mut other = before.clone();
        other.measures[0].name = "inuse_space".to_owned();
        let sentence = difference(&other, &after).expect_err("an error");
        assert_eq!(sentence, "These profiles do not measure the same: one has inuse_space, the other cpu.");
    }
}
