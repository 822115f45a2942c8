//! Files to the settings tree: repeated keys, includes, names with underscores.
//!
//! The rules are those of the engine users come from: a key written twice keeps the last
//! value; `include:` takes a file or a list of files and reads them into the place where it
//! stands; `key: !include file` reads a file under a key; an underscore in a name becomes a
//! dash, but not in address and port groups; a dotted key is a path. Included paths are
//! relative to the folder of the main file, or else to that of the including file. The command line may
//! name an item of a list by its first key (`outputs.file-store.enabled`): the first such item is meant, and
//! one is added where there is none.

use std::path::{Path, PathBuf};

use weir_base::{Pipes, Unreadable, named_file};

use crate::error::{ConfigError, Location, Warning};
use crate::node::Node;
use crate::yaml::{self, Kind, MAX_DEPTH, Yaml};

/// Largest configuration file, in bytes.
pub const MAX_FILE_BYTES: u64 = 16 << 20;
/// Deepest chain of files including files.
pub const MAX_INCLUDE_DEPTH: usize = 16;
/// Most files read for one configuration.
pub const MAX_FILES: usize = 4096;
/// Most keys of one mapping.
pub const MAX_KEYS: usize = 16_384;
/// Warnings about underscores in names before the rest goes without saying.
const MAX_NAME_WARNINGS: usize = 10;

/// Reads files into a tree.
pub(crate) struct Loader<'a> {
    warnings: &'a mut Vec<Warning>,
    /// Files read.
    read: &'a mut Vec<PathBuf>,
    main_folder: PathBuf,
    open: Vec<PathBuf>,
    files_left: usize,
    name_warnings: usize,
}

impl<'a> Loader<'a> {
    /// A loader for includes relative to `main_folder`.
    pub(crate) fn new(
        main_folder: &Path,
        warnings: &'a mut Vec<Warning>,
        read: &'a mut Vec<PathBuf>,
    ) -> Self {
        Self {
            warnings,
            read,
            main_folder: main_folder.to_owned(),
            open: Vec::new(),
            files_left: MAX_FILES,
            name_warnings: 0,
        }
    }

    /// Reads a file into `target`.
    pub(crate) fn file(
        &mut self,
        path: &Path,
        pipes: Pipes,
        target: &mut Node,
        depth: usize,
    ) -> Result<(), ConfigError> {
        let bytes = read(path, pipes)?;
        self.read.push(path.to_owned());
        self.open.push(path.to_owned());
        let done = self.bytes(&bytes, &path.display().to_string(), target, depth);
        self.open.pop();
        done
    }

    /// Reads the text of a file named `name` into `target`.
    pub(crate) fn bytes(
        &mut self,
        bytes: &[u8],
        name: &str,
        target: &mut Node,
        depth: usize,
    ) -> Result<(), ConfigError> {
        let (text, latin1) = yaml::decode(bytes);
        if latin1 {
            self.warn(format!("{name} is not UTF-8 and is read as Latin-1"), None);
        }
        yaml::check_version(&text, name)?;
        for document in yaml::parse(&text, name)? {
            self.top(document, target, depth)?;
        }
        Ok(())
    }

    fn top(&mut self, document: Yaml, target: &mut Node, depth: usize) -> Result<(), ConfigError> {
        match document.kind {
            Kind::Mapping(entries) => self.mapping(entries, target, depth),
            Kind::Sequence(items) => self.sequence(items, target, depth),
            Kind::Scalar { text: None, .. } => Ok(()),
            Kind::Scalar { .. } => Err(ConfigError::Structure {
                location: document.location,
                reason: "the file is one text; write settings as 'name: value'".to_owned(),
            }),
        }
    }

    fn mapping(
        &mut self,
        entries: Vec<(Yaml, Yaml)>,
        target: &mut Node,
        depth: usize,
    ) -> Result<(), ConfigError> {
        for (key, value) in entries {
            let Kind::Scalar { text, .. } = key.kind else {
                let reason =
                    "a name is a mapping or sequence; quote it if it holds brackets or braces".to_owned();
                return Err(ConfigError::Structure { location: key.location, reason });
            };
            let name = text.unwrap_or_else(|| "~".to_owned());
            if name.is_empty() {
                continue;
            }
            if name == "include" {
                self.includes(value, target, depth)?;
                continue;
            }
            if target.children.len() >= MAX_KEYS {
                let limit = format!("a mapping has more than {MAX_KEYS} names");
                return Err(ConfigError::Limit { location: key.location, limit });
            }
            let name = self.settle_name(name, target, &key.location);
            if target.sequence && target.value.is_none() {
                target.value = Some(name.clone());
            }
            let node = self.place(&name, target, &key.location);
            self.value(value, node, depth)?;
        }
        Ok(())
    }

    /// The node that a key stands for, emptied if the key was there before.
    fn place<'n>(&mut self, name: &str, target: &'n mut Node, location: &Location) -> &'n mut Node {
        if name.contains('.') {
            return target.path_or_new(name, false, location);
        }
        let known = target.child(name).is_some();
        let node = target.child_or_new(name, false, location);
        if known && !node.locked {
            let message = format!(
                "Configuration node '{name}' redefined, the value before it ({}) is not used.",
                node.location
            );
            self.warn(message, Some(location.clone()));
            node.prune();
        }
        if !node.locked {
            node.location = location.clone();
        }
        node
    }

    fn settle_name(&mut self, name: String, parent: &Node, location: &Location) -> String {
        if !name.contains('_') || matches!(parent.name.as_str(), "address-groups" | "port-groups") {
            return name;
        }
        let settled = name.replace('_', "-");
        if self.name_warnings < MAX_NAME_WARNINGS {
            self.name_warnings += 1;
            let message = format!("{name} is deprecated. Please use {settled} on line {}.", location.line);
            self.warn(message, Some(location.clone()));
            if self.name_warnings == MAX_NAME_WARNINGS {
                self.warn("not showing more parameter name warnings.".to_owned(), None);
            }
        }
        settled
    }

    fn value(&mut self, value: Yaml, node: &mut Node, depth: usize) -> Result<(), ConfigError> {
        let below = deeper(depth, &value.location)?;
        match value.kind {
            Kind::Scalar { text: Some(file), include: true } => {
                self.include(&file, node, &value.location, below)
            }
            Kind::Scalar { text, .. } => {
                if !node.locked && text.is_some() {
                    node.value = text;
                    node.location = value.location;
                }
                Ok(())
            }
            Kind::Sequence(items) => self.sequence(items, node, below),
            Kind::Mapping(entries) => self.mapping(entries, node, below),
        }
    }

    fn sequence(&mut self, items: Vec<Yaml>, target: &mut Node, depth: usize) -> Result<(), ConfigError> {
        target.sequence = true;
        let had_children = !target.children.is_empty();
        for (index, item) in items.into_iter().enumerate() {
            let name = index.to_string();
            // An item that the command line made moves to its place in the order of the file.
            let earlier =
                if had_children { target.position(&name).map(|at| target.children.remove(at)) } else { None };
            let mut node = earlier.unwrap_or_else(|| Node::new(&name, item.location.clone()));
            let named = item.name().filter(|_| had_children && !target.is_root());
            if let Some(at) = named.and_then(|name| target.position(name)) {
                node.children.push(target.children.remove(at));
            }
            let below = deeper(depth, &item.location)?;
            match item.kind {
                Kind::Scalar { text: Some(file), include: true } => {
                    self.include(&file, &mut node, &item.location, below)?;
                }
                Kind::Scalar { text, .. } => {
                    if node.value.is_none() && !node.locked {
                        node.value = text;
                    }
                }
                Kind::Sequence(items) => self.sequence(items, &mut node, below)?,
                Kind::Mapping(entries) => {
                    node.sequence = true;
                    self.mapping(entries, &mut node, below)?;
                }
            }
            target.children.push(node);
        }
        target.number_named_items();
        Ok(())
    }

    fn includes(&mut self, value: Yaml, target: &mut Node, depth: usize) -> Result<(), ConfigError> {
        let location = value.location;
        match value.kind {
            Kind::Scalar { text: None, .. } => Ok(()),
            Kind::Scalar { text: Some(file), .. } => self.include(&file, target, &location, depth),
            Kind::Sequence(items) => {
                for item in items {
                    self.includes(item, target, deeper(depth, &location)?)?;
                }
                Ok(())
            }
            Kind::Mapping(_) => Err(ConfigError::Structure {
                location,
                reason: "Include fields cannot be a mapping; write a file name or a list of file names"
                    .to_owned(),
            }),
        }
    }

    fn include(
        &mut self,
        file: &str,
        target: &mut Node,
        location: &Location,
        depth: usize,
    ) -> Result<(), ConfigError> {
        let path = self.find(file);
        let failed = |reason: String| ConfigError::Include {
            location: location.clone(),
            file: path.display().to_string(),
            reason,
        };
        if self.open.len() >= MAX_INCLUDE_DEPTH {
            return Err(failed(format!("files include each other more than {MAX_INCLUDE_DEPTH} deep")));
        }
        if self.open.contains(&path) {
            return Err(failed("the file includes itself".to_owned()));
        }
        self.files_left = self
            .files_left
            .checked_sub(1)
            .ok_or_else(|| failed(format!("more than {MAX_FILES} files are included")))?;
        match self.file(&path, Pipes::Refuse, target, depth) {
            Err(ConfigError::Open { reason, .. }) => Err(failed(reason)),
            done => done,
        }
    }

    fn find(&self, file: &str) -> PathBuf {
        let main = self.main_folder.join(file);
        if main.exists() {
            return main;
        }
        let beside = self.open.last().and_then(|open| open.parent()).map(|folder| folder.join(file));
        beside.filter(|path| path.exists()).unwrap_or(main)
    }

    fn warn(&mut self, message: String, location: Option<Location>) {
        self.warnings.push(Warning { subsystem: "conf".to_owned(), message, location });
    }
}

fn deeper(depth: usize, location: &Location) -> Result<usize, ConfigError> {
    if depth >= MAX_DEPTH {
        return Err(yaml::too_deep(location.clone()));
    }
    Ok(depth + 1)
}

fn read(path: &Path, pipes: Pipes) -> Result<Vec<u8>, ConfigError> {
    named_file::read(path, pipes, MAX_FILE_BYTES).map_err(|error| ConfigError::Open {
        file: path.display().to_string(),
        reason: Unreadable::new(path, &error).to_string(),
    })
}
