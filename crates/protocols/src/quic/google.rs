//! Client hello of Google's versions: a message of tags and values in an unencrypted STREAM frame ("QUIC Crypto", Adam Langley and Wan-Teh Chang), and its CYU fingerprint (Caleb Yu).
//!
//! Limits: [`MAX_TAGS`] tags of a message.

use md5::{Digest, Md5};
use weir_base::{Reader, hex};

use super::frames::Malformed;
use super::header::variable;
use super::version::Version;

/// Most tags of a message, which is the most that implementations take.
const MAX_TAGS: usize = 128;

/// Kinds of frames, but for STREAM.
const PADDING: u8 = 0x00;
const PING: u8 = 0x01;
const ACK: u8 = 0x02;
const CRYPTO: u8 = 0x08;

/// Tags and names of messages, without the zeros behind; a message with another one is passed over.
const TAGS: &[&str] = &[
    "AEAD", "CCRT", "CCS", "CETV", "CFCW", "CHLO", "COPT", "CSCT", "CTIM", "ICSL", "IRTT", "KEXS", "MIDS",
    "MSPC", "NONC", "NONP", "PAD", "PDMD", "PUBS", "SCID", "SCLS", "SFCW", "SMHL", "SNI", "SNO", "STK",
    "TCID", "UAID", "VER", "XLCT",
];

const SERVER_NAME: &str = "SNI";
const USER_AGENT: &str = "UAID";

/// The fingerprint of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cyu {
    /// The version's number, and the tags by dashes.
    pub string: String,
    /// The MD5 of the string.
    pub hash: String,
}

/// Client hello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoogleHello {
    /// The server that it asks for.
    pub server_name: Option<Vec<u8>>,
    /// Its software.
    pub user_agent: Option<Vec<u8>>,
    /// Its fingerprint.
    pub cyu: Cyu,
}

/// The first message among the frames of a packet. What stands behind a frame of another kind is not looked at.
pub fn hello(version: Version, content: &[u8]) -> Result<Option<GoogleHello>, Malformed> {
    let Some(number) = version.google() else { return Ok(None) };
    let mut reader = Reader::new(content);
    while let Some(kind) = reader.u8() {
        let data = match kind {
            PADDING | PING => continue,
            ACK => {
                ranges(&mut reader).ok_or(Malformed)?;
                continue;
            }
            CRYPTO => crypto(&mut reader).ok_or(Malformed)?,
            0x80.. => stream(kind, &mut reader).ok_or(Malformed)?,
            _ => break,
        };
        if let Some(found) = message(number, data) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Passes over an ACK frame, RFC 9000 19.3.
fn ranges(reader: &mut Reader<'_>) -> Option<()> {
    let [_, _, count, _] = [variable(reader)?, variable(reader)?, variable(reader)?, variable(reader)?];
    for _ in 0..count {
        variable(reader)?;
        variable(reader)?;
    }
    Some(())
}

/// Reads the data of a frame of the last of these versions that has its place and length before it.
fn crypto<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    variable(reader)?;
    let length = variable(reader)?;
    reader.take(usize::try_from(length).ok()?)
}

/// Reads the data of a STREAM frame: `1FDOOOSS`, with the lengths of the offset and of the stream's number,
/// and whether it tells the length of its data.
fn stream<'a>(kind: u8, reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let stream = usize::from(kind & 3) + 1;
    let offset = match usize::from(kind >> 2 & 7) {
        0 => 0,
        length => length + 1,
    };
    reader.skip(stream + offset)?;
    let length = if kind & 0x20 != 0 { usize::from(reader.u16()?) } else { reader.len() };
    reader.take(length)
}

/// Takes a tag that is known.
fn tag(reader: &mut Reader<'_>) -> Option<&'static str> {
    let tag: [u8; 4] = reader.array()?;
    let length = tag.iter().position(|&byte| byte == 0).unwrap_or(tag.len());
    let (name, zeros) = tag.split_at_checked(length)?;
    zeros.iter().all(|&byte| byte == 0).then_some(())?;
    TAGS.iter().find(|known| known.as_bytes() == name).copied()
}

/// The tags, each with where its value ends, and then the values, with nothing behind.
fn message(number: u8, data: &[u8]) -> Option<GoogleHello> {
    let mut reader = Reader::new(data);
    tag(&mut reader)?;
    let count = usize::from(reader.u16_le()?);
    reader.skip(2)?;
    if count > MAX_TAGS {
        return None;
    }
    let mut entries = reader.sub(count.checked_mul(8)?)?;
    let values = reader.rest();
    let (mut server_name, mut user_agent) = (None, None);
    let mut string = format!("{number},");
    let mut start = 0;
    for index in 0..count {
        let tag = tag(&mut entries)?;
        let end = usize::try_from(entries.u32_le()?).ok()?;
        let value = values.get(start..end)?;
        start = end;
        match tag {
            SERVER_NAME => server_name = Some(value.to_vec()),
            USER_AGENT => user_agent = Some(value.to_vec()),
            _ => {}
        }
        if index > 0 {
            string.push('-');
        }
        string.push_str(tag);
    }
    if start != values.len() {
        return None;
    }
    let hash = hex::string(&Md5::digest(string.as_bytes()));
    Some(GoogleHello { server_name, user_agent, cyu: Cyu { string, hash } })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A frame with a client's hello.
    pub fn hello_frame(tags: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut message = b"CHLO".to_vec();
        message.extend((tags.len() as u16).to_le_bytes());
        message.extend([0, 0]);
        let mut end = 0;
        for (tag, value) in tags {
            end += value.len() as u32;
            message.extend(*tag);
            message.extend(end.to_le_bytes());
        }
        tags.iter().for_each(|(_, value)| message.extend(*value));
        let mut frame = vec![0xa0, 1];
        frame.extend((message.len() as u16).to_be_bytes());
        frame.extend(message);
        frame
    }

    const Q046: Version = Version(0x5130_3436);

    #[test]
    fn hellos() {
        let tags: &[(&[u8; 4], &[u8])] =
            &[(b"PAD\0", b"--"), (b"SNI\0", b"a.example"), (b"VER\0", b"Q046"), (b"UAID", b"tester/1.0")];
        let frame = hello_frame(tags);
        let found =
            hello(Q046, &[&[0, 1, 2, 1, 1, 1, 1, 1, 1][..], &frame, &[0; 9]].concat()).unwrap().unwrap();
        assert_eq!(found.server_name.as_deref(), Some(&b"a.example"[..]));
        assert_eq!(found.user_agent.as_deref(), Some(&b"tester/1.0"[..]));
        assert_eq!(found.cyu.string, "46,PAD-SNI-VER-UAID");
        assert_eq!(found.cyu.hash, hex::string(&Md5::digest(b"46,PAD-SNI-VER-UAID")));
        let cases: &[(Vec<u8>, Result<bool, Malformed>)] = &[
            (vec![], Ok(false)),
            (vec![0, 0xa0], Err(Malformed)),
            (vec![7, 0xa0], Ok(false)),
            (vec![0x42, 1, 2], Ok(false)),
            (vec![0xa0, 1, 0, 4, b'R', b'E', b'J', 0], Ok(false)),
            ([&[0x84, 1, 0, 0][..], &frame[4..]].concat(), Ok(true)),
            ([&[0x84, 1, 0, 0][..], &frame[4..], &[0]].concat(), Ok(false)),
            ([&[8, 0, 0x40, frame.len() as u8 - 4][..], &frame[4..]].concat(), Ok(true)),
            (hello_frame(&[(b"ABCD", b"")]), Ok(false)),
            (hello_frame(&[(b"PAD-", b"")]), Ok(false)),
            (hello_frame(&[]), Ok(true)),
            (frame[..frame.len() - 1].to_vec(), Err(Malformed)),
            (vec![0xa0, 1, 0, 8, b'C', b'H', b'L', b'O', 0xff, 0xff, 0, 0], Ok(false)),
            (vec![0xff, 1], Err(Malformed)),
        ];
        for (content, expected) in cases {
            assert_eq!(hello(Q046, content).map(|found| found.is_some()), *expected, "{content:02x?}");
        }
        assert_eq!(hello(Version::V1, &frame), Ok(None));
    }
    /// The example that the fingerprint was published with.
    #[test]
    fn the_published_fingerprint() {
        let string = "46,PAD-SNI-STK-VER-CCS-NONC-AEAD-UAID-SCID-TCID-PDMD-SMHL-ICSL-NONP-PUBS-MIDS-SCLS-KEXS-\
            XLCT-CSCT-COPT-CCRT-IRTT-CFCW-SFCW";
        let tags = string.trim_start_matches("46,").split('-').map(|name| {
            let mut tag = [0; 4];
            tag[..name.len()].copy_from_slice(name.as_bytes());
            tag
        });
        let tags: Vec<[u8; 4]> = tags.collect();
        let frame = hello_frame(&tags.iter().map(|tag| (tag, &b"value"[..])).collect::<Vec<_>>());
        let cyu = hello(Q046, &frame).unwrap().unwrap().cyu;
        assert_eq!((cyu.string.as_str(), cyu.hash.as_str()), (string, "a46560d4548108cf99308319b3b85346"));
    }
}
