//! Another connection between the ends of one that is known: by its SYN, which has another sequence number, or comes
//! behind the end.

use weir_base::Duration;
use weir_packet::Tcp;

use super::tcp::{State, TcpConnection};

/// Time behind the end of a connection in which another one comes early.
const LINGER: Duration = Duration::from_secs(5);

impl TcpConnection {
    /// Whether a segment begins another connection, `silence` after the last one of this; within, the weird of that.
    pub(super) fn reuse(&self, flags: u8, seq: u32, silence: Duration) -> Option<Option<&'static str>> {
        if flags & Tcp::SYN == 0 {
            return None;
        }
        let (originator, responder) = (&self.originator, &self.responder);
        let answers = flags & Tcp::ACK != 0;
        // An answer begins a connection of which nothing else was seen.
        if answers && originator.state != State::Inactive {
            return None;
        }
        let begun = if answers { responder } else { originator };
        if originator.closed && responder.closed {
            let is_early = silence < LINGER && !self.is_reset();
            return Some(is_early.then_some("premature_connection_reuse"));
        }
        let is_late = !answers
            && begun.state == State::SynAckSent
            && responder.state == State::Inactive
            && seq == responder.start;
        if seq == begun.start || is_late {
            return None;
        }
        let is_attempt = begun.state == State::SynSent;
        Some(Some(if is_attempt { "SYN_seq_jump" } else { "active_connection_reuse" }))
    }
}
