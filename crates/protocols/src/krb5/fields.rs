//! Fields of a message.

use weir_applayer::{Access, Field, integer, list};

use super::checks;
use super::transaction::{COMPLETE, Krb5Transaction};

const KIND: Access =
    integer!(Krb5Transaction, 8, &[], |tx, _, index| (index == 0).then_some(tx.message.kind.into()));
const ERROR: Access = integer!(Krb5Transaction, 32, &[], |tx, _, index| {
    tx.error().filter(|_| index == 0).and_then(|code| u64::try_from(code).ok())
});
const CLIENT: Access = list!(Krb5Transaction, |tx, _, index| tx.message.client_part(index));
const SERVICE: Access = list!(Krb5Transaction, |tx, _, index| tx.message.service_part(index));

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("krb5_msg_type", COMPLETE, KIND)
        .doc("What a message is: 10 (AS-REQ), 11 (AS-REP), 12 (TGS-REQ), 13 (TGS-REP) or 30 (an error)."),
    Field::both("krb5_err_code", COMPLETE, ERROR)
        .doc("What a request failed with, by the numbers of RFC 4120."),
    Field::both("krb5.cname", COMPLETE, CLIENT)
        .aliases(&["krb5_cname"])
        .doc("Each part of the client's name."),
    Field::both("krb5.sname", COMPLETE, SERVICE)
        .aliases(&["krb5_sname"])
        .doc("Each part of the service's name."),
    Field::both("krb5.ticket_encryption", COMPLETE, Access::Check(checks::ticket_encryption)).doc(
        "How the ticket of an answer is encrypted: `weak`, `!weak`, or one of a list of types by \
         name or number.",
    ),
];
