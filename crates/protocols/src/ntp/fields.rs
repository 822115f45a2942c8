//! Fields of a message.

use weir_applayer::{Access, Field, bytes, integer};

use super::message::MODES;
use super::transaction::{COMPLETE, NtpTransaction};

const VERSION: Access =
    integer!(NtpTransaction, 8, &[], |tx, _, index| (index == 0).then_some(tx.message.version.into()));
const MODE: Access =
    integer!(NtpTransaction, 8, MODES, |tx, _, index| (index == 0).then_some(tx.message.mode.into()));
const STRATUM: Access =
    integer!(NtpTransaction, 8, &[], |tx, _, index| (index == 0).then_some(tx.message.stratum.into()));
const REFERENCE: Access = bytes!(NtpTransaction, |tx, _| Some(&tx.message.reference[..]));

const MODE_DOC: &str = "Who speaks to whom, as a number or as `reserved`, `symmetric_active`, \
    `symmetric_passive`, `client`, `server`, `broadcast`, `control` or `private`.";

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::both("ntp.version", COMPLETE, VERSION).doc("The version of a message: 3 or 4."),
    Field::both("ntp.mode", COMPLETE, MODE).doc(MODE_DOC),
    Field::both("ntp.stratum", COMPLETE, STRATUM)
        .doc("How far the sender's clock is from one that it is told the time by."),
    Field::both("ntp.reference_id", COMPLETE, REFERENCE)
        .doc("The four bytes that say what the sender is told the time by."),
];
