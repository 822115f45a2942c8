//! Anomalies of messages.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum NtpAnomaly {
        /// Bytes that are no message.
        MalformedData = "malformed_data",
    }
}
