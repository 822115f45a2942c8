//! A program whose memory is known: what the heap profile says of it.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::vec_box)]

use std::alloc::System;
use std::hint::black_box;
use std::time::Duration;

use weir_lab::heap::{Every, Options, Outcome, Sampled, Session};
use weir_lab::profile::Profile;
use weir_lab::summary::{sites, without_allocator};
use weir_lab::symbols::Symboliser;

#[global_allocator]
static ALLOCATOR: Sampled<System> = Sampled(System);

/// Bytes between samples, so small that figures of megabytes are within a few percent.
const MEAN: u64 = 4 << 10;

#[inline(never)]
fn a_leak_made_on_purpose(count: usize) {
    for _ in 0..count {
        std::mem::forget(black_box(vec![7_u8; 1000]));
    }
}

#[inline(never)]
fn kept_for_a_while(count: usize) -> Vec<Box<[u8; 300]>> {
    let mut kept = Vec::with_capacity(count);
    for _ in 0..count {
        kept.push(black_box(Box::new([1; 300])));
    }
    kept
}

#[inline(never)]
fn made_and_freed_at_once(count: usize) {
    for _ in 0..count {
        drop(black_box(String::with_capacity(5000)));
    }
}

#[inline(never)]
fn grown_step_by_step(count: usize) -> Vec<u64> {
    let mut grown = Vec::new();
    for number in 0..count as u64 {
        grown.push(black_box(number));
    }
    grown
}

fn named(mut outcome: Outcome) -> Outcome {
    Symboliser::new().symbolise(&mut outcome.stacks);
    without_allocator(&mut outcome.stacks);
    outcome
}

/// Live objects and bytes of a call site.
fn live(profile: &Profile, site: &str) -> (f64, f64) {
    let found = sites(profile, 3).into_iter().filter(|found| found.name.ends_with(site));
    found.fold((0.0, 0.0), |sum, site| (sum.0 + site.values[2] as f64, sum.1 + site.values[3] as f64))
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.1
}

/// One session at a time, so one test.
#[test]
fn known_memory_is_found_with_its_call_sites() {
    // With each allocation sampled, the one of the error's sentence is, too.
    let all = Options { mean: 1, ..Options::default() };
    let session = Session::start(all).expect("a session");
    assert!(Session::start(all).is_err_and(|sentence| sentence.contains("already")));
    assert!(session.finish("refused").stacks.samples.iter().any(|sample| sample.values[1] > 0));

    let options = Options { mean: MEAN, every: Every::Bytes(2 << 20) };
    let session = Session::start(options).expect("a session");
    let kept = kept_for_a_while(20_000);
    a_leak_made_on_purpose(10_000);
    made_and_freed_at_once(2000);
    let grown = grown_step_by_step(1 << 20);
    let other = std::thread::spawn(|| a_leak_made_on_purpose(5000));
    other.join().expect("a thread");
    drop((kept, grown));
    let outcome = named(session.finish("known"));

    let end = outcome.end();
    let (objects, bytes) = live(&end, "a_leak_made_on_purpose");
    assert!(
        near(objects, 15_000.0) && near(bytes, 15e6),
        "{objects} objects, {bytes} bytes: {:?}",
        sites(&end, 3)
    );
    let first = &sites(&end, 3)[0];
    assert!(first.name.ends_with("a_leak_made_on_purpose") && first.file.ends_with("heap.rs"), "{first:?}");
    assert!(live(&end, "kept_for_a_while").1 < 100_000.0, "what is freed is not alive");
    assert_eq!(live(&end, "made_and_freed_at_once").1, 0.0);
    let all: f64 = sites(&end, 1)
        .iter()
        .filter(|site| site.name.ends_with("made_and_freed_at_once"))
        .map(|site| site.values[1] as f64)
        .sum();
    assert!(near(all, 10e6), "{all} bytes were allocated");

    let peak = outcome.peak();
    let (objects, bytes) = live(&peak, "kept_for_a_while");
    assert!(near(bytes, 6.16e6) && near(objects, 20_001.0), "{objects} objects, {bytes} bytes at the peak");
    assert!(live(&peak, "grown_step_by_step").1 > 7e6, "what was moved when it grew is alive once");
    assert!(live(&peak, "grown_step_by_step").1 < 13e6, "what was moved when it grew is alive once");

    assert!(outcome.dumps().len() > 10, "{} dumps", outcome.dumps().len());
    assert!(outcome.dumps().is_sorted_by_key(|dump| dump.duration));
    let grew = |dump: &Profile| live(dump, "a_leak_made_on_purpose").1;
    assert!(
        outcome.dumps().is_sorted_by_key(|dump| grew(&dump) as u64),
        "what leaks is alive in all later dumps"
    );

    // Again, with dumps by time.
    let options = Options { mean: MEAN, every: Every::Time(Duration::from_nanos(1)) };
    let session = Session::start(options).expect("a session");
    a_leak_made_on_purpose(3000);
    let outcome = named(session.finish("again"));
    let (_, bytes) = live(&outcome.end(), "a_leak_made_on_purpose");
    assert!(near(bytes, 3e6), "{bytes} bytes");
    assert!((1..=201).contains(&outcome.dumps().len()), "{} dumps", outcome.dumps().len());
}
