//! A process that is recorded: the code that is mapped into it.

use std::fs;

use crate::image::mappings;
use crate::own::unwind::Code;
use crate::profile::Mapping;

/// Most files that are mapped as code into a process.
const MAX_MAPPINGS: usize = 4096;

/// Most threads of a process that runs already.
const MAX_THREADS: usize = 1024;

/// Process.
#[derive(Clone, Default)]
pub struct Process {
    code: Code,
    mappings: Vec<Mapping>,
}

impl Process {
    /// Notes a mapped file.
    pub fn map(&mut self, mapping: Mapping) {
        if self.mappings.len() < MAX_MAPPINGS && mapping.file.starts_with('/') {
            self.code.add(&mapping);
            self.mappings.push(mapping);
        }
    }

    /// Returns its mapped files.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// Returns its code.
    pub fn code(&self) -> &Code {
        &self.code
    }
}

/// Returns a process that runs, and its threads with their names; none where there is no such process.
pub fn of_process(id: u32) -> (Process, Vec<(u32, String)>) {
    let mut process = Process::default();
    for mapping in mappings(&id.to_string()) {
        process.map(mapping);
    }
    let folder = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let threads = folder.filter_map(|entry| {
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        Some((entry.file_name().to_str()?.parse().ok()?, name.trim_end().to_owned()))
    });
    (process, threads.take(MAX_THREADS).collect())
}
