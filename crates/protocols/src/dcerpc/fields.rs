//! What rules can look at in a call.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes};

use super::checks;
use super::pdu::kind;
use super::transaction::{COMPLETE, DceRpcTransaction};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    ready_at: Progress,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction: FieldDirection::Both, ready_at, access, doc }
}

const STARTED: Progress = Progress(0);

const STUB: Access = bytes!(DceRpcTransaction, |tx, direction| {
    let side = &tx.sides[direction];
    matches!(side.kind, Some(kind::REQUEST | kind::RESPONSE)).then_some(side.stub.as_slice())
});

/// The rows.
pub const FIELDS: &[Field] = &[
    field(
        "dcerpc.iface",
        &["dce_iface"],
        STARTED,
        Access::Check(checks::interface),
        "The interface of a call that the server accepted: `uuid`, `uuid,>1` (by its version), `uuid,any_frag`.",
    ),
    field(
        "dcerpc.opnum",
        &["dce_opnum"],
        STARTED,
        Access::Check(checks::operation),
        "The number of the operation that is called: numbers and ranges (`1,4-7`).",
    ),
    field(
        "dcerpc.stub_data",
        &["dce_stub_data"],
        COMPLETE,
        STUB,
        "The data of a call, or of what it came to, put together of its fragments.",
    ),
];
