//! Anomalies of messages.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum Krb5Anomaly {
        /// Bytes that are no message.
        MalformedData = "malformed_data",
        /// The server chose an encryption that is weak.
        WeakEncryption = "weak_encryption",
    }
}
