//! Signed certificate timestamps (RFC 6962 3.2): what a log promises of a certificate.

use weir_base::Reader;
use x509_parser::prelude::FromDer;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::der::{append, element, tag, tagged};
use super::signature::is_of_key_with_sha256;

/// Numbers of the structure that is signed.
const VERSION_1: u8 = 0;
const OF_CERTIFICATE: u8 = 0;
const ENTRY_CERTIFICATE: u16 = 0;
const ENTRY_PRECERTIFICATE: u16 = 1;

/// The extension that holds timestamps, in DER (1.3.6.1.4.1.11129.2.4.2).
const TIMESTAMPS: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02];

/// Returns whether the key of a log has signed that it saw a certificate at a moment, in milliseconds. With the hash of the
/// issuer's key, the timestamp is one within the certificate, which was given when it was not there.
pub fn is_valid(
    certificate: &[u8],
    log_key: &[u8],
    signature: &[u8],
    moment: u64,
    issuer_key_hash: &[u8],
) -> bool {
    let signed = if issuer_key_hash.is_empty() {
        signed(moment, ENTRY_CERTIFICATE, &[], certificate)
    } else {
        without_timestamps(certificate)
            .and_then(|content| signed(moment, ENTRY_PRECERTIFICATE, issuer_key_hash, &content))
    };
    let key = SubjectPublicKeyInfo::from_der(log_key).ok().map(|(_, key)| key);
    signed.zip(key).is_some_and(|(signed, key)| is_of_key_with_sha256(&key, signature, &signed))
}

/// Returns what a log signs.
fn signed(moment: u64, entry: u16, issuer_key_hash: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(content.len()).ok()?.to_be_bytes();
    let mut out = vec![VERSION_1, OF_CERTIFICATE];
    out.extend_from_slice(&moment.to_be_bytes());
    out.extend_from_slice(&entry.to_be_bytes());
    out.extend_from_slice(issuer_key_hash);
    out.extend_from_slice(length.get(1..)?);
    out.extend_from_slice(content);
    // No extensions.
    out.extend_from_slice(&[0, 0]);
    Some(out)
}

/// Returns what is signed of a certificate (RFC 5280 4.1.2), without the extension that holds timestamps.
fn without_timestamps(certificate: &[u8]) -> Option<Vec<u8>> {
    let whole = tagged(&mut Reader::new(certificate), tag::SEQUENCE)?;
    let content = tagged(&mut Reader::new(whole.content), tag::SEQUENCE)?;
    let mut reader = Reader::new(content.content);
    let mut parts = Vec::with_capacity(content.content.len());
    while !reader.is_empty() {
        let part = element(&mut reader)?;
        if part.tag != tag::EXPLICIT_3 {
            parts.extend_from_slice(part.whole);
            continue;
        }
        let mut list = Reader::new(tagged(&mut Reader::new(part.content), tag::SEQUENCE)?.content);
        let mut kept = Vec::new();
        while !list.is_empty() {
            let extension = element(&mut list)?;
            let name = tagged(&mut Reader::new(extension.content), tag::OID)?;
            if name.content != TIMESTAMPS {
                kept.extend_from_slice(extension.whole);
            }
        }
        let mut extensions = Vec::new();
        append(&mut extensions, tag::SEQUENCE, &kept);
        append(&mut parts, tag::EXPLICIT_3, &extensions);
    }
    let mut out = Vec::with_capacity(parts.len() + 4);
    append(&mut out, tag::SEQUENCE, &parts);
    Some(out)
}
