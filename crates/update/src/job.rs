//! One update, up to the set that could take the place of the one in use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use weir_base::{Pipes, Unreadable, named_file};

use crate::archive::File;
use crate::companions::Companions;
use crate::complaint::Complaint;
use crate::edits::{Edits, Files};
use crate::fetch::{Fetcher, Origin};
use crate::index::{ADDRESS, Index};
use crate::set::{Edited, RuleSet};
use crate::settings::Wanted;
use crate::source::{LISTS, Source, base_name, has_rules, local, patterns};

/// Longest file of edits, settings or index, in bytes.
pub const MAX_LIST: u64 = 64 << 20;

/// What an update is made from.
pub struct Job<'a> {
    /// Loads and keeps.
    pub fetcher: &'a Fetcher,
    /// Sources, in order.
    pub sources: &'a [Wanted],
    /// Files, folders and patterns of one's own rules.
    pub local: &'a [String],
    /// Patterns of rule files that are left out.
    pub ignore: &'a [String],
    /// The index of sources: a file or an address; OISF's where none is named.
    pub index: Option<&'a str>,
    /// Files of edits.
    pub edits: &'a Files,
}

/// What one source gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// Rule files.
    pub files: usize,
    /// Rules in them, disabled ones with them.
    pub rules: usize,
    /// Whence they are.
    pub origin: Origin,
}

/// A set that could take the place of the one in use.
pub struct Gathered {
    /// The rules.
    pub set: RuleSet,
    /// Files beside them: lists, scripts, data.
    pub beside: BTreeMap<String, Vec<u8>>,
    /// The sources that could be read.
    pub sources: Vec<Given>,
    /// Figures of the edits.
    pub edited: Edited,
    /// What could not be used.
    pub complaints: Vec<Complaint>,
    /// Sources that gave nothing: their rules would be missing.
    pub missing: Vec<Complaint>,
}

impl Job<'_> {
    /// Loads all sources and edits their rules.
    pub fn gather(&self) -> Gathered {
        let mut complaints = Vec::new();
        let mut set = RuleSet::default();
        let (mut sources, mut missing) = (Vec::new(), Vec::new());
        let mut companions = Companions::default();
        let mut lists: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let ignore = patterns(self.ignore, "ignore", &mut complaints);
        for wanted in self.sources {
            let index = || self.index(&mut Vec::new());
            let loaded = Source::find(wanted, &index);
            let loaded = loaded.and_then(|source| source.load(self.fetcher, &mut complaints));
            let (files, origin) = match loaded {
                Ok(loaded) => loaded,
                Err(complaint) => {
                    missing.push(complaint);
                    continue;
                }
            };
            if let Origin::Stale(why) = &origin {
                let text = format!("the rules loaded before are used: {why}.");
                complaints.push(Complaint::new(&wanted.name, text));
            }
            let (rule_files, others): (Vec<File>, Vec<File>) =
                files.into_iter().partition(|file| has_rules(file, &ignore));
            let rules = rule_files.iter().map(|file| set.add(&file.name, &file.bytes, &mut complaints)).sum();
            if rules == 0 {
                complaints
                    .push(Complaint::new(&wanted.name, "no rule is in it. Files of rules end in .rules"));
            }
            sources.push(Given { name: wanted.name.clone(), files: rule_files.len(), rules, origin });
            for file in &others {
                let base = base_name(&file.name);
                if LISTS.contains(&base) {
                    merge(lists.entry(base.to_owned()).or_default(), &file.bytes);
                }
            }
            let names: Vec<String> = rule_files.into_iter().map(|file| file.name).collect();
            companions.add(others, &names);
        }
        let own = local(self.local, &mut complaints);
        if !own.is_empty() {
            let rules = own.iter().map(|file| set.add(&file.name, &file.bytes, &mut complaints)).sum();
            sources.push(Given { name: "local".to_owned(), files: own.len(), rules, origin: Origin::Local });
        }
        let edits = Edits::read(self.edits, &mut complaints);
        let edited = set.edit(&edits, &mut complaints);
        let mut beside = companions.asked(set.rules(), &mut complaints);
        beside.extend(lists);
        Gathered { set, beside, sources, edited, complaints, missing }
    }

    /// The index of sources.
    pub fn index(&self, complaints: &mut Vec<Complaint>) -> Result<Index, Complaint> {
        let name = self.index.unwrap_or(ADDRESS);
        let wanted = Wanted { checksum: Some(false), ..Wanted::named(name) };
        let nothing = || Err(Complaint::new(name, "the index of sources is a file or an address"));
        let source = Source::find(&wanted, &nothing)?;
        let (files, _) = source.load(self.fetcher, complaints)?;
        let file = files.first().ok_or_else(|| Complaint::new(name, "the index is empty"))?;
        Index::read(&file.bytes, name, complaints)
    }
}

/// Reads files of edits; those that are not there are complained of.
pub fn read_files(paths: &[PathBuf], complaints: &mut Vec<Complaint>) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        match read_list(path) {
            Ok(bytes) => files.push((name, bytes)),
            Err(text) => complaints.push(Complaint::new(&name, text)),
        }
    }
    files
}

/// Reads a file of edits or settings; the error is a clause with a remedy.
pub fn read_list(path: &Path) -> Result<Vec<u8>, String> {
    named_file::read(path, Pipes::Refuse, MAX_LIST)
        .map_err(|error| format!("the file is left out: {}.", Unreadable::new(path, &error)))
}

/// Adds the lines of a list that are not in it yet.
fn merge(list: &mut Vec<u8>, bytes: &[u8]) {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end().to_vec()).collect()
    };
    let present: std::collections::HashSet<Vec<u8>> = lines(list).into_iter().collect();
    let is_first = list.is_empty();
    for line in lines(bytes) {
        if is_first || !(line.is_empty() || line.starts_with(b"#") || present.contains(&line)) {
            list.extend_from_slice(&line);
            list.push(b'\n');
        }
    }
    while list.ends_with(b"\n\n") {
        list.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_several_sources_are_one() {
        let mut list = Vec::new();
        merge(&mut list, b"# head\nconfig classification: a,A,1\n\n");
        merge(&mut list, b"# other\nconfig classification: a,A,1\nconfig classification: b,B,2");
        assert_eq!(
            String::from_utf8(list).expect("text"),
            "# head\nconfig classification: a,A,1\nconfig classification: b,B,2\n"
        );
    }
}
