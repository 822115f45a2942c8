//! Anomalies of a message, or weaknesses of its proposal.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum IkeAnomaly {
        /// Malformed message or payload.
        MalformedData = "malformed_data",
        /// Proposal without encryption (AH).
        NoEncryption = "no_encryption",
        /// A weak encryption is proposed.
        WeakCryptoEnc = "weak_crypto_enc",
        /// A weak pseudo-random function is proposed.
        WeakCryptoPrf = "weak_crypto_prf",
        /// A weak Diffie-Hellman group is proposed.
        WeakCryptoDh = "weak_crypto_dh",
        /// A weak integrity algorithm is proposed.
        WeakCryptoAuth = "weak_crypto_auth",
        /// No Diffie-Hellman group is proposed.
        WeakCryptoNoDh = "weak_crypto_no_dh",
        /// No integrity algorithm is proposed, nor an encryption that needs none.
        WeakCryptoNoAuth = "weak_crypto_no_auth",
        /// Proposal that can never be chosen.
        InvalidProposal = "invalid_proposal",
        /// There is a transform of a type that is not known.
        UnknownProposal = "unknown_proposal",
        /// Bytes stand behind the last payload.
        PayloadExtraData = "payload_extra_data",
        /// The server chose more than one proposal.
        MultipleServerProposal = "multiple_server_proposal",
    }
}
