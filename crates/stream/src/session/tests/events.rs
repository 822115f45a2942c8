//! Each event, and a conversation that has it.

use crate::conversation::*;
use crate::event::StreamEvent::{self, *};
use crate::settings::StreamSettings;

const FIN_ACK: u8 = FIN | ACK;
const SYN_ACK: u8 = SYN | ACK;
const RST_ACK: u8 = RST | ACK;
/// Acknowledges what was never sent.
const NONSENSE: i64 = 1_000_000;
/// Beyond any window.
const FAR: i64 = 100_000;

/// The header of a TCP packet with a signature (RFC 2385).
const SIGNED: [u8; 40] = {
    let mut header = [0; 40];
    header[20] = 19;
    header[21] = 18;
    header
};

const fn client(
    flags: u8,
    seq: i64,
    ack: i64,
    payload: &'static [u8],
) -> (bool, u8, i64, i64, &'static [u8]) {
    (true, flags, seq, ack, payload)
}

const fn server(
    flags: u8,
    seq: i64,
    ack: i64,
    payload: &'static [u8],
) -> (bool, u8, i64, i64, &'static [u8]) {
    (false, flags, seq, ack, payload)
}

type Row = (bool, u8, i64, i64, &'static [u8]);

fn steps(rows: &[Row]) -> Vec<Step<'static>> {
    let direction = |from_client| if from_client { ToServer } else { ToClient };
    rows.iter()
        .map(|&(from, flags, seq, ack, payload)| step(direction(from), flags, seq, ack, payload))
        .collect()
}

fn fresh(rows: &[Row]) -> (Conversation, Vec<Step<'static>>) {
    (Conversation::new(|_| {}), steps(rows))
}

fn fresh_with(change: impl FnOnce(&mut StreamSettings), rows: &[Row]) -> (Conversation, Vec<Step<'static>>) {
    (Conversation::new(change), steps(rows))
}

fn after(rows: &[Row]) -> (Conversation, Vec<Step<'static>>) {
    (Conversation::established(|_| {}), steps(rows))
}

fn after_with(change: impl FnOnce(&mut StreamSettings), rows: &[Row]) -> (Conversation, Vec<Step<'static>>) {
    (Conversation::established(change), steps(rows))
}

/// Changes the last step.
fn last(
    (conversation, mut steps): (Conversation, Vec<Step<'static>>),
    change: impl FnOnce(&mut Step<'static>),
) -> (Conversation, Vec<Step<'static>>) {
    change(steps.last_mut().unwrap());
    (conversation, steps)
}

/// Changes all steps.
fn all(
    (conversation, mut steps): (Conversation, Vec<Step<'static>>),
    change: impl Fn(&mut Step<'static>),
) -> (Conversation, Vec<Step<'static>>) {
    steps.iter_mut().for_each(change);
    (conversation, steps)
}

/// A conversation, and the packets of which the last one has the event. None for what cannot be: a
/// flow lives on one worker.
fn conversation_with(event: StreamEvent) -> Option<(Conversation, Vec<Step<'static>>)> {
    let syn = client(SYN, -1, 0, b"");
    let synack = server(SYN_ACK, -1, 0, b"");
    let client_fin = client(FIN_ACK, 0, 0, b"");
    let server_fin = server(FIN_ACK, 0, 0, b"");
    let server_ack_of_fin = server(FIN_ACK, 0, 1, b"");
    let client_ack_of_fin = client(ACK, 0, 1, b"");
    let client_fin_too = client(FIN_ACK, 0, 1, b"");
    let four_way = [syn, server(SYN, -1, 0, b""), client(SYN_ACK, -1, 0, b"")];
    Some(match event {
        HandshakeAckInWrongDirection => fresh(&[syn, synack, server(ACK, 0, 0, b"")]),
        HandshakeAsyncWrongSeq => fresh_with(|s| s.async_oneside = true, &[syn, client(ACK, 5, 0, b"")]),
        HandshakeRightSeqWrongAckEvasion => fresh(&[syn, synack, client(ACK, 0, 50, b"")]),
        HandshakeSynAckInWrongDirection => fresh(&[syn, client(SYN_ACK, -1, 0, b"")]),
        HandshakeSynAckResendWithDifferentAck => fresh(&[syn, synack, server(SYN_ACK, -1, 7, b"")]),
        HandshakeSynAckResendWithDifferentSeq => fresh(&[syn, synack, server(SYN_ACK, 10, 0, b"")]),
        HandshakeSynAckToServerOnSynRecv => fresh(&[syn, synack, client(SYN_ACK, -1, 0, b"")]),
        HandshakeSynAckWithWrongAck => fresh(&[syn, server(SYN_ACK, -1, 5, b"")]),
        HandshakeSynAckFlood => fresh_with(
            |s| s.max_synack_queued = 1,
            &[syn, synack, server(SYN_ACK, 10, 0, b""), server(SYN_ACK, 20, 0, b"")],
        ),
        HandshakeSynResendDifferentSeqOnSynRecv => fresh(&[syn, synack, client(SYN, 77, 0, b"")]),
        HandshakeSynToClientOnSynRecv => fresh(&[syn, synack, server(SYN, -1, 0, b"")]),
        HandshakeWrongSeqWrongAck => fresh(&[syn, synack, client(ACK, 5, 50, b"")]),
        HandshakeAckDataInject => fresh(&[syn, synack, server(ACK, 0, 0, b"x")]),
        HandshakeSynFlood => {
            fresh_with(|s| s.max_syn_queued = 1, &[syn, client(SYN, 77, 0, b""), client(SYN, 99, 0, b"")])
        }
        HandshakeSynAckFastOpenDataIgnored => all(fresh(&[client(SYN, -1, 0, b"x"), synack]), |step| {
            step.tcp.options.fast_open = Some(b"cookie");
        }),
        FourWaySynAckWithWrongAck => fresh(&[syn, server(SYN, -1, 0, b""), client(SYN_ACK, -1, 9, b"")]),
        FourWaySynAckWithWrongSyn => fresh(&[syn, server(SYN, -1, 0, b""), client(SYN_ACK, 9, 0, b"")]),
        FourWayWrongSeq => fresh(&[&four_way[..], &[server(ACK, 9, 0, b"")]].concat()),
        FourWayInvalidAck => fresh(&[&four_way[..], &[server(ACK, 0, NONSENSE, b"")]].concat()),
        CloseWaitAckOutOfWindow => after(&[client_fin, server(ACK, FAR, 1, b"")]),
        CloseWaitFinOutOfWindow => after(&[client_fin, server(FIN_ACK, FAR, 1, b"")]),
        CloseWaitPacketBeforeLastAck => {
            after(&[server(ACK, 0, 0, b"data"), client(FIN_ACK, 0, 4, b""), server(ACK, 0, 1, b"data")])
        }
        CloseWaitInvalidAck => after(&[client_fin, server(ACK, 0, NONSENSE, b"")]),
        ClosingAckWrongSeq => after(&[server_fin, client_fin, client(ACK, 60, 1, b"")]),
        ClosingInvalidAck => after(&[server_fin, client_fin, client(ACK, 1, NONSENSE, b"")]),
        EstablishedPacketOutOfWindow => after(&[client(ACK, FAR, 0, b"far")]),
        EstablishedPacketBeforeLastAck => {
            after(&[client(ACK, 0, 0, b"data"), server(ACK, 0, 4, b""), client(ACK, 0, 0, b"dat")])
        }
        EstablishedSynAckResend => after(&[server(ACK, 0, 0, b""), synack]),
        EstablishedSynAckResendWithDifferentAck => after(&[server(SYN_ACK, -1, 7, b"")]),
        EstablishedSynAckResendWithDifferentSeq => after(&[server(SYN_ACK, 7, 0, b"")]),
        EstablishedSynAckToServer => after(&[client(SYN_ACK, -1, 0, b"")]),
        EstablishedSynResend => after(&[syn]),
        EstablishedSynResendDifferentSeq => after(&[client(SYN, 9, 0, b"")]),
        EstablishedSynToClient => after(&[server(SYN, -1, 0, b"")]),
        EstablishedInvalidAck | PacketInvalidAck => after(&[client(ACK, 0, NONSENSE, b"")]),
        EstablishedAckOfZeroWindowProbe => {
            let (conversation, mut steps) =
                after(&[server(ACK, 0, 0, b""), client(ACK, 0, 0, b"x"), server(ACK, 0, 1, b"")]);
            steps[0].tcp.window = 0;
            (conversation, steps)
        }
        FinInvalidAck => after(&[client(FIN_ACK, 0, NONSENSE, b"")]),
        Fin1AckWrongSeq => after(&[server_fin, client(ACK, FAR, 1, b"")]),
        Fin1FinWrongSeq => after(&[server_fin, client(FIN_ACK, FAR, 1, b"")]),
        Fin1InvalidAck => after(&[server_fin, client(ACK, 0, NONSENSE, b"")]),
        Fin2AckWrongSeq => after(&[server_fin, client_ack_of_fin, client(ACK, FAR, 1, b"")]),
        Fin2FinWrongSeq => after(&[server_fin, client_ack_of_fin, client(FIN_ACK, FAR, 1, b"")]),
        Fin2InvalidAck => after(&[server_fin, client_ack_of_fin, client(ACK, 0, NONSENSE, b"")]),
        FinButNoSession => fresh(&[client(FIN_ACK, 0, 0, b"")]),
        FinOutOfWindow => after(&[client(FIN_ACK, FAR, 0, b"")]),
        FinSyn => after(&[client(SYN | FIN_ACK, 0, 0, b"")]),
        LastAckAckWrongSeq => after(&[client_fin, server_ack_of_fin, client(ACK, 60, 1, b"")]),
        LastAckInvalidAck => after(&[client_fin, server_ack_of_fin, client(ACK, 1, NONSENSE, b"")]),
        RstButNoSession => fresh(&[client(RST, 0, 0, b"")]),
        TimeWaitAckWrongSeq => after(&[server_fin, client_fin_too, server(ACK, 60, 1, b"")]),
        TimeWaitInvalidAck => after(&[server_fin, client_fin_too, server(ACK, 1, NONSENSE, b"")]),
        ShutdownSynResend => after(&[client_fin, syn]),
        PacketInvalidTimestamp => {
            let rows = [syn, synack, client(ACK, 0, 0, b""), client(ACK, 0, 0, b"old")];
            let timed = all(fresh(&rows), |step| step.tcp.options.timestamp = Some((100, 0)));
            last(timed, |step| step.tcp.options.timestamp = Some((50, 0)))
        }
        PacketBrokenAck => last(after(&[client(0, 0, 0, b"")]), |step| step.tcp.ack = 1),
        RstInvalidAck => after(&[client(RST_ACK, 0, NONSENSE, b"")]),
        RstWithData => after(&[server(RST_ACK, 0, 0, b"no more")]),
        PacketRetransmission => {
            after(&[client(ACK, 0, 0, b"data"), server(FIN_ACK, 0, 2, b""), client(ACK, 0, 1, b"data")])
        }
        PacketSpuriousRetransmission => {
            after(&[client(ACK, 0, 0, b"data"), server(ACK, 0, 4, b""), client(ACK, 0, 0, b"data")])
        }
        PacketBadWindowUpdate => last(after(&[client(ACK, 10, 5, b"")]), |step| step.tcp.window = 9),
        SuspectedRstInject => last(after(&[client(RST_ACK, 0, 0, b"")]), |step| step.tcp.header = &SIGNED),
        WrongThread => return None,
        ReassemblySegmentBeforeBaseSeq => after_with(
            |s| s.raw = false,
            &[
                client(ACK, 0, 0, b"data"),
                server(ACK, 0, 4, b""),
                client(ACK, 4, 0, b""),
                client(ACK, 0, 0, b"data"),
            ],
        ),
        ReassemblyNoSegment | ReassemblyInsertMemcap => {
            after_with(|s| s.reassembly_memcap = 1, &[client(ACK, 0, 0, b"data")])
        }
        ReassemblySeqGap => {
            after(&[client(ACK, 0, 0, b"abc"), client(ACK, 6, 0, b"ghi"), server(ACK, 0, 9, b"")])
        }
        ReassemblyOverlapDifferentData => after(&[client(ACK, 0, 0, b"aa"), client(ACK, 0, 0, b"bb")]),
        ReassemblyDepthReached => after_with(|s| s.depth = 2, &[client(ACK, 0, 0, b"data")]),
        ReassemblyInsertLimit => all(
            fresh_with(
                |s| s.max_regions = 1,
                &[
                    syn,
                    synack,
                    client(ACK, 0, 0, b""),
                    server(ACK, 0, 0, b""),
                    client(ACK, 1, 0, b"a"),
                    client(ACK, 1_000_000, 0, b"b"),
                ],
            ),
            |step| step.tcp.options.window_scale = Some(14),
        ),
        ReassemblyInsertInvalid => fresh_with(
            |s| (s.midstream, s.depth) = (true, 0),
            &[client(ACK, 0, 0, b"x"), client(ACK, 1_500_000_000, 0, b"x")],
        ),
        ReassemblyUrgentLimitReached => {
            let urgent = |place: i64| {
                let mut urgent = step(ToServer, ACK | 0x20, place, 0, b"u");
                urgent.tcp.urgent = 1;
                [urgent, step(ToClient, ACK, 0, place + 1, b"")]
            };
            let mut steps: Vec<_> = (0..=i64::from(u16::MAX)).flat_map(urgent).collect();
            steps.pop();
            (Conversation::established(|_| {}), steps)
        }
    })
}

#[test]
fn each_event_is_found() {
    for &event in StreamEvent::ALL {
        let Some((mut conversation, steps)) = conversation_with(event) else { continue };
        let (last, before) = steps.split_last().unwrap();
        for &step in before {
            let outcome = conversation.take(step);
            assert!(!outcome.events.contains(event), "{} is early", event.name());
        }
        let outcome = conversation.take(*last);
        let found: Vec<_> = outcome.events.iter().map(StreamEvent::name).collect();
        assert!(outcome.events.contains(event), "{} is not in {found:?}", event.name());
        assert_eq!(conversation.shared.events.of(event), 1, "{} is counted", event.name());
    }
}
