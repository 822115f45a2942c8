//! Functions of certificates (RFC 5280): what can be told without verifying signatures.

use std::rc::Rc;

use sha1::{Digest, Sha1};
use sha2::{Sha224, Sha256, Sha384, Sha512};

use super::{Builtin, argument, bytes, count, row};
use crate::certificates::der::Parts;
use crate::types::TypeId;
use crate::values::{Opaque, OpaqueValue, Value};
use crate::vm::Engine;

pub(super) const ROWS: &[Builtin] = &[
    row("x509_from_der", "", |_, a| {
        let der = bytes(a, 0);
        let is_certificate = Parts::of(der).is_some();
        Ok(if is_certificate { opaque(der) } else { Value::Unset })
    }),
    row("x509_parse", "", |e, a| Ok(with(a, |der| facts(e, der)).unwrap_or_default())),
    row("x509_get_certificate_string", "", |_, a| {
        let is_text = argument(a, 1).is_true();
        Ok(Value::string(
            with(a, |der| if is_text { armoured(der) } else { der.to_vec() }).unwrap_or_default(),
        ))
    }),
    row("x509_subject_name_hash", "", |_, a| Ok(digest_of(a, |parts| parts.subject))),
    row("x509_issuer_name_hash", "", |_, a| Ok(digest_of(a, |parts| parts.issuer))),
    row("x509_spki_hash", "", |_, a| Ok(digest_of(a, |parts| parts.key_info))),
    row("x509_check_hostname", "", |_, a| Ok(Value::Bool(covers(bytes(a, 1), bytes(a, 0))))),
    row("x509_check_cert_hostname", "", |e, a| {
        let names = with(a, |der| names(e, der)).unwrap_or_default();
        let found = names.into_iter().find(|name| covers(name, bytes(a, 1)));
        Ok(Value::string(found.unwrap_or_default()))
    }),
];

/// The place of names of hosts among the alternative names of a certificate.
const HOSTS: usize = 0;

pub(super) fn opaque(der: &[u8]) -> Value {
    Value::Opaque(Rc::new(OpaqueValue::new(Opaque::Certificate(der.into()))))
}

/// Calls a function with the bytes of the certificate that is the first argument.
pub(super) fn with<T>(a: &[Value], act: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let Some(Value::Opaque(opaque)) = a.first() else { return None };
    match &*opaque.inner.try_borrow().ok()? {
        Opaque::Certificate(der) => Some(act(der)),
        _ => None,
    }
}

/// Returns what an event of a certificate tells, behind the file.
fn told(engine: &mut Engine, der: &[u8], wanted: &str) -> Option<Vec<Value>> {
    let reader = engine.frameworks.files.reader("X509")?;
    let mut found = None;
    (reader.events)(der, &mut |event, arguments| {
        if event == wanted {
            found = Some(crate::traffic::arguments(engine, event, 1, arguments));
        }
    });
    found
}

fn facts(engine: &mut Engine, der: &[u8]) -> Value {
    let told = told(engine, der, "x509_certificate").and_then(|mut values| values.pop());
    told.unwrap_or_else(|| {
        let ty = engine.program.type_named("X509::Certificate").unwrap_or(TypeId::ANY);
        engine.empty_value(ty).unwrap_or_default()
    })
}

/// The names of hosts that a certificate is for: alternative ones, or without any the common one.
fn names(engine: &mut Engine, der: &[u8]) -> Vec<Vec<u8>> {
    let alternative =
        told(engine, der, "x509_ext_subject_alternative_name").and_then(|mut values| values.pop());
    if let Some(Value::Record(record)) = alternative
        && let Value::Vector(names) = record.get(HOSTS)
    {
        return names.all().iter().filter_map(text).collect();
    }
    let facts = facts(engine, der);
    let common = if let Value::Record(record) = facts { engine.field(&record, "cn") } else { Value::Unset };
    text(&common).into_iter().collect()
}

fn text(value: &Value) -> Option<Vec<u8>> {
    if let Value::String(text) = value { Some(text.to_vec()) } else { None }
}

/// Whether a name in a certificate stands for a host; a first label of a star for any one label (RFC 6125 6.4).
fn covers(pattern: &[u8], host: &[u8]) -> bool {
    if pattern.eq_ignore_ascii_case(host) {
        return true;
    }
    let Some(domain) = pattern.strip_prefix(b"*") else { return false };
    let Some(dot) = host.iter().position(|byte| *byte == b'.').filter(|dot| *dot > 0) else { return false };
    let has_two_labels = domain.iter().filter(|byte| **byte == b'.').count() > 1;
    has_two_labels && host.get(dot..).is_some_and(|rest| domain.eq_ignore_ascii_case(rest))
}

/// Text between lines of dashes (RFC 7468).
fn armoured(der: &[u8]) -> Vec<u8> {
    use base64::Engine as _;
    let digits = base64::engine::general_purpose::STANDARD.encode(der);
    let mut lines = b"-----BEGIN CERTIFICATE-----\n".to_vec();
    for line in digits.as_bytes().chunks(64) {
        lines.extend_from_slice(line);
        lines.push(b'\n');
    }
    lines.extend_from_slice(b"-----END CERTIFICATE-----\n");
    lines
}

/// The digest of a part of a certificate, by the number that TLS gives to the hash (RFC 5246 7.4.1.4.1).
fn digest_of(a: &[Value], part: impl for<'a> FnOnce(Parts<'a>) -> &'a [u8]) -> Value {
    let hash = count(a, 1);
    let digest = with(a, |der| {
        let bytes = part(Parts::of(der)?);
        Some(match hash {
            2 => Sha1::digest(bytes).to_vec(),
            3 => Sha224::digest(bytes).to_vec(),
            4 => Sha256::digest(bytes).to_vec(),
            5 => Sha384::digest(bytes).to_vec(),
            6 => Sha512::digest(bytes).to_vec(),
            _ => return None,
        })
    });
    Value::string(digest.flatten().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_certificate() {
        assert_eq!(armoured(b"0a"), b"-----BEGIN CERTIFICATE-----\nMGE=\n-----END CERTIFICATE-----\n");
    }

    #[test]
    fn names_of_hosts() {
        for (pattern, host, expected) in
            [("a.b", "A.b", true), ("*.a.b", "c.a.b", true), ("*.a.b", "a.b", false), ("*.b", "a.b", false)]
        {
            assert_eq!(covers(pattern.as_bytes(), host.as_bytes()), expected, "{pattern} {host}");
        }
    }
}
