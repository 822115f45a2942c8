//! Packets in, rows' facts out.

use weir_base::Timestamp;
use weir_packet::{Decoder, DecoderSettings, LinkType, Packet, PacketList, RawPacket};
use weir_testkit::frame::tcp_flags::{ACK, FIN, PSH, RST, SYN};
use weir_testkit::{Conversation, Frame, TimedFrame};

use super::super::tests::decoded;
use super::ports::Ports;
use super::timeouts::Timeouts;
use super::{Connection, PacketView};
use crate::identifier;
use weir_base::Direction::{ToClient, ToServer};

/// A connection whose packets are counted in: all of them in full, or by a short way those that allow it.
struct Counted {
    connection: Connection,
    weird: Vec<&'static str>,
    short: usize,
}

impl Counted {
    fn new(packet: &Packet<'_>) -> Self {
        let view = PacketView::of(packet).unwrap();
        let connection = Connection::new(&view, identifier::of_number(b'C', 1), None, &Ports::default());
        Self { connection, weird: Vec::new(), short: 0 }
    }

    fn packet(&mut self, packet: &Packet<'_>, shortly: bool) {
        let connection = &mut self.connection;
        let short = || {
            let segment = PacketView::next_segment(packet);
            let datagram = PacketView::next_datagram(packet);
            segment
                .and_then(|segment| connection.goes_on(&segment, packet))
                .or_else(|| connection.datagram(&datagram?))
        };
        if shortly && { short }().is_some() {
            self.short += 1;
            return;
        }
        let view = PacketView::of(packet).unwrap();
        self.connection
            .packet(&view, &Timeouts::default(), &Ports::default(), &mut |name| self.weird.push(name));
    }
}

/// The connection of frames, and what was weird.
fn followed(frames: &[TimedFrame]) -> (Connection, Vec<&'static str>) {
    let [full, _] = counted(frames);
    (full.connection, full.weird)
}

/// Counts frames in full and by the short way, which must agree.
fn counted(frames: &[TimedFrame]) -> [Counted; 2] {
    let mut both: Option<[Counted; 2]> = None;
    decoded(frames, |_, packets| {
        let packet = packets.outer().unwrap();
        let both = both.get_or_insert_with(|| [Counted::new(packet), Counted::new(packet)]);
        for (counted, shortly) in both.iter_mut().zip([false, true]) {
            counted.packet(packet, shortly);
        }
    });
    let both = both.unwrap();
    let [full, short] =
        both.each_ref().map(|counted| format!("{:?} {:?}", counted.connection, counted.weird));
    assert_eq!(full, short);
    both
}

fn talk() -> Conversation {
    Conversation::new("10.0.0.1:40000", "192.0.2.1:80")
}

#[test]
fn histories_and_states_of_tcp() {
    type Case = (&'static str, Conversation, &'static str, &'static str, (u64, u64));
    let cases: Vec<Case> = vec![
        (
            "complete",
            talk().handshake().client_sends("GET").server_sends("answer").close(),
            "ShADadFf",
            "SF",
            (3, 6),
        ),
        ("a SYN alone", talk().segment(ToServer, SYN, b""), "S", "S0", (0, 0)),
        (
            "refused",
            talk().segment(ToServer, SYN, b"").segment(ToClient, RST | ACK, b""),
            "Sr",
            "REJ",
            (0, 0),
        ),
        ("established only", talk().handshake(), "ShA", "S1", (0, 0)),
        (
            "reset by the client",
            talk().handshake().client_sends("x").reset(ToServer),
            "ShADaR",
            "RSTO",
            (1, 0),
        ),
        (
            "reset by the server",
            talk().handshake().client_sends("x").reset(ToClient),
            "ShADar",
            "RSTR",
            (1, 0),
        ),
        (
            "met in the middle",
            talk().segment(ToServer, PSH | ACK, b"hello").segment(ToClient, ACK, b""),
            "Da",
            "OTH",
            (5, 0),
        ),
        ("the server first", talk().segment(ToClient, SYN | ACK, b""), "^h", "OTH", (0, 0)),
        ("a FIN alone", talk().segment(ToServer, FIN | ACK, b""), "F", "SH", (0, 0)),
        ("a RST alone", talk().segment(ToServer, RST, b""), "R", "OTH", (0, 0)),
        ("given up", talk().segment(ToServer, SYN, b"").segment(ToServer, RST, b""), "SR", "RSTOS0", (0, 0)),
        ("a SYN that resets", talk().segment(ToServer, SYN | RST, b""), "Q", "OTH", (0, 0)),
        ("a FIN that resets", talk().segment(ToServer, FIN | RST, b""), "I", "OTH", (0, 0)),
        (
            "both have ended, and then a RST",
            talk().handshake().close().segment(ToServer, RST, b""),
            "ShAFafR",
            "SF",
            (0, 0),
        ),
        (
            "acknowledged before it is answered",
            talk().segment(ToServer, SYN, b"").segment(ToClient, ACK, b""),
            "Sa",
            "S0",
            (0, 0),
        ),
        ("both ask", talk().segment(ToServer, SYN, b"").segment(ToClient, SYN, b""), "Ss", "S1", (0, 0)),
    ];
    for (what, talk, history, state, sizes) in cases {
        let (connection, _) = followed(&talk.frames());
        assert_eq!((connection.history(), connection.state()), (history.as_bytes(), state), "{what}");
        assert_eq!(connection.sizes(), sizes, "{what}");
    }
}

#[test]
fn missing_bytes_are_counted_when_acknowledged() {
    let talk = talk().handshake().loses(ToServer, 100).client_sends("abc").server_sends("ok");
    let (connection, _) = followed(&talk.frames());
    assert_eq!(connection.missed(), 100);
    assert!(connection.history().contains(&b'G'), "{:?}", connection.history());
}

#[test]
fn what_was_not_captured_whole_is_missing() {
    let mut frames = talk().handshake().client_sends("abcdef").server_sends("ok").frames();
    let cut = frames.iter_mut().find(|frame| frame.bytes.ends_with(b"abcdef")).unwrap();
    cut.bytes.truncate(cut.bytes.len() - 1);
    let (connection, weirds) = followed(&frames);
    assert_eq!((connection.missed(), connection.sizes().0), (6, 6));
    assert_eq!(weirds, ["truncated_tcp_payload"]);
}

#[test]
fn the_end_waits_for_what_is_not_acknowledged() {
    let said = || talk().handshake().segment(ToClient, PSH | ACK, b"answer");
    // How many of the last packets come after the end.
    let cases = [
        ("all was acknowledged", said().close(), 1),
        (
            "an answer was not",
            said().segment(ToServer, FIN, b"").segment(ToClient, FIN | ACK, b"").segment(ToServer, RST, b""),
            0,
        ),
        (
            "it was, later",
            said()
                .segment(ToServer, FIN, b"")
                .segment(ToClient, FIN | ACK, b"")
                .segment(ToServer, ACK, b"")
                .segment(ToServer, RST, b""),
            1,
        ),
        ("a part was never seen", talk().handshake().loses(ToClient, 9).close(), 1),
    ];
    for (what, conversation, after) in cases {
        let frames = conversation.frames();
        let (connection, _) = followed(&frames);
        let last = frames[frames.len() - 1 - after].time;
        assert_eq!(connection.duration(), last.since(frames[0].time), "{what}");
    }
}

#[test]
fn oddities_have_names() {
    // Both ends have ports of services: which of them serves is not clear.
    let unclear = || Conversation::new("10.0.0.1:80", "192.0.2.1:8080").segment(ToClient, SYN | ACK, b"");
    let asked = || talk().segment(ToClient, SYN | ACK, b"");
    let cases: Vec<(Conversation, Vec<&str>)> = vec![
        (
            talk().segment(ToServer, SYN, b"").segment(ToServer, PSH | ACK, b"data"),
            vec!["data_before_established", "possible_split_routing"],
        ),
        (talk().segment(ToServer, SYN, b"data"), vec!["SYN_with_data"]),
        (talk().segment(ToServer, SYN | RST, b""), vec!["TCP_christmas"]),
        (talk().segment(ToServer, SYN, b"").segment(ToClient, SYN, b""), vec!["simultaneous_open"]),
        (
            talk().segment(ToServer, SYN, b"").segment(ToServer, SYN | ACK, b""),
            vec!["SYN_seq_jump", "repeated_SYN_with_ack"],
        ),
        (
            unclear().segment(ToClient, PSH | ACK, b"data"),
            vec!["connection_originator_SYN_ack", "data_before_established"],
        ),
        (
            unclear().segment(ToClient, FIN | ACK, b""),
            vec!["connection_originator_SYN_ack", "inappropriate_FIN"],
        ),
        (asked().segment(ToClient, PSH | ACK, b"data").segment(ToClient, FIN | ACK, b""), vec![]),
    ];
    for (talk, expected) in cases {
        assert_eq!(followed(&talk.frames()).1, expected);
    }
}

/// A SYN+ACK between ports that tell nothing is its sender's unless somebody goes on with the connection.
#[test]
fn what_goes_on_behind_a_syn_ack_makes_its_sender_the_responder() {
    let begun = || Conversation::new("10.0.0.1:4000", "192.0.2.1:5000").segment(ToClient, SYN | ACK, b"");
    let cases: Vec<(Conversation, &[u8], u16)> = vec![
        (begun(), b"H", 4000),
        (begun().segment(ToClient, SYN | ACK, b""), b"H", 4000),
        (begun().segment(ToServer, ACK, b""), b"^hA", 5000),
        (begun().segment(ToClient, ACK, b"").segment(ToClient, FIN | ACK, b""), b"^haf", 5000),
        (begun().segment(ToServer, PSH | ACK, b"ask").segment(ToClient, PSH | ACK, b"answer"), b"^hDd", 5000),
    ];
    for (talk, history, responder) in cases {
        let (mut connection, _) = followed(&talk.frames());
        let sizes = connection.sizes();
        connection.settle_ends();
        assert_eq!(connection.history().escape_ascii().to_string(), history.escape_ascii().to_string());
        assert_eq!(connection.responder().1, responder, "{}", history.escape_ascii());
        assert_eq!(connection.sizes(), sizes);
    }
}

#[test]
fn windows_that_are_taken_back_are_odd() {
    let segment = |second: u64, seq: u32, window: u16| {
        let frame = Frame::ethernet().ipv4("10.0.0.1", "192.0.2.1").tcp(40000, 80);
        let bytes = frame.seq(seq).ack(1).flags(ACK).window(window).build();
        TimedFrame { time: Timestamp::new(second, 0), bytes }
    };
    for (windows, odd) in [
        ([1000, 1000, 2000], false),
        ([1000, 999, 999], true),
        ([1000, 500, 1000], true),
        ([0, 1000, 0], true),
    ] {
        let frames: Vec<TimedFrame> = windows
            .iter()
            .zip(1..)
            .map(|(window, number)| segment(u64::from(number), number, *window))
            .collect();
        assert_eq!(followed(&frames).1.contains(&"window_recision"), odd, "{windows:?}");
    }
}

#[test]
fn datagrams() {
    let frame = |bytes: Vec<u8>, second| TimedFrame { time: Timestamp::new(second, 0), bytes };
    let ask = Frame::ethernet().ipv4("10.0.0.1", "8.8.8.8").udp(5000, 53).payload(b"ask").build();
    let answer = Frame::ethernet().ipv4("8.8.8.8", "10.0.0.1").udp(53, 5000).payload(b"answer").build();
    let (connection, _) = followed(&[frame(ask.clone(), 1), frame(answer.clone(), 2)]);
    assert_eq!((connection.history(), connection.state(), connection.sizes()), (&b"Dd"[..], "SF", (3, 6)));
    assert_eq!((connection.sides[0].ip_bytes, connection.sides[1].ip_bytes), (31, 34));
    assert_eq!(connection.deadline(&Timeouts::default()), Timestamp::new(11, 0), "DNS is given up early");
    let more = [(&ask, 1), (&answer, 2), (&answer, 3), (&ask, 4)];
    let [_, short] = counted(&more.map(|(bytes, second)| frame(bytes.clone(), second)));
    assert_eq!((short.connection.sizes(), short.short), ((6, 12), 3));
    let (flipped, _) = followed(&[frame(answer, 1)]);
    assert_eq!((flipped.history(), flipped.state(), flipped.sizes()), (&b"^d"[..], "SHR", (0, 6)));
    assert_eq!(flipped.responder().1, 53);
}

#[test]
fn echo_messages_are_one_connection() {
    let frame = |bytes: Vec<u8>| TimedFrame { time: Timestamp::new(1, 0), bytes };
    let ask =
        Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").icmpv4(8, 0, [0, 1, 0, 1]).payload(b"1234").build();
    let answer =
        Frame::ethernet().ipv4("10.0.0.2", "10.0.0.1").icmpv4(0, 0, [0, 1, 0, 1]).payload(b"1234").build();
    let (connection, _) = followed(&[frame(ask), frame(answer)]);
    assert_eq!((connection.originator().1, connection.responder().1), (8, 0));
    assert_eq!((connection.state(), connection.sizes(), connection.transport()), ("OTH", (4, 4), "icmp"));
}

/// A long conversation from these sequence numbers on.
fn exchange(client: u32, server: u32) -> Conversation {
    let mut talk = talk().sequence_numbers(client, server).segment_size(700).handshake();
    for round in 0..6 {
        talk = talk.client_sends(vec![b'q'; 300]).server_sends(vec![b'a'; 1500 + round]);
    }
    talk
}

#[test]
fn most_segments_go_the_short_way() {
    for (client, server, least) in [(1000, 2000, 20), (u32::MAX - 900, 7, 8)] {
        let [_, short] = counted(&exchange(client, server).close().frames());
        assert!(short.short >= least, "{}", short.short);
        assert_eq!(short.connection.sizes(), (1800, 9015));
        assert_eq!(short.connection.history(), b"ShADadFf");
    }
}

#[test]
fn the_short_way_changes_nothing_whatever_comes() {
    let starts = [(1000, 2000), (u32::MAX - 900, 5), (5, u32::MAX - 4000), (3 << 30, 3 << 30)];
    let mut random = 1u64;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for (client, server) in starts.into_iter().cycle().take(600) {
        let whole = exchange(client, server).loses(ToServer, 10).client_sends("more").close();
        let mut frames = whole.frames();
        for _ in 0..draw(8) {
            let (one, other) = (draw(frames.len()), draw(frames.len()));
            let next = (one + 1).min(frames.len() - 1);
            match draw(4) {
                0 => frames.swap(one, next),
                1 if frames.len() > 1 => drop(frames.remove(one)),
                2 => frames.insert(other, frames[one].clone()),
                _ => frames.truncate(one.max(1)),
            }
        }
        counted(&frames);
    }
}

#[test]
fn a_fragment_that_is_its_whole_datagram_counts_without_its_header() {
    let packet = Frame::bare().ipv6("2001:db8::1", "2001:db8::2").udp(1, 2).payload(b"data").build();
    let [fragment] = weir_testkit::fragment_ipv6(&packet, 2000, 1).try_into().unwrap();
    for bytes in [&packet, &fragment] {
        let raw = RawPacket {
            number: 1,
            time: Timestamp(1),
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes,
        };
        let mut list = PacketList::new();
        Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
        let view = PacketView::of(list.outer().unwrap()).unwrap();
        assert_eq!(view.ip_length as usize, packet.len());
    }
}
