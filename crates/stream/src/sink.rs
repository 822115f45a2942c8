//! Where reassembled bytes go.

use weir_base::Delivery;

/// Receives a stream in order, by direction: bytes, gaps and the end.
///
/// Bytes for Zeek's logs alone are delivered where the settings say so ([`crate::StreamSettings::tells_early`],
/// [`crate::StreamSettings::tells_beyond`]).
pub trait StreamSink {
    /// Takes the next piece.
    fn take(&mut self, delivery: Delivery<'_>);
}
