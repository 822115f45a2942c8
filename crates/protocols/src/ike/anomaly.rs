//! Anomalies of a message, or weaknesses of its proposal.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum IkeAnomaly {
    /// Malformed message or payload.
    MalformedData,
    /// Proposal without encryption (AH).
    NoEncryption,
    /// A weak encryption is proposed.
    WeakCryptoEnc,
    /// A weak pseudo-random function is proposed.
    WeakCryptoPrf,
    /// A weak Diffie-Hellman group is proposed.
    WeakCryptoDh,
    /// A weak integrity algorithm is proposed.
    WeakCryptoAuth,
    /// No Diffie-Hellman group is proposed.
    WeakCryptoNoDh,
    /// No integrity algorithm is proposed, nor an encryption that needs none.
    WeakCryptoNoAuth,
    /// Proposal that can never be chosen.
    InvalidProposal,
    /// There is a transform of a type that is not known.
    UnknownProposal,
    /// Bytes stand behind the last payload.
    PayloadExtraData,
    /// The server chose more than one proposal.
    MultipleServerProposal,
}

/// Names of [`IkeAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "malformed_data",
    "no_encryption",
    "weak_crypto_enc",
    "weak_crypto_prf",
    "weak_crypto_dh",
    "weak_crypto_auth",
    "weak_crypto_no_dh",
    "weak_crypto_no_auth",
    "invalid_proposal",
    "unknown_proposal",
    "payload_extra_data",
    "multiple_server_proposal",
];

impl From<IkeAnomaly> for Anomaly {
    fn from(anomaly: IkeAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
