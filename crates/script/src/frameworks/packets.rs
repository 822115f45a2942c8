//! The packet that is handled, what was received so far, and files of packets that scripts write.

use std::fs::{File, OpenOptions};
use std::io::Write as _;

use weir_base::event::ReadValue;

use crate::builtins::{Builtin, argument, row, text};
use crate::types::TypeId;
use crate::values::Value;
use crate::vm::Engine;

/// Longest packet that files of packets can hold, as their header says.
const SNAP_LENGTH: u32 = 9216;

/// A packet.
#[derive(Debug, Default)]
struct Captured {
    seconds: f64,
    length: u64,
    link: u64,
    bytes: Vec<u8>,
    header: Value,
}

/// What is known of packets.
#[derive(Default)]
pub struct Packets {
    /// The capture file that is read; empty where none is.
    pub path: String,
    /// The time of the packet whose events are handled; none where no packet caused them.
    pub time: Option<f64>,
    current: Option<Captured>,
    received: u64,
    bytes: u64,
    /// The file that was written last, which stays open.
    file: Option<(String, File)>,
}

impl Packets {
    /// Takes a packet: when it was captured, its length on the wire, its link type, its bytes; and its headers.
    pub fn take(&mut self, arguments: &[ReadValue<'_>], header: Value) {
        let [
            ReadValue::Time(seconds),
            ReadValue::Count(length),
            ReadValue::Count(link),
            ReadValue::String(bytes),
            ..,
        ] = arguments
        else {
            return;
        };
        let mut captured = self.current.take().unwrap_or_default();
        captured.bytes.clear();
        captured.bytes.extend_from_slice(bytes);
        (captured.seconds, captured.length, captured.link) = (*seconds, *length, *link);
        captured.header = header;
        self.received += 1;
        self.bytes += *length;
        self.current = Some(captured);
    }

    /// Returns the kind of the link of the packet at hand, and its bytes.
    pub fn current(&self) -> Option<(u64, &[u8])> {
        self.current.as_ref().map(|packet| (packet.link, packet.bytes.as_slice()))
    }

    /// No packet causes what follows.
    pub fn end(&mut self) {
        (self.time, self.current) = (None, None);
    }

    /// Appends the packet at hand to a file; none where there is no packet.
    pub fn dump_current(&mut self, name: &str) -> Option<std::io::Result<()>> {
        let captured = self.current.take()?;
        let (seconds, micros) = parts(captured.seconds);
        let record = Record {
            seconds: low(seconds),
            micros: low(micros),
            length: low(captured.length),
            bytes: &captured.bytes,
        };
        let done = self.dump(name, low(captured.link), &record);
        self.current = Some(captured);
        Some(done)
    }

    /// Appends a packet to a file.
    fn dump(&mut self, name: &str, link: u32, packet: &Record<'_>) -> std::io::Result<()> {
        let mut file = match self.file.take() {
            Some((known, file)) if known == name => file,
            _ => opened(name, link)?,
        };
        let size = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let mut out = Vec::with_capacity(16 + packet.bytes.len());
        for part in [packet.seconds, packet.micros, size(packet.bytes.len()), packet.length] {
            out.extend_from_slice(&part.to_le_bytes());
        }
        out.extend_from_slice(packet.bytes);
        file.write_all(&out)?;
        self.file = Some((name.to_owned(), file));
        Ok(())
    }
}

/// Opens a file of packets at its end; one that is new gets its header.
fn opened(name: &str, link: u32) -> std::io::Result<File> {
    let mut file = OpenOptions::new().append(true).create(true).open(name)?;
    if file.metadata()?.len() == 0 {
        let mut head = Vec::with_capacity(24);
        for part in [0xa1b2_c3d4, 0x0004_0002, 0, 0, SNAP_LENGTH, link] {
            head.extend_from_slice(&u32::to_le_bytes(part));
        }
        file.write_all(&head)?;
    }
    Ok(file)
}

/// A packet in a file.
struct Record<'a> {
    seconds: u32,
    micros: u32,
    length: u32,
    bytes: &'a [u8],
}

fn low(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn parts(seconds: f64) -> (u64, u64) {
    let micros = (seconds.max(0.0) * 1e6).round() as u64;
    (micros / 1_000_000, micros % 1_000_000)
}

/// Functions about packets; their declarations are in the prelude.
pub const ROWS: &[Builtin] = &[
    row("get_current_packet", "", |e, _| Ok(current(e))),
    row("get_current_packet_header", "", |e, _| {
        match e.frameworks.packets.current.as_ref().map(|packet| packet.header.clone()) {
            Some(header) if header.is_set() => Ok(header),
            _ => Ok(blank_header(e)),
        }
    }),
    row("get_current_packet_ts", "", |e, _| Ok(Value::Time(e.frameworks.packets.time.unwrap_or(0.0)))),
    row("dump_current_packet", "", |e, a| match e.frameworks.packets.dump_current(&text(a, 0)) {
        Some(done) => Ok(answer(e, &text(a, 0), done)),
        None => Ok(Value::Bool(false)),
    }),
    row("dump_packet", "", |e, a| {
        let Value::Record(given) = argument(a, 0) else { return Ok(Value::Bool(false)) };
        let number = |e: &Engine, name: &str| low(e.field(&given, name).count());
        let data = e.field(&given, "data");
        let link = if e.field(&given, "link_type").int() == 1 { 1 } else { 101 };
        let record = Record {
            seconds: number(e, "ts_sec"),
            micros: number(e, "ts_usec"),
            length: number(e, "len"),
            bytes: data.bytes(),
        };
        let done = e.frameworks.packets.dump(&text(a, 1), link, &record);
        Ok(answer(e, &text(a, 1), done))
    }),
    row("packet_source", "", |e, _| {
        let packets = &e.frameworks.packets;
        let link =
            packets.current.as_ref().map_or(i64::from(!packets.path.is_empty()), |one| one.link as i64);
        let fields = [
            ("live", Value::Bool(false)),
            ("path", Value::string(&packets.path)),
            ("link_type", Value::Int(link)),
            ("netmask", Value::Count(if packets.path.is_empty() { 0 } else { u64::from(u32::MAX) })),
        ];
        Ok(e.record_of("PacketSource", &fields))
    }),
    row("get_net_stats", "", |e, _| {
        let (received, bytes) = (e.frameworks.packets.received, e.frameworks.packets.bytes);
        let mut fields: Vec<(&str, Value)> =
            ["pkts_dropped", "pkts_link"].map(|name| (name, Value::Count(0))).to_vec();
        fields.extend([("pkts_recvd", Value::Count(received)), ("bytes_recvd", Value::Count(bytes))]);
        Ok(e.record_of("NetStats", &fields))
    }),
    row("Pcap::findalldevs", "", |e, _| {
        let ty = e.program.type_named("Pcap::Interfaces").unwrap_or(TypeId::ANY);
        Ok(e.empty_value(ty).unwrap_or_default())
    }),
];

/// Names of functions that ask for each packet.
pub const ASKING: [&str; 5] = [
    "get_current_packet",
    "get_current_packet_header",
    "dump_current_packet",
    "get_net_stats",
    "packet_source",
];

fn answer(engine: &mut Engine, name: &str, done: std::io::Result<()>) -> Value {
    if let Err(error) = &done {
        engine.complain(&format!("cannot write packets to {name}: {error}"));
    }
    Value::Bool(done.is_ok())
}

fn current(engine: &mut Engine) -> Value {
    let packets = &engine.frameworks.packets;
    let unset = Captured::default();
    let packet = packets.current.as_ref().unwrap_or(&unset);
    let (seconds, micros) = parts(packet.seconds);
    let kind = if packet.link == 1 { "LINK_ETHERNET" } else { "LINK_UNKNOWN" };
    let fields = [
        ("ts_sec", Value::Count(seconds)),
        ("ts_usec", Value::Count(micros)),
        ("caplen", Value::Count(packet.bytes.len() as u64)),
        ("len", Value::Count(packet.length)),
        ("data", Value::string(&packet.bytes)),
        ("link_type", engine.program.enum_named(kind).unwrap_or_default()),
    ];
    engine.record_of("pcap_packet", &fields)
}

/// Headers where there is no packet.
fn blank_header(engine: &mut Engine) -> Value {
    let link = [
        ("encap", engine.program.enum_named("LINK_UNKNOWN").unwrap_or_default()),
        ("len", Value::Count(0)),
        ("cap_len", Value::Count(0)),
        ("proto", engine.program.enum_named("L3_UNKNOWN").unwrap_or_default()),
    ];
    let link = engine.record_of("l2_hdr", &link);
    engine.record_of("raw_pkt_hdr", &[("l2", link)])
}

/// Returns the headers of a packet as a record of the type that scripts know.
pub fn header_type(engine: &Engine) -> TypeId {
    engine.program.type_named("raw_pkt_hdr").unwrap_or(TypeId::ANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_count_and_are_written_with_their_times() {
        let mut packets = Packets::default();
        assert!(packets.current.is_none());
        let arguments =
            [ReadValue::Time(2.5), ReadValue::Count(60), ReadValue::Count(1), ReadValue::String(b"abc")];
        packets.take(&arguments, Value::Unset);
        packets.take(&arguments, Value::Unset);
        assert_eq!((packets.received, packets.bytes), (2, 120));
        let folder = std::env::temp_dir().join(format!("weir-packets-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let name = folder.join("one.pcap");
        let (seconds, micros) = parts(2.5);
        let record = Record { seconds: low(seconds), micros: low(micros), length: 60, bytes: b"abc" };
        packets.dump(name.to_str().unwrap(), 1, &record).unwrap();
        packets.dump(name.to_str().unwrap(), 1, &record).unwrap();
        let written = std::fs::read(&name).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(written.len(), 24 + 2 * (16 + 3));
        assert_eq!(written[..8], [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]);
        assert_eq!(written[24..32], [2, 0, 0, 0, 0x20, 0xa1, 7, 0]);
        assert_eq!(written[36..43], [60, 0, 0, 0, b'a', b'b', b'c']);
        packets.end();
        assert!(packets.current.is_none() && packets.time.is_none());
    }
}
