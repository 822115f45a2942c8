//! Ids of the analyzers of connections. Zeek gives each analyzer of each connection the next number: that of the transport, one that
//! looks for protocols, those that are registered for the port, one that counts; then others as they are found. Analyzers that
//! read lines bring two that cut them.
//!
//! Limit: as many ids of a connection as there are analyzers.

use std::collections::HashMap;
use std::rc::Rc;

use crate::values::Value;
use crate::vm::Engine;

/// Table of scripts with the ports of analyzers.
const PORTS: &str = "Analyzer::ports";
/// Table of scripts with the number of analyzers that another one brings.
const COMPANIONS: &str = "Analyzer::weir_companions";

/// Ids of the analyzers of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids(Vec<(Rc<str>, u64)>);

impl Ids {
    /// Returns the analyzer with this id.
    pub fn named(&self, id: u64) -> Option<&Rc<str>> {
        self.0.iter().find(|(_, known)| *known == id).map(|(name, _)| name)
    }
}

/// What ids follow from.
#[derive(Debug, Default)]
pub struct Numbering {
    last: u64,
    is_ready: bool,
    /// Analyzers by the ports that they are registered for.
    ports: HashMap<(u16, u8), Vec<Rc<str>>>,
    companions: HashMap<Rc<str>, u64>,
}

impl Numbering {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Gives ids to the analyzers that a connection has from its beginning on; `root` is that of its transport.
    pub fn begin(&mut self, root: &str, port: (u16, u8)) -> Ids {
        let mut ids = Ids(vec![(root.into(), self.next())]);
        if root == "ICMP" {
            return ids;
        }
        ids.0.push(("PIA".into(), self.next()));
        for name in self.ports.get(&port).cloned().unwrap_or_default() {
            self.of(&mut ids, &name);
        }
        ids.0.push(("CONNSIZE".into(), self.next()));
        ids
    }

    /// Returns the id of an analyzer, which has one from now on.
    pub fn of(&mut self, ids: &mut Ids, name: &Rc<str>) -> u64 {
        if let Some((_, id)) = ids.0.iter().find(|(known, _)| known == name) {
            return *id;
        }
        let id = self.next();
        self.last += self.companions.get(name).copied().unwrap_or(0);
        ids.0.push((name.clone(), id));
        id
    }
}

impl Engine {
    /// Reads the ports that scripts registered, the first time that a connection is met.
    pub fn prepare_ids(&mut self) {
        if std::mem::replace(&mut self.frameworks.steering.numbering.is_ready, true) {
            return;
        }
        let mut ports: HashMap<(u16, u8), Vec<Rc<str>>> = HashMap::new();
        if let Some(Value::Table(registered)) = self.global(PORTS) {
            for entry in registered.entries().iter() {
                let name: Rc<str> = self.analyzer_named_by(&entry.key.0).into();
                let Value::Table(all) = &entry.value else { continue };
                for port in all.keys() {
                    if let Value::Port(port) = &port.0 {
                        ports.entry((port.number, port.protocol)).or_default().push(name.clone());
                    }
                }
            }
        }
        let mut companions = HashMap::new();
        if let Some(Value::Table(known)) = self.global(COMPANIONS) {
            for entry in known.entries().iter() {
                companions.insert(Rc::from(entry.key.0.text()), entry.value.count());
            }
        }
        let numbering = &mut self.frameworks.steering.numbering;
        (numbering.ports, numbering.companions) = (ports, companions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_analyzer_has_the_next_number() {
        let name: Rc<str> = "LINES".into();
        let mut numbering = Numbering::default();
        numbering.ports.insert((80, 1), vec![name.clone()]);
        numbering.companions.insert(name.clone(), 2);
        let other: Rc<str> = "OTHER".into();
        let cases: [(&str, u16, [u64; 2]); 4] =
            [("TCP", 80, [3, 7]), ("TCP", 81, [11, 14]), ("ICMP", 0, [16, 19]), ("UDP", 80, [23, 26])];
        for (root, port, expected) in cases {
            let mut ids = numbering.begin(root, (port, 1 + u8::from(root != "TCP")));
            let found = [&name, &other].map(|name| numbering.of(&mut ids, name));
            assert_eq!(found, expected, "{root} {port}");
            assert_eq!(ids.named(expected[0]), Some(&name));
            assert_eq!(numbering.of(&mut ids, &name), expected[0]);
        }
    }
}
