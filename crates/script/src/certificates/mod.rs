//! Whether certificates, answers on them and timestamps of logs can be trusted: paths to a root ([`path`]), answers of OCSP
//! ([`answer`]) and signed timestamps ([`timestamp`]), with the codes and sentences of OpenSSL, which users of Zeek know.
//!
//! Limits: [`path::MAX_DEPTH`] certificates of a path, [`path::MAX_CANDIDATES`] that a peer sends; each path costs one
//! signature for each of its certificates.

pub mod answer;
pub mod der;
pub mod path;
pub mod roots;
mod signature;
#[cfg(test)]
mod tests;
pub mod timestamp;

use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::ParsedExtension;
use x509_parser::prelude::FromDer;

use der::{Parts, comparable};

/// A certificate with what is looked at on the way to a root.
#[derive(Debug)]
pub struct Certificate<'a> {
    pub der: &'a [u8],
    pub parts: Parts<'a>,
    parsed: X509Certificate<'a>,
    /// Names in the form in which they are compared.
    issuer: Vec<u8>,
    subject: Vec<u8>,
}

impl<'a> Certificate<'a> {
    /// Reads a certificate.
    pub fn read(der: &'a [u8]) -> Option<Self> {
        let (_, parsed) = X509Certificate::from_der(der).ok()?;
        let parts = Parts::of(der)?;
        let (issuer, subject) = (comparable(parts.issuer)?, comparable(parts.subject)?);
        Some(Self { der, parts, parsed, issuer, subject })
    }

    /// Returns whether a moment, in seconds, is within its validity.
    fn is_valid_at(&self, at: i64) -> bool {
        self.begins() <= at && at < self.ends()
    }

    fn begins(&self) -> i64 {
        self.parsed.validity().not_before.timestamp()
    }

    fn ends(&self) -> i64 {
        self.parsed.validity().not_after.timestamp()
    }

    fn extensions(&self) -> impl Iterator<Item = &ParsedExtension<'a>> {
        self.parsed.extensions().iter().map(|extension| extension.parsed_extension())
    }

    fn key_id(&self) -> Option<&'a [u8]> {
        self.extensions().find_map(|extension| match extension {
            ParsedExtension::SubjectKeyIdentifier(id) => Some(id.0),
            _ => None,
        })
    }

    /// Returns whether its key may sign certificates, as far as its usage says.
    fn may_sign_certificates(&self) -> bool {
        let usage = self.extensions().find_map(|extension| match extension {
            ParsedExtension::KeyUsage(usage) => Some(usage.key_cert_sign()),
            _ => None,
        });
        usage != Some(false)
    }

    /// Returns whether its key may sign answers of OCSP (RFC 6960 4.2.2.2).
    fn may_sign_answers(&self) -> bool {
        self.extensions().any(
            |extension| matches!(extension, ParsedExtension::ExtendedKeyUsage(usage) if usage.ocsp_signing),
        )
    }

    /// Returns whether what it says of its issuer's key fits another certificate (RFC 5280 4.2.1.1).
    fn names_key_of(&self, issuer: &Self) -> bool {
        let named = self.extensions().find_map(|extension| match extension {
            ParsedExtension::AuthorityKeyIdentifier(id) => Some(id),
            _ => None,
        });
        let Some(named) = named else { return true };
        let differs = |named: Option<&[u8]>, known: Option<&[u8]>| {
            named.zip(known).is_some_and(|(named, known)| named != known)
        };
        let key_id = named.key_identifier.as_ref().map(|id| id.0);
        !differs(key_id, issuer.key_id()) && !differs(named.authority_cert_serial, Some(issuer.parts.serial))
    }

    /// Returns whether another certificate is its issuer's, as far as names and uses go.
    fn is_issued_by(&self, issuer: &Self) -> bool {
        self.issuer == issuer.subject && self.names_key_of(issuer) && issuer.may_sign_certificates()
    }

    fn is_self_issued(&self) -> bool {
        self.issuer == self.subject
    }

    fn is_self_signed(&self) -> bool {
        self.is_self_issued() && self.names_key_of(self)
    }

    /// Returns whether the key of another certificate has signed it.
    fn is_signed_by(&self, issuer: &Self) -> bool {
        signature::is_of_key(
            issuer.parsed.public_key(),
            &self.parsed.signature_algorithm,
            &self.parsed.signature_value.data,
            self.parsed.tbs_certificate.as_ref(),
        )
    }
}

/// Returns whether a name is the one of which this is the form for comparison (RFC 5280 7.1).
fn is_name(name: &[u8], known: &[u8]) -> bool {
    comparable(name).is_some_and(|name| name == known)
}
