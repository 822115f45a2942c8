//! Traffic for the tests of all crates: frames layer by layer with right lengths
//! and checksums, whole TCP conversations, fragments, and capture files.
//!
//! ```
//! use weir_testkit::Frame;
//! let bytes = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1234, 53).payload(b"hello").build();
//! assert_eq!(bytes.len(), 14 + 20 + 8 + 5);
//! ```
//!
//! It knows none of the crates it tests. It panics where a test asks for nonsense.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod attacks;
pub mod capture_file;
pub mod checksum;
pub mod conversation;
pub mod disorder;
pub mod evasion;
pub mod folder;
pub mod fragments;
pub mod frame;
mod layer;
mod random;
pub mod wire;

pub use capture_file::{commented_pcapng, pcap, pcapng};
pub use conversation::{Conversation, Segment};
pub use disorder::Disorder;
pub use folder::TestFolder;
pub use fragments::{fragment_ipv4, fragment_ipv6};
pub use frame::{Frame, tcp_flags};
pub use random::Random;

use weir_base::Timestamp;

/// A frame and when it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedFrame {
    /// When.
    pub time: Timestamp,
    /// Bytes of the frame.
    pub bytes: Vec<u8>,
}

/// Frames of one conversation after the other, in the order of their times.
pub fn merged(conversations: impl IntoIterator<Item = Vec<TimedFrame>>) -> Vec<TimedFrame> {
    let mut frames: Vec<TimedFrame> = conversations.into_iter().flatten().collect();
    frames.sort_by_key(|frame| frame.time);
    frames
}
