//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum Dnp3Anomaly {
        /// Too many messages at once.
        Flooded = "FLOODED",
        /// A frame is shorter than its own header, or than that of the message that it begins.
        LengthTooSmall = "LEN_TOO_SMALL",
        /// The checksum of a frame's header is wrong.
        BadLinkCrc = "BAD_LINK_CRC",
        /// A checksum of what a frame carries is wrong.
        BadTransportCrc = "BAD_TRANSPORT_CRC",
        /// A message is shorter than its header, or longer than any that is read.
        Malformed = "MALFORMED",
        /// Object of an unknown group or variation, or cut short.
        UnknownObject = "UNKNOWN_OBJECT",
        /// A message has more points than are read.
        TooManyPoints = "TOO_MANY_POINTS",
        /// A message has more objects than are read.
        TooManyObjects = "TOO_MANY_OBJECTS",
    }
}
