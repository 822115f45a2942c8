//! Services that are named by the first payloads alone.

use std::collections::BTreeSet;

use weir_applayer::Transport;
use weir_applayer::zeek::Recognised;

/// Payloads of each end that are looked at.
const MAX_PAYLOADS: u8 = 4;

/// Payloads that are looked at for inner services.
const MAX_INNER_PAYLOADS: u16 = 24;

/// Bytes of such a payload that are searched: signatures are early in them.
const INNER_REACH: usize = 512;

/// Recognition of a connection's payloads so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Recognition {
    /// Payloads looked at, by end.
    looked: [u8; 2],
    /// Payloads looked at for inner services.
    inner: u16,
    /// Inner services of the confirmed row that were seen, one bit each.
    shown: u32,
    /// The row that was confirmed.
    confirmed: Option<&'static Recognised>,
    /// Protocols not confirmed yet; few connections have any.
    guess: Option<Box<Guess>>,
}

/// Protocols that payloads fitted.
#[derive(Clone, Debug, Default)]
struct Guess {
    /// The rows that a payload fitted, one bit each, by end.
    fitted: [u64; 2],
    /// Inner services that were seen.
    waiting: Vec<&'static str>,
}

impl Recognition {
    /// Whether a row was confirmed.
    pub(super) const fn is_confirmed(&self) -> bool {
        self.confirmed.is_some()
    }

    /// Whether payloads of an end say nothing more.
    #[inline]
    pub(super) fn is_over(&self, originator: bool) -> bool {
        let [looked, other_looked] = self.looked;
        match self.confirmed {
            Some(row) => row.inner.is_empty() || self.inner >= MAX_INNER_PAYLOADS,
            None => (if originator { looked } else { other_looked }) >= MAX_PAYLOADS,
        }
    }

    /// Looks at a payload; answers what is confirmed by it.
    pub(super) fn payload(
        &mut self,
        known: &Known,
        transport: Transport,
        port: u16,
        originator: bool,
        payload: &[u8],
    ) -> Vec<&'static str> {
        let mut services = Vec::new();
        match self.confirmed {
            Some(row) => self.look_for_more(row, reach(payload), &mut services),
            None => {
                if let Some(row) = self.confirm(known, transport, port, originator, payload) {
                    self.confirmed = Some(row);
                    services.extend(self.guess.take().map(|guess| guess.waiting).unwrap_or_default());
                    services.extend_from_slice(row.services);
                }
            }
        }
        services
    }

    /// Adds the inner services of the confirmed row that a payload is the first to show.
    fn look_for_more(&mut self, row: &Recognised, payload: &[u8], services: &mut Vec<&'static str>) {
        if row.inner.is_empty() || self.inner >= MAX_INNER_PAYLOADS {
            return;
        }
        self.inner += 1;
        for (index, (name, shows)) in row.inner.iter().enumerate().take(u32::BITS as usize) {
            if self.shown & (1 << index) == 0 && shows(payload) {
                self.shown |= 1 << index;
                if !services.contains(name) {
                    services.push(name);
                }
            }
        }
    }

    fn confirm(
        &mut self,
        known: &Known,
        transport: Transport,
        port: u16,
        originator: bool,
        payload: &[u8],
    ) -> Option<&'static Recognised> {
        let [looked, other_looked] = &mut self.looked;
        let looked = if originator { looked } else { other_looked };
        if *looked >= MAX_PAYLOADS {
            return None;
        }
        *looked += 1;
        let mut left = known.at(transport, port);
        while left != 0 {
            let index = left.trailing_zeros();
            left &= left - 1;
            let Some(row) = known.rows.get(index as usize) else { break };
            let (fits, end) = if originator { (row.originator, 0) } else { (row.responder, 1) };
            let fits = fits(payload);
            let fitted = |guess: &Guess| guess.fitted.iter().filter(|set| **set & (1 << index) != 0).count();
            if !fits && self.guess.as_deref().is_none_or(|guess| fitted(guess) == 0) {
                continue;
            }
            let guess = self.guess.get_or_insert_default();
            if !row.inner.is_empty() && self.inner < MAX_INNER_PAYLOADS {
                self.inner += 1;
                guess.look_inside(row, reach(payload));
            }
            if !fits {
                continue;
            }
            if let Some(set) = guess.fitted.get_mut(end) {
                *set |= 1 << index;
            }
            if fitted(guess) == 2 || !row.both {
                return Some(row);
            }
        }
        None
    }
}

impl Guess {
    /// Adds the inner services that a payload shows.
    fn look_inside(&mut self, row: &Recognised, payload: &[u8]) {
        for (name, shows) in row.inner {
            if !self.waiting.contains(name) && shows(payload) {
                self.waiting.push(name);
            }
        }
    }
}

/// Protocols that are only named, and which of them may be spoken at a port.
#[derive(Debug, Default)]
pub(crate) struct Known {
    rows: &'static [Recognised],
    tcp: Ports,
    udp: Ports,
}

/// Sets of rows, by their places as bits.
#[derive(Debug, Default)]
struct Ports {
    any: u64,
    /// In ascending order; each with those of any port.
    of: Vec<(u16, u64)>,
}

impl Known {
    /// These; 64 at most.
    pub(crate) fn new(rows: &'static [Recognised]) -> Self {
        let ports = |transport: Transport| {
            let bits = || rows.iter().take(u64::BITS as usize).enumerate();
            let of_transport = || bits().filter(|(_, row)| row.transport == transport);
            let any = of_transport().filter(|(_, row)| row.ports.is_empty());
            let any = any.fold(0, |set, (index, _)| set | 1 << index);
            let named: BTreeSet<u16> = of_transport().flat_map(|(_, row)| row.ports).copied().collect();
            let at = |port: u16| {
                let rows = of_transport().filter(|(_, row)| row.ports.contains(&port));
                rows.fold(any, |set, (index, _)| set | 1 << index)
            };
            Ports { any, of: named.into_iter().map(|port| (port, at(port))).collect() }
        };
        Self { rows, tcp: ports(Transport::Tcp), udp: ports(Transport::Udp) }
    }

    fn at(&self, transport: Transport, port: u16) -> u64 {
        let ports = if transport == Transport::Tcp { &self.tcp } else { &self.udp };
        let found = ports.of.binary_search_by_key(&port, |&(port, _)| port);
        found.ok().and_then(|index| ports.of.get(index)).map_or(ports.any, |&(_, rows)| rows)
    }
}

fn reach(payload: &[u8]) -> &[u8] {
    payload.get(..INNER_REACH).unwrap_or(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    static KNOWN: &[Recognised] = &[
        Recognised {
            services: &["both"],
            transport: Transport::Tcp,
            ports: &[7],
            originator: |bytes| bytes == b"a",
            responder: |bytes| bytes == b"b",
            both: true,
            inner: &[],
        },
        Recognised {
            services: &["one"],
            transport: Transport::Udp,
            ports: &[],
            originator: |bytes| bytes == b"c",
            responder: |bytes| bytes == b"c",
            both: false,
            inner: &[],
        },
    ];

    #[test]
    fn services_by_payloads() {
        type Case<'a> = (Transport, u16, &'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (Transport::Tcp, 7, &[(true, b"a")], &[]),
            (Transport::Tcp, 7, &[(true, b"a"), (false, b"x"), (false, b"b")], &["both"]),
            (Transport::Tcp, 8, &[(true, b"a"), (false, b"b")], &[]),
            (Transport::Udp, 8, &[(false, b"c")], &["one"]),
            (Transport::Udp, 8, &[(true, b"x"), (true, b"x"), (true, b"x"), (true, b"x"), (true, b"c")], &[]),
        ];
        for (transport, port, payloads, expected) in cases {
            let known = Known::new(KNOWN);
            let mut recognition = Recognition::default();
            let mut found = Vec::new();
            for (originator, payload) in *payloads {
                found = recognition.payload(&known, *transport, *port, *originator, payload);
            }
            assert_eq!(found, *expected, "{payloads:?}");
        }
    }
}
