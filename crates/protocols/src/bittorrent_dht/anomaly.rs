//! Anomalies of messages.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum BittorrentDhtAnomaly {
        /// A datagram that begins like a message and is none.
        MalformedPacket = "malformed_packet",
    }
}
