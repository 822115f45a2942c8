//! Fields of a request and its answers.

use weir_applayer::{Access, Field, Progress, bytes, integer, late, list};

use super::names::{RESULT_CODES, operation};
use super::transaction::LdapTransaction;

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
    Field::to_server("ldap.request.operation", Progress(0), REQUEST_OPERATION)
        .doc("What is asked for, as a number or by its name, such as `bind_request`."),
    Field::to_client("ldap.responses.operation", Progress(0), RESPONSES_OPERATION)
        .indexed()
        .doc("What an answer is, as a number or by its name, such as `search_result_done`."),
    Field::to_client("ldap.responses.count", Progress(0), RESPONSES_COUNT).doc("How many answers there are."),
    Field::to_server("ldap.request.dn", Progress(0), REQUEST_NAME)
        .doc("The distinguished name that a request is about."),
    Field::to_client("ldap.responses.dn", Progress(0), RESPONSES_NAME)
        .doc("The distinguished name of each answer; empty where it has none."),
    Field::to_client("ldap.responses.result_code", Progress(0), RESULT_CODE)
        .indexed()
        .doc("What became of a request, as a number or by its name, such as `invalid_credentials`."),
    Field::to_client("ldap.responses.message", Progress(0), RESPONSES_MESSAGE)
        .doc("What the server says of each answer; empty where it says nothing."),
    Field::to_server("ldap.request.attribute_type", Progress(0), REQUEST_ATTRIBUTE)
        .doc("The name of each attribute that a request is about."),
    Field::to_client("ldap.responses.attribute_type", Progress(0), RESPONSES_ATTRIBUTE)
        .doc("The name of each attribute of entries that were found."),
];
