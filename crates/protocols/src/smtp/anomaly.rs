//! Anomalies of a conversation, by the names of records; rules may spell them small
//! (`app-layer-event:smtp.<name>`).

use weir_applayer::Anomaly;

use crate::mime::Flaw;

/// An oddity found while parsing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Oddity {
    InvalidReply,
    InvalidPipelinedSequence,
    NoServerWelcomeMessage,
    TlsRejected,
    DataCommandRejected,
    InvalidBase64,
    InvalidQuotedPrintable,
    LongLine,
    LongEncodedLine,
    LongHeaderName,
    LongHeaderValue,
    LongBoundary,
    LongFileName,
    DuplicateFields,
    UnparsableContent,
    TruncatedLine,
    InvalidBdat,
}

/// The names, by number; behind those of [`Oddity`] the ones that rules may use but that there is no reason to
/// raise, as users of such rules know it: a line over the limit is a truncated one, a chunk's bytes are counted
/// and cannot be too many, replies that nobody asked for are passed over, any message is read to its end, and
/// nothing stands against the change to TLS.
pub(super) const NAMES: &[&str] = &[
    "INVALID_REPLY",
    "INVALID_PIPELINED_SEQUENCE",
    "NO_SERVER_WELCOME_MESSAGE",
    "TLS_REJECTED",
    "DATA_COMMAND_REJECTED",
    "MIME_INVALID_BASE64",
    "MIME_INVALID_QP",
    "MIME_LONG_LINE",
    "MIME_LONG_ENC_LINE",
    "MIME_LONG_HEADER_NAME",
    "MIME_LONG_HEADER_VALUE",
    "MIME_LONG_BOUNDARY",
    "MIME_LONG_FILENAME",
    "DUPLICATE_FIELDS",
    "UNPARSABLE_CONTENT",
    "TRUNCATED_LINE",
    "INVALID_BDAT",
    "BDAT_CHUNK_LEN_EXCEEDED",
    "UNABLE_TO_MATCH_REPLY_WITH_REQUEST",
    "MAX_COMMAND_LINE_LEN_EXCEEDED",
    "MAX_REPLY_LINE_LEN_EXCEEDED",
    "MIME_PARSE_FAILED",
    "MIME_MALFORMED_MSG",
    "MIME_BOUNDARY_TOO_LONG",
    "FAILED_PROTOCOL_CHANGE",
];

impl From<Oddity> for Anomaly {
    fn from(oddity: Oddity) -> Self {
        Anomaly(oddity as u8)
    }
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
    use super::*;

    #[test]
    fn names_are_numbered() {
        assert_eq!(NAMES[Anomaly::from(Oddity::InvalidBdat).0 as usize], "INVALID_BDAT");
        assert_eq!(NAMES[Anomaly::from(Oddity::from(Flaw::LongFileName)).0 as usize], "MIME_LONG_FILENAME");
    }
}
