//! Fields of a handshake.

use weir_applayer::{Access, Field, bytes, integer};

use super::message::result;
use super::transaction::{COMPLETE, RfbTransaction};

/// Least number that `unknown` stands for.
const UNKNOWN: u64 = 3;

/// Results of authentication, by name (RFC 6143 7.1.3).
const RESULTS: &[(&str, u64)] = &[
    ("ok", result::OK as u64),
    ("fail", result::FAILED as u64),
    ("toomany", result::TOO_MANY as u64),
    ("unknown", UNKNOWN),
];

const NAME: Access = bytes!(RfbTransaction, |tx, _| Some(tx.desktop.as_ref()?.name.as_slice()));
const TYPE: Access =
    integer!(RfbTransaction, 32, &[], |tx, _, index| tx.security_type.filter(|_| index == 0).map(u64::from));
const RESULT: Access = integer!(RfbTransaction, 32, RESULTS, |tx, _, index| {
    let value = u64::from(tx.result?);
    match index {
        0 => Some(value),
        1 if value > UNKNOWN => Some(UNKNOWN),
        _ => None,
    }
});

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::to_client("rfb.name", COMPLETE, NAME).doc("The name of the desktop."),
    Field::to_server("rfb.sectype", COMPLETE, TYPE)
        .doc("The method of authentication: 1 for none, 2 for VNC's own, 30 for Apple's."),
    Field::to_client("rfb.secresult", COMPLETE, RESULT)
        .doc("What authentication came to, as a number or as `ok`, `fail`, `toomany` or `unknown`."),
];
