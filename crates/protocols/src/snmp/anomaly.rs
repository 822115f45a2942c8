//! Anomalies of messages.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum SnmpAnomaly {
        /// Bytes that are no message.
        MalformedData = "malformed_data",
        /// A message of version 3 that is not secured by the user-based model.
        UnknownSecurityModel = "unknown_security_model",
        /// A message of another version than the first one between the two ends.
        VersionMismatch = "version_mismatch",
    }
}
