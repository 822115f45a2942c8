//! `weir profile compare`: the difference of two profiles.

use std::path::PathBuf;
use std::process::ExitCode;

use weir_lab::compare::difference;
use weir_lab::report::Report;

use super::output::{Output, read};
use super::{pages, table};
use crate::information::print_text;

/// Tell the difference of two profiles: two dumps of a run, or two runs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  weir profile compare heap/heap.0001.pb.gz heap/heap.peak.pb.gz")]
pub struct Arguments {
    /// Profile in the format of pprof
    #[arg(value_name = "BEFORE")]
    before: PathBuf,

    /// Another one, of the same measures
    #[arg(value_name = "AFTER")]
    after: PathBuf,

    /// Most rows of a table
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    #[command(flatten)]
    output: Output,
}

impl Arguments {
    /// Compares; the error is a sentence.
    pub fn run(&self) -> Result<ExitCode, String> {
        self.output.prepare()?;
        let profile = difference(&read(&self.before)?, &read(&self.after)?)?;
        print_text(&table::difference(&profile, self.limit));
        self.output.profile("difference", &profile)?;
        self.output.page(&Report {
            title: profile.title.clone(),
            subtitle: "The later profile less the earlier one; the flame graph shows what grew.".to_owned(),
            findings: Vec::new(),
            parts: pages::any(&profile),
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
