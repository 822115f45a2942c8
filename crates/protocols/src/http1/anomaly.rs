//! Anomalies of an HTTP/1 exchange, by the names of records; rules may spell them small
//! (`app-layer-event:http.<name>`).

weir_applayer::anomalies! {
    /// An oddity found while parsing.
    pub(super) enum Oddity {
        RequestFieldMissingColon = "REQUEST_FIELD_MISSING_COLON",
        ResponseFieldMissingColon = "RESPONSE_FIELD_MISSING_COLON",
        InvalidRequestChunkLength = "INVALID_REQUEST_CHUNK_LEN",
        InvalidResponseChunkLength = "INVALID_RESPONSE_CHUNK_LEN",
        RequestChunkExtension = "REQUEST_CHUNK_EXTENSION",
        ResponseChunkExtension = "RESPONSE_CHUNK_EXTENSION",
        RequestTooManyHeaders = "REQUEST_TOO_MANY_HEADERS",
        ResponseTooManyHeaders = "RESPONSE_TOO_MANY_HEADERS",
        InvalidTransferEncodingInRequest = "INVALID_TRANSFER_ENCODING_VALUE_IN_REQUEST",
        InvalidContentLengthInRequest = "INVALID_CONTENT_LENGTH_FIELD_IN_REQUEST",
        InvalidContentLengthInResponse = "INVALID_CONTENT_LENGTH_FIELD_IN_RESPONSE",
        DuplicateContentLengthInRequest = "DUPLICATE_CONTENT_LENGTH_FIELD_IN_REQUEST",
        DuplicateContentLengthInResponse = "DUPLICATE_CONTENT_LENGTH_FIELD_IN_RESPONSE",
        ContinueAlreadySeen = "100_CONTINUE_ALREADY_SEEN",
        UnableToMatchResponse = "UNABLE_TO_MATCH_RESPONSE_TO_REQUEST",
        RequestHeaderInvalid = "REQUEST_HEADER_INVALID",
        ResponseHeaderInvalid = "RESPONSE_HEADER_INVALID",
        MissingHostHeader = "MISSING_HOST_HEADER",
        HostHeaderAmbiguous = "HOST_HEADER_AMBIGUOUS",
        InvalidRequestFolding = "INVALID_REQUEST_FIELD_FOLDING",
        InvalidResponseFolding = "INVALID_RESPONSE_FIELD_FOLDING",
        RequestFieldTooLong = "REQUEST_FIELD_TOO_LONG",
        ResponseFieldTooLong = "RESPONSE_FIELD_TOO_LONG",
        UriHostInvalid = "REQUEST_URI_HOST_INVALID",
        HeaderHostInvalid = "REQUEST_HEADER_HOST_INVALID",
        MethodDelimiter = "METHOD_DELIM_NON_COMPLIANT",
        UriDelimiter = "URI_DELIM_NON_COMPLIANT",
        RequestLineLeadingWhitespace = "REQUEST_LINE_LEADING_WHITESPACE",
        TooManyEncodingLayers = "TOO_MANY_ENCODING_LAYERS",
        RequestTooManyLzmaLayers = "REQUEST_TOO_MANY_LZMA_LAYERS",
        ResponseTooManyLzmaLayers = "RESPONSE_TOO_MANY_LZMA_LAYERS",
        AbnormalContentEncoding = "ABNORMAL_CE_HEADER",
        AuthorizationUnrecognized = "REQUEST_AUTH_UNRECOGNIZED",
        RequestHeaderRepetition = "REQUEST_HEADER_REPETITION",
        ResponseHeaderRepetition = "RESPONSE_HEADER_REPETITION",
        ResponseMultipartByteranges = "RESPONSE_MULTIPART_BYTERANGES",
        ResponseAbnormalTransferEncoding = "RESPONSE_ABNORMAL_TRANSFER_ENCODING",
        ResponseChunkedOldProtocol = "RESPONSE_CHUNKED_OLD_PROTO",
        ResponseInvalidProtocol = "RESPONSE_LINE_INVALID_PROTOCOL",
        ResponseInvalidStatus = "RESPONSE_INVALID_STATUS",
        RequestLineIncomplete = "REQUEST_LINE_INCOMPLETE",
        DoubleEncodedUri = "DOUBLE_ENCODED_URI",
        RequestLineInvalid = "REQUEST_LINE_INVALID",
        RequestBodyUnexpected = "REQUEST_BODY_UNEXPECTED",
        ResponseBodyUnexpected = "RESPONSE_BODY_UNEXPECTED",
        CompressionBomb = "COMPRESSION_BOMB",
        CompressionBombLimitReached = "COMPRESSION_BOMB_LIMIT_REACHED",
        ContentLengthExtraDataStart = "CONTENT_LENGTH_EXTRA_DATA_START",
        ContentLengthExtraDataEnd = "CONTENT_LENGTH_EXTRA_DATA_END",
        SwitchingProtocolWithContentLength = "SWITCHING_PROTO_WITH_CONTENT_LENGTH",
        DeformedEol = "DEFORMED_EOL",
        RequestLineUnknownMethod = "REQUEST_LINE_UNKNOWN_METHOD",
        RequestLineUnknownMethodNoProtocol = "REQUEST_LINE_UNKNOWN_METHOD_NO_PROTOCOL",
        RequestLineUnknownMethodInvalidProtocol = "REQUEST_LINE_UNKNOWN_METHOD_INVALID_PROTOCOL",
        RequestLineMissingProtocol = "REQUEST_LINE_MISSING_PROTOCOL",
        ProtocolContainsExtraData = "PROTOCOL_CONTAINS_EXTRA_DATA",
        InvalidGap = "INVALID_GAP",
        RequestInvalidEmptyName = "REQUEST_INVALID_EMPTY_NAME",
        ResponseInvalidEmptyName = "RESPONSE_INVALID_EMPTY_NAME",
        RequestSpaceAfterName = "REQUEST_INVALID_LWS_AFTER_NAME",
        ResponseSpaceAfterName = "RESPONSE_INVALID_LWS_AFTER_NAME",
        MultipartNoFileData = "MULTIPART_NO_FILEDATA",
        MultipartInvalidHeader = "MULTIPART_INVALID_HEADER",
        RangeInvalid = "RANGE_INVALID",
        FileNameTooLong = "FILE_NAME_TOO_LONG",
    }
    // Rules may use these, too, which this parser has no reason to raise.
    reserved
        "UNKNOWN_ERROR",
        "GZIP_DECOMPRESSION_FAILED",
        "INVALID_TRANSFER_ENCODING_VALUE_IN_RESPONSE",
        "INVALID_SERVER_PORT_IN_REQUEST",
        "INVALID_AUTHORITY_PORT",
        "REQUEST_SERVER_PORT_TCP_PORT_MISMATCH",
        "LZMA_MEMLIMIT_REACHED",
        "MULTIPART_GENERIC_ERROR",
        "TOO_MANY_WARNINGS",
        "FAILED_PROTOCOL_CHANGE",
}

/// Names that rules have for those of other names in records.
pub(super) const ALIASES: &[(&str, &str)] =
    &[("RESPONSE_INVALID_PROTOCOL", "RESPONSE_LINE_INVALID_PROTOCOL")];

impl Oddity {
    /// Whether it is told of each time that an exchange has it, rather than once.
    pub(super) const fn recurs(self) -> bool {
        matches!(
            self,
            Self::RequestHeaderRepetition
                | Self::ResponseHeaderRepetition
                | Self::UriHostInvalid
                | Self::HeaderHostInvalid
                | Self::RequestBodyUnexpected
                | Self::InvalidGap
                | Self::MultipartInvalidHeader
                | Self::MultipartNoFileData
        )
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::Anomaly;

    use super::*;

    #[test]
    fn names_are_numbered_and_unique() {
        assert_eq!(Oddity::NAMES[Anomaly::from(Oddity::FileNameTooLong).0 as usize], "FILE_NAME_TOO_LONG");
        let mut names = Oddity::NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Oddity::NAMES.len());
    }
}
