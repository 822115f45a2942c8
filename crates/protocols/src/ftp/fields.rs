//! Fields of commands and their replies.

use weir_applayer::{Access, Field, Progress, bytes, integer, list};

use super::checks;
use super::transaction::{COMPLETE, FtpTransaction, Reply};

const COMMAND: Access = bytes!(FtpTransaction, |tx, _| Some(tx.named()?.name().as_bytes()));
const ARGUMENT: Access = bytes!(FtpTransaction, |tx, _| {
    Some(tx.argument.as_slice()).filter(|argument| tx.named().is_some() && !argument.is_empty())
});
const REPLY: Access =
    list!(FtpTransaction, |tx, _, index| tx.replies.iter().filter_map(Reply::shown).nth(index));
const CODE: Access =
    list!(FtpTransaction, |tx, _, index| tx.replies.iter().filter_map(Reply::final_code).nth(index));
const PORT: Access =
    integer!(FtpTransaction, 16, &[], |tx, _, index| tx.port.filter(|_| index == 0).map(u64::from));

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::to_server("ftp.command", COMPLETE, COMMAND).doc("The command, in capitals."),
    Field::to_server("ftp.command_data", COMPLETE, ARGUMENT)
        .doc("What the command is said of: a name, a file."),
    Field::to_client("ftp.reply", COMPLETE, REPLY)
        .doc("Each line that the server replies, the last one of a reply without its code."),
    Field::to_client("ftp.completion_code", COMPLETE, CODE)
        .doc("The code of the last line of each reply of the server."),
    Field::both("ftp.dynamic_port", COMPLETE, PORT).doc("The port that data will go to."),
    Field::both("ftp.mode", COMPLETE, Access::Check(checks::mode))
        .doc("Which side opens the connection for data: the server (`active`) or the client (`passive`)."),
    Field::to_client("ftp.reply_received", Progress(0), Access::Check(checks::reply_received))
        .doc("Whether the server replied: `yes` or `no`."),
    Field::to_server("ftpbounce", COMPLETE, Access::Check(checks::bounce))
        .doc("Data is to be sent to another host than the client."),
];
