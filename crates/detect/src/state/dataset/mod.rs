//! Datasets: large sets of values that rules test buffers against, and add to. Rules on different flows,
//! and workers, share them; a set is divided so that they seldom wait for one another.

mod file;
mod json;
mod kind;
mod objects;
mod row;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use hashbrown::HashMap;

pub use self::json::JsonFormat;
pub use self::kind::DataKind;
use self::objects::Objects;

/// Parts of a set that are locked on their own.
const SHARDS: usize = 16;

/// Bytes that a row of the table of a set counts for in its limit.
const ROW_COST: u64 = 64;

/// Bytes that an entry counts for beside its own.
const ENTRY_COST: u64 = 104;

/// Entries that a set counts from the beginning.
const RESERVED_ENTRIES: u64 = 1000;

/// Settings of datasets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetSettings {
    /// Bytes of a set without its own limit.
    pub memcap: u64,
    /// Rows of a set without its own number.
    pub hash_size: u32,
    /// Most rows of a set.
    pub single_hash_size_limit: u32,
    /// Most rows of all sets.
    pub total_hash_size_limit: u32,
    /// Rules may have sets written.
    pub rules_may_write: bool,
    /// Rules may have sets written to files outside the data folder.
    pub rules_may_use_absolute_paths: bool,
    /// The folder of sets that are kept between runs.
    pub data_folder: PathBuf,
}

impl Default for DatasetSettings {
    fn default() -> Self {
        Self {
            memcap: 100 << 20,
            hash_size: 4096,
            single_hash_size_limit: 65_536,
            total_hash_size_limit: 16_777_216,
            rules_may_write: true,
            rules_may_use_absolute_paths: false,
            data_folder: PathBuf::new(),
        }
    }
}

/// Description of a set by a rule or the configuration.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Kind of its values; a set that is known already needs none.
    pub kind: Option<DataKind>,
    /// The file that it begins with.
    pub load: Option<PathBuf>,
    /// The file that it is written to in the end.
    pub save: Option<PathBuf>,
    /// Most bytes.
    pub memcap: Option<u64>,
    /// Rows.
    pub hash_size: Option<u32>,
    /// Form of its file's JSON, if it is JSON.
    pub json: Option<JsonFormat>,
}

/// Values with their reputation; those of a set of JSON with the number of their object.
type Shard = RwLock<HashMap<Box<[u8]>, u32>>;

/// Outcome for a value that was to be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addition {
    /// It is in the set now.
    New,
    /// It is there already, or is none that the set can have.
    Refused,
    /// The set has reached its memory.
    NoRoom,
}

/// One set.
#[derive(Debug)]
pub struct Dataset {
    name: String,
    kind: DataKind,
    memcap: u64,
    hash_size: u32,
    load: Option<PathBuf>,
    save: Option<PathBuf>,
    /// Some rule puts values in or takes them out.
    changes: AtomicBool,
    used: AtomicU64,
    entries: AtomicU64,
    json: Option<JsonFormat>,
    /// The objects of a set of JSON; locked before a shard is.
    objects: RwLock<Objects>,
    shards: [Shard; SHARDS],
}

impl Dataset {
    fn new(name: &str, kind: DataKind, memcap: u64, hash_size: u32, wanted: &Description) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            memcap,
            hash_size,
            load: wanted.load.clone(),
            save: wanted.save.clone(),
            changes: AtomicBool::new(false),
            used: AtomicU64::new(u64::from(hash_size) * ROW_COST + RESERVED_ENTRIES * ENTRY_COST),
            entries: AtomicU64::new(0),
            json: wanted.json.clone(),
            objects: RwLock::default(),
            shards: Default::default(),
        }
    }

    fn shard(&self, key: &[u8]) -> Option<&Shard> {
        let sum =
            key.iter().fold(key.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
        self.shards.get(sum % SHARDS)
    }

    /// An error where another description names other files; one that names none takes the set as it is.
    fn check_files(&self, wanted: &Description) -> Result<(), String> {
        if wanted.save.is_none() && wanted.load.is_none() {
            return Ok(());
        }
        for (what, own, other) in [("save", &self.save, &wanted.save), ("load", &self.load, &wanted.load)] {
            if own != other {
                return Err(format!(
                    "dataset {} {what} mismatch: {} != {}",
                    self.name,
                    shown(own),
                    shown(other)
                ));
            }
        }
        Ok(())
    }

    /// A rule was loaded that puts values in or takes them out.
    pub fn expect_changes(&self) {
        self.changes.store(true, Ordering::Relaxed);
    }

    /// Whether some rule puts values in or takes them out.
    pub fn may_change(&self) -> bool {
        self.changes.load(Ordering::Relaxed)
    }

    /// The kind of its values.
    pub fn kind(&self) -> DataKind {
        self.kind
    }

    /// Whether its values have objects of JSON; rules put nothing into such a set.
    pub fn has_objects(&self) -> bool {
        self.json.is_some()
    }

    /// The JSON of a value; none where it is not in the set, or the set has none.
    pub fn object(&self, value: &[u8]) -> Option<Arc<str>> {
        if !self.has_objects() {
            return None;
        }
        let objects = self.objects.read().unwrap_or_else(PoisonError::into_inner);
        objects.get(self.find(value)?)
    }

    /// Adds a value with an object, which is written without blanks.
    fn add_object(&self, value: &[u8], json: Arc<str>) -> Addition {
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        let cost = objects::cost(&json);
        let Some(number) = objects.put(json) else { return Addition::NoRoom };
        let added = self.insert(value, number, cost);
        if added != Addition::New {
            objects.remove(number);
        }
        added
    }

    /// The reputation of a value, or the number of its object; none where it is not in the set.
    pub fn find(&self, value: &[u8]) -> Option<u32> {
        let mut room = [0; kind::LONGEST_ADDRESS];
        let key = self.kind.key(value, &mut room)?;
        let shard = self.shard(key)?.read().unwrap_or_else(PoisonError::into_inner);
        shard.get(key).copied()
    }

    /// Adds a value.
    pub fn add(&self, value: &[u8], reputation: u16) -> Addition {
        if self.has_objects() { Addition::Refused } else { self.insert(value, reputation.into(), 0) }
    }

    /// Adds a value with a number, where `more` bytes belong to the value.
    fn insert(&self, value: &[u8], number: u32, more: u64) -> Addition {
        let mut room = [0; kind::LONGEST_ADDRESS];
        let Some(key) = self.kind.key(value, &mut room) else { return Addition::Refused };
        let Some(shard) = self.shard(key) else { return Addition::Refused };
        let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
        if shard.contains_key(key) {
            return Addition::Refused;
        }
        if !self.take_room(key, more) {
            return Addition::NoRoom;
        }
        shard.insert(key.into(), number);
        Addition::New
    }

    fn cost(&self, key: &[u8], entries: u64) -> u64 {
        let own = if self.kind == DataKind::Text { key.len() as u64 } else { 0 };
        own + if entries >= RESERVED_ENTRIES { ENTRY_COST } else { 0 }
    }

    fn take_room(&self, key: &[u8], more: u64) -> bool {
        let cost = self.cost(key, self.entries.load(Ordering::Relaxed)) + more;
        if self.used.fetch_add(cost, Ordering::Relaxed) + cost > self.memcap {
            self.used.fetch_sub(cost, Ordering::Relaxed);
            return false;
        }
        self.entries.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Takes a value out; true where it was there.
    pub fn remove(&self, value: &[u8]) -> bool {
        let mut room = [0; kind::LONGEST_ADDRESS];
        let Some(key) = self.kind.key(value, &mut room) else { return false };
        let Some(shard) = self.shard(key) else { return false };
        let mut objects =
            self.json.is_some().then(|| self.objects.write().unwrap_or_else(PoisonError::into_inner));
        let found = shard.write().unwrap_or_else(PoisonError::into_inner).remove(key);
        if let Some(number) = found {
            let left = self.entries.fetch_sub(1, Ordering::Relaxed) - 1;
            let more = objects.as_mut().map_or(0, |objects| objects.remove(number));
            self.used.fetch_sub(self.cost(key, left) + more, Ordering::Relaxed);
        }
        found.is_some()
    }

    /// Reads a value as files have it; the error says what it is not.
    pub fn read(&self, text: &str) -> Result<Vec<u8>, &'static str> {
        self.kind.read(text)
    }

    /// Takes all values out.
    pub fn clear(&self) {
        let mut objects = self.objects.write().unwrap_or_else(PoisonError::into_inner);
        for shard in &self.shards {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            for (key, number) in shard.drain() {
                let left = self.entries.fetch_sub(1, Ordering::Relaxed) - 1;
                let more = if self.has_objects() { objects.remove(number) } else { 0 };
                self.used.fetch_sub(self.cost(&key, left) + more, Ordering::Relaxed);
            }
        }
        *objects = Objects::default();
    }

    /// Whether nothing more goes in.
    fn is_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.memcap
    }

    /// All values as text, row by row.
    fn lines(&self) -> Vec<u8> {
        let mut all: Vec<(u32, Box<[u8]>)> = Vec::new();
        for shard in &self.shards {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            all.extend(shard.keys().map(|key| (row::row(key, self.hash_size), key.clone())));
        }
        all.sort_unstable();
        let mut text = Vec::new();
        for (_, key) in all {
            self.kind.write(&key, &mut text);
            text.push(b'\n');
        }
        text
    }
}

/// Sets that are kept in files, of all tenants. A file has one set, whatever tenants name it: rules that name the same
/// file share what it holds.
#[derive(Debug, Default)]
pub struct KeptSets(Mutex<Vec<Weak<Dataset>>>);

impl KeptSets {
    /// The set of a file.
    fn of(&self, file: &Path) -> Option<Arc<Dataset>> {
        self.sets().iter().filter_map(Weak::upgrade).find(|set| set.save.as_deref() == Some(file))
    }

    fn add(&self, set: &Arc<Dataset>) {
        let mut sets = self.sets();
        sets.retain(|set| set.strong_count() > 0);
        sets.push(Arc::downgrade(set));
    }

    fn sets(&self) -> MutexGuard<'_, Vec<Weak<Dataset>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A path as text, nothing where there is none.
fn shown(path: &Option<PathBuf>) -> String {
    path.as_deref().unwrap_or(Path::new("")).display().to_string()
}

/// All sets.
#[derive(Debug, Default)]
pub struct Datasets {
    settings: DatasetSettings,
    /// Those of all tenants that are kept in files, where there are tenants.
    of_all: Option<Arc<KeptSets>>,
    sets: Mutex<Vec<Arc<Dataset>>>,
    /// So many of them, the first, are of earlier rules: they are as those described them.
    kept: usize,
    notices: Mutex<Vec<String>>,
}

impl Datasets {
    /// No sets yet.
    pub fn new(settings: DatasetSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The sets of rules that take the place of others: sets that change and last stay as they are, and those that
    /// only have what a file says are read again.
    pub fn after(settings: DatasetSettings, previous: &Self) -> Self {
        let sets = previous.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let lasts = |set: &&Arc<Dataset>| set.save.is_some() || set.load.is_none();
        let sets: Vec<Arc<Dataset>> = sets.iter().filter(lasts).map(Arc::clone).collect();
        Self { settings, kept: sets.len(), sets: Mutex::new(sets), ..Self::default() }
    }

    /// These sets, which share those that are kept in files with the sets of other tenants.
    #[must_use]
    pub fn among(self, of_all: Option<Arc<KeptSets>>) -> Self {
        Self { of_all, ..self }
    }

    /// Adds the set of this name of `others`, unless there is one.
    pub fn adopt(&self, name: &str, others: &Self) {
        let found = others.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(set) = found.iter().find(|set| set.name == name).map(Arc::clone) else { return };
        drop(found);
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.iter().all(|known| known.name != name) {
            sets.push(set);
        }
    }

    /// The settings.
    pub fn settings(&self) -> &DatasetSettings {
        &self.settings
    }

    /// The set of that name, made and filled where it is not there yet.
    pub fn open(&self, name: &str, wanted: &Description) -> Result<Arc<Dataset>, String> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = sets.iter().position(|set| set.name == name)
            && let Some(known) = sets.get(place)
        {
            if wanted.kind.is_some_and(|kind| kind != known.kind) {
                return Err(format!(
                    "dataset {name} already exists and is of another type ({})",
                    known.kind.name()
                ));
            }
            if place >= self.kept {
                known.check_files(wanted)?;
            }
            if wanted.json.is_some() && wanted.json != known.json {
                return Err(format!("dataset {name} already exists and is of another format"));
            }
            return Ok(Arc::clone(known));
        }
        let Some(kind) = wanted.kind else {
            return Err(format!("dataset {name} not defined: give it a type"));
        };
        let of_all = self.of_all.as_deref().zip(wanted.save.as_deref());
        if let Some(known) = of_all.and_then(|(of_all, file)| of_all.of(file)) {
            if known.kind != kind {
                let (file, other) = (shown(&known.save), known.kind.name());
                return Err(format!("dataset {name}: the set of {file} is of another type ({other})"));
            }
            sets.push(Arc::clone(&known));
            return Ok(known);
        }
        let hash_size = wanted.hash_size.unwrap_or(self.settings.hash_size);
        let most = self.settings.single_hash_size_limit;
        if most > 0 && hash_size > most {
            return Err(format!(
                "hashsize {hash_size} in dataset '{name}' exceeds configured 'single-hashsize' limit ({most})"
            ));
        }
        let used = sets.iter().fold(0u32, |used, set| used.saturating_add(set.hash_size));
        let most = self.settings.total_hash_size_limit;
        if most > 0 && used.saturating_add(hash_size) > most {
            return Err(format!(
                "hashsize {hash_size} in dataset '{name}' exceeds configured 'total-hashsizes' limit ({most}, in use {used})"
            ));
        }
        let memcap = wanted.memcap.unwrap_or(self.settings.memcap);
        let set = Arc::new(Dataset::new(name, kind, memcap, hash_size, wanted));
        if let Some((of_all, _)) = of_all {
            // Rules of other tenants may come to change it.
            set.expect_changes();
            of_all.add(&set);
        }
        // A set whose file is damaged is known from then on: the file is complained about once.
        sets.push(Arc::clone(&set));
        if let Some(path) = &wanted.load {
            match &wanted.json {
                Some(format) => json::load(&set, format, path)?,
                None => file::load(&set, path)?,
            }
        }
        Ok(set)
    }

    /// The set of that name and kind, if a rule or the configuration made it.
    pub fn named(&self, name: &str, kind: DataKind) -> Option<Arc<Dataset>> {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.iter().find(|set| set.name == name && set.kind == kind).map(Arc::clone)
    }

    /// Something worth telling about a rule's sets.
    pub fn note(&self, sentence: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(sentence);
    }

    /// Returns the sentences there are to tell, once.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The files of sets that are to be kept.
    pub fn kept(&self) -> Vec<PathBuf> {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.iter().filter_map(|set| set.save.clone()).collect()
    }

    /// Writes the sets that are to be kept; gives the files that could not be written, as sentences.
    pub fn save(&self) -> Vec<String> {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = sets.iter().filter_map(|set| Some((set, set.save.as_ref()?)));
        kept.filter_map(|(set, path)| {
            let error = std::fs::write(path, set.lines()).err()?;
            Some(format!("The dataset {} cannot be written to {}: {error}.", set.name, path.display()))
        })
        .collect()
    }

    /// Where a file of that name to read is: in the data folder, or else in the folder that the program was started in.
    pub fn readable(&self, name: &str) -> PathBuf {
        let path = self.settings.data_folder.join(name);
        if path.exists() { path } else { name.into() }
    }

    /// Where a rule's file to write is: in the data folder unless it says otherwise and may.
    pub fn writable(&self, name: &str) -> Result<PathBuf, String> {
        if !self.settings.rules_may_write {
            return Err("Rules containing save/state datasets have been disabled".to_owned());
        }
        let path = Path::new(name);
        let foreign = name.as_bytes().get(1) == Some(&b':') && cfg!(windows);
        if self.settings.rules_may_use_absolute_paths {
            self.note(format!("Allowing absolute filename for dataset rule: {name}"));
        } else if path.is_absolute() || foreign {
            return Err(format!("Absolute paths not allowed: {name}"));
        } else if name.split(['/', '\\']).any(|part| part == "..") {
            return Err(format!("Directory traversals not allowed: {name}"));
        }
        // An absolute path stays what it is.
        Ok(self.settings.data_folder.join(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(memcap: u64, hash_size: u32) -> Dataset {
        Dataset::new("seen", DataKind::Text, memcap, hash_size, &Description::default())
    }

    #[test]
    fn values_come_and_go() {
        let set = set(1 << 20, 1);
        assert_eq!([set.add(b"b", 3), set.add(b"a", 0)], [Addition::New; 2]);
        assert_eq!(set.add(b"b", 4), Addition::Refused, "is there already");
        assert_eq!([set.find(b"b"), set.find(b"c")], [Some(3), None]);
        assert_eq!(set.lines(), b"YQ==\nYg==\n");
        assert!(set.remove(b"b") && !set.remove(b"b"));
        assert_eq!(set.lines(), b"YQ==\n");
    }

    #[test]
    fn sets_that_last_outlive_their_rules() {
        let before = Datasets::default();
        let file = std::env::temp_dir().join(format!("weir-lasting-sets-{}", std::process::id()));
        std::fs::write(&file, "YQ==\n").expect("a file");
        let open = |sets: &Datasets, name: &str, load: bool, save: bool| {
            let path = |there: bool| there.then(|| file.clone());
            let kind = Some(DataKind::Text);
            let wanted = Description { kind, load: path(load), save: path(save), ..Description::default() };
            sets.open(name, &wanted).expect("a set")
        };
        for (name, load, save) in [("loaded", true, false), ("state", false, true), ("memory", false, false)]
        {
            assert_eq!(open(&before, name, load, save).add(b"b", 0), Addition::New);
        }
        let after = Datasets::after(DatasetSettings::default(), &before);
        // The file of a set that is kept may be there by now.
        for (name, load, save, kept) in
            [("loaded", true, false, false), ("state", true, true, true), ("memory", false, false, true)]
        {
            let set = open(&after, name, load, save);
            assert_eq!([set.find(b"b").is_some(), set.find(b"a").is_some()], [kept, load && !save], "{name}");
        }
        std::fs::remove_file(&file).expect("the file goes");
    }

    #[test]
    fn a_full_set_takes_no_more() {
        let set = set(104_064 + 3, 1);
        assert_eq!(set.add(b"abc", 0), Addition::New);
        assert_eq!(set.add(b"d", 0), Addition::NoRoom);
        assert!(set.remove(b"abc") && set.add(b"d", 0) == Addition::New);
    }

    #[test]
    fn sets_are_described_once_and_have_limits() {
        let sets = Datasets::new(DatasetSettings {
            hash_size: 8,
            single_hash_size_limit: 16,
            total_hash_size_limit: 20,
            ..DatasetSettings::default()
        });
        let text = |load: Option<&str>, save: Option<&str>, hash_size: Option<u32>| Description {
            kind: Some(DataKind::Text),
            load: load.map(PathBuf::from),
            save: save.map(PathBuf::from),
            hash_size,
            ..Description::default()
        };
        let cases = [
            ("a", text(None, Some("a.lst"), None), Ok(())),
            ("a", text(None, None, None), Ok(())),
            ("a", Description::default(), Ok(())),
            ("a", text(None, Some("b.lst"), None), Err("dataset a save mismatch: a.lst != b.lst")),
            ("a", text(Some("a.lst"), Some("a.lst"), None), Err("dataset a load mismatch:  != a.lst")),
            ("b", Description::default(), Err("dataset b not defined: give it a type")),
            (
                "b",
                text(None, None, Some(17)),
                Err("hashsize 17 in dataset 'b' exceeds configured 'single-hashsize' limit (16)"),
            ),
            (
                "b",
                text(None, None, Some(13)),
                Err("hashsize 13 in dataset 'b' exceeds configured 'total-hashsizes' limit (20, in use 8)"),
            ),
            ("b", text(None, None, Some(12)), Ok(())),
        ];
        for (name, wanted, expected) in cases {
            let opened = sets.open(name, &wanted).map(|_| ());
            assert_eq!(opened, expected.map_err(str::to_owned), "{name} {wanted:?}");
        }
    }

    #[test]
    fn state_of_each_type_is_what_was_loaded() {
        let folder = std::env::temp_dir().join(format!("weir-datasets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let sha256 = "00".repeat(31) + "ff";
        for (kind, loaded, added, written) in [
            (DataKind::Text, "YWJj\n", &b"d"[..], "YWJj\nZA==\n".to_owned()),
            (
                DataKind::Md5,
                "000102030405060708090a0b0c0d0e0f\n",
                &[255; 16],
                format!("000102030405060708090a0b0c0d0e0f\n{}\n", "ff".repeat(16)),
            ),
            (
                DataKind::Sha256,
                &*format!("{sha256}\n"),
                &[255; 32],
                format!("{sha256}\n{}\n", "ff".repeat(32)),
            ),
            (DataKind::Ipv4, "10.0.0.1\n", &[10, 0, 0, 2], "10.0.0.1\n10.0.0.2\n".to_owned()),
            (
                DataKind::Ip,
                "10.0.0.1\n2001:db8::1\n",
                &[10, 0, 0, 2],
                "::ffff:10.0.0.1\n::ffff:10.0.0.2\n2001:db8::1\n".to_owned(),
            ),
        ] {
            let file = folder.join(kind.name());
            std::fs::write(&file, loaded).unwrap();
            let sets = Datasets::new(DatasetSettings { hash_size: 1, ..DatasetSettings::default() });
            let wanted = Description {
                kind: Some(kind),
                load: Some(file.clone()),
                save: Some(file.clone()),
                ..Description::default()
            };
            let set = sets.open("s", &wanted).unwrap();
            assert_eq!(set.add(added, 0), Addition::New, "{kind:?}");
            assert!(sets.save().is_empty());
            assert_eq!(std::fs::read_to_string(&file).unwrap(), written, "{kind:?}");
            let again = Datasets::new(DatasetSettings::default()).open("s", &wanted).unwrap();
            assert!(again.find(added).is_some(), "{kind:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn files_that_rules_may_write() {
        let cases = [
            (true, false, "a.txt", Ok("/data/a.txt")),
            (true, false, "n/a.txt", Ok("/data/n/a.txt")),
            (true, false, "/a.txt", Err("Absolute paths not allowed: /a.txt")),
            (true, true, "/a.txt", Ok("/a.txt")),
            (true, false, "n/../a.txt", Err("Directory traversals not allowed: n/../a.txt")),
            (true, true, "n/../a.txt", Ok("/data/n/../a.txt")),
            (false, true, "a.txt", Err("Rules containing save/state datasets have been disabled")),
        ];
        for (write, absolute, name, expected) in cases {
            let sets = Datasets::new(DatasetSettings {
                rules_may_write: write,
                rules_may_use_absolute_paths: absolute,
                data_folder: "/data".into(),
                ..DatasetSettings::default()
            });
            assert_eq!(sets.writable(name), expected.map(PathBuf::from).map_err(str::to_owned), "{name}");
        }
    }

    #[test]
    fn a_file_has_one_set_whoever_names_it() {
        let kept = Arc::new(KeptSets::default());
        let tenants = [(); 2].map(|()| Datasets::default().among(Some(Arc::clone(&kept))));
        let [one, other] = &tenants;
        let wanted = |file: Option<&str>, kind| {
            let save = file.map(PathBuf::from);
            Description { kind: Some(kind), save, ..Description::default() }
        };
        for (file, is_same) in [(Some("a.list"), true), (None, false)] {
            let name = file.unwrap_or("own");
            let sets =
                [one, other].map(|sets| sets.open(name, &wanted(file, DataKind::Text)).expect("a set"));
            assert_eq!(Arc::ptr_eq(&sets[0], &sets[1]), is_same, "{file:?}");
            assert_eq!(sets[0].may_change(), is_same, "{file:?}");
        }
        let wrong = other.open("another", &wanted(Some("a.list"), DataKind::Ip)).expect_err("another type");
        assert!(wrong.contains("the set of a.list is of another type"), "{wrong}");
        // What is adopted stays that of others.
        let third = Datasets::default();
        third.adopt("own", one);
        third.adopt("none", one);
        let found = [&third, one].map(|sets| sets.named("own", DataKind::Text));
        assert!(matches!(&found, [Some(adopted), Some(own)] if Arc::ptr_eq(adopted, own)));
    }
}
