//! Anomalies of a conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum Dnp3Anomaly {
        /// Too many messages at once.
        Flooded = "flooded",
        /// A frame is shorter than its own header, or than that of the message that it begins.
        LengthTooSmall = "len_too_small",
        /// The checksum of a frame's header is wrong.
        BadLinkCrc = "bad_link_crc",
        /// A checksum of what a frame carries is wrong.
        BadTransportCrc = "bad_transport_crc",
        /// A message is shorter than its header, or longer than any that is read.
        Malformed = "malformed",
        /// Object of an unknown group or variation, or cut short.
        UnknownObject = "unknown_object",
        /// A message has more points than are read.
        TooManyPoints = "too_many_points",
        /// A message has more objects than are read.
        TooManyObjects = "too_many_objects",
    }
}
