//! The reporter: messages of scripts, and how often weirds are told.

use std::collections::HashMap;
use std::rc::Rc;

use crate::builtins::{Builtin, argument, count, double, row, text};
use crate::traffic::MOST_KNOWN;
use crate::types::TypeId;
use crate::values::{Key, TableValue, Value};
use crate::vm::{Engine, Fault, Outcome};

/// Most weirds that are counted apart.
const MOST_COUNTED: usize = 1 << 16;

/// Connections of which scripts have said that they reached a limit, and how long their history was then.
#[derive(Default)]
pub struct Limits {
    places: HashMap<Vec<u8>, usize>,
}

/// The function that says it.
pub const LIMIT_REACHED: &str = "Reporter::limit_reached_weird";

/// The letter that says it in a history.
const LIMITED: u8 = b'X';

impl Limits {
    /// Returns the history of a connection with what scripts have said of it.
    pub fn history(&self, uid: &[u8], history: &[u8]) -> Vec<u8> {
        let mut letters = history.to_vec();
        if let Some(place) = self.places.get(uid).filter(|_| !history.contains(&LIMITED)) {
            letters.insert((*place).min(letters.len()), LIMITED);
        }
        letters
    }

    /// A connection is over.
    pub fn forget(&mut self, uid: &[u8]) {
        self.places.remove(uid);
    }
}

impl Engine {
    /// Notes that a connection reached a limit.
    fn note_limit(&mut self, connection: &Value) {
        let Value::Record(record) = connection else { return };
        let [uid, history] = ["uid", "history"].map(|name| self.field(record, name));
        let places = &mut self.frameworks.limits.places;
        if places.len() < MOST_KNOWN && !places.contains_key(uid.bytes()) {
            places.insert(uid.bytes().to_vec(), history.bytes().len());
            let letters = self.frameworks.limits.history(uid.bytes(), history.bytes());
            self.set_field(record, "history", Value::string(letters));
        }
    }
}

/// Built-in functions; those without a signature are declared by the prelude.
pub const ROWS: &[Builtin] = &[
    row("Reporter::info", "(msg: string): bool", |e, a| Ok(tell(e, "info", &text(a, 0)))),
    row("Reporter::warning", "(msg: string): bool", |e, a| Ok(tell(e, "warning", &text(a, 0)))),
    row("Reporter::error", "(msg: string): bool", |e, a| Ok(tell(e, "error", &text(a, 0)))),
    row("Reporter::fatal", "(msg: string): bool", fatal),
    row("Reporter::fatal_error_with_core", "(msg: string): bool", fatal),
    row(
        "Reporter::net_weird",
        "(name: string, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| Ok(weird(e, a, "net_weird", "")),
    ),
    row(
        "Reporter::conn_weird",
        "(name: string, c: connection, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let Value::Record(connection) = argument(a, 1) else {
                return Ok(weird(e, a, "conn_weird", ""));
            };
            let uid = e.field(&connection, "uid");
            // No connection goes on before the first packet.
            if e.network_time > 0.0 {
                return Ok(weird(e, a, "conn_weird", &uid.text()));
            }
            let id = e.field(&connection, "id");
            let arguments = [argument(a, 0), id, uid.clone(), argument(a, 2), argument(a, 3)];
            Ok(weird(e, &arguments, "expired_conn_weird", &uid.text()))
        },
    ),
    row(
        "Reporter::flow_weird",
        "(name: string, orig: addr, resp: addr, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let pair = match (argument(a, 1), argument(a, 2)) {
                (Value::Addr(one), Value::Addr(other)) => format!("{one} {other}"),
                _ => String::new(),
            };
            Ok(weird(e, a, "flow_weird", &pair))
        },
    ),
    row(
        "Reporter::file_weird",
        "(name: string, f: fa_file, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let id = match argument(a, 1) {
                Value::Record(file) => e.field(&file, "id").text(),
                _ => String::new(),
            };
            Ok(weird(e, a, "file_weird", &id))
        },
    ),
    row("Reporter::limit_reached_weird", "", |e, a| {
        let (limit, most) = (count(a, 2), count(a, 3));
        let addl = if most > 0 { format!("{limit} > {most}") } else { limit.to_string() };
        e.note_limit(&argument(a, 1));
        let arguments = [argument(a, 0), argument(a, 1), Value::string(addl), argument(a, 4)];
        Ok(weird(e, &arguments, "conn_weird", ""))
    }),
    row("Reporter::weir_inform", "(msg: string): bool", |e, a| {
        e.report("info", "", &text(a, 0));
        Ok(Value::Bool(true))
    }),
    row("Reporter::weir_end", "(msg: string): bool", |e, a| {
        e.report("fatal error", "", &text(a, 0));
        e.exit_code = Some(1);
        Err(Fault::Exit)
    }),
    row("PacketAnalyzer::weir_is_late", "(): bool", |e, _| Ok(Value::Bool(e.is_initialised))),
    row("Reporter::get_weird_sampling_threshold", "", |e, _| {
        Ok(Value::Count(e.frameworks.sampling.threshold))
    }),
    row("Reporter::set_weird_sampling_threshold", "", |e, a| {
        e.frameworks.sampling.threshold = count(a, 0);
        Ok(Value::Bool(true))
    }),
    row("Reporter::get_weird_sampling_rate", "", |e, _| Ok(Value::Count(e.frameworks.sampling.rate))),
    row("Reporter::set_weird_sampling_rate", "", |e, a| {
        e.frameworks.sampling.rate = count(a, 0);
        Ok(Value::Bool(true))
    }),
    row("Reporter::get_weird_sampling_duration", "", |e, _| {
        Ok(Value::Interval(e.frameworks.sampling.duration))
    }),
    row("Reporter::set_weird_sampling_duration", "", |e, a| {
        e.frameworks.sampling.duration = double(a, 0);
        Ok(Value::Bool(true))
    }),
    row("Reporter::get_weird_sampling_whitelist", "", |e, _| {
        let names = e.frameworks.sampling.exempt.clone();
        Ok(set_of(e, &names))
    }),
    row("Reporter::set_weird_sampling_whitelist", "", |e, a| {
        e.frameworks.sampling.exempt = names(&argument(a, 0));
        Ok(Value::Bool(true))
    }),
    row("Reporter::get_weird_sampling_global_list", "", |e, _| {
        let names = e.frameworks.sampling.global.clone();
        Ok(set_of(e, &names))
    }),
    row("Reporter::set_weird_sampling_global_list", "", |e, a| {
        e.frameworks.sampling.global = names(&argument(a, 0));
        Ok(Value::Bool(true))
    }),
];

/// How often weirds are told: all up to a threshold, then each of a rate, until some time has passed.
#[derive(Debug)]
pub struct Sampling {
    threshold: u64,
    rate: u64,
    duration: f64,
    exempt: Vec<String>,
    /// Names that are counted for all connections together.
    global: Vec<String>,
    /// Counts with the time of the first, by name and what it is of.
    seen: HashMap<(String, String), (u64, f64)>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            threshold: 25,
            rate: 1000,
            duration: 600.0,
            exempt: Vec::new(),
            global: Vec::new(),
            seen: HashMap::new(),
        }
    }
}

impl Sampling {
    /// Counts a weird; returns whether it is told.
    pub fn admits(&mut self, name: &str, of: &str, now: f64) -> bool {
        if self.exempt.iter().any(|known| known == name) {
            return true;
        }
        let of = if self.global.iter().any(|known| known == name) { "" } else { of };
        if self.seen.len() >= MOST_COUNTED {
            self.seen.clear();
        }
        let (number, since) = self.seen.entry((name.to_owned(), of.to_owned())).or_insert((0, now));
        if now - *since > self.duration {
            (*number, *since) = (0, now);
        }
        *number += 1;
        *number <= self.threshold || (self.rate > 0 && (*number - self.threshold).is_multiple_of(self.rate))
    }
}

fn names(set: &Value) -> Vec<String> {
    set.table().map(|table| table.keys().iter().map(|key| key.0.text()).collect()).unwrap_or_default()
}

fn set_of(engine: &mut Engine, names: &[String]) -> Value {
    let ty = engine.program.types.table(&[TypeId::STRING], None);
    let set = Rc::new(TableValue::new(ty));
    for name in names {
        set.insert(Key::new(&Value::string(name)), Value::Unset, 0.0);
    }
    Value::Table(set)
}

fn weird(engine: &mut Engine, a: &[Value], event: &str, of: &str) -> Value {
    let now = engine.now();
    if !engine.frameworks.sampling.admits(&text(a, 0), of, now) {
        return Value::Bool(true);
    }
    Value::Bool(engine.raise_named(event, a.to_vec()))
}

fn tell(engine: &mut Engine, severity: &str, message: &str) -> Value {
    let place = engine.program.files.place(engine.current());
    let before = engine.errors;
    engine.report(severity, &place, message);
    engine.errors = before;
    Value::Bool(true)
}

fn fatal(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let place = engine.program.files.place(engine.current());
    engine.report("fatal error", &place, &text(a, 0));
    engine.exit_code = Some(1);
    Err(Fault::Exit)
}

/// Raises the event for a message of a running engine; returns whether it is shown on standard error.
pub fn raise(engine: &mut Engine, severity: &str, place: &str, message: &str) -> bool {
    let (event, option) = match severity {
        "info" => ("reporter_info", "Reporter::info_to_stderr"),
        "warning" | "expression warning" => ("reporter_warning", "Reporter::warnings_to_stderr"),
        "error" | "expression error" | "runtime error" => ("reporter_error", "Reporter::errors_to_stderr"),
        _ => return true,
    };
    if !engine.is_running {
        return true;
    }
    let arguments = vec![Value::Time(engine.now()), Value::string(message), Value::string(place)];
    engine.raise_named(event, arguments);
    let is_wanted = engine.global(option).is_none_or(|value| value.is_true());
    is_wanted || !engine.is_initialised
}

#[cfg(test)]
mod tests {
    use super::Sampling;

    #[test]
    fn weirds_beyond_the_threshold_are_sampled() {
        let mut sampling = Sampling { threshold: 10, rate: 10, duration: 5.0, ..Sampling::default() };
        let told =
            |sampling: &mut Sampling, now: f64| (0..30).filter(|_| sampling.admits("a", "", now)).count();
        assert_eq!(told(&mut sampling, 0.0), 12);
        assert_eq!(told(&mut sampling, 2.0), 3);
        assert_eq!(told(&mut sampling, 7.0), 12);
        sampling.exempt.push("a".to_owned());
        assert_eq!(told(&mut sampling, 7.0), 30);
    }
}
