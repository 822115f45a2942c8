//! Fields of a frame.

use weir_applayer::{Access, Field, bytes, integer};

use super::frame::{COMPRESSED, FIN, opcode};
use super::transaction::{COMPLETE, WebSocketTransaction};

/// Names of flags.
const FLAGS: &[(&str, u64)] = &[("fin", FIN as u64), ("comp", COMPRESSED as u64)];

const PAYLOAD: Access = bytes!(WebSocketTransaction, |tx, _| Some(&tx.payload));
const FLAG_BITS: Access =
    integer!(Flags, WebSocketTransaction, 8, FLAGS, |tx, _, index| (index == 0).then_some(tx.flags.into()));
const MASK: Access =
    integer!(WebSocketTransaction, 32, &[], |tx, _, index| tx.mask.filter(|_| index == 0).map(u64::from));
const OPCODE: Access =
    integer!(WebSocketTransaction, 8, opcode::NAMES, |tx, _, index| (index == 0).then_some(tx.opcode.into()));

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("websocket.payload", COMPLETE, PAYLOAD).doc(
        "The payload of a frame, without mask and compression; of a message's last frame the whole \
         message.",
    ),
    Field::both("websocket.flags", COMPLETE, FLAG_BITS)
        .doc("The upper four bits of a frame's first byte, as a number or by the names `fin` and `comp`."),
    Field::both("websocket.mask", COMPLETE, MASK)
        .doc("What the payload of a frame is masked with, where it is."),
    Field::both("websocket.opcode", COMPLETE, OPCODE).doc(
        "What a frame is, as a number or as `continuation`, `text`, `binary`, `close`, `ping` or \
         `pong`.",
    ),
];
