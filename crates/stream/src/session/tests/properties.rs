//! Any way of cutting, reordering and repeating a stream hands out the same bytes.

use proptest::prelude::*;
use weir_base::Direction;

use crate::conversation::*;
use crate::outcome::StreamOutcome;
use crate::settings::StreamSettings;

/// Pieces of a stream of `length` bytes that cover it, some repeated, in any order.
fn pieces(length: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    let cuts = proptest::collection::btree_set(1..length, 0..20);
    let extra = proptest::collection::vec((0..length, 1..40usize), 0..10);
    (cuts, extra)
        .prop_map(move |(cuts, extra)| {
            let mut edges = vec![0];
            edges.extend(cuts);
            edges.push(length);
            let mut pieces: Vec<_> = edges.windows(2).map(|w| (w[0], w[1])).collect();
            pieces.extend(extra.into_iter().map(|(start, size)| (start, (start + size).min(length))));
            pieces
        })
        .prop_shuffle()
}

const LENGTH: usize = 200;

fn stream() -> Vec<u8> {
    (0..LENGTH).map(|n| (n * 7) as u8).collect()
}

/// Sends the pieces; `acks` says after which the other side acknowledges what it has.
fn run(pieces: &[(usize, usize)], acks: &[bool], change: fn(&mut StreamSettings)) -> Conversation {
    let bytes = stream();
    let mut conversation = Conversation::established(change);
    let mut seen = [false; LENGTH];
    for (&(start, end), &ack) in pieces.iter().zip(acks.iter().cycle()) {
        conversation.send(ToServer, ACK, start as i64, 0, &bytes[start..end]);
        seen[start..end].fill(true);
        let contiguous = seen.iter().take_while(|s| **s).count();
        if ack {
            conversation.send(ToClient, ACK, 0, contiguous as i64, b"");
        }
    }
    conversation
}

proptest! {
    #[test]
    fn acknowledged_bytes_are_those_sent(pieces in pieces(LENGTH), acks in proptest::collection::vec(any::<bool>(), 1..8)) {
        let mut conversation = run(&pieces, &acks, |_| {});
        conversation.flush();
        prop_assert_eq!(&conversation.log.bytes.to_server, &stream());
        prop_assert_eq!(conversation.session.gaps(Direction::ToServer), 0);
        let raw = conversation.session.raw(ToServer, &conversation.settings, &mut conversation.shared);
        prop_assert_eq!(raw.map(|w| w.bytes.to_vec()), Some(stream()));
        conversation.session.release(&mut conversation.shared);
        prop_assert_eq!(conversation.shared.counters.reassembly_memuse, 0);
    }

    #[test]
    fn inline_bytes_are_those_sent(pieces in pieces(LENGTH), raw in any::<bool>()) {
        let change: fn(&mut StreamSettings) =
            if raw { |s| s.inline = true } else { |s| (s.inline, s.raw) = (true, false) };
        let conversation = run(&pieces, &[false], change);
        prop_assert_eq!(&conversation.log.bytes.to_server, &stream());
    }

    #[test]
    fn any_packets_are_taken(steps in proptest::collection::vec(
        (any::<bool>(), any::<u8>(), -20i64..3000, -20i64..3000, 0usize..40, any::<u16>()), 1..60)) {
        let bytes = stream();
        for inline in [false, true] {
            let mut conversation = Conversation::new(|s| (s.midstream, s.inline) = (true, inline));
            for &(to_server, flags, seq, ack, length, window) in &steps {
                let direction = if to_server { ToServer } else { ToClient };
                let mut step = step(direction, flags, seq, ack, &bytes[..length]);
                step.tcp.window = window;
                step.tcp.urgent = window % 50;
                conversation.take(step);
            }
            conversation.flush();
            for direction in Direction::BOTH {
                let mut next = 0;
                for given in &conversation.log.given {
                    match given {
                        Given::Data(d, offset, bytes) if *d == direction => {
                            prop_assert_eq!(*offset, next);
                            next = offset + bytes.len() as u64;
                        }
                        Given::Gap(d, offset, length) if *d == direction => {
                            prop_assert_eq!(*offset, next);
                            next = offset + length;
                        }
                        _ => {}
                    }
                }
            }
            conversation.session.release(&mut conversation.shared);
            prop_assert_eq!(conversation.shared.counters.reassembly_memuse, 0);
            prop_assert_eq!(conversation.shared.counters.memuse, 0);
            prop_assert!(balances(&conversation), "{:?}", conversation.shared.account);
        }
    }

    /// Openings that come again and differ, and directions that nobody wants any more.
    #[test]
    fn every_byte_is_somewhere(steps in proptest::collection::vec(
        (any::<bool>(), 0usize..8, -3i64..60, -3i64..60, 0usize..40, 0u8..40), 1..60),
        ways in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>())) {
        let bytes = stream();
        let flags = [SYN, SYN, SYN | ACK, SYN | ACK, ACK, ACK, ACK, RST | ACK];
        let mut conversation = Conversation::new(|s| {
            (s.midstream, s.inline, s.async_oneside) = (ways.0, ways.1, ways.2);
            s.depth = if ways.3 { 50 } else { 0 };
        });
        for &(to_server, kind, seq, ack, length, given_up) in &steps {
            let direction = if to_server { ToServer } else { ToClient };
            let mut step = step(direction, flags[kind], seq, ack, &bytes[..length]);
            step.tcp.options.fast_open = (flags[kind] & SYN != 0 && length > 20).then_some(&[]);
            conversation.take(step);
            match given_up {
                0 => conversation.session.disable_app(direction),
                1 => conversation.session.disable_raw(direction),
                _ => {}
            }
        }
        conversation.flush();
        conversation.session.release(&mut conversation.shared);
        prop_assert_eq!(conversation.shared.counters.reassembly_memuse, 0);
        prop_assert!(balances(&conversation), "{:?}", conversation.shared.account);
    }
}

/// Whether all bytes were handed out, left out or missing.
fn balances(conversation: &Conversation) -> bool {
    let account = conversation.shared.account;
    account.bytes == account.inspected + account.skipped + account.missing
}

/// Where segments and acknowledgements lie: about the depth, and far enough apart to be regions of their own.
fn place() -> impl Strategy<Value = i64> {
    (0_i64..12, -60_i64..60).prop_map(|(far, near)| (far * 150_000 + near).max(0))
}

/// A conversation over long distances, of few regions and little memory.
fn long_distance(tells_beyond: bool) -> Conversation {
    let mut conversation = Conversation::new(|settings| {
        (settings.depth, settings.max_regions, settings.reassembly_memcap) = (600_000, 3, 2000);
        settings.tells_beyond = tells_beyond;
    });
    let scaled = |mut step: Step<'static>| {
        step.tcp.options.window_scale = Some(14);
        step
    };
    conversation.take(scaled(step(ToServer, SYN, -1, 0, b"")));
    conversation.take(scaled(step(ToClient, SYN | ACK, -1, 0, b"")));
    conversation.send(ToServer, ACK, 0, 0, b"");
    conversation.send(ToClient, ACK, 0, 0, b"");
    conversation
}

/// Returns the stream that rules and records see of a packet: as delivered, as inspected, and in numbers.
fn told(
    conversation: &mut Conversation,
    outcome: Option<StreamOutcome>,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let Conversation { session, settings, shared, .. } = conversation;
    let mut windows = Vec::new();
    while let Some(window) = session.raw(ToServer, settings, shared) {
        let (end, bytes) = (window.offset + window.bytes.len() as u64, window.bytes.to_vec());
        windows.push((window.offset, bytes));
        session.raw_inspected(ToServer, end, 0);
    }
    session.prune(ToServer, settings, shared);
    let regions = session.max_regions(ToServer);
    let gaps = (session.gaps(ToServer), session.gap_bytes(ToServer));
    let counted = format!("{:?}", shared.counters);
    let given = conversation.given();
    let given: Vec<Given> = given
        .into_iter()
        .filter(|given| !matches!(given, Given::Beyond(..) | Given::GapBeyond(..)))
        .collect();
    (outcome, given, windows, regions, gaps, counted)
}

proptest! {
    #[test]
    fn nothing_changes_where_the_sink_is_told_of_what_lies_beyond_the_depth(
        steps in proptest::collection::vec((place(), 0_usize..150, any::<bool>()), 0..60),
    ) {
        let [mut plain, mut beyond] = [false, true].map(long_distance);
        let bytes: Vec<u8> = (0..150).collect();
        for (place, length, acknowledges) in steps {
            let told = [&mut plain, &mut beyond].map(|conversation| {
                let outcome = match acknowledges {
                    true => conversation.send(ToClient, ACK, 0, place, b""),
                    false => conversation.send(ToServer, ACK, place, 0, &bytes[..length]),
                };
                told(conversation, Some(outcome))
            });
            prop_assert_eq!(&told[0], &told[1]);
        }
        let told = [&mut plain, &mut beyond].map(|conversation| {
            conversation.flush();
            told(conversation, None)
        });
        prop_assert_eq!(&told[0], &told[1]);
        let accounts = [&mut plain, &mut beyond].map(|conversation| {
            conversation.session.release(&mut conversation.shared);
            conversation.shared.account
        });
        prop_assert_eq!(accounts[0], accounts[1]);
    }
}
