//! Events of TCP packets, by the names that `stream-event` rules use.

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// An event of the stream engine.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum StreamEvent { $($(#[$doc])* $variant,)* }

        impl StreamEvent {
            /// All events.
            pub const ALL: &[StreamEvent] = &[$(StreamEvent::$variant,)*];

            /// The word of rules; with `stream.` before it, that of anomaly records and counters.
            pub const fn name(self) -> &'static str {
                match self { $(StreamEvent::$variant => $name,)* }
            }

            /// The event that rules call `name`, with or without `stream.` before it.
            pub fn by_name(name: &str) -> Option<StreamEvent> {
                match name.strip_prefix("stream.").unwrap_or(name) {
                    $($name => Some(StreamEvent::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

events! {
    /// A handshake's last ACK came from the server.
    HandshakeAckInWrongDirection => "3whs_ack_in_wrong_dir",
    /// One-sided handshake goes on with a wrong sequence number.
    HandshakeAsyncWrongSeq => "3whs_async_wrong_seq",
    /// The last ACK has the right sequence and a wrong acknowledgement number.
    HandshakeRightSeqWrongAckEvasion => "3whs_right_seq_wrong_ack_evasion",
    /// The client answers its own SYN.
    HandshakeSynAckInWrongDirection => "3whs_synack_in_wrong_direction",
    /// A second SYN/ACK acknowledges something else.
    HandshakeSynAckResendWithDifferentAck => "3whs_synack_resend_with_diff_ack",
    /// A second SYN/ACK has another sequence number.
    HandshakeSynAckResendWithDifferentSeq => "3whs_synack_resend_with_diff_seq",
    /// The client sends a SYN/ACK after the server's.
    HandshakeSynAckToServerOnSynRecv => "3whs_synack_toserver_on_syn_recv",
    /// The SYN/ACK does not acknowledge the SYN.
    HandshakeSynAckWithWrongAck => "3whs_synack_with_wrong_ack",
    /// Too many different SYN/ACKs.
    HandshakeSynAckFlood => "3whs_synack_flood",
    /// Another SYN after the SYN/ACK, with another sequence number.
    HandshakeSynResendDifferentSeqOnSynRecv => "3whs_syn_resend_diff_seq_on_syn_recv",
    /// The server sends a SYN after its SYN/ACK.
    HandshakeSynToClientOnSynRecv => "3whs_syn_toclient_on_syn_recv",
    /// The last ACK fits neither side.
    HandshakeWrongSeqWrongAck => "3whs_wrong_seq_wrong_ack",
    /// The server sends data before its SYN/ACK is acknowledged.
    HandshakeAckDataInject => "3whs_ack_data_inject",
    /// Too many different SYNs.
    HandshakeSynFlood => "3whs_syn_flood",
    /// The server did not take the data of a fast-open SYN.
    HandshakeSynAckFastOpenDataIgnored => "3whs_synack_tfo_data_ignored",
    /// Simultaneous open: the SYN/ACK does not acknowledge the other SYN.
    FourWaySynAckWithWrongAck => "4whs_synack_with_wrong_ack",
    /// Simultaneous open: the SYN/ACK has another sequence number than the SYN.
    FourWaySynAckWithWrongSyn => "4whs_synack_with_wrong_syn",
    /// Simultaneous open: the last ACK has a wrong sequence number.
    FourWayWrongSeq => "4whs_wrong_seq",
    /// Simultaneous open: the last ACK acknowledges what was not sent.
    FourWayInvalidAck => "4whs_invalid_ack",
    /// A packet beyond the window in CLOSE_WAIT.
    CloseWaitAckOutOfWindow => "closewait_ack_out_of_window",
    /// A FIN beyond the window in CLOSE_WAIT.
    CloseWaitFinOutOfWindow => "closewait_fin_out_of_window",
    /// A packet wholly before what was acknowledged, in CLOSE_WAIT.
    CloseWaitPacketBeforeLastAck => "closewait_pkt_before_last_ack",
    /// An impossible acknowledgement in CLOSE_WAIT.
    CloseWaitInvalidAck => "closewait_invalid_ack",
    /// An ACK with a wrong sequence number in CLOSING.
    ClosingAckWrongSeq => "closing_ack_wrong_seq",
    /// An impossible acknowledgement in CLOSING.
    ClosingInvalidAck => "closing_invalid_ack",
    /// A packet beyond the window.
    EstablishedPacketOutOfWindow => "est_packet_out_of_window",
    /// A packet wholly before what was acknowledged.
    EstablishedPacketBeforeLastAck => "est_pkt_before_last_ack",
    /// A SYN/ACK again after the handshake.
    EstablishedSynAckResend => "est_synack_resend",
    /// A SYN/ACK after the handshake that acknowledges something else.
    EstablishedSynAckResendWithDifferentAck => "est_synack_resend_with_diff_ack",
    /// A SYN/ACK after the handshake with another sequence number.
    EstablishedSynAckResendWithDifferentSeq => "est_synack_resend_with_diff_seq",
    /// A SYN/ACK from the client after the handshake.
    EstablishedSynAckToServer => "est_synack_toserver",
    /// The SYN again after the handshake.
    EstablishedSynResend => "est_syn_resend",
    /// Another SYN after the handshake.
    EstablishedSynResendDifferentSeq => "est_syn_resend_diff_seq",
    /// A SYN from the server after the handshake.
    EstablishedSynToClient => "est_syn_toclient",
    /// An impossible acknowledgement.
    EstablishedInvalidAck => "est_invalid_ack",
    /// The byte of a zero-window probe is acknowledged.
    EstablishedAckOfZeroWindowProbe => "est_ack_zwp_data",
    /// A FIN with an impossible acknowledgement.
    FinInvalidAck => "fin_invalid_ack",
    /// A packet beyond the window in FIN_WAIT1.
    Fin1AckWrongSeq => "fin1_ack_wrong_seq",
    /// A FIN with a wrong sequence number in FIN_WAIT1.
    Fin1FinWrongSeq => "fin1_fin_wrong_seq",
    /// An impossible acknowledgement in FIN_WAIT1.
    Fin1InvalidAck => "fin1_invalid_ack",
    /// A packet beyond the window in FIN_WAIT2.
    Fin2AckWrongSeq => "fin2_ack_wrong_seq",
    /// A FIN with a wrong sequence number in FIN_WAIT2.
    Fin2FinWrongSeq => "fin2_fin_wrong_seq",
    /// An impossible acknowledgement in FIN_WAIT2.
    Fin2InvalidAck => "fin2_invalid_ack",
    /// A FIN without a connection.
    FinButNoSession => "fin_but_no_session",
    /// A FIN beyond the window.
    FinOutOfWindow => "fin_out_of_window",
    /// SYN and FIN in one packet.
    FinSyn => "fin_syn",
    /// An ACK with a wrong sequence number in LAST_ACK.
    LastAckAckWrongSeq => "lastack_ack_wrong_seq",
    /// An impossible acknowledgement in LAST_ACK.
    LastAckInvalidAck => "lastack_invalid_ack",
    /// A RST without a connection.
    RstButNoSession => "rst_but_no_session",
    /// An ACK with a wrong sequence number in TIME_WAIT.
    TimeWaitAckWrongSeq => "timewait_ack_wrong_seq",
    /// An impossible acknowledgement in TIME_WAIT.
    TimeWaitInvalidAck => "timewait_invalid_ack",
    /// A SYN while the connection is being closed.
    ShutdownSynResend => "shutdown_syn_resend",
    /// A timestamp that runs backwards (RFC 7323, PAWS).
    PacketInvalidTimestamp => "pkt_invalid_timestamp",
    /// An acknowledgement of what cannot have been sent, or of what is long past.
    PacketInvalidAck => "pkt_invalid_ack",
    /// An acknowledgement number without the ACK flag.
    PacketBrokenAck => "pkt_broken_ack",
    /// A RST with an impossible acknowledgement.
    RstInvalidAck => "rst_invalid_ack",
    /// A RST with data, which no host takes, ends a connection.
    RstWithData => "rst_with_data",
    /// Data that was sent and acknowledged before.
    PacketRetransmission => "pkt_retransmission",
    /// Data sent again although its acknowledgement was seen.
    PacketSpuriousRetransmission => "pkt_spurious_retransmission",
    /// The window shrinks by more than was received.
    PacketBadWindowUpdate => "pkt_bad_window_update",
    /// A RST that its supposed sender's later packets contradict.
    SuspectedRstInject => "suspected_rst_inject",
    /// A packet handled by another worker than its flow's.
    WrongThread => "wrong_thread",
    /// A segment of which all was handled before.
    ReassemblySegmentBeforeBaseSeq => "reassembly_segment_before_base_seq",
    /// A segment could not be kept.
    ReassemblyNoSegment => "reassembly_no_segment",
    /// Bytes that were acknowledged were never seen.
    ReassemblySeqGap => "reassembly_seq_gap",
    /// Two segments have different bytes for the same place.
    ReassemblyOverlapDifferentData => "reassembly_overlap_different_data",
    /// The stream is longer than the inspected depth.
    ReassemblyDepthReached => "reassembly_depth_reached",
    /// A segment was not kept for lack of memory.
    ReassemblyInsertMemcap => "reassembly_insert_memcap",
    /// A segment was not kept because there are too many holes.
    ReassemblyInsertLimit => "reassembly_insert_limit",
    /// A segment lies outside of the stream.
    ReassemblyInsertInvalid => "reassembly_insert_invalid",
    /// More urgent bytes than are tracked.
    ReassemblyUrgentLimitReached => "reassembly_urgent_oob_limit_reached",
}

impl StreamEvent {
    /// Number of events.
    pub const COUNT: usize = Self::ALL.len();
}

#[cfg(test)]
mod tests {
    use super::StreamEvent;

    #[test]
    fn names_lead_back() {
        for (index, &event) in StreamEvent::ALL.iter().enumerate() {
            assert_eq!(event as usize, index);
            assert_eq!(StreamEvent::by_name(event.name()), Some(event));
            assert_eq!(StreamEvent::by_name(&format!("stream.{}", event.name())), Some(event));
        }
        assert_eq!(StreamEvent::by_name("nonsense"), None);
    }
}
