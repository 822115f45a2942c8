//! Captures for tests, byte by byte.

use super::record::ByteOrder;

/// Appends integers of one byte order.
pub(super) struct Bytes {
    pub(super) order: ByteOrder,
    pub(super) bytes: Vec<u8>,
}

impl Bytes {
    pub(super) fn new(order: ByteOrder) -> Self {
        Self { order, bytes: Vec::new() }
    }

    pub(super) fn u16(mut self, value: u16) -> Self {
        match self.order {
            ByteOrder::Big => self.bytes.extend(value.to_be_bytes()),
            ByteOrder::Little => self.bytes.extend(value.to_le_bytes()),
        }
        self
    }

    pub(super) fn u32(mut self, value: u32) -> Self {
        match self.order {
            ByteOrder::Big => self.bytes.extend(value.to_be_bytes()),
            ByteOrder::Little => self.bytes.extend(value.to_le_bytes()),
        }
        self
    }

    pub(super) fn u64(mut self, value: u64) -> Self {
        match self.order {
            ByteOrder::Big => self.bytes.extend(value.to_be_bytes()),
            ByteOrder::Little => self.bytes.extend(value.to_le_bytes()),
        }
        self
    }

    pub(super) fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }
}

/// The header of a classic capture.
pub(super) fn pcap_header(
    order: ByteOrder,
    magic: u32,
    version: (u16, u16),
    snapshot: u32,
    link: u32,
) -> Bytes {
    Bytes::new(order).u32(magic).u16(version.0).u16(version.1).u64(0).u32(snapshot).u32(link)
}

/// A classic capture of Ethernet packets, each a second after the one before.
pub(super) fn pcap(order: ByteOrder, packets: &[&[u8]]) -> Vec<u8> {
    let mut file = pcap_header(order, 0xa1b2_c3d4, (2, 4), 65_535, 1);
    for (second, packet) in (0..).zip(packets) {
        let length = packet.len() as u32;
        file = file.u32(second).u32(7).u32(length).u32(length + 1).raw(packet);
    }
    file.bytes
}

/// A pcapng block around `body`, which is padded.
pub(super) fn block(order: ByteOrder, kind: u32, body: Bytes) -> Vec<u8> {
    let mut body = body.bytes;
    body.resize(body.len().next_multiple_of(4), 0);
    let length = body.len() as u32 + 12;
    Bytes::new(order).u32(kind).u32(length).raw(&body).u32(length).bytes
}

/// A section header of unknown section length.
pub(super) fn section(order: ByteOrder) -> Vec<u8> {
    let body = Bytes::new(order).u32(0x1a2b_3c4d).u16(1).u16(0).u64(u64::MAX);
    block(order, 0x0a0d_0d0a, body)
}

/// An interface description with options as they are.
pub(super) fn interface(order: ByteOrder, link: u16, snapshot: u32, options: &[u8]) -> Vec<u8> {
    block(order, 1, Bytes::new(order).u16(link).u16(0).u32(snapshot).raw(options))
}

/// An enhanced packet.
pub(super) fn enhanced(order: ByteOrder, interface: u32, ticks: u64, packet: &[u8]) -> Vec<u8> {
    let body = Bytes::new(order).u32(interface).u32((ticks >> 32) as u32).u32(ticks as u32);
    let length = packet.len() as u32;
    let mut padded = packet.to_vec();
    padded.resize(packet.len().next_multiple_of(4), 0);
    let comment = Bytes::new(order).u16(1).u16(2).raw(b"hi\0\0").u32(0).bytes;
    block(order, 6, body.u32(length).u32(length + 1).raw(&padded).raw(&comment))
}
