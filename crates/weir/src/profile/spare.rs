//! A folder for logs that nobody asked for, which goes with them.

use std::path::{Path, PathBuf};

use crate::cli;
use crate::mistakes;

/// Folder, removed with what is in it.
pub struct SpareFolder(PathBuf);

impl SpareFolder {
    fn new() -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("weir-profile-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| {
            format!("The folder {} cannot be made: {error}. Name one for logs with -l.", folder.display())
        })?;
        Ok(Self(folder))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for SpareFolder {
    fn drop(&mut self) {
        // What is left there does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a run as it is measured: without its own summary, with its logs in a spare folder where none is named, which
/// is to be kept for as long as it runs.
pub fn prepared(run: &cli::Arguments) -> Result<(cli::Arguments, Option<SpareFolder>), String> {
    let mut run = run.clone();
    mistakes::place(&mut run)?;
    run.quiet = true;
    let folder = if run.log_folder.is_none() { Some(SpareFolder::new()?) } else { None };
    if let Some(folder) = &folder {
        run.log_folder = Some(folder.path().to_owned());
    }
    Ok((run, folder))
}
