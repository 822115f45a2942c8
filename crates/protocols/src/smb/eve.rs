//! EVE records of type `smb`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::{JsonWriter, hex};

use super::names;
use super::text::narrow;
use super::transaction::{
    Command, Connect, Content, Create, Dialect, Disposition, FileId, Native, Negotiation, PipeCall, Rename,
    Setup, SmbTransaction, Status, Times,
};
use crate::dcerpc::eve::{Decided, interfaces};
use crate::dcerpc::pdu::kind;
use crate::dcerpc::transaction::Call;
use crate::gssapi::token::Ticket;

/// The record type.
pub(super) static EVE: EveLog = EveLog::new("smb", LogDirection::Flow, configure);

/// Names of transactions' kinds in the setting `types`.
const TYPES: [&str; 10] = [
    "generic",
    "negotiate",
    "session_setup",
    "tree_connect",
    "create",
    "file",
    "rename",
    "set_file_path_info",
    "ioctl",
    "dcerpc",
];

#[derive(Debug)]
struct SmbWriter {
    /// One bit for each of [`TYPES`].
    types: u16,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    let mut types = 0;
    for name in options.list("types") {
        match TYPES.iter().position(|known| *known == name) {
            Some(place) => types |= 1 << place,
            None => options.complain("types", &format!("there is no type `{name}` of messages")),
        }
    }
    Box::new(SmbWriter { types: if types == 0 { u16::MAX } else { types } })
}

const fn type_of(content: &Content) -> u16 {
    match content {
        Content::Generic | Content::Close(_) => 0,
        Content::Negotiation(_) => 1,
        Content::Setup(_) => 2,
        Content::Connect(_) => 3,
        Content::Create(_) => 4,
        Content::File(_) => 5,
        Content::Rename(_) => 6,
        Content::Disposition(_) => 7,
        Content::Ioctl(_) => 8,
        Content::Call(_) => 9,
    }
}

impl EveWriter for SmbWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<SmbTransaction>(transaction) else { return false };
        json.unsigned("id", tx.meta.id + 1);
        match &tx.dialect {
            Dialect::Unknown => json.string("dialect", "unknown"),
            Dialect::One(name) => {
                json.string("dialect", std::str::from_utf8(name).unwrap_or("invalid"));
            }
            Dialect::Two(number) => json.string("dialect", names::dialect(*number).as_bytes()),
        }
        match tx.command {
            Command::One(command) => json.string("command", names::command_one(command)),
            Command::Two(command) => json.string("command", names::command_two(command)),
        }
        status(tx.status, json);
        json.unsigned("session_id", tx.ids.session);
        json.unsigned("tree_id", tx.ids.tree);
        content(tx, json);
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        downcast::<SmbTransaction>(transaction).is_some_and(|tx| self.types & 1 << type_of(&tx.content) != 0)
    }
}

fn status(status: Option<Status>, json: &mut JsonWriter<'_>) {
    match status {
        None => {}
        Some(Status::Nt(number)) => {
            match names::nt_status(number) {
                Some(name) => json.string("status", format!("STATUS_{name}")),
                None => json.string("status", number.to_string()),
            }
            json.string("status_code", format!("0x{number:x}"));
        }
        Some(Status::Dos { class, code }) => {
            json.string("status", names::dos_error(class, code).as_bytes());
            json.string("status_code", format!("0x{code:04x}"));
        }
    }
}

fn content(tx: &SmbTransaction, json: &mut JsonWriter<'_>) {
    match &tx.content {
        Content::Generic | Content::Close(_) => {}
        Content::Negotiation(offer) => negotiation(offer, json),
        Content::Setup(setup) => session(setup, json),
        Content::Connect(connect) => connection(connect, tx.command, json),
        Content::Create(create) => creation(create, json),
        Content::File(transfer) => {
            json.string("filename", &transfer.name);
            json.string("share", &transfer.share);
            json.string("fuid", number(Some(transfer.file)));
        }
        Content::Rename(rename) => renaming(rename, tx.command, json),
        Content::Disposition(disposition) => disposal(disposition, json),
        Content::Ioctl(function) => json.string("function", names::function(*function).as_bytes()),
        Content::Call(call) => pipe_call(call, json),
    }
}

/// A number of 16 bytes, each part of it with its bytes from the last one to the first one.
fn guid(bytes: &[u8; 16]) -> String {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
    hex::uuid(u128::from_be_bytes([d, c, b, a, f, e, h, g, j, i, l, k, p, o, n, m]))
}

fn number(file: Option<FileId>) -> String {
    match file {
        None => String::new(),
        Some(FileId::One { number, .. }) => format!("{number:04x}"),
        Some(FileId::Two(bytes)) => guid(&bytes),
    }
}

/// Seconds since 1970 of a time in units of 100 nanoseconds since 1601.
fn seconds(time: u64) -> u64 {
    u64::from((time / 10_000_000).saturating_sub(11_644_473_600) as u32)
}

fn negotiation(offer: &Negotiation, json: &mut JsonWriter<'_>) {
    json.array("client_dialects");
    offer.names.iter().for_each(|name| json.push_string(name));
    offer.numbers.iter().for_each(|number| json.push_string(names::dialect(*number).as_bytes()));
    json.close_array();
    if let Some(client) = &offer.client {
        json.string("client_guid", guid(client));
    }
    json.string("server_guid", offer.server.as_ref().map(guid).unwrap_or_default());
    for (key, value) in [("max_read_size", offer.max_read), ("max_write_size", offer.max_write)] {
        if value > 0 {
            json.unsigned(key, value);
        }
    }
}

fn session(setup: &Setup, json: &mut JsonWriter<'_>) {
    if let Some(client) = &setup.ntlm {
        json.object("ntlmssp");
        json.string("domain", narrow(&client.domain));
        json.string("user", narrow(&client.user));
        json.string("host", narrow(&client.host));
        if let Some((major, minor, build, revision)) = client.version {
            json.string("version", format!("{major}.{minor} build {build} rev {revision}"));
        }
        json.close_object();
    }
    if let Some(Ticket { realm, names }) = &setup.ticket {
        json.object("kerberos");
        json.string("realm", realm);
        json.strings("snames", names);
        json.close_object();
    }
    for (key, native) in [("request", &setup.client), ("response", &setup.server)] {
        if let Some(Native { system, manager }) = native {
            json.object(key);
            json.string("native_os", system);
            json.string("native_lm", manager);
            json.close_object();
        }
    }
}

fn connection(connect: &Connect, command: Command, json: &mut JsonWriter<'_>) {
    json.string(if connect.is_pipe { "named_pipe" } else { "share" }, connect.shown(command));
    if let Command::One(_) = command {
        json.object("service");
        for (key, service) in [("request", &connect.asked_service), ("response", &connect.service)] {
            json.optional_string(key, service.as_ref());
        }
        json.close_object();
        return;
    }
    let kind = match connect.kind {
        1 => "FILE",
        2 => "PIPE",
        3 => "PRINT",
        _ => "UNKNOWN",
    };
    json.string("share_type", kind);
}

/// Name of a share itself.
const ROOT: &[u8] = b"<share_root>";

fn creation(create: &Create, json: &mut JsonWriter<'_>) {
    if create.name.is_empty() {
        json.string("filename", ROOT);
    } else {
        json.string(if create.is_directory { "directory" } else { "filename" }, &create.name);
    }
    let disposition = match create.disposition {
        0 => "FILE_SUPERSEDE",
        1 => "FILE_OPEN",
        2 => "FILE_CREATE",
        3 => "FILE_OPEN_IF",
        4 => "FILE_OVERWRITE",
        5 => "FILE_OVERWRITE_IF",
        _ => "UNKNOWN",
    };
    json.string("disposition", disposition);
    access(create.deletes, json);
    let Times { created, accessed, modified, changed } = create.times;
    for (key, time) in
        [("created", created), ("accessed", accessed), ("modified", modified), ("changed", changed)]
    {
        json.unsigned(key, seconds(time));
    }
    json.unsigned("size", create.shown_size);
    json.string("fuid", number(create.file));
}

fn access(deletes: bool, json: &mut JsonWriter<'_>) {
    json.string("access", if deletes { "delete on close" } else { "normal" });
}

fn renaming(rename: &Rename, command: Command, json: &mut JsonWriter<'_>) {
    if let Command::Two(_) = command {
        json.object("set_info");
        json.string("class", "FILE_INFO");
        json.string("info_level", "SMB2_FILE_RENAME_INFO");
        json.close_object();
    }
    json.object("rename");
    json.string("from", &rename.from);
    json.string("to", &rename.to);
    json.close_object();
    json.string("fuid", number(rename.file));
}

fn disposal(disposition: &Disposition, json: &mut JsonWriter<'_>) {
    let name = if disposition.name.is_empty() { ROOT } else { &disposition.name };
    json.string("filename", name);
    access(disposition.deletes, json);
    match disposition.subcommand {
        6 => json.string("subcmd", "SET_PATH_INFO"),
        8 => json.string("subcmd", "SET_FILE_INFO"),
        _ => {}
    }
    if disposition.level == 1013 {
        json.string("level_of_interest", "Set Disposition Information");
    }
    json.string("fuid", number(disposition.file));
}

fn pipe_call(call: &PipeCall, json: &mut JsonWriter<'_>) {
    let exchange = &call.exchange;
    let (asked, answered) = (&exchange.sides.to_server, &exchange.sides.to_client);
    json.object("dcerpc");
    json.string("request", asked.kind.map_or("REQUEST_LOST", kind::name));
    json.string("response", answered.kind.map_or("UNREPLIED", kind::name));
    if asked.kind == Some(kind::REQUEST) {
        json.unsigned("opnum", exchange.operation);
        json.object("req");
        json.unsigned("frag_cnt", asked.fragments);
        json.unsigned("stub_data_size", asked.stub.len() as u64);
        json.close_object();
    }
    match asked.kind {
        Some(kind::REQUEST) => interfaces(&exchange.contexts, Decided::Nothing, json),
        Some(kind::BIND) => interfaces(&exchange.contexts, Decided::ResultAndReason, json),
        _ => {}
    }
    if answered.kind == Some(kind::RESPONSE) {
        json.object("res");
        json.unsigned("frag_cnt", answered.fragments);
        json.unsigned("stub_data_size", answered.stub.len() as u64);
        json.close_object();
    }
    if let Call::Association { number, .. } = exchange.call {
        json.unsigned("call_id", number);
    }
    json.close_object();
}
