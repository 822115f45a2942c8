//! Anomalies of a frame.

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum WebSocketAnomaly {
        /// The payload is longer than what is looked at.
        SkipEndOfPayload = "skip_end_of_payload",
        /// The message is longer than what is put together, or too many frames came at once.
        ReassemblyLimitReached = "reassembly_limit_reached",
    }
}
