//! Fields of a message.

use weir_applayer::{Access, Field, FieldDirection, bytes, integer};

use super::checks;
use super::names::FUNCTIONS;
use super::transaction::{COMPLETE, Dnp3Transaction};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    direction: FieldDirection,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier: None, direction, ready_at: COMPLETE, access, doc }
}

const FUNCTION: Access = integer!(Dnp3Transaction, 8, FUNCTIONS, |tx, direction, index| {
    (index == 0 && tx.meta.only == Some(direction)).then(|| tx.function().into())
});
const DATA: Access = bytes!(Dnp3Transaction, |tx, direction| {
    (tx.meta.only == Some(direction)).then_some(tx.data.as_slice())
});

/// The rows.
pub const FIELDS: &[Field] = &[
    field(
        "dnp3_func",
        &["dnp3.func"],
        FieldDirection::Both,
        FUNCTION,
        "What a message is for, as a number or by its name, such as `direct_operate`.",
    ),
    field(
        "dnp3_ind",
        &["dnp3.ind"],
        FieldDirection::ToClient,
        Access::Check(checks::indications),
        "An internal indication of a response, by its name or as bits of a number; one of several is enough.",
    ),
    field(
        "dnp3_obj",
        &["dnp3.obj"],
        FieldDirection::Both,
        Access::Check(checks::object),
        "An object of a message, by its group and variation.",
    ),
    field(
        "dnp3.data",
        &["dnp3_data"],
        FieldDirection::Both,
        DATA,
        "A message of the application layer without checksums, put together from its frames.",
    ),
];
