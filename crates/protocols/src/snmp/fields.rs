//! Fields of a message.

use std::io::Write as _;

use weir_applayer::{Access, Field, build, bytes, integer};

use super::names::{PDU_TYPES, TRAP_TYPES};
use super::transaction::{COMPLETE, SnmpTransaction};
use crate::ber;

const VERSION: Access = integer!(SnmpTransaction, 32, &[], |tx, _, index| {
    tx.read().filter(|_| index == 0).map(|message| u64::from(message.version))
});
const COMMUNITY: Access = bytes!(SnmpTransaction, |tx, _| tx.read()?.community());
const USER: Access = bytes!(SnmpTransaction, |tx, _| tx.read()?.user());
const PDU_TYPE: Access = integer!(SnmpTransaction, 32, PDU_TYPES, |tx, _, index| {
    tx.read()?.pdu.as_ref().filter(|_| index == 0).map(|pdu| u64::from(pdu.kind))
});
const TRAP_TYPE: Access = integer!(SnmpTransaction, 8, TRAP_TYPES, |tx, _, index| {
    tx.trap().filter(|_| index == 0).map(|trap| u64::from(trap.kind))
});
const TRAP_OID: Access = build!(SnmpTransaction, |tx, _, out| {
    let trap = tx.trap().map(|trap| ber::append_oid(tx.message.at(trap.enterprise), out));
    trap.is_some()
});
const TRAP_ADDRESS: Access = build!(SnmpTransaction, |tx, _, out| {
    let address = tx.trap().and_then(|trap| trap.address);
    address.is_some_and(|address| write!(out, "{address}").is_ok())
});

const PDU_TYPE_DOC: &str = "What a message is, as a number or as `get_request`, `get_next_request`, `response`, \
    `set_request`, `trap_v1`, `get_bulk_request`, `inform_request`, `trap_v2` or `report`.";
const TRAP_TYPE_DOC: &str = "What happened, by a trap of version 1, as a number or as `coldstart`, `warmstart`, \
    `linkdown`, `linkup`, `authenticationfailure`, `egpneighborloss` or `enterprisespecific`.";

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("snmp.version", COMPLETE, VERSION).doc("The version of a message: 1, 2 (for 2c) or 3."),
    Field::both("snmp.community", COMPLETE, COMMUNITY).doc("The community of a message of version 1 or 2c."),
    Field::both("snmp.usm", COMPLETE, USER).doc("The user of a message of version 3."),
    Field::both("snmp.pdu_type", COMPLETE, PDU_TYPE).doc(PDU_TYPE_DOC),
    Field::both("snmp.trap_type", COMPLETE, TRAP_TYPE).doc(TRAP_TYPE_DOC),
    Field::both("snmp.trap_oid", COMPLETE, TRAP_OID)
        .doc("The object identifier of whom it happened to, by a trap of version 1."),
    Field::both("snmp.trap_address", COMPLETE, TRAP_ADDRESS)
        .doc("The address of whom it happened to, by a trap of version 1."),
];
