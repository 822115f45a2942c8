//! Anomalies of a control connection.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum FtpAnomaly {
        /// A command longer than a line may be.
        RequestCommandTooLong = "request_command_too_long",
        /// A reply longer than a line may be.
        ResponseCommandTooLong = "response_command_too_long",
        /// Data is asked for before it was agreed where to send it.
        FileBeforePort = "file_before_port",
        /// Data is asked for without a name.
        FileWithoutName = "file_without_name",
        /// More transactions than `max-tx` wait: the connection is not read on.
        TooManyTransactions = "too_many_transactions",
    }
}
