//! RDP over UDP (MS-RDPEUDP 2.2, MS-RDPEUDP2 2.2) for events of scripts: how a conversation begins, and the data of both ends.
//! Only scripts ask for it, at ports that they register.

use weir_base::event::{ReadStreams, StreamFindings, StreamReader};
use weir_base::{EventValue, Reader};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "RDPEUDP",
    events: &["rdpeudp_syn", "rdpeudp_synack", "rdpeudp_established", "rdpeudp_data"],
    tells_weirds: false,
    lasts: None,
    open: || Box::<Conversation>::default(),
};

/// Flags (MS-RDPEUDP 2.2.2.1).
mod flag {
    pub const SYN: u16 = 0x0001;
    pub const ACK: u16 = 0x0004;
    pub const DATA: u16 = 0x0008;
    pub const ACK_OF_ACKS: u16 = 0x0100;
    pub const CORRELATION_ID: u16 = 0x0800;
    pub const SYN_EX: u16 = 0x1000;
}

/// The acknowledgement of the beginning, which has none.
const NOTHING: u32 = u32::MAX;
/// The version from which datagrams are those of MS-RDPEUDP2 (MS-RDPEUDP 2.2.2.9).
const VERSION_3: u16 = 0x0101;
/// A datagram that is sent for its size alone (MS-RDPEUDP2 2.2.1.1), in the bits of its kind.
const KIND: u8 = 0x78;
const DUMMY: u8 = 0x08;

/// How far a conversation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    New,
    Asked,
    Answered,
    Established,
}

/// One conversation: its stage, and whether both ends speak MS-RDPEUDP2.
#[derive(Debug, Default)]
struct Conversation {
    stage: Stage,
    is_second: [bool; 2],
}

/// The beginning of an end: what it acknowledges, its flags, and whether it speaks MS-RDPEUDP2.
fn beginning(bytes: &[u8]) -> Option<(u32, u16, bool)> {
    let mut reader = Reader::new(bytes);
    let acknowledged = reader.u32()?;
    reader.skip(2)?;
    let flags = reader.u16()?;
    // A number, and sizes of datagrams.
    reader.skip(8)?;
    if flags & flag::CORRELATION_ID != 0 {
        reader.skip(32)?;
    }
    let mut is_second = false;
    if flags & flag::SYN_EX != 0 {
        reader.skip(2)?;
        is_second = reader.u16()? == VERSION_3;
        if is_second {
            reader.skip(32)?;
        }
    }
    Some((acknowledged, flags, is_second))
}

/// Returns the data of a datagram of the first version, behind what it acknowledges.
fn data(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    reader.skip(6)?;
    let flags = reader.u16()?;
    let count = usize::from(reader.u16()?);
    reader.skip(count)?;
    // Up to a multiple of four bytes.
    reader.skip((count + 2).wrapping_neg() % 4)?;
    if flags & flag::ACK_OF_ACKS != 0 {
        reader.skip(4)?;
    }
    if flags & flag::DATA != 0 {
        reader.skip(8)?;
    }
    Some(reader.rest())
}

/// Returns the data of a datagram of the second version; none of one that has no meaning.
fn data_of_second(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    let prefix = reader.u8()?;
    reader.skip(2)?;
    (prefix & KIND != DUMMY).then(|| reader.rest())
}

impl ReadStreams for Conversation {
    fn data(&mut self, _: bool, _: &[u8], _: &mut dyn StreamFindings) {}

    fn datagram(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        // What does not fit its format has no event.
        let _ = self.read(is_orig, bytes, findings);
    }
}

impl Conversation {
    fn read(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) -> Option<()> {
        let c = EventValue::Connection;
        let [of_orig, of_resp] = &mut self.is_second;
        match self.stage {
            Stage::New => {
                let (acknowledged, flags, is_second) = beginning(bytes)?;
                if is_orig && flags & flag::SYN != 0 && acknowledged == NOTHING {
                    *of_orig = is_second;
                    findings.raise("rdpeudp_syn", &[c]);
                    self.stage = Stage::Asked;
                }
            }
            Stage::Asked => {
                let (_, flags, is_second) = beginning(bytes)?;
                if !is_orig && flags & (flag::SYN | flag::ACK) != 0 {
                    *of_resp = is_second;
                    findings.raise("rdpeudp_synack", &[c]);
                    self.stage = Stage::Answered;
                }
            }
            Stage::Answered | Stage::Established => {
                let is_second = *of_orig && *of_resp;
                let data = if is_second { data_of_second(bytes)? } else { data(bytes)? };
                let version = EventValue::Count(if is_second { 2 } else { 1 });
                if self.stage == Stage::Answered {
                    findings.raise("rdpeudp_established", &[c, version]);
                    self.stage = Stage::Established;
                }
                findings.raise("rdpeudp_data", &[c, is_orig.into(), version, data.into()]);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told_of_datagrams;

    /// The beginning of an end, by what it acknowledges, its flags and what is behind.
    fn beginning(acknowledged: u32, flags: u16, more: &[u8]) -> Vec<u8> {
        [&acknowledged.to_be_bytes()[..], &[0, 64], &flags.to_be_bytes(), &[0; 8], more].concat()
    }

    fn first_version(flags: u16, vector: &[u8], more: &[u8]) -> Vec<u8> {
        let filling = vec![0; (vector.len() + 2).wrapping_neg() % 4];
        let count = (vector.len() as u16).to_be_bytes();
        [&[0, 0, 0, 1, 0, 64][..], &flags.to_be_bytes(), &count, vector, &filling, more].concat()
    }

    #[test]
    fn conversations() {
        let version_3 = [&[0, 1, 1, 1][..], &[7; 32]].concat();
        let (syn, answer) = (beginning(NOTHING, 1, b""), beginning(5, 5, b""));
        let (syn_3, answer_3) = (beginning(NOTHING, 0x1001, &version_3), beginning(5, 0x1005, &version_3));
        let correlated = beginning(NOTHING, 0x1801, &[&[0; 32][..], &version_3].concat());
        let plain = first_version(4, &[1], b"");
        let full = first_version(0x10c, &[1, 2, 3], b"ackssequencedata");
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let (asked, answered) = ("rdpeudp_syn c", "rdpeudp_synack c");
        let cases: &[Case<'_>] = &[
            (
                &[(true, &syn), (false, &answer), (true, &plain), (false, &full)],
                &[
                    asked,
                    answered,
                    "rdpeudp_established c 1",
                    "rdpeudp_data c T 1 ",
                    "rdpeudp_data c F 1 data",
                ],
            ),
            (
                &[(true, &correlated), (false, &answer_3), (true, b"\x08\0\0dummy"), (true, b"\0\0\x04data")],
                &[asked, answered, "rdpeudp_established c 2", "rdpeudp_data c T 2 data"],
            ),
            (
                &[(true, &syn_3), (false, &answer), (true, &plain)],
                &[asked, answered, "rdpeudp_established c 1", "rdpeudp_data c T 1 "],
            ),
            (&[(false, &syn), (true, &answer), (true, &syn[..15])], &[]),
            (&[(true, &syn), (true, &answer), (false, &syn_3[..40])], &[asked]),
            (&[(true, &syn), (false, &answer), (true, &plain[..9])], &[asked, answered]),
        ];
        for (datagrams, expected) in cases {
            assert_eq!(told_of_datagrams(&READER, &[], datagrams), *expected, "{datagrams:?}");
        }
    }
}
