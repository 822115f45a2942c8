//! Certificates that are verified: signatures that are looked at, and paths that are searched.

use super::Attack;
use super::bytes::{element, integer, sized};
use crate::wire::Wire;

/// Certificates of a chain, as many as are considered.
const OF_CHAIN: u64 = 64;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "certificates-signed",
        what: "TLS: certificates that a root is said to have signed: signatures that are looked at",
        unit: "connections",
        size: 500,
        write: |wire, count| {
            (0..count).for_each(|number| {
                let root = name(&[(6, "US"), (10, "Internet Security Research Group"), (3, "ISRG Root X2")]);
                let own = name(&[(3, &format!("{number}.example"))]);
                handshake(wire, number, &[certificate(number, &root, &own, &[])]);
            });
        },
    },
    Attack {
        name: "certificates-alike",
        what: "TLS: chains of certificates of one name, each key another: the search for a path",
        unit: "certificates",
        size: 2000,
        write: |wire, count| {
            (0..count.div_ceil(OF_CHAIN)).for_each(|number| {
                let alike = name(&[(3, "Any Authority")]);
                let chain: Vec<Vec<u8>> = (0..OF_CHAIN)
                    .map(|place| {
                        let keys = [key_of(2, place as u8), key_of(1, place as u8 + 1)].concat();
                        certificate(OF_CHAIN * number + place, &alike, &alike, &keys)
                    })
                    .collect();
                handshake(wire, number, &chain);
            });
        },
    },
];

/// A handshake of TLS 1.2 as far as both sides have said that the rest is encrypted.
fn handshake(wire: &mut Wire<'_>, number: u64, chain: &[Vec<u8>]) {
    let mut connection = wire.connect((20_000 + (number % 40_000) as u16, 443));
    let random = [&number.to_be_bytes()[..], &[7; 24]].concat();
    let client = [&[3, 3][..], &random, &[0], &sized(&[0xc0, 0x2b]), &[1, 0]].concat();
    connection.client(wire, &records(&message(1, &client)));
    let server = [&[3, 3][..], &random, &[0, 0xc0, 0x2b, 0]].concat();
    let certificates: Vec<u8> = chain.iter().flat_map(|der| long(der)).collect();
    let messages = [message(2, &server), message(11, &long(&certificates)), message(14, b"")].concat();
    connection.server(wire, &records(&messages));
    let encrypted = [&[20, 3, 3, 0, 1, 1, 22, 3, 3][..], &sized(&[9; 40])].concat();
    connection.client(wire, &encrypted);
    connection.server(wire, &encrypted);
    connection.close(wire);
}

/// Messages in as few records as they take.
fn records(messages: &[u8]) -> Vec<u8> {
    messages.chunks(16_000).flat_map(|piece| [&[22, 3, 3][..], &sized(piece)].concat()).collect()
}

/// A message of a handshake.
fn message(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[kind][..], &long(content)].concat()
}

/// Bytes behind their length in three bytes.
fn long(content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32).to_be_bytes()[1..], content].concat()
}

/// A distinguished name: numbers of attributes below 2.5.4, and their texts.
fn name(parts: &[(u8, &str)]) -> Vec<u8> {
    let parts = parts.iter().map(|(number, text)| {
        let (attribute, text) = (element(6, &[0x55, 4, *number]), element(0x13, text.as_bytes()));
        element(0x31, &element(0x30, &[attribute, text].concat()))
    });
    element(0x30, &parts.collect::<Vec<_>>().concat())
}

/// An extension that names the own key (2) or that of the issuer (1).
fn key_of(whose: u8, key: u8) -> Vec<u8> {
    match whose {
        1 => extension(0x23, &element(0x30, &element(0x80, &[key]))),
        _ => extension(0x0e, &element(4, &[key])),
    }
}

fn extension(number: u8, content: &[u8]) -> Vec<u8> {
    element(0x30, &[element(6, &[0x55, 0x1d, number]), element(4, content)].concat())
}

/// A certificate of a key of P-256, said to be signed with ECDSA.
fn certificate(serial: u64, issuer: &[u8], subject: &[u8], extensions: &[u8]) -> Vec<u8> {
    let algorithm = element(0x30, &element(6, b"\x2a\x86\x48\xce\x3d\x04\x03\x03"));
    let validity = [element(0x17, b"200101000000Z"), element(0x17, b"400101000000Z")].concat();
    let kind = [element(6, b"\x2a\x86\x48\xce\x3d\x02\x01"), element(6, b"\x2a\x86\x48\xce\x3d\x03\x01\x07")];
    let key = element(
        0x30,
        &[element(0x30, &kind.concat()), element(3, &[&[0, 4][..], &[7; 64]].concat())].concat(),
    );
    let mut parts = vec![
        element(0xa0, &element(2, &[2])),
        integer(serial as u32 | 1 << 24),
        algorithm.clone(),
        issuer.to_vec(),
        element(0x30, &validity),
        subject.to_vec(),
        key,
    ];
    if !extensions.is_empty() {
        parts.push(element(0xa3, &element(0x30, extensions)));
    }
    let signature = element(0x30, &[element(2, &[0x55; 48]), element(2, &[0x56; 48])].concat());
    let signature = element(3, &[&[0][..], &signature].concat());
    element(0x30, &[element(0x30, &parts.concat()), algorithm, signature].concat())
}
