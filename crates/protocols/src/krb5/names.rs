//! Names of numbers.

use super::message::kind;

/// Kinds of messages, as records write them.
pub fn message(number: u8) -> String {
    let name = match number {
        kind::AS_REQ => "KRB_AS_REQ",
        kind::AS_REP => "KRB_AS_REP",
        kind::TGS_REQ => "KRB_TGS_REQ",
        kind::TGS_REP => "KRB_TGS_REP",
        kind::AP_REQ => "KRB_AP_REQ",
        kind::AP_REP => "KRB_AP_REP",
        kind::ERROR => "KRB_ERROR",
        _ => return format!("MessageType({number} / 0x{number:x})"),
    };
    name.to_owned()
}

/// Types of encryption by name (RFC 3961 8, RFC 4757, RFC 6803, RFC 8009, MS-KILE).
pub const ENCRYPTION: &[(&str, i32)] = &[
    ("des-cbc-crc", 1),
    ("des-cbc-md4", 2),
    ("des-cbc-md5", 3),
    ("des3-cbc-md5", 5),
    ("des3-cbc-sha1", 7),
    ("dsaWithSHA1-CmsOID", 9),
    ("md5WithRSAEncryption-CmsOID", 10),
    ("sha1WithRSAEncryption-CmsOID", 11),
    ("rc2CBC-EnvOID", 12),
    ("rsaEncryption-EnvOID", 13),
    ("rsaES-OAEP-ENV-OID", 14),
    ("des-ede3-cbc-Env-OID", 15),
    ("des3-cbc-sha1-kd", 16),
    ("aes128-cts-hmac-sha1-96", 17),
    ("aes256-cts-hmac-sha1-96", 18),
    ("aes128-cts-hmac-sha256-128", 19),
    ("aes256-cts-hmac-sha384-192", 20),
    ("rc4-hmac", 23),
    ("rc4-hmac-exp", 24),
    ("camellia128-cts-cmac", 25),
    ("camellia256-cts-cmac", 26),
    ("subkey-keymaterial", 65),
    ("rc4-md4", -128),
    ("rc4-plain2", -129),
    ("rc4-lm", -130),
    ("rc4-sha", -131),
    ("des-plain", -132),
    ("rc4-hmac-old", -133),
    ("rc4-plain-old", -134),
    ("rc4-hmac-old-exp", -135),
    ("rc4-plain-old-exp", -136),
    ("rc4-plain", -140),
    ("rc4-plain-exp", -141),
];

/// The name of a type of encryption.
pub fn encryption(number: i32) -> Option<&'static str> {
    ENCRYPTION.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
}

/// Whether a type of encryption is weak, or no longer to be used: all but those with AES and Camellia.
pub const fn is_weak(number: i32) -> bool {
    !matches!(number, 17..=20 | 25 | 26)
}

/// Error codes (RFC 4120 7.5.9, RFC 4556 3.1.3).
const ERRORS: &[(i32, &str)] = &[
    (0, "KDC_ERR_NONE"),
    (1, "KDC_ERR_NAME_EXP"),
    (2, "KDC_ERR_SERVICE_EXP"),
    (3, "KDC_ERR_BAD_PVNO"),
    (4, "KDC_ERR_C_OLD_MAST_KVNO"),
    (5, "KDC_ERR_S_OLD_MAST_KVNO"),
    (6, "KDC_ERR_C_PRINCIPAL_UNKNOWN"),
    (7, "KDC_ERR_S_PRINCIPAL_UNKNOWN"),
    (8, "KDC_ERR_PRINCIPAL_NOT_UNIQUE"),
    (9, "KDC_ERR_NULL_KEY"),
    (10, "KDC_ERR_CANNOT_POSTDATE"),
    (11, "KDC_ERR_NEVER_VALID"),
    (12, "KDC_ERR_POLICY"),
    (13, "KDC_ERR_BADOPTION"),
    (14, "KDC_ERR_ETYPE_NOSUPP"),
    (15, "KDC_ERR_SUMTYPE_NOSUPP"),
    (16, "KDC_ERR_PADATA_TYPE_NOSUPP"),
    (17, "KDC_ERR_TRTYPE_NOSUPP"),
    (18, "KDC_ERR_CLIENT_REVOKED"),
    (19, "KDC_ERR_SERVICE_REVOKED"),
    (20, "KDC_ERR_TGT_REVOKED"),
    (21, "KDC_ERR_CLIENT_NOTYET"),
    (22, "KDC_ERR_SERVICE_NOTYET"),
    (23, "KDC_ERR_KEY_EXPIRED"),
    (24, "KDC_ERR_PREAUTH_FAILED"),
    (25, "KDC_ERR_PREAUTH_REQUIRED"),
    (26, "KDC_ERR_SERVER_NOMATCH"),
    (27, "KDC_ERR_MUST_USE_USER2USER"),
    (28, "KDC_ERR_PATH_NOT_ACCEPTED"),
    (29, "KDC_ERR_SVC_UNAVAILABLE"),
    (31, "KRB_AP_ERR_BAD_INTEGRITY"),
    (32, "KRB_AP_ERR_TKT_EXPIRED"),
    (33, "KRB_AP_ERR_TKT_NYV"),
    (34, "KRB_AP_ERR_REPEAT"),
    (35, "KRB_AP_ERR_NOT_US"),
    (36, "KRB_AP_ERR_BADMATCH"),
    (37, "KRB_AP_ERR_SKEW"),
    (38, "KRB_AP_ERR_BADADDR"),
    (39, "KRB_AP_ERR_BADVERSION"),
    (40, "KRB_AP_ERR_MSG_TYPE"),
    (41, "KRB_AP_ERR_MODIFIED"),
    (42, "KRB_AP_ERR_BADORDER"),
    (44, "KRB_AP_ERR_BADKEYVER"),
    (45, "KRB_AP_ERR_NOKEY"),
    (46, "KRB_AP_ERR_MUT_FAIL"),
    (47, "KRB_AP_ERR_BADDIRECTION"),
    (48, "KRB_AP_ERR_METHOD"),
    (49, "KRB_AP_ERR_BADSEQ"),
    (50, "KRB_AP_ERR_INAPP_CKSUM"),
    (51, "KRB_AP_PATH_NOT_ACCEPTED"),
    (52, "KRB_ERR_RESPONSE_TOO_BIG"),
    (60, "KRB_ERR_GENERIC"),
    (61, "KRB_ERR_FIELD_TOOLONG"),
    (62, "KDC_ERROR_CLIENT_NOT_TRUSTED"),
    (63, "KDC_ERROR_KDC_NOT_TRUSTED"),
    (64, "KDC_ERROR_INVALID_SIG"),
    (65, "KDC_ERR_KEY_TOO_WEAK"),
    (66, "KDC_ERR_CERTIFICATE_MISMATCH"),
    (67, "KRB_AP_ERR_NO_TGT"),
    (68, "KDC_ERR_WRONG_REALM"),
    (69, "KRB_AP_ERR_USER_TO_USER_REQUIRED"),
    (70, "KDC_ERR_CANT_VERIFY_CERTIFICATE"),
    (71, "KDC_ERR_INVALID_CERTIFICATE"),
    (72, "KDC_ERR_REVOKED_CERTIFICATE"),
    (73, "KDC_ERR_REVOCATION_STATUS_UNKNOWN"),
    (74, "KDC_ERR_REVOCATION_STATUS_UNAVAILABLE"),
    (75, "KDC_ERR_CLIENT_NAME_MISMATCH"),
    (76, "KDC_ERR_KDC_NAME_MISMATCH"),
];

/// The name of what a request failed with.
pub fn error(number: i32) -> Option<&'static str> {
    ERRORS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!((message(30), message(0)), ("KRB_ERROR".into(), "MessageType(0 / 0x0)".into()));
        assert_eq!((encryption(-133), encryption(4)), (Some("rc4-hmac-old"), None));
        assert_eq!((error(25), error(43)), (Some("KDC_ERR_PREAUTH_REQUIRED"), None));
        let weak: Vec<_> = [1, 16, 17, 18, 19, 20, 23, 25, 26, 65, -133].map(is_weak).to_vec();
        let expected = [true, true, false, false, false, false, true, false, false, true, true];
        assert_eq!(weak, expected);
    }
}
