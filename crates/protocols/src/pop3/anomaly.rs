//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum Pop3Anomaly {
        /// Too many commands wait for an answer: the oldest one waits no more.
        TooManyTransactions = "too_many_transactions",
        /// A command is longer than any may be.
        RequestTooLong = "request_too_long",
        /// A command has more arguments than it takes, or fewer.
        IncorrectArgumentCount = "incorrect_argument_count",
        /// A command that there is not.
        UnknownCommand = "unknown_command",
        /// The first line of an answer is longer than any may be.
        ResponseTooLong = "response_too_long",
    }
}
