//! Fields of a message.

use weir_applayer::{Access, Field, FieldDirection, integer, list};

use super::checks;
use super::transaction::{COMPLETE, Krb5Transaction};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction: FieldDirection::Both, ready_at: COMPLETE, access, doc }
}

const KIND: Access =
    integer!(Krb5Transaction, 8, &[], |tx, _, index| (index == 0).then_some(tx.message.kind.into()));
const ERROR: Access = integer!(Krb5Transaction, 32, &[], |tx, _, index| {
    tx.error().filter(|_| index == 0).and_then(|code| u64::try_from(code).ok())
});
const CLIENT: Access = list!(Krb5Transaction, |tx, _, index| tx.message.client_part(index));
const SERVICE: Access = list!(Krb5Transaction, |tx, _, index| tx.message.service_part(index));

/// The rows.
pub const FIELDS: &[Field] = &[
    field(
        "krb5_msg_type",
        &[],
        KIND,
        "What a message is: 10 (AS-REQ), 11 (AS-REP), 12 (TGS-REQ), 13 (TGS-REP) or 30 (an error).",
    ),
    field("krb5_err_code", &[], ERROR, "What a request failed with, by the numbers of RFC 4120."),
    field("krb5.cname", &["krb5_cname"], CLIENT, "Each part of the client's name."),
    field("krb5.sname", &["krb5_sname"], SERVICE, "Each part of the service's name."),
    field(
        "krb5.ticket_encryption",
        &[],
        Access::Check(checks::ticket_encryption),
        "How the ticket of an answer is encrypted: `weak`, `!weak`, or one of a list of types by name or number.",
    ),
];
