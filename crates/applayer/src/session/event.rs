//! Oddities of a flow's protocol as a whole, rather than of a transaction.

use crate::protocol::Protocol;
use crate::transaction::Anomaly;

/// Something odd about which protocols a flow speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum FlowEvent {
    /// The two sides speak different protocols.
    MismatchProtocolBothDirections,
    /// The side that should have waited spoke first.
    WrongDirectionFirstData,
    /// One side's protocol was recognised, the other's was not.
    DetectProtocolOnlyOneDirection,
    /// Recognition was given up because one side never said enough.
    ProtoDetectionSkipped,
    /// After a successful STARTTLS there was no TLS.
    NoTlsAfterStarttls,
    /// Another protocol than the announced one followed.
    UnexpectedProtocol,
    /// There was no memory for more of what the flow's protocol needs.
    MemcapReached,
}

impl FlowEvent {
    /// All of them.
    pub const ALL: [FlowEvent; 7] = [
        FlowEvent::MismatchProtocolBothDirections,
        FlowEvent::WrongDirectionFirstData,
        FlowEvent::DetectProtocolOnlyOneDirection,
        FlowEvent::ProtoDetectionSkipped,
        FlowEvent::NoTlsAfterStarttls,
        FlowEvent::UnexpectedProtocol,
        FlowEvent::MemcapReached,
    ];

    /// The name after `app-layer-event:`.
    pub const fn name(self) -> &'static str {
        match self {
            FlowEvent::MismatchProtocolBothDirections => "applayer_mismatch_protocol_both_directions",
            FlowEvent::WrongDirectionFirstData => "applayer_wrong_direction_first_data",
            FlowEvent::DetectProtocolOnlyOneDirection => "applayer_detect_protocol_only_one_direction",
            FlowEvent::ProtoDetectionSkipped => "applayer_proto_detection_skipped",
            FlowEvent::NoTlsAfterStarttls => "applayer_no_tls_after_starttls",
            FlowEvent::UnexpectedProtocol => "applayer_unexpected_protocol",
            FlowEvent::MemcapReached => "applayer_memcap_reached",
        }
    }

    /// `event` in EVE's anomaly records.
    pub const fn eve_name(self) -> &'static str {
        match self {
            FlowEvent::MismatchProtocolBothDirections => "APPLAYER_MISMATCH_PROTOCOL_BOTH_DIRECTIONS",
            FlowEvent::WrongDirectionFirstData => "APPLAYER_WRONG_DIRECTION_FIRST_DATA",
            FlowEvent::DetectProtocolOnlyOneDirection => "APPLAYER_DETECT_PROTOCOL_ONLY_ONE_DIRECTION",
            FlowEvent::ProtoDetectionSkipped => "APPLAYER_PROTO_DETECTION_SKIPPED",
            FlowEvent::NoTlsAfterStarttls => "APPLAYER_NO_TLS_AFTER_STARTTLS",
            FlowEvent::UnexpectedProtocol => "APPLAYER_UNEXPECTED_PROTOCOL",
            FlowEvent::MemcapReached => "APPLAYER_MEMCAP_REACHED",
        }
    }

    /// The event of this name, in either case.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name().eq_ignore_ascii_case(name))
    }
}

/// An anomaly that a parser found outside of any transaction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ParserAnomaly {
    /// The parser's protocol.
    pub protocol: &'static Protocol,
    /// The anomaly.
    pub anomaly: Anomaly,
}

impl ParserAnomaly {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.protocol.anomalies.get(usize::from(self.anomaly.0)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::FlowEvent;

    #[test]
    fn names_are_found_again() {
        for event in FlowEvent::ALL {
            assert_eq!(FlowEvent::by_name(event.eve_name()), Some(event));
        }
        assert_eq!(FlowEvent::by_name("applayer"), None);
    }
}
