//! Fields of a call.

use weir_applayer::{Access, Field, Progress, bytes};

use super::checks;
use super::transaction::{COMPLETE, DceRpcTransaction};

const STARTED: Progress = Progress(0);

const STUB: Access = bytes!(DceRpcTransaction, |tx, direction| tx.exchange.stub(direction));

/// The row for a call's interface, whatever carries calls.
pub const INTERFACE: Field =
    Field::both("dcerpc.iface", STARTED, Access::Check(checks::interface)).aliases(&["dce_iface"]).doc(
        "The interface of a call that the server accepted: `uuid`, `uuid,>1` (by its version), \
         `uuid,any_frag`.",
    );

/// The row for its operation.
pub const OPERATION: Field = Field::both("dcerpc.opnum", STARTED, Access::Check(checks::operation))
    .aliases(&["dce_opnum"])
    .doc("The number of the operation that is called: numbers and ranges (`1,4-7`).");

/// The row for its data.
pub const fn stub(access: Access) -> Field {
    Field::both("dcerpc.stub_data", COMPLETE, access)
        .aliases(&["dce_stub_data"])
        .doc("The data of a call, or of what it came to, put together of its fragments.")
}

/// The rows.
pub const FIELDS: &[Field] = &[INTERFACE, OPERATION, stub(STUB)];
