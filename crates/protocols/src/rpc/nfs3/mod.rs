//! NFS version 3 (RFC 1813, section 3).

use weir_base::event::{Nested, StreamFindings, StreamReader};

use super::call::{Call, Reply};
use super::xdr::Xdr;
use super::{Conversation, Program, TIMEOUT, tell};

mod arguments;
mod attributes;
mod results;

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "NFS",
    events: &[
        "rpc_call",
        "rpc_dialogue",
        "rpc_discarded_pending_calls",
        "rpc_reply",
        "nfs_proc_create",
        "nfs_proc_getattr",
        "nfs_proc_link",
        "nfs_proc_lookup",
        "nfs_proc_mkdir",
        "nfs_proc_not_implemented",
        "nfs_proc_null",
        "nfs_proc_read",
        "nfs_proc_readdir",
        "nfs_proc_readlink",
        "nfs_proc_remove",
        "nfs_proc_rename",
        "nfs_proc_rmdir",
        "nfs_proc_sattr",
        "nfs_proc_symlink",
        "nfs_proc_write",
        "nfs_reply_status",
    ],
    tells_weirds: true,
    lasts: Some(TIMEOUT),
    open: || Conversation::open(&NFS3),
};

static NFS3: Program = Program { call, reply };

/// The number of the program.
const NUMBER: u32 = 100_003;
/// The status of a reply without one.
const UNKNOWN: u32 = u32::MAX;
/// Longest handle.
const MAX_HANDLE: usize = 64;

/// What is told of a file that is read or written.
#[derive(Clone, Copy, Debug)]
struct Content {
    is_told: bool,
    /// Only what is at the beginning of the file.
    first_only: bool,
    most: usize,
}

impl Content {
    fn of(findings: &dyn StreamFindings) -> Self {
        let most = findings.count("NFS3::return_data_max").unwrap_or(512);
        Self {
            is_told: findings.is_set("NFS3::return_data"),
            first_only: findings.is_set("NFS3::return_data_first_only"),
            most: usize::try_from(most).unwrap_or(usize::MAX),
        }
    }

    /// Returns what is told of bytes that are read or written at a place, where so many are asked for.
    fn part<'a>(&self, bytes: &'a [u8], offset: u64, size: u32) -> Option<&'a [u8]> {
        let is_told = self.is_told && (offset == 0 || !self.first_only);
        let most = self.most.min(size as usize);
        let part = bytes.get(..most).unwrap_or(bytes);
        (is_told && !part.is_empty()).then_some(part)
    }
}

/// What a reader of results knows of the call and its reply.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// The status of the reply says that it succeeded, or there is none.
    is_done: bool,
    /// Handles and attributes of entries are asked for.
    is_plus: bool,
    /// The place in the file that was asked for.
    offset: u64,
    content: Content,
}

type ReadArguments = for<'a> fn(&mut Xdr<'a>, Content) -> Nested<'a>;
type ReadResults = for<'a> fn(&mut Xdr<'a>, &Asked) -> Nested<'a>;

/// A procedure that is read.
struct Procedure {
    event: &'static str,
    arguments: Option<ReadArguments>,
    results: Option<ReadResults>,
}

const fn procedure(event: &'static str, arguments: ReadArguments, results: ReadResults) -> Option<Procedure> {
    Some(Procedure { event, arguments: Some(arguments), results: Some(results) })
}

/// Procedures by number (section 3.3); those that are none are known and not read.
static PROCEDURES: [Option<Procedure>; 22] = [
    Some(Procedure { event: "nfs_proc_null", arguments: None, results: None }),
    procedure("nfs_proc_getattr", arguments::file, results::attributes),
    procedure("nfs_proc_sattr", arguments::new_attributes, results::changed),
    procedure("nfs_proc_lookup", arguments::entry, results::found),
    None,
    procedure("nfs_proc_readlink", arguments::file, results::link_text),
    procedure("nfs_proc_read", arguments::read, results::read),
    procedure("nfs_proc_write", arguments::write, results::written),
    procedure("nfs_proc_create", arguments::entry, results::made),
    procedure("nfs_proc_mkdir", arguments::entry, results::made),
    procedure("nfs_proc_symlink", arguments::symbolic_link, results::made),
    None,
    procedure("nfs_proc_remove", arguments::entry, results::removed),
    procedure("nfs_proc_rmdir", arguments::entry, results::removed),
    procedure("nfs_proc_rename", arguments::rename, results::renamed),
    procedure("nfs_proc_link", arguments::link, results::linked),
    procedure("nfs_proc_readdir", arguments::directory, results::directory),
    procedure("nfs_proc_readdir", arguments::directory_plus, results::directory),
    None,
    None,
    None,
    None,
];

const READ: u32 = 6;
const WRITE: u32 = 7;
const CREATE: u32 = 8;
const MKDIR: u32 = 9;
const READDIRPLUS: u32 = 17;

/// Returns a procedure: none where there is no such, and inside none where it is not read.
fn of_number(number: u32) -> Option<Option<&'static Procedure>> {
    PROCEDURES.get(usize::try_from(number).ok()?).map(Option::as_ref)
}

fn call(call: &Call, xdr: &mut Xdr<'_>, findings: &mut dyn StreamFindings) -> Option<usize> {
    if call.program != NUMBER {
        findings.weird("bad_RPC_program", &call.program.to_string());
    }
    let Some(known) = of_number(call.procedure) else {
        findings.weird("unknown_NFS_request", &call.procedure.to_string());
        return Some(0);
    };
    let Some(procedure) = known else {
        xdr.pass_over();
        return Some(0);
    };
    let content = Content::of(findings);
    let start = xdr.clone();
    if let Some(read) = procedure.arguments {
        read(xdr, content);
    }
    let end = match call.procedure {
        WRITE => arguments::end_of_write(start, content),
        _ => xdr.position(),
    };
    if matches!(call.procedure, CREATE | MKDIR) {
        // Attributes of what is made are not told.
        xdr.pass_over();
    }
    xdr.is_whole().then_some(end)
}

fn reply(call: &Call, reply: &Reply, xdr: &mut Xdr<'_>, findings: &mut dyn StreamFindings) -> bool {
    let status = match reply.is_success() {
        true if xdr.rest().len() >= 4 => xdr.u32(),
        true => UNKNOWN,
        false => 0,
    };
    let info = call.info(reply, status);
    tell("nfs_reply_status", &info, [None, None], findings);
    if !reply.is_success() {
        *xdr = Xdr::nothing();
    }
    let Some(known) = of_number(call.procedure) else { return false };
    let Some(procedure) = known else {
        xdr.pass_over();
        tell("nfs_proc_not_implemented", &info, [Some(call.procedure.into()), None], findings);
        return true;
    };
    let content = Content::of(findings);
    let mut arguments = Xdr::new(&call.arguments);
    let offset = if call.procedure == READ { arguments::offset(arguments.clone()) } else { 0 };
    let asked = Asked { is_done: status == 0, is_plus: call.procedure == READDIRPLUS, offset, content };
    let results = procedure.results.map(|read| read(xdr, &asked));
    if reply.is_success() && !xdr.is_whole() {
        return false;
    }
    let request = procedure.arguments.map(|read| read(&mut arguments, content));
    tell(procedure.event, &info, [request, results], findings);
    true
}
