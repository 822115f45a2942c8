//! What can be wrong with an HTTP/1 exchange, by the names rules use
//! (`app-layer-event:http.<name>`).

use weir_applayer::Anomaly;

macro_rules! anomalies {
    ($($variant:ident = $name:literal,)* ; $($reserved:literal,)*) => {
        /// An oddity found while parsing.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(super) enum Oddity { $($variant),* }

        /// The names, by number; behind those of [`Oddity`] the ones that rules may use but that
        /// this parser has no reason to raise.
        pub(super) const NAMES: &[&str] = &[$($name,)* $($reserved),*];
    };
}

anomalies! {
    RequestFieldMissingColon = "request_field_missing_colon",
    ResponseFieldMissingColon = "response_field_missing_colon",
    InvalidRequestChunkLength = "invalid_request_chunk_len",
    InvalidResponseChunkLength = "invalid_response_chunk_len",
    RequestChunkExtension = "request_chunk_extension",
    ResponseChunkExtension = "response_chunk_extension",
    RequestTooManyHeaders = "request_too_many_headers",
    ResponseTooManyHeaders = "response_too_many_headers",
    InvalidTransferEncodingInRequest = "invalid_transfer_encoding_value_in_request",
    InvalidContentLengthInRequest = "invalid_content_length_field_in_request",
    InvalidContentLengthInResponse = "invalid_content_length_field_in_response",
    DuplicateContentLengthInRequest = "duplicate_content_length_field_in_request",
    DuplicateContentLengthInResponse = "duplicate_content_length_field_in_response",
    ContinueAlreadySeen = "100_continue_already_seen",
    UnableToMatchResponse = "unable_to_match_response_to_request",
    RequestHeaderInvalid = "request_header_invalid",
    ResponseHeaderInvalid = "response_header_invalid",
    MissingHostHeader = "missing_host_header",
    HostHeaderAmbiguous = "host_header_ambiguous",
    InvalidRequestFolding = "invalid_request_field_folding",
    InvalidResponseFolding = "invalid_response_field_folding",
    RequestFieldTooLong = "request_field_too_long",
    ResponseFieldTooLong = "response_field_too_long",
    UriHostInvalid = "uri_host_invalid",
    HeaderHostInvalid = "header_host_invalid",
    MethodDelimiter = "method_delim_non_compliant",
    UriDelimiter = "uri_delim_non_compliant",
    RequestLineLeadingWhitespace = "request_line_leading_whitespace",
    TooManyEncodingLayers = "too_many_encoding_layers",
    RequestTooManyLzmaLayers = "request_too_many_lzma_layers",
    ResponseTooManyLzmaLayers = "response_too_many_lzma_layers",
    AbnormalContentEncoding = "abnormal_ce_header",
    AuthorizationUnrecognized = "request_auth_unrecognized",
    RequestHeaderRepetition = "request_header_repetition",
    ResponseHeaderRepetition = "response_header_repetition",
    ResponseMultipartByteranges = "response_multipart_byteranges",
    ResponseAbnormalTransferEncoding = "response_abnormal_transfer_encoding",
    ResponseChunkedOldProtocol = "response_chunked_old_proto",
    ResponseInvalidProtocol = "response_invalid_protocol",
    ResponseInvalidStatus = "response_invalid_status",
    RequestLineIncomplete = "request_line_incomplete",
    DoubleEncodedUri = "double_encoded_uri",
    RequestLineInvalid = "request_line_invalid",
    RequestBodyUnexpected = "request_body_unexpected",
    ResponseBodyUnexpected = "response_body_unexpected",
    CompressionBomb = "compression_bomb",
    CompressionBombLimitReached = "compression_bomb_limit_reached",
    ContentLengthExtraDataStart = "content_length_extra_data_start",
    ContentLengthExtraDataEnd = "content_length_extra_data_end",
    SwitchingProtocolWithContentLength = "switching_proto_with_content_length",
    DeformedEol = "deformed_eol",
    RequestLineUnknownMethod = "request_line_unknown_method",
    RequestLineUnknownMethodNoProtocol = "request_line_unknown_method_no_protocol",
    RequestLineUnknownMethodInvalidProtocol = "request_line_unknown_method_invalid_protocol",
    RequestLineMissingProtocol = "request_line_missing_protocol",
    ProtocolContainsExtraData = "protocol_contains_extra_data",
    InvalidGap = "invalid_gap",
    RequestInvalidEmptyName = "request_invalid_empty_name",
    ResponseInvalidEmptyName = "response_invalid_empty_name",
    RequestSpaceAfterName = "request_invalid_lws_after_name",
    ResponseSpaceAfterName = "response_invalid_lws_after_name",
    MultipartNoFileData = "multipart_no_filedata",
    MultipartInvalidHeader = "multipart_invalid_header",
    RangeInvalid = "range_invalid",
    FileNameTooLong = "file_name_too_long",
    ;
    "unknown_error",
    "gzip_decompression_failed",
    "invalid_transfer_encoding_value_in_response",
    "invalid_server_port_in_request",
    "invalid_authority_port",
    "request_server_port_tcp_port_mismatch",
    "lzma_memlimit_reached",
    "multipart_generic_error",
    "too_many_warnings",
    "failed_protocol_change",
}

impl From<Oddity> for Anomaly {
    fn from(oddity: Oddity) -> Self {
        Anomaly(oddity as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_and_unique() {
        assert_eq!(NAMES[Anomaly::from(Oddity::FileNameTooLong).0 as usize], "file_name_too_long");
        let mut names = NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), NAMES.len());
    }
}
