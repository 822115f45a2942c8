//! The protocols that are enabled, each with what the configuration made of it.
//!
//! `app-layer.protocols.<name>.enabled` is `yes`, `no` or `detection-only`; below `tcp` and `udp`
//! it can be said by transport. `detection-ports.dp` and `.sp` replace the protocol's own ports.

use weir_base::{CounterVisitor, Counters};
use weir_mpm::BuildError;

use crate::detection::{Candidate, Recogniser};
use crate::options::Options;
use crate::parser::Factory;
use crate::ports::PortSet;
use crate::protocol::{Protocol, Transport};

/// Position of a protocol in a [`Registry`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct ProtocolId(pub u16);

/// Whether a protocol is looked for and parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enabled {
    /// Recognised and parsed.
    Yes,
    /// Neither.
    No,
    /// Recognised only.
    DetectionOnly,
    /// Recognised and parsed in readings for Zeek's logs: rules and records learn nothing of it.
    ForZeek,
}

impl Enabled {
    /// Whether rules and records learn of it.
    pub const fn is_told(self) -> bool {
        matches!(self, Enabled::Yes | Enabled::DetectionOnly)
    }
}

/// One protocol that is enabled.
pub struct Entry {
    /// The protocol.
    pub protocol: &'static Protocol,
    /// Whether it is parsed on TCP.
    pub tcp: Enabled,
    /// Whether it is parsed on UDP.
    pub udp: Enabled,
    factory: Box<dyn Factory>,
}

impl Entry {
    /// Returns the factory of parsers, where the protocol is parsed on `transport`.
    pub fn factory(&self, transport: Transport) -> Option<&dyn Factory> {
        let is_parsed = matches!(self.enabled(transport), Enabled::Yes | Enabled::ForZeek);
        is_parsed.then_some(&*self.factory)
    }

    /// Whether it is recognised and parsed on `transport`.
    pub fn enabled(&self, transport: Transport) -> Enabled {
        match transport {
            Transport::Tcp => self.tcp,
            Transport::Udp => self.udp,
        }
    }
}

/// The enabled protocols. Immutable, shared by workers.
pub struct Registry {
    entries: Vec<Entry>,
    /// Those that can begin where something else was expected.
    anew: Vec<&'static Protocol>,
    recogniser: Recogniser,
}

/// Counters that parsers of all workers share.
impl Counters for Registry {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        let counters = self.entries.iter().filter_map(|entry| entry.factory.counters());
        counters.for_each(|counters| counters.visit(visitor));
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|entry| entry.protocol)).finish()
    }
}

impl Registry {
    /// Configures `protocols`; `options` gives each one's part of the configuration, and whether it
    /// is enabled where that says nothing.
    pub fn new<'o>(
        protocols: &[&'static Protocol],
        mut options: impl FnMut(&'static Protocol) -> (Box<dyn Options + 'o>, Enabled),
    ) -> Result<Self, BuildError> {
        let mut entries = Vec::new();
        let mut candidates = Vec::new();
        for &protocol in protocols {
            let (options, default) = options(protocol);
            let options = &*options;
            let general = enabled(options, "enabled", default);
            let on = |transport, key: &str| {
                if protocol.transports.contains(&transport) {
                    enabled(options, key, general)
                } else {
                    Enabled::No
                }
            };
            let (tcp, udp) = (on(Transport::Tcp, "tcp.enabled"), on(Transport::Udp, "udp.enabled"));
            if tcp == Enabled::No && udp == Enabled::No {
                continue;
            }
            for (transport, enabled, prefix) in [(Transport::Tcp, tcp, "tcp."), (Transport::Udp, udp, "udp.")]
            {
                if enabled != Enabled::No {
                    candidates.push(Candidate {
                        protocol,
                        transport,
                        ports: ports(options, prefix, &["detection-ports.dp", "detection-ports.sp"])
                            .unwrap_or_else(|| PortSet::of(protocol.ports)),
                        client_ports: ports(options, prefix, &["detection-ports.sp"]).unwrap_or_default(),
                        alone: enabled == Enabled::ForZeek,
                    });
                }
            }
            entries.push(Entry { protocol, tcp, udp, factory: (protocol.configure)(options) });
        }
        let protocols = entries.iter().map(|entry: &Entry| entry.protocol);
        let anew = protocols.filter(|protocol| protocol.begins_anew.is_some()).collect();
        Ok(Self { entries, anew, recogniser: Recogniser::new(&candidates)? })
    }

    /// All enabled protocols, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The enabled protocol that a client begins with these bytes where something else was expected.
    pub fn begun_anew(&self, bytes: &[u8]) -> Option<&'static Protocol> {
        self.anew.iter().copied().find(|protocol| protocol.begins_anew.is_some_and(|begins| begins(bytes)))
    }

    /// Returns the recogniser of them.
    pub fn recogniser(&self) -> &Recogniser {
        &self.recogniser
    }

    /// The entry at `id`.
    pub fn entry(&self, id: ProtocolId) -> Option<&Entry> {
        self.entries.get(usize::from(id.0))
    }

    /// Where `protocol` stands.
    pub fn id_of(&self, protocol: &'static Protocol) -> Option<ProtocolId> {
        self.entries.iter().position(|entry| entry.protocol == protocol).map(|index| ProtocolId(index as u16))
    }

    /// The enabled protocol of this name, perhaps an alias.
    pub fn by_name(&self, name: &str) -> Option<&Entry> {
        let exact = self.entries.iter().find(|entry| entry.protocol.name.eq_ignore_ascii_case(name));
        exact.or_else(|| self.entries.iter().find(|entry| entry.protocol.is_named(name)))
    }
}

/// Reads a `yes|no|detection-only` value.
fn enabled(options: &dyn Options, key: &str, default: Enabled) -> Enabled {
    let Some(text) = options.text(key) else { return default };
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Enabled::Yes,
        "no" | "false" | "off" | "0" => Enabled::No,
        "detection-only" => Enabled::DetectionOnly,
        _ => {
            options.complain(key, "it should be yes, no or detection-only; the default is used");
            default
        }
    }
}

/// The detection ports that these keys configure, if any does.
fn ports(options: &dyn Options, prefix: &str, keys: &[&str]) -> Option<PortSet> {
    let mut configured: Option<PortSet> = None;
    for &key in keys {
        for key in [format!("{prefix}{key}"), key.to_owned()] {
            let mut texts: Vec<_> = options.text(&key).into_iter().collect();
            texts.extend(options.list(&key));
            for text in texts {
                match PortSet::parse(&text) {
                    Ok(ports) => configured.get_or_insert_default().extend(ports),
                    Err(_) => {
                        options.complain(&key, "it should be ports such as 80, 8000:8080; it is left out")
                    }
                }
            }
        }
    }
    configured
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::toy;

    struct Texts(BTreeMap<&'static str, &'static str>);

    impl Options for Texts {
        fn text(&self, path: &str) -> Option<String> {
            self.0.get(path).map(|text| (*text).to_owned())
        }
        fn children(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
        fn complain(&self, _: &str, _: &str) {}
    }

    #[test]
    fn what_is_enabled() {
        use Enabled::{DetectionOnly, No, Yes};
        type Case = (&'static [(&'static str, &'static str)], Enabled, Option<(Enabled, Enabled)>);
        let cases: &[Case] = &[
            (&[], Yes, Some((Yes, Yes))),
            (&[], No, None),
            (&[("enabled", "no")], Yes, None),
            (&[("enabled", "detection-only")], Yes, Some((DetectionOnly, DetectionOnly))),
            (&[("udp.enabled", "no")], Yes, Some((Yes, No))),
            (&[("enabled", "no"), ("tcp.enabled", "yes")], Yes, Some((Yes, No))),
            (&[("enabled", "perhaps")], Yes, Some((Yes, Yes))),
        ];
        for (texts, default, expected) in cases {
            let registry = Registry::new(&[&toy::BINARY], |_| {
                (Box::new(Texts(texts.iter().copied().collect())) as Box<dyn Options>, *default)
            })
            .unwrap();
            let found = registry.by_name("bin").map(|entry| (entry.tcp, entry.udp));
            assert_eq!(found, *expected, "{texts:?}");
        }
    }

    #[test]
    fn ports_as_configured() {
        type Case = (&'static [(&'static str, &'static str)], &'static [u16]);
        let cases: &[Case] = &[
            (&[], &[7]),
            (&[("detection-ports.dp", "70, 71")], &[70, 71]),
            (&[("tcp.detection-ports.dp", "8")], &[8]),
            (&[("udp.detection-ports.dp", "8")], &[7]),
            (&[("detection-ports.dp", "none")], &[7]),
        ];
        for (texts, expected) in cases {
            let options = Texts(texts.iter().copied().collect());
            let found =
                ports(&options, "tcp.", &["detection-ports.dp"]).unwrap_or(PortSet::of(toy::BINARY.ports));
            assert_eq!(found, PortSet::of(expected), "{texts:?}");
        }
    }
}
