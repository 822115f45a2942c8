//! Protocols below IP that nothing knows: scripts are told of the first of each kind, and of few of what follows.
//!
//! Limit: [`MOST_PAIRS`] kinds are counted at a time; of others nothing is told until some are over.

use std::collections::HashMap;
use std::rc::Rc;

use weir_base::Reader;

use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::Engine;

/// The event, which makes each packet be looked at.
pub const EVENT: &str = "unknown_protocol";

/// Most pairs of an analyzer and a protocol that are counted.
const MOST_PAIRS: usize = 1 << 16;

/// Packets of other pairs between two looks for pairs that are over, which walk over all: a packet pays for few of them.
const SWEEP_EVERY: usize = MOST_PAIRS / 16;

/// Most headers of a frame.
const MAX_LAYERS: usize = 16;

/// What Ethernet and VLANs carry that is known: IP, ARP and its reverse, VLANs, MPLS, sessions of PPPoE, backbone bridges.
const KNOWN: [u16; 11] =
    [0x0800, 0x86dd, 0x0806, 0x8035, 0x8100, 0x88a8, 0x9100, 0x8847, 0x8864, 0x8926, 0x88e7];
const VLANS: [u16; 3] = [0x8100, 0x88a8, 0x9100];
const PPPOE: u16 = 0x8864;

/// Least type of Ethernet; below are lengths (IEEE 802.3 3.2.6).
const LEAST_TYPE: u16 = 0x600;

/// Kinds of links, and families of the loopback interface (BSD's for IP).
const NULL: u64 = 0;
const ETHERNET: u64 = 1;
const LINUX_COOKED: u64 = 113;
const FAMILIES: [u32; 4] = [2, 24, 28, 30];

/// Protocols of PPP that are known: IP of both versions.
const OF_PPP: [u16; 2] = [0x21, 0x57];

/// Service access points of LLC that are known: SNAP, and what Novell writes.
const SNAP: u16 = 0xaaaa;
const NOVELL: u16 = 0xffff;

/// A protocol that is not known.
#[derive(Debug, PartialEq, Eq)]
struct Unknown<'a> {
    protocol: u64,
    /// The analyzers on the way, of which the last one does not know it.
    history: Vec<&'static str>,
    bytes: &'a [u8],
}

/// How often pairs were seen, and when that is forgotten.
#[derive(Default)]
pub struct Sampling {
    seen: HashMap<(&'static str, u64), (u64, f64)>,
    /// Packets of other pairs since those that are over were last looked for.
    refused: usize,
}

/// How much is told.
#[derive(Clone, Copy)]
struct Rates {
    threshold: u64,
    rate: u64,
    duration: f64,
}

impl Sampling {
    /// Returns whether scripts are told of a pair at a moment.
    fn admits(&mut self, pair: (&'static str, u64), now: f64, rates: Rates) -> bool {
        if self.seen.len() >= MOST_PAIRS && !self.seen.contains_key(&pair) {
            self.refused += 1;
            if self.refused >= SWEEP_EVERY {
                self.refused = 0;
                self.seen.retain(|_, (_, until)| *until > now);
            }
            if self.seen.len() >= MOST_PAIRS {
                return false;
            }
        }
        let known = self.seen.entry(pair).or_insert((0, now + rates.duration));
        if known.1 <= now {
            *known = (0, now + rates.duration);
        }
        known.0 += 1;
        let beyond = known.0.saturating_sub(rates.threshold);
        beyond == 0 || rates.rate > 0 && beyond.is_multiple_of(rates.rate)
    }
}

/// Finds what is not known in a frame of a kind of link.
fn find(link: u64, frame: &[u8]) -> Option<Unknown<'_>> {
    let mut reader = Reader::new(frame);
    let mut history = Vec::new();
    let mut kind = match link {
        ETHERNET => {
            history.push("ETHERNET");
            reader.skip(12)?;
            reader.u16()?
        }
        LINUX_COOKED => {
            history.push("LINUXSLL");
            reader.skip(14)?;
            reader.u16()?
        }
        NULL => {
            let family = u32::from_ne_bytes(reader.array()?);
            let is_known = FAMILIES.contains(&family) || FAMILIES.contains(&family.swap_bytes());
            let unknown = Unknown { protocol: family.into(), history: vec!["NULL"], bytes: reader.rest() };
            return (!is_known).then_some(unknown);
        }
        _ => return None,
    };
    if kind < LEAST_TYPE {
        let points = reader.u16().filter(|_| link == ETHERNET)?;
        history.push("LLC");
        let is_known = matches!(points, SNAP | NOVELL);
        reader.skip(1)?;
        let unknown = Unknown { protocol: points.into(), history, bytes: reader.rest() };
        return (!is_known).then_some(unknown);
    }
    for _ in 0..MAX_LAYERS {
        if !KNOWN.contains(&kind) {
            return Some(Unknown { protocol: kind.into(), history, bytes: reader.rest() });
        }
        if VLANS.contains(&kind) {
            history.push("VLAN");
            reader.skip(2)?;
            kind = reader.u16()?;
            continue;
        }
        if kind == PPPOE {
            history.push("PPPOE");
            reader.skip(6)?;
            let protocol = reader.u16().filter(|protocol| !OF_PPP.contains(protocol))?;
            return Some(Unknown { protocol: protocol.into(), history, bytes: reader.rest() });
        }
        return None;
    }
    None
}

/// Tells scripts of what is not known in the packet at hand.
pub fn tell(engine: &mut Engine) {
    let frame = engine.frameworks.packets.current().map(|(link, bytes)| (link, bytes.to_vec()));
    let Some((link, bytes)) = frame else { return };
    let Some(found) = find(link, &bytes) else { return };
    let number = |engine: &Engine, name: &str| engine.global(name).map_or(0, |value| value.count());
    let rates = Rates {
        threshold: number(engine, "UnknownProtocol::sampling_threshold"),
        rate: number(engine, "UnknownProtocol::sampling_rate"),
        duration: engine.global("UnknownProtocol::sampling_duration").map_or(0.0, |value| value.double()),
    };
    let Some(analyzer) = found.history.last().copied() else { return };
    let now = engine.now();
    if !engine.frameworks.unknown_protocols.admits((analyzer, found.protocol), now, rates) {
        return;
    }
    let length = usize::try_from(number(engine, "UnknownProtocol::first_bytes_count")).unwrap_or(usize::MAX);
    let first = found.bytes.get(..length).unwrap_or(found.bytes);
    let ty = engine.program.type_named("string_vec").unwrap_or(TypeId::ANY);
    let history = found.history.iter().map(Value::string).collect();
    let arguments = vec![
        Value::string(analyzer),
        Value::Count(found.protocol),
        Value::string(first),
        Value::Vector(Rc::new(VectorValue::new(ty, history))),
    ];
    engine.raise_named(EVENT, arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known() {
        let ethernet = |rest: &[u8]| [&[0; 12], rest].concat();
        type Case<'a> = (u64, Vec<u8>, Option<(u64, &'a [&'a str], &'a [u8])>);
        let cases: Vec<Case<'_>> = vec![
            (1, ethernet(b"\x88\xcc\x02\x07"), Some((0x88cc, &["ETHERNET"], b"\x02\x07"))),
            (1, ethernet(b"\x08\x00\x45"), None),
            (1, ethernet(b"\x81\0\0\x05\x88\xcc\x01"), Some((0x88cc, &["ETHERNET", "VLAN"], b"\x01"))),
            (
                1,
                ethernet(b"\x88\x64\x11\0\0\x01\0\x04\xc0\x21hi"),
                Some((0xc021, &["ETHERNET", "PPPOE"], b"hi")),
            ),
            (1, ethernet(b"\x88\x64\x11\0\0\x01\0\x04\0\x21hi"), None),
            (1, ethernet(b"\0\x26\x42\x42\x03stp"), Some((0x4242, &["ETHERNET", "LLC"], b"stp"))),
            (1, ethernet(b"\0\x26\xaa\xaa\x03\0\0\0\x08\0"), None),
            (0, b"\x07\0\0\0x".to_vec(), Some((7, &["NULL"], b"x"))),
            (0, b"\x02\0\0\0\x45".to_vec(), None),
            (113, [&[0; 14][..], b"\x88\xcc\x01"].concat(), Some((0x88cc, &["LINUXSLL"], b"\x01"))),
            (101, b"\x45".to_vec(), None),
        ];
        for (link, frame, expected) in cases {
            let found = find(link, &frame);
            let found = found.as_ref().map(|one| (one.protocol, &one.history[..], one.bytes));
            assert_eq!(found, expected, "{frame:?}");
            for length in 0..frame.len() {
                let _ = find(link, &frame[..length]);
            }
        }
    }

    #[test]
    fn few_of_many_are_told() {
        let rates = Rates { threshold: 2, rate: 3, duration: 10.0 };
        let mut sampling = Sampling::default();
        let told: Vec<bool> = (0..9).map(|_| sampling.admits(("ETHERNET", 1), 0.0, rates)).collect();
        assert_eq!(told, [true, true, false, false, true, false, false, true, false]);
        assert!(sampling.admits(("ETHERNET", 2), 0.0, rates));
        assert!(sampling.admits(("ETHERNET", 1), 10.0, rates));
        for pair in 0..2 * MOST_PAIRS as u64 {
            sampling.admits(("LLC", pair), 10.0, rates);
        }
        assert_eq!(sampling.seen.len(), MOST_PAIRS);
        // Those that are over make room, once in so many packets.
        let pair = |number| ("PPPOE", number);
        let admitted = (0..SWEEP_EVERY as u64 + 9).find(|number| sampling.admits(pair(*number), 30.0, rates));
        assert!(admitted.is_some_and(|number| number < SWEEP_EVERY as u64), "{admitted:?}");
        let none = Rates { threshold: 0, rate: 0, ..rates };
        assert!(!sampling.admits(("VLAN", 1), 0.0, none));
    }
}
