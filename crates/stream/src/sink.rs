//! Where reassembled bytes go.

use weir_base::Delivery;

/// Receives a stream in order, by direction: bytes, gaps and the end.
///
/// What is for Zeek's logs alone is delivered where the settings say so ([`crate::StreamSettings::tells_early`],
/// [`crate::StreamSettings::tells_beyond`]).
pub trait StreamSink {
    /// Takes the next piece.
    fn take(&mut self, delivery: Delivery<'_>);
}
