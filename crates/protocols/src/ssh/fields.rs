//! Fields of a conversation.

use weir_applayer::{Access, Digits, Field, bytes};
use weir_base::Direction;

use super::transaction::{BANNER_DONE, FINISHED, SshTransaction};

const VERSION: Access =
    bytes!(SshTransaction, |tx, direction| Some(tx.sides[direction].banner.as_ref()?.version()));
const SOFTWARE: Access =
    bytes!(SshTransaction, |tx, direction| tx.sides[direction].banner.as_ref()?.software());
const CLIENT_HASH: Access =
    bytes!(SshTransaction, |tx, _| Some(tx.hassh(Direction::ToServer)?.hash.as_bytes()));
const CLIENT_STRING: Access = bytes!(SshTransaction, |tx, _| Some(&tx.hassh(Direction::ToServer)?.string));
const SERVER_HASH: Access =
    bytes!(SshTransaction, |tx, _| Some(tx.hassh(Direction::ToClient)?.hash.as_bytes()));
const SERVER_STRING: Access = bytes!(SshTransaction, |tx, _| Some(&tx.hassh(Direction::ToClient)?.string));

const VERSION_DOC: &str = "The protocol's version in a banner (`2.0`).";
const SOFTWARE_DOC: &str = "The software in a banner (`OpenSSH_9.7`).";
const HASH_DOC: &str = "The hassh of a client: the MD5 of the algorithms it offers.";
const STRING_DOC: &str = "The algorithms that a client offers, as hassh puts them together.";
const SERVER_HASH_DOC: &str = "The hasshServer of a server: the MD5 of the algorithms it offers.";
const SERVER_STRING_DOC: &str = "The algorithms that a server offers, as hasshServer puts them together.";

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("ssh.proto", BANNER_DONE, VERSION).aliases(&["ssh_proto"]).doc(VERSION_DOC),
    Field::both("ssh.software", BANNER_DONE, SOFTWARE).aliases(&["ssh_software"]).doc(SOFTWARE_DOC),
    Field::to_server("ssh.hassh", FINISHED, CLIENT_HASH)
        .digits(Digits::HASH)
        .aliases(&["ssh-hassh"])
        .doc(HASH_DOC),
    Field::to_server("ssh.hassh.string", FINISHED, CLIENT_STRING)
        .aliases(&["ssh-hassh-string"])
        .doc(STRING_DOC),
    Field::to_client("ssh.hassh.server", FINISHED, SERVER_HASH)
        .digits(Digits::HASH)
        .aliases(&["ssh-hassh-server"])
        .doc(SERVER_HASH_DOC),
    Field::to_client("ssh.hassh.server.string", FINISHED, SERVER_STRING)
        .aliases(&["ssh-hassh-server-string"])
        .doc(SERVER_STRING_DOC),
];
