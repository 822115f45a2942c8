//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum EnipAnomaly {
        /// Too many requests wait for a response: the oldest one waits no more.
        TooManyTransactions = "too_many_transactions",
        /// Payload that does not fit the command of its header.
        InvalidPdu = "invalid_pdu",
    }
}
