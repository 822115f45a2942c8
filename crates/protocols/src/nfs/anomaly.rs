//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum NfsAnomaly {
        /// A call or a reply is not what its procedure has.
        MalformedData = "malformed_data",
        /// A version that there is not.
        NonExistingVersion = "non_existing_version",
        /// A version that is not read: 4 over UDP.
        UnsupportedVersion = "unsupported_version",
        /// Too much waits: the oldest one waits no more.
        TooManyTransactions = "too_many_transactions",
    }
}
