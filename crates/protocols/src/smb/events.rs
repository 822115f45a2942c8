//! Events of SMB for scripts: each message with its header, and what its commands say.
//!
//! Messages are kept as they were sent, of those that carry parts of files the beginning, and read anew here. Limits:
//! shares of pipes and requests without an answer that are remembered.

use std::collections::BTreeSet;

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable};
use weir_applayer::{HeardMessage, event_names};
use weir_base::{EventValue, Reader};

use super::nbss::Version;
use super::transaction::FileId;
use super::{one, two};
use crate::gssapi;
use crate::gssapi::events::seconds;

event_names! {
    /// Their names.
    pub(super) const NAMES;
    ONE_MESSAGE = "smb1_message",
    ONE_ERROR = "smb1_error",
    ONE_EMPTY = "smb1_empty_response",
    CHECK_DIRECTORY = "smb1_check_directory_request",
    DIRECTORY_CHECKED = "smb1_check_directory_response",
    CREATE_DIRECTORY = "smb1_create_directory_request",
    DIRECTORY_CREATED = "smb1_create_directory_response",
    ONE_CLOSE = "smb1_close_request",
    ECHO = "smb1_echo_request",
    ECHOED = "smb1_echo_response",
    LOGOFF = "smb1_logoff_andx",
    ONE_NEGOTIATE = "smb1_negotiate_request",
    ONE_NEGOTIATED = "smb1_negotiate_response",
    CANCEL = "smb1_nt_cancel_request",
    ONE_CREATE = "smb1_nt_create_andx_request",
    ONE_CREATED = "smb1_nt_create_andx_response",
    QUERY_INFORMATION = "smb1_query_information_request",
    ONE_READ = "smb1_read_andx_request",
    ONE_HAS_READ = "smb1_read_andx_response",
    ONE_SETUP = "smb1_session_setup_andx_request",
    ONE_SET_UP = "smb1_session_setup_andx_response",
    TRANSACTION = "smb1_transaction_request",
    TRANSACTION_ANSWERED = "smb1_transaction_response",
    TRANSACTION_SECONDARY = "smb1_transaction_secondary_request",
    TRANSACTION2 = "smb1_transaction2_request",
    TRANSACTION2_SECONDARY = "smb1_transaction2_secondary_request",
    FIND_FIRST = "smb1_trans2_find_first2_request",
    GET_REFERRAL = "smb1_trans2_get_dfs_referral_request",
    QUERY_PATH = "smb1_trans2_query_path_info_request",
    ONE_CONNECT = "smb1_tree_connect_andx_request",
    ONE_CONNECTED = "smb1_tree_connect_andx_response",
    ONE_DISCONNECT = "smb1_tree_disconnect",
    ONE_WRITE = "smb1_write_andx_request",
    ONE_WRITTEN = "smb1_write_andx_response",
    TWO_MESSAGE = "smb2_message",
    TWO_NEGOTIATE = "smb2_negotiate_request",
    TWO_NEGOTIATED = "smb2_negotiate_response",
    TWO_SETUP = "smb2_session_setup_request",
    TWO_SET_UP = "smb2_session_setup_response",
    TWO_CONNECT = "smb2_tree_connect_request",
    TWO_CONNECTED = "smb2_tree_connect_response",
    TWO_DISCONNECT = "smb2_tree_disconnect_request",
    TWO_DISCONNECTED = "smb2_tree_disconnect_response",
    TWO_CREATE = "smb2_create_request",
    TWO_CREATED = "smb2_create_response",
    TWO_CLOSE = "smb2_close_request",
    TWO_CLOSED = "smb2_close_response",
    TWO_READ = "smb2_read_request",
    TWO_WRITE = "smb2_write_request",
    TWO_WRITTEN = "smb2_write_response",
    SET_ATTRIBUTES = "smb2_file_sattr",
    SET_NAME = "smb2_file_rename",
    SET_DELETION = "smb2_file_delete",
    SET_ALLOCATION = "smb2_file_allocation",
    SET_END = "smb2_file_endoffile",
    SET_EXTENDED = "smb2_file_fullea",
    SET_LINK = "smb2_file_link",
    SET_MODE = "smb2_file_mode",
    SET_PIPE = "smb2_file_pipe",
    SET_POSITION = "smb2_file_position",
    SET_SHORT_NAME = "smb2_file_shortname",
    SET_VALID_LENGTH = "smb2_file_validdatalength",
    SET_CONTROL = "smb2_file_fscontrol",
    SET_OBJECT = "smb2_file_fsobjectid",
    TRANSFORM = "smb2_transform_header",
    DISCARDED = "smb2_discarded_messages_state",
    PIPE_GUESSED = "smb_pipe_connect_heuristic",
    OF_TOKENS = "ntlm_negotiate",
    CHALLENGE = "ntlm_challenge",
    AUTHENTICATE = "ntlm_authenticate",
    NEGOTIATION_RESULT = "gssapi_neg_result",
    TICKET_SHOWN = "krb_ap_request",
}

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/smb/main",
    bodies: None,
    names: NAMES,
    open: || Box::<SmbRaiser>::default(),
};

/// Most bytes that are kept of a message.
pub(super) const MAX_KEPT: usize = 128 << 10;

/// Bytes that are kept of a message that carries a part of a file.
pub(super) const KEPT_OF_CARRIER: usize = 256;

/// Kinds of messages, by what they begin with.
pub(super) const fn kind(version: Version) -> u8 {
    match version {
        Version::One => 1,
        Version::Two => 2,
        Version::Encrypted => ENCRYPTED,
        Version::Compressed => 4,
    }
}

const ENCRYPTED: u8 = 3;

/// Most shares of pipes that are remembered.
const MAX_PIPES: usize = 512;

/// Requests without an answer of which scripts hear, where they do not say (`SMB::max_pending_messages`).
const MAX_PENDING: u64 = 1000;

/// Most of them whatever scripts say.
const MOST_PENDING: usize = 1 << 16;

/// State of one connection that later messages refer to.
#[derive(Debug, Default)]
pub(super) struct SmbRaiser {
    /// Shares of pipes, by number.
    pipes: BTreeSet<u32>,
    /// Requests without an answer: of any kind, reads, and functions of the file system.
    pub(super) pending: [BTreeSet<u64>; 3],
}

/// Requests without an answer, as scripts are told of them.
pub(super) const PENDING: [&str; 3] = ["tree", "read", "ioctl"];

impl EventRaiser for SmbRaiser {
    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for message in messages {
            // What does not fit its format has no event of its own.
            let _ = match message.kind {
                1 => one::events::raise(self, &message, sink),
                2 => two::events::raise(self, &message, sink),
                ENCRYPTED => two::events::encrypted(&message.bytes, sink),
                _ => None,
            };
        }
    }
}

impl SmbRaiser {
    /// A share is one of pipes.
    pub(super) fn note_pipes(&mut self, tree: u32) {
        if self.pipes.len() < MAX_PIPES {
            self.pipes.insert(tree);
        }
    }

    /// A file is opened: its name may show that the share is one of pipes.
    pub(super) fn guess_pipes(&mut self, tree: u32, name: &[u8], sink: &mut dyn EventSink) {
        if super::zeek::shares::PIPES.contains(&name) && !self.pipes.contains(&tree) {
            self.note_pipes(tree);
            sink.raise(PIPE_GUESSED, &[EventValue::Connection]);
        }
    }

    /// A request waits for its answer. Where too many do, they are forgotten, and scripts hear of it.
    pub(super) fn wait(&mut self, which: usize, message: u64, sink: &mut dyn EventSink) {
        let (Some(pending), Some(name)) = (self.pending.get_mut(which), PENDING.get(which)) else { return };
        let most = sink.count("SMB::max_pending_messages").unwrap_or(MAX_PENDING);
        let is_full = most > 0 && pending.len() as u64 >= most;
        if is_full {
            sink.raise(DISCARDED, &[EventValue::Connection, (*name).into()]);
        }
        if is_full || pending.len() >= MOST_PENDING {
            pending.clear();
        }
        pending.insert(message);
    }

    /// A request is answered.
    pub(super) fn answered(&mut self, which: usize, message: u64) {
        if let Some(pending) = self.pending.get_mut(which) {
            pending.remove(&message);
        }
    }
}

/// A message whose events are raised.
pub(super) struct Telling<'a, 's> {
    /// Its header as a record.
    pub(super) header: EventValue<'a>,
    pub(super) sink: &'s mut dyn EventSink,
}

impl Telling<'_, '_> {
    /// Whether scripts handle any of these events.
    pub(super) fn wants(&self, events: &[usize]) -> bool {
        events.iter().any(|event| self.sink.wants(*event))
    }

    /// Raises an event with the connection, the header, and these.
    pub(super) fn raise(&mut self, event: usize, values: &[EventValue<'_>]) {
        let mut arguments = vec![EventValue::Connection, self.header];
        arguments.extend_from_slice(values);
        self.sink.raise(event, &arguments);
    }

    /// Raises the events of a token.
    pub(super) fn token(&mut self, token: &[u8]) {
        if self.wants(&[OF_TOKENS, CHALLENGE, AUTHENTICATE, NEGOTIATION_RESULT, TICKET_SHOWN]) {
            gssapi::events::raise(token, &mut |event, arguments| {
                self.sink.raise(OF_TOKENS + event, arguments);
            });
        }
    }
}

/// Times of a file as a record, each as a moment and as it is sent: modified, accessed, created, changed.
pub(super) fn times([modified, accessed, created, changed]: [u64; 4]) -> [EventValue<'static>; 8] {
    let moment = |time| EventValue::Moment(seconds(time));
    [
        moment(modified),
        modified.into(),
        moment(accessed),
        accessed.into(),
        moment(created),
        created.into(),
        moment(changed),
        changed.into(),
    ]
}

/// The times that come next, as they are sent in answers: created, accessed, modified, changed.
pub(super) fn read_times(reader: &mut Reader<'_>) -> Option<[u64; 4]> {
    let [created, accessed, modified, changed] =
        [reader.u64_le()?, reader.u64_le()?, reader.u64_le()?, reader.u64_le()?];
    Some([modified, accessed, created, changed])
}

/// Returns which of these bits are set.
pub(super) fn bits<const N: usize>(value: u32, masks: [u32; N]) -> [EventValue<'static>; N] {
    masks.map(|mask| EventValue::Bool(value & mask != 0))
}

/// The number by which scripts know the file of a pipe.
pub(super) fn number(file: FileId) -> u64 {
    match file {
        FileId::One { number, .. } => number.into(),
        FileId::Two([a, b, c, d, e, f, g, h, rest @ ..]) => {
            u64::from_le_bytes([a, b, c, d, e, f, g, h]).wrapping_add(u64::from_le_bytes(rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Events;

    #[test]
    fn numbers() {
        let mut sent = [0; 16];
        sent[0] = 5;
        sent[8] = 2;
        assert_eq!(number(FileId::Two(sent)), 7);
        assert_eq!(number(FileId::One { number: 9, user: 1 }), 9);
        assert_eq!(gssapi::events::NAMES, NAMES[OF_TOKENS..][..5]);
    }

    #[test]
    fn requests_that_wait_are_bounded() {
        let (mut raiser, mut sink) = (SmbRaiser::default(), Events::new(NAMES));
        sink.numbers.push(("SMB::max_pending_messages", 2));
        for message in 0..5 {
            raiser.wait(1, message, &mut sink);
        }
        assert_eq!(sink.raised, ["smb2_discarded_messages_state c read"; 2]);
        raiser.answered(1, 4);
        assert!(raiser.pending[1].is_empty());
        for tree in 0..MAX_PIPES as u32 + 9 {
            raiser.guess_pipes(tree, b"samr", &mut sink);
        }
        assert_eq!(raiser.pipes.len(), MAX_PIPES);
    }
}
