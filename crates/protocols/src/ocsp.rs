//! Answers of the Online Certificate Status Protocol (RFC 6960 4.2), for Zeek's ocsp log: stapled to a
//! TLS handshake or carried by HTTP.
//!
//! Limit: [`MAX_ANSWERS`] certificates of a response.

use weir_applayer::{ZeekSink, zeek_stream};
use weir_base::{Reader, Timestamp, hex};

/// Most certificates of one response.
pub const MAX_ANSWERS: usize = 64;

/// The type of a response, by Zeek's name.
pub const MIME_TYPE: &str = "application/ocsp-response";

zeek_stream! {
    /// The log.
    pub static STREAM: "ocsp" of its own;
    struct Row {
        id: Text,
        hash_algorithm as "hashAlgorithm": Text,
        issuer_name_hash as "issuerNameHash": Text,
        issuer_key_hash as "issuerKeyHash": Text,
        serial_number as "serialNumber": Text,
        cert_status as "certStatus": Text,
        revoketime: Time,
        revokereason: Text,
        this_update as "thisUpdate": Time,
        next_update as "nextUpdate": Time,
    }
}

/// Tags of DER.
pub mod tag {
    pub const INTEGER: u8 = 0x02;
    pub const OCTETS: u8 = 0x04;
    pub const OID: u8 = 0x06;
    pub const ENUMERATED: u8 = 0x0a;
    pub const GENERALIZED_TIME: u8 = 0x18;
    pub const SEQUENCE: u8 = 0x30;
    /// Explicit, and what a response says of its sender by name or key.
    pub const EXPLICIT_0: u8 = 0xa0;
    pub const EXPLICIT_1: u8 = 0xa1;
    pub const EXPLICIT_2: u8 = 0xa2;
    pub const GOOD: u8 = 0x80;
    pub const REVOKED: u8 = 0xa1;
    pub const UNKNOWN: u8 = 0x82;
}

/// Writes a row for each certificate that a response speaks of; `id` is the response's fuid.
pub fn write(response: &[u8], id: &str, ts: Timestamp, sink: &mut dyn ZeekSink) {
    let Some(answers) = answers(response) else { return };
    let mut reader = Reader::new(answers);
    for _ in 0..MAX_ANSWERS {
        let Some(single) = element(&mut reader, tag::SEQUENCE) else { break };
        let Some(answer) = Answer::read(single) else { break };
        let id_of = &answer.id;
        let [name, key, serial] =
            [id_of.name, id_of.key, id_of.serial].map(|bytes| hex::string(bytes).to_ascii_uppercase());
        let row = Row {
            id: id.into(),
            hash_algorithm: id_of.algorithm.into(),
            issuer_name_hash: (&name).into(),
            issuer_key_hash: (&key).into(),
            serial_number: (&serial).into(),
            cert_status: answer.status.into(),
            revoketime: answer.revoked.into(),
            revokereason: answer.reason.into(),
            this_update: answer.this_update.into(),
            next_update: answer.next_update.into(),
        };
        sink.row(&STREAM, ts, &row.values());
    }
}

/// The parts that tell a certificate from others of all issuers.
#[derive(Debug, PartialEq, Eq)]
pub struct CertificateId<'a> {
    /// The name of the hash.
    pub algorithm: &'static str,
    /// Hash of the issuer's name.
    pub name: &'a [u8],
    /// Hash of the issuer's key.
    pub key: &'a [u8],
    /// The serial number, without what only keeps it from being negative.
    pub serial: &'a [u8],
}

impl<'a> CertificateId<'a> {
    /// Reads what is in its sequence.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut certificate = Reader::new(bytes);
        let mut algorithm = Reader::new(element(&mut certificate, tag::SEQUENCE)?);
        let algorithm = hash_name(element(&mut algorithm, tag::OID)?);
        let name = element(&mut certificate, tag::OCTETS)?;
        let key = element(&mut certificate, tag::OCTETS)?;
        let serial = match element(&mut certificate, tag::INTEGER)? {
            // Only keeps the number from being negative.
            [0, rest @ ..] if !rest.is_empty() && rest.first().is_some_and(|byte| *byte & 0x80 != 0) => rest,
            bytes => bytes,
        };
        Some(Self { algorithm, name, key, serial })
    }
}

/// Status of one certificate.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The certificate.
    pub id: CertificateId<'a>,
    /// `good`, `revoked` or `unknown`.
    pub status: &'static str,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
    /// Why it was revoked.
    pub reason: Option<&'static str>,
    /// When this was known.
    pub this_update: Option<Timestamp>,
    /// When more will be.
    pub next_update: Option<Timestamp>,
}

impl<'a> Answer<'a> {
    /// Reads what is in its sequence.
    pub fn read(single: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(single);
        let id = CertificateId::read(element(&mut reader, tag::SEQUENCE)?)?;
        let (kind, status) = any(&mut reader)?;
        let mut answer = Self {
            id,
            status: match kind {
                tag::GOOD => "good",
                tag::REVOKED => "revoked",
                tag::UNKNOWN => "unknown",
                _ => return None,
            },
            revoked: None,
            reason: None,
            this_update: None,
            next_update: None,
        };
        if kind == tag::REVOKED {
            let mut status = Reader::new(status);
            answer.revoked = element(&mut status, tag::GENERALIZED_TIME).and_then(time);
            let mut reason = Reader::new(element(&mut status, tag::EXPLICIT_0).unwrap_or_default());
            answer.reason = element(&mut reason, tag::ENUMERATED).and_then(reason_name);
        }
        answer.this_update = element(&mut reader, tag::GENERALIZED_TIME).and_then(time);
        if let Some(next) = element(&mut reader, tag::EXPLICIT_0) {
            answer.next_update = element(&mut Reader::new(next), tag::GENERALIZED_TIME).and_then(time);
        }
        Some(answer)
    }
}

/// The list of answers in a response that was successful.
fn answers(response: &[u8]) -> Option<&[u8]> {
    let mut response = Reader::new(element(&mut Reader::new(response), tag::SEQUENCE)?);
    if element(&mut response, tag::ENUMERATED)? != [0] {
        return None;
    }
    let mut bytes = Reader::new(element(&mut response, tag::EXPLICIT_0)?);
    let mut bytes = Reader::new(element(&mut bytes, tag::SEQUENCE)?);
    element(&mut bytes, tag::OID)?;
    let mut basic = Reader::new(element(&mut bytes, tag::OCTETS)?);
    let mut basic = Reader::new(element(&mut basic, tag::SEQUENCE)?);
    let mut data = Reader::new(element(&mut basic, tag::SEQUENCE)?);
    loop {
        match any(&mut data)? {
            (tag::EXPLICIT_0 | tag::EXPLICIT_1 | tag::EXPLICIT_2 | tag::GENERALIZED_TIME, _) => {}
            (tag::SEQUENCE, answers) => return Some(answers),
            _ => return None,
        }
    }
}

/// The next element, if it has this tag.
pub fn element<'a>(reader: &mut Reader<'a>, wanted: u8) -> Option<&'a [u8]> {
    if *reader.rest().first()? != wanted {
        return None;
    }
    any(reader).map(|(_, content)| content)
}

/// The next element, X.690 8.1: its tag and content.
pub fn any<'a>(reader: &mut Reader<'a>) -> Option<(u8, &'a [u8])> {
    let tag = reader.u8()?;
    let length = match reader.u8()? {
        short @ 0..=0x7f => usize::from(short),
        0x81 => usize::from(reader.u8()?),
        0x82 => usize::from(reader.u16()?),
        0x83 => reader.u24()? as usize,
        _ => return None,
    };
    Some((tag, reader.take(length)?))
}

fn hash_name(oid: &[u8]) -> &'static str {
    match oid {
        [0x2b, 0x0e, 0x03, 0x02, 0x1a] => "sha1",
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01] => "sha256",
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02] => "sha384",
        [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03] => "sha512",
        _ => "",
    }
}

/// RFC 5280 5.3.1, by OpenSSL's names.
fn reason_name(reason: &[u8]) -> Option<&'static str> {
    Some(match reason {
        [0] => "unspecified",
        [1] => "keyCompromise",
        [2] => "cACompromise",
        [3] => "affiliationChanged",
        [4] => "superseded",
        [5] => "cessationOfOperation",
        [6] => "certificateHold",
        [8] => "removeFromCRL",
        [9] => "privilegeWithdrawn",
        [10] => "aACompromise",
        _ => return None,
    })
}

/// `20150131000000Z`
pub fn time(text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(4..6)?, number(6..8)?);
    let seconds = number(8..10)? * 3600 + number(10..12)? * 60 + number(12..14)?;
    // Days from the civil calendar, counted in years that begin with March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    Some(Timestamp::new(u64::try_from((days - 719_468) * 86_400 + seconds).ok()?, 0))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let mut bytes = vec![tag, 0x82];
        bytes.extend((content.len() as u16).to_be_bytes());
        bytes.extend(content);
        bytes
    }

    fn id() -> Vec<u8> {
        let algorithm = der(tag::SEQUENCE, &[&der(tag::OID, &[&[0x2b, 0x0e, 0x03, 0x02, 0x1a]])]);
        der(
            tag::SEQUENCE,
            &[
                &algorithm,
                &der(tag::OCTETS, &[&[1]]),
                &der(tag::OCTETS, &[&[2]]),
                &der(tag::INTEGER, &[&[0, 0x80]]),
            ],
        )
    }

    pub(crate) fn request() -> Vec<u8> {
        let list = der(tag::SEQUENCE, &[&der(tag::SEQUENCE, &[&id()])]);
        der(tag::SEQUENCE, &[&der(tag::SEQUENCE, &[&list])])
    }

    pub(crate) fn response(status: &[u8]) -> Vec<u8> {
        let id = id();
        let moment = der(tag::GENERALIZED_TIME, &[b"20150131000001Z"]);
        let single = der(tag::SEQUENCE, &[&id, status, &moment, &der(tag::EXPLICIT_0, &[&moment])]);
        let list = der(tag::SEQUENCE, &[&single]);
        let data =
            der(tag::SEQUENCE, &[&der(tag::EXPLICIT_2, &[&der(tag::OCTETS, &[&[0]])]), &moment, &list]);
        let algorithm = der(tag::SEQUENCE, &[&der(tag::OID, &[&[0x2a, 1]])]);
        let basic = der(tag::SEQUENCE, &[&data, &algorithm, &der(3, &[&[0, 1]])]);
        let bytes = der(tag::SEQUENCE, &[&der(tag::OID, &[&[1]]), &der(tag::OCTETS, &[&basic])]);
        der(tag::SEQUENCE, &[&der(tag::ENUMERATED, &[&[0]]), &der(tag::EXPLICIT_0, &[&bytes])])
    }

    #[test]
    fn answers_are_read() {
        let reason = der(tag::EXPLICIT_0, &[&der(tag::ENUMERATED, &[&[4]])]);
        let revoked = der(tag::REVOKED, &[&der(tag::GENERALIZED_TIME, &[b"20000229120000Z"]), &reason]);
        let moment = Some(Timestamp::new(1_422_662_401, 0));
        for (status, name, time, reason) in [
            (vec![tag::GOOD, 0], "good", None, None),
            (revoked, "revoked", Some(Timestamp::new(951_825_600, 0)), Some("superseded")),
        ] {
            let whole = response(&status);
            let list = answers(&whole).unwrap();
            let answer = Answer::read(element(&mut Reader::new(list), tag::SEQUENCE).unwrap()).unwrap();
            let expected = Answer {
                id: CertificateId { algorithm: "sha1", name: &[1], key: &[2], serial: &[0x80] },
                status: name,
                revoked: time,
                reason,
                this_update: moment,
                next_update: moment,
            };
            assert_eq!(answer, expected);
            for length in 0..whole.len() {
                assert_eq!(answers(&whole[..length]), None, "cut short");
            }
        }
    }
}
