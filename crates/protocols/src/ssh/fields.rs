//! Fields of a conversation.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes};
use weir_base::Direction;

use super::checks;
use super::transaction::{BANNER_DONE, FINISHED, SshTransaction};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    direction: FieldDirection,
    ready_at: Progress,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction, ready_at, access, doc }
}

const BOTH: FieldDirection = FieldDirection::Both;
const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;

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
const PROTOVERSION_DOC: &str = "The protocol's version: `2.0`, or `2_compat` for 2 and 1.99.";
const SOFTWAREVERSION_DOC: &str = "What the software begins with; ssh.software replaces it.";

/// The rows.
pub const FIELDS: &[Field] = &[
    field("ssh.proto", &["ssh_proto"], BOTH, BANNER_DONE, VERSION, VERSION_DOC),
    field("ssh.software", &["ssh_software"], BOTH, BANNER_DONE, SOFTWARE, SOFTWARE_DOC),
    field("ssh.hassh", &["ssh-hassh"], UP, FINISHED, CLIENT_HASH, HASH_DOC),
    field("ssh.hassh.string", &["ssh-hassh-string"], UP, FINISHED, CLIENT_STRING, STRING_DOC),
    field("ssh.hassh.server", &["ssh-hassh-server"], DOWN, FINISHED, SERVER_HASH, SERVER_HASH_DOC),
    field(
        "ssh.hassh.server.string",
        &["ssh-hassh-server-string"],
        DOWN,
        FINISHED,
        SERVER_STRING,
        SERVER_STRING_DOC,
    ),
    field(
        "ssh.protoversion",
        &[],
        BOTH,
        BANNER_DONE,
        Access::Check(checks::protocol_version),
        PROTOVERSION_DOC,
    ),
    field(
        "ssh.softwareversion",
        &[],
        BOTH,
        BANNER_DONE,
        Access::Check(checks::software_version),
        SOFTWAREVERSION_DOC,
    ),
];
