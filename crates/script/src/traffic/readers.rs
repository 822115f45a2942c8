//! Readers of streams of protocols that nothing but scripts asks for: they run here, on what workers send of connections to
//! the ports that scripts register their analyzers for.
//!
//! Limit: connections that are read at a time, as many as records of connections are kept.

use std::collections::HashMap;

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::{MOST_KNOWN, demand};
use crate::patterns::Pattern;
use crate::values::{Port, Value};
use crate::vm::Engine;

/// Reader of one connection, by its place among all.
type Open = (usize, Box<dyn ReadStreams>);

/// Readers that scripts ask for.
pub(super) struct Readers {
    wanted: Vec<(&'static StreamReader, Vec<Port>)>,
    of: HashMap<Vec<u8>, Vec<Open>, ahash::RandomState>,
    patterns: HashMap<String, Vec<Pattern>>,
}

/// Takes what a reader finds.
struct Findings<'a> {
    engine: &'a mut Engine,
    patterns: &'a HashMap<String, Vec<Pattern>>,
    connection: &'a Value,
    analyzer: &'static str,
}

impl StreamFindings for Findings<'_> {
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        let mut values = super::arguments(self.engine, event, 0, arguments);
        for (value, told) in values.iter_mut().zip(arguments) {
            if matches!(told, EventValue::Connection) {
                *value = self.connection.clone();
            }
        }
        self.engine.raise_named(event, values);
    }

    fn weird(&mut self, name: &'static str, addl: &str) {
        let uid = match self.connection {
            Value::Record(connection) => self.engine.field(connection, "uid").text(),
            _ => String::new(),
        };
        let now = self.engine.now();
        if self.engine.frameworks.sampling.admits(name, &uid, now) {
            let texts = [name, addl, self.analyzer].map(Value::string);
            let [name, addl, source] = texts;
            self.engine.raise_named("conn_weird", vec![name, self.connection.clone(), addl, source]);
        }
    }

    fn count(&self, setting: &str) -> Option<u64> {
        match self.engine.global(setting) {
            Some(Value::Count(count)) => Some(count),
            _ => None,
        }
    }

    fn matches(&self, setting: &str, text: &[u8]) -> Option<usize> {
        let patterns = self.patterns.get(setting)?;
        patterns.iter().find_map(|pattern| pattern.find(text, 0)).map(|(_, end)| end)
    }
}

/// Returns the ports that scripts registered an analyzer for.
fn ports(engine: &Engine, analyzer: &str) -> Vec<Port> {
    let Some(Value::Table(all)) = engine.global("Analyzer::ports") else { return Vec::new() };
    let Some(tag) = engine.program.enum_named(&format!("Analyzer::ANALYZER_{analyzer}")) else {
        return Vec::new();
    };
    let Some(Value::Table(ports)) = all.find(&tag) else { return Vec::new() };
    let port = |key: &crate::values::Key| if let Value::Port(port) = key.0 { Some(port) } else { None };
    ports.keys().iter().filter_map(port).collect()
}

/// Returns whether scripts ask for a reader.
fn is_wanted(engine: &Engine, reader: &StreamReader) -> bool {
    let is_handled =
        |event: &&str| engine.program.function_named(event).is_some_and(|number| engine.is_heard(number));
    names_oddities(engine, reader) || reader.events.iter().any(is_handled)
}

/// Returns whether scripts name the analyzer of a reader that tells of oddities.
fn names_oddities(engine: &Engine, reader: &StreamReader) -> bool {
    let tag = engine.program.enum_named(&format!("Analyzer::ANALYZER_{}", reader.analyzer));
    let is_named =
        |tag: Value| matches!(tag, Value::Enum(ty, number) if engine.program.mentions.has_value(ty, number));
    reader.tells_weirds && tag.is_some_and(is_named)
}

/// Returns whether oddities are told that scripts have to log.
pub(super) fn tells_weirds(engine: &Engine) -> bool {
    let readers = engine.frameworks.files.knowledge.map(|knowledge| knowledge.streams);
    readers.unwrap_or_default().iter().any(|reader| names_oddities(engine, reader))
}

impl Readers {
    /// Returns those that scripts ask for.
    pub(super) fn of(engine: &Engine) -> Self {
        let all = engine.frameworks.files.knowledge.map(|knowledge| knowledge.streams).unwrap_or_default();
        let registered: Vec<String> = demand::registered(engine).collect();
        let wanted = all
            .iter()
            .filter(|reader| registered.iter().any(|name| name == reader.analyzer))
            .filter(|reader| is_wanted(engine, reader))
            .map(|reader| (reader, ports(engine, reader.analyzer)));
        let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
        Self { wanted: wanted.collect(), of: HashMap::with_hasher(hasher), patterns: HashMap::new() }
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Takes the next bytes of a stream of a connection to a port.
    pub(super) fn take(
        &mut self,
        engine: &mut Engine,
        (uid, port): (&[u8], Port),
        record: &Value,
        is_orig: bool,
        bytes: &[u8],
    ) {
        if self.wanted.is_empty() {
            return;
        }
        if !self.of.contains_key(uid) {
            if self.of.len() >= MOST_KNOWN {
                return;
            }
            let mut opened = Vec::new();
            for (place, (reader, ports)) in self.wanted.iter().enumerate() {
                if ports.contains(&port) {
                    opened.push((place, (reader.open)()));
                }
            }
            self.read_patterns(engine);
            self.of.insert(uid.to_vec(), opened);
        }
        let Some(opened) = self.of.get_mut(uid) else { return };
        for (place, open) in opened {
            let Some((reader, _)) = self.wanted.get(*place) else { continue };
            if engine.is_unheard(uid, reader.analyzer) {
                continue;
            }
            let analyzer = reader.analyzer;
            let mut findings = Findings { engine, patterns: &self.patterns, connection: record, analyzer };
            open.data(is_orig, bytes, &mut findings);
        }
    }

    /// A connection is over.
    pub(super) fn end(&mut self, engine: &mut Engine, uid: &[u8], record: &Value) {
        for (place, mut open) in self.of.remove(uid).into_iter().flatten() {
            let Some((reader, _)) = self.wanted.get(place) else { continue };
            let analyzer = reader.analyzer;
            let mut findings = Findings { engine, patterns: &self.patterns, connection: record, analyzer };
            open.end(&mut findings);
        }
    }

    /// Reads the settings of scripts that are sets of expressions, the first time that one may be asked for.
    fn read_patterns(&mut self, engine: &Engine) {
        if !self.patterns.is_empty() {
            return;
        }
        for name in SETS {
            let Some(Value::Table(table)) = engine.global(name) else { continue };
            let texts = table.keys();
            let patterns = texts.iter().filter_map(|key| Pattern::parse(&key.0.text(), "").ok());
            self.patterns.insert(name.to_owned(), patterns.collect());
        }
    }
}

/// Settings that are sets of expressions.
const SETS: [&str; 7] = [
    "skip_authentication",
    "direct_login_prompts",
    "login_prompts",
    "login_non_failure_msgs",
    "login_failure_msgs",
    "login_success_msgs",
    "login_timeouts",
];
