//! Fields of a message.

use std::io::Write as _;

use weir_applayer::{Access, Field, FieldDirection, build, bytes, integer};

use super::names::{PDU_TYPES, TRAP_TYPES};
use super::transaction::{COMPLETE, SnmpTransaction};
use crate::ber;

const fn field(name: &'static str, access: Access, doc: &'static str) -> Field {
    Field {
        name,
        aliases: &[],
        modifier: None,
        direction: FieldDirection::Both,
        ready_at: COMPLETE,
        access,
        doc,
    }
}

const VERSION: Access = integer!(SnmpTransaction, 32, &[], |tx, _, index| {
    (index == 0).then_some(u64::from(tx.message.version))
});
const COMMUNITY: Access = bytes!(SnmpTransaction, |tx, _| tx.message.community());
const USER: Access = bytes!(SnmpTransaction, |tx, _| tx.message.user());
const PDU_TYPE: Access = integer!(SnmpTransaction, 32, PDU_TYPES, |tx, _, index| {
    tx.message.pdu.as_ref().filter(|_| index == 0).map(|pdu| u64::from(pdu.kind))
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
    field("snmp.version", VERSION, "The version of a message: 1, 2 (for 2c) or 3."),
    field("snmp.community", COMMUNITY, "The community of a message of version 1 or 2c."),
    field("snmp.usm", USER, "The user of a message of version 3."),
    field("snmp.pdu_type", PDU_TYPE, PDU_TYPE_DOC),
    field("snmp.trap_type", TRAP_TYPE, TRAP_TYPE_DOC),
    field("snmp.trap_oid", TRAP_OID, "The object identifier of whom it happened to, by a trap of version 1."),
    field("snmp.trap_address", TRAP_ADDRESS, "The address of whom it happened to, by a trap of version 1."),
];
