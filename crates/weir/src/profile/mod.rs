//! `weir profile`: where the time and the memory of a run go.
//!
//! Each row of [`What`] is a subject. Those that the engine measures of itself are in [`engine`].

#[cfg(target_os = "linux")]
mod cpu;
mod difference;
mod engine;
#[cfg(target_os = "linux")]
mod heap;
mod measured;
mod output;
mod pages;
mod report;
#[cfg(target_os = "linux")]
mod spare;
mod table;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use self::engine::Subject;
pub use self::engine::{Asked, print};

/// Measure where the time and the memory of a run go.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

/// Subjects.
#[derive(Subcommand, Debug)]
enum What {
    /// Measure what each rule costs
    Rules(Box<engine::Measurement>),
    /// Measure what each keyword of rules costs
    Keywords(Box<engine::Measurement>),
    /// Measure the searches for the literals of rules
    Prefilter(Box<engine::Measurement>),
    /// Count what each group of rules leaves to look at
    Groups(Box<engine::Measurement>),
    /// Measure what packets cost, by protocol
    Packets(Box<engine::Measurement>),
    /// Measure what each stage, parser, output and script costs
    Layers(Box<engine::Measurement>),
    /// Show which packets took long, and keep them
    Slow(Box<engine::Measurement>),
    /// Show which locks and queues were waited for
    Locks(Box<engine::Measurement>),
    /// Measure which functions use the processors, and what threads wait for
    #[cfg(target_os = "linux")]
    Cpu(Box<cpu::Measurement>),
    /// Measure which calls allocate the memory that is in use
    #[cfg(target_os = "linux")]
    Heap(Box<heap::Measurement>),
    /// Make a page for browsers of the profiles in a folder
    Report(report::Arguments),
    /// Tell the difference of two profiles
    Compare(difference::Arguments),
}

/// Measures; the error is a sentence.
pub fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    match &arguments.what {
        What::Rules(measurement) => measurement.run(Subject::Rules),
        What::Keywords(measurement) => measurement.run(Subject::Keywords),
        What::Prefilter(measurement) => measurement.run(Subject::Prefilter),
        What::Groups(measurement) => measurement.run(Subject::Groups),
        What::Packets(measurement) => measurement.run(Subject::Packets),
        What::Layers(measurement) => measurement.run(Subject::Layers),
        What::Slow(measurement) => measurement.run(Subject::Slow),
        What::Locks(measurement) => measurement.run(Subject::Locks),
        #[cfg(target_os = "linux")]
        What::Cpu(measurement) => measurement.run(),
        #[cfg(target_os = "linux")]
        What::Heap(measurement) => measurement.run(),
        What::Report(arguments) => arguments.run(),
        What::Compare(arguments) => arguments.run(),
    }
}
