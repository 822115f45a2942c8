//! Counters of the stream engine, by the names users graph.

use crate::event::StreamEvent;
use crate::state::TcpState;

weir_base::counters! {
    /// Counters of one worker's streams.
    pub struct StreamCounters {
        /// Sessions begun.
        sessions => "tcp.sessions",
        /// Sessions not begun for lack of memory.
        session_memcap_drop => "tcp.ssn_memcap_drop",
        /// Sessions alive.
        active_sessions => "tcp.active_sessions",
        /// Packets made up to finish a session.
        pseudo => "tcp.pseudo",
        /// Pseudo packets that could not be made.
        pseudo_failed => "tcp.pseudo_failed",
        /// Packets with a wrong checksum.
        invalid_checksum => "tcp.invalid_checksum",
        /// SYN packets.
        syn => "tcp.syn",
        /// SYN/ACK packets.
        synack => "tcp.synack",
        /// RST packets.
        rst => "tcp.rst",
        /// URG packets.
        urg => "tcp.urg",
        /// Urgent bytes taken out of streams.
        urgent_oob_data => "tcp.urgent_oob_data",
        /// Sessions picked up after their handshake.
        midstream_pickups => "tcp.midstream_pickups",
        /// Packets on another worker than their flow.
        packet_on_wrong_thread => "tcp.pkt_on_wrong_thread",
        /// Acknowledgements of bytes that were not seen.
        ack_unseen_data => "tcp.ack_unseen_data",
        /// Segments not kept for lack of memory.
        segment_memcap_drop => "tcp.segment_memcap_drop",
        /// Segments given from the pool.
        segment_from_cache => "tcp.segment_from_cache",
        /// Segments newly allocated.
        segment_from_pool => "tcp.segment_from_pool",
        /// Directions that reached their depth.
        stream_depth_reached => "tcp.stream_depth_reached",
        /// Missing pieces.
        reassembly_gap => "tcp.reassembly_gap",
        /// Overlapping segments.
        overlap => "tcp.overlap",
        /// Overlapping segments with different bytes.
        overlap_diff_data => "tcp.overlap_diff_data",
        /// Segments that could not be put into the list for lack of memory or regions.
        insert_data_normal_fail => "tcp.insert_data_normal_fail",
        /// Overlapping segments that could not be put into the list.
        insert_data_overlap_fail => "tcp.insert_data_overlap_fail",
        /// Bytes of sessions.
        memuse => "tcp.memuse",
        /// Bytes of reassembly.
        reassembly_memuse => "tcp.reassembly_memuse",
        /// Sessions that ended without one.
        end_none => "flow.end.tcp_state.none",
        /// Sessions that ended after a SYN.
        end_syn_sent => "flow.end.tcp_state.syn_sent",
        /// Sessions that ended after a SYN/ACK.
        end_syn_recv => "flow.end.tcp_state.syn_recv",
        /// Sessions that ended established.
        end_established => "flow.end.tcp_state.established",
        /// Sessions that ended in FIN_WAIT1.
        end_fin_wait1 => "flow.end.tcp_state.fin_wait1",
        /// Sessions that ended in FIN_WAIT2.
        end_fin_wait2 => "flow.end.tcp_state.fin_wait2",
        /// Sessions that ended in TIME_WAIT.
        end_time_wait => "flow.end.tcp_state.time_wait",
        /// Sessions that ended in LAST_ACK.
        end_last_ack => "flow.end.tcp_state.last_ack",
        /// Sessions that ended in CLOSE_WAIT.
        end_close_wait => "flow.end.tcp_state.close_wait",
        /// Sessions that ended in CLOSING.
        end_closing => "flow.end.tcp_state.closing",
        /// Sessions that ended closed.
        end_closed => "flow.end.tcp_state.closed",
    }
}

impl StreamCounters {
    /// Counts the end of a session in `state`; [`TcpState::None`] where memory was too short for one.
    pub const fn count_end(&mut self, state: TcpState) {
        let counter = match state {
            TcpState::None => &mut self.end_none,
            TcpState::SynSent => &mut self.end_syn_sent,
            TcpState::SynRecv => &mut self.end_syn_recv,
            TcpState::Established => &mut self.end_established,
            TcpState::FinWait1 => &mut self.end_fin_wait1,
            TcpState::FinWait2 => &mut self.end_fin_wait2,
            TcpState::TimeWait => &mut self.end_time_wait,
            TcpState::LastAck => &mut self.end_last_ack,
            TcpState::CloseWait => &mut self.end_close_wait,
            TcpState::Closing => &mut self.end_closing,
            TcpState::Closed => &mut self.end_closed,
        };
        *counter += 1;
    }
}

/// Where the bytes of streams went. Once the sessions are released, `bytes` is the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamAccount {
    /// From the first byte to the last one seen or acknowledged, in each direction.
    pub bytes: u64,
    /// Handed to the sink.
    pub inspected: u64,
    /// Left out: beyond the depth, or nobody wanted them any more.
    pub skipped: u64,
    /// Never seen, or too late.
    pub missing: u64,
}

/// Counts of each event (`stream.*` counters), by the event's number.
#[derive(Clone, Debug)]
pub struct EventCounters([u64; StreamEvent::COUNT]);

impl Default for EventCounters {
    fn default() -> Self {
        Self([0; StreamEvent::COUNT])
    }
}

impl EventCounters {
    /// Counts one.
    pub(crate) fn count(&mut self, event: StreamEvent) {
        if let Some(counter) = self.0.get_mut(event as usize) {
            *counter += 1;
        }
    }

    /// Returns the count of `event`.
    pub fn of(&self, event: StreamEvent) -> u64 {
        self.0.get(event as usize).copied().unwrap_or(0)
    }
}

impl weir_base::Counters for EventCounters {
    fn visit(&self, visitor: &mut dyn weir_base::CounterVisitor) {
        let mut name = String::new();
        for (&event, &count) in StreamEvent::ALL.iter().zip(&self.0) {
            name.clear();
            name.push_str("stream.");
            name.push_str(event.name());
            visitor.counter(&name, count);
        }
    }
}
