//! Reads pcap and pcapng, also compressed by gzip.
//!
//! Formats: <https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/> and
//! <https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/>.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;

/// Bytes of a packet or block at most; a longer one is damage.
const LONGEST: u32 = 16 << 20;
/// Interfaces of a section at most.
const MOST_INTERFACES: usize = 65_536;

/// A packet.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'r> {
    /// Its moment in nanoseconds since 1970.
    pub nanos: i64,
    /// The type of its link, as tcpdump numbers them.
    pub link: u32,
    /// Its bytes, as far as they were captured.
    pub bytes: &'r [u8],
    /// The length that it had.
    pub length: u32,
}

/// An interface of pcapng.
#[derive(Clone, Copy)]
struct Interface {
    link: u32,
    /// Units of time in a second.
    units: u64,
}

enum Form {
    Pcap { big: bool, nanos: bool, link: u32 },
    Pcapng { big: bool, interfaces: Vec<Interface> },
}

/// Reads packets.
pub struct Reader {
    from: Box<dyn Read>,
    form: Form,
    buffer: Vec<u8>,
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

fn word(bytes: &[u8], at: usize, big: bool) -> Option<u32> {
    let bytes: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
}

fn half(bytes: &[u8], at: usize, big: bool) -> Option<u16> {
    let bytes: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
    Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
}

impl Reader {
    /// Reads the head of a capture.
    pub fn open(file: File) -> io::Result<Self> {
        let mut plain = BufReader::with_capacity(1 << 20, file);
        let mut from: Box<dyn Read> = if plain.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(1 << 20, MultiGzDecoder::new(plain)))
        } else {
            Box::new(plain)
        };
        let mut magic = [0; 4];
        from.read_exact(&mut magic)?;
        let form = match magic {
            [0xa1, 0xb2, 0xc3, 0xd4] => Some((true, false)),
            [0xd4, 0xc3, 0xb2, 0xa1] => Some((false, false)),
            [0xa1, 0xb2, 0x3c, 0x4d] => Some((true, true)),
            [0x4d, 0x3c, 0xb2, 0xa1] => Some((false, true)),
            _ => None,
        };
        if let Some((big, nanos)) = form {
            let mut head = [0; 20];
            from.read_exact(&mut head)?;
            // The upper bits tell of checksums of frames.
            let link = word(&head, 16, big).unwrap_or(0) & 0x0fff_ffff;
            return Ok(Self { from, form: Form::Pcap { big, nanos, link }, buffer: Vec::new() });
        }
        if magic != [0x0a, 0x0d, 0x0d, 0x0a] {
            return Err(damaged("it is neither pcap nor pcapng"));
        }
        let mut reader =
            Self { from, form: Form::Pcapng { big: false, interfaces: Vec::new() }, buffer: Vec::new() };
        reader.section()?;
        Ok(reader)
    }

    /// Fills the buffer with this many bytes; false at the end of the file.
    fn fill(&mut self, length: usize) -> io::Result<bool> {
        self.buffer.clear();
        self.from.by_ref().take(length as u64).read_to_end(&mut self.buffer)?;
        match self.buffer.len() {
            0 if length > 0 => Ok(false),
            got if got < length => Err(damaged("it is cut short")),
            _ => Ok(true),
        }
    }

    /// Returns the next packet.
    pub fn next(&mut self) -> io::Result<Option<Packet<'_>>> {
        match self.form {
            Form::Pcap { big, nanos, link } => self.next_of_pcap(big, nanos, link),
            Form::Pcapng { .. } => self.next_of_pcapng(),
        }
    }

    fn next_of_pcap(&mut self, big: bool, nanos: bool, link: u32) -> io::Result<Option<Packet<'_>>> {
        if !self.fill(16)? {
            return Ok(None);
        }
        let mut words = (0..4).map(|place| word(&self.buffer, place * 4, big).unwrap_or(0));
        let mut next = || words.next().unwrap_or(0);
        let (seconds, fraction, captured, length) = (next(), next(), next(), next());
        if captured > LONGEST {
            return Err(damaged("a packet is longer than any"));
        }
        if !self.fill(captured as usize)? {
            return Err(damaged("it is cut short"));
        }
        let fraction = i64::from(fraction) * if nanos { 1 } else { 1000 };
        Ok(Some(Packet {
            nanos: i64::from(seconds) * 1_000_000_000 + fraction,
            link,
            bytes: &self.buffer,
            length,
        }))
    }

    /// Reads the rest of the head of a section, behind its type.
    fn section(&mut self) -> io::Result<()> {
        if !self.fill(8)? {
            return Err(damaged("it is cut short"));
        }
        let big = match self.buffer.get(4..8) {
            Some([0x1a, 0x2b, 0x3c, 0x4d]) => true,
            Some([0x4d, 0x3c, 0x2b, 0x1a]) => false,
            _ => return Err(damaged("a section has no order of bytes")),
        };
        let length = word(&self.buffer, 0, big).unwrap_or(0);
        self.form = Form::Pcapng { big, interfaces: Vec::new() };
        self.body(length, 12)
    }

    /// Reads what is left of a block.
    fn body(&mut self, length: u32, read: u32) -> io::Result<()> {
        if !(read..=LONGEST).contains(&length) {
            return Err(damaged("a block is longer than any"));
        }
        if self.fill((length - read) as usize)? { Ok(()) } else { Err(damaged("it is cut short")) }
    }

    fn next_of_pcapng(&mut self) -> io::Result<Option<Packet<'_>>> {
        loop {
            if !self.fill(4)? {
                return Ok(None);
            }
            if self.buffer == [0x0a, 0x0d, 0x0d, 0x0a] {
                self.section()?;
                continue;
            }
            let Form::Pcapng { big, .. } = self.form else { return Ok(None) };
            let kind = word(&self.buffer, 0, big).unwrap_or(0);
            if !self.fill(4)? {
                return Err(damaged("it is cut short"));
            }
            let length = word(&self.buffer, 0, big).unwrap_or(0);
            self.body(length, 8)?;
            let Form::Pcapng { interfaces, .. } = &mut self.form else { return Ok(None) };
            match kind {
                1 if interfaces.len() < MOST_INTERFACES => interfaces.push(interface(&self.buffer, big)),
                3 => {
                    let link = interfaces.first().map_or(1, |interface| interface.link);
                    let length = word(&self.buffer, 0, big).unwrap_or(0);
                    let room = self.buffer.len().saturating_sub(8).min(length as usize);
                    let bytes = self.buffer.get(4..4 + room).unwrap_or_default();
                    return Ok(Some(Packet { nanos: 0, link, bytes, length }));
                }
                6 => {
                    let words: Vec<u32> =
                        (0..5).map_while(|place| word(&self.buffer, place * 4, big)).collect();
                    let [interface, high, low, captured, length] = words[..] else {
                        return Err(damaged("a block is cut short"));
                    };
                    let Some(Interface { link, units }) = interfaces.get(interface as usize).copied() else {
                        return Err(damaged("a packet is of no interface"));
                    };
                    let ticks = u128::from(high) << 32 | u128::from(low);
                    let nanos = i64::try_from(ticks * 1_000_000_000 / u128::from(units)).unwrap_or(i64::MAX);
                    let Some(bytes) = self.buffer.get(20..20 + captured as usize) else {
                        return Err(damaged("a packet is longer than its block"));
                    };
                    return Ok(Some(Packet { nanos, link, bytes, length }));
                }
                _ => {}
            }
        }
    }
}

/// Reads the description of an interface: its link, and its units of time from option 9.
fn interface(body: &[u8], big: bool) -> Interface {
    let mut interface = Interface { link: u32::from(half(body, 0, big).unwrap_or(1)), units: 1_000_000 };
    let mut at = 8;
    while let (Some(code), Some(length)) = (half(body, at, big), half(body, at + 2, big)) {
        if code == 9
            && let Some(value) = body.get(at + 4)
        {
            let power = u32::from(value & 0x7f);
            let units = if value & 0x80 == 0 { 10_u64.checked_pow(power) } else { 2_u64.checked_pow(power) };
            interface.units = units.unwrap_or(1_000_000);
        }
        if code == 0 {
            break;
        }
        at += 4 + usize::from(length).next_multiple_of(4);
    }
    interface
}
