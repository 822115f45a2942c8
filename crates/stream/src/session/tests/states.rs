//! Events and states by conversation.

use crate::conversation::*;
use crate::event::StreamEvent::{self, *};
use crate::outcome::StreamException;
use crate::policy::OverlapPolicy;
use crate::settings::StreamSettings;
use crate::state::{Phase, TcpState};

/// Sends `steps` after `prepare`; the events of the last step and the state after it.
fn check(
    name: &str,
    mut conversation: Conversation,
    steps: &[Step<'_>],
    events: &[StreamEvent],
    state: TcpState,
) {
    let mut outcome = Default::default();
    for &step in steps {
        outcome = conversation.take(step);
    }
    assert_eq!(outcome.events.iter().collect::<Vec<_>>(), events, "{name}");
    assert_eq!(conversation.session.state(), state, "{name}");
}

fn fresh() -> Conversation {
    Conversation::new(|_| {})
}

fn after_handshake() -> Conversation {
    Conversation::established(|_| {})
}

#[test]
fn handshakes() {
    /// Far enough for the client's sequence numbers to be past zero.
    const LOW: i64 = 1 << 31;
    let syn = step(ToServer, SYN, -1, 0, b"");
    let synack = step(ToClient, SYN | ACK, -1, 0, b"");
    let cases: &[(&str, &[Step<'_>], &[StreamEvent], TcpState)] = &[
        ("syn", &[syn], &[], TcpState::SynSent),
        ("syn again", &[syn, syn], &[], TcpState::SynSent),
        ("synack", &[syn, synack], &[], TcpState::SynRecv),
        ("ack", &[syn, synack, step(ToServer, ACK, 0, 0, b"")], &[], TcpState::Established),
        ("ack with data", &[syn, synack, step(ToServer, ACK, 0, 0, b"hi")], &[], TcpState::Established),
        (
            "data of a client that nobody answers",
            &[syn, step(ToServer, ACK, 0, 0, b"data")],
            &[PacketSpuriousRetransmission],
            TcpState::SynSent,
        ),
        (
            "the same, from a low number",
            &[step(ToServer, SYN, LOW, 0, b""), step(ToServer, ACK, LOW + 1, 0, b"data")],
            &[],
            TcpState::SynSent,
        ),
        ("rst only", &[step(ToServer, RST, 0, 0, b"")], &[RstButNoSession], TcpState::None),
        ("fin only", &[step(ToServer, FIN | ACK, 0, 0, b"")], &[FinButNoSession], TcpState::None),
        ("midstream off", &[step(ToServer, ACK, 0, 0, b"data")], &[], TcpState::None),
        ("refused", &[syn, step(ToClient, RST | ACK, -1, 0, b"")], &[], TcpState::Closed),
        (
            "synack wrong ack",
            &[syn, step(ToClient, SYN | ACK, -1, 5, b"")],
            &[HandshakeSynAckWithWrongAck],
            TcpState::SynSent,
        ),
        (
            "synack by the client",
            &[syn, step(ToServer, SYN | ACK, -1, 0, b"")],
            &[HandshakeSynAckInWrongDirection],
            TcpState::SynSent,
        ),
        (
            "synack to the server",
            &[syn, synack, step(ToServer, SYN | ACK, -1, 0, b"")],
            &[HandshakeSynAckToServerOnSynRecv],
            TcpState::SynRecv,
        ),
        (
            "another synack",
            &[syn, synack, step(ToClient, SYN | ACK, 10, 0, b"")],
            &[HandshakeSynAckResendWithDifferentSeq],
            TcpState::SynRecv,
        ),
        (
            "another synack is taken",
            &[syn, synack, step(ToClient, SYN | ACK, 10, 0, b""), step(ToServer, ACK, 0, 11, b"")],
            &[],
            TcpState::Established,
        ),
        (
            "syn of the server late",
            &[syn, synack, step(ToClient, SYN, -1, 0, b"")],
            &[HandshakeSynToClientOnSynRecv],
            TcpState::SynRecv,
        ),
        (
            "other syn late",
            &[syn, synack, step(ToServer, SYN, 77, 0, b"")],
            &[HandshakeSynResendDifferentSeqOnSynRecv],
            TcpState::SynRecv,
        ),
        (
            "other syn is taken",
            &[syn, step(ToServer, SYN, 77, 0, b""), step(ToClient, SYN | ACK, -1, 78, b"")],
            &[],
            TcpState::SynRecv,
        ),
        (
            "ack from the server",
            &[syn, synack, step(ToClient, ACK, 0, 0, b"")],
            &[HandshakeAckInWrongDirection],
            TcpState::SynRecv,
        ),
        (
            "data from the server",
            &[syn, synack, step(ToClient, ACK, 0, 0, b"inject")],
            &[HandshakeAckDataInject],
            TcpState::SynRecv,
        ),
        (
            "client's ack lost",
            &[syn, synack, step(ToClient, ACK, 0, 20, b"reply")],
            &[],
            TcpState::Established,
        ),
        (
            "right seq wrong ack",
            &[syn, synack, step(ToServer, ACK, 0, 50, b"")],
            &[HandshakeRightSeqWrongAckEvasion],
            TcpState::SynRecv,
        ),
        (
            "wrong seq wrong ack",
            &[syn, synack, step(ToServer, ACK, 5, 50, b"")],
            &[HandshakeWrongSeqWrongAck],
            TcpState::SynRecv,
        ),
        ("first data lost", &[syn, synack, step(ToServer, ACK, 5, 0, b"rest")], &[], TcpState::Established),
        ("syn and fin", &[step(ToServer, SYN | FIN, -1, 0, b"")], &[FinButNoSession], TcpState::None),
        (
            "four ways",
            &[
                syn,
                step(ToClient, SYN, -1, 0, b""),
                step(ToServer, SYN | ACK, -1, 0, b""),
                step(ToClient, ACK, 0, 0, b""),
            ],
            &[],
            TcpState::Established,
        ),
        (
            "four ways, wrong ack",
            &[syn, step(ToClient, SYN, -1, 0, b""), step(ToServer, SYN | ACK, -1, 9, b"")],
            &[FourWaySynAckWithWrongAck],
            TcpState::SynSent,
        ),
        (
            "four ways, wrong syn",
            &[syn, step(ToClient, SYN, -1, 0, b""), step(ToServer, SYN | ACK, 9, 0, b"")],
            &[FourWaySynAckWithWrongSyn],
            TcpState::SynSent,
        ),
    ];
    for (name, steps, events, state) in cases {
        check(name, fresh(), steps, events, *state);
    }
}

#[test]
fn established() {
    let syn = step(ToServer, SYN, -1, 0, b"");
    let cases: &[(&str, &[Step<'_>], &[StreamEvent], TcpState)] = &[
        ("syn again", &[syn], &[EstablishedSynResend], TcpState::Established),
        (
            "other syn",
            &[step(ToServer, SYN, 9, 0, b"")],
            &[EstablishedSynResendDifferentSeq],
            TcpState::Established,
        ),
        (
            "syn of the server",
            &[step(ToClient, SYN, -1, 0, b"")],
            &[EstablishedSynToClient],
            TcpState::Established,
        ),
        ("synack again", &[step(ToClient, SYN | ACK, -1, 0, b"")], &[], TcpState::Established),
        (
            "synack after data",
            &[step(ToServer, ACK, 0, 0, b"data"), step(ToClient, SYN | ACK, -1, 0, b"")],
            &[],
            TcpState::Established,
        ),
        (
            "synack after the server went on",
            &[step(ToClient, ACK, 0, 0, b""), step(ToClient, SYN | ACK, -1, 0, b"")],
            &[EstablishedSynAckResend],
            TcpState::Established,
        ),
        (
            "synack of the client",
            &[step(ToServer, SYN | ACK, -1, 0, b"")],
            &[EstablishedSynAckToServer],
            TcpState::Established,
        ),
        (
            "synack, other seq",
            &[step(ToClient, SYN | ACK, 7, 0, b"")],
            &[EstablishedSynAckResendWithDifferentSeq],
            TcpState::Established,
        ),
        (
            "synack, other ack",
            &[step(ToClient, SYN | ACK, -1, 7, b"")],
            &[EstablishedSynAckResendWithDifferentAck],
            TcpState::Established,
        ),
        (
            "impossible ack",
            &[step(ToServer, ACK, 0, 1_000_000, b"")],
            &[PacketInvalidAck, EstablishedInvalidAck],
            TcpState::Established,
        ),
        (
            "ahead of the window",
            &[step(ToServer, ACK, 100_000, 0, b"far")],
            &[EstablishedPacketOutOfWindow],
            TcpState::Established,
        ),
        (
            "before the last ack",
            &[
                step(ToServer, ACK, 0, 0, b"0123456789"),
                step(ToClient, ACK, 0, 10, b""),
                step(ToServer, ACK, 0, 0, b"012"),
            ],
            &[PacketSpuriousRetransmission, EstablishedPacketBeforeLastAck],
            TcpState::Established,
        ),
        ("keep-alive", &[step(ToServer, ACK, -1, 0, b"")], &[], TcpState::Established),
        ("no ack flag", &[step(ToServer, 0, 0, 0, b"")], &[], TcpState::Established),
        ("rst", &[step(ToServer, RST, 0, 0, b"")], &[], TcpState::Closed),
        ("rst elsewhere", &[step(ToServer, RST, 50, 0, b"")], &[], TcpState::Established),
        (
            "rst, impossible ack",
            &[step(ToServer, RST | ACK, 0, 1_000_000, b"")],
            &[PacketInvalidAck, RstInvalidAck],
            TcpState::Established,
        ),
        ("fin of the client", &[step(ToServer, FIN | ACK, 0, 0, b"")], &[], TcpState::CloseWait),
        ("fin of the server", &[step(ToClient, FIN | ACK, 0, 0, b"")], &[], TcpState::FinWait1),
        (
            "fin far ahead",
            &[step(ToServer, FIN | ACK, 100_000, 0, b"")],
            &[FinOutOfWindow],
            TcpState::Established,
        ),
        (
            "fin, impossible ack",
            &[step(ToServer, FIN | ACK, 0, 1_000_000, b"")],
            &[PacketInvalidAck, FinInvalidAck],
            TcpState::Established,
        ),
    ];
    for (name, steps, events, state) in cases {
        check(name, after_handshake(), steps, events, *state);
    }
}

#[test]
fn closing() {
    let client_fin = step(ToServer, FIN | ACK, 0, 0, b"");
    let server_fin = step(ToClient, FIN | ACK, 0, 0, b"");
    let server_fin_ack = step(ToClient, FIN | ACK, 0, 1, b"");
    let client_fin_ack = step(ToServer, FIN | ACK, 0, 1, b"");
    let server_ack = step(ToClient, ACK, 0, 1, b"");
    let client_ack = step(ToServer, ACK, 0, 1, b"");
    let cases: &[(&str, &[Step<'_>], &[StreamEvent], TcpState)] = &[
        ("client first", &[client_fin, server_fin_ack], &[], TcpState::LastAck),
        (
            "client first, over",
            &[client_fin, server_fin_ack, step(ToServer, ACK, 1, 1, b"")],
            &[],
            TcpState::Closed,
        ),
        (
            "server data after the client's fin",
            &[client_fin, step(ToClient, ACK, 0, 1, b"more")],
            &[],
            TcpState::CloseWait,
        ),
        ("server first", &[server_fin, client_ack], &[], TcpState::FinWait2),
        ("server first, then client", &[server_fin, client_ack, client_fin_ack], &[], TcpState::TimeWait),
        (
            "server first, over",
            &[server_fin, client_ack, client_fin_ack, step(ToClient, ACK, 1, 1, b"")],
            &[],
            TcpState::Closed,
        ),
        ("both in one", &[server_fin, client_fin_ack], &[], TcpState::TimeWait),
        ("at once", &[server_fin, client_fin], &[], TcpState::Closing),
        (
            "at once, acknowledged",
            &[server_fin, client_fin, step(ToClient, ACK, 1, 1, b"")],
            &[],
            TcpState::TimeWait,
        ),
        (
            "at once, both acknowledged",
            &[server_fin, client_fin, step(ToServer, ACK, 1, 1, b"")],
            &[],
            TcpState::TimeWait,
        ),
        ("syn", &[client_fin, step(ToServer, SYN, 50, 0, b"")], &[ShutdownSynResend], TcpState::CloseWait),
        ("rst", &[client_fin, step(ToClient, RST, 0, 0, b"")], &[], TcpState::Closed),
        (
            "close_wait, impossible ack",
            &[client_fin, step(ToClient, ACK, 0, 1_000_000, b"")],
            &[PacketInvalidAck, CloseWaitInvalidAck],
            TcpState::CloseWait,
        ),
        (
            "close_wait, far ahead",
            &[client_fin, step(ToClient, ACK, 100_000, 1, b"x")],
            &[CloseWaitAckOutOfWindow],
            TcpState::CloseWait,
        ),
        (
            "close_wait, fin far ahead",
            &[client_fin, step(ToClient, FIN | ACK, 100_000, 1, b"")],
            &[CloseWaitFinOutOfWindow],
            TcpState::CloseWait,
        ),
        (
            "close_wait, fin behind an ack that counts it",
            &[client_fin, step(ToClient, ACK, 1, 1, b""), step(ToClient, FIN | ACK, 0, 1, b"")],
            &[],
            TcpState::LastAck,
        ),
        (
            "close_wait, fin before the end of what came",
            &[client_fin, step(ToClient, ACK, 0, 1, b"pad"), step(ToClient, FIN | ACK, 0, 1, b"longer")],
            &[CloseWaitFinOutOfWindow],
            TcpState::CloseWait,
        ),
        (
            "fin1, impossible ack",
            &[server_fin, step(ToServer, ACK, 0, 1_000_000, b"")],
            &[PacketInvalidAck, Fin1InvalidAck],
            TcpState::FinWait1,
        ),
        (
            "fin1, far ahead",
            &[server_fin, step(ToServer, ACK, 100_000, 1, b"")],
            &[Fin1AckWrongSeq],
            TcpState::FinWait1,
        ),
        (
            "fin1, fin far ahead",
            &[server_fin, step(ToServer, FIN | ACK, 100_000, 1, b"")],
            &[Fin1FinWrongSeq],
            TcpState::FinWait1,
        ),
        (
            "fin2, far ahead",
            &[server_fin, client_ack, step(ToServer, ACK, 100_000, 1, b"")],
            &[Fin2AckWrongSeq],
            TcpState::FinWait2,
        ),
        (
            "fin2, fin far ahead",
            &[server_fin, client_ack, step(ToServer, FIN | ACK, 100_000, 1, b"")],
            &[Fin2FinWrongSeq],
            TcpState::FinWait2,
        ),
        (
            "closing, wrong seq",
            &[server_fin, client_fin, step(ToServer, ACK, 60, 1, b"")],
            &[ClosingAckWrongSeq],
            TcpState::Closing,
        ),
        (
            "last_ack, wrong seq",
            &[client_fin, server_fin_ack, step(ToServer, ACK, 60, 1, b"")],
            &[LastAckAckWrongSeq],
            TcpState::LastAck,
        ),
        (
            "time_wait, wrong seq",
            &[server_fin, client_fin_ack, step(ToClient, ACK, 60, 1, b"")],
            &[TimeWaitAckWrongSeq],
            TcpState::TimeWait,
        ),
        ("acknowledged", &[client_fin, server_ack], &[], TcpState::CloseWait),
        (
            "fin again, and its answer twice",
            &[
                client_fin,
                client_fin,
                server_fin_ack,
                step(ToClient, ACK, 1, 1, b""),
                step(ToServer, ACK, 1, 1, b""),
            ],
            &[],
            TcpState::Closed,
        ),
    ];
    for (name, steps, events, state) in cases {
        check(name, after_handshake(), steps, events, *state);
    }
}

#[test]
fn floods_are_bounded() {
    let mut conversation = fresh();
    conversation.send(ToServer, SYN, -1, 0, b"");
    let flooded = (0..20)
        .filter(|n| conversation.send(ToServer, SYN, 100 + n, 0, b"").events.contains(HandshakeSynFlood));
    assert_eq!(flooded.count(), 10);
    conversation.send(ToClient, SYN | ACK, -1, 120, b"");
    let flooded = (0..20).filter(|n| {
        conversation.send(ToClient, SYN | ACK, 100 + n, 0, b"").events.contains(HandshakeSynAckFlood)
    });
    assert_eq!(flooded.count(), 15);
}

#[test]
fn a_late_wrong_ack_keeps_some_hosts_from_resetting() {
    for (policy, state) in [(OverlapPolicy::Bsd, TcpState::Closed), (OverlapPolicy::Linux, TcpState::SynRecv)]
    {
        let mut conversation = fresh();
        conversation.session.set_policy(ToServer, policy);
        conversation.send(ToServer, SYN, -1, 0, b"");
        conversation.send(ToClient, SYN | ACK, -1, 0, b"");
        conversation.send(ToServer, ACK, 0, 50, b"");
        conversation.send(ToServer, RST, 0, 0, b"");
        assert_eq!(conversation.session.state(), state, "{policy:?}");
    }
}

#[test]
fn resets_by_policy() {
    for (policy, state) in
        [(OverlapPolicy::Bsd, TcpState::Established), (OverlapPolicy::Linux, TcpState::Closed)]
    {
        let mut conversation = fresh();
        conversation.session.set_policy(ToServer, policy);
        conversation.handshake();
        conversation.send(ToServer, ACK, 0, 0, b"0123456789");
        conversation.send(ToServer, RST, 5, 0, b"");
        assert_eq!(conversation.session.state(), state, "{policy:?}");
    }
}

#[test]
fn midstream() {
    let data = step(ToServer, ACK, 0, 0, b"GET /");
    let mut off = fresh();
    assert_eq!(off.take(data).exception, Some(StreamException::Midstream));
    assert_eq!(off.shared.counters.sessions, 0);

    let mut on = Conversation::new(|s| s.midstream = true);
    let outcome = on.take(data);
    assert!(outcome.established && outcome.payload_added);
    assert_eq!(outcome.exception, Some(StreamException::Midstream));
    on.send(ToClient, ACK, 0, 5, b"200");
    on.send(ToServer, ACK, 5, 3, b"");
    assert_eq!((&on.log.bytes.to_server[..], &on.log.bytes.to_client[..]), (&b"GET /"[..], &b"200"[..]));
    assert_eq!(on.shared.counters.midstream_pickups, 1);
}

#[test]
fn what_does_not_fit_is_taken_where_that_does_not_matter() {
    const FAR: i64 = (1 << 30) + (1 << 20);
    for lenient in [false, true] {
        let mut conversation = Conversation::new(|s| (s.midstream, s.lenient) = (true, lenient));
        conversation.send(ToClient, ACK, 0, 0, b"one");
        let outcome = conversation.send(ToServer, ACK, 0, FAR, b"two");
        assert_eq!(outcome.invalid, !lenient);
        conversation.send(ToClient, ACK, FAR, 3, b"three");
        let expected = if lenient { &b"two"[..] } else { b"" };
        assert_eq!(conversation.log.bytes.to_server, expected);
    }
}

#[test]
fn a_first_synack_tells_who_is_the_server() {
    let mut conversation = Conversation::new(|s| s.midstream = true);
    // The flow's first packet is the server's, so the flow has it travel to the server.
    let outcome = conversation.send(ToServer, SYN | ACK, -1, 0, b"");
    assert!(outcome.flip && !outcome.established);
    assert_eq!(conversation.session.state(), TcpState::SynRecv);
    let mut ack = step(ToServer, ACK, 0, 0, b"");
    // From here on the client's bytes travel to the server; numbers are still the builder's.
    ack.seq = i64::from(SERVER_ISN.wrapping_sub(CLIENT_ISN));
    ack.ack = i64::from(CLIENT_ISN.wrapping_sub(SERVER_ISN));
    assert!(conversation.take(ack).established);
}

#[test]
fn one_side_only() {
    let mut conversation = Conversation::new(|s| s.async_oneside = true);
    conversation.send(ToServer, SYN, -1, 0, b"");
    assert!(conversation.send(ToServer, ACK, 0, 0, b"").established);
    conversation.send(ToServer, ACK, 0, 0, b"GET ");
    conversation.send(ToServer, ACK, 4, 50, b"/ HTTP");
    conversation.send(ToServer, ACK, 10, 90, b"/1.0");
    assert_eq!(conversation.log.bytes.to_server, b"GET / HTTP/1.0");
    conversation.send(ToServer, ACK, 20, 90, b"later");
    conversation.flush();
    assert_eq!(conversation.log.bytes.to_server, b"GET / HTTP/1.0later");
    assert_eq!(conversation.session.gap_bytes(ToServer), 6);
}

#[test]
fn a_reset_ends_whatever_its_receiver_does() {
    let mut conversation = after_handshake();
    conversation.send(ToServer, ACK, 0, 0, b"one ");
    conversation.send(ToServer, RST, 4, 0, b"");
    assert_eq!(conversation.session.phase(), Phase::Closed);
    conversation.send(ToClient, ACK, 0, 7, b"answer");
    assert_eq!(conversation.session.state(), TcpState::Closed, "the other side goes on in vain");
}

#[test]
fn a_refused_connection_stays_closed() {
    let syn = step(ToServer, SYN, -1, 0, b"");
    let mut conversation = Conversation::new(|_| {});
    for _ in 0..3 {
        conversation.take(syn);
        conversation.send(ToClient, RST | ACK, 0, 0, b"why it is");
        assert_eq!(conversation.session.state(), TcpState::Closed);
    }
    conversation.take(syn);
    assert_eq!(conversation.session.state(), TcpState::Closed);
}

#[test]
fn a_server_may_answer_a_client_that_took_its_syn_back() {
    let mut conversation = Conversation::new(|_| {});
    conversation.send(ToServer, SYN, -1, 0, b"");
    conversation.send(ToServer, RST, 0, 0, b"");
    assert_eq!(conversation.session.state(), TcpState::Closed);
    conversation.send(ToClient, SYN | ACK, -1, 0, b"");
    assert_eq!(conversation.session.state(), TcpState::SynRecv, "the RST may not have been the client's");
}

#[test]
fn another_connection() {
    let over = [step(ToServer, FIN | ACK, 0, 0, b""), step(ToClient, FIN | ACK, 0, 1, b"")];
    let cases: [(&[Step<'_>], Step<'_>, bool); 4] = [
        (&[], step(ToServer, SYN, 500, 0, b""), false),
        (&over, step(ToServer, SYN, 500, 0, b""), true),
        (&over, step(ToServer, SYN, -1, 0, b""), false),
        (&over, step(ToServer, ACK, 1, 1, b""), false),
    ];
    for (steps, last, reused) in cases {
        let mut conversation = after_handshake();
        for &step in steps {
            conversation.take(step);
        }
        assert_eq!(conversation.take(last).reused, reused);
    }
}

#[test]
fn invalid_packets_are_dropped_inline_only() {
    let far = step(ToServer, ACK, 100_000, 0, b"far");
    type Change = fn(&mut StreamSettings);
    let cases: [(Change, bool); 3] = [
        (|_| {}, false),
        (|s| s.inline = true, true),
        (|s| (s.inline, s.drop_invalid) = (true, false), false),
    ];
    for (change, dropped) in cases {
        let outcome = Conversation::established(change).take(far);
        assert!(outcome.invalid && !outcome.payload_added);
        assert_eq!(outcome.drop.is_some(), dropped);
    }
}

#[test]
fn sessions_are_accounted_for() {
    let mut conversation = after_handshake();
    conversation.send(ToServer, ACK, 0, 0, b"not acknowledged");
    let counters = &conversation.shared.counters;
    assert!(counters.memuse > 0 && counters.reassembly_memuse > 0);
    assert_eq!((counters.sessions, counters.active_sessions, counters.syn, counters.synack), (1, 1, 1, 1));
    conversation.session.release(&mut conversation.shared);
    let counters = &conversation.shared.counters;
    assert_eq!((counters.memuse, counters.reassembly_memuse, counters.active_sessions), (0, 0, 0));
    assert_eq!(counters.end_established, 1);

    let mut refused = Conversation::new(|s| s.memcap = 1);
    let outcome = refused.send(ToServer, SYN, -1, 0, b"");
    assert_eq!(outcome.exception, Some(StreamException::SessionMemcap));
    assert_eq!(refused.shared.counters.session_memcap_drop, 1);
}

#[test]
fn phases() {
    let client_fin = step(ToServer, FIN | ACK, 0, 0, b"");
    let server_fin = step(ToClient, FIN | ACK, 0, 0, b"");
    let cases: [(&[Step<'_>], TcpState, Phase); 7] = [
        (&[], TcpState::Established, Phase::Established),
        (&[client_fin], TcpState::CloseWait, Phase::Established),
        (&[client_fin, step(ToClient, FIN | ACK, 0, 1, b"")], TcpState::LastAck, Phase::Closed),
        (&[server_fin], TcpState::FinWait1, Phase::Established),
        (&[server_fin, step(ToServer, ACK, 0, 1, b"")], TcpState::FinWait2, Phase::Established),
        (&[server_fin, client_fin], TcpState::Closing, Phase::Established),
        (&[server_fin, step(ToServer, FIN | ACK, 0, 1, b"")], TcpState::TimeWait, Phase::Closed),
    ];
    for (steps, state, phase) in cases {
        let mut conversation = after_handshake();
        for &step in steps {
            assert!(!conversation.take(step).invalid);
        }
        assert_eq!((conversation.session.state(), conversation.session.phase()), (state, phase));
        assert!(conversation.session.is_established(), "it was, and stays so for rules");
    }
}

#[test]
fn handshakes_in_more_than_three_steps() {
    let syn = step(ToServer, SYN, -1, 0, b"");
    let server_syn = step(ToClient, SYN, -1, 0, b"");
    let client_synack = step(ToServer, SYN | ACK, -1, 0, b"");
    let server_ack = step(ToClient, ACK, 0, 0, b"");
    let cases: [(&str, &[Step<'_>]); 3] = [
        ("split in four", &[syn, server_syn, client_synack, server_ack]),
        ("in five: the server acknowledges first", &[syn, server_ack, server_syn, client_synack, server_ack]),
        ("each step twice", &[syn, syn, server_syn, server_syn, client_synack, server_ack, server_ack]),
    ];
    for (name, steps) in cases {
        let mut conversation = fresh();
        for &step in steps {
            conversation.take(step);
        }
        assert_eq!(conversation.session.state(), TcpState::Established, "{name}");
        conversation.send(ToServer, ACK, 0, 0, b"GET");
        conversation.send(ToClient, ACK, 0, 3, b"200");
        conversation.send(ToServer, ACK, 3, 3, b"");
        let bytes = &conversation.log.bytes;
        assert_eq!((&bytes.to_server[..], &bytes.to_client[..]), (&b"GET"[..], &b"200"[..]), "{name}");
    }
}
