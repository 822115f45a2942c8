//! Fields of a packet.

use weir_applayer::{Access, Field, FieldDirection, bytes, list};

use super::transaction::{COMPLETE, QuicTransaction};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    direction: FieldDirection,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction, ready_at: COMPLETE, access, doc }
}

const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;

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
    field("quic.version", &[], FieldDirection::Both, VERSION, VERSION_DOC),
    field("quic.sni", &[], UP, SERVER_NAME, SERVER_NAME_DOC),
    field("quic.ua", &[], UP, USER_AGENT, USER_AGENT_DOC),
    field("quic.cyu.hash", &[], UP, CYU_HASH, CYU_HASH_DOC),
    field("quic.cyu.string", &[], UP, CYU_STRING, CYU_STRING_DOC),
    field("ja3.hash", &["ja3_hash"], UP, JA3_HASH, "The JA3 hash of a client."),
    field("ja3.string", &["ja3_string"], UP, JA3_STRING, "The JA3 string of a client."),
    field("ja3s.hash", &[], DOWN, JA3S_HASH, "The JA3S hash of a server."),
    field("ja3s.string", &[], DOWN, JA3S_STRING, "The JA3S string of a server."),
    field("ja4.hash", &["ja4_hash"], UP, JA4_HASH, "The JA4 fingerprint of a client."),
];
