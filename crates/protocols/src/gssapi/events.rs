//! Events of tokens for scripts: messages of NTLM with all that they say (MS-NLMP 2.2.1), and how a negotiation ended.

use memchr::memmem;
use weir_applayer::ZeekSink;
use weir_base::{EventValue, Reader};

use super::ntlmssp::{SIGNATURE, utf8_of_utf16};
use super::token::Token;
use crate::krb5::events::ticket_shown;

/// Names of the events, by the number that they are raised by.
pub(crate) const NAMES: [&str; 5] =
    ["ntlm_negotiate", "ntlm_challenge", "ntlm_authenticate", "gssapi_neg_result", "krb_ap_request"];

const NEGOTIATE: usize = 0;
const CHALLENGE: usize = 1;
const AUTHENTICATE: usize = 2;
const RESULT: usize = 3;
const TICKET: usize = 4;

/// Flags (MS-NLMP 2.2.2.5) in the order of Zeek's record.
const FLAGS: [u32; 22] = [
    0x8000_0000,
    0x4000_0000,
    0x2000_0000,
    flag::VERSION,
    flag::TARGET_INFO,
    0x0040_0000,
    0x0010_0000,
    0x0008_0000,
    0x0002_0000,
    0x0001_0000,
    0x0000_8000,
    flag::WORKSTATION,
    flag::DOMAIN,
    0x0000_0800,
    0x0000_0200,
    0x0000_0080,
    0x0000_0040,
    0x0000_0020,
    0x0000_0010,
    flag::TARGET,
    0x0000_0002,
    flag::UNICODE,
];

/// Flags that say what a message holds.
mod flag {
    pub(super) const UNICODE: u32 = 0x0000_0001;
    pub(super) const TARGET: u32 = 0x0000_0004;
    pub(super) const DOMAIN: u32 = 0x0000_1000;
    pub(super) const WORKSTATION: u32 = 0x0000_2000;
    pub(super) const TARGET_INFO: u32 = 0x0080_0000;
    pub(super) const VERSION: u32 = 0x0200_0000;
}

/// Identifiers of pairs of a server's target information (MS-NLMP 2.2.2.1).
mod pair {
    pub(super) const END: u16 = 0;
    pub(super) const FLAGS: u16 = 6;
    pub(super) const TIMESTAMP: u16 = 7;
    pub(super) const SINGLE_HOST: u16 = 8;
    pub(super) const TARGET_NAME: u16 = 9;
}

/// The flag of a pair: the account may only prove itself.
const CONSTRAINED: u32 = 1;

/// Most pairs that are read.
const MAX_PAIRS: usize = 64;

/// Takes events by their numbers, and their arguments.
pub(crate) type Raise<'r> = dyn FnMut(usize, &[EventValue<'_>]) + 'r;

/// Raises the events of a token: what it carries first, then how the negotiation ended.
pub(crate) fn raise(token: &[u8], raise: &mut Raise<'_>) {
    if let Some(message) = memmem::find(token, SIGNATURE).and_then(|place| token.get(place..)) {
        // What does not fit its format has no event.
        let _ = ntlm(message, raise);
    }
    if let Some(request) = Token::find_request(token) {
        // What does not fit its format has no event.
        let _ = ticket_shown(request, false, &mut |arguments| raise(TICKET, arguments));
    }
    if let Some(outcome) = Token::read(token).outcome {
        raise(RESULT, &[EventValue::Connection, outcome.into()]);
    }
}

/// Raises the events of a token that a logger tells of.
pub(crate) fn tell(token: &[u8], sink: &mut dyn ZeekSink) {
    raise(token, &mut |event, arguments| {
        if let Some(name) = NAMES.get(event) {
            sink.raise(name, arguments);
        }
    });
}

/// Returns the seconds since 1970 of a time in units of 100 nanoseconds since 1601 (MS-DTYP 2.3.3).
pub(crate) fn seconds(file_time: u64) -> f64 {
    file_time as f64 / 1e7 - 11_644_473_600.0
}

fn ntlm(message: &[u8], raise: &mut Raise<'_>) -> Option<()> {
    let mut reader = Reader::new(message);
    reader.skip(SIGNATURE.len())?;
    match reader.u32_le()? {
        1 => negotiate(message, reader, raise),
        2 => challenge(message, reader, raise),
        3 => authenticate(message, reader, raise),
        _ => None,
    }
}

/// MS-NLMP 2.2.1.1.
fn negotiate(message: &[u8], mut reader: Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let flags = reader.u32_le()?;
    let names = [(); 2].map(|()| content(message, &mut reader));
    let [domain, host] = [(0, flag::DOMAIN), (1, flag::WORKSTATION)].map(|(place, flag)| {
        let name: Option<&[u8]> = names.get(place).copied().flatten();
        name.filter(|_| flags & flag != 0)
    });
    let version = version(flags, &mut reader);
    let said = bits(flags);
    let fields = [
        EventValue::Record(&said),
        EventValue::bytes(domain),
        EventValue::bytes(host),
        record(version.as_ref()),
    ];
    raise(NEGOTIATE, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// MS-NLMP 2.2.1.2.
fn challenge(message: &[u8], mut reader: Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let target = content(message, &mut reader);
    let flags = reader.u32_le()?;
    let challenge = reader.u64_le()?;
    reader.skip(8)?;
    let info = content(message, &mut reader).filter(|_| flags & flag::TARGET_INFO != 0);
    let version = version(flags, &mut reader);
    let target = target.filter(|_| flags & flag::TARGET != 0).map(|name| text(name, flags));
    let info = info.map(TargetInfo::read);
    let info = info.as_ref().map(TargetInfo::fields);
    let said = bits(flags);
    let fields = [
        EventValue::Record(&said),
        challenge.into(),
        EventValue::bytes(target.as_deref()),
        record(version.as_ref()),
        record(info.as_ref()),
    ];
    raise(CHALLENGE, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// MS-NLMP 2.2.1.3.
fn authenticate(message: &[u8], mut reader: Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let mut next = || content(message, &mut reader).filter(|content| !content.is_empty());
    let [_, response, domain, user, host, key] = [next(), next(), next(), next(), next(), next()];
    let flags = reader.u32_le()?;
    let version = version(flags, &mut reader);
    let [domain, user, host] = [domain, user, host].map(|name| name.map(|name| text(name, flags)));
    let said = bits(flags);
    let fields = [
        EventValue::Record(&said),
        EventValue::bytes(domain.as_deref()),
        EventValue::bytes(user.as_deref()),
        EventValue::bytes(host.as_deref()),
        EventValue::bytes(key),
        record(version.as_ref()),
        EventValue::bytes(response),
    ];
    raise(AUTHENTICATE, &[EventValue::Connection, EventValue::Record(&fields)]);
    Some(())
}

/// The content of a field, whose length and place come next; none where it is not in the message.
fn content<'a>(message: &'a [u8], reader: &mut Reader<'_>) -> Option<&'a [u8]> {
    let length = usize::from(reader.u16_le()?);
    reader.skip(2)?;
    let place = reader.u32_le()? as usize;
    message.get(place..place.checked_add(length)?)
}

/// A name in UTF-8.
fn text(name: &[u8], flags: u32) -> Vec<u8> {
    if flags & flag::UNICODE != 0 { utf8_of_utf16(name) } else { name.to_vec() }
}

fn bits(flags: u32) -> [EventValue<'static>; 22] {
    FLAGS.map(|flag| EventValue::Bool(flags & flag != 0))
}

/// MS-NLMP 2.2.2.10.
fn version(flags: u32, reader: &mut Reader<'_>) -> Option<[EventValue<'static>; 4]> {
    if flags & flag::VERSION == 0 {
        return None;
    }
    let (major, minor, build) = (reader.u8()?, reader.u8()?, reader.u16_le()?);
    reader.skip(3)?;
    Some([major.into(), minor.into(), build.into(), reader.u8()?.into()])
}

fn record<'a>(fields: Option<&'a impl AsRef<[EventValue<'a>]>>) -> EventValue<'a> {
    fields.map_or(EventValue::Unset, |fields| EventValue::Record(fields.as_ref()))
}

/// Target information of a server.
#[derive(Debug, Default)]
struct TargetInfo {
    /// Names: NetBIOS's of the computer and of the domain, DNS's of both and of the forest.
    names: [Option<Vec<u8>>; 5],
    flags: Option<u32>,
    time: Option<u64>,
    host: Option<u64>,
    target: Option<Vec<u8>>,
}

impl TargetInfo {
    fn read(bytes: &[u8]) -> Self {
        let (mut info, mut reader) = (Self::default(), Reader::new(bytes));
        for _ in 0..MAX_PAIRS {
            let (Some(kind), Some(length)) = (reader.u16_le(), reader.u16_le()) else { break };
            let Some(value) = reader.take(length.into()).filter(|_| kind != pair::END) else { break };
            info.pair(kind, value);
        }
        info
    }

    fn pair(&mut self, kind: u16, value: &[u8]) {
        let mut reader = Reader::new(value);
        match kind {
            pair::FLAGS => self.flags = reader.u32_le(),
            pair::TIMESTAMP => self.time = reader.u64_le(),
            // The size, zero, data of its own, the machine.
            pair::SINGLE_HOST => self.host = reader.skip(4 + 4 + 8).and_then(|()| reader.u64_le()),
            pair::TARGET_NAME => self.target = Some(utf8_of_utf16(value)),
            _ => {
                let name = usize::from(kind).checked_sub(1).and_then(|place| self.names.get_mut(place));
                if let Some(name) = name {
                    *name = Some(utf8_of_utf16(value));
                }
            }
        }
    }

    fn fields(&self) -> [EventValue<'_>; 9] {
        let [computer, domain, dns_computer, dns_domain, dns_tree] =
            self.names.each_ref().map(|name| EventValue::bytes(name.as_deref()));
        [
            computer,
            domain,
            dns_computer,
            dns_domain,
            dns_tree,
            self.flags.map_or(EventValue::Unset, |flags| EventValue::Bool(flags & CONSTRAINED != 0)),
            self.time.map_or(EventValue::Unset, |time| EventValue::Moment(seconds(time))),
            EventValue::count(self.host),
            EventValue::bytes(self.target.as_deref()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gssapi::ntlmssp::tests::{authenticate, challenge};
    use crate::gssapi::token::tests::answer;

    /// The events of a token: names, and how many arguments of records are there.
    fn told(token: &[u8]) -> Vec<(&'static str, usize)> {
        let mut told = Vec::new();
        raise(token, &mut |event, arguments| {
            let fields = match arguments {
                [_, EventValue::Record(fields)] => {
                    fields.iter().filter(|field| !matches!(field, EventValue::Unset)).count()
                }
                _ => arguments.len(),
            };
            told.push((NAMES[event], fields));
        });
        told
    }

    #[test]
    fn messages_come_before_the_outcome() {
        let client = authenticate("CONTOSO", "Admin", "HOST");
        type Case<'a> = (Vec<u8>, &'a [(&'a str, usize)]);
        let cases: [Case<'_>; 5] = [
            (
                answer(1, &challenge(&[(1, "SERVER"), (9, "cifs/server")])),
                &[("ntlm_challenge", 3), ("gssapi_neg_result", 2)],
            ),
            (answer(0, b""), &[("gssapi_neg_result", 2)]),
            (client.clone(), &[("ntlm_authenticate", 5)]),
            (b"NTLMSSP\0\x01\0\0\0\0\0\0\0".to_vec(), &[("ntlm_negotiate", 1)]),
            (b"NTLMSSP\0\x01\0\0".to_vec(), &[]),
        ];
        for (token, expected) in cases {
            assert_eq!(told(&token), expected, "{token:02x?}");
        }
        for length in 0..client.len() {
            told(&client[..length]);
        }
    }

    #[test]
    fn what_a_server_tells_of_itself() {
        let mut info = TargetInfo::default();
        for (kind, value) in [
            (1, &b"A\0"[..]),
            (5, b"B\0"),
            (6, &[1, 0, 0, 0]),
            (7, &116_444_736_010_000_000_u64.to_le_bytes()),
            (9, b"C\0"),
            (10, b"unknown"),
        ] {
            info.pair(kind, value);
        }
        let fields = info.fields();
        assert!(
            matches!(fields[0], EventValue::String(b"A")) && matches!(fields[4], EventValue::String(b"B"))
        );
        assert!(matches!(fields[5], EventValue::Bool(true)) && matches!(fields[8], EventValue::String(b"C")));
        assert!(matches!(fields[6], EventValue::Moment(time) if (time - 1.0).abs() < 1e-6));
        assert!(matches!(fields[7], EventValue::Unset));
    }
}
