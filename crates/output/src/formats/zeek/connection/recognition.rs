//! Services that are named by the first payloads alone.

use weir_applayer::Transport;
use weir_applayer::zeek::Recognised;

/// Payloads of each end that are looked at.
const MAX_PAYLOADS: u8 = 4;

/// Payloads that are looked at for inner services.
const MAX_INNER_PAYLOADS: u16 = 24;

/// How far into such a payload: they tell of themselves early.
const INNER_REACH: usize = 512;

/// What the payloads of a connection showed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Recognition {
    /// Payloads looked at, by end.
    looked: [u8; 2],
    /// The rows that are for the responder's port, one bit each, and that port.
    candidates: Option<(u16, u64)>,
    /// The rows that a payload fitted, one bit each, by end.
    fitted: [u64; 2],
    /// The row that was confirmed.
    confirmed: Option<&'static Recognised>,
    /// Inner services that were seen before.
    waiting: Vec<&'static str>,
    /// Payloads looked at for inner services.
    inner: u16,
    /// Inner services of the confirmed row that were seen, one bit each.
    shown: u32,
}

/// What a payload showed.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    /// Services, in the order in which they are confirmed.
    pub(super) services: Vec<&'static str>,
    /// The row, for what it announces.
    pub(super) row: Option<&'static Recognised>,
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
            Some(row) => {
                row.announces.is_none() && (row.inner.is_empty() || self.inner >= MAX_INNER_PAYLOADS)
            }
            None => (if originator { looked } else { other_looked }) >= MAX_PAYLOADS,
        }
    }

    /// Looks at a payload; answers what is confirmed by it.
    pub(super) fn payload(
        &mut self,
        known: &'static [Recognised],
        transport: Transport,
        port: u16,
        originator: bool,
        payload: &[u8],
    ) -> Shown {
        let mut services = Vec::new();
        match self.confirmed {
            Some(row) => self.look_for_more(row, reach(payload), &mut services),
            None => {
                if let Some(row) = self.confirm(known, transport, port, originator, payload) {
                    self.confirmed = Some(row);
                    services.append(&mut self.waiting);
                    services.extend_from_slice(row.services);
                }
            }
        }
        Shown { services, row: self.confirmed }
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

    /// Adds the inner services that a payload shows.
    fn look_inside(&mut self, row: &Recognised, payload: &[u8], services: &mut Vec<&'static str>) {
        if row.inner.is_empty() || self.inner >= MAX_INNER_PAYLOADS {
            return;
        }
        self.inner += 1;
        for (name, shows) in row.inner {
            if !services.contains(name) && shows(payload) {
                services.push(name);
            }
        }
    }

    /// The rows for a transport and a port, one bit each. A connection's ends may be exchanged.
    fn candidates(&mut self, known: &'static [Recognised], transport: Transport, port: u16) -> u64 {
        if let Some((_, rows)) = self.candidates.filter(|(known, _)| *known == port) {
            return rows;
        }
        let fits = |row: &Recognised| {
            row.transport == transport && (row.ports.is_empty() || row.ports.contains(&port))
        };
        let rows = known.iter().take(u64::BITS as usize).enumerate().filter(|(_, row)| fits(row));
        let rows = rows.fold(0, |rows, (index, _)| rows | 1 << index);
        self.candidates = Some((port, rows));
        rows
    }

    fn confirm(
        &mut self,
        known: &'static [Recognised],
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
        let mut left = self.candidates(known, transport, port);
        while left != 0 {
            let index = left.trailing_zeros();
            left &= left - 1;
            let Some(row) = known.get(index as usize) else { break };
            let mut waiting = std::mem::take(&mut self.waiting);
            self.look_inside(row, reach(payload), &mut waiting);
            self.waiting = waiting;
            let (fits, end) = if originator { (row.originator, 0) } else { (row.responder, 1) };
            if !fits(payload) {
                continue;
            }
            if let Some(fitted) = self.fitted.get_mut(end) {
                *fitted |= 1 << index;
            }
            let ends = self.fitted.iter().filter(|fitted| *fitted & (1 << index) != 0).count();
            if ends == 2 || !row.both {
                return Some(row);
            }
        }
        None
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
            announces: None,
        },
        Recognised {
            services: &["one"],
            transport: Transport::Udp,
            ports: &[],
            originator: |bytes| bytes == b"c",
            responder: |bytes| bytes == b"c",
            both: false,
            inner: &[],
            announces: None,
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
            let mut recognition = Recognition::default();
            let mut found = Vec::new();
            for (originator, payload) in *payloads {
                found = recognition.payload(KNOWN, *transport, *port, *originator, payload).services;
            }
            assert_eq!(found, *expected, "{payloads:?}");
        }
    }
}
