//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum SmbAnomaly {
    /// Bytes that make no sense.
    MalformedData,
    /// A message of NTLMSSP by which a client says who it is makes no sense.
    MalformedNtlmsspRequest,
    /// A dialect is offered that is none, or one is chosen that was not offered.
    NegotiateMalformedDialects,
    /// Dialects are offered again.
    DuplicateNegotiate,
    /// Bytes that were read or written before.
    FileOverlap,
    /// A client answers.
    ResponseToServer,
    /// A server asks.
    RequestToClient,
    /// More is asked for than can be.
    ReadRequestTooLarge,
    /// More is sent than can be asked for.
    ReadResponseTooLarge,
    /// More is written than can be.
    WriteRequestTooLarge,
    /// The server offers to send more at once than the configuration allows.
    NegotiateMaxReadSizeTooLarge,
    /// The server offers to take more at once than the configuration allows.
    NegotiateMaxWriteSizeTooLarge,
    /// Too much waits for what comes before it in a file.
    ReadQueueSizeExceeded,
    /// Too many pieces wait for what comes before them in a file.
    ReadQueueCntExceeded,
    /// Writes beyond the bytes that may wait.
    WriteQueueSizeExceeded,
    /// Writes beyond the number that may wait.
    WriteQueueCntExceeded,
    /// The fields of a message of NTLMSSP stand in an order in which nobody puts them.
    UnusualNtlmsspOrder,
    /// Too much waits for an answer: the oldest one waits no more.
    TooManyTransactions,
}

/// Names of [`SmbAnomaly`] for rules and records, and those of rules for what cannot happen here.
pub(super) const ANOMALIES: &[&str] = &[
    "malformed_data",
    "malformed_ntlmssp_request",
    "negotiate_malformed_dialects",
    "duplicate_negotiate",
    "file_overlap",
    "response_to_server",
    "request_to_client",
    "read_request_too_large",
    "read_response_too_large",
    "write_request_too_large",
    "negotiate_max_read_size_too_large",
    "negotiate_max_write_size_too_large",
    "read_queue_size_exceeded",
    "read_queue_cnt_exceeded",
    "write_queue_size_exceeded",
    "write_queue_cnt_exceeded",
    "unusual_ntlmssp_order",
    "too_many_transactions",
    "internal_error",
    "record_overflow",
];

impl From<SmbAnomaly> for Anomaly {
    fn from(anomaly: SmbAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
