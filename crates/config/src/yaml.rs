//! YAML text to a tree in which every scalar stays text and every node has its place.
//!
//! Numbers, booleans and dates are not distinguished here: `yes`, `0777` and `1_000` are the
//! characters that were written, as the configuration's own rules read them later.
//! Aliases are copied, and the copies count against [`MAX_WEIGHT`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use events::{Event, Events, Mark, Problem, Style};

use crate::error::{ConfigError, Location};

mod events;

/// Deepest nesting of mappings and sequences, over all included files together.
pub const MAX_DEPTH: usize = 128;
/// Most nodes of one file after aliases are copied; long scalars count as several.
pub const MAX_WEIGHT: usize = 1_000_000;
/// Characters of a scalar that weigh as much as a node.
const WEIGHT_UNIT: usize = 64;

/// A node with the place it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Yaml {
    /// Kind, with its value.
    pub kind: Kind,
    /// Where it begins.
    pub location: Location,
}

impl Yaml {
    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => text.as_deref(),
            _ => None,
        }
    }

    /// Returns the name of a list's item: its text, or its first key.
    pub fn name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Mapping(entries) => entries.first().and_then(|(key, _)| key.text()),
            _ => self.text(),
        }
    }

    fn is_text(&self, text: &str) -> bool {
        self.text() == Some(text)
    }

    fn into_entries(self) -> Option<Vec<(Self, Self)>> {
        match self.kind {
            Kind::Mapping(entries) => Some(entries),
            _ => None,
        }
    }
}

/// The three shapes of YAML.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Text; `None` is null.
    Scalar {
        /// The characters, without quotes.
        text: Option<String>,
        /// The tag was `!include`.
        include: bool,
    },
    /// Items in order.
    Sequence(Vec<Yaml>),
    /// Keys and values in order, duplicates kept.
    Mapping(Vec<(Yaml, Yaml)>),
}

/// The text of a file: UTF-16 with a byte order mark, UTF-8 with or without one, else Latin-1,
/// where every byte is a character. The flag says it was Latin-1.
pub fn decode(bytes: &[u8]) -> (String, bool) {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    if let Some(bytes) = bytes.strip_prefix(b"\xff\xfe") {
        return (utf16(bytes, u16::from_le_bytes), false);
    }
    if let Some(bytes) = bytes.strip_prefix(b"\xfe\xff") {
        return (utf16(bytes, u16::from_be_bytes), false);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (bytes.iter().copied().map(char::from).collect(), true),
    }
}

/// Checks that the text opens with `%YAML 1.1`. An empty file has nothing to check.
pub fn check_version(text: &str, file: &str) -> Result<(), ConfigError> {
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.find(|line| !line.is_empty() && !line.trim_start().starts_with('#'));
    let Some(first) = first else { return Ok(()) };
    let Some(version) = first.strip_prefix("%YAML") else {
        return Err(ConfigError::NoVersion { file: file.to_owned() });
    };
    let version = version.split('#').next().unwrap_or_default().trim();
    if version == "1.1" {
        return Ok(());
    }
    Err(ConfigError::WrongVersion { file: file.to_owned(), found: version.to_owned() })
}

/// The documents of a file. `file` names it in locations.
pub fn parse(text: &str, file: &str) -> Result<Vec<Yaml>, ConfigError> {
    let mut builder = Builder {
        events: Events::new(text),
        text,
        file: Arc::from(file),
        anchors: HashMap::new(),
        weight_left: MAX_WEIGHT,
    };
    let mut documents = Vec::new();
    loop {
        let (event, location) = builder.next()?;
        match event {
            Event::StreamEnd => return Ok(documents),
            Event::DocumentStart => builder.anchors.clear(),
            Event::DocumentEnd => {}
            event => documents.push(builder.node(event, location, 0)?),
        }
    }
}

struct Builder<'text> {
    events: Events<'text>,
    text: &'text str,
    file: Arc<str>,
    /// Nodes by anchor; none while the node is being read.
    anchors: HashMap<String, Option<Yaml>>,
    weight_left: usize,
}

impl Builder<'_> {
    fn next(&mut self) -> Result<(Event, Location), ConfigError> {
        match self.events.next() {
            Ok((event, mark)) => Ok((event, self.location(mark))),
            Err(problem) => Err(self.syntax(&problem)),
        }
    }

    fn location(&self, mark: Mark) -> Location {
        Location { file: self.file.clone(), line: mark.line, column: mark.column }
    }

    fn syntax(&self, problem: &Problem) -> ConfigError {
        let mut reason = problem.text.clone();
        if let Some((context, mark)) = &problem.context {
            reason.push_str(&format!(" {context} that begins at line {}, column {}", mark.line, mark.column));
        }
        let line = self.text.lines().nth(problem.mark.line.saturating_sub(1)).unwrap_or_default();
        if line.chars().nth(problem.mark.column.saturating_sub(1)) == Some('\t') {
            reason.push_str(" (a tab stands there; indent with spaces)");
        }
        ConfigError::Syntax { location: self.location(problem.mark), reason }
    }

    fn node(&mut self, event: Event, location: Location, depth: usize) -> Result<Yaml, ConfigError> {
        if depth > MAX_DEPTH {
            return Err(too_deep(location));
        }
        let (kind, anchor) = match event {
            Event::Scalar { text, style, tag, anchor } => {
                self.spend(1usize.saturating_add(text.len() / WEIGHT_UNIT), &location)?;
                (scalar(text, style, tag.as_deref()), anchor)
            }
            Event::SequenceStart { anchor } => {
                self.open(anchor.as_ref(), &location)?;
                (self.sequence(depth)?, anchor)
            }
            Event::MappingStart { anchor } => {
                self.open(anchor.as_ref(), &location)?;
                (self.mapping(depth)?, anchor)
            }
            Event::Alias { anchor } => return self.alias(&anchor, location, depth),
            _ => {
                let reason = "the document ends in the middle of a mapping or sequence".to_owned();
                return Err(ConfigError::Syntax { location, reason });
            }
        };
        let node = Yaml { kind, location };
        if let Some(anchor) = anchor {
            self.spend(weight(&node), &node.location)?;
            self.anchors.insert(anchor, Some(node.clone()));
        }
        Ok(node)
    }

    /// Counts a mapping or sequence that begins, whose name stands for nothing before its end.
    fn open(&mut self, anchor: Option<&String>, location: &Location) -> Result<(), ConfigError> {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor.clone(), None);
        }
        self.spend(1, location)
    }

    fn sequence(&mut self, depth: usize) -> Result<Kind, ConfigError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Kind::Sequence(items)),
                (event, location) => items.push(self.node(event, location, depth.saturating_add(1))?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Kind, ConfigError> {
        let mut entries = Vec::new();
        let mut merged = Vec::new();
        loop {
            match self.next()? {
                (Event::MappingEnd, _) => return Ok(Kind::Mapping(merge(entries, merged))),
                (event, location) => {
                    let key = self.node(event, location, depth.saturating_add(1))?;
                    let (event, location) = self.next()?;
                    let value = self.node(event, location, depth.saturating_add(1))?;
                    match value.kind {
                        Kind::Mapping(below) if key.is_text("<<") => merged.extend(below),
                        Kind::Sequence(items) if key.is_text("<<") => {
                            merged.extend(items.into_iter().filter_map(Yaml::into_entries).flatten());
                        }
                        _ => entries.push((key, value)),
                    }
                }
            }
        }
    }

    fn alias(&mut self, anchor: &str, location: Location, depth: usize) -> Result<Yaml, ConfigError> {
        let Some(found) = self.anchors.get(anchor) else {
            let reason = format!(
                "the alias *{anchor} names nothing; write &{anchor} before the value it stands for, or quote '*{anchor}' if it is a text"
            );
            return Err(ConfigError::Structure { location, reason });
        };
        let Some(found) = found else {
            let reason = "an alias stands inside the node that it names".to_owned();
            return Err(ConfigError::Structure { location, reason });
        };
        let (cost, below) = (weight(found), height(found));
        if depth.saturating_add(below) > MAX_DEPTH {
            return Err(too_deep(location));
        }
        let copy = Yaml { kind: found.kind.clone(), location };
        self.spend(cost, &copy.location)?;
        Ok(copy)
    }

    fn spend(&mut self, weight: usize, location: &Location) -> Result<(), ConfigError> {
        match self.weight_left.checked_sub(weight) {
            Some(left) => {
                self.weight_left = left;
                Ok(())
            }
            None => Err(ConfigError::Limit {
                location: location.clone(),
                limit: format!("the configuration has more than {MAX_WEIGHT} nodes"),
            }),
        }
    }
}

/// The error for nesting beyond [`MAX_DEPTH`].
pub(crate) fn too_deep(location: Location) -> ConfigError {
    ConfigError::Limit {
        location,
        limit: format!(
            "Recursion limit reached while parsing configuration file: nested more than {MAX_DEPTH} deep"
        ),
    }
}

fn scalar(text: String, style: Style, tag: Option<&str>) -> Kind {
    let plain = style == Style::Plain;
    let null = plain && (text.is_empty() || text == "~" || text.eq_ignore_ascii_case("null"));
    Kind::Scalar { text: (!null).then_some(text), include: tag == Some("!include") }
}

/// Entries, and those of the mappings behind `<<` that they do not write themselves. Of two mappings
/// the first one counts.
fn merge(mut entries: Vec<(Yaml, Yaml)>, merged: Vec<(Yaml, Yaml)>) -> Vec<(Yaml, Yaml)> {
    if merged.is_empty() {
        return entries;
    }
    let mut written: HashSet<String> =
        entries.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect();
    for (key, value) in merged {
        if key.text().is_none_or(|name| written.insert(name.to_owned())) {
            entries.push((key, value));
        }
    }
    entries
}

fn weight(node: &Yaml) -> usize {
    let below: usize = match &node.kind {
        Kind::Scalar { text, .. } => text.as_ref().map_or(0, String::len) / WEIGHT_UNIT,
        Kind::Sequence(items) => items.iter().map(weight).sum(),
        Kind::Mapping(entries) => {
            entries.iter().map(|(key, value)| weight(key).saturating_add(weight(value))).sum()
        }
    };
    below.saturating_add(1)
}

fn height(node: &Yaml) -> usize {
    let below = match &node.kind {
        Kind::Scalar { .. } => return 0,
        Kind::Sequence(items) => items.iter().map(height).max(),
        Kind::Mapping(entries) => entries.iter().map(|(key, value)| height(key).max(height(value))).max(),
    };
    below.unwrap_or(0).saturating_add(1)
}

#[cfg(test)]
mod tests;
