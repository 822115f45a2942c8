//! `weir profile report`: a page for browsers of the profiles in a folder.

use std::path::PathBuf;
use std::process::ExitCode;

use weir_lab::profile::Profile;
use weir_lab::report::Report;

use super::output::{Output, read_all};
use super::pages;
use crate::information::print_text;

/// Make a page for browsers of the profiles in a folder.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  weir profile report cpu/ --html cpu.html")]
pub struct Arguments {
    /// Folder that `weir profile … -o` has written
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// File for the page; in the folder where none is named
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Arguments {
    /// Makes the page; the error is a sentence.
    pub fn run(&self) -> Result<ExitCode, String> {
        let profiles = read_all(&self.folder)?;
        let path = self.html.clone().unwrap_or_else(|| self.folder.join("report.html"));
        let output = Output { folder: None, html: Some(path.clone()) };
        output.page(&report(&profiles))?;
        print_text(&format!("{}\n", path.display()));
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the page of a folder's profiles.
fn report(profiles: &[(String, Profile)]) -> Report {
    let find = |name: &str| profiles.iter().find(|(known, _)| known == name).map(|(_, profile)| profile);
    let mut report = Report::default();
    if let Some(profile) = find("cpu") {
        report.findings.extend(pages::cpu_findings(profile));
        report.parts.extend(pages::cpu(profile));
    }
    if let Some((peak, end)) = find("heap.peak").zip(find("heap.end")) {
        let is_dump = |name: &str| {
            name.strip_prefix("heap.").is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit()))
        };
        let dumps: Vec<Profile> =
            profiles.iter().filter(|(name, _)| is_dump(name)).map(|(_, dump)| dump.clone()).collect();
        report.findings.extend(pages::heap_findings(peak, end));
        report.parts.extend(pages::heap(peak, end, &dumps));
    }
    let mut shown = profiles.iter();
    if report.parts.is_empty() {
        report.parts = profiles.iter().flat_map(|(_, profile)| pages::any(profile)).collect();
    }
    if let Some((_, first)) = shown.next() {
        report.title.clone_from(&first.title);
        report.subtitle = pages::subtitle(first);
    }
    report
}
