//! Anomalies of messages.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum DhcpAnomaly {
        /// The options end before the one that says so.
        TruncatedOptions = "truncated_options",
        /// An option has another length than what it tells takes.
        MalformedOptions = "malformed_options",
    }
}
