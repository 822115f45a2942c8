//! Which file `@load` and the command line mean: paths, ZEEKPATH, the prelude.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Extensions of scripts, tried in this order; the empty one last.
const EXTENSIONS: [&str; 3] = [".zeek", ".bro", ""];

/// The extension of files of signatures.
const SIGNATURES: &str = ".sig";

/// A script that was found.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// A file: the name that messages show, and its bytes.
    File(String, Rc<[u8]>),
    /// A part of the prelude.
    Prelude(&'static str),
    /// A script that was loaded before.
    Before,
    /// No such script.
    Nothing,
}

/// Finds scripts, each once.
#[derive(Debug, Default)]
pub struct Loader {
    /// Folders that are searched, in their order.
    pub folders: Vec<PathBuf>,
    /// What was loaded: canonical paths, and names of the prelude.
    loaded: HashSet<String>,
}

impl Loader {
    /// Returns a loader for a list of folders with colons between them; the working folder and the site's are searched where
    /// there is none.
    pub fn new(path: Option<&str>) -> Self {
        let folders = match path {
            Some(path) => path.split(':').filter(|folder| !folder.is_empty()).map(PathBuf::from).collect(),
            None => vec![PathBuf::from(".")],
        };
        Self { folders, loaded: HashSet::new() }
    }

    /// Finds a script. `from` is the file that loads it.
    pub fn find(&mut self, name: &str, from: Option<&str>) -> Found {
        for candidate in self.candidates(name, from) {
            if let Some(found) = self.open(&candidate) {
                return found;
            }
        }
        let plain = name.trim_start_matches("./").trim_end_matches(".zeek").trim_end_matches('/');
        match crate::prelude::part(plain) {
            Some(part) if self.loaded.insert(format!("prelude:{part}")) => Found::Prelude(part),
            Some(_) => Found::Before,
            None => Found::Nothing,
        }
    }

    /// Finds a file of signatures; `from` is the script that asks for it.
    pub fn find_signatures(&self, name: &str, from: Option<&str>) -> Option<String> {
        let with = |extension: &str| {
            let candidates = self.candidates(name, from).into_iter();
            candidates.map(|path| format!("{path}{extension}")).find(|path| Path::new(path).is_file())
        };
        with("").or_else(|| with(SIGNATURES))
    }

    /// The paths that a name may stand for, without extensions.
    fn candidates(&self, name: &str, from: Option<&str>) -> Vec<String> {
        if name.starts_with("./") || name.starts_with("../") || name == "." || name == ".." {
            let folder = from.map_or(".", |file| file.rsplit_once('/').map_or(".", |(folder, _)| folder));
            vec![format!("{folder}/{}", name.strip_prefix("./").unwrap_or(name))]
        } else if name.starts_with('/') {
            vec![name.to_owned()]
        } else {
            self.folders.iter().map(|folder| format!("{}/{name}", folder.display())).collect()
        }
    }

    /// Remembers a file as loaded (or not to be loaded), by its path.
    pub fn forbid(&mut self, name: &str) {
        if let Some(part) = crate::prelude::part(name.trim_end_matches(".zeek")) {
            self.loaded.insert(format!("prelude:{part}"));
        }
        if let Ok(path) = Path::new(name).canonicalize() {
            self.loaded.insert(path.display().to_string());
        }
    }

    /// Returns the parts of the prelude that are loaded.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.loaded.iter().filter_map(|name| name.strip_prefix("prelude:"))
    }

    fn open(&mut self, candidate: &str) -> Option<Found> {
        // A name with the extension of another age of the language means the script, too.
        let plain = candidate.strip_suffix(".bro").or_else(|| candidate.strip_suffix(".zeek"));
        let others =
            plain.into_iter().flat_map(|plain| EXTENSIONS.map(|extension| format!("{plain}{extension}")));
        for name in EXTENSIONS.map(|extension| format!("{candidate}{extension}")).into_iter().chain(others) {
            let path = Path::new(&name);
            if path.is_dir() {
                let inner = format!("{}/__load__", name.trim_end_matches('/'));
                if let Some(found) = EXTENSIONS.iter().find_map(|end| self.read(&format!("{inner}{end}"))) {
                    return Some(found);
                }
            } else if let Some(found) = self.read(&name) {
                return Some(found);
            }
        }
        None
    }

    fn read(&mut self, name: &str) -> Option<Found> {
        let path = Path::new(name);
        if !path.is_file() {
            return None;
        }
        let canonical = path.canonicalize().ok()?.display().to_string();
        if !self.loaded.insert(canonical) {
            return Some(Found::Before);
        }
        let text = std::fs::read(path).ok()?;
        Some(Found::File(name.to_owned(), text.into()))
    }
}
