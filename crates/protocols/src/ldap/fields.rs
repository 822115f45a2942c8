//! Fields of a request and its answers.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes, integer, late, list};

use super::names::{RESULT_CODES, operation};
use super::transaction::LdapTransaction;

const fn field(name: &'static str, direction: FieldDirection, access: Access, doc: &'static str) -> Field {
    Field { name, aliases: &[], modifier: None, direction, ready_at: Progress(0), access, doc }
}

const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;

const REQUEST_OPERATION: Access = integer!(LdapTransaction, 8, operation::NAMES, |tx, _, index| {
    tx.request.as_ref().filter(|_| index == 0).map(|(message, _)| message.operation.into())
});
const RESPONSES_OPERATION: Access = integer!(LdapTransaction, 8, operation::NAMES, |tx, _, index| {
    tx.responses.get(index).map(|response| response.message.operation.into())
});
const RESPONSES_COUNT: Access =
    integer!(LdapTransaction, 32, &[], |tx, _, index| (index == 0).then_some(tx.responses.len() as u64));
const RESULT_CODE: Access =
    integer!(LdapTransaction, 32, RESULT_CODES, |tx, _, index| tx.result_code(index).map(u64::from));
const REQUEST_NAME: Access = bytes!(LdapTransaction, |tx, _| tx.request_name());
const RESPONSES_NAME: Access = late!(list!(LdapTransaction, |tx, _, index| tx.response_name(index)));
const RESPONSES_MESSAGE: Access = late!(list!(LdapTransaction, |tx, _, index| tx.response_text(index)));
const REQUEST_ATTRIBUTE: Access = list!(LdapTransaction, |tx, _, index| tx.request_attribute(index));
const RESPONSES_ATTRIBUTE: Access =
    late!(list!(LdapTransaction, |tx, _, index| tx.response_attribute(index)));

/// The rows.
pub const FIELDS: &[Field] = &[
    field(
        "ldap.request.operation",
        UP,
        REQUEST_OPERATION,
        "What is asked for, as a number or by its name, such as `bind_request`.",
    ),
    field(
        "ldap.responses.operation",
        DOWN,
        RESPONSES_OPERATION,
        "What an answer is, as a number or by its name, such as `search_result_done`.",
    ),
    field("ldap.responses.count", DOWN, RESPONSES_COUNT, "How many answers there are."),
    field("ldap.request.dn", UP, REQUEST_NAME, "The distinguished name that a request is about."),
    field(
        "ldap.responses.dn",
        DOWN,
        RESPONSES_NAME,
        "The distinguished name of each answer; empty where it has none.",
    ),
    field(
        "ldap.responses.result_code",
        DOWN,
        RESULT_CODE,
        "What became of a request, as a number or by its name, such as `invalid_credentials`.",
    ),
    field(
        "ldap.responses.message",
        DOWN,
        RESPONSES_MESSAGE,
        "What the server says of each answer; empty where it says nothing.",
    ),
    field(
        "ldap.request.attribute_type",
        UP,
        REQUEST_ATTRIBUTE,
        "The name of each attribute that a request is about.",
    ),
    field(
        "ldap.responses.attribute_type",
        DOWN,
        RESPONSES_ATTRIBUTE,
        "The name of each attribute of entries that were found.",
    ),
];
