//! Segments that one of the two, the host or who looks on, might not take.

use weir_base::Direction;

use super::{Step, StreamCase, Trick, ack, data, flagged};
use crate::frame::tcp_flags::{ACK, FIN, PSH, RST, SYN};

/// Reading of a server that has acknowledged or dropped a segment.
const GOOD: &[(&[&str], &str)] = &[(&[], "good")];

const SYNACK: Step = Step::new(Direction::ToClient, SYN | ACK, -1, "");

/// The cases.
pub const STREAMS: &[StreamCase] = &[
    StreamCase::new("in order", &[data(0, "go"), ack(2), data(2, "od"), ack(4)], GOOD),
    StreamCase::new("the end first", &[data(3, "d"), data(2, "o"), data(1, "o"), data(0, "g"), ack(4)], GOOD),
    StreamCase::new(
        "sent again with other bytes, before it is acknowledged",
        &[data(0, "good"), data(0, "evil"), ack(4)],
        &[(&["old-linux", "solaris", "hpux11", "last"], "evil"), (&[], "good")],
    )
    .tells(&["reassembly_overlap_different_data"]),
    StreamCase::new(
        "sent again with other bytes, after it was acknowledged",
        &[data(0, "go"), ack(2), data(0, "ev"), data(2, "od"), ack(4)],
        GOOD,
    )
    .tells(&["pkt_spurious_retransmission"]),
    StreamCase::new(
        "begins in what was acknowledged",
        &[data(0, "go"), ack(2), data(0, "evod"), ack(4)],
        GOOD,
    ),
    StreamCase::new("begins before the first byte", &[data(-2, "evgo"), data(2, "od"), ack(4)], GOOD),
    StreamCase::new("lies before the first byte", &[data(0, "good"), ack(4), data(-4, "evi")], GOOD)
        .tells(&["est_pkt_before_last_ack"]),
    StreamCase::new(
        "dies on its way",
        &[data(0, "evil").with(Trick::TimeToLive(1)), data(0, "good"), ack(4)],
        &[(&["old-linux", "solaris", "hpux11", "last"], "good"), (&[], "evil")],
    )
    .tells(&["reassembly_overlap_different_data"]),
    StreamCase::new(
        "bad checksum",
        &[data(0, "evil").with(Trick::BadChecksum), data(0, "good"), ack(4)],
        GOOD,
    ),
    StreamCase::new("beyond the window", &[data(100_000, "evil"), data(0, "good"), ack(4)], GOOD)
        .tells(&["est_packet_out_of_window"]),
    StreamCase::new(
        "acknowledges what was never sent",
        &[data(0, "evil").acks(1_000_000), data(0, "good"), ack(4)],
        GOOD,
    )
    .tells(&["est_invalid_ack", "pkt_invalid_ack"]),
    StreamCase::new("without an acknowledgement", &[flagged(PSH, 0, "evil"), data(0, "good"), ack(4)], GOOD),
    StreamCase::new("without a flag", &[flagged(0, 0, "evil"), data(0, "good"), ack(4)], GOOD),
    StreamCase::new("with a SYN", &[flagged(SYN, 0, "evil"), data(0, "good"), ack(4)], GOOD)
        .tells(&["est_syn_resend_diff_seq"]),
    StreamCase::new("with SYN and ACK", &[flagged(SYN | ACK, 0, "evil"), data(0, "good"), ack(4)], GOOD)
        .tells(&["est_synack_toserver"]),
    StreamCase::new("data on the SYN", &[flagged(SYN, -1, "evil"), SYNACK, data(0, "good"), ack(4)], GOOD),
    StreamCase::new(
        "data on the SYN/ACK",
        &[
            flagged(SYN, -1, ""),
            Step::new(Direction::ToClient, SYN | ACK, -1, "evil"),
            data(0, "good"),
            ack(4),
        ],
        GOOD,
    ),
    StreamCase::new(
        "another SYN with another number, that the server does not answer",
        &[flagged(SYN, -1, ""), flagged(SYN, 5000, ""), SYNACK, data(0, "good"), ack(4)],
        GOOD,
    ),
    StreamCase::new(
        "a SYN/ACK that the client does not answer",
        &[
            flagged(SYN, -1, ""),
            SYNACK,
            Step::new(Direction::ToClient, SYN | ACK, 5000, ""),
            data(0, "good"),
            ack(4),
        ],
        GOOD,
    )
    .tells(&["3whs_synack_resend_with_diff_seq"]),
    StreamCase::new(
        "a SYN/ACK of the client",
        &[flagged(SYN, -1, ""), flagged(SYN | ACK, 700, ""), SYNACK, data(0, "good"), ack(4)],
        GOOD,
    )
    .tells(&["3whs_synack_in_wrong_direction"]),
    StreamCase::new("reset before the window", &[flagged(RST, -50, ""), data(0, "good"), ack(4)], GOOD),
    StreamCase::new(
        "reset beyond the window",
        &[flagged(RST, 200_000, ""), data(0, "good"), ack(4)],
        &[(&["hpux11"], ""), (&[], "good")],
    ),
    StreamCase::new(
        "reset in the window",
        &[flagged(RST, 50, ""), data(0, "good"), ack(4)],
        &[(&["linux", "old-linux", "solaris", "hpux11"], ""), (&[], "good")],
    ),
    StreamCase::new(
        "reset with a bad checksum",
        &[flagged(RST, 0, "").with(Trick::BadChecksum), data(0, "good"), ack(4)],
        GOOD,
    ),
    StreamCase::new(
        "reset that acknowledges what was never sent",
        &[flagged(RST | ACK, 0, "").acks(1_000_000), data(0, "good"), ack(4)],
        GOOD,
    )
    .tells(&["rst_invalid_ack"]),
    StreamCase::new(
        "reset, then more",
        &[data(0, "good"), ack(4), flagged(RST, 4, ""), data(4, "evil")],
        GOOD,
    ),
    StreamCase::new(
        "reset in old time",
        &[flagged(RST, 0, "").with(Trick::Timestamp(10)), data(0, "good"), ack(4)],
        GOOD,
    )
    .with_timestamps()
    .tells(&["pkt_invalid_timestamp"]),
    StreamCase::new(
        "end beyond the window",
        &[flagged(FIN | ACK, 100_000, ""), data(0, "good"), ack(4)],
        GOOD,
    )
    .tells(&["fin_out_of_window"]),
    StreamCase::new(
        "end with a bad checksum",
        &[flagged(FIN | ACK, 0, "").with(Trick::BadChecksum), data(0, "good"), ack(4)],
        GOOD,
    ),
    StreamCase::new(
        "end that acknowledges what was never sent",
        &[flagged(FIN | ACK, 0, "").acks(1_000_000), data(0, "good"), ack(4)],
        GOOD,
    )
    .tells(&["fin_invalid_ack"]),
    StreamCase::new("end before its data", &[flagged(FIN | ACK, 4, ""), data(0, "good"), ack(5)], GOOD),
    StreamCase::new(
        "more after the end",
        &[data(0, "good"), flagged(FIN | ACK, 4, ""), data(5, "evil"), ack(5)],
        GOOD,
    ),
    StreamCase::new(
        "more after an end that is not acknowledged",
        &[data(0, "good"), flagged(FIN | ACK, 4, ""), data(4, "evil")],
        GOOD,
    ),
    StreamCase::new(
        "end that dies on its way",
        &[data(0, "go"), flagged(FIN | ACK, 2, "").with(Trick::TimeToLive(1)), data(2, "od"), ack(4)],
        GOOD,
    ),
    StreamCase::new(
        "end again, farther on",
        &[flagged(FIN | ACK, 0, "good"), flagged(FIN | ACK, 5, "evil"), ack(5)],
        GOOD,
    ),
    StreamCase::new(
        "begins and ends at once",
        &[flagged(SYN | FIN, 0, "evil"), data(0, "good"), ack(4)],
        GOOD,
    )
    .tells(&["fin_syn"]),
    StreamCase::new("old time", &[data(0, "evil").with(Trick::Timestamp(10)), data(0, "good"), ack(4)], GOOD)
        .with_timestamps()
        .tells(&["pkt_invalid_timestamp"]),
    StreamCase::new(
        "time one behind",
        &[data(0, "evil").with(Trick::Timestamp(999)), data(0, "good"), ack(4)],
        &[(&["linux"], "evil"), (&[], "good")],
    )
    .with_timestamps(),
    StreamCase::new(
        "probes of a closed window",
        &[
            ack(0).with(Trick::Window(0)),
            data(0, "g"),
            ack(0).with(Trick::Window(0)),
            data(0, "g"),
            ack(1),
            data(1, "ood"),
            ack(4),
        ],
        GOOD,
    ),
    StreamCase::new(
        "a byte before the next one to see who lives",
        &[data(0, "good"), ack(4), data(3, "X"), ack(4)],
        GOOD,
    ),
    StreamCase::new("acknowledged and never seen", &[data(0, "go"), data(4, "od"), ack(6)], GOOD)
        .tells(&["reassembly_seq_gap"]),
    StreamCase::new(
        "sent when its place was given up",
        &[data(0, "go"), data(6, "od"), ack(8), data(2, "evil"), ack(8)],
        GOOD,
    )
    .tells(&["reassembly_seq_gap", "pkt_spurious_retransmission"]),
];
