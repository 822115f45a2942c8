//! Captures in ZIP archives (PKWARE APPNOTE 6.3), read from front to back: each member by the header before
//! it. Members are stored, or compressed by deflate or bzip2; what is encrypted or compressed otherwise is named. Memory is that of one decompressor, whatever the archive says.

use std::io::{self, BufReader, Read, Take};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bzip2::bufread::BzDecoder;
use flate2::bufread::DeflateDecoder;
use weir_base::Reader;

use super::PcapFile;
use crate::filter::PacketFilter;
use crate::{ArchiveFault, SourceError};

/// Signature of a member (APPNOTE.TXT 4.3.7).
pub(super) const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
/// Signature of the list of members, which follows the last one (APPNOTE.TXT 4.3.12).
const DIRECTORY: [u8; 4] = *b"PK\x01\x02";
/// Signature of the end of an archive without members (APPNOTE.TXT 4.3.16).
const END: [u8; 4] = *b"PK\x05\x06";
/// Signature that may precede the lengths behind a member (APPNOTE.TXT 4.3.9.3).
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";

/// Bytes of a header behind its magic, without name and extra fields.
const HEADER_LENGTH: usize = 26;
/// The extra field with lengths of 64 bits.
const ZIP64: u16 = 1;
/// Most characters of a member's name that are shown.
const SHOWN_NAME: usize = 255;

/// The member is encrypted.
const ENCRYPTED: u16 = 1;
/// The member's lengths stand behind it.
const LENGTHS_BEHIND: u16 = 8;

type Input = BufReader<Box<dyn Read + Send>>;

/// An archive, and how far it was read.
struct Archive {
    state: State,
    /// Members begun.
    members: u64,
}

enum State {
    Between(Input),
    Inside(Body, Behind),
    Done,
}

/// The bytes of a member on their way out.
enum Body {
    Stored(Take<Input>),
    Deflate(Box<DeflateDecoder<Take<Input>>>),
    Bzip2(Box<BzDecoder<Take<Input>>>),
}

/// Data behind a member's bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// The next member.
    Nothing,
    /// A checksum and two lengths of so many bytes each.
    Lengths(usize),
}

struct Header {
    name: String,
    flags: u16,
    method: u16,
    length: u64,
    wide: bool,
}

impl Header {
    fn read(input: &mut Input) -> io::Result<Self> {
        let mut fixed = [0; HEADER_LENGTH];
        input.read_exact(&mut fixed)?;
        let fields = parse_fixed(&fixed).ok_or(io::ErrorKind::InvalidData)?;
        let (flags, method, length, name_length, extra_length) = fields;
        let mut name = vec![0; usize::from(name_length)];
        input.read_exact(&mut name)?;
        let mut extra = vec![0; usize::from(extra_length)];
        input.read_exact(&mut extra)?;
        let wide = wide_length(&extra);
        let length = if length == u32::MAX { wide.unwrap_or_default() } else { u64::from(length) };
        let shown = String::from_utf8_lossy(&name);
        let shown = shown.chars().take(SHOWN_NAME).map(|c| if c.is_control() { '?' } else { c });
        Ok(Self { name: shown.collect(), flags, method, length, wide: wide.is_some() })
    }

    /// The bytes of the member.
    fn body(&self, input: Input) -> Result<(Body, Behind), (Input, ArchiveFault)> {
        if self.flags & ENCRYPTED != 0 {
            return Err((input, ArchiveFault::Encrypted));
        }
        let behind = match self.flags & LENGTHS_BEHIND {
            0 => Behind::Nothing,
            _ => Behind::Lengths(if self.wide { 8 } else { 4 }),
        };
        let limit = if behind == Behind::Nothing { self.length } else { u64::MAX };
        let body = match self.method {
            0 if behind == Behind::Nothing => Body::Stored(input.take(limit)),
            8 => Body::Deflate(Box::new(DeflateDecoder::new(input.take(limit)))),
            12 => Body::Bzip2(Box::new(BzDecoder::new(input.take(limit)))),
            method => return Err((input, ArchiveFault::Method { method })),
        };
        Ok((body, behind))
    }
}

/// Flags, method, compressed length, length of the name and of the extra fields.
fn parse_fixed(fixed: &[u8]) -> Option<(u16, u16, u32, u16, u16)> {
    let mut reader = Reader::new(fixed);
    reader.skip(2)?;
    let (flags, method) = (reader.u16_le()?, reader.u16_le()?);
    reader.skip(8)?;
    let length = reader.u32_le()?;
    reader.skip(4)?;
    Some((flags, method, length, reader.u16_le()?, reader.u16_le()?))
}

/// The compressed length that the extra fields tell, where there is one of 64 bits.
fn wide_length(extra: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(extra);
    loop {
        let (kind, length) = (reader.u16_le()?, reader.u16_le()?);
        let value = reader.take(usize::from(length))?;
        if kind == ZIP64 {
            let mut value = Reader::new(value);
            value.skip(8)?;
            return value.u64_le();
        }
    }
}

impl Body {
    /// Makes the input of the member and of what is behind it.
    fn into_input(mut self, behind: Behind) -> io::Result<Input> {
        if behind != Behind::Nothing {
            io::copy(&mut self, &mut io::sink())?;
        }
        let mut rest = match self {
            Body::Stored(rest) => rest,
            Body::Deflate(decoder) => decoder.into_inner(),
            Body::Bzip2(decoder) => decoder.into_inner(),
        };
        if behind == Behind::Nothing {
            io::copy(&mut rest, &mut io::sink())?;
        }
        Ok(rest.into_inner())
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Body::Stored(rest) => rest.read(buffer),
            Body::Deflate(decoder) => decoder.read(buffer),
            Body::Bzip2(decoder) => decoder.read(buffer),
        }
    }
}

impl Archive {
    /// Goes on to the next member; none at the end.
    fn next(&mut self) -> io::Result<Option<Result<String, (String, ArchiveFault)>>> {
        let mut input = match std::mem::replace(&mut self.state, State::Done) {
            State::Between(input) => input,
            State::Inside(body, behind) => {
                let mut input = body.into_input(behind)?;
                if let Behind::Lengths(size) = behind {
                    skip_lengths(&mut input, size)?;
                }
                input
            }
            State::Done => return Ok(None),
        };
        let mut magic = [0; 4];
        input.read_exact(&mut magic)?;
        match magic {
            LOCAL_HEADER => {}
            DIRECTORY | END => return Ok(None),
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "no member begins where one should")),
        }
        let header = Header::read(&mut input)?;
        self.members += 1;
        match header.body(input) {
            Ok((body, behind)) => {
                self.state = State::Inside(body, behind);
                Ok(Some(Ok(header.name)))
            }
            Err((input, fault)) => {
                // The members behind one that cannot be read may be of use, unless all want a password.
                if fault != ArchiveFault::Encrypted && header.flags & LENGTHS_BEHIND == 0 {
                    self.state = State::Inside(Body::Stored(input.take(header.length)), Behind::Nothing);
                }
                Ok(Some(Err((header.name, fault))))
            }
        }
    }
}

/// Passes over the checksum and the lengths of `size` bytes behind a member.
fn skip_lengths(input: &mut Input, size: usize) -> io::Result<()> {
    let mut first = [0; 4];
    input.read_exact(&mut first)?;
    let checksum = if first == DESCRIPTOR { 4 } else { 0 };
    let rest = (checksum + 2 * size) as u64;
    io::copy(&mut input.by_ref().take(rest), &mut io::sink()).map(|_| ())
}

/// The member that is read; another one's bytes are not its own.
struct Member {
    archive: Arc<Mutex<Archive>>,
    number: u64,
}

impl Read for Member {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let own = archive.members == self.number;
        match &mut archive.state {
            State::Inside(body, _) if own => body.read(buffer),
            _ => Ok(0),
        }
    }
}

/// The captures of an archive, one after another. Other members are passed over.
pub struct ArchivedCaptures {
    path: PathBuf,
    filter: Option<PacketFilter>,
    archive: Arc<Mutex<Archive>>,
    /// There was a capture, or something to complain about.
    told: bool,
}

impl ArchivedCaptures {
    /// Those of the archive that `reader` reads; `path` stands for it in errors.
    pub fn new(path: PathBuf, reader: Box<dyn Read + Send>, filter: Option<PacketFilter>) -> Self {
        let archive = Archive { state: State::Between(BufReader::new(reader)), members: 0 };
        Self { path, filter, archive: Arc::new(Mutex::new(archive)), told: false }
    }

    fn fault(&mut self, member: &str, fault: ArchiveFault) -> SourceError {
        self.told = true;
        SourceError::Archive { path: self.path.clone(), member: member.to_owned(), fault }
    }
}

impl Iterator for ArchivedCaptures {
    type Item = Result<PcapFile, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (next, number) = {
                let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
                (archive.next(), archive.members)
            };
            let name = match next {
                Ok(Some(Ok(name))) => name,
                Ok(Some(Err((name, fault)))) => return Some(Err(self.fault(&name, fault))),
                Ok(None) if self.told => return None,
                Ok(None) => return Some(Err(self.fault("", ArchiveFault::NoCapture))),
                Err(error) => {
                    let reason = error.to_string();
                    return Some(Err(self.fault("", ArchiveFault::Damaged { reason })));
                }
            };
            let path = PathBuf::from(format!("{}/{name}", self.path.display()));
            let member = Member { archive: Arc::clone(&self.archive), number };
            match PcapFile::from_reader(&path, Box::new(member), self.filter.clone()) {
                Err(SourceError::NotACapture { .. } | SourceError::Empty { .. }) => {}
                opened => {
                    self.told = true;
                    return Some(opened.map(PcapFile::of_archive));
                }
            }
        }
    }
}

impl std::fmt::Debug for ArchivedCaptures {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ArchivedCaptures").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Whether an archive in a folder is worth opening: it has a capture, or its content is unknown.
pub(super) fn may_have_captures(path: &Path, reader: Box<dyn Read + Send>) -> bool {
    match ArchivedCaptures::new(path.to_path_buf(), reader, None).next() {
        Some(Ok(_)) => true,
        Some(Err(SourceError::Archive { fault, .. })) => fault == ArchiveFault::Encrypted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};
    use std::time::Duration;

    use super::super::build::pcap;
    use super::super::record::ByteOrder;
    use super::*;
    use crate::Source;

    /// Method of storing a member.
    #[derive(Clone, Copy)]
    enum Form {
        Stored,
        Deflate,
        Bzip2,
        /// Deflated, with its lengths behind it, of so many bytes.
        Streamed(usize),
        Encrypted,
        /// By a method that is not read.
        Ppmd,
    }

    fn member(name: &str, form: Form, content: &[u8]) -> Vec<u8> {
        let deflated = || {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        };
        let (method, flags, packed): (u16, u16, Vec<u8>) = match form {
            Form::Stored => (0, 0, content.to_vec()),
            Form::Deflate => (8, 0, deflated()),
            Form::Bzip2 => {
                let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                encoder.write_all(content).unwrap();
                (12, 0, encoder.finish().unwrap())
            }
            Form::Streamed(_) => (8, LENGTHS_BEHIND, deflated()),
            Form::Encrypted => (8, ENCRYPTED, deflated()),
            Form::Ppmd => (98, 0, content.to_vec()),
        };
        let length = (packed.len() as u32).to_le_bytes();
        let (told, extra, behind) = match form {
            Form::Streamed(size) => {
                let wide = [&[1, 0, 16, 0][..], &[0; 16]].concat();
                let extra = if size == 8 { wide } else { Vec::new() };
                ([0; 4], extra, [&DESCRIPTOR[..], &vec![7; 4 + 2 * size]].concat())
            }
            _ => (length, Vec::new(), Vec::new()),
        };
        [
            &LOCAL_HEADER[..],
            &[20, 0],
            &flags.to_le_bytes(),
            &method.to_le_bytes(),
            &[0; 8],
            &told,
            &(content.len() as u32).to_le_bytes(),
            &(name.len() as u16).to_le_bytes(),
            &(extra.len() as u16).to_le_bytes(),
            name.as_bytes(),
            &extra,
            &packed,
            &behind,
        ]
        .concat()
    }

    /// An archive of these members; what follows the beginning of the directory is not looked at.
    fn archive(members: &[Vec<u8>]) -> Vec<u8> {
        [members.concat(), DIRECTORY.to_vec()].concat()
    }

    /// Names of the captures with their packets, and sentences about what cannot be read.
    fn read(bytes: &[u8]) -> Vec<(String, Vec<Vec<u8>>)> {
        let mut seen = Vec::new();
        for capture in ArchivedCaptures::new("a.zip".into(), Box::new(Cursor::new(bytes.to_vec())), None) {
            let mut capture = match capture {
                Ok(capture) => capture,
                Err(error) => {
                    seen.push((error.to_string(), Vec::new()));
                    continue;
                }
            };
            let mut packets = Vec::new();
            loop {
                match capture.next_batch(10, Duration::ZERO) {
                    Ok(batch) if batch.at_end() => break,
                    Ok(batch) => packets.extend(batch.iter().map(|packet| packet.bytes.to_vec())),
                    Err(error) => packets.push(error.to_string().into_bytes()),
                }
            }
            seen.push((capture.name(), packets));
        }
        seen
    }

    fn one(packet: &[u8]) -> Vec<u8> {
        pcap(ByteOrder::Little, &[packet])
    }

    #[test]
    fn each_capture_in_order() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&one(b"six")).unwrap();
        let bytes = archive(&[
            member("folder/", Form::Stored, b""),
            member("folder/1.pcap", Form::Stored, &one(b"one")),
            member("notes.txt", Form::Deflate, b"no capture"),
            member("2.pcap", Form::Deflate, &one(b"two")),
            member("3.pcap", Form::Bzip2, &one(b"three")),
            member("4.pcap", Form::Streamed(4), &one(b"four")),
            member("virus.exe", Form::Streamed(8), &[0; 100_000]),
            member("5.pcap", Form::Streamed(8), &one(b"five")),
            member("6.pcap.gz", Form::Stored, &gzip.finish().unwrap()),
        ]);
        let expected = [
            ("a.zip/folder/1.pcap", "one"),
            ("a.zip/2.pcap", "two"),
            ("a.zip/3.pcap", "three"),
            ("a.zip/4.pcap", "four"),
            ("a.zip/5.pcap", "five"),
            ("a.zip/6.pcap.gz", "six"),
        ];
        let expected = expected.map(|(name, packet)| (name.to_owned(), vec![packet.as_bytes().to_vec()]));
        assert_eq!(read(&bytes), expected);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let good = || member("good.pcap", Form::Deflate, &one(b"x"));
        let cut = archive(&[good()]);
        let cases: [(Vec<u8>, usize, &str); 6] = [
            (archive(&[member("a.txt", Form::Stored, b"text")]), 0, "there is no capture in it. `unzip -l`"),
            (END.to_vec(), 0, "there is no capture in it."),
            (
                archive(&[member("x.pcap", Form::Encrypted, b"x"), good()]),
                0,
                "has x.pcap, which cannot be read: it is encrypted.",
            ),
            (archive(&[member("x.pcap", Form::Ppmd, b"x"), good()]), 1, "it is packed by method 98"),
            (cut[..20].to_vec(), 0, "the ZIP archive a.zip cannot be read: "),
            ([good(), b"????".to_vec()].concat(), 1, "no member begins where one should"),
        ];
        for (bytes, captures, sentence) in cases {
            let seen = read(&bytes);
            let told: Vec<&str> = seen
                .iter()
                .filter(|(_, packets)| packets.is_empty())
                .map(|(name, _)| name.as_str())
                .collect();
            assert!(told.len() == 1 && told[0].contains(sentence), "{sentence}: {seen:?}");
            assert_eq!(seen.len() - 1, captures, "{sentence}");
        }
    }

    #[test]
    fn names_do_not_reach_the_terminal_as_they_are() {
        let name = format!("\x1b[31m{}.pcap", "x".repeat(1000));
        let seen = read(&archive(&[member(&name, Form::Stored, &one(b"x"))]));
        assert!(seen[0].0.starts_with("a.zip/?[31mxxx") && seen[0].0.len() < 300, "{seen:?}");
    }

    #[test]
    fn any_cut_ends_in_order() {
        let whole =
            archive(&[member("1", Form::Streamed(8), &one(b"1")), member("2", Form::Bzip2, &one(b"2"))]);
        for length in 4..whole.len() {
            let seen = read(&whole[..length]);
            assert!(!seen.is_empty() && seen.len() <= 3, "{length}: {seen:?}");
        }
    }
}
