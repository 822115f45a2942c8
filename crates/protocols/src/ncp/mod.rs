//! NetWare Core Protocol over TCP: requests and replies in frames behind their lengths. Only scripts ask for it, at ports that
//! they register.
//!
//! Limit: the length of a frame (`NCP::max_frame_size` of scripts). Behind one that is longer, frames begin with a segment.

use weir_base::event::{ReadStreams, StreamFindings, StreamReader};
use weir_base::{EventValue, Reader};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "NCP",
    events: &["ncp_request", "ncp_reply"],
    tells_weirds: true,
    lasts: None,
    open: || Box::<Ncp>::default(),
};

/// Most bytes of a frame, where scripts say nothing else.
const MAX_FRAME: u64 = 65_536;

/// Bytes in front of a frame's type: signature and length; of a request also a version and the size of the reply.
const HEADER: [usize; 2] = [16, 8];
/// Bytes of a frame's own header: type, sequence number, connection, task.
const FRAME: usize = 6;
/// A function that another byte says more of.
const DIRECTORY: u8 = 0x57;
/// Types of frames.
const TYPES: [u16; 6] = [0x1111, 0x2222, 0x3333, 0x5555, 0x7777, 0x9999];

/// One connection.
#[derive(Debug, Default)]
struct Ncp {
    /// The originator's and the responder's bytes that wait for the rest of their frame.
    waiting: [Vec<u8>; 2],
    /// Frames are looked for at the beginnings of segments.
    is_lost: [bool; 2],
    request: (u64, u64),
}

impl ReadStreams for Ncp {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let side = usize::from(!is_orig);
        let most = findings.count("NCP::max_frame_size").unwrap_or(MAX_FRAME);
        let (Some(waiting), Some(is_lost), Some(header)) =
            (self.waiting.get_mut(side), self.is_lost.get_mut(side), HEADER.get(side))
        else {
            return;
        };
        if *is_lost && !begins_frame(bytes, *header) {
            return;
        }
        *is_lost = false;
        waiting.extend_from_slice(bytes);
        let mut taken = 0;
        while let Some(rest) = waiting.get(taken..) {
            let Some(length) = Reader::new(rest.get(4..).unwrap_or_default()).u32() else { break };
            if u64::from(length) > most {
                findings.weird("ncp_large_frame", "");
                (taken, *is_lost) = (waiting.len(), true);
                break;
            }
            // A length that does not cover its own header is none.
            let length = (length as usize).max(8);
            let Some(frame) = rest.get(..length) else { break };
            let _ = tell(frame, is_orig, *header, &mut self.request, findings);
            taken += length;
        }
        waiting.drain(..taken.min(waiting.len()));
    }
}

fn begins_frame(bytes: &[u8], header: usize) -> bool {
    let kind = Reader::new(bytes.get(header..).unwrap_or_default()).u16();
    kind.is_some_and(|kind| TYPES.contains(&kind)) && bytes.len() >= header + FRAME
}

/// Raises the event of a frame.
fn tell(
    frame: &[u8],
    is_orig: bool,
    header: usize,
    request: &mut (u64, u64),
    findings: &mut dyn StreamFindings,
) -> Option<()> {
    let kind = u64::from(Reader::new(frame.get(header..)?).u16()?);
    let body = frame.get(header + FRAME..)?;
    let (c, length) = (EventValue::Connection, EventValue::Count(body.len() as u64));
    let first = *body.first()?;
    if is_orig {
        let function = match (first, body.get(1)) {
            (DIRECTORY, Some(more)) => u64::from(first) << 8 | u64::from(*more),
            _ => first.into(),
        };
        *request = (kind, function);
        findings.raise("ncp_request", &[c, kind.into(), length, function.into()]);
    } else {
        let (asked, function) = *request;
        findings.raise("ncp_reply", &[c, kind.into(), length, asked.into(), function.into(), first.into()]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{told, told_by_settings};

    fn frame(is_orig: bool, kind: u16, body: &[u8]) -> Vec<u8> {
        let header = HEADER[usize::from(!is_orig)];
        let length = (header + FRAME + body.len()) as u32;
        let more = if is_orig { &[0, 0, 0, 1, 0, 0, 8, 0][..] } else { &[] };
        [b"DmdT", &length.to_be_bytes()[..], more, &kind.to_be_bytes(), &[1, 2, 3, 4], body].concat()
    }

    #[test]
    fn requests_and_replies() {
        let request = frame(true, 0x2222, &[0x57, 0x01, 9]);
        let plain = frame(true, 0x2222, &[0x14]);
        let reply = frame(false, 0x3333, &[0x89, 0]);
        let both = [request.clone(), plain.clone()].concat();
        type Case<'a> = (&'a [(bool, &'a [u8])], &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                &[(true, &both), (false, &reply)],
                &["ncp_request c 8738 3 22273", "ncp_request c 8738 1 20", "ncp_reply c 13107 2 8738 20 137"],
            ),
            (&[(false, &reply)], &["ncp_reply c 13107 2 0 0 137"]),
            (&[(true, b"DmdT\0\0\0\x02")], &[]),
        ];
        for (pieces, expected) in cases {
            assert_eq!(told(&READER, pieces), *expected);
        }
    }

    #[test]
    fn long_frames_are_passed_over() {
        let (long, plain) = (frame(true, 0x2222, &[1; 90]), frame(true, 0x2222, &[0x14]));
        let limits = [("NCP::max_frame_size", 64)];
        let pieces: [(bool, &[u8]); 3] = [(true, &long), (true, b"rest"), (true, &plain)];
        let expected = ["weird ncp_large_frame ", "ncp_request c 8738 1 20"];
        assert_eq!(told_by_settings(&READER, &limits, &[], &pieces), expected);
    }
}
