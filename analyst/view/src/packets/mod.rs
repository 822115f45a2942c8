//! Packets of one connection out of captures, which are read from their beginning to their end, a packet at a time.

mod conversation;
mod decode;
mod read;
mod write;

use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub use conversation::{Conversation, Piece, Side};
use decode::{Decoded, decode};
use read::{Packet, Reader};
use write::Writer;

/// Packets between two looks at the clock.
const LOOK: u64 = 4096;

/// Which packets: those of one connection, in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// Address and port of the client; any port where there is none.
    pub client: (IpAddr, Option<u16>),
    /// Address and port of the server.
    pub server: (IpAddr, Option<u16>),
    /// The number of the protocol of IP.
    pub protocol: u8,
    /// The first moment, in microseconds.
    pub from: i64,
    /// The last one.
    pub to: i64,
}

impl Filter {
    /// The side that sent a packet, if it is of the connection. Later fragments have no ports.
    fn side(&self, packet: &Decoded<'_>) -> Option<Side> {
        let is = |end: (IpAddr, Option<u16>), address: IpAddr, port: Option<u16>| {
            end.0 == address && (end.1.is_none() || port.is_none() || end.1 == port)
        };
        if packet.protocol != self.protocol {
            return None;
        }
        let (from, to) = ((packet.source, packet.source_port), (packet.destination, packet.destination_port));
        if is(self.client, from.0, from.1) && is(self.server, to.0, to.1) {
            return Some(Side::Client);
        }
        (is(self.server, from.0, from.1) && is(self.client, to.0, to.1)).then_some(Side::Server)
    }
}

/// A packet of the connection.
pub struct Found<'p> {
    side: Side,
    packet: Packet<'p>,
    decoded: Decoded<'p>,
}

/// Whether more packets are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// They are.
    More,
    /// They are not.
    Enough,
}

/// Takes packets; the error is a sentence about why no more can be taken.
type Take<'t> = dyn FnMut(&Found<'_>) -> Result<Wish, String> + 't;

/// Why a capture was not read to its end.
enum Stop {
    /// The time is over.
    Late,
    /// It cannot be read.
    Unread(io::Error),
    /// A packet could not be taken.
    Untaken(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Unread(error)
    }
}

/// Gives each packet of a connection, until all captures are read, nobody wants more or the time is over. What cannot be
/// read is told in sentences; the error is one, too.
pub fn filtered(
    captures: &[PathBuf],
    filter: &Filter,
    until: Instant,
    take: &mut Take<'_>,
) -> Result<Vec<String>, String> {
    let mut sentences = Vec::new();
    for path in captures {
        match of_capture(path, filter, until, take) {
            Ok(Wish::More) => {}
            Ok(Wish::Enough) => break,
            Err(Stop::Late) => {
                sentences.push("The captures are too long to be read to their end in time.".to_owned());
                break;
            }
            Err(Stop::Untaken(sentence)) => return Err(sentence),
            Err(Stop::Unread(error)) => {
                sentences.push(format!("{} cannot be read to its end: {error}.", path.display()));
            }
        }
    }
    Ok(sentences)
}

fn of_capture(path: &Path, filter: &Filter, until: Instant, take: &mut Take<'_>) -> Result<Wish, Stop> {
    let mut reader = Reader::open(File::open(path)?)?;
    let mut count = 0_u64;
    while let Some(packet) = reader.next()? {
        count += 1;
        if count.is_multiple_of(LOOK) && Instant::now() > until {
            return Err(Stop::Late);
        }
        let micros = packet.nanos.div_euclid(1000);
        if micros < filter.from || micros > filter.to {
            continue;
        }
        let Some(decoded) = decode(packet.link, packet.bytes) else { continue };
        let Some(side) = filter.side(&decoded) else { continue };
        if take(&Found { side, packet, decoded }).map_err(Stop::Untaken)? == Wish::Enough {
            return Ok(Wish::Enough);
        }
    }
    Ok(Wish::More)
}

/// The packets of a connection as pcapng.
#[derive(Debug)]
pub struct Extracted {
    /// A file that nobody else sees, at its beginning.
    pub file: File,
    /// Packets in it.
    pub packets: u64,
    /// Sentences about what could not be read.
    pub remarks: Vec<String>,
}

/// Writes the packets of a connection as pcapng of so many bytes at most.
pub fn pcapng(captures: &[PathBuf], filter: &Filter, most: u64, until: Instant) -> Result<Extracted, String> {
    let failed = |error: io::Error| match error.kind() {
        // The writer's own bound is a sentence.
        io::ErrorKind::Other => error.to_string(),
        _ => {
            let folder = std::env::temp_dir();
            let remedy = "make room there, or name another folder with TMPDIR";
            format!("The packets cannot be written to {}: {error}; {remedy}.", folder.display())
        }
    };
    let mut file = tempfile::tempfile().map_err(failed)?;
    let mut writer = Writer::new(io::BufWriter::new(&mut file), most);
    writer.begin().map_err(failed)?;
    let mut packets = 0;
    let remarks = filtered(captures, filter, until, &mut |found| {
        packets += 1;
        writer.packet(&found.packet).map(|()| Wish::More).map_err(failed)
    })?;
    writer.end().map_err(failed)?;
    drop(writer);
    io::Seek::rewind(&mut file).map_err(failed)?;
    Ok(Extracted { file, packets, remarks })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packets of a connection with one of another between them, and damage.
    fn damaged_capture() -> Vec<u8> {
        let mut bytes =
            vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0];
        let tcp = |port: u16, seq: u32, text: &[u8]| {
            let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
            packet.extend(port.to_be_bytes());
            packet.extend([0, 80]);
            packet.extend(seq.to_be_bytes());
            packet.extend([0, 0, 0, 0, 0x50, 0x18, 0, 0, 0, 0, 0, 0]);
            packet.extend(text);
            let length = u16::try_from(packet.len()).unwrap();
            packet[2..4].copy_from_slice(&length.to_be_bytes());
            packet
        };
        for (second, packet) in
            [(1_u32, tcp(1000, 5, b"GET ")), (2, tcp(1001, 5, b"no")), (3, tcp(1000, 9, b"/x"))]
        {
            let length = u32::try_from(packet.len()).unwrap();
            for word in [second, 7, length, length] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.extend(packet);
        }
        bytes.extend([1, 2, 3]);
        bytes
    }

    fn filter() -> Filter {
        let end = |text: &str, port| (text.parse::<IpAddr>().unwrap(), Some(port));
        Filter {
            client: end("10.0.0.1", 1000),
            server: end("10.0.0.2", 80),
            protocol: 6,
            from: 0,
            to: i64::MAX,
        }
    }

    /// Packets come out as they went in, those of other connections do not, and damage says so.
    #[test]
    fn one_connection_of_a_capture() {
        let folder = tempfile::tempdir().unwrap();
        let capture = folder.path().join("c.pcap");
        std::fs::write(&capture, damaged_capture()).unwrap();
        let filter = filter();
        let until = Instant::now() + std::time::Duration::from_secs(60);
        let said = |captures: &[PathBuf]| {
            let mut conversation = Conversation::new(100);
            let remarks = filtered(captures, &filter, until, &mut |found| {
                conversation.add(found);
                Ok(Wish::More)
            });
            let pieces = conversation.finish().into_iter();
            (
                pieces.map(|piece| (piece.time, String::from_utf8(piece.bytes).unwrap())).collect::<Vec<_>>(),
                remarks.unwrap(),
            )
        };
        let expected = [(1_000_007, "GET ".to_owned()), (3_000_007, "/x".to_owned())];
        let (pieces, remarks) = said(std::slice::from_ref(&capture));
        assert_eq!(pieces, expected);
        assert_eq!(remarks.len(), 1, "{remarks:?}");
        let mut found = pcapng(std::slice::from_ref(&capture), &filter, 1 << 20, until).unwrap();
        assert_eq!((found.packets, found.remarks), (2, remarks));
        let again = folder.path().join("again.pcapng");
        io::copy(&mut found.file, &mut File::create(&again).unwrap()).unwrap();
        assert_eq!(said(&[again]), (expected.to_vec(), vec![]));
        let sentence = pcapng(&[capture], &filter, 100, until).unwrap_err();
        assert_eq!(sentence, "The connection has more packets than are given at a time.");
    }

    /// A packet that cannot be taken is no fault of the capture.
    #[test]
    fn what_cannot_be_taken_ends_the_reading() {
        let folder = tempfile::tempdir().unwrap();
        let capture = folder.path().join("c.pcap");
        std::fs::write(&capture, damaged_capture()).unwrap();
        let until = Instant::now() + std::time::Duration::from_secs(60);
        let told = filtered(&[capture], &filter(), until, &mut |_| Err("There is no room.".to_owned()));
        assert_eq!(told, Err("There is no room.".to_owned()));
    }
}
