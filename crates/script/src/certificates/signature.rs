//! Signatures over bytes, by keys of certificates. What is not known here verifies nothing: MD5 and MD2, DSA, curves other
//! than P-256, P-384 and Ed25519, RSA of less than 1,024 bits.

use ring::signature as schemes;
use x509_parser::signature_algorithm::RsaSsaPssParams;
use x509_parser::x509::{AlgorithmIdentifier, SubjectPublicKeyInfo};

/// Object identifiers (RFC 3279, RFC 4055, RFC 5758, RFC 8410).
mod oid {
    pub(super) const RSA_SHA1: &str = "1.2.840.113549.1.1.5";
    pub(super) const RSA_SHA1_OF_OIW: &str = "1.3.14.3.2.29";
    pub(super) const RSA_SHA256: &str = "1.2.840.113549.1.1.11";
    pub(super) const RSA_SHA384: &str = "1.2.840.113549.1.1.12";
    pub(super) const RSA_SHA512: &str = "1.2.840.113549.1.1.13";
    pub(super) const RSA_PSS: &str = "1.2.840.113549.1.1.10";
    pub(super) const ECDSA_SHA256: &str = "1.2.840.10045.4.3.2";
    pub(super) const ECDSA_SHA384: &str = "1.2.840.10045.4.3.3";
    pub(super) const ED25519: &str = "1.3.101.112";
    pub(super) const RSA: &str = "1.2.840.113549.1.1.1";
    pub(super) const P256: &str = "1.2.840.10045.3.1.7";
    pub(super) const P384: &str = "1.3.132.0.34";
    pub(super) const SHA256: &str = "2.16.840.1.101.3.4.2.1";
    pub(super) const SHA384: &str = "2.16.840.1.101.3.4.2.2";
    pub(super) const SHA512: &str = "2.16.840.1.101.3.4.2.3";
}

/// Returns whether a signature over bytes is that of a key.
pub(super) fn is_of_key(
    key: &SubjectPublicKeyInfo<'_>,
    algorithm: &AlgorithmIdentifier<'_>,
    signature: &[u8],
    bytes: &[u8],
) -> bool {
    let curve = curve(key);
    let known: &'static dyn schemes::VerificationAlgorithm = match &*algorithm.algorithm.to_id_string() {
        oid::RSA_SHA1 | oid::RSA_SHA1_OF_OIW => &schemes::RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY,
        oid::RSA_SHA256 => &schemes::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
        oid::RSA_SHA384 => &schemes::RSA_PKCS1_2048_8192_SHA384,
        oid::RSA_SHA512 => &schemes::RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
        oid::RSA_PSS => match pss(algorithm) {
            Some(known) => known,
            None => return false,
        },
        oid::ECDSA_SHA256 if curve == oid::P256 => &schemes::ECDSA_P256_SHA256_ASN1,
        oid::ECDSA_SHA256 if curve == oid::P384 => &schemes::ECDSA_P384_SHA256_ASN1,
        oid::ECDSA_SHA384 if curve == oid::P256 => &schemes::ECDSA_P256_SHA384_ASN1,
        oid::ECDSA_SHA384 if curve == oid::P384 => &schemes::ECDSA_P384_SHA384_ASN1,
        oid::ED25519 => &schemes::ED25519,
        _ => return false,
    };
    let key = schemes::UnparsedPublicKey::new(known, &key.subject_public_key.data);
    key.verify(bytes, signature).is_ok()
}

/// Returns whether a signature over the SHA-256 of bytes is that of a key, whose kind says which kind it is.
pub(super) fn is_of_key_with_sha256(key: &SubjectPublicKeyInfo<'_>, signature: &[u8], bytes: &[u8]) -> bool {
    let known: &'static dyn schemes::VerificationAlgorithm = match &*curve(key) {
        oid::P256 => &schemes::ECDSA_P256_SHA256_ASN1,
        oid::P384 => &schemes::ECDSA_P384_SHA256_ASN1,
        _ if key.algorithm.algorithm.to_id_string() == oid::RSA => {
            &schemes::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY
        }
        _ => return false,
    };
    schemes::UnparsedPublicKey::new(known, &key.subject_public_key.data).verify(bytes, signature).is_ok()
}

/// Returns the identifier of the curve of a key; empty where it has none.
fn curve(key: &SubjectPublicKeyInfo<'_>) -> String {
    let parameters = key.algorithm.parameters.as_ref();
    let curve = parameters.and_then(|parameters| parameters.as_oid().ok());
    curve.map(|curve| curve.to_id_string()).unwrap_or_default()
}

fn pss(algorithm: &AlgorithmIdentifier<'_>) -> Option<&'static dyn schemes::VerificationAlgorithm> {
    let parameters = RsaSsaPssParams::try_from(algorithm.parameters.as_ref()?).ok()?;
    Some(match &*parameters.hash_algorithm_oid().to_id_string() {
        oid::SHA256 => &schemes::RSA_PSS_2048_8192_SHA256,
        oid::SHA384 => &schemes::RSA_PSS_2048_8192_SHA384,
        oid::SHA512 => &schemes::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}
