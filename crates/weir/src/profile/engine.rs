//! What the engine measures of itself while it does an ordinary run: rules, and all that costs them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use weir_base::profile::{Aspect, Aspects, Rate};
use weir_config::RuleSort;
use weir_engine::profile::{Extent, Profile};
use weir_engine::settings::ProfileChoice;

use super::output::Output;
use super::{measured, pages};
use crate::cli;
use crate::information::print_text;
use crate::mistakes;

/// One packet in so many is measured where nothing else is said: as many as tell much and cost a few percent.
const PERIOD: u32 = 16;

/// A run, and what of its costs is shown.
#[derive(Args, Debug)]
#[command(override_usage = "weir profile SUBJECT -r CAPTURE [OPTIONS] [FILTER]\n       \
    weir profile SUBJECT -i INTERFACE [OPTIONS] [FILTER]")]
#[command(help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}")]
#[command(after_help = "Examples:\n  \
    weir profile rules -r capture.pcap -S 'rules/*.rules'\n  \
    weir profile rules -r capture.pcap -S my.rules --exact --sort avgticks --limit 30\n  \
    weir profile rules -i eth0 -S my.rules --json    until Ctrl-C\n  \
    weir profile locks -r capture.pcap -S my.rules -t 4 --html locks.html\n\n\
    It does the run that the other options describe. Logs go where -l says, or nowhere.")]
pub struct Measurement {
    /// Measure each packet, not one in so many
    #[arg(long, help_heading = "Profile", conflicts_with = "sample")]
    exact: bool,

    /// Measure one packet in so many
    #[arg(long, value_name = "N", help_heading = "Profile", default_value_t = PERIOD, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,

    /// Order of rules: ticks, avgticks, avgticks_match, avgticks_no_match, checks, matches or maxticks
    #[arg(long, value_name = "ORDER", help_heading = "Profile", default_value = "ticks", value_parser = sort)]
    sort: RuleSort,

    /// Most rows
    #[arg(long, value_name = "N", help_heading = "Profile", default_value_t = 20)]
    limit: usize,

    /// Show each worker, too
    #[arg(long, help_heading = "Profile")]
    by_worker: bool,

    /// Microseconds from which on packets took long
    #[arg(long, value_name = "N", help_heading = "Profile", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    over: u32,

    /// Print one JSON object
    #[arg(long, help_heading = "Profile")]
    json: bool,

    /// File for a page that browsers show: tables that sort, charts
    #[arg(long, value_name = "FILE", help_heading = "Profile")]
    html: Option<PathBuf>,

    #[command(flatten)]
    run: cli::Arguments,
}

/// Subjects that the engine measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Rules.
    Rules,
    /// Keywords of rules.
    Keywords,
    /// Searches for literals.
    Prefilter,
    /// Groups of rules.
    Groups,
    /// Packets.
    Packets,
    /// Stages.
    Layers,
    /// Packets that took long.
    Slow,
    /// Locks and queues.
    Locks,
}

impl Subject {
    /// Returns the title of its page.
    const fn title(self) -> &'static str {
        match self {
            Self::Rules => "Rules",
            Self::Keywords => "Keywords",
            Self::Prefilter => "Searches for literals",
            Self::Groups => "Groups of rules",
            Self::Packets => "Packets",
            Self::Layers => "Stages",
            Self::Slow => "Slow packets",
            Self::Locks => "Locks and queues",
        }
    }

    /// Returns what is measured for it.
    const fn aspects(self) -> Aspects {
        match self {
            Self::Rules => Aspects::of(Aspect::Rules),
            Self::Keywords => Aspects::of(Aspect::Keywords),
            Self::Prefilter => Aspects::of(Aspect::Prefilters),
            Self::Groups => Aspects::of(Aspect::Groups),
            Self::Packets | Self::Layers => Aspects::of(Aspect::Layers),
            Self::Slow | Self::Locks => Aspects::NONE,
        }
    }
}

/// A profile that a run is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is measured.
    pub choice: ProfileChoice,
    /// What is printed in place of the summary.
    pub json: bool,
    subject: Subject,
    extent: Extent,
    output: Output,
    title: String,
}

impl Measurement {
    /// Does the run; the error is a sentence.
    pub fn run(&self, subject: Subject) -> Result<ExitCode, String> {
        let mut run = self.run.clone();
        mistakes::place(&mut run)?;
        let rate = Rate::OneIn(if self.exact { 1 } else { self.sample });
        let slow_us = if subject == Subject::Slow { self.over } else { 0 };
        let choice = ProfileChoice { aspects: subject.aspects(), rate, slow_us };
        let extent = Extent { sort: self.sort, limit: self.limit, by_worker: self.by_worker };
        let title = pages::title(subject.title(), &run);
        let output = Output { folder: None, html: self.html.clone() };
        run.profile = Some(Asked { choice, json: self.json, subject, extent, output, title });
        let folder = match &run.log_folder {
            Some(_) => None,
            None => Some(SpareFolder::new()?),
        };
        if let Some(folder) = &folder {
            run.log_folder = Some(folder.0.clone());
        }
        crate::run(&run, false)
    }
}

/// A folder for logs that nobody asked for, which goes with them.
struct SpareFolder(PathBuf);

impl SpareFolder {
    fn new() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("weir-profile-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| {
            format!("The folder {} cannot be made: {error}. Name one for logs with -l.", folder.display())
        })?;
        Ok(Self(folder))
    }
}

impl Drop for SpareFolder {
    fn drop(&mut self) {
        // What is left there does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Prints what a run cost, and writes its page where one is asked for; the error is a sentence.
pub fn print(profile: &Profile, asked: &Asked) -> Result<(), String> {
    let json = || match asked.subject {
        Subject::Rules => profile.rules_json(&asked.extent),
        Subject::Keywords => profile.keywords_json(),
        Subject::Prefilter => profile.prefilter_json(),
        Subject::Groups => profile.groups_json(),
        Subject::Packets => profile.packets_json(),
        Subject::Layers => profile.layers_json(),
        Subject::Slow => profile.slow_json(),
        Subject::Locks => profile.locks_json(),
    };
    let text = match asked.subject {
        _ if asked.json => json(),
        Subject::Rules => profile.rules_text(&asked.extent),
        Subject::Keywords => profile.keywords_text(),
        Subject::Prefilter => profile.prefilter_text(),
        Subject::Groups => profile.groups_text(),
        Subject::Packets => profile.packets_text(),
        Subject::Layers => profile.layers_text(&asked.extent),
        Subject::Slow => profile.slow_text(&asked.extent),
        Subject::Locks => profile.locks_text(),
    };
    print_text(&text);
    if asked.output.html.is_some() {
        asked.output.page(&measured::report(&asked.title, &json()))?;
    }
    Ok(())
}

/// Parses an order of rules.
fn sort(word: &str) -> Result<RuleSort, String> {
    RuleSort::ALL.into_iter().find(|sort| sort.word() == word).ok_or_else(|| {
        let words = RuleSort::ALL.map(RuleSort::word);
        format!("choose one of {}", words.join(", "))
    })
}
