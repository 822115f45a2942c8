//! Events of OCSP (RFC 6960) for scripts: questions on certificates, and answers to them.

use weir_base::event::{FileReader, RaiseOfFile};
use weir_base::{EventValue, Reader, Timestamp, hex};
use x509_parser::asn1_rs::Oid;
use x509_parser::extensions::X509Extension;
use x509_parser::prelude::FromDer;
use x509_parser::x509::X509Name;

use super::super::certificate::dotted;
use super::certificate_events::extension;
use super::name;
use super::x509::signature_algorithm;
use crate::ocsp::{Answer, CertificateId, MAX_ANSWERS, any, element, tag, time};

/// Reads questions.
pub const REQUESTS: FileReader =
    FileReader { analyzer: "OCSP_REQUEST", events: |der, raise| _ = request(der, raise) };

/// Reads answers.
pub const REPLIES: FileReader =
    FileReader { analyzer: "OCSP_REPLY", events: |der, raise| _ = reply(der, raise) };

/// Most extensions of an answer that are told, and most certificates that come with it.
const MAX_EXTENSIONS: usize = 64;
const MAX_CERTIFICATES: usize = 64;

/// RFC 6960 4.1.1.
fn request(der: &[u8], raise: &mut RaiseOfFile<'_>) -> Option<()> {
    let mut whole = Reader::new(element(&mut Reader::new(der), tag::SEQUENCE)?);
    let mut asked = Reader::new(element(&mut whole, tag::SEQUENCE)?);
    let version = element(&mut asked, tag::EXPLICIT_0).map_or(0, version);
    raise("ocsp_request", &[version.into()]);
    let _ = element(&mut asked, tag::EXPLICIT_1);
    let mut list = Reader::new(element(&mut asked, tag::SEQUENCE)?);
    for _ in 0..MAX_ANSWERS {
        let mut single = Reader::new(element(&mut list, tag::SEQUENCE)?);
        let id = CertificateId::read(element(&mut single, tag::SEQUENCE)?)?;
        with_id(&id, |id| raise("ocsp_request_certificate", &id));
    }
    Some(())
}

/// Calls a function with the arguments that tell of a certificate.
fn with_id(id: &CertificateId<'_>, tell: impl FnOnce([EventValue<'_>; 4])) {
    let [name, key, serial] =
        [id.name, id.key, id.serial].map(|bytes| hex::string(bytes).to_ascii_uppercase());
    tell([id.algorithm, &name, &key, &serial].map(EventValue::text));
}

fn version(explicit: &[u8]) -> u64 {
    let number = element(&mut Reader::new(explicit), tag::INTEGER).unwrap_or_default();
    number.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// RFC 6960 4.2.1.
fn reply(der: &[u8], raise: &mut RaiseOfFile<'_>) -> Option<()> {
    let mut whole = Reader::new(element(&mut Reader::new(der), tag::SEQUENCE)?);
    let status = match element(&mut whole, tag::ENUMERATED)? {
        [0] => "successful",
        [1] => "malformedRequest",
        [2] => "internalError",
        [3] => "tryLater",
        [5] => "sigRequired",
        [6] => "unauthorized",
        _ => "unknown",
    };
    raise("ocsp_response_status", &[EventValue::text(status)]);
    let mut bytes = Reader::new(element(&mut whole, tag::EXPLICIT_0)?);
    let mut bytes = Reader::new(element(&mut bytes, tag::SEQUENCE)?);
    element(&mut bytes, tag::OID)?;
    let basic = element(&mut bytes, tag::OCTETS)?;
    let mut basic = Reader::new(element(&mut Reader::new(basic), tag::SEQUENCE)?);
    let mut data = Reader::new(element(&mut basic, tag::SEQUENCE)?);
    let version = element(&mut data, tag::EXPLICIT_0).map_or(0, version);
    let responder = responder(&mut data)?;
    let produced = element(&mut data, tag::GENERALIZED_TIME).and_then(time);
    let mut list = Reader::new(element(&mut data, tag::SEQUENCE)?);
    answers(&mut list, raise)?;
    let mut algorithm = Reader::new(element(&mut basic, tag::SEQUENCE)?);
    let algorithm = dotted(&Oid::new(element(&mut algorithm, tag::OID)?.into()));
    let _signature = any(&mut basic)?;
    let certificates = certificates(element(&mut basic, tag::EXPLICIT_0).unwrap_or_default());
    let certificates: Vec<EventValue<'_>> = certificates.into_iter().map(EventValue::Opaque).collect();
    let arguments = [
        EventValue::text(status),
        version.into(),
        EventValue::String(&responder),
        moment(produced),
        EventValue::text(signature_algorithm(&algorithm)),
        EventValue::List(&certificates),
    ];
    raise("ocsp_response_bytes", &arguments);
    extensions(element(&mut data, tag::EXPLICIT_1).unwrap_or_default(), true, raise);
    Some(())
}

fn moment(time: Option<Timestamp>) -> EventValue<'static> {
    time.map_or(EventValue::Moment(0.0), EventValue::Time)
}

/// Who answers: a name, or the digest of a key.
fn responder(data: &mut Reader<'_>) -> Option<Vec<u8>> {
    let (kind, content) = any(data)?;
    Some(match kind {
        tag::EXPLICIT_1 => {
            X509Name::from_der(content).map_or_else(|_| Vec::new(), |(_, known)| name::on_a_line(&known))
        }
        tag::EXPLICIT_2 => {
            let key = element(&mut Reader::new(content), tag::OCTETS).unwrap_or_default();
            hex::string(key).to_ascii_uppercase().into_bytes()
        }
        _ => return None,
    })
}

fn answers(list: &mut Reader<'_>, raise: &mut RaiseOfFile<'_>) -> Option<()> {
    for _ in 0..MAX_ANSWERS {
        let Some(single) = element(list, tag::SEQUENCE) else { break };
        let answer = Answer::read(single)?;
        with_id(&answer.id, |id| {
            let rest = [
                EventValue::text(answer.status),
                moment(answer.revoked),
                EventValue::text(answer.reason.unwrap_or_default()),
                moment(answer.this_update),
                moment(answer.next_update),
            ];
            raise("ocsp_response_certificate", &[&id[..], &rest].concat());
        });
        let mut parts = Reader::new(single);
        while let Some((kind, content)) = any(&mut parts) {
            if kind == tag::EXPLICIT_1 {
                extensions(content, false, raise);
            }
        }
    }
    Some(())
}

/// Raises the events of extensions: of the answer as a whole, or of that on one certificate.
fn extensions(explicit: &[u8], is_global: bool, raise: &mut RaiseOfFile<'_>) {
    let mut rest = element(&mut Reader::new(explicit), tag::SEQUENCE).unwrap_or_default();
    for _ in 0..MAX_EXTENSIONS {
        let Ok((behind, found)) = X509Extension::from_der(rest) else { break };
        extension("ocsp_extension", &found, &[is_global.into()], raise);
        rest = behind;
    }
}

/// The certificates of a list, each with its head.
fn certificates(explicit: &[u8]) -> Vec<&[u8]> {
    let mut list = Reader::new(element(&mut Reader::new(explicit), tag::SEQUENCE).unwrap_or_default());
    let mut found = Vec::new();
    while found.len() < MAX_CERTIFICATES {
        let before = list.rest();
        if any(&mut list).is_none() {
            break;
        }
        found.extend(before.get(..before.len() - list.rest().len()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ocsp::tests::{der, request, response};
    use crate::testing::told_of_file;

    #[test]
    fn questions_and_answers() {
        assert_eq!(
            told_of_file(&REQUESTS, &request()),
            ["ocsp_request 0", "ocsp_request_certificate sha1 01 02 80",]
        );
        let good = response(&[tag::GOOD, 0]);
        let told = told_of_file(&REPLIES, &good);
        assert_eq!(
            told,
            [
                "ocsp_response_status successful",
                "ocsp_response_certificate sha1 01 02 80 good 0  1422662401000000000 1422662401000000000",
                "ocsp_response_bytes successful 0 00 1422662401000000000  ()",
            ]
        );
        for length in 0..good.len() {
            let cut = told_of_file(&REPLIES, &good[..length]);
            assert!(cut.iter().all(|line| !line.starts_with("ocsp_response_bytes")), "{cut:?}");
        }
        let refused = der(tag::SEQUENCE, &[&der(tag::ENUMERATED, &[&[3]])]);
        assert_eq!(told_of_file(&REPLIES, &refused), ["ocsp_response_status tryLater"]);
    }
}
