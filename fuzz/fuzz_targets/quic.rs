//! Any datagrams from both sides of a conversation over QUIC, to the parser and to Zeek's logger. As bytes that
//! come by chance are never what someone protected, each datagram is also taken for the frames of a packet.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::zeek::{FileFate, FilePart, WholeFile};
use weir_applayer::{File, Transport, ZeekConnection, ZeekSink, ZeekStream, ZeekValue};
use weir_base::{Direction, JsonWriter, PerDirection, Timestamp};
use weir_fuzz::{Head, datagrams, endpoints};
use weir_protocols::quic::crypto::CryptoStream;
use weir_protocols::quic::extension::Hello;
use weir_protocols::quic::frames::Frame;
use weir_protocols::quic::header::Packet;
use weir_protocols::quic::{QUIC, frames, google, zeek};

/// Rows of logs go nowhere.
struct Nowhere;

impl ZeekSink for Nowhere {
    fn row(
        &mut self,
        stream: &'static ZeekStream,
        _: &ZeekConnection<'_>,
        _: Timestamp,
        values: &[ZeekValue<'_>],
    ) {
        assert_eq!(stream.columns.len(), values.len());
    }
    fn weird(&mut self, _: &ZeekConnection<'_>, _: Timestamp, _: &str, _: Option<&str>) {}
    fn file(&mut self, _: &ZeekConnection<'_>, _: &File, _: FileFate) -> String {
        String::new()
    }
    fn file_part(&mut self, _: &ZeekConnection<'_>, _: &[u8], _: &File) -> FilePart {
        FilePart::default()
    }
    fn whole_file(&mut self, _: &ZeekConnection<'_>, _: &WholeFile<'_>) -> String {
        String::new()
    }
    fn service(&mut self, _: &ZeekConnection<'_>, _: &'static str) {}
}

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
    let endpoints = endpoints(&QUIC, Transport::Udp);
    let connection = ZeekConnection { endpoints: &endpoints, start: Timestamp(1), uid: b"C1" };
    let mut logger = (zeek::DATAGRAMS.open)();
    let mut streams: PerDirection<CryptoStream> = PerDirection::default();
    let mut rest = bytes;
    while let Some((direction, datagram, after)) = Head::TwoBytes.split(rest) {
        rest = after;
        content(direction, datagram, &mut streams[direction]);
        logger.datagram(&connection, direction, datagram, Timestamp(1), &mut Nowhere);
    }
    logger.end(&connection, &mut Nowhere);
});
