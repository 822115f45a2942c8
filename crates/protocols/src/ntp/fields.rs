//! Fields of a message.

use weir_applayer::{Access, Field, FieldDirection, bytes, integer};

use super::message::MODES;
use super::transaction::{COMPLETE, NtpTransaction};

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
    field("ntp.version", VERSION, "The version of a message: 3 or 4."),
    field("ntp.mode", MODE, MODE_DOC),
    field("ntp.stratum", STRATUM, "How far the sender's clock is from one that it is told the time by."),
    field("ntp.reference_id", REFERENCE, "The four bytes that say what the sender is told the time by."),
];
