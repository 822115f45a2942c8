//! Logs that are open, found by what is written to them.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::Filter;
use super::settings::WriterKind;
use super::writer::OpenLog;

/// Numbers of logs by path, for each key.
type ByPath<K> = HashMap<K, HashMap<String, u64>>;

/// Open logs by number, in the order in which they were opened.
#[derive(Default)]
pub struct OpenLogs {
    logs: BTreeMap<u64, OpenLog>,
    last: u64,
    /// By stream, filter and wanted path, those that a filter opened itself. Logs hold their filters, so that no other one has
    /// the same address.
    own: ByPath<(i64, *const Filter)>,
    /// By stream, writer and path.
    written: ByPath<(i64, WriterKind)>,
}

impl OpenLogs {
    /// Returns the number of open logs.
    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Adds a log; returns its number.
    pub fn insert(&mut self, log: OpenLog) -> u64 {
        self.last += 1;
        let own = (log.stream, Rc::as_ptr(&log.filter));
        self.own.entry(own).or_default().insert(log.wanted_path.clone(), self.last);
        let written = (log.stream, log.filter.writer);
        self.written.entry(written).or_default().insert(log.path.clone(), self.last);
        self.logs.insert(self.last, log);
        self.last
    }

    /// Takes a log out.
    pub fn remove(&mut self, number: u64) -> Option<OpenLog> {
        let log = self.logs.remove(&number)?;
        forget(&mut self.own, (log.stream, Rc::as_ptr(&log.filter)), &log.wanted_path);
        forget(&mut self.written, (log.stream, log.filter.writer), &log.path);
        Some(log)
    }

    /// Returns a log.
    pub fn get(&self, number: u64) -> Option<&OpenLog> {
        self.logs.get(&number)
    }

    /// Returns a log.
    pub fn get_mut(&mut self, number: u64) -> Option<&mut OpenLog> {
        self.logs.get_mut(&number)
    }

    /// Returns the log that a filter opened for a path.
    pub fn own(&self, stream: i64, filter: &Rc<Filter>, wanted: &str) -> Option<u64> {
        self.own.get(&(stream, Rc::as_ptr(filter)))?.get(wanted).copied()
    }

    /// Returns the log of a path.
    pub fn of_path(&self, stream: i64, writer: WriterKind, path: &str) -> Option<u64> {
        self.written.get(&(stream, writer))?.get(path).copied()
    }

    /// Returns the log that was opened first of those that are meant.
    pub fn first(&self, is_meant: impl Fn(&OpenLog) -> bool) -> Option<u64> {
        self.logs.iter().find(|(_, log)| is_meant(log)).map(|(number, _)| *number)
    }

    /// Returns all of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenLog> {
        self.logs.values_mut()
    }
}

fn forget<K: std::hash::Hash + Eq>(by_path: &mut ByPath<K>, key: K, path: &str) {
    if let Some(paths) = by_path.get_mut(&key) {
        paths.remove(path);
        if paths.is_empty() {
            by_path.remove(&key);
        }
    }
}
