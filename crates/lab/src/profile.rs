//! A profile: call stacks with what was measured there.
//!
//! Stacks hold locations from the innermost out. The address of a location is that of the instruction at work: for a
//! caller, the last byte of its call. A location has several lines where functions were inlined there, the innermost
//! first; none before [`crate::symbols::Symboliser::symbolise`].

use std::collections::HashMap;

/// Addresses from here on are the kernel's, on all processors that are supported.
pub const KERNEL: u64 = 0xffff_0000_0000_0000;

/// Name of the mapping of the kernel's addresses.
pub const KERNEL_NAME: &str = "[kernel]";

/// Quantity that is measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// Name, as in "cpu" or "live_bytes".
    pub name: String,
    /// Unit: "nanoseconds", "bytes" or "count".
    pub unit: String,
}

impl Measure {
    /// Makes one.
    pub fn new(name: &str, unit: &str) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned() }
    }
}

/// Part of a file that is mapped into a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// Address behind the last.
    pub end: u64,
    /// Place of the first byte in the file.
    pub offset: u64,
    /// Path of the file, or a name in brackets.
    pub file: String,
    /// Build id as hexadecimal digits; empty where the file has none.
    pub build_id: String,
}

/// Function, or what stands for it where its name is unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Function {
    /// Name, demangled.
    pub name: String,
    /// Path of its source; empty where it is unknown.
    pub file: String,
}

/// Line of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Index of the function.
    pub function: u32,
    /// Number of the line; 0 where it is unknown.
    pub line: u32,
}

/// Place in the code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// Address in the process.
    pub address: u64,
    /// Index of its mapping.
    pub mapping: Option<u32>,
    /// Lines, the innermost first.
    pub lines: Vec<Line>,
}

/// What was measured with a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Index of the stack.
    pub stack: u32,
    /// Index of the thread, where it is known.
    pub thread: Option<u32>,
    /// A value for each measure.
    pub values: Vec<i64>,
}

/// Thread of the process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Id of its process.
    pub process: u32,
    /// Its id.
    pub id: u32,
    /// Name.
    pub name: String,
}

/// State of a thread at a moment of the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It computes.
    Running,
    /// It waits, or another one has its processor.
    Waiting,
}

/// Sample at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Nanoseconds since the beginning.
    pub time: u64,
    /// Nanoseconds that it stands for.
    pub duration: u64,
    /// Index of the thread.
    pub thread: u32,
    /// Index of the stack.
    pub stack: u32,
    /// State of the thread.
    pub state: State,
}

/// Profile of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// What was run.
    pub title: String,
    /// Quantities that samples have values of.
    pub measures: Vec<Measure>,
    /// Mapped files.
    pub mappings: Vec<Mapping>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Places in the code.
    pub locations: Vec<Location>,
    /// Stacks of locations, the innermost first.
    pub stacks: Vec<Vec<u32>>,
    /// What was measured.
    pub samples: Vec<Sample>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// Samples in the order of time; empty where only sums are known.
    pub timeline: Vec<Moment>,
    /// Nanoseconds since 1970 at the beginning.
    pub began: u64,
    /// Nanoseconds that it took.
    pub duration: u64,
    /// Distance of samples: nanoseconds, or bytes.
    pub period: u64,
    /// What is to be known of it: what was lost, cut or estimated.
    pub remarks: Vec<String>,
}

impl Profile {
    /// Returns the index of a measure by name.
    pub fn measure(&self, name: &str) -> Option<usize> {
        self.measures.iter().position(|measure| measure.name == name)
    }

    /// Returns the sum of all samples' values of a measure.
    pub fn total(&self, measure: usize) -> i64 {
        self.samples.iter().map(|sample| sample.value(measure)).sum()
    }

    /// Returns the names of the functions of a stack, the innermost first; inlined ones have their own.
    pub fn names(&self, stack: u32) -> Vec<&str> {
        self.lines(stack).into_iter().map(|(function, _)| function.name.as_str()).collect()
    }

    /// Returns functions and lines of a stack, the innermost first.
    pub fn lines(&self, stack: u32) -> Vec<(&Function, u32)> {
        let places = self.stacks.get(stack as usize).map(Vec::as_slice).unwrap_or_default();
        let places = places.iter().filter_map(|place| self.locations.get(*place as usize));
        let lines = places.flat_map(|place| &place.lines);
        lines.filter_map(|line| Some((self.functions.get(line.function as usize)?, line.line))).collect()
    }

    /// Returns the mapping that an address is in.
    pub fn mapping_of(&self, address: u64) -> Option<u32> {
        let found = self.mappings.iter().position(|mapping| (mapping.start..mapping.end).contains(&address));
        found.and_then(|index| u32::try_from(index).ok())
    }
}

impl Sample {
    /// Returns the value of a measure, 0 where there is none.
    pub fn value(&self, measure: usize) -> i64 {
        self.values.get(measure).copied().unwrap_or_default()
    }
}

/// Puts a profile together from stacks of addresses.
#[derive(Debug, Default)]
pub struct Builder {
    profile: Profile,
    locations: HashMap<u64, u32>,
    stacks: HashMap<Vec<u32>, u32>,
    sums: HashMap<(Option<u32>, u32), usize>,
}

impl Builder {
    /// Begins a profile with measures and the mappings that addresses are in.
    pub fn new(title: &str, measures: Vec<Measure>, mappings: Vec<Mapping>) -> Self {
        let mut mappings = mappings;
        mappings.push(Mapping {
            start: KERNEL,
            end: u64::MAX,
            file: KERNEL_NAME.to_owned(),
            ..Mapping::default()
        });
        let profile = Profile { title: title.to_owned(), measures, mappings, ..Profile::default() };
        Self { profile, ..Self::default() }
    }

    /// Returns the index of a stack of addresses, the innermost first.
    pub fn stack(&mut self, addresses: &[u64]) -> u32 {
        let places: Vec<u32> = addresses.iter().map(|address| self.location(*address)).collect();
        let next = index(self.profile.stacks.len());
        let found = *self.stacks.entry(places.clone()).or_insert(next);
        if found == next {
            self.profile.stacks.push(places);
        }
        found
    }

    fn location(&mut self, address: u64) -> u32 {
        let next = index(self.profile.locations.len());
        let found = *self.locations.entry(address).or_insert(next);
        if found == next {
            self.profile.locations.push(Location { address, ..Location::default() });
        }
        found
    }

    /// Adds values to the sum of a thread and stack.
    pub fn add(&mut self, thread: Option<u32>, stack: u32, values: &[i64]) {
        let samples = &mut self.profile.samples;
        let at = *self.sums.entry((thread, stack)).or_insert(samples.len());
        if at == samples.len() {
            samples.push(Sample { stack, thread, values: vec![0; values.len()] });
        }
        let Some(sample) = samples.get_mut(at) else { return };
        for (sum, value) in sample.values.iter_mut().zip(values) {
            *sum = sum.saturating_add(*value);
        }
    }

    /// Returns the profile, for what is neither stack nor sum.
    pub fn profile(&mut self) -> &mut Profile {
        &mut self.profile
    }

    /// Adds a mapping, unless it is known.
    pub fn map(&mut self, mapping: &Mapping) {
        if !self.profile.mappings.contains(mapping) {
            self.profile.mappings.push(mapping.clone());
        }
    }

    /// Returns the whole profile, each location with its mapping.
    pub fn finish(mut self) -> Profile {
        let found: Vec<Option<u32>> =
            self.profile.locations.iter().map(|place| self.profile.mapping_of(place.address)).collect();
        for (place, mapping) in self.profile.locations.iter_mut().zip(found) {
            place.mapping = mapping;
        }
        self.profile
    }
}

/// Returns an index as profiles hold it; they have fewer than 2³² of anything.
pub(crate) fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a profile of stacks as folded lines: functions from the outermost in, and a value in nanoseconds.
    pub(crate) fn folded(lines: &[(&str, i64)]) -> Profile {
        let mapping =
            Mapping { start: 0x1000, end: 0x9000, file: "/bin/program".into(), ..Mapping::default() };
        let mut builder = Builder::new("program", vec![Measure::new("cpu", "nanoseconds")], vec![mapping]);
        let mut names: Vec<String> = Vec::new();
        for (stack, value) in lines {
            let addresses: Vec<u64> = stack
                .rsplit(';')
                .map(|name| {
                    let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
                        names.push(name.to_owned());
                        names.len() - 1
                    });
                    0x1000 + 16 * at as u64
                })
                .collect();
            let stack = builder.stack(&addresses);
            builder.add(None, stack, &[*value]);
        }
        let mut profile = builder.finish();
        for place in &mut profile.locations {
            let function = ((place.address - 0x1000) / 16) as u32;
            place.lines = vec![Line { function, line: 10 + function }];
        }
        let function = |name: String| Function { file: format!("/src/{name}.rs"), name };
        profile.functions = names.into_iter().map(function).collect();
        profile
    }

    #[test]
    fn stacks_are_kept_once_and_values_are_summed() {
        let profile = folded(&[("main;a;b", 3), ("main;a", 1), ("main;a;b", 4)]);
        assert_eq!((profile.stacks.len(), profile.locations.len(), profile.samples.len()), (2, 3, 2));
        assert_eq!(profile.total(0), 8);
        assert_eq!(profile.names(0), ["b", "a", "main"]);
        assert_eq!(profile.samples[0].values, [7]);
        assert_eq!(profile.measure("cpu"), Some(0));
        assert_eq!((profile.mapping_of(0x1010), profile.mapping_of(0x9000)), (Some(0), None));
        assert_eq!(profile.mapping_of(KERNEL + 5), Some(1));
        assert_eq!(profile.locations[0].mapping, Some(0));
    }
}
