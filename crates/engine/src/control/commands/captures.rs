//! Commands about captures that are handed in.

use std::path::{Path, PathBuf};

use serde_json::json;
use weir_base::Duration;

use super::Answer;
use super::arguments::Arguments;
use super::tenants::of_capture;
use crate::jobs::follow::Follow;
use crate::jobs::{Job, Jobs};
use crate::run::{Engine, ReadFiles};

/// Age of a file from which on it is taken to be whole, where a client does not say; seconds.
const DELAY: u64 = 30;

/// Time between two looks at a folder that is read on, where a client does not say; seconds.
const POLL_INTERVAL: u64 = 5;

pub(super) fn add(jobs: &mut Jobs, engine: &Engine, arguments: &Arguments<'_>) -> Answer {
    add_job(jobs, engine, arguments, arguments.is_set("continuous"))
}

pub(super) fn follow(jobs: &mut Jobs, engine: &Engine, arguments: &Arguments<'_>) -> Answer {
    add_job(jobs, engine, arguments, true)
}

fn add_job(jobs: &mut Jobs, engine: &Engine, arguments: &Arguments<'_>, continuous: bool) -> Answer {
    let name = arguments.text("filename");
    let metadata = std::fs::metadata(name).map_err(|_| "filename does not exist")?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Err("filename is neither a file nor a folder".into());
    }
    if !arguments.has("output-dir") {
        return Err("output-dir param is mandatory".into());
    }
    let log_folder = PathBuf::from(arguments.text("output-dir"));
    if !Path::is_dir(&log_folder) {
        return Err("output-dir does not exist".into());
    }
    let tenant = of_capture(engine, arguments)?;
    let seconds = |name, default| -> Result<Duration, String> {
        Ok(Duration::from_secs(arguments.number(name)?.unwrap_or(default)))
    };
    let times = Follow { delay: seconds("delay", DELAY)?, every: seconds("poll-interval", POLL_INTERVAL)? };
    let follow = (continuous && metadata.is_dir()).then_some(times);
    let files = if arguments.is_set("delete-when-done") { ReadFiles::Delete } else { ReadFiles::Keep };
    jobs.add(Job { name: name.to_owned(), log_folder, files, follow, tenant })?;
    Ok("Successfully added file to list".into())
}

pub(super) fn number(jobs: &mut Jobs, _: &Arguments<'_>) -> Answer {
    Ok(jobs.waiting().len().into())
}

pub(super) fn list(jobs: &mut Jobs, _: &Arguments<'_>) -> Answer {
    let files: Vec<&str> = jobs.waiting().collect();
    Ok(json!({"count": files.len(), "files": files}))
}

pub(super) fn last_change(jobs: &mut Jobs, _: &Arguments<'_>) -> Answer {
    Ok(jobs.last_change().into())
}

pub(super) fn interrupt(jobs: &mut Jobs, _: &Arguments<'_>) -> Answer {
    jobs.interrupt();
    Ok("Interrupted".into())
}

pub(super) fn current(jobs: &mut Jobs, _: &Arguments<'_>) -> Answer {
    Ok(jobs.current().unwrap_or("None").into())
}
