//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum PgsqlAnomaly {
        /// More is asked at a time than is followed; the oldest is given up.
        TooManyTransactions = "too_many_transactions",
        /// The client says what is no message.
        MalformedRequest = "malformed_request",
        /// The server says what is no message.
        MalformedResponse = "malformed_response",
        /// A length that no message can have.
        InvalidLength = "invalid_length",
        /// An answer is longer than what is kept of one.
        TooManyResponses = "too_many_responses",
    }
}
