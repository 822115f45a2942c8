//! Fields of a message.

use weir_applayer::{Access, Field, FieldDirection, bytes, integer, list};

use super::checks;
use super::transaction::{COMPLETE, IkeTransaction};

const fn field(name: &'static str, direction: FieldDirection, access: Access, doc: &'static str) -> Field {
    Field { name, aliases: &[], modifier: None, direction, ready_at: COMPLETE, access, doc }
}

const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;
const BOTH: FieldDirection = FieldDirection::Both;

const INITIATOR: Access = bytes!(IkeTransaction, |tx, _| Some(tx.initiator.as_bytes()));
const RESPONDER: Access = bytes!(IkeTransaction, |tx, _| Some(tx.responder.as_bytes()));
const KEY_EXCHANGE: Access = bytes!(IkeTransaction, |tx, _| tx.key_exchange());
const NONCE: Access = bytes!(IkeTransaction, |tx, _| tx.nonce());
const EXCHANGE: Access =
    integer!(IkeTransaction, 8, &[], |tx, _, index| (index == 0).then_some(tx.header.exchange.into()));
const KEY_EXCHANGE_LENGTH: Access = integer!(IkeTransaction, 32, &[], |tx, _, index| {
    tx.key_exchange().filter(|_| index == 0).map(|value| value.len() as u64)
});
const NONCE_LENGTH: Access = integer!(IkeTransaction, 32, &[], |tx, _, index| {
    tx.nonce().filter(|_| index == 0).map(|value| value.len() as u64)
});
const VENDOR: Access =
    list!(IkeTransaction, |tx, _, index| tx.version1()?.vendors.get(index).map(Vec::as_slice));

/// The rows.
pub const FIELDS: &[Field] = &[
    field("ike.init_spi", UP, INITIATOR, "The number that the initiator gave, as 16 hexadecimal digits."),
    field("ike.resp_spi", DOWN, RESPONDER, "The number that the responder gave, as 16 hexadecimal digits."),
    field(
        "ike.chosen_sa_attribute",
        DOWN,
        Access::Check(checks::chosen),
        "An attribute of the association that the server chose, as a number: `alg_hash=2`.",
    ),
    field("ike.exchtype", BOTH, EXCHANGE, "The type of the exchange that a message is part of."),
    field(
        "ike.vendor",
        UP,
        VENDOR,
        "The name of each vendor's extension of version 1, as hexadecimal digits.",
    ),
    field(
        "ike.key_exchange_payload",
        BOTH,
        KEY_EXCHANGE,
        "The public value of the exchange of keys of version 1.",
    ),
    field(
        "ike.key_exchange_payload_length",
        BOTH,
        KEY_EXCHANGE_LENGTH,
        "The length of the public value of the exchange of keys of version 1.",
    ),
    field("ike.nonce_payload", BOTH, NONCE, "The nonce of a message of version 1."),
    field(
        "ike.nonce_payload_length",
        BOTH,
        NONCE_LENGTH,
        "The length of the nonce of a message of version 1.",
    ),
];
