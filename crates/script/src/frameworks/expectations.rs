//! Connections that scripts expect (`Analyzer::schedule_analyzer`): scripts hear when one comes up.
//!
//! Limits: expectations that are kept ([`MOST`]); those that are over go first.

use crate::builtins::{Builtin, argument, double, row};
use crate::values::{Addr, Port, Value};
use crate::vm::Engine;

/// Most expectations that are kept.
const MOST: usize = 4096;

/// The event of a connection that begins, and those that name it.
pub const BEGINNING: &str = "new_connection";
const ASKING: [&str; 2] = ["Analyzer::schedule_analyzer", "Analyzer::__schedule_analyzer"];

/// A connection that is expected.
struct Expected {
    /// The originator; any where that is the address 0.0.0.0.
    orig: Addr,
    resp: Addr,
    port: Port,
    analyzer: Value,
    until: f64,
}

/// The connections that are expected.
#[derive(Default)]
pub struct Expectations {
    all: Vec<Expected>,
}

impl Expectations {
    /// Returns whether any connection is expected.
    pub fn exist(&self) -> bool {
        !self.all.is_empty()
    }
}

/// Returns whether scripts expect connections.
pub fn are_asked(engine: &Engine) -> bool {
    engine.program.mentions.has_global(|name| ASKING.contains(&name))
}

fn is_any(address: &Addr) -> bool {
    // In the form of IPv6 (RFC 4291 2.5.5.2).
    matches!(address.0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0])
}

impl Engine {
    fn expect(&mut self, a: &[Value]) -> bool {
        let (Value::Addr(orig), Value::Addr(resp), Value::Port(port)) =
            (argument(a, 0), argument(a, 1), argument(a, 2))
        else {
            return false;
        };
        let now = self.network_time;
        let known = &mut self.frameworks.expectations.all;
        if known.len() >= MOST {
            known.retain(|expected| expected.until >= now);
        }
        let has_room = known.len() < MOST;
        if has_room {
            known.push(Expected { orig, resp, port, analyzer: argument(a, 3), until: now + double(a, 4) });
        }
        has_room
    }

    /// Tells scripts that a connection which begins was expected.
    pub fn tell_expected(&mut self, connection: &Value) {
        let Value::Record(record) = connection else { return };
        let Value::Record(id) = self.field(record, "id") else { return };
        let (Value::Addr(orig), Value::Addr(resp), Value::Port(port)) = (id.get(0), id.get(2), id.get(3))
        else {
            return;
        };
        let now = self.network_time;
        let found: Vec<Value> = self
            .frameworks
            .expectations
            .all
            .iter()
            .filter(|expected| expected.until >= now && expected.resp == resp && expected.port == port)
            .filter(|expected| expected.orig == orig || is_any(&expected.orig))
            .map(|expected| expected.analyzer.clone())
            .collect();
        for analyzer in found {
            self.raise_named("scheduled_analyzer_applied", vec![connection.clone(), analyzer]);
        }
    }
}

/// Functions about connections that are expected; their declarations are in the prelude.
pub const ROWS: &[Builtin] = &[row("Analyzer::__schedule_analyzer", "", |e, a| Ok(Value::Bool(e.expect(a))))];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_originator() {
        assert!(is_any(&Addr::parse("0.0.0.0").expect("an address")));
        assert!(!is_any(&Addr::parse("10.0.0.0").expect("an address")));
        assert!(!is_any(&Addr::parse("::").expect("an address")));
    }
}
