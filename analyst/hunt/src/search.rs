//! One capture, searched with the rules of a hunt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::Hunt;
use crate::engine::{self, Ending, last_line};

const SETTINGS: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filename: eve.json\n      \
    community-id: yes\n      types:\n        - alert:\n            payload: yes\n            metadata: yes\n";

/// What a search leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The file of the hits, which is not there where there are none.
    pub log: PathBuf,
    /// A sentence about what could not be read of the capture.
    pub remark: Option<String>,
}

/// Searches a capture in a folder of its own, which is made anew; none where it was stopped. An error holds for all captures.
pub fn search(
    hunt: &Hunt,
    capture: &Path,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<Option<Search>, String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
    let settings = folder.join("hunt.yaml");
    fs::write(&settings, SETTINGS)
        .map_err(|error| format!("{} cannot be written: {error}.", settings.display()))?;
    let mut command = Command::new(&hunt.engine);
    // Over the default settings, so that variables of rules are there.
    command.arg("--include").arg(&settings).arg("-r").arg(capture).arg("-l").arg(folder);
    command.args(["--quiet", "-t", "1"]).args(&hunt.words);
    for rules in &hunt.rules {
        command.arg("-S").arg(rules);
    }
    let remark = match engine::run(&mut command, stop)? {
        Ending::Done(output) if output.whole => None,
        Ending::Done(output) => {
            Some(format!("{}: {}", capture.display(), last_line(&output.said).unwrap_or("it said nothing")))
        }
        Ending::Stopped => return Ok(None),
    };
    Ok(Some(Search { log: folder.join("eve.json"), remark }))
}
