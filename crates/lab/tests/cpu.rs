//! A program whose time is known: what the CPU profiles say of it, and whether others can read the files.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use weir_lab::formats::{firefox, folded, pprof, svg};
use weir_lab::profile::{Profile, State};
use weir_lab::record::{FREQUENCY, perf, timer};
use weir_lab::summary::functions;
use weir_lab::symbols::Symboliser;

/// Set for the child that is measured.
const MEASURED: &str = "WEIR_LAB_MEASURED";
/// Longest time that a test waits for its child.
const PATIENCE: Duration = Duration::from_secs(120);

#[inline(never)]
fn work(rounds: u64) -> u64 {
    (0..rounds * 1000).fold(1_u64, |sum, round| black_box(sum.wrapping_mul(31).wrapping_add(round)))
}

#[inline(never)]
fn seven_parts_of_ten(rounds: u64) -> u64 {
    black_box(work(7 * rounds)) ^ 1
}

#[inline(never)]
fn three_parts_of_ten(rounds: u64) -> u64 {
    black_box(work(3 * rounds)) ^ 2
}

/// CPU time of the calling thread.
fn used() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("statistics of the scheduler");
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    Duration::from_nanos(nanoseconds)
}

/// Computes for so much CPU time or a little more.
#[inline(never)]
fn known_costs(time: Duration) {
    let begin = used();
    let mut sum = 0;
    while used() < begin + time {
        for _ in 0..10 {
            sum ^= seven_parts_of_ten(20) ^ three_parts_of_ten(20);
        }
    }
    black_box(sum);
}

/// The program that is measured, when this file's tests start it as their child.
#[test]
fn the_program_that_is_measured() {
    if std::env::var_os(MEASURED).is_none() {
        assert_eq!(work(0), 1);
        return;
    }
    let begin = Instant::now();
    known_costs(Duration::from_millis(1500));
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let _ = receiver.recv_timeout(Duration::from_millis(300));
    drop(sender);
    assert!(begin.elapsed() >= Duration::from_millis(300));
}

/// Holds a function's share of the known costs to seven tenths: within four standard deviations of what so many samples
/// find by chance, and a hundredth for what is not the two functions.
fn holds_seven_tenths(profile: &Profile) {
    let total = |measure: &str, name: &str| {
        let sums = functions(profile, profile.measure(measure).expect("a measure"));
        sums.iter().find(|sum| sum.name.ends_with(name)).map_or(0, |sum| sum.total) as f64
    };
    let samples = total("samples", "known_costs");
    assert!(samples >= 200.0, "{samples} samples: {:?}", profile.remarks);
    let found = total("cpu", "seven_parts_of_ten") / total("cpu", "known_costs");
    let allowed = 4.0 * (0.7 * 0.3 / samples).sqrt() + 0.01;
    assert!((found - 0.7).abs() < allowed, "{found} of {samples} samples: {:?}", profile.remarks);
}

/// A profile of the child by perf events; none where the kernel forbids them.
fn recorded() -> Option<Profile> {
    let mut recorder = match perf::Recorder::open(perf::Whom::Children, FREQUENCY) {
        Ok(recorder) => recorder,
        Err(error) => {
            eprintln!("skipped: perf events are forbidden here ({error})");
            return None;
        }
    };
    let mut child = Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", "the_program_that_is_measured", "--test-threads=1"])
        .env(MEASURED, "1")
        .stdout(Stdio::null())
        .spawn()
        .expect("a child");
    let begin = Instant::now();
    while child.try_wait().expect("a state").is_none() && begin.elapsed() < PATIENCE {
        recorder.read();
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let mut profile = recorder.finish("known costs");
    Symboliser::new().symbolise(&mut profile);
    Some(profile)
}

#[test]
fn seven_tenths_of_the_time_are_found_by_perf_events() {
    let Some(profile) = recorded() else { return };
    holds_seven_tenths(&profile);
    let total = profile.total(profile.measure("cpu").expect("CPU time")) as f64 / 1e9;
    assert!((1.4..4.0).contains(&total), "{total} s of CPU time");
    let sees_waiting = !profile.remarks.iter().any(|remark| remark.contains("may not see"));
    if sees_waiting {
        let wait = profile.measure("wait").expect("waiting");
        let sums = functions(&profile, wait);
        let found = sums.iter().find(|sum| sum.name.ends_with("the_program_that_is_measured"));
        let waited = found.map_or(0.0, |sum| sum.total as f64 / 1e9);
        assert!(waited > 0.25, "{waited} s: {:?}", sums.iter().take(20).collect::<Vec<_>>());
        assert!(profile.timeline.iter().any(|moment| moment.state == State::Waiting));
    }
    assert!(profile.threads.iter().any(|thread| !thread.name.is_empty()));
    written(&profile);
}

#[test]
fn seven_tenths_of_the_time_are_found_by_a_signal() {
    let recorder = timer::Recorder::start(FREQUENCY).expect("a timer");
    // The kernel looks at such timers a few hundred times a second only.
    let time = Duration::from_secs(3);
    known_costs(time);
    let mut profile = recorder.finish("known costs");
    Symboliser::new().symbolise(&mut profile);
    let total = profile.total(profile.measure("cpu").expect("CPU time")) as f64 / 1e9;
    assert!(total >= time.as_secs_f64() && total < 2.5 * time.as_secs_f64(), "{total} s of CPU time");
    holds_seven_tenths(&profile);
}

/// All formats of a profile, held up to their readers.
fn written(profile: &Profile) {
    let measure = profile.measure("cpu").expect("CPU time");
    let text = folded::write(profile, measure);
    assert!(
        text.lines()
            .all(|line| line.rsplit_once(' ').is_some_and(|(_, number)| number.parse::<u64>().is_ok()))
    );
    assert!(text.contains("known_costs;") && text.contains("seven_parts_of_ten"), "{text}");
    assert!(svg::write(profile, measure).contains("seven_parts_of_ten"));
    let processed: serde_json::Value = serde_json::from_str(&firefox::write(profile, measure)).expect("JSON");
    firefox_schema(&processed);

    let bytes = pprof::write(profile);
    let read = pprof::read(&bytes).expect("a profile");
    assert_eq!(read.total(measure), profile.total(measure));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("known_costs.pb.gz");
    std::fs::write(&path, bytes).expect("a file");
    let Ok(shown) =
        Command::new("go").args(["tool", "pprof", "-top", "-cum", "-sample_index=cpu"]).arg(&path).output()
    else {
        eprintln!("skipped: there is no go tool pprof here");
        return;
    };
    let said = String::from_utf8_lossy(&shown.stdout);
    if !shown.status.success() && String::from_utf8_lossy(&shown.stderr).contains("no such tool") {
        eprintln!("skipped: there is no go tool pprof here");
        return;
    }
    assert!(said.contains("seven_parts_of_ten") && said.contains("Type: cpu"), "{said} {shown:?}");
}

/// Holds a profile against the processed format as the Firefox Profiler documents it
/// (docs-developer/processed-profile-format.md and src/types/profile.ts there): tables are columns of one length, and
/// what refers to a row of another table is within it.
fn firefox_schema(profile: &serde_json::Value) {
    let meta = &profile["meta"];
    for key in [
        "interval",
        "startTime",
        "processType",
        "product",
        "version",
        "preprocessedProfileVersion",
        "categories",
        "markerSchema",
    ] {
        assert!(!meta[key].is_null(), "meta.{key} is missing");
    }
    assert_eq!(meta["symbolicated"], true);
    let categories = meta["categories"].as_array().expect("categories").len() as u64;
    assert!(profile["libs"].is_array());
    let threads = profile["threads"].as_array().expect("threads");
    assert!(!threads.is_empty());
    for thread in threads {
        for key in [
            "processType",
            "processStartupTime",
            "registerTime",
            "pausedRanges",
            "name",
            "isMainThread",
            "pid",
            "tid",
            "samples",
            "markers",
        ] {
            assert!(!thread[key].is_null(), "thread.{key} is missing");
        }
        let shared = &profile["shared"];
        let of = |name: &str| if thread[name].is_null() { &shared[name] } else { &thread[name] };
        let strings = of("stringArray").as_array().expect("strings").len() as u64;
        let length =
            |name: &str| of(name)["length"].as_u64().unwrap_or_else(|| panic!("{name} has no length"));
        // A column, and the table that its numbers are rows of; nothing may stand for none.
        let columns = [
            ("stackTable", "frame", length("frameTable")),
            ("stackTable", "prefix", length("stackTable")),
            ("frameTable", "func", length("funcTable")),
            ("frameTable", "category", categories),
            ("funcTable", "name", strings),
            ("samples", "stack", length("stackTable")),
        ];
        for (table, column, rows) in columns {
            let numbers =
                of(table)[column].as_array().unwrap_or_else(|| panic!("{table}.{column} is missing"));
            assert_eq!(numbers.len() as u64, length(table), "{table}.{column} is not as long as its table");
            for number in numbers.iter().filter(|number| !number.is_null()) {
                assert!(
                    number.as_u64().is_some_and(|number| number < rows),
                    "{table}.{column}: {number} of {rows}"
                );
            }
        }
        let prefixes = of("stackTable")["prefix"].as_array().expect("prefixes");
        assert!((0_u64..).zip(prefixes).all(|(row, prefix)| prefix.is_null() || prefix.as_u64() < Some(row)));
        let samples = &thread["samples"];
        let count = samples["length"].as_u64().expect("a length") as usize;
        for column in ["weight", "threadCPUDelta"] {
            assert_eq!(samples[column].as_array().map(Vec::len), Some(count), "samples.{column}");
        }
        let has_times =
            ["time", "timeDeltas"].iter().any(|name| samples[name].as_array().map(Vec::len) == Some(count));
        assert!(has_times, "samples have no times");
        assert!(samples["weightType"].is_string());
    }
}
