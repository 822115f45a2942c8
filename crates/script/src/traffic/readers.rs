//! Readers of streams and datagrams of protocols that nothing but scripts asks for: they run here, on what workers send of connections to
//! the ports that scripts register their analyzers for.
//!
//! Limit: connections that are read at a time, as many as records of connections are kept.

use std::collections::HashMap;

use weir_base::EventValue;
use weir_base::event::{ReadConnection, ReadStreams, ReadValue, StreamFindings, StreamReader, transport};

use super::streams::Delivered;
use super::{MOST_KNOWN, demand};
use crate::patterns::Pattern;
use crate::values::{Port, Value};
use crate::vm::Engine;

/// Zeek's number of the state of an end whose beginning was not seen.
const PARTIAL: u8 = 3;

/// What is open of one connection.
struct Open {
    /// Readers by their places among all.
    readers: Vec<(usize, Box<dyn ReadStreams>)>,
    /// Places in the streams of the originator and the responder that come next.
    next: [Option<u64>; 2],
}

/// Readers that scripts ask for.
pub(super) struct Readers {
    wanted: Vec<(&'static StreamReader, Vec<Port>)>,
    of: HashMap<Vec<u8>, Open, ahash::RandomState>,
    patterns: HashMap<String, Vec<Pattern>>,
}

/// Takes what a reader finds.
struct Findings<'a> {
    engine: &'a mut Engine,
    patterns: &'a HashMap<String, Vec<Pattern>>,
    connection: &'a Value,
    analyzer: &'static str,
    now: f64,
    /// What is read was captured before the packet that tells of it.
    is_late: bool,
}

impl Findings<'_> {
    fn tell(&mut self, name: &'static str, addl: &str, source: &str) {
        let uid = match self.connection {
            Value::Record(connection) => self.engine.field(connection, "uid").text(),
            _ => String::new(),
        };
        let now = self.engine.now();
        if self.engine.frameworks.sampling.admits(name, &uid, now) {
            let [name, addl, source] = [name, addl, source].map(Value::string);
            self.put("conn_weird", vec![name, self.connection.clone(), addl, source]);
        }
    }

    /// Raises an event at the time of what is read.
    fn put(&mut self, event: &str, values: Vec<Value>) {
        let waiting = self.engine.queue.len();
        self.engine.raise_named(event, values);
        if self.is_late && self.engine.queue.len() > waiting {
            self.engine.date_last(self.now);
        }
    }
}

impl StreamFindings for Findings<'_> {
    fn raise(&mut self, event: &'static str, arguments: &[EventValue<'_>]) {
        if !is_handled(self.engine, event) {
            return;
        }
        let mut values = super::arguments(self.engine, event, 0, arguments);
        for (value, told) in values.iter_mut().zip(arguments) {
            if matches!(told, EventValue::Connection) {
                *value = self.connection.clone();
            }
        }
        self.put(event, values);
    }

    fn weird(&mut self, name: &'static str, addl: &str) {
        self.tell(name, addl, self.analyzer);
    }

    fn weird_of_connection(&mut self, name: &'static str, addl: &str) {
        self.tell(name, addl, "");
    }

    fn count(&self, setting: &str) -> Option<u64> {
        match self.engine.global(setting) {
            Some(Value::Count(count)) => Some(count),
            _ => None,
        }
    }

    fn is_set(&self, setting: &str) -> bool {
        self.engine.global(setting).is_some_and(|value| value.is_true())
    }

    fn now(&self) -> f64 {
        self.now
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

/// Returns whether scripts hear of an event.
fn is_handled(engine: &Engine, event: &str) -> bool {
    engine.program.function_named(event).is_some_and(|number| engine.is_heard(number))
}

/// Returns whether scripts ask for a reader.
fn is_wanted(engine: &Engine, reader: &StreamReader) -> bool {
    names_oddities(engine, reader) || reader.events.iter().any(|event| is_handled(engine, event))
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

/// Returns the ports of UDP whose conversations last as long as scripts say, with the seconds.
pub(super) fn sessions(engine: &Engine) -> Vec<(u16, f64)> {
    let wanted = Readers::of(engine).wanted;
    let timed = wanted.iter().filter_map(|(reader, ports)| match engine.global(reader.lasts?)? {
        Value::Interval(seconds) => Some((seconds, ports)),
        _ => None,
    });
    let of_datagrams = |port: &&Port| port.protocol == transport::UDP;
    timed
        .flat_map(|(seconds, ports)| {
            ports.iter().filter(of_datagrams).map(move |port| (port.number, seconds))
        })
        .collect()
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

    /// Takes the next bytes of a stream of a connection to a port, or a datagram.
    pub(super) fn take(
        &mut self,
        engine: &mut Engine,
        (read, port): (&ReadConnection<'_>, Port),
        record: &Value,
        delivered: &Delivered<'_>,
    ) {
        if self.wanted.is_empty() || !self.open(engine, read.uid, port) {
            return;
        }
        let Some(open) = self.of.get_mut(read.uid) else { return };
        let Delivered { is_orig, offset, bytes, now, is_late } = *delivered;
        let [orig, resp] = &read.ends;
        let (side, state) = if is_orig { (0, orig.state) } else { (1, resp.state) };
        let has_gap = open.next.get_mut(side).zip(offset).is_some_and(|(next, offset)| {
            let before = next.replace(offset + bytes.len() as u64);
            before.unwrap_or(0) < offset || before.is_none() && state == PARTIAL
        });
        for (place, reader) in &mut open.readers {
            let Some((known, _)) = self.wanted.get(*place) else { continue };
            let analyzer = known.analyzer;
            if has_gap {
                reader.gap(is_orig);
            }
            if engine.is_unheard(read.uid, analyzer) {
                continue;
            }
            let mut findings =
                Findings { engine, patterns: &self.patterns, connection: record, analyzer, now, is_late };
            match offset {
                Some(_) => reader.data(is_orig, bytes, &mut findings),
                None => reader.datagram(is_orig, bytes, &mut findings),
            }
        }
    }

    /// Opens the readers of a connection to a port; returns whether there is room.
    fn open(&mut self, engine: &Engine, uid: &[u8], port: Port) -> bool {
        if self.of.contains_key(uid) {
            return true;
        }
        if self.of.len() >= MOST_KNOWN {
            return false;
        }
        let wanted = self.wanted.iter().enumerate().filter(|(_, (_, ports))| ports.contains(&port));
        let readers = wanted.map(|(place, (reader, _))| (place, (reader.open)())).collect();
        self.of.insert(uid.to_vec(), Open { readers, next: [None; 2] });
        self.read_patterns(engine);
        true
    }

    /// An event says that a connection is over: what readers tell of the end comes before it.
    pub(super) fn end_before(&mut self, engine: &mut Engine, read: &[ReadValue<'_>], arguments: &[Value]) {
        if let (Some(ReadValue::Connection(read)), Some(record)) = (read.first(), arguments.first()) {
            self.end(engine, read.uid, record);
        }
    }

    /// A connection is over.
    pub(super) fn end(&mut self, engine: &mut Engine, uid: &[u8], record: &Value) {
        let open = self.of.remove(uid).map(|open| open.readers);
        for (place, mut reader) in open.into_iter().flatten() {
            let Some((known, _)) = self.wanted.get(place) else { continue };
            let (analyzer, now) = (known.analyzer, engine.network_time);
            let mut findings = Findings {
                engine,
                patterns: &self.patterns,
                connection: record,
                analyzer,
                now,
                is_late: false,
            };
            reader.end(&mut findings);
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
