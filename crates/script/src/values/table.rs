//! Tables and sets: in the order of insertion, with what their attributes ask for.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hashbrown::HashTable;

use super::{Key, TableWatch, Value, release};
use crate::types::{Default, TypeId};

/// Attributes of a table.
#[derive(Clone, Debug, core::default::Default)]
pub struct Attributes {
    /// `&default`: the value for indices that are absent.
    pub default: Option<TableDefault>,
    /// `&default_insert`: the value is put into the table as well.
    pub inserts_default: bool,
    /// Which accesses prolong the life of an entry.
    pub expiry: Expiry,
    /// The function without parameters that returns how long entries live.
    pub lifetime: Option<u32>,
    /// `&expire_func`
    pub expire_function: Option<Value>,
    /// `&on_change`
    pub on_change: Option<Value>,
    /// `&ordered`
    pub ordered: bool,
}

/// A table's default.
#[derive(Clone, Debug)]
pub enum TableDefault {
    /// A value, or a function that makes one of a record's kind.
    Plain(Default),
    /// A function of the index.
    Call(Value),
}

/// When entries of a table expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, core::default::Default)]
pub enum Expiry {
    /// Never.
    #[default]
    Never,
    /// Some time after they were made.
    Create,
    /// Some time after they were last read or written.
    Read,
    /// Some time after they were last written.
    Write,
}

/// How a table changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// An entry is new.
    New = 0,
    /// An entry has another value.
    Changed = 1,
    /// An entry was removed.
    Removed = 2,
    /// An entry expired.
    Expired = 3,
}

/// An entry; sets have none but the index.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The index.
    pub key: Key,
    /// The value.
    pub value: Value,
    /// The time from which its life is counted.
    pub at: f64,
    hash: u64,
}

/// A place of a table.
#[derive(Debug)]
enum Slot {
    /// An entry.
    Held(Entry),
    /// The entry was removed: none lies before this place, which is behind it. The next compaction closes the gap.
    Gap(u32),
}

impl Slot {
    const fn entry(&self) -> Option<&Entry> {
        match self {
            Self::Held(entry) => Some(entry),
            Self::Gap(_) => None,
        }
    }

    const fn entry_mut(&mut self) -> Option<&mut Entry> {
        match self {
            Self::Held(entry) => Some(entry),
            Self::Gap(_) => None,
        }
    }
}

#[derive(Debug, core::default::Default)]
struct Inner {
    /// Entries in order.
    slots: Vec<Slot>,
    places: HashTable<u32>,
    /// The place that was found last.
    last: Cell<u32>,
    /// Number of entries by length of prefix, for sets and tables of networks.
    prefixes: Option<Box<[u32; 129]>>,
    patterns: usize,
}

/// A table or set.
#[derive(Debug, core::default::Default)]
pub struct TableValue {
    /// Its type; that of an untyped constructor is set by the first assignment.
    pub ty: Cell<TypeId>,
    inner: RefCell<Inner>,
    attributes: RefCell<Option<Rc<Attributes>>>,
    /// Attributes say that somebody is told of changes, or that entries expire.
    changes_are_told: Cell<bool>,
    /// Loops that are running over it: places of entries stay.
    loops: Cell<u32>,
    /// Whether the list of tables with a lifetime has it.
    pub is_watched: Cell<bool>,
    /// Changes whenever entries are added, removed or replaced.
    pub version: Cell<u64>,
    /// Whether somebody waits for a change.
    pub watch: TableWatch,
}

impl core::default::Default for TypeId {
    fn default() -> Self {
        Self::ERROR
    }
}

impl TableValue {
    /// Returns an empty table.
    pub fn new(ty: TypeId) -> Self {
        let new = Self::default();
        new.ty.set(ty);
        new
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.inner.try_borrow().map_or(0, |inner| inner.places.len())
    }

    /// Returns whether a loop runs over the table.
    pub fn is_looped(&self) -> bool {
        self.loops.get() > 0
    }

    /// Returns whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the attributes.
    pub fn attributes(&self) -> Option<Rc<Attributes>> {
        self.attributes.try_borrow().ok().and_then(|attributes| attributes.clone())
    }

    /// Sets the attributes.
    pub fn set_attributes(&self, attributes: Option<Rc<Attributes>>) {
        let told = |attributes: &Rc<Attributes>| {
            attributes.expiry != Expiry::Never || attributes.on_change.is_some()
        };
        self.changes_are_told.set(attributes.as_ref().is_some_and(told));
        if let Ok(mut own) = self.attributes.try_borrow_mut() {
            *own = attributes;
        }
    }

    /// Returns the value of an index; [`Value::Unset`] is the value of a set's members.
    pub fn find(&self, index: &Value) -> Option<Value> {
        let inner = self.inner.try_borrow().ok()?;
        let place = inner.place(index)?;
        inner.entry(place).map(|entry| entry.value.clone())
    }

    /// Copies the value of an index into a slot; `None` where there is none.
    #[inline]
    pub(crate) fn read(&self, index: &Value, into: &mut Value) -> Option<()> {
        let inner = self.inner.try_borrow().ok()?;
        let entry = inner.entry(inner.place(index)?)?;
        if !entry.value.is_set() {
            return None;
        }
        into.assign(&entry.value);
        Some(())
    }

    /// Returns whether the index is present.
    pub fn contains(&self, index: &Value) -> bool {
        self.inner.try_borrow().is_ok_and(|inner| inner.place(index).is_some())
    }

    /// Sets the time from which the life of an entry is counted.
    pub fn touch(&self, index: &Value, now: f64) {
        let Ok(mut inner) = self.inner.try_borrow_mut() else { return };
        if let Some(place) = inner.place(index)
            && let Some(entry) = inner.entry_mut(place)
        {
            entry.at = now;
        }
    }

    /// Returns the time from which the life of an entry is counted.
    pub fn age(&self, index: &Value) -> Option<f64> {
        let inner = self.inner.try_borrow().ok()?;
        let place = inner.place(index)?;
        inner.entry(place).map(|entry| entry.at)
    }

    /// Replaces the value of an entry that is there and is a scalar, of a table that tells nobody of changes and whose
    /// entries do not expire; `None` where it is another one.
    pub(crate) fn replace(&self, index: &Value, value: &Value) -> Option<()> {
        if self.changes_are_told.get() {
            return None;
        }
        let mut inner = self.inner.try_borrow_mut().ok()?;
        let place = inner.place(index)?;
        let entry = inner.entry_mut(place)?;
        if !entry.value.is_scalar() {
            return None;
        }
        entry.value.assign(value);
        self.changed(entry.hash);
        Some(())
    }

    fn changed(&self, hash: u64) {
        self.version.set(self.version.get().wrapping_add(1));
        self.watch.changed(self, hash);
    }

    /// Puts an entry; returns the value that it replaces.
    pub fn insert(&self, key: Key, value: Value, at: f64) -> Option<Value> {
        let Ok(mut inner) = self.inner.try_borrow_mut() else { return None };
        let hash = Key::hash_of(&key.0);
        self.changed(hash);
        if let Some(place) = inner.place_by(hash, &key.0)
            && let Some(entry) = inner.entry_mut(place)
        {
            entry.at = at;
            return Some(std::mem::replace(&mut entry.value, value));
        }
        if self.loops.get() == 0 && inner.slots.len() > 32 && inner.places.len() * 2 < inner.slots.len() {
            inner.compact();
        }
        let place = u32::try_from(inner.slots.len()).unwrap_or(u32::MAX);
        match key.parts().first() {
            Some(Value::Subnet(network)) => inner.count_prefix(network.length, 1),
            Some(Value::Pattern(_)) => inner.patterns += 1,
            _ => {}
        }
        release::grow(1);
        inner.slots.push(Slot::Held(Entry { key, value, at, hash }));
        let Inner { slots, places, .. } = &mut *inner;
        places.insert_unique(hash, place, |place| entry_at(slots, *place).map_or(0, |entry| entry.hash));
        None
    }

    /// Removes an entry and returns it.
    pub fn remove(&self, index: &Value) -> Option<Entry> {
        let mut inner = self.inner.try_borrow_mut().ok()?;
        let hash = Key::hash_of(index);
        let Inner { slots, places, .. } = &mut *inner;
        let found = places.find_entry(hash, |place| {
            entry_at(slots, *place)
                .is_some_and(|entry| entry.hash == hash && Key::equals(&entry.key.0, index))
        });
        let place = found.ok()?.remove().0;
        let slot = slots.get_mut(place as usize)?;
        let Slot::Held(entry) = std::mem::replace(slot, Slot::Gap(place.saturating_add(1))) else {
            return None;
        };
        match entry.key.parts().first() {
            Some(Value::Subnet(network)) => inner.count_prefix(network.length, -1),
            Some(Value::Pattern(_)) => inner.patterns = inner.patterns.saturating_sub(1),
            _ => {}
        }
        release::shrink(1);
        self.changed(hash);
        Some(entry)
    }

    /// Removes all entries.
    pub fn clear(&self) {
        release::shrink(self.len());
        let old = self.inner.try_borrow_mut().map(|mut inner| {
            if self.loops.get() == 0 {
                return std::mem::take(&mut *inner);
            }
            inner.places.clear();
            inner.prefixes = None;
            let end = u32::try_from(inner.slots.len()).unwrap_or(u32::MAX);
            let gone = inner.slots.iter_mut().map(|slot| std::mem::replace(slot, Slot::Gap(end))).collect();
            Inner { slots: gone, ..Inner::default() }
        });
        self.version.set(self.version.get().wrapping_add(1));
        self.watch.cleared(self);
        drop(old);
    }

    /// Calls `see` with each entry, in order, until it returns false. The table must not be changed meanwhile.
    pub fn each(&self, mut see: impl FnMut(&Entry) -> bool) -> bool {
        self.inner.try_borrow().is_ok_and(|inner| match inner.order() {
            Some(places) => places.into_iter().filter_map(|place| inner.entry(place)).all(&mut see),
            None => inner.entries().all(&mut see),
        })
    }

    /// Returns copies of all entries, in order.
    pub fn entries(&self) -> Vec<Entry> {
        let mut all = Vec::with_capacity(self.len());
        self.each(|entry| {
            all.push(entry.clone());
            true
        });
        all
    }

    /// Returns all indices, in order.
    pub fn keys(&self) -> Vec<Key> {
        let mut all = Vec::with_capacity(self.len());
        self.each(|entry| {
            all.push(entry.key.clone());
            true
        });
        all
    }

    /// Returns whether entries have patterns as indices.
    pub fn has_patterns(&self) -> bool {
        self.inner.try_borrow().is_ok_and(|inner| inner.patterns > 0)
    }

    /// Returns the lengths of prefixes of the table's networks, longest first.
    pub fn prefix_lengths(&self) -> Vec<u8> {
        let Ok(inner) = self.inner.try_borrow() else { return Vec::new() };
        let Some(counts) = &inner.prefixes else { return Vec::new() };
        (0..=128u8)
            .rev()
            .filter(|length| counts.get(usize::from(*length)).is_some_and(|count| *count > 0))
            .collect()
    }
}

/// Returns the entry at a place.
fn entry_at(slots: &[Slot], place: u32) -> Option<&Entry> {
    slots.get(place as usize)?.entry()
}

impl Inner {
    /// Returns the places of entries in the order that seeds give them, where there are seeds.
    fn order(&self) -> Option<Vec<u32>> {
        if !super::order::is_followed() || self.places.len() > super::order::MOST {
            return None;
        }
        let held: Vec<u32> =
            (0u32..).zip(&self.slots).filter_map(|(at, slot)| slot.entry().map(|_| at)).collect();
        let keys = held.iter().filter_map(|place| self.entry(*place)).map(|entry| &entry.key);
        let order = super::order::order(keys)?;
        Some(order.into_iter().filter_map(|at| held.get(at).copied()).collect())
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().filter_map(Slot::entry)
    }

    fn entry(&self, place: u32) -> Option<&Entry> {
        entry_at(&self.slots, place)
    }

    fn entry_mut(&mut self, place: u32) -> Option<&mut Entry> {
        self.slots.get_mut(place as usize)?.entry_mut()
    }

    /// Returns the place of the first entry from `from` on. Gaps that were passed lead there at once the next time, so that a
    /// loop that takes the oldest entry away, again and again, passes each gap a few times and not each time.
    fn next_entry(&mut self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(Slot::Gap(next)) = self.slots.get(at) {
            at = *next as usize;
        }
        let mut passed = from;
        while let Some(Slot::Gap(next)) = self.slots.get_mut(passed) {
            passed = std::mem::replace(next, at as u32) as usize;
        }
        (at < self.slots.len()).then_some(at)
    }

    #[inline]
    fn place(&self, index: &Value) -> Option<u32> {
        match index {
            Value::Count(number) => self.place_where(
                || Key::hash_of_count(*number),
                |key| match key {
                    Value::Count(known) => known == number,
                    other => Key::equals(other, index),
                },
            ),
            Value::String(text) => self.place_where(
                || Key::hash_of(index),
                |key| match key {
                    Value::String(known) => known == text,
                    other => Key::equals(other, index),
                },
            ),
            _ => self.place_where(|| Key::hash_of(index), |key| Key::equals(key, index)),
        }
    }

    #[inline(always)]
    fn place_where(&self, hash: impl Fn() -> u64, is_meant: impl Fn(&Value) -> bool) -> Option<u32> {
        // What is read is often written next.
        let last = self.last.get();
        if self.entry(last).is_some_and(|entry| is_meant(&entry.key.0)) {
            return Some(last);
        }
        if self.places.is_empty() {
            return None;
        }
        let hash = hash();
        let is_there = |place: &u32| {
            self.entry(*place).is_some_and(|entry| entry.hash == hash && is_meant(&entry.key.0))
        };
        let place = *self.places.find(hash, is_there)?;
        self.last.set(place);
        Some(place)
    }

    fn place_by(&self, hash: u64, index: &Value) -> Option<u32> {
        let is_meant = |place: &u32| {
            self.entry(*place).is_some_and(|entry| entry.hash == hash && Key::equals(&entry.key.0, index))
        };
        self.places.find(hash, is_meant).copied()
    }

    fn count_prefix(&mut self, length: u8, by: i32) {
        let counts = self.prefixes.get_or_insert_with(|| Box::new([0; 129]));
        if let Some(count) = counts.get_mut(usize::from(length)) {
            *count = count.saturating_add_signed(by);
        }
    }

    fn compact(&mut self) {
        self.slots.retain(|slot| slot.entry().is_some());
        self.places.clear();
        let Self { slots, places, .. } = self;
        let hash_at = |place: &u32| entry_at(slots, *place).map_or(0, |entry| entry.hash);
        for (place, entry) in slots.iter().filter_map(Slot::entry).enumerate() {
            places.insert_unique(entry.hash, u32::try_from(place).unwrap_or(u32::MAX), hash_at);
        }
    }
}

impl Drop for TableValue {
    fn drop(&mut self) {
        let inner = std::mem::take(self.inner.get_mut());
        release::shrink(inner.places.len());
        let entries = inner.slots.into_iter().filter_map(|slot| match slot {
            Slot::Held(entry) => Some(entry.value),
            Slot::Gap(_) => None,
        });
        release::release(entries.collect());
    }
}

/// The place of a loop over a container.
#[derive(Debug)]
pub enum Cursor {
    /// Over a table.
    Table {
        /// The table.
        table: Rc<TableValue>,
        /// The next place.
        next: usize,
        /// Places of the entries that were there when the loop began, where seeds give them an order.
        order: Option<Vec<u32>>,
    },
    /// Over a vector.
    Vector {
        /// The elements as they were when the loop began.
        vector: Rc<super::VectorValue>,
        /// The next place.
        next: usize,
    },
    /// Over a string.
    String {
        /// The string.
        bytes: Rc<[u8]>,
        /// The next place.
        next: usize,
    },
}

impl Cursor {
    /// Returns a loop over a table, from its first entry.
    pub fn over(table: Rc<TableValue>) -> Self {
        table.loops.set(table.loops.get() + 1);
        let order = table.inner.try_borrow().ok().and_then(|inner| inner.order());
        Self::Table { table, next: 0, order }
    }

    /// Returns the next index and value.
    pub fn step(&mut self) -> Option<(Value, Value)> {
        match self {
            Self::Table { table, next, order: Some(order) } => {
                let inner = table.inner.try_borrow().ok()?;
                let entry = order.get(*next..)?.iter().enumerate().find_map(|(at, place)| {
                    let entry = inner.entry(*place)?;
                    *next += at + 1;
                    Some(entry)
                })?;
                Some((entry.key.shown(), entry.value.clone()))
            }
            Self::Table { table, next, order: None } => {
                let mut inner = table.inner.try_borrow_mut().ok()?;
                let place = inner.next_entry(*next)?;
                *next = place + 1;
                let entry = inner.slots.get(place)?.entry()?;
                Some((entry.key.shown(), entry.value.clone()))
            }
            Self::Vector { vector, next } => loop {
                let element = vector.get(*next)?;
                let place = *next as u64;
                *next += 1;
                if element.is_set() {
                    return Some((Value::Count(place), element));
                }
            },
            Self::String { bytes, next } => {
                let byte = *bytes.get(*next)?;
                *next += 1;
                let letter = Value::string([byte]);
                Some((letter, Value::Unset))
            }
        }
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        if let Self::Table { table, .. } = self {
            table.loops.set(table.loops.get().saturating_sub(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_testkit::Random;

    use super::*;

    /// Entries that loops show, of a table and of a list, while some are added and the first ones taken.
    #[test]
    fn entries_are_found_by_indices_of_each_kind() {
        let kinds: [fn(u64) -> Value; 4] = [
            Value::Count,
            |number| Value::Int(number as i64),
            |number| Value::string(&*number.to_string()),
            |number| Value::Double(number as f64),
        ];
        for kind in kinds {
            let table = TableValue::default();
            for number in 0..300 {
                let index = kind(number);
                assert!(!table.contains(&index), "{index:?}");
                table.insert(Key::new(&index), Value::Count(number), 0.0);
            }
            for number in 0..300 {
                let index = kind(number);
                assert!(
                    matches!(table.find(&index), Some(Value::Count(found)) if found == number),
                    "{index:?}"
                );
                assert_eq!(table.replace(&index, &Value::Count(number + 1)), Some(()), "{index:?}");
            }
            assert!(!table.contains(&kind(300)));
        }
    }

    #[test]
    fn loops_show_what_is_left_in_order() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let table = Rc::new(TableValue::new(TypeId::ERROR));
            let mut model: Vec<u64> = Vec::new();
            for number in 0..2_000u64 {
                match random.below(4) {
                    0 | 1 => {
                        table.insert(Key(Value::Count(number)), Value::Unset, 0.0);
                        model.push(number);
                    }
                    2 if !model.is_empty() => {
                        let at = random.below(model.len() as u64) as usize;
                        assert!(table.remove(&Value::Count(model.remove(at))).is_some());
                    }
                    _ => {
                        let mut cursor = Cursor::over(table.clone());
                        for wanted in model.drain(..model.len().min(3)) {
                            let (key, _) = cursor.step().expect("an entry");
                            assert_eq!(key.count(), wanted, "seed {seed}");
                            table.remove(&key);
                        }
                    }
                }
            }
            let mut cursor = Cursor::over(table.clone());
            let shown: Vec<u64> = std::iter::from_fn(|| cursor.step()).map(|(key, _)| key.count()).collect();
            assert_eq!((shown, table.len()), (model.clone(), model.len()), "seed {seed}");
        }
    }
}
