//! Files of profiles.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use weir_lab::formats::{firefox, folded, pprof, svg};
use weir_lab::profile::Profile;
use weir_lab::report::Report;

/// Ending of profiles in the format of pprof, in which they are read again.
const PPROF: &str = ".pb.gz";

/// Where results go.
#[derive(Args, Clone, Debug)]
pub struct Output {
    /// Folder for the profile in all formats: pprof, Firefox Profiler, folded stacks, flame graph
    #[arg(short = 'o', long = "output", value_name = "FOLDER", help_heading = "Profile")]
    pub folder: Option<PathBuf>,

    /// File for a page that browsers show: tables that sort, flame graphs that zoom, charts
    #[arg(long, value_name = "FILE", help_heading = "Profile")]
    pub html: Option<PathBuf>,
}

impl Output {
    /// Makes the folder.
    pub fn prepare(&self) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        fs::create_dir_all(folder).map_err(|error| {
            format!("The folder {} cannot be made: {error}. Name another one with -o.", folder.display())
        })
    }

    /// Writes a file into the folder, if there is one.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), String> {
        match &self.folder {
            Some(folder) => write(&folder.join(name), content),
            None => Ok(()),
        }
    }

    /// Writes a profile in all formats, of the measure that it is mainly about.
    pub fn profile(&self, name: &str, profile: &Profile) -> Result<(), String> {
        let measure = pprof::main_measure(profile);
        self.write(&format!("{name}{PPROF}"), &pprof::write(profile))?;
        self.write(&format!("{name}.firefox.json"), firefox::write(profile, measure).as_bytes())?;
        self.write(&format!("{name}.folded"), folded::write(profile, measure).as_bytes())?;
        self.write(&format!("{name}.svg"), svg::write(profile, measure).as_bytes())
    }

    /// Writes the page, if one is asked for.
    pub fn page(&self, report: &Report) -> Result<(), String> {
        match &self.html {
            Some(path) => write(path, report.html().as_bytes()),
            None => Ok(()),
        }
    }
}

/// Writes a file.
fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    fs::write(path, content).map_err(|error| format!("{} cannot be written: {error}.", path.display()))
}

/// Reads a profile from a file in the format of pprof.
pub fn read(path: &Path) -> Result<Profile, String> {
    let bytes = fs::read(path).map_err(|error| format!("{} cannot be read: {error}.", path.display()))?;
    pprof::read(&bytes).map_err(|sentence| format!("{}: {sentence}", path.display()))
}

/// Returns the profiles of a folder with their names, in the order of these.
pub fn read_all(folder: &Path) -> Result<Vec<(String, Profile)>, String> {
    let entries =
        fs::read_dir(folder).map_err(|error| format!("{} cannot be read: {error}.", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(PPROF) {
            found.push((name.to_owned(), read(&path)?));
        }
    }
    if found.is_empty() {
        return Err(format!(
            "There is no profile in {}. `weir profile cpu -o {}` makes one.",
            folder.display(),
            folder.display()
        ));
    }
    Ok(found)
}
