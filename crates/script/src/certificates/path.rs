//! The path from a certificate to a root that is trusted (RFC 5280 6.1), in the order in which OpenSSL looks at things, so
//! that the first fault found is the one that it would tell.
//!
//! Checked are names, key identifiers, uses of keys, basic constraints with lengths of paths, critical extensions,
//! signatures, and validity. Not checked are revocation, constraints of names, policies, purposes and names of hosts.

use x509_parser::extensions::ParsedExtension;

use super::der::Parts;
use super::{Certificate, is_name};

/// Most certificates of a path.
pub const MAX_DEPTH: usize = 32;

/// Most certificates that are considered beside the first one and the roots.
pub const MAX_CANDIDATES: usize = 64;

/// Codes of what is wrong with a path, by OpenSSL's numbers.
pub mod code {
    pub const OK: i64 = 0;
    pub const NO_ISSUER: i64 = 2;
    pub const BAD_SIGNATURE: i64 = 7;
    pub const NOT_YET_VALID: i64 = 9;
    pub const EXPIRED: i64 = 10;
    pub const SELF_SIGNED: i64 = 18;
    pub const SELF_SIGNED_IN_CHAIN: i64 = 19;
    pub const NO_LOCAL_ISSUER: i64 = 20;
    pub const TOO_LONG: i64 = 22;
    pub const LENGTH_EXCEEDED: i64 = 25;
    pub const UNKNOWN_CRITICAL: i64 = 34;
    pub const INVALID_AUTHORITY: i64 = 79;
}

/// Returns the sentence of a code.
pub const fn sentence(code: i64) -> &'static str {
    match code {
        code::OK => "ok",
        code::NO_ISSUER => "unable to get issuer certificate",
        code::BAD_SIGNATURE => "certificate signature failure",
        code::NOT_YET_VALID => "certificate is not yet valid",
        code::EXPIRED => "certificate has expired",
        code::SELF_SIGNED => "self-signed certificate",
        code::SELF_SIGNED_IN_CHAIN => "self-signed certificate in certificate chain",
        code::NO_LOCAL_ISSUER => "unable to get local issuer certificate",
        code::TOO_LONG => "certificate chain too long",
        code::LENGTH_EXCEEDED => "path length constraint exceeded",
        code::UNKNOWN_CRITICAL => "unhandled critical extension",
        code::INVALID_AUTHORITY => "invalid CA certificate",
        _ => "unspecified certificate verification error",
    }
}

/// Extensions that may be critical: types of Netscape, uses and alternative names, constraints, policies, addresses,
/// proxies.
const KNOWN_CRITICAL: [&str; 14] = [
    "2.16.840.1.113730.1.1",
    "2.5.29.15",
    "2.5.29.17",
    "2.5.29.19",
    "2.5.29.30",
    "2.5.29.31",
    "2.5.29.32",
    "2.5.29.33",
    "2.5.29.36",
    "2.5.29.37",
    "2.5.29.54",
    "1.3.6.1.5.5.7.1.7",
    "1.3.6.1.5.5.7.1.8",
    "1.3.6.1.5.5.7.1.14",
];

/// Finds the path from a certificate to a root at a moment, in seconds; `others` are what the peer sent with it.
///
/// # Errors
///
/// The code of the first fault.
pub fn find<'a>(
    first: Certificate<'a>,
    others: &[&'a [u8]],
    roots: &[&'a [u8]],
    at: i64,
) -> Result<Vec<Certificate<'a>>, i64> {
    let path = build(first, others, roots, at)?;
    check_extensions(&path)?;
    check_signatures(&path, at)?;
    Ok(path)
}

/// Puts a path together by names; roots come before what the peer sent.
fn build<'a>(
    first: Certificate<'a>,
    others: &[&'a [u8]],
    roots: &[&'a [u8]],
    at: i64,
) -> Result<Vec<Certificate<'a>>, i64> {
    let candidates = others.iter().take(MAX_CANDIDATES).filter_map(|&der| Certificate::read(der));
    let mut candidates: Vec<Certificate<'a>> = candidates.collect();
    let mut path = vec![first];
    let mut has_root = false;
    loop {
        let length = path.len();
        let Some(last) = path.last() else { return Err(code::NO_LOCAL_ISSUER) };
        if length > MAX_DEPTH {
            return Err(code::TOO_LONG);
        }
        if last.is_self_signed() {
            return if has_root || roots.contains(&last.der) {
                Ok(path)
            } else if length == 1 {
                Err(code::SELF_SIGNED)
            } else {
                Err(code::SELF_SIGNED_IN_CHAIN)
            };
        }
        if let Some(root) = issuer_among_roots(last, roots, at) {
            has_root = true;
            path.push(root);
            continue;
        }
        if has_root {
            return Err(code::NO_ISSUER);
        }
        let issuers = candidates.iter().enumerate().filter(|(_, candidate)| last.is_issued_by(candidate));
        let best =
            issuers.max_by_key(|(place, candidate)| (candidate.is_valid_at(at), std::cmp::Reverse(*place)));
        let Some(place) = best.map(|(place, _)| place) else { return Err(code::NO_LOCAL_ISSUER) };
        path.push(candidates.remove(place));
    }
}

/// Returns the issuer of a certificate among roots: one that is valid, or else the one that was so last.
fn issuer_among_roots<'a>(of: &Certificate<'_>, roots: &[&'a [u8]], at: i64) -> Option<Certificate<'a>> {
    let is_named = |root: &&&'a [u8]| Parts::of(root).is_some_and(|parts| is_name(parts.subject, &of.issuer));
    let named = roots.iter().filter(is_named).take(MAX_CANDIDATES).filter_map(|&der| Certificate::read(der));
    let issuers = named.filter(|root| of.is_issued_by(root) && root.der != of.der);
    issuers.max_by_key(|root| (root.is_valid_at(at), root.ends()))
}

/// Looks at the extensions of a path from its first certificate on.
fn check_extensions(path: &[Certificate<'_>]) -> Result<(), i64> {
    // Authorities on the way that others have vouched for.
    let mut passed = 0;
    for (place, certificate) in path.iter().enumerate() {
        let is_unknown = |extension: &x509_parser::extensions::X509Extension<'_>| {
            extension.critical && !KNOWN_CRITICAL.contains(&&*extension.oid.to_id_string())
        };
        if certificate.parsed.extensions().iter().any(is_unknown) {
            return Err(code::UNKNOWN_CRITICAL);
        }
        if place == 0 {
            continue;
        }
        let constraints = certificate.extensions().find_map(|extension| match extension {
            ParsedExtension::BasicConstraints(constraints) => Some(constraints),
            _ => None,
        });
        let has_usage =
            certificate.extensions().any(|extension| matches!(extension, ParsedExtension::KeyUsage(_)));
        let is_first_version = certificate.parsed.version().0 == 0;
        let is_authority = certificate.may_sign_certificates()
            && match constraints {
                Some(constraints) => constraints.ca,
                None => has_usage || is_first_version && certificate.is_self_issued(),
            };
        if !is_authority {
            return Err(code::INVALID_AUTHORITY);
        }
        if let Some(most) = constraints.and_then(|constraints| constraints.path_len_constraint)
            && passed > u64::from(most)
        {
            return Err(code::LENGTH_EXCEEDED);
        }
        passed += u64::from(!certificate.is_self_issued());
    }
    Ok(())
}

/// Looks at signatures and validity, from the root down. The root's own signature says nothing.
fn check_signatures(path: &[Certificate<'_>], at: i64) -> Result<(), i64> {
    for (place, certificate) in path.iter().enumerate().rev() {
        if let Some(issuer) = path.get(place + 1)
            && !certificate.is_signed_by(issuer)
        {
            return Err(code::BAD_SIGNATURE);
        }
        if certificate.begins() > at {
            return Err(code::NOT_YET_VALID);
        }
        if certificate.ends() <= at {
            return Err(code::EXPIRED);
        }
    }
    Ok(())
}
