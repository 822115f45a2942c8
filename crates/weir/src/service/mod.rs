//! The program as a service: in the background (`-D`), with rights given away, telling its manager how it gets on.

pub mod daemon;
#[cfg(target_os = "linux")]
mod helper;
mod notify;
#[cfg(target_os = "linux")]
mod offloads;
#[cfg(target_os = "linux")]
mod opener;
#[cfg(target_os = "linux")]
mod rights;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_capture::Open;
use weir_engine::log::EngineLog;
use weir_engine::{Confine, Engine, Progress as Step};

use self::daemon::Background;
use self::notify::Manager;

#[cfg(target_os = "linux")]
pub use self::helper::answer;

/// A run, as far as its rights are concerned.
pub struct Run<'a> {
    /// The way of opening its source.
    pub source: Open,
    /// A user or group is named by the command line.
    pub asked: bool,
    /// The folder for logs.
    pub log_folder: &'a Path,
    /// The file of the process id.
    pub pid_file: Option<PathBuf>,
    /// Files that the command line names, to be read again with the rules.
    pub files: Vec<PathBuf>,
}

/// Returns the way in which an engine's run gives rights away, if it is to: on Linux only.
#[cfg(target_os = "linux")]
pub fn confinement(run: Run<'_>, engine: &Engine, log: &Arc<EngineLog>) -> Result<Option<Confine>, String> {
    rights::confinement(run, engine, log)
}

/// Rights are given away on Linux only.
#[cfg(not(target_os = "linux"))]
pub fn confinement(_: Run<'_>, _: &Engine, _: &Arc<EngineLog>) -> Result<Option<Confine>, String> {
    Ok(None)
}

/// The program is nobody's helper but on Linux.
#[cfg(not(target_os = "linux"))]
pub const fn answer(_: &[std::ffi::OsString]) -> Option<std::process::ExitCode> {
    None
}

/// Those that wait to hear of the start, and of what follows.
pub struct Service {
    background: Option<Background>,
    manager: Manager,
}

impl Service {
    /// A run that is told of to the starter of one in the background, and to the service manager that the environment
    /// names.
    pub fn new(background: Option<Background>) -> Self {
        Self { background, manager: Manager::of_environment() }
    }

    /// Tells of a step of the run. The first one is its start.
    pub fn tell(&mut self, step: &Step<'_>) {
        if let Some(background) = self.background.take() {
            background.started();
        }
        self.manager.tell(step);
    }
}
