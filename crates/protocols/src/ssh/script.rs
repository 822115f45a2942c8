//! Answers to what scripts ask of a conversation (`suricata.ssh`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};
use weir_base::Direction;

use super::banner::Banner;
use super::key_exchange::Hassh;
use super::transaction::SshTransaction;

/// The library.
pub static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "ssh", methods: METHODS, enable: Some("enable_hassh"), earlier: EARLIER }];

/// The conditions that scripts can ask to be run on.
pub static NEEDS: &[ScriptNeed] = &[ScriptNeed::new("ssh", NeededPlace::Protocol)];

const CLIENT: Direction = Direction::ToServer;
const SERVER: Direction = Direction::ToClient;

/// Functions of earlier releases, with the methods that answer them.
const EARLIER: &[(&str, &str)] = &[
    ("SshGetServerProtoVersion", "server_proto"),
    ("SshGetClientProtoVersion", "client_proto"),
    ("SshGetServerSoftwareVersion", "server_software"),
    ("SshGetClientSoftwareVersion", "client_software"),
    ("HasshGet", "client_hassh"),
    ("HasshGetString", "client_hassh_string"),
    ("HasshServerGet", "server_hassh"),
    ("HasshServerGetString", "server_hassh_string"),
];

const METHODS: &[ScriptMethod] = &[
    script_method!("client_proto", "Version of the protocol in the client's banner.", SshTransaction, |tx| {
        of_banner(tx, CLIENT, |banner| Some(banner.version()))
    }),
    script_method!("client_software", "Software in the client's banner.", SshTransaction, |tx| of_banner(
        tx,
        CLIENT,
        Banner::software
    )),
    script_method!("client_hassh", "HASSH of the client.", SshTransaction, |tx| hash(tx, CLIENT)),
    script_method!("client_hassh_string", "Text that the client's HASSH is made of.", SshTransaction, |tx| {
        string(tx, CLIENT)
    }),
    script_method!("server_proto", "Version of the protocol in the server's banner.", SshTransaction, |tx| {
        of_banner(tx, SERVER, |banner| Some(banner.version()))
    }),
    script_method!("server_software", "Software in the server's banner.", SshTransaction, |tx| of_banner(
        tx,
        SERVER,
        Banner::software
    )),
    script_method!("server_hassh", "HASSH of the server.", SshTransaction, |tx| hash(tx, SERVER)),
    script_method!("server_hassh_string", "Text that the server's HASSH is made of.", SshTransaction, |tx| {
        string(tx, SERVER)
    }),
];

fn of_banner(
    tx: &SshTransaction,
    side: Direction,
    part: impl FnOnce(&Banner) -> Option<&[u8]>,
) -> Vec<ScriptValue> {
    vec![ScriptValue::bytes(tx.sides[side].banner.as_ref().and_then(part))]
}

fn hash(tx: &SshTransaction, side: Direction) -> Vec<ScriptValue> {
    vec![ScriptValue::bytes(tx.hassh(side).map(|Hassh { hash, .. }| hash))]
}

fn string(tx: &SshTransaction, side: Direction) -> Vec<ScriptValue> {
    vec![ScriptValue::bytes(tx.hassh(side).map(|Hassh { string, .. }| string))]
}
