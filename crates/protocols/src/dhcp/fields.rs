//! Fields of a message.

use weir_applayer::{Access, Field, FieldDirection, integer};

use super::message::code;
use super::transaction::{COMPLETE, DhcpTransaction};

const fn field(name: &'static str, access: Access, doc: &'static str) -> Field {
    Field {
        name,
        aliases: &[],
        modifier: None,
        direction: FieldDirection::Both,
        ready_at: COMPLETE,
        access,
        doc,
    }
}

/// The seconds that the option with a code tells.
macro_rules! seconds {
    ($code:expr) => {
        integer!(DhcpTransaction, 64, &[], |tx, _, index| {
            tx.message.seconds($code).filter(|_| index == 0).map(u64::from)
        })
    };
}

/// The rows.
pub const FIELDS: &[Field] = &[
    field("dhcp.leasetime", seconds!(code::LEASE_TIME), "For how many seconds an address is given."),
    field(
        "dhcp.rebinding_time",
        seconds!(code::REBINDING_TIME),
        "After how many seconds a client is to ask any server to go on with its address.",
    ),
    field(
        "dhcp.renewal_time",
        seconds!(code::RENEWAL_TIME),
        "After how many seconds a client is to ask its server to go on with its address.",
    ),
];
