//! Fields of commands and their replies.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes, integer, list};

use super::checks;
use super::transaction::{COMPLETE, FtpTransaction, Reply};

const fn field(
    name: &'static str,
    direction: FieldDirection,
    ready_at: Progress,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases: &[], modifier: None, direction, ready_at, access, doc }
}

const BOTH: FieldDirection = FieldDirection::Both;
const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;

const COMMAND: Access = bytes!(FtpTransaction, |tx, _| Some(tx.command?.name().as_bytes()));
const ARGUMENT: Access = bytes!(FtpTransaction, |tx, _| {
    Some(tx.argument.as_slice()).filter(|argument| tx.command.is_some() && !argument.is_empty())
});
const REPLY: Access =
    list!(FtpTransaction, |tx, _, index| tx.replies.iter().filter_map(Reply::text).nth(index));
const CODE: Access =
    list!(FtpTransaction, |tx, _, index| tx.replies.iter().filter_map(Reply::code).nth(index));
const PORT: Access =
    integer!(FtpTransaction, 16, &[], |tx, _, index| tx.port.filter(|_| index == 0).map(u64::from));

/// The rows.
pub const FIELDS: &[Field] = &[
    field("ftp.command", UP, COMPLETE, COMMAND, "The command, in capitals."),
    field("ftp.command_data", UP, COMPLETE, ARGUMENT, "What the command is said of: a name, a file."),
    field("ftp.reply", DOWN, COMPLETE, REPLY, "Each line that the server replies, without its code."),
    field("ftp.completion_code", DOWN, COMPLETE, CODE, "The code of each line that the server replies."),
    field("ftp.dynamic_port", BOTH, COMPLETE, PORT, "The port that data will go to."),
    field(
        "ftp.mode",
        BOTH,
        COMPLETE,
        Access::Check(checks::mode),
        "Which side opens the connection for data: the server (`active`) or the client (`passive`).",
    ),
    field(
        "ftp.reply_received",
        DOWN,
        Progress(0),
        Access::Check(checks::reply_received),
        "Whether the server replied: `yes` or `no`.",
    ),
    field(
        "ftpbounce",
        UP,
        COMPLETE,
        Access::Check(checks::bounce),
        "Data is to be sent to another host than the client.",
    ),
];
