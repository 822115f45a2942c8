//! Anomalies of a conversation, by the names of records; rules may spell them small
//! (`app-layer-event:smtp.<name>`).

use crate::mime::Flaw;

weir_applayer::anomalies! {
    /// An oddity found while parsing.
    pub(super) enum Oddity {
        InvalidReply = "INVALID_REPLY",
        InvalidPipelinedSequence = "INVALID_PIPELINED_SEQUENCE",
        NoServerWelcomeMessage = "NO_SERVER_WELCOME_MESSAGE",
        TlsRejected = "TLS_REJECTED",
        DataCommandRejected = "DATA_COMMAND_REJECTED",
        InvalidBase64 = "MIME_INVALID_BASE64",
        InvalidQuotedPrintable = "MIME_INVALID_QP",
        LongLine = "MIME_LONG_LINE",
        LongEncodedLine = "MIME_LONG_ENC_LINE",
        LongHeaderName = "MIME_LONG_HEADER_NAME",
        LongHeaderValue = "MIME_LONG_HEADER_VALUE",
        LongBoundary = "MIME_LONG_BOUNDARY",
        LongFileName = "MIME_LONG_FILENAME",
        DuplicateFields = "DUPLICATE_FIELDS",
        UnparsableContent = "UNPARSABLE_CONTENT",
        TruncatedLine = "TRUNCATED_LINE",
        InvalidBdat = "INVALID_BDAT",
    }
    // Rules may use these, too, but there is no reason to raise them, as users of such rules know it: a line over the
    // limit is a truncated one, a chunk's bytes are counted and cannot be too many, replies that nobody asked for are
    // passed over, any message is read to its end, and nothing stands against the change to TLS.
    reserved
        "BDAT_CHUNK_LEN_EXCEEDED",
        "UNABLE_TO_MATCH_REPLY_WITH_REQUEST",
        "MAX_COMMAND_LINE_LEN_EXCEEDED",
        "MAX_REPLY_LINE_LEN_EXCEEDED",
        "MIME_PARSE_FAILED",
        "MIME_MALFORMED_MSG",
        "MIME_BOUNDARY_TOO_LONG",
        "FAILED_PROTOCOL_CHANGE",
}

impl From<Flaw> for Oddity {
    fn from(flaw: Flaw) -> Self {
        match flaw {
            Flaw::InvalidBase64 => Self::InvalidBase64,
            Flaw::InvalidQuotedPrintable => Self::InvalidQuotedPrintable,
            Flaw::LongLine => Self::LongLine,
            Flaw::LongEncodedLine => Self::LongEncodedLine,
            Flaw::LongFieldName => Self::LongHeaderName,
            Flaw::LongFieldValue => Self::LongHeaderValue,
            Flaw::LongBoundary => Self::LongBoundary,
            Flaw::LongFileName => Self::LongFileName,
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::Anomaly;

    use super::*;

    #[test]
    fn names_are_numbered() {
        assert_eq!(Oddity::NAMES[Anomaly::from(Oddity::InvalidBdat).0 as usize], "INVALID_BDAT");
        assert_eq!(
            Oddity::NAMES[Anomaly::from(Oddity::from(Flaw::LongFileName)).0 as usize],
            "MIME_LONG_FILENAME"
        );
    }
}
