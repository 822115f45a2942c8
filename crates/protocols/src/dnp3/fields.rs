//! Fields of a message.

use weir_applayer::{Access, Field, bytes, integer};

use super::checks;
use super::names::FUNCTIONS;
use super::transaction::{COMPLETE, Dnp3Transaction};

const FUNCTION: Access = integer!(Dnp3Transaction, 8, FUNCTIONS, |tx, direction, index| {
    (index == 0 && tx.meta.only == Some(direction)).then(|| tx.function().into())
});
const DATA: Access = bytes!(Dnp3Transaction, |tx, direction| {
    (tx.meta.only == Some(direction)).then_some(tx.data.as_slice())
});

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("dnp3_func", COMPLETE, FUNCTION)
        .aliases(&["dnp3.func"])
        .doc("What a message is for, as a number or by its name, such as `direct_operate`."),
    Field::to_client("dnp3_ind", COMPLETE, Access::Check(checks::indications)).aliases(&["dnp3.ind"]).doc(
        "An internal indication of a response, by its name or as bits of a number; one of several is \
         enough.",
    ),
    Field::both("dnp3_obj", COMPLETE, Access::Check(checks::object))
        .aliases(&["dnp3.obj"])
        .doc("An object of a message, by its group and variation."),
    Field::both("dnp3.data", COMPLETE, DATA)
        .aliases(&["dnp3_data"])
        .doc("A message of the application layer without checksums, put together from its frames."),
];
