use std::collections::VecDeque;

use weir_testkit::Random;

use super::*;

const NONE: [u64; 0] = [];

fn packet(time: u64, bytes: &[u8]) -> Handed<'_> {
    let raw = RawPacket {
        number: 0,
        time: Timestamp(time),
        link: LinkType::ETHERNET,
        wire_length: bytes.len() as u32 + 4,
        interface: 3,
        bytes,
    };
    Handed { raw, checksums: Checksums::Filled, fragment: None }
}

/// Times of what is due, 100 packets at most.
fn taken(inbox: &mut Inbox) -> Vec<u64> {
    let mut times = Vec::new();
    inbox.take(100, |packet| times.push(packet.raw.time.0));
    times
}

fn two() -> ((Outbox, Inbox), (Outbox, Inbox)) {
    let mut ends = with_queues_of(2, 1000);
    let second = ends.pop().unwrap();
    (ends.pop().unwrap(), second)
}

#[test]
fn facts_come_out_as_they_went_in() {
    let mut vlan = VlanTags::default();
    assert!(vlan.push(7) && vlan.push(4000));
    let fragment = FragmentFacts {
        number: 0,
        time: Timestamp(u64::MAX - 1),
        interface: u32::MAX,
        vlan,
        recursion: 3,
        decoded_layers: 9,
        below: 70_000,
    };
    let plain = packet(5, &[1, 2, 3]);
    let raw = RawPacket { time: fragment.time, interface: u32::MAX, link: LinkType(276), ..plain.raw };
    for sent in
        [plain, Handed { raw, checksums: Checksums::Unfilled, fragment: Some(fragment) }, packet(6, &[])]
    {
        let ((mut into, _inbox), (other, mut out)) = two();
        assert!(into.hand(1, &sent));
        [into, other].iter().for_each(Outbox::close);
        let mut seen = 0;
        out.take(9, |got| {
            assert_eq!(format!("{got:?}"), format!("{sent:?}"));
            seen += 1;
        });
        assert_eq!(seen, 1);
    }
}

#[test]
fn a_packet_is_due_when_all_threads_have_come_as_far() {
    let mut ends = with_queues_of(3, 1000);
    let (third, mut inbox) = ends.pop().unwrap();
    let (mut second, _) = ends.pop().unwrap();
    let (mut first, _) = ends.pop().unwrap();
    assert!(first.hand(2, &packet(20, b"b")) && second.hand(2, &packet(10, b"a")));
    assert_eq!(taken(&mut inbox), NONE, "its own ring may have something older");
    third.passed(Timestamp(15));
    assert_eq!(taken(&mut inbox), [10]);
    third.passed(Timestamp(30));
    assert_eq!(taken(&mut inbox), NONE, "the second thread may hand over something older");
    second.passed(Timestamp(19));
    assert_eq!(taken(&mut inbox), NONE);
    assert!(second.hand(2, &packet(21, b"c")));
    assert_eq!(taken(&mut inbox), [20], "there is a younger one already");
    first.passed(Timestamp(21));
    assert_eq!(taken(&mut inbox), [21]);
    assert!(inbox.is_empty() && !inbox.is_closed());
    assert!(first.hand(2, &packet(99, b"d")));
    drop((first, second));
    assert!(inbox.is_closed() && !inbox.is_empty());
    third.close();
    assert_eq!(taken(&mut inbox), [99]);
}

#[test]
fn a_queue_that_fills_is_not_held_back() {
    let ((mut into, _inbox), (_other, mut out)) = two();
    let bytes = [7; 100];
    let count = (1000 / (FACTS + bytes.len())) as u64;
    for time in 0..count + 2 {
        assert_eq!(into.hand(1, &packet(time, &bytes)), time < count);
    }
    assert_eq!(into.counters, HandingCounters { handed: count, lost: 2 });
    // Half of it is let go, the rest waits for the others.
    let due = taken(&mut out);
    assert!(!due.is_empty() && due.len() < count as usize, "{due:?}");
    assert!(into.hand(1, &packet(50, &bytes)), "there is room again");
    assert!(into.hand(0, &packet(1, b"x")) && !into.hand(2, &packet(1, b"x")), "to itself, and to nobody");
    assert_eq!(into.counters.handed, count + 1, "what a thread keeps does not count");
    assert!(!into.hand(1, &packet(1, &[0; 2000])), "it is longer than the queue");
}

#[test]
fn a_place_in_the_group_is_learned() {
    let ((mut first, _), (mut second, _)) = two();
    assert_eq!([6, 7].map(|hash| first.owner(hash)), [Some(Owner::This(0)), Some(Owner::Other(1))]);
    // After an interface was down the kernel has both in the other order.
    first.learn_seat(9);
    second.learn_seat(4);
    assert_eq!([6, 7].map(|hash| first.owner(hash)), [Some(Owner::Other(1)), Some(Owner::This(0))]);
    assert_eq!([6, 7].map(|hash| second.owner(hash)), [Some(Owner::This(1)), Some(Owner::Other(0))]);
    // Another program has a part of the packets.
    for hash in 0..100 {
        first.learn_seat(hash);
    }
    assert!(first.is_astray());
    assert_eq!([6, 7].map(|hash| first.owner(hash)), [None, None]);
}

/// Whatever the order in which two threads come to their queues: nothing is lost or altered, and each queue stays in order.
#[test]
fn any_interleaving_keeps_all_packets_in_order() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let threads = 2 + random.below(3) as usize;
        let mut ends = with_queues_of(threads, 600);
        let mut sent: Vec<Vec<VecDeque<Vec<u8>>>> = vec![vec![VecDeque::new(); threads]; threads];
        let (mut clock, mut handed, mut got) = (0, 0, 0);
        for step in 0..2000u64 {
            let thread = random.below(threads as u64) as usize;
            let to = random.below(threads as u64) as usize;
            match random.below(4) {
                0 | 1 => {
                    clock += 1;
                    let length = 9 + random.below(90) as usize;
                    let mut bytes = vec![step as u8; length];
                    bytes[..8].copy_from_slice(&(clock as u64).to_be_bytes());
                    if ends[thread].0.hand(to, &packet(clock, &bytes)) {
                        sent[thread][to].push_back(bytes);
                        handed += 1;
                    }
                }
                2 => ends[thread].0.passed(Timestamp(clock)),
                _ => got += take_checked(&mut ends[thread].1, thread, &mut sent, random.below(9) as usize),
            }
        }
        ends.iter().for_each(|(outbox, _)| outbox.close());
        for (thread, (_, inbox)) in ends.iter_mut().enumerate() {
            got += take_checked(inbox, thread, &mut sent, usize::MAX);
            assert!(inbox.is_empty() && inbox.is_closed());
        }
        assert!(handed > 100, "seed {seed}: {handed}");
        assert_eq!(got, handed, "seed {seed}");
    }
}

/// Takes packets out, each of which is the first of a queue.
fn take_checked(
    inbox: &mut Inbox,
    thread: usize,
    sent: &mut [Vec<VecDeque<Vec<u8>>>],
    limit: usize,
) -> usize {
    inbox.take(limit, |packet| {
        let queue = sent
            .iter_mut()
            .map(|of| &mut of[thread])
            .find(|queue| queue.front().is_some_and(|bytes| bytes.as_slice() == packet.raw.bytes));
        assert!(queue.and_then(VecDeque::pop_front).is_some(), "not the first of a queue: {packet:?}");
    })
}

#[test]
fn threads_hand_over_at_once() {
    const PACKETS: u64 = 20_000;
    let ((mut into, _inbox), (other, mut out)) = two();
    other.close();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..PACKETS {
                let bytes = number.to_be_bytes();
                while !into.hand(1, &packet(number, &bytes[..(number % 9) as usize])) {
                    std::thread::yield_now();
                }
            }
        });
        let mut next = 0;
        while next < PACKETS {
            out.take(64, |packet| {
                assert_eq!(packet.raw.time, Timestamp(next));
                assert_eq!(packet.raw.bytes, &next.to_be_bytes()[..(next % 9) as usize]);
                next += 1;
            });
        }
    });
}
