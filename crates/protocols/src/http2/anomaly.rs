//! Anomalies of a connection.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum Http2Anomaly {
        /// A frame's header is none.
        InvalidFrameHeader = "invalid_frame_header",
        /// The client does not begin with the preface.
        InvalidClientMagic = "invalid_client_magic",
        /// A frame's payload makes no sense.
        InvalidFrameData = "invalid_frame_data",
        /// A header block makes no sense.
        InvalidHeader = "invalid_header",
        /// A frame's length is not that of its type.
        InvalidFrameLength = "invalid_frame_length",
        /// Something follows the header fields.
        ExtraHeaderData = "extra_header_data",
        /// A frame is longer than what is waited for.
        LongFrameData = "long_frame_data",
        /// A stream that ended is used again.
        StreamIdReuse = "stream_id_reuse",
        /// The settings that HTTP/1 brought make no sense.
        InvalidHttp1Settings = "invalid_http1_settings",
        /// A body is not compressed as announced.
        FailedDecompression = "failed_decompression",
        /// A body is more than `compression-bomb-limit` and many times as large as sent.
        CompressionBomb = "compression_bomb",
        /// A `Content-Range` makes no sense.
        InvalidRange = "invalid_range",
        /// A number of a header block is too large.
        HeaderIntegerOverflow = "header_integer_overflow",
        /// Too many streams are open.
        TooManyStreams = "too_many_streams",
        /// `:authority` and `Host` say different hosts.
        AuthorityHostMismatch = "authority_host_mismatch",
        /// `:authority` names a user.
        UserinfoInUri = "userinfo_in_uri",
        /// A header block in several frames is too long.
        ReassemblyLimitReached = "reassembly_limit_reached",
        /// A request of DNS over HTTP is too long.
        DnsRequestTooLong = "dns_request_too_long",
        /// A response of DNS over HTTP is too long.
        DnsResponseTooLong = "dns_response_too_long",
        /// Data of stream 0.
        DataStreamZero = "data_stream_zero",
        /// A side of a stream has too many frames, or too much of it is to be kept.
        TooManyFrames = "too_many_frames",
    }
}
