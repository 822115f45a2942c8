//! Any datagrams from both sides of a conversation over QUIC, to the parser and to Zeek's logger. As bytes that
//! come by chance are never what someone protected, each datagram is also taken for the frames of a packet.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_base::{Direction, JsonWriter, PerDirection};
use weir_fuzz::{Head, datagrams, logged};
use weir_protocols::quic::crypto::CryptoStream;
use weir_protocols::quic::extension::Hello;
use weir_protocols::quic::frames::Frame;
use weir_protocols::quic::header::Packet;
use weir_protocols::quic::{QUIC, frames, google, zeek};

/// What stands in packets, without its protection.
fn content(direction: Direction, bytes: &[u8], stream: &mut CryptoStream) {
    let _ = frames::each(bytes, |frame| {
        if let Frame::Crypto { offset, data } = frame {
            let _ = stream.insert(offset, data);
        }
    });
    if let Some(hello) = Hello::read(direction, stream.start()) {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        hello.write_extensions(&mut json);
        json.close_object();
    }
    if let Some(packet) = Packet::read(bytes) {
        let _ = google::hello(packet.version, bytes.get(packet.number_at..).unwrap_or_default());
    }
}

fuzz_target!(|bytes: &[u8]| {
    datagrams(&QUIC, Head::TwoBytes, bytes);
    logged(&zeek::DATAGRAMS, Head::TwoBytes, bytes);
    let mut streams: PerDirection<CryptoStream> = PerDirection::default();
    let mut rest = bytes;
    while let Some((direction, datagram, after)) = Head::TwoBytes.split(rest) {
        rest = after;
        content(direction, datagram, &mut streams[direction]);
    }
});
