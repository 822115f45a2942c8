//! Sources: where rules are from, and the files that they give.

use std::fs;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use weir_base::{Pipes, Unreadable, named_file};

use crate::archive::{self, File, MAX_ENTRIES, MAX_UNPACKED};
use crate::complaint::Complaint;
use crate::fetch::{Address, Fetcher, MAX_BYTES, Origin};
use crate::index::{Index, expand};
use crate::settings::Wanted;

/// Ending of rule files.
const RULES: &str = ".rules";

/// Lists beside rules that are kept with them.
pub const LISTS: &[&str] = &["classification.config", "reference.config"];

/// Where a source lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A file, an archive or a folder.
    Path(PathBuf),
    /// A server.
    Address(Address),
}

/// A source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name, as people wrote it.
    pub name: String,
    /// Where it lies.
    pub place: Place,
}

impl Source {
    /// Finds what a name means: an address, something on this machine, or a source of the index.
    pub fn find(wanted: &Wanted, index: &dyn Fn() -> Result<Index, Complaint>) -> Result<Self, Complaint> {
        let name = &wanted.name;
        let told = |why: String| Complaint::new(name, format!("the source is left out: {why}."));
        let place = if let Some(path) = name.strip_prefix("file://") {
            Place::Path(path.into())
        } else if name.starts_with("http://") || name.starts_with("https://") {
            let value = |key: &str| wanted.parameters.get(key).map(String::as_str);
            Place::Address(Address {
                url: expand(name, value).map_err(told)?,
                checksum: wanted.checksum.unwrap_or(true),
                header: wanted.header.clone(),
            })
        } else if name.contains("://") {
            return Err(told("addresses begin with http://, https:// or file://".to_owned()));
        } else if Path::new(name).exists() || !may_be_listed(name) {
            Place::Path(name.into())
        } else {
            let index = index()?;
            let Some(listed) = index.sources.get(name) else {
                let near = weir_base::nearest(name, index.sources.keys().map(String::as_str));
                let near = near.map(|near| format!(" Did you mean '{near}'?")).unwrap_or_default();
                return Err(told(format!(
                    "neither a file nor the index has that name.{near} See --list-sources"
                )));
            };
            let mut address = listed.address(&wanted.parameters).map_err(told)?;
            address.checksum = wanted.checksum.unwrap_or(address.checksum);
            address.header.clone_from(&wanted.header);
            Place::Address(address)
        };
        Ok(Self { name: name.clone(), place })
    }

    /// Returns the files of the source and whence they are.
    pub fn load(
        &self,
        fetcher: &Fetcher,
        complaints: &mut Vec<Complaint>,
    ) -> Result<(Vec<File>, Origin), Complaint> {
        let left_out = |why: String| Complaint::new(&self.name, format!("the source is left out: {why}."));
        match &self.place {
            Place::Path(path) if path.is_dir() => {
                folder(path, complaints).map(|files| (files, Origin::Local))
            }
            Place::Path(path) => {
                let bytes = named_file::read(path, Pipes::Read, MAX_BYTES)
                    .map_err(|error| left_out(Unreadable::new(path, &error).to_string()))?;
                archive::unpack(&self.name, bytes, complaints).map(|files| (files, Origin::Local))
            }
            Place::Address(address) => {
                let (bytes, origin) = fetcher.load(address).map_err(left_out)?;
                // What stands in an address may be secret.
                let name = address.url.split(['?', '#']).next().unwrap_or_default();
                let name = name.rsplit('/').next().unwrap_or_default();
                archive::unpack(name, bytes, complaints)
                    .map(|files| (files, origin))
                    .map_err(|complaint| Complaint { place: self.name.clone(), ..complaint })
            }
        }
    }
}

/// Whether a name looks like one of the index: two words with a slash between.
fn may_be_listed(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "-_.".contains(letter))
    };
    name.split_once('/')
        .is_some_and(|(vendor, rest)| is_word(vendor) && is_word(rest) && !vendor.starts_with('.'))
        && !name.ends_with(RULES)
}

/// The files of a folder and of those below, by name. Links are followed as the system follows them: the folder is
/// one's own.
fn folder(root: &Path, complaints: &mut Vec<Complaint>) -> Result<Vec<File>, Complaint> {
    let place = root.to_string_lossy();
    let mut names = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| {
            Complaint::new(
                &folder.to_string_lossy(),
                format!("the folder cannot be read: {error}. Check its rights"),
            )
        })?;
        for entry in entries.flatten() {
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => open.push(entry.path()),
                false => names.push(entry.path()),
            }
            if names.len() + open.len() > MAX_ENTRIES {
                let text = format!(
                    "the folder is left out: it has more than {MAX_ENTRIES} files. Name one with rules alone"
                );
                return Err(Complaint::new(&place, text));
            }
        }
    }
    names.sort();
    let mut files = Vec::new();
    let mut left = MAX_UNPACKED;
    for path in names {
        match named_file::read(&path, Pipes::Refuse, left) {
            Ok(bytes) => {
                left = left.saturating_sub(bytes.len() as u64);
                let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                files.push(File { name, bytes });
            }
            Err(error) => {
                let text = format!("the file is left out: {}.", Unreadable::new(&path, &error));
                complaints.push(Complaint::new(&path.to_string_lossy(), text));
            }
        }
    }
    Ok(files)
}

/// Rule files of one's own: files, folders and patterns.
pub fn local(names: &[String], complaints: &mut Vec<Complaint>) -> Vec<File> {
    let mut files = Vec::new();
    for name in names {
        let path = Path::new(name);
        let mut paths = Vec::new();
        if path.is_dir() {
            let inner = Pattern::escape(name);
            paths.extend(glob::glob(&format!("{inner}/*{RULES}")).into_iter().flatten().flatten());
        } else if name.contains(['*', '?', '[']) && !path.exists() {
            match glob::glob_with(name, MatchOptions::default()) {
                Ok(found) => paths.extend(found.flatten()),
                Err(error) => complaints.push(Complaint::new(
                    name,
                    format!("the pattern is wrong: {}. Use * ? and [abc]", error.msg),
                )),
            }
        } else {
            paths.push(path.to_owned());
        }
        if paths.is_empty() {
            complaints
                .push(Complaint::new(name, "no rule file has that name. Check the pattern and the folder"));
        }
        for path in paths {
            let name = path.to_string_lossy().into_owned();
            match named_file::read(&path, Pipes::Refuse, MAX_UNPACKED) {
                Ok(bytes) => files.push(File { name, bytes }),
                Err(error) => {
                    let text = format!("the rule file is left out: {}.", Unreadable::new(&path, &error));
                    complaints.push(Complaint::new(&name, text));
                }
            }
        }
    }
    files
}

/// Whether a file holds rules, and is not ignored by a pattern about its base name.
pub fn has_rules(file: &File, ignore: &[Pattern]) -> bool {
    file.name.ends_with(RULES) && !ignore.iter().any(|pattern| pattern.matches(base_name(&file.name)))
}

/// The last part of a path.
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The patterns of a list; those that are none are complained of.
pub fn patterns(texts: &[String], place: &str, complaints: &mut Vec<Complaint>) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for text in texts {
        match Pattern::new(text) {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => complaints.push(Complaint::new(
                place,
                format!("the pattern '{text}' is left out: {}. Use * ? and [abc]", error.msg),
            )),
        }
    }
    patterns
}
