//! Packets that took long, as a table, as objects, and as a capture (pcapng, draft-ietf-opsawg-pcapng) that repeats them.

use std::fmt::Write;

use weir_base::JsonWriter;

use crate::worker::slow::{Slow, SlowPacket, TOGETHER};

/// Name of the capture, in the folder for logs.
pub(super) const FILE: &str = "slow.pcapng";

/// Types of blocks and options.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const COMMENT: u16 = 1;
const RESOLUTION: u16 = 9;

/// Times that packets took long, with the number of the worker, the longest first.
pub(super) fn sorted(workers: &[(usize, Vec<Slow>)]) -> Vec<(usize, &Slow)> {
    let mut all: Vec<(usize, &Slow)> =
        workers.iter().flat_map(|(worker, slow)| slow.iter().map(move |slow| (*worker, slow))).collect();
    all.sort_by_key(|(worker, slow)| (std::cmp::Reverse(slow.ticks), *worker));
    all
}

fn micros(slow: &Slow, ticks_per_second: f64) -> u64 {
    (slow.ticks as f64 * 1e6 / ticks_per_second.max(1.0)) as u64
}

/// Returns the first and the last number of some packets.
fn numbers(slow: &Slow) -> (u64, u64) {
    let number = |packet: Option<&SlowPacket>| packet.map_or(0, |packet| packet.number);
    (number(slow.packets.first()), number(slow.packets.last()))
}

/// Returns the ends of the packets in words, each once.
fn flows(slow: &Slow) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for ends in slow.packets.iter().filter_map(|packet| packet.ends.as_deref()) {
        if !all.contains(&ends) {
            all.push(ends);
        }
    }
    all
}

/// Appends the table.
pub(super) fn write_text(
    workers: &[(usize, Vec<Slow>)],
    ticks_per_second: f64,
    limit: usize,
    out: &mut String,
) {
    let _ = writeln!(
        out,
        "  {:>12}  {:>6}  {:<24} {:<32} Flows",
        "Microseconds", "Worker", "Packets", "Time of the first"
    );
    for (worker, slow) in sorted(workers).into_iter().take(limit) {
        let (first, last) = numbers(slow);
        let time = slow.packets.first().map(|packet| packet.time.iso8601()).unwrap_or_default();
        let micros = micros(slow, ticks_per_second);
        let packets = format!("{first} to {last}");
        let flows = flows(slow).join(", ");
        let _ = writeln!(out, "  {micros:>12}  {worker:>6}  {packets:<24} {time:<32} {flows}");
    }
    let _ = writeln!(out, "\n  Up to {TOGETHER} packets are timed together; {FILE} among the logs has them.");
}

/// Adds the rows to an object.
pub(super) fn write_json(workers: &[(usize, Vec<Slow>)], ticks_per_second: f64, json: &mut JsonWriter<'_>) {
    json.objects("slow", sorted(workers), |json, (worker, slow)| {
        json.unsigned("microseconds", micros(slow, ticks_per_second));
        json.unsigned("worker", worker as u64);
        json.array("packets");
        slow.packets.iter().for_each(|packet| json.push_unsigned(packet.number));
        json.close_array();
        json.array("flows");
        flows(slow).iter().for_each(|ends| json.push_string(ends));
        json.close_array();
        json.optional_string("time", slow.packets.first().map(|packet| packet.time.iso8601()));
    });
}

/// Appends a block with its two lengths.
fn block(out: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let padding = body.len().next_multiple_of(4) - body.len();
    let length = (body.len() + padding + 12) as u32;
    out.extend(kind.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(body);
    out.extend(std::iter::repeat_n(0, padding));
    out.extend(length.to_le_bytes());
}

/// Appends an option, padded.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    body.extend(std::iter::repeat_n(0, value.len().next_multiple_of(4) - value.len()));
}

/// Returns a capture of the packets, in their order; each has a comment that says how long it took.
pub(super) fn capture(workers: &[(usize, Vec<Slow>)], ticks_per_second: f64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut body = Vec::new();
    body.extend(0x1a2b_3c4du32.to_le_bytes());
    body.extend([1, 0, 0, 0]);
    body.extend(u64::MAX.to_le_bytes());
    block(&mut out, SECTION_HEADER, &body);
    let mut links: Vec<i32> = Vec::new();
    let all = sorted(workers);
    let mut packets: Vec<(&SlowPacket, usize, u64)> = all
        .iter()
        .flat_map(|(worker, slow)| {
            slow.packets.iter().map(|packet| (packet, *worker, micros(slow, ticks_per_second)))
        })
        .collect();
    packets.sort_by_key(|(packet, _, _)| (packet.time, packet.number));
    for (packet, worker, micros) in packets {
        let link = i32::from(packet.link.0);
        let interface = links.iter().position(|known| *known == link).unwrap_or_else(|| {
            body.clear();
            body.extend((link as u16).to_le_bytes());
            body.extend([0, 0]);
            body.extend(0u32.to_le_bytes());
            // Nanoseconds.
            option(&mut body, RESOLUTION, &[9]);
            option(&mut body, 0, &[]);
            block(&mut out, INTERFACE, &body);
            links.push(link);
            links.len() - 1
        });
        body.clear();
        body.extend((interface as u32).to_le_bytes());
        body.extend(((packet.time.0 >> 32) as u32).to_le_bytes());
        body.extend((packet.time.0 as u32).to_le_bytes());
        body.extend((packet.bytes.len() as u32).to_le_bytes());
        body.extend(packet.wire_length.to_le_bytes());
        body.extend(&*packet.bytes);
        body.extend(std::iter::repeat_n(0, packet.bytes.len().next_multiple_of(4) - packet.bytes.len()));
        let number = packet.number;
        let ends = packet.ends.as_deref().unwrap_or("no IP");
        let comment =
            format!("packet {number} ({ends}): up to {TOGETHER} packets took worker {worker} {micros} us");
        option(&mut body, COMMENT, comment.as_bytes());
        option(&mut body, 0, &[]);
        block(&mut out, ENHANCED_PACKET, &body);
    }
    out
}
