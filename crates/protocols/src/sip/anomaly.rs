//! Anomalies of messages.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum SipAnomaly {
        /// A datagram ends before the head of its message does.
        IncompleteData = "incomplete_data",
        /// Bytes that are no message, or not one of their direction.
        InvalidData = "invalid_data",
    }
}
