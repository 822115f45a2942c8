//! Writes captures of attacks on an engine's memory and time to standard output:
//!
//! ```text
//! flood syn COUNT         SYNs from random addresses to one server
//! flood fragments COUNT   IPv4 fragments of datagrams that are never whole, some of them overlapping
//! flood stream BYTES      one TCP connection that carries so many bytes
//! flood holes BYTES       the same, with every hundredth segment missing for good
//! flood flows COUNT       so many TCP connections, all open at once, each with a request
//! ```
//!
//! Numbers may end in k, M or G. Time passes at [`PACKETS_PER_SECOND`] of capture time.

use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;

use weir_base::Timestamp;
use weir_testkit::capture_file::PcapWriter;
use weir_testkit::conversation::{SEGMENT_SIZE, START};
use weir_testkit::{Frame, Random, tcp_flags};

/// Packets in a second of capture time; with three for each flow, 200,000 new flows.
const PACKETS_PER_SECOND: u64 = 600_000;
/// The one who is attacked.
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 80));
/// Data bytes of a fragment; divides by eight.
const FRAGMENT_SIZE: u16 = 64;
/// One segment in so many is missing from a stream with holes.
const HOLE_EVERY: u64 = 100;

/// A capture being written, and its clock.
struct Flood<W: Write> {
    out: PcapWriter<W>,
    packets: u64,
}

impl<W: Write> Flood<W> {
    fn send(&mut self, frame: Frame) -> io::Result<()> {
        let nanos = self.packets * (1_000_000_000 / PACKETS_PER_SECOND);
        self.packets += 1;
        self.out.frame(Timestamp(START.0 + nanos), &frame.build())
    }

    fn syn(&mut self, count: u64) -> io::Result<()> {
        let mut random = Random::new(1);
        for _ in 0..count {
            let (client, port, seq) = (random_address(&mut random), random.number(), random.number());
            let syn = Frame::ethernet().ip(client, SERVER).tcp(port as u16 | 1024, 80);
            self.send(syn.seq(seq as u32).flags(tcp_flags::SYN))?;
        }
        Ok(())
    }

    fn fragments(&mut self, count: u64) -> io::Result<()> {
        let mut random = Random::new(2);
        let data = random.bytes(usize::from(FRAGMENT_SIZE));
        let mut sent = 0;
        while sent < count {
            let (client, id) = (random_address(&mut random), random.number() as u16);
            // From one fragment to many, with holes and overlaps, and never the last one.
            for _ in 0..=random.below(12) {
                let offset = random.below(64) as u16 * 8;
                let frame = Frame::ethernet().ip(client, SERVER).protocol(17).ip_id(id);
                self.send(frame.fragment(offset, true).payload(&data))?;
                sent += 1;
            }
        }
        Ok(())
    }

    fn stream(&mut self, bytes: u64, hole_every: Option<u64>) -> io::Result<()> {
        let client = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));
        let to_server = || Frame::ethernet().ip(client, SERVER).tcp(40_000, 9999);
        let to_client = || Frame::ethernet().ip(SERVER, client).tcp(9999, 40_000);
        self.send(to_server().seq(0).ack(0).flags(tcp_flags::SYN))?;
        self.send(to_client().seq(0).ack(1).flags(tcp_flags::SYN | tcp_flags::ACK))?;
        self.send(to_server().seq(1).ack(1))?;
        let data = Random::new(3).bytes(SEGMENT_SIZE);
        for segment in 0..bytes / SEGMENT_SIZE as u64 {
            let seq = (1 + segment * SEGMENT_SIZE as u64) as u32;
            if hole_every.is_none_or(|every| segment % every != 1) {
                self.send(to_server().seq(seq).ack(1).payload(&data))?;
            }
            if segment % 2 == 1 {
                self.send(to_client().seq(1).ack(seq.wrapping_add(SEGMENT_SIZE as u32)))?;
            }
        }
        Ok(())
    }

    fn flows(&mut self, count: u64) -> io::Result<()> {
        let mut random = Random::new(4);
        for flow in 0..count {
            let client = IpAddr::V4(Ipv4Addr::from(0x0a00_0000 | (flow >> 4) as u32));
            let port = 20_000 + (flow & 15) as u16;
            let (theirs, ours) = (random.number() as u32, random.number() as u32);
            let to_server = || Frame::ethernet().ip(client, SERVER).tcp(port, 80).seq(theirs.wrapping_add(1));
            let to_client = || Frame::ethernet().ip(SERVER, client).tcp(80, port).seq(ours);
            self.send(to_server().seq(theirs).ack(0).flags(tcp_flags::SYN))?;
            self.send(to_client().ack(theirs.wrapping_add(1)).flags(tcp_flags::SYN | tcp_flags::ACK))?;
            self.send(to_server().ack(ours.wrapping_add(1)))?;
        }
        Ok(())
    }
}

fn random_address(random: &mut Random) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from(random.number() as u32 | 0x0100_0000))
}

/// A number that may end in k, M or G.
fn amount(text: &str) -> Option<u64> {
    let factor = match text.chars().last()? {
        'k' => 1000,
        'M' => 1_000_000,
        'G' => 1_000_000_000,
        _ => 1,
    };
    text.trim_end_matches(['k', 'M', 'G']).parse::<u64>().ok()?.checked_mul(factor)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, size] = arguments.as_slice() else {
        eprintln!(
            "flood: say which flood and how large: syn 5M, fragments 2M, stream 4G, holes 1G, flows 1M."
        );
        return ExitCode::FAILURE;
    };
    let Some(size) = amount(size) else {
        eprintln!("flood: \"{size}\" is no number; write 5000000, 5000k or 5M.");
        return ExitCode::FAILURE;
    };
    let written =
        PcapWriter::new(BufWriter::with_capacity(1 << 20, io::stdout().lock()), 1).and_then(|out| {
            let mut flood = Flood { out, packets: 0 };
            match kind.as_str() {
                "syn" => flood.syn(size),
                "fragments" => flood.fragments(size),
                "stream" => flood.stream(size, None),
                "holes" => flood.stream(size, Some(HOLE_EVERY)),
                "flows" => flood.flows(size),
                other => Err(io::Error::other(format!("there is no flood \"{other}\""))),
            }
        });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("flood: {error}.");
            ExitCode::FAILURE
        }
    }
}
