//! pprof: the protocol buffers of `profile.proto` (github.com/google/pprof), compressed by gzip. It is also the form in
//! which profiles are kept and read again. Labels: `thread`, the name of the sample's thread.

use std::collections::HashMap;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use prost::Message;

use crate::profile::{Function, Line, Location, Mapping, Measure, Profile, Sample, Thread, index};

/// Larger profiles are not read, in bytes before compression.
const MAX_SIZE: u64 = 512 << 20;

/// Messages of `profile.proto`, with its numbers of fields.
mod message {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub sample: Vec<Sample>,
        #[prost(message, repeated, tag = "3")]
        pub mapping: Vec<Mapping>,
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
        #[prost(int64, tag = "9")]
        pub time_nanos: i64,
        #[prost(int64, tag = "10")]
        pub duration_nanos: i64,
        #[prost(message, optional, tag = "11")]
        pub period_type: Option<ValueType>,
        #[prost(int64, tag = "12")]
        pub period: i64,
        #[prost(int64, repeated, tag = "13")]
        pub comment: Vec<i64>,
        #[prost(int64, tag = "14")]
        pub default_sample_type: i64,
    }

    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct ValueType {
        #[prost(int64, tag = "1")]
        pub r#type: i64,
        #[prost(int64, tag = "2")]
        pub unit: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub value: Vec<i64>,
        #[prost(message, repeated, tag = "3")]
        pub label: Vec<Label>,
    }

    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Label {
        #[prost(int64, tag = "1")]
        pub key: i64,
        #[prost(int64, tag = "2")]
        pub str: i64,
    }

    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Mapping {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(uint64, tag = "2")]
        pub memory_start: u64,
        #[prost(uint64, tag = "3")]
        pub memory_limit: u64,
        #[prost(uint64, tag = "4")]
        pub file_offset: u64,
        #[prost(int64, tag = "5")]
        pub filename: i64,
        #[prost(int64, tag = "6")]
        pub build_id: i64,
        #[prost(bool, tag = "7")]
        pub has_functions: bool,
        #[prost(bool, tag = "8")]
        pub has_filenames: bool,
        #[prost(bool, tag = "9")]
        pub has_line_numbers: bool,
        #[prost(bool, tag = "10")]
        pub has_inline_frames: bool,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Location {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(uint64, tag = "2")]
        pub mapping_id: u64,
        #[prost(uint64, tag = "3")]
        pub address: u64,
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }

    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Line {
        #[prost(uint64, tag = "1")]
        pub function_id: u64,
        #[prost(int64, tag = "2")]
        pub line: i64,
    }

    #[derive(Clone, Copy, PartialEq, prost::Message)]
    pub struct Function {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(int64, tag = "2")]
        pub name: i64,
        #[prost(int64, tag = "3")]
        pub system_name: i64,
        #[prost(int64, tag = "4")]
        pub filename: i64,
    }
}

/// Returns a profile in the format.
pub fn write(profile: &Profile) -> Vec<u8> {
    let bytes = message(profile).encode_to_vec();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&bytes);
    encoder.finish().unwrap_or_default()
}

/// Strings, each once; the first is empty.
struct Strings {
    all: Vec<String>,
    known: HashMap<String, i64>,
}

impl Strings {
    fn new() -> Self {
        Self { all: vec![String::new()], known: HashMap::from([(String::new(), 0)]) }
    }

    fn of(&mut self, text: &str) -> i64 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let at = self.all.len() as i64;
        self.all.push(text.to_owned());
        self.known.insert(text.to_owned(), at);
        at
    }
}

fn message(profile: &Profile) -> message::Profile {
    let mut strings = Strings::new();
    let mut kind = |measure: &Measure| message::ValueType {
        r#type: strings.of(&measure.name),
        unit: strings.of(&measure.unit),
    };
    let sample_type: Vec<_> = profile.measures.iter().map(&mut kind).collect();
    let period_type = sample_type.last().copied();
    let thread_key = strings.of("thread");
    let labels: Vec<_> = profile.threads.iter().map(|thread| strings.of(&shown(thread))).collect();
    let sample = profile.samples.iter().map(|sample| {
        let places = profile.stacks.get(sample.stack as usize).map(Vec::as_slice).unwrap_or_default();
        let label = sample.thread.and_then(|thread| labels.get(thread as usize));
        message::Sample {
            location_id: places.iter().map(|place| u64::from(*place) + 1).collect(),
            value: sample.values.clone(),
            label: label.map(|name| message::Label { key: thread_key, str: *name }).into_iter().collect(),
        }
    });
    let sample = sample.collect();
    let mapping =
        (1..).zip(&profile.mappings).map(|(id, mapping)| mapping_message(profile, id, mapping, &mut strings));
    let mapping = mapping.collect();
    let location = (1..).zip(&profile.locations).map(|(id, place)| message::Location {
        id,
        mapping_id: place.mapping.map_or(0, |mapping| u64::from(mapping) + 1),
        address: place.address,
        line: place.lines.iter().map(line_message).collect(),
    });
    let location = location.collect();
    let function = (1..).zip(&profile.functions).map(|(id, function)| {
        let name = strings.of(&function.name);
        message::Function { id, name, system_name: name, filename: strings.of(&function.file) }
    });
    let function = function.collect();
    let title = std::iter::once(&profile.title).chain(&profile.remarks);
    let comment = title.map(|text| strings.of(text)).collect();
    message::Profile {
        sample_type,
        sample,
        mapping,
        location,
        function,
        string_table: Vec::new(),
        time_nanos: i64::try_from(profile.began).unwrap_or_default(),
        duration_nanos: i64::try_from(profile.duration).unwrap_or_default(),
        period_type,
        period: i64::try_from(profile.period).unwrap_or_default(),
        comment,
        default_sample_type: profile
            .measures
            .get(main_measure(profile))
            .map_or(0, |measure| strings.of(&measure.name)),
    }
    .with_strings(strings.all)
}

impl message::Profile {
    fn with_strings(self, string_table: Vec<String>) -> Self {
        Self { string_table, ..self }
    }
}

/// Returns the index of the measure that a profile is mainly about: CPU time, live bytes, or the last.
pub fn main_measure(profile: &Profile) -> usize {
    let found = ["cpu", "inuse_space"].iter().find_map(|name| profile.measure(name));
    found.unwrap_or(profile.measures.len().saturating_sub(1))
}

fn mapping_message(profile: &Profile, id: u64, mapping: &Mapping, strings: &mut Strings) -> message::Mapping {
    let own =
        || profile.locations.iter().filter(|place| place.mapping.is_some_and(|at| u64::from(at) + 1 == id));
    let has_functions = own().all(|place| !place.lines.is_empty()) && own().next().is_some();
    message::Mapping {
        id,
        memory_start: mapping.start,
        memory_limit: mapping.end,
        file_offset: mapping.offset,
        filename: strings.of(&mapping.file),
        build_id: strings.of(&mapping.build_id),
        has_functions,
        has_filenames: has_functions,
        has_line_numbers: has_functions,
        has_inline_frames: has_functions,
    }
}

fn line_message(line: &Line) -> message::Line {
    message::Line { function_id: u64::from(line.function) + 1, line: i64::from(line.line) }
}

fn shown(thread: &Thread) -> String {
    if thread.name.is_empty() { format!("thread {}", thread.id) } else { thread.name.clone() }
}

/// Reads a profile. The error is a sentence.
pub fn read(bytes: &[u8]) -> Result<Profile, String> {
    let mut plain = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut decoder = GzDecoder::new(bytes).take(MAX_SIZE);
        decoder
            .read_to_end(&mut plain)
            .map_err(|error| format!("The profile cannot be decompressed: {error}."))?;
    } else {
        plain.extend_from_slice(bytes);
    }
    let message = message::Profile::decode(plain.as_slice())
        .map_err(|error| format!("This is no profile in the format of pprof: {error}."))?;
    if message.sample_type.is_empty() {
        return Err("This profile in the format of pprof says not what it measures.".to_owned());
    }
    Ok(profile(&message))
}

fn profile(message: &message::Profile) -> Profile {
    let text = |at: i64| {
        let found = usize::try_from(at).ok().and_then(|at| message.string_table.get(at));
        found.cloned().unwrap_or_default()
    };
    let places = ids(message.location.iter().map(|place| place.id));
    let mappings = ids(message.mapping.iter().map(|mapping| mapping.id));
    let functions = ids(message.function.iter().map(|function| function.id));
    let mut profile = Profile {
        measures: message
            .sample_type
            .iter()
            .map(|kind| Measure { name: text(kind.r#type), unit: text(kind.unit) })
            .collect(),
        functions: message
            .function
            .iter()
            .map(|function| Function { name: text(function.name), file: text(function.filename) })
            .collect(),
        began: u64::try_from(message.time_nanos).unwrap_or_default(),
        duration: u64::try_from(message.duration_nanos).unwrap_or_default(),
        period: u64::try_from(message.period).unwrap_or_default(),
        ..Profile::default()
    };
    let mut comments = message.comment.iter().map(|at| text(*at));
    profile.title = comments.next().unwrap_or_default();
    profile.remarks = comments.collect();
    profile.mappings = message
        .mapping
        .iter()
        .map(|mapping| Mapping {
            start: mapping.memory_start,
            end: mapping.memory_limit,
            offset: mapping.file_offset,
            file: text(mapping.filename),
            build_id: text(mapping.build_id),
        })
        .collect();
    let line = |line: &message::Line| {
        let function = *functions.get(&line.function_id)?;
        Some(Line { function, line: u32::try_from(line.line).unwrap_or_default() })
    };
    profile.locations = message
        .location
        .iter()
        .map(|place| Location {
            address: place.address,
            mapping: mappings.get(&place.mapping_id).copied(),
            lines: place.line.iter().filter_map(line).collect(),
        })
        .collect();
    let thread_of = |sample: &message::Sample| {
        sample.label.iter().find(|label| text(label.key) == "thread").map(|label| text(label.str))
    };
    let (mut stacks, mut threads) = (HashMap::new(), HashMap::new());
    for sample in &message.sample {
        let stack: Vec<u32> = sample.location_id.iter().filter_map(|id| places.get(id).copied()).collect();
        let next = index(profile.stacks.len());
        let at = *stacks.entry(stack.clone()).or_insert(next);
        if at == next {
            profile.stacks.push(stack);
        }
        let thread = thread_of(sample).map(|name| {
            let next = index(profile.threads.len());
            let at = *threads.entry(name.clone()).or_insert(next);
            if at == next {
                profile.threads.push(Thread { process: 0, id: 0, name });
            }
            at
        });
        profile.samples.push(Sample { stack: at, thread, values: sample.value.clone() });
    }
    profile
}

/// Positions by id.
fn ids(ids: impl Iterator<Item = u64>) -> HashMap<u64, u32> {
    ids.zip(0..).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::folded;

    #[test]
    fn what_is_written_is_read_again() {
        let mut profile = folded(&[("main;a;b", 3), ("main;a", 1), ("main;a;c", 4)]);
        profile.threads = vec![Thread { process: 0, id: 0, name: "worker".to_owned() }];
        profile.samples[1].thread = Some(0);
        profile.remarks = vec!["cut".to_owned()];
        (profile.began, profile.duration, profile.period) = (1 << 60, 5, 1000);
        let read = read(&write(&profile)).expect("a profile");
        assert_eq!(read, profile);
        assert_eq!(main_measure(&read), 0);
    }

    #[test]
    fn other_bytes_are_refused_with_a_sentence() {
        let whole = write(&folded(&[("main", 1)]));
        let cases: [(&[u8], &str); 4] = [
            (b"", "says not what it measures"),
            (b"\xff\xff", "no profile"),
            (b"\x1f\x8bnonsense", "decompressed"),
            (&whole[..whole.len() / 2], "decompressed"),
        ];
        for (bytes, part) in cases {
            let sentence = read(bytes).expect_err("an error");
            assert!(sentence.contains(part) && sentence.ends_with('.'), "{sentence}");
        }
        for (at, _) in whole.iter().enumerate() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            let _ = read(&damaged);
        }
    }
}
