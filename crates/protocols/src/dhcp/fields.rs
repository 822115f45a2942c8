//! Fields of a message.

use weir_applayer::{Field, integer};

use super::message::code;
use super::transaction::{COMPLETE, DhcpTransaction};

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
    Field::both("dhcp.leasetime", COMPLETE, seconds!(code::LEASE_TIME))
        .doc("For how many seconds an address is given."),
    Field::both("dhcp.rebinding_time", COMPLETE, seconds!(code::REBINDING_TIME))
        .doc("After how many seconds a client is to ask any server to go on with its address."),
    Field::both("dhcp.renewal_time", COMPLETE, seconds!(code::RENEWAL_TIME))
        .doc("After how many seconds a client is to ask its server to go on with its address."),
];
