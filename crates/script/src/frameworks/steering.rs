//! What scripts say about connections that go on: which of their protocols are heard no more, which connections are not
//! looked at, where their payload is written. Workers do not wait for scripts: what is unwanted is passed over when its
//! messages come, so that scripts hear the same as if it had never been made.
//!
//! Limits: connections that are known at a time, as many as the lane keeps records of; others are not found.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use weir_base::event::ReadConnection;

use super::analyzer_ids::{Ids, Numbering};
use super::analyzer_tags::{components, is_of, tag};
use super::thresholds::{self, Thresholds};
use crate::builtins::{Builtin, argument, count, double, is_true, row, text};
use crate::traffic::MOST_KNOWN;
use crate::types::TypeId;
use crate::values::{FileValue, RecordValue, Value};
use crate::vm::{Engine, Outcome};

/// Functions for which connections are kept by their ids.
const ASKING: [&str; 10] = [
    "ConnPolling::watch",
    "connection_exists",
    "lookup_connection",
    "lookup_connection_analyzer_id",
    "disable_analyzer",
    "skip_further_processing",
    "set_record_packets",
    "set_inactivity_timeout",
    "set_contents_file",
    "get_contents_file",
];

/// Functions that change what the logs of the engine have.
const CHANGING: [&str; 6] = [
    "disable_analyzer",
    "skip_further_processing",
    "Analyzer::disable_analyzer",
    "Analyzer::disable_all",
    "Analyzer::disabled_analyzers",
    "Analyzer::requested_analyzers",
];

/// Analyzers that all of a connection depends on.
const ROOTS: [&str; 3] = ["TCP", "UDP", "ICMP"];

/// The hook that has a say in what is heard no more.
const DISABLING: &str = "Analyzer::disabling_analyzer";

/// The event of bytes that could not be written.
const WRITE_FAILURE: &str = "contents_file_write_failure";

/// What an id of a connection says: addresses, ports, the transport of the ports, and VLANs where these tell connections apart.
pub type Ends = ([u8; 16], u16, [u8; 16], u16, u8, [i32; 2]);

/// No VLANs.
const NO_VLANS: [i32; 2] = [-1; 2];

/// A connection that goes on.
struct Connection {
    record: Rc<RecordValue>,
    ends: Ends,
    services: Vec<String>,
    /// Names of analyzers that are heard no more.
    disabled: HashSet<Rc<str>>,
    /// Names of analyzers that are heard no more, as far as events go.
    muted: HashSet<Rc<str>>,
    ids: Ids,
    is_skipped: bool,
    timeout: Option<f64>,
    /// Files that the originator's and the responder's bytes are written to.
    contents: [Option<Rc<FileValue>>; 2],
    thresholds: Thresholds,
}

/// What scripts say about connections.
pub struct Steering {
    /// Scripts name functions about connections.
    pub is_asked: bool,
    /// Ids of connections have VLANs.
    pub has_vlans: bool,
    ids: HashMap<Ends, Vec<u8>>,
    connections: HashMap<Vec<u8>, Connection, ahash::RandomState>,
    /// Connections of which something is passed over.
    steered: usize,
    /// Analyzers that are heard of no connection.
    pub(super) disabled: HashSet<Rc<str>>,
    /// Names of analyzers in small letters, the first time one is looked for.
    names: HashMap<String, Rc<str>>,
    /// Analyzers of events by the numbers of their functions.
    of_events: HashMap<u32, Option<Rc<str>>>,
    /// The function of the event whose handlers run.
    pub event: Option<u32>,
    /// The first argument of that event.
    pub subject: Value,
    /// What ids of analyzers follow from.
    pub numbering: Numbering,
}

impl Default for Steering {
    fn default() -> Self {
        let hasher = || ahash::RandomState::with_seeds(1, 2, 3, 4);
        Self {
            is_asked: false,
            has_vlans: false,
            ids: HashMap::new(),
            connections: HashMap::with_hasher(hasher()),
            steered: 0,
            disabled: HashSet::new(),
            names: HashMap::new(),
            of_events: HashMap::new(),
            event: None,
            subject: Value::Unset,
            numbering: Numbering::default(),
        }
    }
}

impl Connection {
    fn of(record: &Rc<RecordValue>) -> Self {
        Self {
            record: record.clone(),
            ends: Ends::default(),
            services: Vec::new(),
            disabled: HashSet::new(),
            muted: HashSet::new(),
            ids: Ids::default(),
            is_skipped: false,
            timeout: None,
            contents: [None, None],
            thresholds: Thresholds::default(),
        }
    }

    /// Returns whether something of it is passed over.
    fn is_steered(&self) -> bool {
        self.is_skipped || !self.disabled.is_empty() || !self.muted.is_empty()
    }
}

impl Steering {
    /// Returns whether something may be to be passed over.
    pub fn is_active(&self) -> bool {
        self.steered > 0 || !self.disabled.is_empty()
    }

    /// Returns whether an analyzer is heard of no connection.
    pub fn is_disabled(&self, analyzer: &str) -> bool {
        self.disabled.contains(analyzer)
    }

    /// Keeps a connection as it is now.
    pub fn know(&mut self, read: &ReadConnection<'_>, record: &Rc<RecordValue>) {
        if self.connections.len() >= MOST_KNOWN && !self.connections.contains_key(read.uid) {
            return;
        }
        let [orig, resp] = &read.ends;
        let transport = weir_base::event::transport::of_protocol(read.protocol);
        let vlans = if self.has_vlans { read.vlans } else { NO_VLANS };
        let ends = (orig.address, orig.port, resp.address, resp.port, transport, vlans);
        let numbering = &mut self.numbering;
        let known = self.connections.entry(read.uid.to_vec()).or_insert_with(|| Connection {
            ids: numbering.begin(root_of(transport), (resp.port, transport)),
            ..Connection::of(record)
        });
        if known.ends != ends {
            self.ids.remove(&known.ends);
            self.ids.insert(ends, read.uid.to_vec());
            known.ends = ends;
        }
        known.record = record.clone();
        if known.services.len() != read.services.len() {
            known.services =
                read.services.iter().map(|name| analyzer(&String::from_utf8_lossy(name))).collect();
        }
    }

    /// A connection is over.
    pub fn forget(&mut self, uid: &[u8]) {
        if let Some(known) = self.connections.remove(uid) {
            if known.is_steered() {
                self.steered -= 1;
            }
            if self.ids.get(&known.ends).is_some_and(|kept| kept == uid) {
                self.ids.remove(&known.ends);
            }
        }
    }

    /// Returns whether a row of a log is not to be written, by the names of the log and of the connection.
    pub fn drops_row(&self, log: &str, uid: &[u8]) -> bool {
        let name = analyzer(log);
        if self.disabled.contains(name.as_str()) {
            return true;
        }
        self.connections.get(uid).is_some_and(|known| {
            known.disabled.contains(name.as_str()) || (known.is_skipped && known.services.contains(&name))
        })
    }

    /// Returns the thresholds of a connection that goes on.
    pub fn thresholds(&mut self, uid: &[u8]) -> Option<&mut Thresholds> {
        self.connections.get_mut(uid).map(|known| &mut known.thresholds)
    }

    /// Returns the connection of an id, and its thresholds.
    pub fn of_id(
        &mut self,
        id: &Value,
        engine_id: impl Fn(&RecordValue) -> Option<Ends>,
    ) -> Option<(Rc<RecordValue>, &mut Thresholds)> {
        self.find(id, engine_id).map(|known| (known.record.clone(), &mut known.thresholds))
    }

    fn find(
        &mut self,
        id: &Value,
        engine_id: impl Fn(&RecordValue) -> Option<Ends>,
    ) -> Option<&mut Connection> {
        let Value::Record(id) = id else { return None };
        let uid = self.ids.get(&engine_id(id)?)?;
        self.connections.get_mut(uid)
    }
}

/// Returns the analyzer of a transport.
fn root_of(transport: u8) -> &'static str {
    usize::from(transport).checked_sub(1).and_then(|place| ROOTS.get(place)).copied().unwrap_or("IP")
}

/// Returns the name of an analyzer, by that of a protocol in rows.
fn analyzer(service: &str) -> String {
    service.to_ascii_uppercase().replace('-', "_")
}

/// Reads an id of a connection.
pub fn ends(id: &RecordValue) -> Option<Ends> {
    match (id.get(0), id.get(1), id.get(2), id.get(3)) {
        (Value::Addr(orig), Value::Port(orig_port), Value::Addr(resp), Value::Port(resp_port)) => {
            let vlans = vlans(&id.get(CONTEXT));
            Some((orig.0, orig_port.number, resp.0, resp_port.number, resp_port.protocol, vlans))
        }
        _ => None,
    }
}

/// Place of what else tells connections apart in an id.
const CONTEXT: usize = 5;

/// Reads the VLANs of an id, which scripts may add.
fn vlans(context: &Value) -> [i32; 2] {
    let Value::Record(context) = context else { return NO_VLANS };
    [0, 1].map(|place| match context.get(place) {
        Value::Int(tag) => i32::try_from(tag).unwrap_or(-1),
        _ => -1,
    })
}

/// Returns the name of an analyzer, by the name of its tag.
fn short(tag: &str) -> &str {
    let short = tag.rsplit("::").next().unwrap_or(tag);
    let short = short.strip_prefix("ANALYZER_").unwrap_or(short);
    short.strip_prefix("ANALYZER_").unwrap_or(short)
}

impl Engine {
    /// Prepares for what scripts name.
    pub fn prepare_steering(&mut self) {
        let is_asked = self.program.mentions.has_global(|name| ASKING.contains(&name))
            || thresholds::wants_packets(self)
            || hears_of_disabling(self);
        self.frameworks.steering.is_asked = is_asked;
        let factory = self.program.enum_named("ConnKey::CONNKEY_VLAN_FIVETUPLE");
        self.frameworks.steering.has_vlans = self
            .global("ConnKey::factory")
            .zip(factory)
            .is_some_and(|(used, vlans)| used.int() == vlans.int());
        if is_asked || changes_logs(self) {
            let tags = self.tag_type().and_then(|ty| self.types().enumeration(ty));
            let all = tags.into_iter().flat_map(|tags| &tags.values);
            let own = all.filter_map(|(name, _)| {
                let module =
                    ["Analyzer::", "PacketAnalyzer::"].iter().find_map(|module| name.strip_prefix(module));
                module?.strip_prefix("ANALYZER_")
            });
            let names = own
                .filter(|name| !ROOTS.contains(name))
                .map(|name| (name.to_ascii_lowercase(), Rc::from(name)));
            self.frameworks.steering.names = names.collect();
        }
    }

    pub(super) fn tag_type(&self) -> Option<TypeId> {
        self.program.type_named("AllAnalyzers::Tag")
    }

    /// Returns the name of an analyzer, by its tag.
    pub(crate) fn analyzer_named_by(&self, tag: &Value) -> String {
        let Value::Enum(ty, number) = tag else { return String::new() };
        let name = self.types().enumeration(*ty).and_then(|tags| tags.names.get(number));
        name.map(|name| short(name).to_owned()).unwrap_or_default()
    }

    /// Returns the tag of an analyzer of connections.
    fn tag_of(&self, name: &str) -> Option<Value> {
        self.program.enum_named(&format!("Analyzer::ANALYZER_{name}"))
    }

    /// Returns the number of an analyzer within a connection that goes on, or within any that is not known.
    fn analyzer_id(&mut self, uid: &[u8], name: &str) -> u64 {
        let steering = &mut self.frameworks.steering;
        if let Some(known) = steering.connections.get_mut(uid) {
            return steering.numbering.of(&mut known.ids, &name.into());
        }
        self.tag_of(name).map_or(0, |tag| tag.int().unsigned_abs() + 1)
    }

    /// Returns the analyzer that an event is of: that whose name the event's begins with.
    fn analyzer_of_event(&mut self, event: u32) -> Option<Rc<str>> {
        if let Some(known) = self.frameworks.steering.of_events.get(&event) {
            return known.clone();
        }
        let name = self.program.functions.get(event as usize)?.name.clone();
        let names = &self.frameworks.steering.names;
        let prefixes = name.match_indices('_').filter_map(|(at, _)| name.get(..at));
        let found = match &*name {
            "stream_deliver" | "stream_undelivered" => names.get("stream_event"),
            _ => prefixes
                .filter_map(|prefix| {
                    names
                        .get(prefix)
                        .or_else(|| names.get(prefix.trim_end_matches(|c: char| c.is_ascii_digit())))
                })
                .next_back(),
        };
        let found = found.cloned();
        self.frameworks.steering.of_events.insert(event, found.clone());
        found
    }

    /// Puts the id that `disable_analyzer` takes into what an event tells of an analyzer.
    pub fn put_analyzer_id(&mut self, function: u32, arguments: &[Value]) {
        let name = self.program.functions.get(function as usize).map(|function| function.name.clone());
        if !matches!(name.as_deref(), Some("analyzer_confirmation_info" | "analyzer_violation_info")) {
            return;
        }
        if let [tag @ Value::Enum(..), Value::Record(info), ..] = arguments {
            let uid = match self.field(info, "c") {
                Value::Record(connection) => self.field(&connection, "uid").text(),
                _ => String::new(),
            };
            let id = self.analyzer_id(uid.as_bytes(), &self.analyzer_named_by(tag));
            if id > 0 && self.field(info, "aid").is_set() {
                self.set_field(info, "aid", Value::Count(id));
            }
        }
    }

    /// Returns whether an event of a connection is passed over.
    pub fn passes_over(&mut self, event: u32, uid: &[u8]) -> bool {
        if !self.frameworks.steering.is_active() {
            return false;
        }
        let Some(analyzer) = self.analyzer_of_event(event) else { return false };
        self.is_unheard(uid, &analyzer)
    }

    /// Returns whether an analyzer of a connection is heard no more.
    pub fn is_unheard(&self, uid: &[u8], analyzer: &str) -> bool {
        let steering = &self.frameworks.steering;
        let is_off = |known: &Connection| {
            known.is_skipped || known.disabled.contains(analyzer) || known.muted.contains(analyzer)
        };
        steering.disabled.contains(analyzer) || steering.connections.get(uid).is_some_and(is_off)
    }

    /// Writes bytes of a connection where scripts want them.
    pub fn keep_contents(&mut self, uid: &[u8], is_orig: bool, bytes: &[u8]) {
        let known = self.frameworks.steering.connections.get(uid);
        let file = known.and_then(|known| known.contents.get(usize::from(!is_orig))?.clone());
        let Some(file) = file.filter(|file| file.is_open.get()) else { return };
        if self.output.write(file.handle, bytes) {
            return;
        }
        let Some(known) = self.frameworks.steering.connections.get_mut(uid) else { return };
        known.contents.get_mut(usize::from(!is_orig)).into_iter().for_each(|kept| *kept = None);
        let record = Value::Record(known.record.clone());
        let text = Value::string(format!("cannot write to {}", file.name));
        self.raise_named(WRITE_FAILURE, vec![record, Value::Bool(is_orig), text]);
    }

    /// Has an analyzer of a connection be heard no more; its log goes on where it `keeps_log`.
    fn disable(&mut self, a: &[Value], keeps_log: bool) -> Outcome<Value> {
        let (id, number, is_wanted) = (argument(a, 0), count(a, 1), is_true(a, 2));
        let no = Ok(Value::Bool(false));
        let Some(record) = self.frameworks.steering.find(&id, ends).map(|known| known.record.clone()) else {
            if is_wanted {
                self.complain("cannot find connection");
            }
            return no;
        };
        let name =
            self.frameworks.steering.find(&id, ends).and_then(|known| known.ids.named(number).cloned());
        let root = match &id {
            Value::Record(id) => ends(id).map(|ends| root_of(ends.4)),
            _ => None,
        };
        match name {
            Some(name) if root.is_some_and(|root| root == &*name) => {
                self.complain(&format!("root analyzer {name} cannot be removed"));
                no
            }
            Some(name) => {
                let arguments =
                    [Value::Record(record), self.tag_of(&name).unwrap_or_default(), Value::Count(number)];
                if !self.run_hook_named(DISABLING, &arguments) {
                    return no;
                }
                let steering = &mut self.frameworks.steering;
                let was = steering.find(&id, ends).is_some_and(|known| {
                    let was = known.is_steered();
                    let names = if keeps_log { &mut known.muted } else { &mut known.disabled };
                    names.insert(name);
                    was
                });
                steering.steered += usize::from(!was);
                Ok(Value::Bool(true))
            }
            None => {
                if is_wanted {
                    self.complain("connection does not have analyzer specified to disable");
                }
                no
            }
        }
    }

    fn skip(&mut self, id: &Value) -> Value {
        let steering = &mut self.frameworks.steering;
        let Some(known) = steering.find(id, ends) else { return Value::Bool(false) };
        let was = known.is_steered();
        known.is_skipped = true;
        steering.steered += usize::from(!was);
        Value::Bool(true)
    }

    fn set_timeout(&mut self, id: &Value, timeout: f64) -> Value {
        let Some(known) = self.frameworks.steering.find(id, ends) else {
            self.complain("connection ID not a known connection");
            return Value::Interval(0.0);
        };
        let before = known.timeout.replace(timeout);
        let word =
            ["unknown_ip", "tcp", "udp", "icmp"].get(usize::from(known.ends.4)).copied().unwrap_or("tcp");
        let setting = format!("{word}_inactivity_timeout");
        Value::Interval(before.or_else(|| self.global(&setting).map(|value| value.double())).unwrap_or(0.0))
    }
}

/// Returns whether scripts have a say in what is heard no more.
fn hears_of_disabling(engine: &Engine) -> bool {
    let number = engine.program.function_named(DISABLING);
    let function = number.and_then(|number| engine.program.functions.get(number as usize));
    function.is_some_and(|function| !function.bodies.is_empty())
}

/// Returns the setting of a protocol as its reader is to have it: what scripts have a say in is left to them.
pub fn is_left_to_scripts(engine: &Engine, setting: &str) -> bool {
    setting.ends_with("::disable_analyzer_after_detection") && hears_of_disabling(engine)
}

/// Returns whether scripts may have less in the logs than traffic gives.
pub fn changes_logs(engine: &Engine) -> bool {
    engine.program.mentions.has_global(|name| CHANGING.contains(&name))
}

/// Returns whether scripts want the payload of connections.
pub fn wants_payload(engine: &Engine) -> bool {
    engine.program.mentions.has_global(|name| name == "set_contents_file")
}

/// Directions of `set_contents_file`: none, the originator's, the responder's, both.
fn sides(direction: u64) -> [bool; 2] {
    match direction {
        1 => [true, false],
        2 => [false, true],
        3 => [true; 2],
        _ => [false; 2],
    }
}

/// Functions about connections and analyzers; those without a signature are declared by the prelude.
pub const ROWS: &[Builtin] = &[
    row("connection_exists", "(c: conn_id): bool", |e, a| {
        Ok(Value::Bool(e.frameworks.steering.find(&argument(a, 0), ends).is_some()))
    }),
    row("lookup_connection", "(cid: conn_id): connection", |e, a| {
        if let Some(known) = e.frameworks.steering.find(&argument(a, 0), ends) {
            return Ok(Value::Record(known.record.clone()));
        }
        e.complain("connection ID not a known connection");
        Ok(e.record_of("connection", &[]))
    }),
    row("lookup_connection_analyzer_id", "", |e, a| {
        let name = e.analyzer_named_by(&argument(a, 1));
        let known = e.frameworks.steering.find(&argument(a, 0), ends);
        let known = known.filter(|known| known.services.contains(&name));
        let uid = known.map(|known| known.record.clone()).map(|record| e.field(&record, "uid").text());
        Ok(Value::Count(uid.map_or(0, |uid| e.analyzer_id(uid.as_bytes(), &name))))
    }),
    row("current_analyzer", "(): count", |e, _| {
        let current = e.frameworks.steering.event.and_then(|event| e.analyzer_of_event(event));
        let uid = match e.frameworks.steering.subject.clone() {
            Value::Record(connection) => e.field(&connection, "uid").text(),
            _ => String::new(),
        };
        Ok(Value::Count(current.map_or(0, |name| e.analyzer_id(uid.as_bytes(), &name))))
    }),
    row("disable_analyzer", "", |e, a| e.disable(a, false)),
    row("Analyzer::weir_mute", "(cid: conn_id, aid: count): bool", |e, a| e.disable(a, true)),
    row("skip_further_processing", "", |e, a| Ok(e.skip(&argument(a, 0)))),
    row("set_record_packets", "", |e, a| {
        Ok(Value::Bool(e.frameworks.steering.find(&argument(a, 0), ends).is_some()))
    }),
    row("set_inactivity_timeout", "", |e, a| Ok(e.set_timeout(&argument(a, 0), double(a, 1)))),
    row("set_contents_file", "(cid: conn_id, direction: count, f: file): bool", |e, a| {
        let Value::File(file) = argument(a, 2) else { return Ok(Value::Bool(false)) };
        let Some(known) = e.frameworks.steering.find(&argument(a, 0), ends) else {
            return Ok(Value::Bool(false));
        };
        let wanted = sides(count(a, 1));
        for (kept, is_wanted) in known.contents.iter_mut().zip(wanted) {
            if is_wanted {
                *kept = Some(file.clone());
            } else if wanted == [false; 2] {
                *kept = None;
            }
        }
        Ok(Value::Bool(true))
    }),
    row("get_contents_file", "(cid: conn_id, direction: count): file", |e, a| {
        let known = e.frameworks.steering.find(&argument(a, 0), ends);
        let wanted = sides(count(a, 1));
        let found = known.and_then(|known| {
            known.contents.iter().zip(wanted).find_map(|(kept, is_wanted)| kept.clone().filter(|_| is_wanted))
        });
        match found {
            Some(file) => Ok(Value::File(file)),
            None => {
                e.complain("no contents file for connection");
                Ok(Value::Unset)
            }
        }
    }),
    row("Analyzer::__disable_analyzer", "", |e, a| Ok(switch(e, &argument(a, 0), false))),
    row("Analyzer::__enable_analyzer", "", |e, a| Ok(switch(e, &argument(a, 0), true))),
    row("Analyzer::__disable_all_analyzers", "", |e, _| {
        let all: Vec<Rc<str>> = e.frameworks.steering.names.values().cloned().collect();
        e.frameworks.steering.disabled.extend(all);
        Ok(Value::Unset)
    }),
    row("Analyzer::__register_for_port", "", |_, _| Ok(Value::Bool(true))),
    row("PacketAnalyzer::__disable_analyzer", "", |e, a| Ok(switch(e, &argument(a, 0), false))),
    row("PacketAnalyzer::__enable_analyzer", "", |e, a| Ok(switch(e, &argument(a, 0), true))),
    row("PacketAnalyzer::__set_ignore_checksums_nets", "", |_, _| Ok(Value::Bool(true))),
    row("Analyzer::__name", "", |e, a| Ok(Value::string(e.analyzer_named_by(&argument(a, 0))))),
    row("Analyzer::name", "", |e, a| Ok(Value::string(e.analyzer_named_by(&argument(a, 0))))),
    row("Analyzer::__has_tag", "", |e, a| Ok(Value::Bool(tag(e, &text(a, 0)).is_some()))),
    row("Analyzer::__tag", "", |e, a| match tag(e, &text(a, 0)) {
        Some(tag) => Ok(tag),
        None => Ok(e.tag_type().map_or(Value::Unset, |ty| Value::Enum(ty, 0))),
    }),
    row("get_plugin_components", "", |e, a| Ok(components(e, &text(a, 0)))),
    row("is_protocol_analyzer", "", |e, a| Ok(Value::Bool(is_of(e, &argument(a, 0), "Analyzer::")))),
    row("is_packet_analyzer", "", |e, a| Ok(Value::Bool(is_of(e, &argument(a, 0), "PacketAnalyzer::")))),
    row("is_file_analyzer", "", |e, a| Ok(Value::Bool(is_of(e, &argument(a, 0), "Files::")))),
];

/// Has an analyzer be heard, or not; true where it exists.
fn switch(engine: &mut Engine, tag: &Value, is_on: bool) -> Value {
    let name = engine.analyzer_named_by(tag);
    let steering = &mut engine.frameworks.steering;
    if is_on {
        steering.disabled.remove(name.as_str());
    } else if let Some(name) = steering.names.get(&name.to_ascii_lowercase()) {
        steering.disabled.insert(name.clone());
    }
    Value::Bool(!name.is_empty())
}

/// Returns analyzers that no connection has.
pub fn disabled(engine: &Engine) -> impl Iterator<Item = &str> {
    engine.frameworks.steering.disabled.iter().map(|name| &**name)
}

#[cfg(test)]
mod tests {
    use super::{analyzer, short, sides};

    #[test]
    fn names_of_analyzers() {
        let cases = [
            ("Analyzer::ANALYZER_FTP_DATA", "FTP_DATA"),
            ("PacketAnalyzer::ANALYZER_VXLAN", "VXLAN"),
            ("AllAnalyzers::ANALYZER_ANALYZER_DNS", "DNS"),
        ];
        for (tag, name) in cases {
            assert_eq!(short(tag), name, "{tag}");
        }
        assert_eq!(analyzer("ftp-data"), "FTP_DATA");
        assert_eq!([1, 2, 3, 0].map(sides), [[true, false], [false, true], [true, true], [false, false]]);
    }
}
