//! Connections and files as records that last from event to event, so that what scripts add to them stays.

use std::collections::HashMap;
use std::rc::Rc;

use weir_base::event::{ReadConnection, ReadEnd, ReadFile, ReadTunnel, ReadValue};

use super::MOST_KNOWN;
use crate::signatures::Told;
use crate::types::TypeId;
use crate::values::{Addr, Key, Port, RecordValue, TableValue, Value, VectorValue};
use crate::vm::Engine;

/// A connection that scripts have seen.
struct Connection {
    record: Rc<RecordValue>,
    /// Protocols as they were when they were put into the record.
    services: Vec<Vec<u8>>,
    ends: [([u8; 16], u16); 2],
}

/// Types and places of fields, looked up once.
#[derive(Clone, Copy)]
struct Types {
    connection: TypeId,
    id: TypeId,
    context: TypeId,
    end: TypeId,
    services: TypeId,
    tunnels: TypeId,
    tunnel: TypeId,
    file: TypeId,
    connections: TypeId,
}

/// Connections and files that scripts have seen.
pub(super) struct Known {
    types: Option<Types>,
    connections: HashMap<Vec<u8>, Connection, ahash::RandomState>,
    files: HashMap<Vec<u8>, Rc<RecordValue>, ahash::RandomState>,
}

/// Places of fields in `connection`.
mod place {
    pub const ID: usize = 0;
    pub const ORIG: usize = 1;
    pub const RESP: usize = 2;
    pub const START: usize = 3;
    pub const DURATION: usize = 4;
    pub const SERVICE: usize = 5;
    pub const HISTORY: usize = 6;
    pub const UID: usize = 7;
    pub const TUNNEL: usize = 8;
    pub const VLAN: usize = 9;
    pub const INNER_VLAN: usize = 10;
}

/// Place of what else tells connections apart in `conn_id`.
pub(super) const CONTEXT: usize = 5;

/// Places of fields in `fa_file`.
mod file_place {
    pub const ID: usize = 0;
    pub const SOURCE: usize = 2;
    pub const IS_ORIG: usize = 3;
    pub const CONNECTIONS: usize = 4;
    pub const LAST_ACTIVE: usize = 5;
    pub const SEEN: usize = 6;
    pub const TOTAL: usize = 7;
    pub const MISSING: usize = 8;
    pub const HEAD: usize = 12;
}

impl Default for Known {
    fn default() -> Self {
        // Ids are the engine's own: nobody chooses them.
        let hasher = || ahash::RandomState::with_seeds(1, 2, 3, 4);
        Self {
            types: None,
            connections: HashMap::with_hasher(hasher()),
            files: HashMap::with_hasher(hasher()),
        }
    }
}

impl Types {
    fn of(engine: &mut Engine) -> Option<Self> {
        let named = |engine: &Engine, name: &str| engine.program.type_named(name);
        let connection = named(engine, "connection")?;
        let field = |engine: &Engine, ty: TypeId, place: usize| {
            engine.types().record(ty).and_then(|record| record.fields.get(place)).map(|field| field.ty)
        };
        let tunnels = field(engine, connection, place::TUNNEL)?;
        let file = named(engine, "fa_file")?;
        Some(Self {
            connection,
            id: named(engine, "conn_id")?,
            context: named(engine, "conn_id_ctx")?,
            end: named(engine, "endpoint")?,
            services: field(engine, connection, place::SERVICE)?,
            tunnels,
            tunnel: engine.types().element(tunnels)?,
            file,
            connections: field(engine, file, file_place::CONNECTIONS)?,
        })
    }
}

/// Returns the word of Zeek's scripts for a service, by its name in rows: that of an analyzer, or `ftp-data` and its like.
fn said(service: &[u8]) -> Vec<u8> {
    let is_analyzer = !service.get(1..).is_some_and(|name| name.contains(&b'-'));
    if is_analyzer { service.to_ascii_uppercase() } else { service.to_vec() }
}

/// Returns a link-layer address as text.
fn link_text(link: &[u8]) -> Value {
    if link.is_empty() {
        return Value::Unset;
    }
    let parts: Vec<String> = link.iter().map(|byte| format!("{byte:02x}")).collect();
    Value::string(parts.join(":"))
}

impl Known {
    fn types(&mut self, engine: &mut Engine) -> Option<Types> {
        if self.types.is_none() {
            self.types = Types::of(engine);
        }
        self.types
    }

    /// Returns the record of a connection, as it is now.
    pub(super) fn connection(&mut self, engine: &mut Engine, read: &ReadConnection<'_>) -> Value {
        let Some(types) = self.types(engine) else { return Value::Unset };
        let is_new = !self.connections.contains_key(read.uid);
        let mut found = match self.connections.remove(read.uid) {
            Some(found) => found,
            None => Connection {
                record: Rc::new(RecordValue::new(types.connection, Vec::new())),
                services: Vec::new(),
                ends: [([0; 16], 0); 2],
            },
        };
        if is_new || read.is_whole {
            self.update(engine, types, &mut found, read, is_new);
        }
        let record = found.record.clone();
        if is_new {
            let _ = engine.fill_record(&record);
        }
        if engine.frameworks.steering.is_asked && (is_new || read.is_whole) {
            engine.prepare_ids();
            engine.frameworks.steering.know(read, &record);
        }
        if !is_new || self.connections.len() < MOST_KNOWN {
            self.connections.insert(read.uid.to_vec(), found);
        }
        Value::Record(record)
    }

    fn update(
        &self,
        engine: &mut Engine,
        types: Types,
        found: &mut Connection,
        read: &ReadConnection<'_>,
        is_new: bool,
    ) {
        let record = &found.record;
        let ends = read.ends.map(|end| (end.address, end.port));
        if is_new || found.ends != ends {
            found.ends = ends;
            // What scripts have put into the id stays where the ends are exchanged.
            let context = match record.get(place::ID) {
                Value::Record(id) => id.get(CONTEXT),
                _ => Value::Unset,
            };
            let new = id(types, ends, read.protocol);
            if let (Value::Record(new), true) = (&new, context.is_set()) {
                new.set(CONTEXT, context);
            }
            record.set(place::ID, new);
        }
        for (place, end) in [place::ORIG, place::RESP].into_iter().zip(&read.ends) {
            update_end(record, types, place, end);
        }
        if is_new {
            record.set(place::START, Value::Time(read.start));
            record.set(place::UID, Value::string(read.uid));
            record.set(place::SERVICE, Value::Table(Rc::new(TableValue::new(types.services))));
            for (place, tag) in [place::VLAN, place::INNER_VLAN].into_iter().zip(read.vlans) {
                if tag >= 0 {
                    record.set(place, Value::Int(tag.into()));
                }
            }
            if !read.tunnels.is_empty() {
                record.set(place::TUNNEL, tunnels(engine, types, &read.tunnels));
            }
        }
        // The difference of the times as they are shown, to the last digit.
        let last = ((read.start + read.duration) * 1e6).round() / 1e6;
        record.set(place::DURATION, Value::Interval(last - read.start));
        let history = engine.frameworks.limits.history(read.uid, read.history);
        record.set(place::HISTORY, Value::string(history));
        if found.services.iter().map(Vec::as_slice).ne(read.services.iter().copied()) {
            let now = engine.now();
            if let Value::Table(set) = record.get(place::SERVICE) {
                let member = |name: &[u8]| Value::string(said(name));
                for gone in found.services.iter().filter(|known| !read.services.contains(&known.as_slice())) {
                    set.remove(&member(gone));
                }
                for name in &read.services {
                    if !found.services.iter().any(|known| known == name) {
                        set.insert(Key::new(&member(name)), Value::Unset, now);
                    }
                }
            }
            found.services = read.services.iter().map(|name| name.to_vec()).collect();
        }
    }

    /// Returns the record of a file, as it is now.
    pub(super) fn file(&mut self, engine: &mut Engine, read: &ReadFile<'_>) -> Value {
        let Some(types) = self.types(engine) else { return Value::Unset };
        if let Some(record) = engine.frameworks.files.record(read.id) {
            return Value::Record(record.clone());
        }
        let (record, is_new) = match self.files.get(read.id) {
            Some(record) => (record.clone(), false),
            None => (Rc::new(RecordValue::new(types.file, Vec::new())), true),
        };
        record.set(file_place::ID, Value::string(read.id));
        record.set(file_place::SOURCE, Value::string(read.source));
        record.set(file_place::IS_ORIG, read.is_orig.map_or(Value::Unset, Value::Bool));
        record.set(file_place::LAST_ACTIVE, Value::Time(read.last_active));
        record.set(file_place::SEEN, Value::Count(read.seen));
        record.set(file_place::TOTAL, read.total.map_or(Value::Unset, Value::Count));
        record.set(file_place::MISSING, Value::Count(read.missing));
        if !read.head.is_empty() {
            record.set(file_place::HEAD, Value::string(read.head));
        }
        if let ReadValue::Connection(over) = &read.connection {
            let connection = self.connection(engine, over);
            let connections = match record.get(file_place::CONNECTIONS) {
                Value::Table(connections) => connections,
                _ => Rc::new(TableValue::new(types.connections)),
            };
            if let Value::Record(inner) = &connection {
                connections.insert(Key::new(&inner.get(place::ID)), connection.clone(), engine.now());
            }
            record.set(file_place::CONNECTIONS, Value::Table(connections));
        }
        if is_new {
            let _ = engine.fill_record(&record);
        }
        inform(engine, &record, read);
        if is_new && self.files.len() < MOST_KNOWN {
            self.files.insert(read.id.to_vec(), record.clone());
        }
        Value::Record(record)
    }

    /// Returns the record of a connection or file that is known, by its id.
    pub(super) fn find(&self, id: &[u8]) -> Option<&Rc<RecordValue>> {
        self.connections.get(id).map(|known| &known.record).or_else(|| self.files.get(id))
    }

    /// Returns the id and the states of the ends of the connection that an event is of.
    pub(super) fn told<'a>(read: &'a ReadConnection<'_>, record: &'a Value) -> Told<'a> {
        let states = read.is_whole.then(|| read.ends.map(|end| end.state));
        Told { uid: read.uid, record, states, protocol: read.protocol }
    }

    /// A connection or file is over: nothing more is heard of it.
    pub(super) fn forget(&mut self, id: &[u8]) {
        self.connections.remove(id);
        self.files.remove(id);
    }
}

/// Sets the fields of a file's row (`f$info`), where scripts have it.
fn inform(engine: &mut Engine, record: &RecordValue, read: &ReadFile<'_>) {
    let Some(ty) = engine.program.type_named("Files::Info") else { return };
    let has_info = engine.types().record(record.ty).is_some_and(|declared| declared.field("info").is_some());
    if !has_info {
        return;
    }
    let info = match engine.field(record, "info") {
        Value::Record(info) => info,
        _ => {
            let info = engine.new_record(ty);
            engine.set_field(record, "info", Value::Record(info.clone()));
            info
        }
    };
    let text = |bytes: &[u8]| if bytes.is_empty() { Value::Unset } else { Value::string(bytes) };
    let fields = [
        ("ts", Value::Time(read.first_seen)),
        ("fuid", Value::string(read.id)),
        ("source", Value::string(read.source)),
        ("depth", Value::Count(read.depth)),
        ("mime_type", text(read.mime_type)),
        ("filename", text(read.filename)),
        ("duration", Value::Interval(read.last_active - read.first_seen)),
        ("is_orig", read.is_orig.map_or(Value::Unset, Value::Bool)),
        ("seen_bytes", Value::Count(read.seen)),
        ("total_bytes", read.total.map_or(Value::Unset, Value::Count)),
        ("missing_bytes", Value::Count(read.missing)),
    ];
    for (name, value) in fields {
        engine.set_field(&info, name, value);
    }
    if let ReadValue::Connection(over) = &read.connection {
        engine.set_field(&info, "uid", Value::string(over.uid));
    }
}

/// Returns the tunnels around a connection.
fn tunnels(engine: &Engine, types: Types, read: &[ReadTunnel<'_>]) -> Value {
    let kind = |name: &[u8]| engine.program.enum_named(&String::from_utf8_lossy(name)).unwrap_or_default();
    let of = |tunnel: &ReadTunnel<'_>| {
        let fields =
            vec![id(types, tunnel.ends, tunnel.protocol), kind(tunnel.kind), Value::string(tunnel.uid)];
        Value::Record(Rc::new(RecordValue::new(types.tunnel, fields)))
    };
    Value::Vector(Rc::new(VectorValue::new(types.tunnels, read.iter().map(of).collect())))
}

fn id(types: Types, [orig, resp]: [([u8; 16], u16); 2], protocol: u8) -> Value {
    let transport = weir_base::event::transport::of_protocol(protocol);
    let port = |number: u16| Value::Port(Port { number, protocol: transport });
    let context = Value::Record(Rc::new(RecordValue::new(types.context, Vec::new())));
    let fields = vec![
        Value::Addr(Addr(orig.0)),
        port(orig.1),
        Value::Addr(Addr(resp.0)),
        port(resp.1),
        Value::Count(protocol.into()),
        context,
    ];
    Value::Record(Rc::new(RecordValue::new(types.id, fields)))
}

fn update_end(record: &RecordValue, types: Types, place: usize, read: &ReadEnd<'_>) {
    let end = match record.get(place) {
        Value::Record(end) => end,
        _ => {
            let end = Rc::new(RecordValue::new(types.end, Vec::new()));
            record.set(place, Value::Record(end.clone()));
            end.set(5, link_text(read.link));
            end
        }
    };
    end.set(0, Value::Count(read.size));
    end.set(1, Value::Count(read.state.into()));
    end.set(2, Value::Count(read.packets));
    end.set(3, Value::Count(read.ip_bytes));
    end.set(4, Value::Count(read.flow_label.into()));
}
