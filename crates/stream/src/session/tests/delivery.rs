//! Bytes that are delivered, their times, and reports on those that are not.

use weir_base::{Direction, Timestamp};
use weir_packet::Tcp;

use crate::conversation::{Given::*, *};
use crate::event::StreamEvent::*;
use crate::outcome::{DropReason, StreamException};
use crate::policy::OverlapPolicy;
use crate::session::TcpSession;
use crate::settings::UrgentPolicy;

fn data(offset: u64, text: &str) -> Given {
    Data(ToServer, offset, text.as_bytes().to_vec())
}

#[test]
fn bytes_come_when_they_are_acknowledged() {
    let mut conversation = Conversation::established(|_| {});
    assert!(conversation.send(ToServer, ACK, 0, 0, b"hello ").payload_added);
    conversation.send(ToServer, ACK, 6, 0, b"world");
    assert_eq!(conversation.given(), []);
    conversation.send(ToClient, ACK, 0, 8, b"");
    assert_eq!(conversation.given(), [data(0, "hello wo")]);
    conversation.send(ToClient, ACK, 0, 11, b"");
    assert_eq!(conversation.given(), [data(8, "rld")]);
    assert_eq!(
        conversation.log.arrivals,
        [(0, Timestamp::new(104, 0)), (6, Timestamp::new(105, 0)), (8, Timestamp::new(105, 0))]
    );
}

#[test]
fn inline_bytes_come_at_once() {
    let mut conversation = Conversation::established(|s| s.inline = true);
    conversation.send(ToServer, ACK, 0, 0, b"one");
    assert_eq!(conversation.given(), [data(0, "one")]);
    conversation.send(ToServer, ACK, 6, 0, b"three");
    assert_eq!(conversation.given(), []);
    conversation.send(ToServer, ACK, 3, 0, b"two");
    assert_eq!(conversation.given().concat_data(), b"twothree");
}

trait ConcatData {
    fn concat_data(&self) -> Vec<u8>;
}

impl ConcatData for Vec<Given> {
    fn concat_data(&self) -> Vec<u8> {
        self.iter()
            .flat_map(|given| match given {
                Data(_, _, bytes) => bytes.clone(),
                _ => Vec::new(),
            })
            .collect()
    }
}

#[test]
fn an_acknowledgement_may_be_ahead_of_its_bytes() {
    for (trusted, expected) in
        [(false, vec![data(0, "one")]), (true, vec![Gap(ToServer, 0, 2), data(2, "e")])]
    {
        let mut conversation = Conversation::established(|s| s.eager = trusted);
        conversation.send(ToClient, ACK, 0, 2, b"");
        conversation.send(ToServer, ACK, 0, 0, b"one");
        conversation.send(ToClient, ACK, 0, 3, b"");
        assert_eq!(conversation.given(), expected, "{trusted}");
    }
}

#[test]
fn what_was_acknowledged_and_never_seen_is_a_gap() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToServer, ACK, 0, 0, b"abc");
    conversation.send(ToServer, ACK, 6, 0, b"ghi");
    let outcome = conversation.send(ToClient, ACK, 0, 9, b"");
    assert!(outcome.gap && outcome.events.contains(ReassemblySeqGap));
    assert_eq!(conversation.given(), [data(0, "abc"), Gap(ToServer, 3, 3), data(6, "ghi")]);
    assert_eq!((conversation.session.gaps(ToServer), conversation.session.gap_bytes(ToServer)), (1, 3));
    let late = conversation.send(ToServer, ACK, 3, 0, b"def");
    assert!(late.retransmission, "{late:?}");
    assert_eq!(conversation.given(), []);
}

#[test]
fn an_acknowledgement_ahead_of_its_data_waits() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToClient, ACK, 0, 5, b"");
    assert_eq!(conversation.given(), []);
    assert_eq!(conversation.shared.counters.ack_unseen_data, 1);
    conversation.send(ToServer, ACK, 0, 0, b"early");
    conversation.send(ToClient, ACK, 0, 5, b"");
    assert_eq!(conversation.given(), [data(0, "early")]);
}

#[test]
fn ends() {
    let mut fin = Conversation::established(|_| {});
    fin.send(ToServer, ACK, 0, 0, b"bye");
    assert!(!fin.send(ToServer, FIN | ACK, 3, 0, b"!").end_of_stream);
    assert_eq!(fin.given(), []);
    assert!(!fin.send(ToClient, ACK, 0, 5, b"").end_of_stream);
    assert_eq!(fin.given(), [data(0, "bye!")]);
    fin.send(ToClient, FIN | ACK, 0, 5, b"");
    assert_eq!(fin.given(), [], "only once both know of the other's end is the connection over");
    assert!(fin.send(ToServer, ACK, 5, 1, b"").end_of_stream);
    assert_eq!(fin.given(), [Close(ToServer), Close(ToClient)]);

    let mut eager = Conversation::established(|s| s.eager = true);
    eager.send(ToServer, FIN | ACK, 0, 0, b"bye");
    assert!(eager.send(ToClient, ACK, 0, 4, b"").end_of_stream);
    assert_eq!(eager.given(), [data(0, "bye"), Close(ToServer)]);

    let mut reset = Conversation::established(|_| {});
    reset.send(ToServer, ACK, 0, 0, b"bye");
    assert!(reset.send(ToClient, RST, 0, 0, b"").end_of_stream);
    assert_eq!(reset.given(), [Close(ToClient)], "of the side that sent no RST");
    reset.flush();
    assert_eq!(reset.given(), [data(0, "bye"), Close(ToServer)]);

    let mut acknowledging = Conversation::established(|_| {});
    acknowledging.send(ToServer, ACK, 0, 0, b"bye");
    acknowledging.send(ToClient, RST | ACK, 0, 3, b"");
    assert_eq!(acknowledging.given(), [Close(ToClient)]);
    acknowledging.flush();
    assert_eq!(acknowledging.given(), [data(0, "bye"), Close(ToServer)]);

    let mut flushed = Conversation::established(|_| {});
    flushed.send(ToServer, ACK, 0, 0, b"bye");
    flushed.send(ToServer, ACK, 9, 0, b"lost");
    flushed.flush();
    assert_eq!(flushed.given(), [data(0, "bye"), Close(ToServer), Close(ToClient)]);
    assert_eq!(flushed.session.gap_bytes(ToServer), 10);
}

#[test]
fn what_nothing_comes_behind_is_no_gap() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToServer, FIN | ACK, 10, 0, b"");
    let outcome = conversation.send(ToClient, ACK, 0, 11, b"");
    assert!(!outcome.gap && conversation.given().is_empty());
    conversation.flush();
    assert_eq!(conversation.given(), [Close(ToServer), Close(ToClient)]);
}

#[test]
fn depth_ends_reassembly() {
    let mut conversation = Conversation::established(|s| s.depth = 5);
    let outcome = conversation.send(ToServer, ACK, 0, 0, b"abcdefgh");
    assert!(outcome.events.contains(ReassemblyDepthReached) && outcome.payload_added);
    assert!(!conversation.send(ToServer, ACK, 8, 0, b"more").payload_added);
    conversation.send(ToClient, ACK, 0, 12, b"");
    assert_eq!(conversation.given(), [data(0, "abcde")]);
    assert!(conversation.session.depth_reached(ToServer) && !conversation.session.wanted(ToServer));
    assert_eq!(conversation.shared.counters.stream_depth_reached, 1);
    assert_eq!(conversation.session.gaps(ToServer), 0);
}

#[test]
fn what_is_beyond_the_depth_is_told_of_apart() {
    let beyond = |offset: u64, text: &str| Given::Beyond(offset, text.as_bytes().to_vec());
    let mut conversation = Conversation::established(|s| (s.depth, s.tells_beyond) = (5, true));
    let outcome = conversation.send(ToServer, ACK, 0, 0, b"abcdefgh");
    assert!(outcome.events.contains(ReassemblyDepthReached) && outcome.payload_added);
    assert!(!conversation.send(ToServer, ACK, 10, 0, b"kl").payload_added);
    conversation.send(ToClient, ACK, 0, 5, b"");
    assert_eq!(conversation.given(), [data(0, "abcde")]);
    assert!(!conversation.session.is_told_beyond(ToServer), "it is to come");
    conversation.send(ToClient, ACK, 0, 8, b"");
    assert_eq!(conversation.given(), [beyond(5, "fgh")]);
    assert!(conversation.session.is_told_beyond(ToServer));
    conversation.send(ToClient, ACK, 0, 12, b"");
    assert_eq!(conversation.given(), [Given::GapBeyond(8, 2), beyond(10, "kl")]);
    // Nothing else changes by it.
    assert!(conversation.session.is_cut(ToServer) && !conversation.session.wanted(ToServer));
    assert_eq!(conversation.shared.counters.stream_depth_reached, 1);
    assert_eq!(conversation.shared.counters.reassembly_gap, 0);
    assert_eq!(conversation.session.gaps(ToServer), 0);
    assert_eq!(conversation.session.raw_limit(ToServer), 5);
    conversation.session.leave_beyond(ToServer);
    conversation.send(ToServer, ACK, 12, 0, b"mn");
    conversation.send(ToClient, ACK, 0, 14, b"");
    assert_eq!(conversation.given(), []);
    conversation.flush();
    assert_eq!(conversation.given(), [Close(ToServer), Close(ToClient)]);
}

#[test]
fn what_is_beyond_the_depth_takes_nothing_from_what_is_before() {
    let scaled = |mut step: Step<'static>| {
        step.tcp.options.window_scale = Some(14);
        step
    };
    for (regions, memcap) in [(2, 0), (8, 700)] {
        let mut conversation = Conversation::new(|s| {
            (s.depth, s.tells_beyond) = (500_000, true);
            (s.max_regions, s.reassembly_memcap) = (regions, memcap);
        });
        conversation.take(scaled(step(ToServer, SYN, -1, 0, b"")));
        conversation.take(scaled(step(ToClient, SYN | ACK, -1, 0, b"")));
        conversation.send(ToServer, ACK, 0, 0, b"");
        conversation.send(ToClient, ACK, 0, 0, b"");
        for at in [1_000_000, 1_500_000, 2_000_000, 2_500_000, 3_000_000] {
            conversation.send(ToServer, ACK, at, 0, b"beyond");
        }
        assert!(conversation.shared.beyond().counters.reassembly_memuse > 0);
        let outcome = conversation.send(ToServer, ACK, 400_000, 0, b"before");
        assert!(outcome.payload_added && outcome.events.is_empty(), "{regions} {memcap} {outcome:?}");
        conversation.send(ToServer, ACK, 0, 0, b"begin");
        conversation.send(ToClient, ACK, 0, 3_000_006, b"");
        assert_eq!(conversation.given()[..2], [data(0, "begin"), Gap(ToServer, 5, 399_995)]);
        assert_eq!(conversation.session.max_regions(ToServer), 2);
        conversation.session.release(&mut conversation.shared);
        assert_eq!(conversation.shared.beyond().counters.reassembly_memuse, 0);
    }
}

#[test]
fn bypass_is_asked_for_once_nobody_listens() {
    // Zeek's logs alone are nobody.
    for leave in [TcpSession::disable_app, TcpSession::leave_app_aside] {
        let mut conversation = Conversation::established(|s| s.bypass = true);
        for direction in [ToServer, ToClient] {
            leave(&mut conversation.session, direction);
            assert!(!conversation.send(ToServer, ACK, 0, 0, b"").bypass);
            conversation.session.disable_raw(direction);
        }
        assert!(conversation.send(ToServer, ACK, 0, 0, b"x").bypass);
        assert!(!conversation.send(ToServer, ACK, 1, 0, b"y").bypass);
    }
}

#[test]
fn what_zeeks_logs_alone_want_is_handed_out_and_told_to_nobody() {
    let told = |leave: fn(&mut TcpSession, Direction)| {
        let mut conversation = Conversation::established(|s| (s.depth, s.reassembly_memcap) = (20, 1000));
        leave(&mut conversation.session, ToServer);
        conversation.session.disable_raw(ToServer);
        let outcomes = [(0, "begin"), (2, "XXXXX"), (15, "across the depth"), (0, "again"), (9, "late")].map(
            |(at, text)| {
                let outcome = conversation.send(ToServer, ACK, at, 0, text.as_bytes());
                (outcome, conversation.send(ToClient, ACK, 0, at + 4, b""))
            },
        );
        conversation.flush();
        let gaps = (conversation.session.gaps(ToServer), conversation.session.gap_bytes(ToServer));
        let counted = format!("{:?}", conversation.shared.counters);
        ((outcomes, gaps, counted), conversation.log.bytes.to_server)
    };
    let (nobody, nothing) = told(TcpSession::disable_app);
    let (aside, bytes) = told(TcpSession::leave_app_aside);
    assert_eq!(aside, nobody);
    assert!(nothing.is_empty() && bytes.starts_with(b"begin"));
}

#[test]
fn nobody_listens_nothing_is_kept() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToServer, ACK, 0, 0, b"kept");
    conversation.session.disable_app(ToServer);
    conversation.session.disable_raw(ToServer);
    assert!(!conversation.send(ToServer, ACK, 4, 0, b"not kept").payload_added);
    assert_eq!(conversation.shared.counters.reassembly_memuse, 0);
    conversation.send(ToClient, ACK, 0, 12, b"");
    assert_eq!(conversation.given(), []);
}

#[test]
fn overlaps_follow_the_receiving_host() {
    for (policy, expected) in [(OverlapPolicy::Bsd, "aabbbb"), (OverlapPolicy::Last, "aacccc")] {
        let mut conversation = Conversation::new(|_| {});
        conversation.session.set_policy(ToServer, policy);
        conversation.handshake();
        conversation.send(ToServer, ACK, 0, 0, b"aa");
        conversation.send(ToServer, ACK, 2, 0, b"bbbb");
        let outcome = conversation.send(ToServer, ACK, 2, 0, b"cccc");
        assert!(outcome.events.contains(ReassemblyOverlapDifferentData));
        conversation.send(ToClient, ACK, 0, 6, b"");
        assert_eq!(conversation.log.bytes.to_server, expected.as_bytes(), "{policy:?}");
        assert_eq!(conversation.shared.counters.overlap_diff_data, 1);
    }
}

#[test]
fn urgent_bytes() {
    let cases = [
        (UrgentPolicy::OutOfBand, "abdefg", false),
        (UrgentPolicy::Inline, "abcdefg", false),
        (UrgentPolicy::Drop, "efg", true),
        (UrgentPolicy::Gap, "efg", false),
    ];
    for (policy, expected, dropped) in cases {
        let mut conversation = Conversation::established(|s| s.urgent = policy);
        let mut urgent = step(ToServer, ACK | 0x20, 0, 0, b"abcd");
        urgent.tcp.urgent = 3;
        let outcome = conversation.take(urgent);
        assert_eq!(outcome.drop == Some(DropReason::StreamUrgent), dropped);
        conversation.send(ToServer, ACK, 4, 0, b"efg");
        conversation.send(ToClient, ACK, 0, 7, b"");
        assert_eq!(String::from_utf8_lossy(&conversation.log.bytes.to_server), expected, "{policy:?}");
        assert_eq!(conversation.shared.counters.urg, 1);
    }
}

#[test]
fn memory_is_bounded() {
    let mut conversation = Conversation::established(|s| s.reassembly_memcap = 2000);
    let refused = (0..100i64).filter(|n| {
        let outcome = conversation.send(ToServer, ACK, 10 + n * 20, 0, b"0123456789");
        assert!(conversation.shared.counters.reassembly_memuse <= 2000);
        outcome.exception == Some(StreamException::ReassemblyMemcap)
            && outcome.events.contains(ReassemblyInsertMemcap)
    });
    assert!(refused.count() > 50);

    let mut far = Conversation::new(|s| s.max_regions = 2);
    let scaled = |mut step: Step<'static>| {
        step.tcp.options.window_scale = Some(14);
        step
    };
    far.take(scaled(step(ToServer, SYN, -1, 0, b"")));
    far.take(scaled(step(ToClient, SYN | ACK, -1, 0, b"")));
    far.send(ToServer, ACK, 0, 0, b"");
    far.send(ToClient, ACK, 0, 0, b"");
    far.session.set_depth(ToServer, 0);
    let results = [1i64, 1_000_000, 2_000_000, 1_000_005]
        .map(|at| far.send(ToServer, ACK, at, 0, b"data!").payload_added);
    assert_eq!(results, [true, true, false, true]);
    assert_eq!(far.session.max_regions(ToServer), 2);
}

#[test]
fn a_server_that_nobody_acknowledges_is_heard_in_the_end() {
    let mut conversation = Conversation::new(|s| s.midstream = true);
    conversation.send(ToClient, SYN | ACK, -1, 0, b"");
    assert!(conversation.send(ToClient, ACK, 0, 397, b"").established);
    conversation.send(ToClient, ACK, 0, 397, b"answer");
    conversation.send(ToClient, FIN | ACK, 6, 397, b" end");
    conversation.send(ToClient, ACK, 11, 398, b"");
    conversation.flush();
    assert_eq!(conversation.log.bytes.to_client, b"answer end");
}

#[test]
fn an_idle_session_is_small() {
    let mut conversation = Conversation::established(|_| {});
    conversation.send(ToServer, ACK, 0, 0, b"request");
    conversation.send(ToClient, ACK, 0, 7, b"answer");
    conversation.send(ToServer, ACK, 7, 6, b"");
    for direction in [ToServer, ToClient] {
        conversation.session.raw_inspected(direction, 100, 0);
        conversation.session.prune(direction, &conversation.settings, &mut conversation.shared);
    }
    assert_eq!(conversation.shared.counters.reassembly_memuse, 0, "nothing on the heap");
    assert!(size_of::<TcpSession>() <= 232, "{}", size_of::<TcpSession>());
}

#[test]
fn each_direction_has_its_depth() {
    let mut conversation = Conversation::established(|s| s.depth = 4);
    conversation.session.set_depth(ToClient, 6);
    conversation.send(ToServer, ACK, 0, 0, b"abcdefgh");
    conversation.send(ToClient, ACK, 0, 8, b"ABCDEFGH");
    conversation.send(ToServer, ACK, 8, 8, b"");
    let bytes = &conversation.log.bytes;
    assert_eq!((&bytes.to_server[..], &bytes.to_client[..]), (&b"abcd"[..], &b"ABCDEF"[..]));
    assert_eq!((conversation.session.depth(ToServer), conversation.session.depth(ToClient)), (4, 6));
    assert_eq!(conversation.shared.counters.stream_depth_reached, 2);
}

#[test]
fn inline_a_packet_is_made_to_agree_with_the_stream() {
    let sent = |offset: i64| CLIENT_ISN.wrapping_add(1).wrapping_add(offset as u32);
    // what came first, acknowledged up to, then; what is to become of it
    let cases = [
        ((0, "GOOD"), 0, (0, "EVIL"), "GOOD", true),
        ((0, "GOOD"), 0, (2, "XXno"), "ODno", true),
        ((2, "GOOD"), 0, (0, "abXXXXcd"), "abGOODcd", true),
        ((0, "GOOD"), 0, (0, "GOOD"), "GOOD", false),
        ((0, "GOOD"), 0, (4, "next"), "next", false),
        ((0, "GOOD"), 2, (2, "XXX"), "ODX", true),
    ];
    for (before, acknowledged, (at, text), expected, differs) in cases {
        let mut conversation = Conversation::established(|s| s.inline = true);
        for direction in Direction::BOTH {
            conversation.session.set_policy(direction, OverlapPolicy::First);
        }
        conversation.send(ToServer, ACK, before.0, 0, before.1.as_bytes());
        conversation.send(ToClient, ACK, 0, acknowledged, b"");
        let outcome = conversation.send(ToServer, ACK, at, 0, text.as_bytes());
        assert_eq!(outcome.differs, differs, "{text} after {before:?}");
        let mut payload = text.as_bytes().to_vec();
        let tcp = Tcp { seq: sent(at), flags: ACK, ..Tcp::default() };
        conversation.session.normalise(ToServer, &tcp, &mut payload);
        assert_eq!(payload, expected.as_bytes(), "{text} after {before:?}");
    }
}

#[test]
fn bytes_arrive_when_all_before_them_has() {
    // Times are numbers of packets; a handshake has three.
    let mut conversation = Conversation::established(|s| s.eager = true);
    conversation.send(ToServer, ACK, 4, 0, b"late");
    conversation.send(ToServer, ACK, 0, 0, b"soon");
    conversation.send(ToServer, ACK, 10, 0, b"hole");
    conversation.send(ToServer, ACK, 14, 0, b"more");
    conversation.send(ToClient, ACK, 0, 18, b"");
    let arrivals: Vec<(u64, u64)> =
        conversation.log.arrivals.iter().map(|(at, time)| (*at, time.0)).collect();
    let times: Vec<u64> = arrivals.iter().map(|(_, time)| *time).collect();
    assert!(times.is_sorted(), "{arrivals:?}");
    assert_eq!(times[0], times[1], "{arrivals:?}");
    assert_eq!((arrivals[2].0, times[2]), (10, times[3]), "{arrivals:?}");
}
