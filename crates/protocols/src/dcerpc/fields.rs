//! Fields of a call.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes};

use super::checks;
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

const STUB: Access = bytes!(DceRpcTransaction, |tx, direction| tx.exchange.stub(direction));

/// The row for a call's interface, whatever carries calls.
pub const INTERFACE: Field = field(
    "dcerpc.iface",
    &["dce_iface"],
    STARTED,
    Access::Check(checks::interface),
    "The interface of a call that the server accepted: `uuid`, `uuid,>1` (by its version), `uuid,any_frag`.",
);

/// The row for its operation.
pub const OPERATION: Field = field(
    "dcerpc.opnum",
    &["dce_opnum"],
    STARTED,
    Access::Check(checks::operation),
    "The number of the operation that is called: numbers and ranges (`1,4-7`).",
);

/// The row for its data.
pub const fn stub(access: Access) -> Field {
    field(
        "dcerpc.stub_data",
        &["dce_stub_data"],
        COMPLETE,
        access,
        "The data of a call, or of what it came to, put together of its fragments.",
    )
}

/// The rows.
pub const FIELDS: &[Field] = &[INTERFACE, OPERATION, stub(STUB)];
