//! TCP options: timestamps, window scaling, fast open, signatures.

use weir_packet::{Tcp, TcpOptions};

use crate::conversation::*;
use crate::event::StreamEvent::*;
use crate::policy::OverlapPolicy;
use crate::state::TcpState;

fn fresh() -> Conversation {
    Conversation::new(|_| {})
}

fn with_timestamp(mut step: Step<'_>, value: u32) -> Step<'_> {
    step.tcp =
        Tcp { options: TcpOptions { timestamp: Some((value, 0)), ..TcpOptions::default() }, ..step.tcp };
    step
}

#[test]
fn timestamps_run_forward() {
    let mut conversation = fresh();
    conversation.take(with_timestamp(step(ToServer, SYN, -1, 0, b""), 100));
    conversation.take(with_timestamp(step(ToClient, SYN | ACK, -1, 0, b""), 500));
    conversation.take(with_timestamp(step(ToServer, ACK, 0, 0, b""), 101));
    let back = conversation.take(with_timestamp(step(ToServer, ACK, 0, 0, b"evil"), 50));
    assert!(back.invalid && back.events.contains(PacketInvalidTimestamp));
    let on = conversation.take(with_timestamp(step(ToServer, ACK, 0, 0, b"good"), 102));
    assert!(!on.invalid);
    conversation.take(with_timestamp(step(ToClient, ACK, 0, 4, b""), 501));
    assert_eq!(conversation.log.bytes.to_server, b"good");
}

#[test]
fn the_server_echoes_a_timestamp_of_the_client() {
    let echo = |mut step: Step<'static>, value, echo| {
        step.tcp.options.timestamp = Some((value, echo));
        step
    };
    let syn = step(ToServer, SYN, -1, 0, b"");
    let synack = step(ToClient, SYN | ACK, -1, 0, b"");
    let mut conversation = fresh();
    conversation.take(echo(syn, 100, 0));
    let forged = conversation.take(echo(step(ToClient, RST | ACK, -1, 0, b""), 7, 7));
    assert!(forged.invalid && forged.events.contains(PacketInvalidTimestamp));
    assert!(conversation.take(echo(synack, 7, 300)).events.contains(PacketInvalidTimestamp));
    conversation.take(echo(syn, 300, 0));
    assert!(conversation.take(echo(synack, 7, 300)).events.is_empty());
    assert!(!conversation.take(echo(step(ToServer, ACK, 0, 0, b"x"), 301, 7)).invalid);
}

#[test]
fn windows_scale() {
    for (scale, fits) in [(None, false), (Some(4), true)] {
        let mut conversation = fresh();
        let scaled = |mut step: Step<'static>| {
            step.tcp.options.window_scale = scale;
            step
        };
        conversation.take(scaled(step(ToServer, SYN, -1, 0, b"")));
        conversation.take(scaled(step(ToClient, SYN | ACK, -1, 0, b"")));
        conversation.send(ToServer, ACK, 0, 0, b"");
        conversation.send(ToClient, ACK, 0, 0, b"");
        let outcome = conversation.send(ToServer, ACK, 200_000, 0, b"far");
        assert_eq!(!outcome.events.contains(EstablishedPacketOutOfWindow), fits);
    }
}

#[test]
fn fast_open() {
    let open = |payload| {
        let mut syn = step(ToServer, SYN, -1, 0, payload);
        syn.tcp.options.fast_open = Some(b"cookie");
        syn
    };
    let mut taken = fresh();
    taken.take(open(b"early"));
    taken.send(ToClient, SYN | ACK, -1, 5, b"");
    assert_eq!(taken.log.bytes.to_server, b"");
    taken.send(ToServer, ACK, 5, 0, b" late");
    taken.send(ToClient, ACK, 0, 10, b"");
    assert_eq!(taken.log.bytes.to_server, b"early late");

    let mut ignored = fresh();
    ignored.take(open(b"early"));
    let outcome = ignored.send(ToClient, SYN | ACK, -1, 0, b"");
    assert!(outcome.events.contains(HandshakeSynAckFastOpenDataIgnored));
    let again = ignored.send(ToServer, SYN, -1, 0, b"");
    assert!(again.reused, "a client that tries again begins anew");
    ignored.send(ToServer, ACK, 0, 0, b"again");
    ignored.send(ToClient, ACK, 0, 5, b"");
    assert_eq!(ignored.log.bytes.to_server, b"again");
}

#[test]
fn a_signed_reset_is_not_believed() {
    let mut header = [0; 40];
    header[20..22].copy_from_slice(&[19, 18]);
    let mut reset = step(ToServer, RST | ACK, 0, 0, b"");
    reset.tcp.header = &header;
    let mut conversation = Conversation::established(|_| {});
    let outcome = conversation.take(reset);
    assert!(outcome.invalid && outcome.events.contains(SuspectedRstInject));
    assert_eq!(conversation.session.state(), TcpState::Established);

    let mut signed = fresh();
    let mut syn = step(ToServer, SYN, -1, 0, b"");
    syn.tcp.header = &header;
    signed.take(syn);
    signed.send(ToClient, SYN | ACK, -1, 0, b"");
    signed.send(ToServer, ACK, 0, 0, b"");
    assert!(!signed.take(reset).invalid);
}

#[test]
fn timestamps_one_behind() {
    for (liberal, policy, taken) in [
        (true, OverlapPolicy::Bsd, true),
        (false, OverlapPolicy::Bsd, false),
        (false, OverlapPolicy::Linux, true),
    ] {
        let mut conversation = Conversation::new(|s| s.liberal_timestamps = liberal);
        conversation.session.set_policy(ToServer, policy);
        conversation.take(with_timestamp(step(ToServer, SYN, -1, 0, b""), 100));
        conversation.take(with_timestamp(step(ToClient, SYN | ACK, -1, 0, b""), 500));
        conversation.take(with_timestamp(step(ToServer, ACK, 0, 0, b""), 100));
        let behind = conversation.take(with_timestamp(step(ToServer, ACK, 0, 0, b"x"), 99));
        assert_eq!(!behind.invalid, taken, "{liberal} {policy:?}");
    }
}

#[test]
fn selective_acknowledgements_of_any_length() {
    // Two blocks, half of one, and none.
    let blocks: [&[u8]; 3] = [&[0xff; 16], &[0; 4], &[]];
    for sack in blocks {
        let mut conversation = fresh();
        let mut allow = |direction, flags| {
            let mut opening = step(direction, flags, -1, 0, b"");
            opening.tcp.options.sack_permitted = true;
            conversation.take(opening);
        };
        allow(ToServer, SYN);
        allow(ToClient, SYN | ACK);
        conversation.send(ToServer, ACK, 0, 0, b"data");
        let mut acknowledgement = step(ToClient, ACK, 0, 2, b"");
        acknowledgement.tcp.options.sack = sack;
        assert!(!conversation.take(acknowledgement).invalid, "{sack:?}");
        assert_eq!(conversation.log.bytes.to_server, b"da");
    }
}

#[test]
fn a_keep_alive_may_change_the_window() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToServer, ACK, 0, 0, b"data");
    conversation.send(ToClient, ACK, 0, 4, b"");
    let mut alive = step(ToServer, ACK, 3, 0, b"");
    alive.tcp.window = 9;
    let outcome = conversation.take(alive);
    assert!(!outcome.invalid && outcome.events.is_empty(), "{outcome:?}");
}
