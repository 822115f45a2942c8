//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum LdapAnomaly {
        /// Too much waits for an answer: the oldest one waits no more.
        TooManyTransactions = "too_many_transactions",
        /// A request has more answers than `max-responses`.
        TooManyResponses = "too_many_responses",
        /// Bytes that are no message.
        InvalidData = "invalid_data",
        /// An answer to nothing that was asked.
        RequestNotFound = "request_not_found",
        /// A message is not whole, or longer than any that is read.
        IncompleteData = "incomplete_data",
    }
}
