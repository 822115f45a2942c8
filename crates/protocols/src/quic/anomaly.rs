//! Anomalies of a conversation over QUIC.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum QuicAnomaly {
        /// A packet is not what its keys protected.
        FailedDecrypt = "failed_decrypt",
        /// Frames make no sense.
        ErrorOnData = "error_on_data",
        /// A header makes no sense.
        ErrorOnHeader = "error_on_header",
        /// A piece of the handshake that lies too far from its start.
        CryptoFragTooLong = "crypto_frag_too_long",
    }
}
