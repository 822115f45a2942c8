//! What conditions of `when` have read: a condition is looked at again when some of that has changed.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::rc::Rc;

use crate::values::{Value, take_changed};

/// Most variables and containers that a condition waits for; one that reads more is looked at in each round.
const MOST: usize = 64;

/// Something that a condition has read.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A variable, by its number.
    Global(u32),
    /// A record, table or vector; of a table, the hash of the index where it is about an entry.
    Container(Value, Option<u64>),
}

/// What a condition has read.
#[derive(Clone, Debug, Default)]
pub(super) struct Noted {
    sources: Vec<Source>,
    /// It has read what nobody tells of: it calls a function.
    all: bool,
}

impl Noted {
    /// Notes a variable.
    pub(super) fn global(&mut self, number: u32) {
        self.push(Source::Global(number));
    }

    /// Notes a value, where it is a container.
    pub(super) fn value(&mut self, value: &Value) {
        if address(value).is_some() {
            self.push(Source::Container(value.clone(), None));
        }
    }

    /// Notes an entry of a table, by the hash of its index.
    pub(super) fn entry(&mut self, table: &Value, hash: u64) {
        self.push(Source::Container(table.clone(), Some(hash)));
    }

    /// Notes what nobody tells of.
    pub(super) fn everything(&mut self) {
        self.all = true;
    }

    fn push(&mut self, source: Source) {
        if self.sources.len() < MOST {
            self.sources.push(source);
        } else {
            self.all = true;
        }
    }
}

/// By what was read, the triggers that wait for it.
#[derive(Default)]
pub(super) struct Watches {
    globals: HashMap<u32, BTreeSet<u64>>,
    /// By address, and hash of an index; each value is kept, so that its address stays its own.
    containers: HashMap<(usize, Option<u64>), (Value, BTreeSet<u64>)>,
    /// Triggers to be looked at.
    due: BTreeSet<u64>,
    /// Triggers to be looked at in each round.
    always: BTreeSet<u64>,
}

impl Watches {
    /// Has a trigger looked at when something of it has changed.
    pub(super) fn register(&mut self, trigger: u64, noted: &Noted) {
        if noted.all {
            self.always.insert(trigger);
            return;
        }
        for source in &noted.sources {
            match source {
                Source::Global(number) => {
                    self.globals.entry(*number).or_default().insert(trigger);
                }
                Source::Container(value, hash) => {
                    let Some(address) = address(value) else { continue };
                    begin(value, *hash);
                    let place = self.containers.entry((address, *hash));
                    let entry = place.or_insert_with(|| (value.clone(), BTreeSet::new()));
                    entry.1.insert(trigger);
                }
            }
        }
    }

    /// Forgets a trigger.
    pub(super) fn forget(&mut self, trigger: u64, noted: &Noted) {
        self.due.remove(&trigger);
        self.always.remove(&trigger);
        for source in &noted.sources {
            match source {
                Source::Global(number) => {
                    if let Some(waiting) = self.globals.get_mut(number) {
                        waiting.remove(&trigger);
                        if waiting.is_empty() {
                            self.globals.remove(number);
                        }
                    }
                }
                Source::Container(value, hash) => {
                    let Some(address) = address(value) else { continue };
                    if let Some((_, waiting)) = self.containers.get_mut(&(address, *hash)) {
                        waiting.remove(&trigger);
                        if waiting.is_empty() {
                            self.containers.remove(&(address, *hash));
                            end(value, *hash);
                        }
                    }
                }
            }
        }
    }

    /// Has a trigger looked at in the next round.
    pub(super) fn wake(&mut self, trigger: u64) {
        self.due.insert(trigger);
    }

    /// Takes in that a variable was set.
    pub(super) fn global_changed(&mut self, number: u32) {
        if let Some(waiting) = self.globals.get(&number) {
            self.due.extend(waiting);
        }
    }

    /// Returns the next trigger behind another one that is to be looked at, and takes it out of those that are due.
    pub(super) fn next_after(&mut self, trigger: u64) -> Option<u64> {
        for change in take_changed() {
            if let Some((_, waiting)) = self.containers.get(&change) {
                self.due.extend(waiting);
            }
        }
        let behind = (Bound::Excluded(trigger), Bound::Unbounded);
        let next = self.due.range(behind).take(1).chain(self.always.range(behind).take(1)).min().copied();
        if let Some(next) = next {
            self.due.remove(&next);
        }
        next
    }

    /// Returns the triggers that are due.
    pub(super) fn due(&self) -> impl Iterator<Item = u64> {
        self.due.iter().copied()
    }
}

fn address(value: &Value) -> Option<usize> {
    Some(match value {
        Value::Record(inner) => Rc::as_ptr(inner) as usize,
        Value::Table(inner) => Rc::as_ptr(inner) as usize,
        Value::Vector(inner) => Rc::as_ptr(inner) as usize,
        _ => return None,
    })
}

fn begin(value: &Value, hash: Option<u64>) {
    match (value, hash) {
        (Value::Record(inner), _) => inner.watch.begin(),
        (Value::Table(inner), None) => inner.watch.begin(),
        (Value::Table(inner), Some(hash)) => inner.watch.begin_entry(hash),
        (Value::Vector(inner), _) => inner.watch.begin(),
        _ => {}
    }
}

fn end(value: &Value, hash: Option<u64>) {
    if let (Value::Table(table), Some(hash)) = (value, hash) {
        table.watch.end_entry(hash);
    }
}
