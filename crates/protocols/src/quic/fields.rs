//! Fields of a packet.

use weir_applayer::{Access, Digits, Field, bytes, list};

use super::transaction::{COMPLETE, QuicTransaction};

const VERSION: Access = bytes!(QuicTransaction, |tx, _| tx.version.as_ref().map(<[u8; 4]>::as_slice));
const SERVER_NAME: Access = bytes!(QuicTransaction, |tx, _| tx.server_name());
const USER_AGENT: Access = bytes!(QuicTransaction, |tx, _| tx.user_agent());
const CYU_HASH: Access = list!(QuicTransaction, |tx, _, index| {
    tx.google.as_ref().filter(|_| index == 0).map(|hello| hello.cyu.hash.as_bytes())
});
const CYU_STRING: Access = list!(QuicTransaction, |tx, _, index| {
    tx.google.as_ref().filter(|_| index == 0).map(|hello| hello.cyu.string.as_bytes())
});
const JA3_HASH: Access = bytes!(QuicTransaction, |tx, _| Some(tx.ja3()?.hash.as_bytes()));
const JA3_STRING: Access = bytes!(QuicTransaction, |tx, _| Some(tx.ja3()?.string.as_bytes()));
const JA3S_HASH: Access = bytes!(QuicTransaction, |tx, _| Some(tx.ja3s()?.hash.as_bytes()));
const JA3S_STRING: Access = bytes!(QuicTransaction, |tx, _| Some(tx.ja3s()?.string.as_bytes()));
const JA4_HASH: Access = bytes!(QuicTransaction, |tx, _| tx.ja4().map(str::as_bytes));

const VERSION_DOC: &str = "The four bytes of a long header's version.";
const SERVER_NAME_DOC: &str = "The server name a client asks for.";
const USER_AGENT_DOC: &str = "The software of a client, which Google's earlier versions tell.";
const CYU_HASH_DOC: &str = "The CYU hash of a client of Google's earlier versions.";
const CYU_STRING_DOC: &str = "The CYU string of a client of Google's earlier versions.";

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("quic.version", COMPLETE, VERSION).doc(VERSION_DOC),
    Field::to_server("quic.sni", COMPLETE, SERVER_NAME).doc(SERVER_NAME_DOC),
    Field::to_server("quic.ua", COMPLETE, USER_AGENT).doc(USER_AGENT_DOC),
    Field::to_server("quic.cyu.hash", COMPLETE, CYU_HASH).digits(Digits::HASH).doc(CYU_HASH_DOC),
    Field::to_server("quic.cyu.string", COMPLETE, CYU_STRING).doc(CYU_STRING_DOC),
    Field::to_server("ja3.hash", COMPLETE, JA3_HASH)
        .digits(Digits::HASH)
        .aliases(&["ja3_hash"])
        .doc("The JA3 hash of a client."),
    Field::to_server("ja3.string", COMPLETE, JA3_STRING)
        .aliases(&["ja3_string"])
        .doc("The JA3 string of a client."),
    Field::to_client("ja3s.hash", COMPLETE, JA3S_HASH).digits(Digits::HASH).doc("The JA3S hash of a server."),
    Field::to_client("ja3s.string", COMPLETE, JA3S_STRING).doc("The JA3S string of a server."),
    Field::to_server("ja4.hash", COMPLETE, JA4_HASH)
        .aliases(&["ja4_hash"])
        .doc("The JA4 fingerprint of a client."),
];
