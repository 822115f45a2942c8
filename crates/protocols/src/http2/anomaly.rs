//! Anomalies of a connection.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Http2Anomaly {
    /// A frame's header is none.
    InvalidFrameHeader,
    /// The client does not begin with the preface.
    InvalidClientMagic,
    /// A frame's payload makes no sense.
    InvalidFrameData,
    /// A header block makes no sense.
    InvalidHeader,
    /// A frame's length is not that of its type.
    InvalidFrameLength,
    /// Something follows the header fields.
    ExtraHeaderData,
    /// A frame is longer than what is waited for.
    LongFrameData,
    /// A stream that ended is used again.
    StreamIdReuse,
    /// The settings that HTTP/1 brought make no sense.
    InvalidHttp1Settings,
    /// A body is not compressed as announced.
    FailedDecompression,
    /// A `Content-Range` makes no sense.
    InvalidRange,
    /// A number of a header block is too large.
    HeaderIntegerOverflow,
    /// Too many streams are open.
    TooManyStreams,
    /// `:authority` and `Host` say different hosts.
    AuthorityHostMismatch,
    /// `:authority` names a user.
    UserinfoInUri,
    /// A header block in several frames is too long.
    ReassemblyLimitReached,
    /// A request of DNS over HTTP is too long.
    DnsRequestTooLong,
    /// A response of DNS over HTTP is too long.
    DnsResponseTooLong,
    /// Data of stream 0.
    DataStreamZero,
    /// Too much is to be kept of a side of a stream.
    TooManyFrames,
}

/// Names of [`Http2Anomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "invalid_frame_header",
    "invalid_client_magic",
    "invalid_frame_data",
    "invalid_header",
    "invalid_frame_length",
    "extra_header_data",
    "long_frame_data",
    "stream_id_reuse",
    "invalid_http1_settings",
    "failed_decompression",
    "invalid_range",
    "header_integer_overflow",
    "too_many_streams",
    "authority_host_mismatch",
    "userinfo_in_uri",
    "reassembly_limit_reached",
    "dns_request_too_long",
    "dns_response_too_long",
    "data_stream_zero",
    "too_many_frames",
];

impl From<Http2Anomaly> for Anomaly {
    fn from(anomaly: Http2Anomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
