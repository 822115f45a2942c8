//! Writes pcapng.

use std::io::{self, Write};

use super::read::Packet;

/// Writes packets, each with the link that it came from.
pub struct Writer<W> {
    out: W,
    links: Vec<u32>,
    left: u64,
}

impl<W: Write> Writer<W> {
    /// Writes no more than so many bytes.
    pub fn new(out: W, most: u64) -> Self {
        Self { out, links: Vec::new(), left: most }
    }

    fn block(&mut self, kind: u32, body: &[&[u8]]) -> io::Result<()> {
        let length: usize = body.iter().map(|part| part.len()).sum();
        let padding = length.next_multiple_of(4) - length;
        let whole = u32::try_from(length + padding + 12).map_err(io::Error::other)?;
        self.left = self
            .left
            .checked_sub(u64::from(whole))
            .ok_or_else(|| io::Error::other("The connection has more packets than are given at a time."))?;
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&whole.to_le_bytes())?;
        body.iter().try_for_each(|part| self.out.write_all(part))?;
        self.out.write_all([0; 4].get(..padding).unwrap_or_default())?;
        self.out.write_all(&whole.to_le_bytes())
    }

    /// Writes the head.
    pub fn begin(&mut self) -> io::Result<()> {
        let version = [1_u16.to_le_bytes(), 0_u16.to_le_bytes()].concat();
        self.block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes(), &version, &u64::MAX.to_le_bytes()])
    }

    /// Writes a packet.
    pub fn packet(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        let known = self.links.iter().position(|link| *link == packet.link);
        let interface = match known {
            Some(interface) => interface,
            None => {
                self.links.push(packet.link);
                let link = (packet.link as u16).to_le_bytes();
                // Option 9: nanoseconds; then the end of options.
                let options = [9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0];
                self.block(1, &[&link, &[0, 0], &0_u32.to_le_bytes(), &options])?;
                self.links.len() - 1
            }
        };
        let nanos = packet.nanos.max(0) as u64;
        let captured = u32::try_from(packet.bytes.len()).map_err(io::Error::other)?;
        let words = [interface as u32, (nanos >> 32) as u32, nanos as u32, captured, packet.length];
        self.block(6, &[&words.map(u32::to_le_bytes).concat(), packet.bytes])
    }

    /// Writes what is held.
    pub fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
