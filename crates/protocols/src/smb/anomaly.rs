//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub(super) enum SmbAnomaly {
        /// Bytes that make no sense.
        MalformedData = "malformed_data",
        /// A message of NTLMSSP by which a client says who it is makes no sense.
        MalformedNtlmsspRequest = "malformed_ntlmssp_request",
        /// A dialect is offered that is none, or one is chosen that was not offered.
        NegotiateMalformedDialects = "negotiate_malformed_dialects",
        /// Dialects are offered again.
        DuplicateNegotiate = "duplicate_negotiate",
        /// Bytes that were read or written before.
        FileOverlap = "file_overlap",
        /// A client answers.
        ResponseToServer = "response_to_server",
        /// A server asks.
        RequestToClient = "request_to_client",
        /// More is asked for than can be.
        ReadRequestTooLarge = "read_request_too_large",
        /// More is sent than can be asked for.
        ReadResponseTooLarge = "read_response_too_large",
        /// More is written than can be.
        WriteRequestTooLarge = "write_request_too_large",
        /// The server offers to send more at once than the configuration allows.
        NegotiateMaxReadSizeTooLarge = "negotiate_max_read_size_too_large",
        /// The server offers to take more at once than the configuration allows.
        NegotiateMaxWriteSizeTooLarge = "negotiate_max_write_size_too_large",
        /// Too much waits for what comes before it in a file.
        ReadQueueSizeExceeded = "read_queue_size_exceeded",
        /// Too many pieces wait for what comes before them in a file.
        ReadQueueCntExceeded = "read_queue_cnt_exceeded",
        /// Writes beyond the bytes that may wait.
        WriteQueueSizeExceeded = "write_queue_size_exceeded",
        /// Writes beyond the number that may wait.
        WriteQueueCntExceeded = "write_queue_cnt_exceeded",
        /// The fields of a message of NTLMSSP stand in an order in which nobody puts them.
        UnusualNtlmsspOrder = "unusual_ntlmssp_order",
        /// Too much waits for an answer: the oldest one waits no more.
        TooManyTransactions = "too_many_transactions",
    }
    // Rules may use these, too, but they do not happen here.
    reserved "internal_error", "record_overflow",
}
