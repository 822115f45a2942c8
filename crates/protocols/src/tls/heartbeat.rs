//! Heartbeats, RFC 6520, and what Heartbleed (CVE-2014-0160) looks like from outside.

use weir_base::{Direction, Reader};

use super::anomaly::TlsAnomaly;

const REQUEST: u8 = 1;
const RESPONSE: u8 = 2;

/// Least padding of a heartbeat.
const MIN_PADDING: usize = 16;

/// Type and length.
const HEADER_LENGTH: usize = 3;

/// The request that waits for its response.
#[derive(Debug, Default)]
pub struct Heartbeat {
    /// Sender of the request, and the length of the encrypted record.
    pending: Option<(Direction, usize)>,
}

impl Heartbeat {
    /// A heartbeat in the clear.
    pub fn plain(&mut self, direction: Direction, body: &[u8]) -> Vec<TlsAnomaly> {
        let mut found = vec![TlsAnomaly::HeartbeatMessage];
        let mut reader = Reader::new(body);
        let (Some(kind), Some(payload)) = (reader.u8(), reader.u16()) else {
            found.push(TlsAnomaly::InvalidHeartbeatMessage);
            return found;
        };
        let payload = usize::from(payload);
        if kind != REQUEST && kind != RESPONSE {
            found.push(TlsAnomaly::InvalidHeartbeatMessage);
        } else if HEADER_LENGTH + payload > body.len() {
            found.push(TlsAnomaly::OverflowHeartbeatMessage);
        } else if HEADER_LENGTH + payload + MIN_PADDING > body.len() {
            found.push(TlsAnomaly::InvalidHeartbeatMessage);
        }
        if kind == REQUEST {
            self.pending = Some((direction, body.len()));
        } else {
            found.extend(self.answered(direction, body.len()));
        }
        found
    }

    /// An encrypted heartbeat, of which the length is known.
    pub fn encrypted(&mut self, direction: Direction, length: usize) -> Vec<TlsAnomaly> {
        match self.pending {
            Some((asker, _)) if asker != direction => self.answered(direction, length).into_iter().collect(),
            _ => {
                self.pending = Some((direction, length));
                Vec::new()
            }
        }
    }

    /// A response must be as long as its request.
    fn answered(&mut self, direction: Direction, length: usize) -> Option<TlsAnomaly> {
        let (asker, asked) = self.pending?;
        if asker == direction {
            return None;
        }
        self.pending = None;
        (length > asked).then_some(TlsAnomaly::DataleakHeartbeatMismatch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heartbleed() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let honest = [&[REQUEST, 0, 2, 8, 8][..], &[0; 16]].concat();
        let mut heartbeat = Heartbeat::default();
        assert_eq!(heartbeat.plain(up, &honest), [TlsAnomaly::HeartbeatMessage]);
        let answer = [&[RESPONSE, 0, 2, 8, 8][..], &[0; 16]].concat();
        assert_eq!(heartbeat.plain(down, &answer), [TlsAnomaly::HeartbeatMessage]);

        let attack = heartbeat.plain(up, &[REQUEST, 0x40, 0]);
        assert_eq!(attack, [TlsAnomaly::HeartbeatMessage, TlsAnomaly::OverflowHeartbeatMessage]);
        let leak = [&[RESPONSE, 0x40, 0][..], &[0x41; 0x4010]].concat();
        let found = heartbeat.plain(down, &leak);
        assert_eq!(found, [TlsAnomaly::HeartbeatMessage, TlsAnomaly::DataleakHeartbeatMismatch]);

        assert_eq!(heartbeat.encrypted(up, 40), []);
        assert_eq!(heartbeat.encrypted(down, 40), []);
        assert_eq!(heartbeat.encrypted(up, 40), []);
        assert_eq!(heartbeat.encrypted(down, 16_000), [TlsAnomaly::DataleakHeartbeatMismatch]);
        assert!(heartbeat.plain(up, &[9, 0, 0]).contains(&TlsAnomaly::InvalidHeartbeatMessage));
    }
}
