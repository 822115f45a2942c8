//! `weir profile`: where the time and the memory of a run go.
//!
//! Each row of [`What`] is a subject.

#[cfg(target_os = "linux")]
mod cpu;
mod difference;
#[cfg(target_os = "linux")]
mod heap;
mod output;
mod pages;
mod report;
#[cfg(target_os = "linux")]
mod spare;
mod table;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Measure where the time and the memory of a run go.
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

/// Subjects.
#[derive(Subcommand, Debug)]
enum What {
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
        #[cfg(target_os = "linux")]
        What::Cpu(measurement) => measurement.run(),
        #[cfg(target_os = "linux")]
        What::Heap(measurement) => measurement.run(),
        What::Report(arguments) => arguments.run(),
        What::Compare(arguments) => arguments.run(),
    }
}
