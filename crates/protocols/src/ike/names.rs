//! Names of payloads, exchanges, notifications and algorithms in records.

use std::borrow::Cow;

/// The kinds of payloads of version 1; those that have no name are not written.
const PAYLOADS_1: &[(u16, &str)] = &[
    (0, "None"),
    (1, "SecurityAssociation"),
    (2, "Proposal"),
    (3, "Transform"),
    (4, "KeyExchange"),
    (5, "Identification"),
    (6, "Certificate"),
    (7, "CertificateRequest"),
    (8, "Hash"),
    (9, "Signature"),
    (10, "Nonce"),
    (11, "Notification"),
    (12, "Delete"),
    (13, "VendorID"),
    (15, "SaKekPayload"),
    (16, "SaTekPayload"),
    (17, "KeyDownload"),
    (18, "SequenceNumber"),
    (19, "ProofOfPossession"),
    (20, "NatDiscovery"),
    (21, "NatOriginalAddress"),
    (22, "GroupAssociatedPolicy"),
];

const PAYLOADS_2: &[(u16, &str)] = &[
    (0, "NoNextPayload"),
    (33, "SecurityAssociation"),
    (34, "KeyExchange"),
    (35, "IdentInitiator"),
    (36, "IdentResponder"),
    (37, "Certificate"),
    (38, "CertificateRequest"),
    (39, "Authentication"),
    (40, "Nonce"),
    (41, "Notify"),
    (42, "Delete"),
    (43, "VendorID"),
    (44, "TrafficSelectorInitiator"),
    (45, "TrafficSelectorResponder"),
    (46, "EncryptedAndAuthenticated"),
    (47, "Configuration"),
    (48, "ExtensibleAuthentication"),
];

/// The exchanges of version 1.
const EXCHANGES: &[(u16, &str)] = &[
    (0, "Unknown Exchange Type"),
    (1, "Base"),
    (2, "Identity Protection"),
    (3, "Authentication Only"),
    (4, "Aggressive"),
    (5, "Informational"),
    (6, "Transaction (Config Mode)"),
    (32, "Quick Mode"),
    (33, "New Group Mode"),
];

/// The notifications of version 2.
const NOTIFICATIONS: &[(u16, &str)] = &[
    (1, "UNSUPPORTED_CRITICAL_PAYLOAD"),
    (4, "INVALID_IKE_SPI"),
    (5, "INVALID_MAJOR_VERSION"),
    (7, "INVALID_SYNTAX"),
    (9, "INVALID_MESSAGE_ID"),
    (11, "INVALID_SPI"),
    (14, "NO_PROPOSAL_CHOSEN"),
    (17, "INVALID_KE_PAYLOAD"),
    (24, "AUTHENTICATION_FAILED"),
    (34, "SINGLE_PAIR_REQUIRED"),
    (35, "NO_ADDITIONAL_SAS"),
    (36, "INTERNAL_ADDRESS_FAILURE"),
    (37, "FAILED_CP_REQUIRED"),
    (38, "TS_UNACCEPTABLE"),
    (39, "INVALID_SELECTORS"),
    (43, "TEMPORARY_FAILURE"),
    (44, "CHILD_SA_NOT_FOUND"),
    (16384, "INITIAL_CONTACT"),
    (16385, "SET_WINDOW_SIZE"),
    (16386, "ADDITIONAL_TS_POSSIBLE"),
    (16387, "IPCOMP_SUPPORTED"),
    (16388, "NAT_DETECTION_SOURCE_IP"),
    (16389, "NAT_DETECTION_DESTINATION_IP"),
    (16390, "COOKIE"),
    (16391, "USE_TRANSPORT_MODE"),
    (16392, "HTTP_CERT_LOOKUP_SUPPORTED"),
    (16393, "REKEY_SA"),
    (16394, "ESP_TFC_PADDING_NOT_SUPPORTED"),
    (16395, "NON_FIRST_FRAGMENTS_ALSO"),
    (16404, "MULTIPLE_AUTH_SUPPORTED"),
    (16405, "ANOTHER_AUTH_FOLLOWS"),
    (16406, "REDIRECT_SUPPORTED"),
    (16430, "IKEV2_FRAGMENTATION_SUPPORTED"),
    (16431, "SIGNATURE_HASH_ALGORITHMS"),
];

const ENCRYPTION: &[(u16, &str)] = &[
    (1, "ENCR_DES_IV64"),
    (2, "ENCR_DES"),
    (3, "ENCR_3DES"),
    (4, "ENCR_RC5"),
    (5, "ENCR_IDEA"),
    (6, "ENCR_CAST"),
    (7, "ENCR_BLOWFISH"),
    (8, "ENCR_3IDEA"),
    (9, "ENCR_DES_IV32"),
    (11, "ENCR_NULL"),
    (12, "ENCR_AES_CBC"),
    (13, "ENCR_AES_CTR"),
    (14, "ENCR_AES_CCM_8"),
    (15, "ENCR_AES_CCM_12"),
    (16, "ENCR_AES_CCM_16"),
    (18, "ENCR_AES_GCM_8"),
    (19, "ENCR_AES_GCM_12"),
    (20, "ENCR_AES_GCM_16"),
    (21, "ENCR_NULL_AUTH_AES_GMAC"),
    (23, "ENCR_CAMELLIA_CBC"),
    (24, "ENCR_CAMELLIA_CTR"),
    (25, "ENCR_CAMELLIA_CCM_8"),
    (26, "ENCR_CAMELLIA_CCM_12"),
    (27, "ENCR_CAMELLIA_CCM_16"),
    (28, "ENCR_CHACHA20_POLY1305"),
];

const RANDOM: &[(u16, &str)] = &[
    (0, "PRF_NULL"),
    (1, "PRF_HMAC_MD5"),
    (2, "PRF_HMAC_SHA1"),
    (3, "PRF_HMAC_TIGER"),
    (4, "PRF_AES128_XCBC"),
    (5, "PRF_HMAC_SHA2_256"),
    (6, "PRF_HMAC_SHA2_384"),
    (7, "PRF_HMAC_SHA2_512"),
    (8, "PRF_AES128_CMAC"),
];

const INTEGRITY: &[(u16, &str)] = &[
    (0, "NONE"),
    (1, "AUTH_HMAC_MD5_96"),
    (2, "AUTH_HMAC_SHA1_96"),
    (3, "AUTH_DES_MAC"),
    (4, "AUTH_KPDK_MD5"),
    (5, "AUTH_AES_XCBC_96"),
    (6, "AUTH_HMAC_MD5_128"),
    (7, "AUTH_HMAC_SHA1_160"),
    (8, "AUTH_AES_CMAC_96"),
    (9, "AUTH_AES_128_GMAC"),
    (10, "AUTH_AES_192_GMAC"),
    (11, "AUTH_AES_256_GMAC"),
    (12, "AUTH_HMAC_SHA2_256_128"),
    (13, "AUTH_HMAC_SHA2_384_192"),
    (14, "AUTH_HMAC_SHA2_512_256"),
];

const GROUPS: &[(u16, &str)] = &[
    (0, "None"),
    (1, "Modp768"),
    (2, "Modp1024"),
    (5, "Modp1536"),
    (14, "Modp2048"),
    (15, "Modp3072"),
    (16, "Modp4096"),
    (17, "Modp6144"),
    (18, "Modp8192"),
    (19, "Ecp256"),
    (20, "Ecp384"),
    (21, "Ecp521"),
    (22, "Modp1024s160"),
    (23, "Modp2048s224"),
    (24, "Modp2048s256"),
    (25, "Ecp192"),
    (26, "Ecp224"),
    (27, "BrainpoolP224r1"),
    (28, "BrainpoolP256r1"),
    (29, "BrainpoolP384r1"),
    (30, "BrainpoolP512r1"),
    (31, "Curve25519"),
    (32, "Curve448"),
];

fn listed(names: &[(u16, &'static str)], number: u16) -> Option<&'static str> {
    names.iter().find(|(known, _)| *known == number).map(|&(_, name)| name)
}

/// The name of a number, or the number with what it is one of.
fn named(names: &[(u16, &'static str)], number: u16, of: &str) -> Cow<'static, str> {
    listed(names, number).map_or_else(|| format!("{of}({number} / 0x{number:x})").into(), Cow::from)
}

/// Returns the name of a payload type of version 1.
pub fn payload_1(kind: u8) -> Option<&'static str> {
    listed(PAYLOADS_1, kind.into())
}

/// Returns the name of a payload type of version 2.
pub fn payload_2(kind: u8) -> Cow<'static, str> {
    named(PAYLOADS_2, kind.into(), "IkePayloadType")
}

/// Returns the name of an exchange type of version 1.
pub fn exchange(kind: u8) -> Option<&'static str> {
    listed(EXCHANGES, kind.into())
}

/// Returns the name of a notification of version 2.
pub fn notification(kind: u16) -> Cow<'static, str> {
    named(NOTIFICATIONS, kind, "NotifyType")
}

/// Returns the name of an encryption algorithm of version 2.
pub fn encryption(number: u16) -> Cow<'static, str> {
    named(ENCRYPTION, number, "IkeTransformEncType")
}

/// Returns the name of a pseudo-random function of version 2.
pub fn random(number: u16) -> Cow<'static, str> {
    named(RANDOM, number, "IkeTransformPRFType")
}

/// Returns the name of an integrity algorithm of version 2.
pub fn integrity(number: u16) -> Cow<'static, str> {
    named(INTEGRITY, number, "IkeTransformAuthType")
}

/// Returns the name of a Diffie-Hellman group of version 2.
pub fn group(number: u16) -> Cow<'static, str> {
    named(GROUPS, number, "IkeTransformDHType")
}

/// Returns the name of extended sequence numbers in version 2.
pub fn sequence_numbers(number: u16) -> Cow<'static, str> {
    named(&[(0, "NoESN"), (1, "ESN")], number, "IkeTransformESNType")
}
