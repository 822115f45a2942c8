//! Anomalies of a handshake.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum RfbAnomaly {
        /// A message that is none.
        MalformedMessage = "malformed_message",
        /// A method of authentication that is not read.
        UnimplementedSecurityType = "unimplemented_security_type",
        /// The authentication came to nothing that is known.
        UnknownSecurityResult = "unknown_security_result",
        /// A side speaks out of turn.
        ConfusedState = "confused_state",
    }
}
