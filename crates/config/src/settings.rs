//! The whole configuration, and typed reading of its parts.
//!
//! Command-line values come first and stay: [`Settings::load`] takes the `--set` arguments
//! before it opens the file, so that a list item named there keeps the order of the file.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use weir_base::Pipes;

use crate::error::{ConfigError, Location, Warning};
use crate::load::Loader;
use crate::node::Node;
use crate::value;

/// The configuration that is used where no file is given: the shipped `etc/suricata.yaml`.
pub const DEFAULT_CONFIGURATION: &str = include_str!("../../../etc/suricata.yaml");
/// The shipped `etc/classification.config`.
pub const DEFAULT_CLASSIFICATION: &str = include_str!("../../../etc/classification.config");
/// The shipped `etc/reference.config`.
pub const DEFAULT_REFERENCE: &str = include_str!("../../../etc/reference.config");
/// The shipped `etc/threshold.config`.
pub const DEFAULT_THRESHOLD: &str = include_str!("../../../etc/threshold.config");

/// Most parts of a dotted path given on the command line.
const MAX_PATH_PARTS: usize = 128;

/// The settings tree with what was noticed while reading it.
#[derive(Debug)]
pub struct Settings {
    root: Node,
    folder: PathBuf,
    files: Vec<PathBuf>,
    warnings: Mutex<Vec<Warning>>,
}

impl Default for Settings {
    /// No setting at all: every typed part then has its built-in default.
    fn default() -> Self {
        Self {
            root: Node::new("", Location::command_line()),
            folder: PathBuf::from("."),
            files: Vec::new(),
            warnings: Mutex::new(Vec::new()),
        }
    }
}

/// Name in place of the file's in messages about the built-in configuration.
const BUILT_IN: &str = "built-in configuration";

impl Settings {
    /// Files that it was read from.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether the value at `path` was written by the user, rather than taken from the built-in
    /// configuration.
    pub fn is_given(&self, path: &str) -> bool {
        self.lookup(path).is_some_and(|node| &*node.location().file != BUILT_IN)
    }

    /// Reads a configuration file, with `--set` arguments (`name=value`) on top.
    pub fn load<S: AsRef<str>>(path: &Path, overrides: &[S]) -> Result<Self, ConfigError> {
        let mut settings = Self::with_overrides(overrides)?;
        settings.folder = path.parent().map(Path::to_owned).unwrap_or_default();
        settings.read(|loader, root| loader.file(path, Pipes::Read, root, 0))?;
        Ok(settings)
    }

    /// Reads a configuration from text; `name` stands for the file in messages, and includes
    /// are relative to the current folder.
    pub fn from_text<S: AsRef<str>>(text: &[u8], name: &str, overrides: &[S]) -> Result<Self, ConfigError> {
        let mut settings = Self::with_overrides(overrides)?;
        settings.read(|loader, root| loader.bytes(text, name, root, 0))?;
        Ok(settings)
    }

    /// The shipped default configuration, with `--set` arguments on top.
    pub fn built_in<S: AsRef<str>>(overrides: &[S]) -> Result<Self, ConfigError> {
        Self::from_text(DEFAULT_CONFIGURATION.as_bytes(), BUILT_IN, overrides)
    }

    /// Reads one more file over the settings, as `--include` does.
    pub fn include(&mut self, path: &Path) -> Result<(), ConfigError> {
        let path = if path.is_absolute() || path.exists() { path.to_owned() } else { self.folder.join(path) };
        self.read(|loader, root| loader.file(&path, Pipes::Read, root, 0))
    }

    fn with_overrides<S: AsRef<str>>(overrides: &[S]) -> Result<Self, ConfigError> {
        let mut settings = Self::default();
        for argument in overrides {
            settings.set_argument(argument.as_ref())?;
        }
        Ok(settings)
    }

    fn read(
        &mut self,
        act: impl FnOnce(&mut Loader<'_>, &mut Node) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let warnings = self.warnings.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut loader = Loader::new(&self.folder, warnings, &mut self.files);
        act(&mut loader, &mut self.root)?;
        // A file without any output leaves those that the command line named without a list.
        let outputs = self.root.children.iter_mut().find(|child| child.name == "outputs" && !child.sequence);
        if let Some(outputs) = outputs {
            outputs.sequence = true;
            outputs.number_named_items();
        }
        Ok(())
    }

    /// Sets one `--set` argument, `name=value`.
    pub fn set_argument(&mut self, argument: &str) -> Result<(), ConfigError> {
        let wrong = || ConfigError::Argument { argument: argument.to_owned() };
        let (path, text) = argument.split_once('=').ok_or_else(wrong)?;
        let path = path.trim();
        if path.is_empty() || path.split('.').any(str::is_empty) || path.split('.').count() > MAX_PATH_PARTS {
            return Err(wrong());
        }
        self.set(path, text.trim_start());
        Ok(())
    }

    /// Sets a value that files no longer change, making what is missing on the way.
    pub fn set(&mut self, path: &str, text: &str) {
        let node = self.root.path_or_new(path, true, &Location::command_line());
        node.value = Some(text.to_owned());
        node.locked = true;
        node.location = Location::command_line();
    }

    /// These settings but for some at the top level, as if they had just been read.
    pub(crate) fn without(&self, names: &[&str]) -> Self {
        let mut root = self.root.clone();
        root.children.retain(|child| !names.contains(&child.name.as_str()));
        Self { root, folder: self.folder.clone(), ..Self::default() }
    }

    /// Puts a setting of others below a path, in place of the one of its name there.
    pub(crate) fn replace(&mut self, path: &str, setting: &Node) {
        let parent = match path {
            "" => &mut self.root,
            path => self.root.path_or_new(path, false, &setting.location),
        };
        match parent.children.iter_mut().find(|child| child.name == setting.name) {
            Some(known) => known.clone_from(setting),
            None => parent.children.push(setting.clone()),
        }
    }

    /// Takes over the files that others were read from, and what was noticed then.
    pub(crate) fn take_remarks(&mut self, others: Self) {
        self.files.extend(others.files);
        let theirs = others.warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.warnings.get_mut().unwrap_or_else(PoisonError::into_inner).extend(theirs);
    }

    /// The root of the tree.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The folder of the main file.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The node at a dotted path; list items are addressed by index.
    pub fn lookup(&self, path: &str) -> Option<&Node> {
        self.root.lookup(path)
    }

    /// The text at a dotted path.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.root.text(path)
    }

    /// Every setting as a `path = value` line.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        self.root.dump("", &mut out);
        out
    }

    /// The part of the settings below a path, whether or not it is there; all of them for the empty path.
    pub fn section(&self, path: &str) -> Section<'_> {
        let node = if path.is_empty() { Some(&self.root) } else { self.lookup(path) };
        Section { settings: self, path: path.to_owned(), node }
    }

    /// A section around a node that was found by walking the tree.
    pub fn section_of<'a>(&'a self, path: &str, node: &'a Node) -> Section<'a> {
        Section { settings: self, path: path.to_owned(), node: Some(node) }
    }

    /// Notes something that does not stop the engine; the same sentence is kept once.
    pub fn warn(&self, subsystem: &str, message: String, location: Option<&Location>) {
        let warning = Warning { subsystem: subsystem.to_owned(), message, location: location.cloned() };
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Takes the warnings noted so far.
    pub fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A view of the settings below one path, with typed getters whose errors name the full path.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    settings: &'a Settings,
    path: String,
    node: Option<&'a Node>,
}

impl<'a> Section<'a> {
    /// The dotted path of this section.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The node, if the section is written at all.
    pub fn node(&self) -> Option<&'a Node> {
        self.node
    }

    /// The settings it is part of.
    pub fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// The section below a key.
    pub fn section(&self, key: &str) -> Section<'a> {
        Section {
            settings: self.settings,
            path: self.key(key),
            node: self.node.and_then(|node| node.lookup(key)),
        }
    }

    /// The sections of the children: items of a list, or keys of a mapping.
    pub fn children(&self) -> Vec<Section<'a>> {
        let children = self.node.map(Node::children).unwrap_or_default();
        children
            .iter()
            .map(|node| Section { settings: self.settings, path: self.key(node.name()), node: Some(node) })
            .collect()
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.node?.text(key)
    }

    /// A truth value: true for `yes`, `true`, `on`, `1`; any other text is false, and said to be
    /// where it is none of `no`, `false`, `off`, `0`.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        let Some((text, node)) = self.found(key) else { return default };
        if !value::is_true(text) && !value::is_false(text) {
            let message = format!("{} is '{text}', which is neither yes nor no; no is used.", self.key(key));
            self.settings.warn("conf", message, Some(&node.location));
        }
        value::is_true(text)
    }

    /// A whole number within a range.
    pub fn integer(
        &self,
        key: &str,
        default: u64,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, ConfigError> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let read = |text: &str| value::integer(text).filter(|number| range.contains(number));
        Ok(self.parsed(key, &expected, read)?.unwrap_or(default))
    }

    /// A 32-bit whole number.
    pub fn integer32(&self, key: &str, default: u32) -> Result<u32, ConfigError> {
        let read = |text: &str| value::integer(text).and_then(|number| u32::try_from(number).ok());
        Ok(self.parsed(key, "a whole number from 0 to 4294967295", read)?.unwrap_or(default))
    }

    /// A number of bytes; see [`value::size`].
    pub fn size(&self, key: &str, default: u64) -> Result<u64, ConfigError> {
        Ok(self.parsed(key, SIZE, value::size)?.unwrap_or(default))
    }

    /// A number of bytes that fits 32 bits.
    pub fn size32(&self, key: &str, default: u32) -> Result<u32, ConfigError> {
        let read = |text: &str| value::size(text).and_then(|bytes| u32::try_from(bytes).ok());
        Ok(self
            .parsed(key, "a size below 4gb: a number of bytes, or one with kb or mb after it", read)?
            .unwrap_or(default))
    }

    /// A span of time in seconds.
    pub fn seconds(&self, key: &str, default: u64) -> Result<u64, ConfigError> {
        Ok(self.parsed(key, "a number of seconds", value::seconds)?.unwrap_or(default))
    }

    /// The texts of a list, or the one text of a plain value.
    pub fn list(&self, key: &str) -> Vec<&'a str> {
        self.node.and_then(|node| node.lookup(key)).map(Node::texts).unwrap_or_default()
    }

    /// One of a table of words, in any case; an error names them all.
    pub fn choice<T: Copy>(&self, key: &str, default: T, table: &[(&str, T)]) -> Result<T, ConfigError> {
        let words: Vec<&str> = table.iter().map(|(word, _)| *word).collect();
        let expected = format!("one of {}", words.join(", "));
        let read = |text: &str| {
            table.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
        };
        Ok(self.parsed(key, &expected, read)?.unwrap_or(default))
    }

    /// A number that a warning, not an error, replaces by the default: `ftp: Invalid value 'x' for ftp.memcap`.
    pub fn lenient<T>(
        &self,
        subsystem: &str,
        key: &str,
        default: T,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> T {
        let Some((text, node)) = self.found(key) else { return default };
        read(text).unwrap_or_else(|| {
            let name = match self.path.rsplit('.').next() {
                None | Some("") => key.to_owned(),
                Some(section) => format!("{section}.{key}"),
            };
            let message = format!("Invalid value '{text}' for {name}, the default is used.");
            self.settings.warn(subsystem, message, Some(&node.location));
            default
        })
    }

    /// The error for a value of this section.
    pub fn wrong(&self, key: &str, expected: &str) -> ConfigError {
        let node = self.node.and_then(|node| node.lookup(key));
        ConfigError::Value {
            key: self.key(key),
            location: node.map_or_else(Location::command_line, |node| node.location.clone()),
            text: node.and_then(Node::value).unwrap_or_default().to_owned(),
            expected: expected.to_owned(),
        }
    }

    fn parsed<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        match self.found(key) {
            None => Ok(None),
            Some((text, _)) => read(text).map(Some).ok_or_else(|| self.wrong(key, expected)),
        }
    }

    fn found(&self, key: &str) -> Option<(&'a str, &'a Node)> {
        let node = self.node?.lookup(key)?;
        Some((node.value()?, node))
    }

    fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// Form of a size, for error messages.
pub(crate) const SIZE: &str = "a size: write a number of bytes, or one with kb, mb or gb after it";
