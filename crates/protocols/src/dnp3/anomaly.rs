//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Dnp3Anomaly {
    /// Too many messages at once.
    Flooded,
    /// A frame is shorter than its own header, or than that of the message that it begins.
    LengthTooSmall,
    /// The checksum of a frame's header is wrong.
    BadLinkCrc,
    /// A checksum of what a frame carries is wrong.
    BadTransportCrc,
    /// A message is shorter than its header, or longer than any that is read.
    Malformed,
    /// Object of an unknown group or variation, or cut short.
    UnknownObject,
    /// A message has more points than are read.
    TooManyPoints,
    /// A message has more objects than are read.
    TooManyObjects,
}

/// Names of [`Dnp3Anomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "flooded",
    "len_too_small",
    "bad_link_crc",
    "bad_transport_crc",
    "malformed",
    "unknown_object",
    "too_many_points",
    "too_many_objects",
];

impl From<Dnp3Anomaly> for Anomaly {
    fn from(anomaly: Dnp3Anomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
