//! Mounting (RFC 1813, appendix I).

use weir_base::EventValue;
use weir_base::event::{Nested, StreamFindings, StreamReader};

use super::call::{Call, Reply};
use super::xdr::Xdr;
use super::{Conversation, Program, TIMEOUT, tell};

/// The reader.
pub const READER: StreamReader = StreamReader {
    analyzer: "MOUNT",
    events: &[
        "rpc_call",
        "rpc_dialogue",
        "rpc_discarded_pending_calls",
        "rpc_reply",
        "mount_proc_mnt",
        "mount_proc_not_implemented",
        "mount_proc_null",
        "mount_proc_umnt",
        "mount_proc_umnt_all",
        "mount_reply_status",
    ],
    tells_weirds: true,
    lasts: Some(TIMEOUT),
    open: || Conversation::open(&MOUNT),
};

static MOUNT: Program = Program { call, reply };

/// The number of the program.
const NUMBER: u32 = 100_005;
/// The status of a reply without one.
const UNKNOWN: u32 = u32::MAX;
/// Longest handle.
const MAX_HANDLE: usize = 64;
/// Most flavours of credentials that are told.
const MAX_FLAVORS: u32 = 32;

/// Procedures (section 5.2).
mod procedure {
    pub const NULL: u32 = 0;
    pub const MNT: u32 = 1;
    pub const UMNT: u32 = 3;
    pub const UMNT_ALL: u32 = 4;
    /// Behind the last one.
    pub const END: u32 = 6;
}

fn call(call: &Call, xdr: &mut Xdr<'_>, findings: &mut dyn StreamFindings) -> Option<usize> {
    if call.program != NUMBER {
        findings.weird("bad_RPC_program", &call.program.to_string());
    }
    match call.procedure {
        procedure::NULL | procedure::MNT | procedure::UMNT | procedure::UMNT_ALL => {
            arguments(call.procedure, xdr);
            return xdr.is_whole().then(|| xdr.position());
        }
        known if known < procedure::END => xdr.pass_over(),
        unknown => findings.weird("unknown_MOUNT_request", &unknown.to_string()),
    }
    Some(0)
}

fn arguments<'a>(procedure: u32, xdr: &mut Xdr<'a>) -> Option<Nested<'a>> {
    let directory = match procedure {
        procedure::MNT | procedure::UMNT => EventValue::bytes(xdr.opaque(usize::MAX)),
        // There is none (section 5.2.4).
        procedure::UMNT_ALL => EventValue::text(""),
        _ => return None,
    };
    Some(Nested::record([directory]))
}

fn reply(call: &Call, reply: &Reply, xdr: &mut Xdr<'_>, findings: &mut dyn StreamFindings) -> bool {
    let status = match reply.is_success() {
        true if xdr.rest().len() >= 4 => xdr.u32(),
        true => UNKNOWN,
        false => 0,
    };
    let info = call.info(reply, status);
    tell("mount_reply_status", &info, [None, None], findings);
    if !reply.is_success() {
        *xdr = Xdr::nothing();
    }
    let (event, results) = match call.procedure {
        procedure::NULL => ("mount_proc_null", None),
        procedure::MNT => ("mount_proc_mnt", Some(mounted(status, xdr, findings))),
        procedure::UMNT | procedure::UMNT_ALL => {
            xdr.pass_over();
            (if call.procedure == procedure::UMNT { "mount_proc_umnt" } else { "mount_proc_umnt_all" }, None)
        }
        known if known < procedure::END => {
            xdr.pass_over();
            ("mount_proc_not_implemented", Some(known.into()))
        }
        _ => return false,
    };
    if reply.is_success() && !xdr.is_whole() {
        return false;
    }
    let asked = arguments(call.procedure, &mut Xdr::new(&call.arguments));
    tell(event, &info, [asked, results], findings);
    true
}

/// Reads the handle of what was mounted, and the flavours of credentials that are taken there (section 5.2.1).
fn mounted<'a>(status: u32, xdr: &mut Xdr<'a>, findings: &mut dyn StreamFindings) -> Nested<'a> {
    if status != 0 {
        return Nested::record([EventValue::Unset, EventValue::Unset]);
    }
    let handle = EventValue::bytes(xdr.opaque(MAX_HANDLE));
    let count = xdr.u32();
    let flavors = (0..count.min(MAX_FLAVORS)).map(|_| Nested::from(xdr.u32())).collect();
    if count > MAX_FLAVORS {
        findings.weird("excessive_MNT_auth_flavors", "");
        xdr.pass_over();
    }
    Nested::record([handle.into(), Nested::List(flavors)])
}
