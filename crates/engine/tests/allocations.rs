//! Packets of flows that are under way, and give no record, allocate nothing; and flows that wait cost
//! little.

#![allow(clippy::expect_used, clippy::panic)]

use std::alloc::System;
use std::path::Path;
use std::sync::{Arc, Mutex};

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use weir_base::Duration;
use weir_config::Settings;
use weir_config::logging::LoggingSettings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::{Engine, Inputs, RunOptions, ZeekChoice};
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, Frame, Random, TimedFrame, merged, tcp_flags};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Tests look at the memory of the process: one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

/// Bytes that each stream carries. Between two reports of progress lie 20,000 packets.
const STREAM_BYTES: usize = 3_000_000;

/// Bytes of a segment, and of as many as are acknowledged at a time.
const SEGMENT_SIZE: usize = 200;
const ACKNOWLEDGED: usize = 3 * SEGMENT_SIZE;

/// Datagrams of each side.
const DATAGRAMS: u64 = 10_000;

/// Buffers grow now and then, the more slowly the larger they are.
const ALLOCATIONS_PER_PACKET: f64 = 0.01;

/// Flows that wait.
const OPENINGS: u64 = 110_000;

/// What one of those costs: 512 bytes, and the room that tables have by doubling, which over the flows
/// that are looked at is that of one in ten.
const BYTES_PER_FLOW: f64 = 528.0;

/// What one costs that has no session, because it was under way before or memory for sessions is used up.
const BYTES_WITHOUT_SESSION: f64 = 300.0;

/// Rules that look at all there is, and never match.
const RULES: &str = "\
alert tcp any any -> any any (msg:\"stream\"; content:\"never to be seen\"; sid:1;)
alert tcp any any -> any any (msg:\"packet\"; dsize:>10; content:\"nor is this\"; sid:2;)
alert udp any any -> any any (msg:\"datagram\"; content:\"|00 01 02 03 04 05 06|\"; sid:3;)
alert http any any -> any any (msg:\"body\"; http.response_body; content:\"not in a body\"; sid:4;)
alert ip any any -> any any (msg:\"hops\"; ttl:1; sid:5;)
";

/// Text without what rules or protocols could find in it.
fn noise(length: usize) -> Vec<u8> {
    let mut random = Random::new(length as u64);
    (0..length).map(|_| b'0' + random.below(10) as u8).collect()
}

/// A stream of no known protocol, one that was under way before, one of HTTP, and datagrams.
fn traffic() -> Vec<TimedFrame> {
    let conversation = |client, server| Conversation::new(client, server).segment_size(SEGMENT_SIZE);
    let unknown =
        conversation("10.0.0.1:40001", "10.0.0.2:9999").handshake().client_sends(noise(STREAM_BYTES));
    let under_way = conversation("10.0.0.7:40003", "10.0.0.8:9999").client_sends(noise(STREAM_BYTES));
    let body = noise(STREAM_BYTES);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let download = conversation("10.0.0.3:40002", "10.0.0.4:80")
        .handshake()
        .client_sends("GET /file HTTP/1.1\r\nHost: example.com\r\n\r\n")
        .server_sends(head);
    let download = body.chunks(ACKNOWLEDGED).fold(download, Conversation::server_sends);
    let datagrams = (0..DATAGRAMS).flat_map(|number| {
        let time = START.plus(Duration::from_millis(number));
        let there = Frame::ethernet().ipv4("10.0.0.5", "10.0.0.6").udp(5555, 6666);
        let back = Frame::ethernet().ipv4("10.0.0.6", "10.0.0.5").udp(6666, 5555);
        [there, back].map(|frame| TimedFrame { time, bytes: frame.payload(noise(100)).build() })
    });
    merged([unknown.frames(), under_way.frames(), download.frames(), datagrams.collect()])
}

/// Flows of which only the first packet is seen: many more than the table has room for from the start.
fn openings(transport: fn(Frame, u64) -> Frame) -> Vec<TimedFrame> {
    let opening = |number: u64| {
        let client = format!("10.0.0.{}", number % 50);
        let frame = transport(Frame::ethernet().ipv4(&client, "192.0.2.1"), number);
        TimedFrame { time: START, bytes: frame.build() }
    };
    (0..OPENINGS).map(opening).collect()
}

fn syn(frame: Frame, number: u64) -> Frame {
    frame.tcp(1024 + (number / 50) as u16, 80).seq(number as u32).flags(tcp_flags::SYN)
}

fn under_way(frame: Frame, number: u64) -> Frame {
    frame.tcp(1024 + (number / 50) as u16, 80).seq(number as u32).ack(1).payload(b"as I was saying")
}

fn datagram(frame: Frame, number: u64) -> Frame {
    frame.udp(1024 + (number / 50) as u16, 9).payload(b"anybody there?")
}

/// Bytes that are allocated now.
fn in_use() -> u64 {
    let stats = ALLOCATOR.stats();
    (stats.bytes_allocated - stats.bytes_deallocated) as u64
}

/// What is asked for of a run.
#[derive(Clone, Copy, Debug)]
struct Asked {
    rules: bool,
    zeek: bool,
    /// `stream.memcap`.
    sessions: &'static str,
}

/// What `look` found at each report of progress of a run, every 20,000 packets.
fn samples<T>(name: &str, frames: &[TimedFrame], asked: Asked, look: fn() -> T) -> Vec<T> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("input.pcap"), weir_testkit::pcap(ETHERNET, frames)).expect("a capture");
    std::fs::write(path("test.rules"), RULES).expect("rules");
    // Records of the counters come by the clock on the wall, which a slow machine has more of.
    let sessions = format!("stream.memcap={}", asked.sessions);
    let settings = ["detect.sgh-mpm-caching=no", "flow.memcap=1gb", &sessions, "stats.enabled=no"];
    let settings = Settings::built_in(&settings).expect("settings");
    let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
    let (log, _) = EngineLog::open(&logging, &folder, 0, false);
    let zeek = asked.zeek.then_some(ZeekChoice::Tsv);
    let options = RunOptions { disable_detection: !asked.rules, zeek, ..RunOptions::default() };
    let only = vec![path("test.rules").to_string_lossy().into_owned()];
    let files = RuleFiles { only, ..RuleFiles::default() };
    let engine = Engine::new(settings, options, &files, &folder, Arc::new(log)).expect("an engine");
    let inputs = Inputs::files(vec![path("input.pcap")]);
    let mut samples = Vec::with_capacity(64);
    engine.run(&inputs, &mut |_| samples.push(look())).expect("a run");
    assert!(samples.len() >= 3, "{} samples of {} packets", samples.len(), frames.len());
    let _ = std::fs::remove_dir_all(&folder);
    samples
}

/// Allocations for each packet between the first report of progress and the last.
fn allocations_per_packet(asked: Asked) -> f64 {
    let stats = || ALLOCATOR.stats();
    let name = format!("allocations_{}_{}", asked.rules, asked.zeek);
    let samples = samples(&name, &traffic(), asked, stats);
    let (Some(first), Some(last)) = (samples.get(1), samples.last()) else { panic!("too few packets") };
    let made = |stats: &stats_alloc::Stats| stats.allocations + stats.reallocations;
    (made(last) - made(first)) as f64 / ((samples.len() - 2) * 20_000) as f64
}

#[test]
fn packets_under_way_allocate_nothing() {
    let _alone = ALONE.lock();
    for (rules, zeek) in [(false, false), (true, false), (false, true), (true, true)] {
        let asked = Asked { rules, zeek, sessions: "1gb" };
        let found = allocations_per_packet(asked);
        assert!(found < ALLOCATIONS_PER_PACKET, "{found} allocations for each packet, {asked:?}");
    }
}

#[test]
fn a_flow_that_waits_costs_little() {
    let _alone = ALONE.lock();
    for (name, transport, sessions, most) in [
        ("TCP", syn as fn(Frame, u64) -> Frame, "1gb", BYTES_PER_FLOW),
        ("TCP beyond the memcap", syn, "64kb", BYTES_WITHOUT_SESSION),
        ("TCP under way", under_way, "1gb", BYTES_WITHOUT_SESSION),
        ("UDP", datagram, "1gb", BYTES_PER_FLOW),
    ] {
        let asked = Asked { rules: true, zeek: false, sessions };
        let samples = samples(&format!("openings_{name}"), &openings(transport), asked, in_use);
        let (Some(&first), Some(&last)) = (samples.get(2), samples.get(5)) else { panic!("too few packets") };
        let each = last.saturating_sub(first) as f64 / 60_000.0;
        println!("{name}: {each:.0} bytes for each flow that waits");
        assert!(each <= most, "{name}: {each}");
    }
}
