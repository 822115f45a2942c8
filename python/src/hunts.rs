//! Hunts: whole ones, and their steps for those that do the searching elsewhere.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use weir_hunt::{Capture, Kept, Progress, Reading, Report};

use crate::error;
use crate::watch::{look, work};

/// Progress as Python has it: captures, bytes and hits so far.
type Counts = (u64, u64, u64);

/// A hunt: rules, and the captures that are searched.
#[pyclass(frozen, module = "weir._native")]
pub struct Hunt {
    hunt: weir_hunt::Hunt,
    captures: Vec<Capture>,
    records: Vec<PathBuf>,
    /// What could not be looked into for captures.
    sentences: Vec<String>,
}

#[pymethods]
impl Hunt {
    /// Finds the captures of an archive.
    #[new]
    #[pyo3(signature = (rules, archive, *, records, folder, engine, jobs, words, again))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        rules: Vec<PathBuf>,
        archive: Vec<PathBuf>,
        records: Vec<PathBuf>,
        folder: PathBuf,
        engine: PathBuf,
        jobs: Option<usize>,
        words: Vec<String>,
        again: bool,
    ) -> PyResult<Self> {
        let (captures, sentences) = look(py, move || weir_hunt::find(&archive))?;
        let jobs = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let hunt = weir_hunt::Hunt { rules, folder, engine, jobs, words, again };
        Ok(Self { hunt, captures, records, sentences })
    }

    /// The captures, in the order of their names, and the bytes of each.
    #[getter]
    fn captures(&self) -> Vec<(PathBuf, u64)> {
        self.captures.iter().map(|capture| (capture.path.clone(), capture.length)).collect()
    }

    /// Hunts here. Returns what could not be read, a sentence each.
    fn run(&self, py: Python<'_>, told: Option<Bound<'_, PyAny>>) -> PyResult<Vec<String>> {
        let (hunt, captures, records) = (self.hunt.clone(), self.captures.clone(), self.records.clone());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let tell = |counts: Counts| match &told {
            Some(told) => told.call1(counts).map(drop),
            None => Ok(()),
        };
        let report = work(py, &stop, tell, move |teller| {
            let told = |done: Progress| teller.tell((done.captures, done.bytes, done.hits));
            weir_hunt::hunt(&hunt, &captures, &records, &told, &stopped)
        })?;
        Ok(self.remarks(report.map_err(error)?))
    }

    /// Makes or finds the folder of what is found.
    fn parts(&self, py: Python<'_>) -> PyResult<Parts> {
        let hunt = self.hunt.clone();
        let kept = look(py, move || Kept::open(&hunt))?.map_err(error)?;
        Ok(Parts { kept, captures: self.captures.clone() })
    }

    /// Puts together what was found, when all captures are done. Returns what could not be read, a sentence each.
    fn gather(&self, py: Python<'_>, parts: &Parts) -> PyResult<Vec<String>> {
        let (hunt, captures, records) = (self.hunt.clone(), self.captures.clone(), self.records.clone());
        let kept = parts.kept.clone();
        let report = look(py, move || {
            let mut report = Report::default();
            weir_hunt::gather(&hunt, &captures, &records, &kept, &mut report).map(|()| report)
        })?;
        Ok(self.remarks(report.map_err(error)?))
    }
}

impl Hunt {
    fn remarks(&self, report: Report) -> Vec<String> {
        self.sentences.iter().cloned().chain(report.remarks).collect()
    }
}

/// What was found in captures so far.
#[pyclass(frozen, module = "weir._native")]
pub struct Parts {
    kept: Kept,
    captures: Vec<Capture>,
}

#[pymethods]
impl Parts {
    /// Returns the hits in each capture, in their order; none for those that have to be read.
    fn found(&self) -> Vec<Option<u64>> {
        self.captures.iter().map(|capture| self.kept.found_in(capture).map(|found| found.hits)).collect()
    }

    /// Keeps what a search found in a capture, by its place in the order. Returns the number of hits.
    fn keep(&self, place: usize, lines: &[u8], remark: Option<String>) -> PyResult<u64> {
        let capture = self.captures.get(place).ok_or_else(|| error("There is no such capture."))?;
        Ok(self.kept.keep_lines(capture, lines, remark).map_err(error)?.hits)
    }
}

/// Returns what the engine says of its version.
#[pyfunction]
pub fn version(py: Python<'_>, engine: PathBuf) -> PyResult<String> {
    look(py, move || weir_hunt::version_of(&engine))?.map_err(error)
}

/// Searches a capture in a folder of its own. Returns the lines of the hits, and a sentence about what could not be read.
#[pyfunction]
pub fn search(
    py: Python<'_>,
    engine: PathBuf,
    rules: Vec<PathBuf>,
    words: Vec<String>,
    capture: PathBuf,
    folder: PathBuf,
) -> PyResult<(Vec<u8>, Option<String>)> {
    let hunt = weir_hunt::Hunt { rules, folder, engine, jobs: 1, words, again: false };
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let found = work(
        py,
        &stop,
        |()| Ok(()),
        move |_| {
            let Some(found) = weir_hunt::search(&hunt, &capture, &hunt.folder, &stopped)? else {
                return Ok(None);
            };
            let lines = match std::fs::read(&found.log) {
                Ok(lines) => lines,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
                Err(error) => return Err(format!("{} cannot be read: {error}.", found.log.display())),
            };
            Ok(Some((lines, found.remark)))
        },
    )?;
    found.map_err(error)?.ok_or_else(|| error("The search was stopped."))
}

/// Has the engine read captures into a folder. Returns what it could not read or load, a sentence each.
#[pyfunction]
#[pyo3(signature = (engine, captures, *, rules, settings, folder, eve, zeek))]
#[allow(clippy::too_many_arguments)]
pub fn read(
    py: Python<'_>,
    engine: PathBuf,
    captures: Vec<PathBuf>,
    rules: Vec<PathBuf>,
    settings: Vec<String>,
    folder: PathBuf,
    eve: bool,
    zeek: bool,
) -> PyResult<Vec<String>> {
    let reading = Reading { engine, captures, rules, settings, folder, eve, zeek };
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let said = work(py, &stop, |()| Ok(()), move |_| weir_hunt::read(&reading, &stopped))?;
    Ok(said.map_err(error)?.unwrap_or_default())
}
