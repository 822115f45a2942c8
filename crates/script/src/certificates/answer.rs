//! Answers of OCSP (RFC 6960 4.2): whether one is signed by who may answer, is about a certificate, is not out of date,
//! and what it says.
//!
//! Limit: [`MAX_ANSWERS`] certificates of an answer. A nonce is not looked at, nor is the answer's own certificate's status.

use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha384, Sha512};
use weir_base::Reader;
use x509_parser::prelude::FromDer;
use x509_parser::x509::AlgorithmIdentifier;

use super::der::{Element, Parts, comparable, element, tag, tagged};
use super::{Certificate, is_name, path, signature};

/// Most certificates that an answer speaks of, and most that come with it.
const MAX_ANSWERS: usize = 64;

/// Basic answers (1.3.6.1.5.5.7.48.1.1).
const BASIC: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01];

/// What an answer says of a certificate, with OpenSSL's number and word; or what is wrong with it.
pub type Verdict = (i64, &'static str);

/// What is wrong, other than the path of its signer.
mod fault {
    use super::Verdict;

    pub(super) const UNREADABLE: Verdict = (-1, "OCSP parsing failed");
    pub(super) const NO_CERTIFICATE: Verdict = (-1, "no certificates");
    pub(super) const NO_SIGNER: Verdict = (-1, "unable to get issuer certificate of the OCSP response");
    pub(super) const BAD_SIGNATURE: Verdict = (-1, "OCSP response signature failure");
    pub(super) const MAY_NOT_ANSWER: Verdict = (-1, "OCSP responder is not authorized");
    pub(super) const NO_ISSUER: Verdict = (-1, "unable to get issuer certificate");
    pub(super) const OF_OTHERS: Verdict = (-1, "OCSP response is not for the certificate");
    pub(super) const TOO_EARLY: Verdict = (-1, "OCSP response is not yet valid");
    pub(super) const TOO_LATE: Verdict = (-1, "OCSP response has expired");
}

/// The parts of an answer.
struct Answer<'a> {
    /// All that is signed.
    signed: &'a [u8],
    /// Who answers: a name or the digest of a key.
    responder: Element<'a>,
    /// What is said of certificates.
    singles: &'a [u8],
    algorithm: AlgorithmIdentifier<'a>,
    signature: &'a [u8],
    certificates: Vec<&'a [u8]>,
}

/// Returns what an answer says of the first of some certificates; the others are what the peer sent with it. A moment is
/// in seconds.
pub fn verify(certificates: &[&[u8]], answer: &[u8], roots: &[&[u8]], at: i64) -> Verdict {
    let Some((subject, others)) = certificates.split_first() else { return fault::NO_CERTIFICATE };
    let Some(subject) = Certificate::read(subject) else { return fault::NO_CERTIFICATE };
    let basic = match unwrap(answer) {
        Ok(basic) => basic,
        Err(verdict) => return verdict,
    };
    let Some(answer) = Answer::read(basic) else { return fault::UNREADABLE };
    let sent: Vec<&[u8]> = answer.certificates.iter().chain(others).copied().collect();
    let is_signer = |der: &&&[u8]| Parts::of(der).is_some_and(|parts| answer.is_by(&parts));
    let signer = sent.iter().chain(roots).find(is_signer).and_then(|&der| Certificate::read(der));
    let Some(signer) = signer else { return fault::NO_SIGNER };
    let key = signer.parsed.public_key();
    let is_signed = signature::is_of_key(key, &answer.algorithm, answer.signature, answer.signed);
    let signer_der = signer.der;
    let signers_path = match path::find(signer, &sent, roots, at) {
        Ok(path) => path,
        Err(code) => return (code, path::sentence(code)),
    };
    if !is_signed {
        return fault::BAD_SIGNATURE;
    }
    let named = others
        .iter()
        .chain(roots)
        .filter(|der| Parts::of(der).is_some_and(|parts| is_name(parts.subject, &subject.issuer)));
    let issuer = named.filter_map(|&der| Certificate::read(der)).find(|issuer| subject.is_issued_by(issuer));
    let Some(issuer) = issuer else { return fault::NO_ISSUER };
    let is_delegate = || match &signers_path[..] {
        [signer, above, ..] => signer.may_sign_answers() && above.parts.key == issuer.parts.key,
        _ => false,
    };
    if signer_der != issuer.der && !is_delegate() {
        return fault::MAY_NOT_ANSWER;
    }
    answer.says_of(&subject, &issuer, at)
}

/// Returns the basic answer within a response (RFC 6960 4.2.1).
fn unwrap(response: &[u8]) -> Result<&[u8], Verdict> {
    let whole = tagged(&mut Reader::new(response), tag::SEQUENCE).ok_or(fault::UNREADABLE)?;
    let mut whole = Reader::new(whole.content);
    let status = tagged(&mut whole, tag::ENUMERATED).ok_or(fault::UNREADABLE)?;
    match status.content {
        [0] => {}
        [1] => return Err((-2, "malformedrequest")),
        [2] => return Err((-2, "internalerror")),
        [3] => return Err((-2, "trylater")),
        [5] => return Err((-2, "sigrequired")),
        [6] => return Err((-2, "unauthorized")),
        _ => return Err((-2, "(UNKNOWN)")),
    }
    let mut basic = || {
        let bytes = tagged(&mut whole, tag::EXPLICIT_0)?;
        let mut bytes = Reader::new(tagged(&mut Reader::new(bytes.content), tag::SEQUENCE)?.content);
        tagged(&mut bytes, tag::OID).filter(|kind| kind.content == BASIC)?;
        Some(tagged(&mut bytes, tag::OCTETS)?.content)
    };
    basic().ok_or(fault::UNREADABLE)
}

impl<'a> Answer<'a> {
    fn read(basic: &'a [u8]) -> Option<Self> {
        let mut basic = Reader::new(tagged(&mut Reader::new(basic), tag::SEQUENCE)?.content);
        let data = tagged(&mut basic, tag::SEQUENCE)?;
        let (_, algorithm) = AlgorithmIdentifier::from_der(basic.rest()).ok()?;
        tagged(&mut basic, tag::SEQUENCE)?;
        let signature = tagged(&mut basic, tag::BITS)?.content.get(1..)?;
        let mut certificates = Vec::new();
        if let Some(list) = tagged(&mut basic, tag::EXPLICIT_0) {
            let mut list = Reader::new(tagged(&mut Reader::new(list.content), tag::SEQUENCE)?.content);
            while certificates.len() < MAX_ANSWERS && !list.is_empty() {
                certificates.push(element(&mut list)?.whole);
            }
        }
        let mut parts = Reader::new(data.content);
        let _version = tagged(&mut parts, tag::EXPLICIT_0);
        let responder = element(&mut parts)?;
        let _produced = tagged(&mut parts, tag::GENERALIZED_TIME)?;
        let singles = tagged(&mut parts, tag::SEQUENCE)?.content;
        Some(Self { signed: data.whole, responder, singles, algorithm, signature, certificates })
    }

    /// Returns whether the owner of a certificate answers.
    fn is_by(&self, certificate: &Parts<'_>) -> bool {
        match self.responder.tag {
            tag::EXPLICIT_1 => {
                comparable(self.responder.content).is_some_and(|name| is_name(certificate.subject, &name))
            }
            tag::EXPLICIT_2 => {
                let digest = tagged(&mut Reader::new(self.responder.content), tag::OCTETS);
                digest.is_some_and(|digest| digest.content == &*Sha1::digest(certificate.key))
            }
            _ => false,
        }
    }

    /// Returns what it says of a certificate.
    fn says_of(&self, subject: &Certificate<'_>, issuer: &Certificate<'_>, at: i64) -> Verdict {
        let mut list = Reader::new(self.singles);
        for _ in 0..MAX_ANSWERS {
            let Some(single) = tagged(&mut list, tag::SEQUENCE) else { break };
            let Some(single) = Single::read(single.content) else { return fault::UNREADABLE };
            if !single.is_of(subject, issuer) {
                continue;
            }
            if single.begins > at {
                return fault::TOO_EARLY;
            }
            if single.ends.is_some_and(|ends| ends < at) {
                return fault::TOO_LATE;
            }
            return match single.status {
                tag::GOOD => (0, "good"),
                tag::EXPLICIT_1 => (1, "revoked"),
                _ => (2, "unknown"),
            };
        }
        fault::OF_OTHERS
    }
}

/// What an answer says of one certificate (RFC 6960 4.2.1).
struct Single<'a> {
    hash: &'a [u8],
    issuer_name: &'a [u8],
    issuer_key: &'a [u8],
    serial: &'a [u8],
    status: u8,
    begins: i64,
    ends: Option<i64>,
}

impl<'a> Single<'a> {
    fn read(single: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(single);
        let mut id = Reader::new(tagged(&mut reader, tag::SEQUENCE)?.content);
        let mut algorithm = Reader::new(tagged(&mut id, tag::SEQUENCE)?.content);
        let hash = tagged(&mut algorithm, tag::OID)?.content;
        let issuer_name = tagged(&mut id, tag::OCTETS)?.content;
        let issuer_key = tagged(&mut id, tag::OCTETS)?.content;
        let serial = tagged(&mut id, tag::INTEGER)?.content;
        let status = element(&mut reader)?.tag;
        let begins = seconds(tagged(&mut reader, tag::GENERALIZED_TIME)?.content)?;
        let ends = match tagged(&mut reader, tag::EXPLICIT_0) {
            Some(ends) => {
                Some(seconds(tagged(&mut Reader::new(ends.content), tag::GENERALIZED_TIME)?.content)?)
            }
            None => None,
        };
        Some(Self { hash, issuer_name, issuer_key, serial, status, begins, ends })
    }

    /// Returns whether it is about a certificate of an issuer.
    fn is_of(&self, subject: &Certificate<'_>, issuer: &Certificate<'_>) -> bool {
        let digest = |bytes: &[u8]| {
            Some(match self.hash {
                [0x2b, 0x0e, 0x03, 0x02, 0x1a] => Sha1::digest(bytes).to_vec(),
                [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01] => Sha256::digest(bytes).to_vec(),
                [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02] => Sha384::digest(bytes).to_vec(),
                [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03] => Sha512::digest(bytes).to_vec(),
                _ => return None,
            })
        };
        self.serial == subject.parts.serial
            && digest(issuer.parts.subject).as_deref() == Some(self.issuer_name)
            && digest(issuer.parts.key).as_deref() == Some(self.issuer_key)
    }
}

/// Reads a moment, in seconds: `20260131235959Z`.
fn seconds(text: &[u8]) -> Option<i64> {
    let text = text.strip_suffix(b"Z")?;
    let text = text.split(|byte| *byte == b'.').next().filter(|digits| digits.len() == 14)?;
    let number = |from: usize, to: usize| std::str::from_utf8(text.get(from..to)?).ok()?.parse::<i16>().ok();
    let small = |from: usize| i8::try_from(number(from, from + 2)?).ok();
    let date = jiff::civil::Date::new(number(0, 4)?, small(4)?, small(6)?).ok()?;
    let time = jiff::civil::Time::new(small(8)?, small(10)?, small(12)?, 0).ok()?;
    let zoned = date.to_datetime(time).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}
