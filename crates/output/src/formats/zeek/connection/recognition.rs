//! Services that are named by the first payloads alone.

use weir_applayer::Transport;
use weir_applayer::zeek::Recognised;

/// Payloads of each end that are looked at.
const MAX_PAYLOADS: u8 = 4;

/// What the payloads of a connection showed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recognition {
    /// Payloads looked at, by end.
    looked: [u8; 2],
    /// The rows that a payload fitted, one bit each, by end.
    fitted: [u64; 2],
}

impl Recognition {
    /// Looks at a payload; answers the services of the row that is confirmed by it.
    pub(super) fn payload(
        &mut self,
        known: &[Recognised],
        transport: Transport,
        port: u16,
        originator: bool,
        payload: &[u8],
    ) -> &'static [&'static str] {
        let [looked, other_looked] = &mut self.looked;
        let looked = if originator { looked } else { other_looked };
        if *looked >= MAX_PAYLOADS {
            return &[];
        }
        *looked += 1;
        for (index, row) in known.iter().enumerate().take(u64::BITS as usize) {
            if row.transport != transport || !(row.ports.is_empty() || row.ports.contains(&port)) {
                continue;
            }
            let (fits, end) = if originator { (row.originator, 0) } else { (row.responder, 1) };
            if !fits(payload) {
                continue;
            }
            if let Some(fitted) = self.fitted.get_mut(end) {
                *fitted |= 1 << index;
            }
            let ends = self.fitted.iter().filter(|fitted| *fitted & (1 << index) != 0).count();
            if ends == 2 || !row.both {
                return row.services;
            }
        }
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Recognised] = &[
        Recognised {
            services: &["both"],
            transport: Transport::Tcp,
            ports: &[7],
            originator: |bytes| bytes == b"a",
            responder: |bytes| bytes == b"b",
            both: true,
        },
        Recognised {
            services: &["one"],
            transport: Transport::Udp,
            ports: &[],
            originator: |bytes| bytes == b"c",
            responder: |bytes| bytes == b"c",
            both: false,
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
            let mut found: &[&str] = &[];
            for (originator, payload) in *payloads {
                found = recognition.payload(KNOWN, *transport, *port, *originator, payload);
            }
            assert_eq!(found, *expected, "{payloads:?}");
        }
    }
}
