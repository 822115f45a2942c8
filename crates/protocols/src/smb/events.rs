//! Events of SMB for scripts: shares that are connected to, and files that are opened.
//!
//! Of the header of a message scripts see what the parser keeps: command, status, and the identifiers of session, share
//! and message.

use weir_applayer::ZeekSink;
use weir_base::EventValue;

use super::transaction::{Command, Content, FileId, SmbTransaction, Status};

/// The share type of named pipes.
const PIPE: u64 = 2;

/// The number by which scripts know the file of a pipe.
pub(super) fn number(file: FileId) -> u64 {
    match file {
        FileId::One { number, .. } => number.into(),
        FileId::Two([a, b, c, d, e, f, g, h, rest @ ..]) => {
            u64::from_le_bytes([a, b, c, d, e, f, g, h]).wrapping_add(u64::from_le_bytes(rest))
        }
    }
}

fn status(status: Option<Status>) -> u64 {
    match status {
        Some(Status::Nt(number)) => number.into(),
        Some(Status::Dos { class, code }) => u64::from(class) << 16 | u64::from(code),
        None => 0,
    }
}

/// The header of version 1.
fn header_one<'a>(tx: &SmbTransaction, command: u8, status: u64) -> [EventValue<'a>; 8] {
    let (tree, user, message) = (tx.ids.tree, tx.ids.session, tx.ids.message);
    let (status, unknown) = (EventValue::Count(status), EventValue::Unset);
    [command.into(), status, unknown, unknown, tree.into(), unknown, user.into(), message.into()]
}

/// The header of version 2.
fn header_two<'a>(tx: &SmbTransaction, command: u16, status: u64) -> [EventValue<'a>; 10] {
    let (status, unknown) = (EventValue::Count(status), EventValue::Unset);
    [
        unknown,
        status,
        command.into(),
        unknown,
        unknown,
        tx.ids.message.into(),
        unknown,
        tx.ids.tree.into(),
        tx.ids.session.into(),
        unknown,
    ]
}

/// Raises the event of a request.
pub(super) fn asked(tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
    let c = EventValue::Connection;
    match (tx.command, &tx.content) {
        (Command::One(command), Content::Connect(connect)) => {
            let header = header_one(tx, command, 0);
            let service = connect.asked_service.as_deref().unwrap_or_default();
            let arguments =
                [c, EventValue::Record(&header), EventValue::String(&connect.share), service.into()];
            sink.raise("smb1_tree_connect_andx_request", &arguments);
        }
        (Command::One(command), Content::Create(create)) => {
            let header = header_one(tx, command, 0);
            let arguments = [c, EventValue::Record(&header), EventValue::String(&create.name)];
            sink.raise("smb1_nt_create_andx_request", &arguments);
        }
        (Command::Two(command), Content::Connect(connect)) => {
            let header = header_two(tx, command, 0);
            let arguments = [c, EventValue::Record(&header), EventValue::String(&connect.share)];
            sink.raise("smb2_tree_connect_request", &arguments);
        }
        (Command::Two(command), Content::Create(create)) => {
            let header = header_two(tx, command, 0);
            let options = u64::from(create.is_directory) | u64::from(create.deletes) << 12;
            let request =
                [EventValue::String(&create.name), create.disposition.into(), EventValue::Count(options)];
            sink.raise(
                "smb2_create_request",
                &[c, EventValue::Record(&header), EventValue::Record(&request)],
            );
        }
        _ => {}
    }
}

/// Raises the event of a response.
pub(super) fn answered(tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
    let c = EventValue::Connection;
    let Content::Connect(connect) = &tx.content else { return };
    match tx.command {
        Command::One(command) => {
            let header = header_one(tx, command, status(tx.status));
            let service = connect.service.as_deref().unwrap_or_default();
            let system = EventValue::from(&connect.file_system);
            let arguments = [c, EventValue::Record(&header), service.into(), system];
            sink.raise("smb1_tree_connect_andx_response", &arguments);
        }
        Command::Two(command) => {
            let header = header_two(tx, command, status(tx.status));
            let kind = if connect.is_pipe { PIPE } else { connect.kind.into() };
            let response = [EventValue::Count(kind)];
            let arguments = [c, EventValue::Record(&header), EventValue::Record(&response)];
            sink.raise("smb2_tree_connect_response", &arguments);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut sent = [0; 16];
        sent[0] = 5;
        sent[8] = 2;
        assert_eq!(number(FileId::Two(sent)), 7);
        assert_eq!(number(FileId::One { number: 9, user: 1 }), 9);
        assert_eq!(status(Some(Status::Nt(0xc000_0022))), 0xc000_0022);
        assert_eq!(status(None), 0);
    }
}
