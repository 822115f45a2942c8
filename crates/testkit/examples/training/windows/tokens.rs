//! How clients make themselves known: SPNEGO (RFC 4178) around messages of NTLM (MS-NLMP) or a ticket of Kerberos.

use weir_testkit::Random;

use super::{DOMAIN, REALM, computer, kerberos, server_name, utf16};
use crate::ber::{element, identifier, octets, part, sequence};
use crate::words::spoken;

const SPNEGO: &[u8] = b"\x2b\x06\x01\x05\x05\x02";
const KERBEROS: &[u8] = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02";
const MS_KERBEROS: &[u8] = b"\x2a\x86\x48\x82\xf7\x12\x01\x02\x02";
const NTLM: &[u8] = b"\x2b\x06\x01\x04\x01\x82\x37\x02\x02\x0a";

/// Unicode, NTLM, extended session security, target information, version, 128 bits and more.
const FLAGS: u32 = 0xe288_8215;
/// Windows 10.
const VERSION: [u8; 8] = [10, 0, 0x63, 0x45, 0, 0, 0, 15];

/// What a server offers before it is asked.
pub fn mechanisms() -> Vec<u8> {
    let listed = sequence(&[MS_KERBEROS, KERBEROS, NTLM].map(identifier));
    opening(&[part(0, &listed)])
}

/// What a client says who has a ticket for a server's files.
pub fn ticket(random: &mut Random) -> Vec<u8> {
    let server = server_name(random);
    let request = kerberos::application_request(random, REALM, &["cifs", &server]);
    let token = element(0x60, &[&identifier(KERBEROS)[..], &[1, 0], &request].concat());
    let listed = sequence(&[MS_KERBEROS, KERBEROS, NTLM].map(identifier));
    opening(&[part(0, &listed), part(2, &octets(token))])
}

/// What a client says first that has none.
pub fn negotiate() -> Vec<u8> {
    let token = [&b"NTLMSSP\0\x01\0\0\0"[..], &FLAGS.to_le_bytes(), &[0; 16], &VERSION].concat();
    opening(&[part(0, &sequence(&[identifier(NTLM)])), part(2, &octets(token))])
}

/// What the server asks of it.
pub fn challenge(random: &mut Random) -> Vec<u8> {
    let target = utf16(DOMAIN);
    let name = server_name(random);
    let short = name.split('.').next().unwrap_or_default().to_uppercase();
    let mut known = Vec::new();
    for (kind, text) in [(2, DOMAIN), (1, &*short), (4, "corp.example"), (3, &*name), (5, "corp.example")] {
        let text = utf16(text);
        known.extend([kind, text.len() as u16].map(u16::to_le_bytes).concat());
        known.extend(text);
    }
    known.extend([0; 4]);
    let mut token = b"NTLMSSP\0\x02\0\0\0".to_vec();
    token.extend(place(56, target.len()));
    token.extend(FLAGS.to_le_bytes());
    token.extend(random.bytes(8));
    token.extend([0; 8]);
    token.extend(place(56 + target.len(), known.len()));
    token.extend(VERSION);
    token.extend([target, known].concat());
    answer(1, &token)
}

/// What the client then shows.
pub fn authenticate(random: &mut Random) -> Vec<u8> {
    let (user, host) = (spoken(random), computer(random));
    let texts =
        [random.bytes(24), random.bytes(180), utf16(DOMAIN), utf16(&user), utf16(&host), random.bytes(16)];
    let mut token = b"NTLMSSP\0\x03\0\0\0".to_vec();
    let mut at = 88;
    for text in &texts {
        token.extend(place(at, text.len()));
        at += text.len();
    }
    token.extend(FLAGS.to_le_bytes());
    token.extend(VERSION);
    token.extend(random.bytes(16));
    token.extend(texts.concat());
    element(0xa1, &sequence(&[part(2, &octets(token))]))
}

/// What a server says: 0 lets the client in, 1 asks for more.
pub fn answer(outcome: u8, token: &[u8]) -> Vec<u8> {
    let mut parts = vec![part(0, &[10, 1, outcome])];
    if !token.is_empty() {
        parts.extend([part(1, &identifier(NTLM)), part(2, &octets(token))]);
    }
    element(0xa1, &sequence(&parts))
}

fn opening(parts: &[Vec<u8>]) -> Vec<u8> {
    element(0x60, &[identifier(SPNEGO), part(0, &sequence(parts))].concat())
}

/// Where a text stands in a message of NTLM.
fn place(at: usize, length: usize) -> Vec<u8> {
    let size = (length as u16).to_le_bytes();
    [&size[..], &size, &(at as u32).to_le_bytes()].concat()
}
