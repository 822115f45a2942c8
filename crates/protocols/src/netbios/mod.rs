//! The session service of NetBIOS over TCP (RFC 1002, section 4.3). Only scripts ask for it, at ports that they register.
//!
//! Limit: a message has 64 KiB at most, as its length has two bytes.

use weir_base::EventValue;
use weir_base::event::{ReadStreams, StreamFindings, StreamReader};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "NETBIOSSSN",
    events: &[
        "netbios_session_message",
        "netbios_session_request",
        "netbios_session_accepted",
        "netbios_session_rejected",
        "netbios_session_raw_message",
        "netbios_session_ret_arg_resp",
        "netbios_session_keepalive",
    ],
    tells_weirds: true,
    lasts: None,
    open: || Box::<Session>::default(),
};

/// Bytes of a header: type, flags, length.
const HEADER: usize = 4;

/// Types of messages.
mod kind {
    pub const MESSAGE: u8 = 0x00;
    pub const REQUEST: u8 = 0x81;
    pub const ACCEPTED: u8 = 0x82;
    pub const REJECTED: u8 = 0x83;
    pub const RETARGET: u8 = 0x84;
    pub const KEEP_ALIVE: u8 = 0x85;
    /// Datagrams, which streams have no meaning for.
    pub const DATAGRAMS: std::ops::RangeInclusive<u8> = 0x10..=0x16;
}

/// One connection: the bytes of each side that wait for the rest of their message.
#[derive(Debug, Default)]
struct Session {
    waiting: [Vec<u8>; 2],
}

impl ReadStreams for Session {
    fn data(&mut self, is_orig: bool, bytes: &[u8], findings: &mut dyn StreamFindings) {
        let Some(waiting) = self.waiting.get_mut(usize::from(!is_orig)) else { return };
        waiting.extend_from_slice(bytes);
        let mut taken = 0;
        while let Some([kind, _, high, low, rest @ ..]) = waiting.get(taken..) {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            let Some(message) = rest.get(..length) else { break };
            tell(*kind, message, is_orig, findings);
            taken += HEADER + length;
        }
        waiting.drain(..taken.min(waiting.len()));
    }

    /// Tells of messages that are not at their ends, as far as they came.
    fn end(&mut self, findings: &mut dyn StreamFindings) {
        for (waiting, is_orig) in self.waiting.iter().zip([true, false]) {
            if let [kind, _, _, _, rest @ ..] = waiting.as_slice()
                && !rest.is_empty()
            {
                tell(*kind, rest, is_orig, findings);
            }
        }
    }
}

/// Raises the events of a message.
fn tell(kind: u8, message: &[u8], is_orig: bool, findings: &mut dyn StreamFindings) {
    let c = EventValue::Connection;
    let length = EventValue::Count(message.len() as u64);
    findings.raise("netbios_session_message", &[c, is_orig.into(), kind.into(), length]);
    let answer = match kind {
        kind::ACCEPTED => "netbios_session_accepted",
        kind::REJECTED => "netbios_session_rejected",
        kind::RETARGET => "netbios_session_ret_arg_resp",
        kind::KEEP_ALIVE => {
            findings.raise("netbios_session_keepalive", &[c, message.into()]);
            return;
        }
        kind::MESSAGE if message.starts_with(b"\xffSMB") => {
            findings.weird("no_smb_session_using_parsesambamsg", "");
            return;
        }
        kind::MESSAGE => {
            findings.weird("netbios_raw_session_msg", "");
            findings.raise("netbios_session_raw_message", &[c, is_orig.into(), message.into()]);
            return;
        }
        kind::REQUEST => {
            if !is_orig {
                findings.weird("netbios_server_session_request", "");
            }
            if let Some(name) = name(message) {
                findings.raise("netbios_session_request", &[c, EventValue::String(&name)]);
            }
            return;
        }
        _ if kind::DATAGRAMS.contains(&kind) => return,
        _ => {
            findings.weird("unknown_netbios_type", &format!("0x{kind:x}"));
            return;
        }
    };
    if is_orig {
        findings.weird("netbios_client_session_reply", "");
    }
    findings.raise(answer, &[c, message.into()]);
}

/// Reads a name: each byte is two letters, from A to P (RFC 1001, section 14.1).
fn name(message: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = message.split_first()?;
    let length = usize::from(*length) / 2;
    if !(1..=30).contains(&length) {
        return None;
    }
    let half = |letter: u8| letter.checked_sub(b'A').filter(|half| *half < 16);
    let pairs = rest.get(..length * 2)?.chunks_exact(2);
    pairs.map(|pair| Some(half(*pair.first()?)? << 4 | half(*pair.last()?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::told;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        [&[kind, 0][..], &(body.len() as u16).to_be_bytes(), body].concat()
    }

    #[test]
    fn messages() {
        let name = [&[4][..], b"EBEC", &[0]].concat();
        type Case<'a> = (bool, Vec<u8>, &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            (
                true,
                message(0x81, &name),
                &["netbios_session_message c T 129 6", "netbios_session_request c AB"],
            ),
            (
                false,
                [message(0x82, b""), message(0x83, &[0x80])].concat(),
                &[
                    "netbios_session_message c F 130 0",
                    "netbios_session_accepted c ",
                    "netbios_session_message c F 131 1",
                    "netbios_session_rejected c \\x80",
                ],
            ),
            (
                true,
                message(0, b"text"),
                &[
                    "netbios_session_message c T 0 4",
                    "weird netbios_raw_session_msg ",
                    "netbios_session_raw_message c T text",
                ],
            ),
            (
                true,
                message(0, b"\xffSMBr"),
                &["netbios_session_message c T 0 5", "weird no_smb_session_using_parsesambamsg "],
            ),
            (
                true,
                message(0x85, b""),
                &["netbios_session_message c T 133 0", "netbios_session_keepalive c "],
            ),
            (
                true,
                message(0x84, b"x"),
                &[
                    "netbios_session_message c T 132 1",
                    "weird netbios_client_session_reply ",
                    "netbios_session_ret_arg_resp c x",
                ],
            ),
            (
                true,
                message(0x99, b""),
                &["netbios_session_message c T 153 0", "weird unknown_netbios_type 0x99"],
            ),
            (
                true,
                b"\0\0\0\x09half".to_vec(),
                &[
                    "netbios_session_message c T 0 4",
                    "weird netbios_raw_session_msg ",
                    "netbios_session_raw_message c T half",
                ],
            ),
            (true, b"\0\0\0".to_vec(), &[]),
        ];
        for (is_orig, bytes, expected) in cases {
            assert_eq!(told(&READER, &[(*is_orig, bytes)]), *expected, "{bytes:?}");
        }
    }

    #[test]
    fn names() {
        let cases: [(&[u8], Option<&[u8]>); 5] = [
            (b"\x04EBEC", Some(b"AB")),
            (b"\x04EB", None),
            (b"\x04EBEZ", None),
            (b"\x00", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(name(bytes).as_deref(), expected, "{bytes:?}");
        }
    }
}
