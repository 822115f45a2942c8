//! `weir profile heap`: which calls allocate the memory that is in use, when most is, and what is left at the end.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use weir_lab::formats::pprof;
use weir_lab::heap::{Every, MEAN, Options, Session};
use weir_lab::profile::Profile;
use weir_lab::report::Report;
use weir_lab::summary::without_allocator;
use weir_lab::symbols::Symboliser;

use super::output::Output;
use super::{pages, spare, table};
use crate::cli;
use crate::information::print_text;

/// A run, and how its memory is measured.
#[derive(Args, Debug)]
#[command(override_usage = "weir profile heap -r CAPTURE [OPTIONS] [FILTER]")]
#[command(help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}")]
#[command(after_help = "Examples:\n  \
    weir profile heap -r capture.pcap -S 'rules/*.rules' -o heap/\n  \
    weir profile heap -r capture.pcap --every 10MB -o heap/\n  \
    weir profile compare heap/heap.0001.pb.gz heap/heap.0009.pb.gz\n\n\
    Files in the folder: heap.peak.* (when most was in use), heap.end.* (what was not freed), each as\n\
    .pb.gz (go tool pprof), .firefox.json (profiler.firefox.com), .folded, .svg; heap.0001.pb.gz and so on\n\
    (dumps while it ran). It does the run that the other options describe. Logs go where -l says, or nowhere.\n\
    Memory that libraries in C allocate for themselves is not seen.")]
pub struct Measurement {
    /// Bytes allocated between two samples, on average
    #[arg(long, value_name = "BYTES", help_heading = "Profile", default_value_t = MEAN, value_parser = clap::value_parser!(u64).range(1..))]
    sample: u64,

    /// Distance of dumps: bytes allocated, or time, as in 10MB or 500ms
    #[arg(long, value_name = "MB|ms|s", help_heading = "Profile", default_value = "100ms", value_parser = every)]
    every: Every,

    /// Most rows of a table
    #[arg(long, value_name = "N", help_heading = "Profile", default_value_t = 20)]
    limit: usize,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    run: cli::Arguments,
}

/// Parses `10MB`, `500ms` or `2s`.
fn every(word: &str) -> Result<Every, String> {
    let wrong = || format!("write bytes or a time, as in 10MB, 500ms or 2s, not {word}");
    let end = word.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = word.split_at(end);
    let number: u64 = number.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
    match unit.to_ascii_lowercase().as_str() {
        "kb" => Ok(Every::Bytes(number.saturating_mul(1000))),
        "mb" => Ok(Every::Bytes(number.saturating_mul(1_000_000))),
        "gb" => Ok(Every::Bytes(number.saturating_mul(1_000_000_000))),
        "ms" => Ok(Every::Time(Duration::from_millis(number))),
        "s" => Ok(Every::Time(Duration::from_secs(number))),
        _ => Err(wrong()),
    }
}

impl Measurement {
    /// Measures; the error is a sentence.
    pub fn run(&self) -> Result<ExitCode, String> {
        self.output.prepare()?;
        let (run, folder) = spare::prepared(&self.run)?;
        let session = Session::start(Options { mean: self.sample, every: self.every })?;
        let code = crate::run(&run, false);
        let mut outcome = session.finish(&pages::title("Memory", &self.run));
        drop(folder);
        let code = code?;
        if outcome.stacks.samples.is_empty() {
            return Err(format!(
                "No sample was taken: less than {} bytes were allocated. Take more with --sample.",
                self.sample
            ));
        }
        Symboliser::new().symbolise(&mut outcome.stacks);
        without_allocator(&mut outcome.stacks);
        let (peak, end) = (outcome.peak(), outcome.end());
        let text = table::heap(&peak, &end, self.limit);
        print_text(&text);
        if self.output.folder.is_some() {
            self.output.profile("heap.peak", &peak)?;
            self.output.profile("heap.end", &end)?;
            for (number, dump) in (1..).zip(outcome.dumps()) {
                self.output.write(&format!("heap.{number:04}.pb.gz"), &pprof::write(&dump))?;
            }
            self.output.write("heap.txt", text.as_bytes())?;
        }
        if self.output.html.is_some() {
            let dumps: Vec<Profile> = outcome.dumps().collect();
            self.output.page(&Report {
                title: peak.title.clone(),
                subtitle: pages::subtitle(&peak),
                findings: pages::heap_findings(&peak, &end),
                parts: pages::heap(&peak, &end, &dumps),
            })?;
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_dumps() {
        let cases = [
            ("10MB", Some(Every::Bytes(10_000_000))),
            ("5kb", Some(Every::Bytes(5000))),
            ("500ms", Some(Every::Time(Duration::from_millis(500)))),
            ("2s", Some(Every::Time(Duration::from_secs(2)))),
            ("0s", None),
            ("10", None),
            ("MB", None),
            ("3 days", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(every(word).ok(), expected, "{word}");
        }
    }
}
