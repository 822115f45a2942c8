//! Fields of a message.

use weir_applayer::{Access, Field, bytes, integer, list};

use super::checks;
use super::transaction::{COMPLETE, IkeTransaction};

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
    Field::to_server("ike.init_spi", COMPLETE, INITIATOR)
        .doc("The number that the initiator gave, as 16 hexadecimal digits."),
    Field::to_client("ike.resp_spi", COMPLETE, RESPONDER)
        .doc("The number that the responder gave, as 16 hexadecimal digits."),
    Field::to_client("ike.chosen_sa_attribute", COMPLETE, Access::Check(checks::chosen))
        .doc("An attribute of the association that the server chose, as a number: `alg_hash=2`."),
    Field::both("ike.exchtype", COMPLETE, EXCHANGE)
        .doc("The type of the exchange that a message is part of."),
    Field::to_server("ike.vendor", COMPLETE, VENDOR)
        .doc("The name of each vendor's extension of version 1, as hexadecimal digits."),
    Field::both("ike.key_exchange_payload", COMPLETE, KEY_EXCHANGE)
        .doc("The public value of the exchange of keys of version 1."),
    Field::both("ike.key_exchange_payload_length", COMPLETE, KEY_EXCHANGE_LENGTH)
        .doc("The length of the public value of the exchange of keys of version 1."),
    Field::both("ike.nonce_payload", COMPLETE, NONCE).doc("The nonce of a message of version 1."),
    Field::both("ike.nonce_payload_length", COMPLETE, NONCE_LENGTH)
        .doc("The length of the nonce of a message of version 1."),
];
