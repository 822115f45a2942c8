//! What RDP itself encrypts (MS-RDPBCGR 5.3), for an event of scripts: how much comes in each piece. Only scripts ask for it, at ports
//! that they register.
//!
//! Limit: the longest packet that waits for its end, as its length has two bytes.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

use super::negotiation::{self, Confirm};
use super::packet::{Beginning, Packet, read};
use super::server;

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "RDP",
    events: &["rdp_native_encrypted_data"],
    tells_weirds: false,
    lasts: None,
    open: || Box::new(Connection { waiting: Default::default(), stage: Stage::Plain }),
};

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Packets.
    Plain,
    /// What RDP encrypts.
    Encrypted,
    /// Nothing that is told of.
    Over,
}

/// One connection: the bytes of each side that wait for the rest of their packet.
#[derive(Debug)]
struct Connection {
    waiting: [Vec<u8>; 2],
    stage: Stage,
}

impl ReadStreams for Connection {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        match self.stage {
            Stage::Plain => {
                let Some(waiting) = self.waiting.get_mut(usize::from(!is_orig)) else { return };
                waiting.extend_from_slice(bytes);
                self.stage = packets(waiting, is_orig);
                if self.stage != Stage::Plain {
                    self.waiting = Default::default();
                }
            }
            Stage::Encrypted => {
                let length = EventValue::from(bytes.len());
                findings
                    .raise("rdp_native_encrypted_data", &[EventValue::Connection, is_orig.into(), length]);
            }
            Stage::Over => {}
        }
    }

    fn gap(&mut self, _: bool) {
        (self.stage, self.waiting) = (Stage::Over, Default::default());
    }
}

/// Takes whole packets; returns what follows them.
fn packets(waiting: &mut Vec<u8>, is_orig: bool) -> Stage {
    let mut taken = 0;
    while let Some(rest) = waiting.get(taken..).filter(|rest| !rest.is_empty()) {
        match read(rest) {
            Beginning::Short(_) => break,
            Beginning::Malformed => return Stage::Over,
            Beginning::Packet(packet, length) => {
                taken += length;
                match behind(packet, is_orig) {
                    Stage::Plain => {}
                    other => return other,
                }
            }
        }
    }
    waiting.drain(..taken.min(waiting.len()));
    Stage::Plain
}

/// Returns what follows a packet.
fn behind(packet: Packet<'_>, is_orig: bool) -> Stage {
    match packet {
        Packet::Confirm(bytes) if !is_orig => match negotiation::confirm(bytes) {
            Confirm::Chosen(_, 1..) => Stage::Over,
            _ => Stage::Plain,
        },
        Packet::Data(data) if !is_orig => {
            let security = server::read(data, 0).and_then(|server| server.security);
            match security {
                Some(security) if security.method > 0 && security.level > 0 => Stage::Encrypted,
                _ => Stage::Plain,
            }
        }
        _ => Stage::Plain,
    }
}
