//! Anomalies of an SSH conversation.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum SshAnomaly {
        /// A side does not begin with its version.
        InvalidBanner = "invalid_banner",
        /// A banner longer than banners may be.
        LongBanner = "long_banner",
        /// A record that makes no sense.
        InvalidRecord = "invalid_record",
        /// A list of algorithms too long to be read.
        LongKexRecord = "long_kex_record",
    }
}
