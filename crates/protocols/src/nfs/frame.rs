//! The frames of NFS: messages of remote procedure calls, whole and in their parts, and what they carry.

use weir_applayer::{FrameKind, ParseContext};
use weir_base::Direction;

use super::rpc::{CALL_HEADER_LENGTH, Call, REPLY_HEADER_LENGTH, Reply};

/// Kinds of frames.
pub const NAMES: &[&str] = &[
    "rpc.pdu",
    "rpc.hdr",
    "rpc.data",
    "rpc.creds",
    "nfs.pdu",
    "nfs.status",
    "nfs4.pdu",
    "nfs4.hdr",
    "nfs4.ops",
    "nfs4.status",
];

const RPC_PDU: FrameKind = FrameKind(0);
const RPC_HEADER: FrameKind = FrameKind(1);
const RPC_DATA: FrameKind = FrameKind(2);
const RPC_CREDENTIALS: FrameKind = FrameKind(3);
const NFS_PDU: FrameKind = FrameKind(4);
const NFS_STATUS: FrameKind = FrameKind(5);
const NFS4_PDU: FrameKind = FrameKind(6);
const NFS4_HEADER: FrameKind = FrameKind(7);
const NFS4_OPERATIONS: FrameKind = FrameKind(8);
const NFS4_STATUS: FrameKind = FrameKind(9);

/// Bytes of version 4 before its operations, without the tag.
const NFS4_HEADER_LENGTH: usize = 8;

/// The length of a status.
const STATUS_LENGTH: usize = 4;

/// Where a message lies in the push.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where it begins, with the mark in front of it.
    pub start: usize,
    /// The length of the mark; none in datagrams.
    pub mark: usize,
    /// The length of the message without the mark.
    pub length: usize,
}

/// Reports a call.
pub fn call(cx: &mut ParseContext<'_>, place: Place, call: &Call<'_>) {
    if cx.frames.is_none() {
        return;
    }
    let up = Direction::ToServer;
    let message = place.start + place.mark;
    cx.frame(up, RPC_PDU, place.start, place.mark + place.length);
    cx.frame(up, RPC_CREDENTIALS, message + CALL_HEADER_LENGTH, call.credentials_length + 8);
    let (start, length) = (message + call.start, place.length.saturating_sub(call.start));
    match call.target.version {
        2 | 3 => _ = cx.frame(up, NFS_PDU, start, length),
        4 => compound(cx, up, start, length),
        _ => {}
    }
}

/// Reports a reply to a call of this version.
pub fn reply(cx: &mut ParseContext<'_>, place: Place, reply: &Reply<'_>, version: u32) {
    if cx.frames.is_none() {
        return;
    }
    let down = Direction::ToClient;
    let header = place.mark + REPLY_HEADER_LENGTH;
    cx.frame(down, RPC_PDU, place.start, place.mark + place.length);
    cx.frame(down, RPC_HEADER, place.start, header);
    cx.frame(down, RPC_DATA, place.start + header, place.length.saturating_sub(REPLY_HEADER_LENGTH));
    let (start, length) = (place.start + place.mark + reply.start, place.length.saturating_sub(reply.start));
    if reply.results.is_none() || length == 0 {
        return;
    }
    if version == 4 {
        cx.frame(down, NFS4_STATUS, start, STATUS_LENGTH);
        compound(cx, down, start, length);
    } else {
        cx.frame(down, NFS_PDU, start, length);
        cx.frame(down, NFS_STATUS, start, STATUS_LENGTH);
    }
}

fn compound(cx: &mut ParseContext<'_>, direction: Direction, start: usize, length: usize) {
    cx.frame(direction, NFS4_PDU, start, length);
    if length > NFS4_HEADER_LENGTH {
        cx.frame(direction, NFS4_HEADER, start, NFS4_HEADER_LENGTH);
        cx.frame(direction, NFS4_OPERATIONS, start + NFS4_HEADER_LENGTH, length - NFS4_HEADER_LENGTH);
    }
}
