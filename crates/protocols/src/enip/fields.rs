//! Fields of a request and its response.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes, integer};

use super::checks;
use super::item::{Identity, Services};
use super::message::Values;
use super::names::{STATUSES, command};
use super::transaction::{COMPLETE, EnipTransaction};

const fn field(name: &'static str, direction: FieldDirection, access: Access, doc: &'static str) -> Field {
    Field { name, aliases: &[], modifier: None, direction, ready_at: Progress(0), access, doc }
}

const BOTH: FieldDirection = FieldDirection::Both;
const UP: FieldDirection = FieldDirection::ToServer;
const DOWN: FieldDirection = FieldDirection::ToClient;

/// A number of what a device says of itself.
fn identity<T: Into<u64>>(tx: &EnipTransaction, index: usize, number: fn(&Identity) -> T) -> Option<u64> {
    let identity = tx.response.as_ref()?.identity()?;
    (index == 0).then(|| number(identity).into())
}

fn offered(tx: &EnipTransaction) -> Option<&Services> {
    tx.response.as_ref()?.offered()
}

/// A number of the services that are asked for.
fn asked(tx: &EnipTransaction, index: usize, numbers: fn(&Values) -> &[u32]) -> Option<u64> {
    numbers(&tx.request.as_ref()?.values).get(index).map(|number| u64::from(*number))
}

const COMMAND: Access = integer!(EnipTransaction, 16, command::NAMES, |tx, direction, index| {
    tx.message(direction).filter(|_| index == 0).map(|message| message.header.command.into())
});
const STATUS: Access = integer!(EnipTransaction, 32, STATUSES, |tx, direction, index| {
    tx.message(direction).filter(|_| index == 0).map(|message| message.header.status.into())
});
const VERSION: Access = integer!(EnipTransaction, 16, &[], |tx, direction, index| {
    tx.message(direction).filter(|_| index == 0)?.protocol_version().map(u64::from)
});
const CLASS: Access =
    integer!(EnipTransaction, 32, &[], |tx, _, index| asked(tx, index, |values| &values.classes));
const INSTANCE: Access =
    integer!(EnipTransaction, 32, &[], |tx, _, index| asked(tx, index, |values| &values.instances));
const ATTRIBUTE: Access =
    integer!(EnipTransaction, 32, &[], |tx, _, index| asked(tx, index, |values| &values.attributes));
const CIP_STATUS: Access = integer!(EnipTransaction, 8, &[], |tx, _, index| {
    tx.response.as_ref()?.values.statuses.get(index).map(|status| u64::from(*status))
});
const CIP_EXTENDED: Access = integer!(EnipTransaction, 16, &[], |tx, _, index| {
    tx.response.as_ref()?.values.extended.get(index).map(|status| u64::from(*status))
});
const CAPABILITIES: Access = integer!(EnipTransaction, 16, &[], |tx, _, index| {
    offered(tx).filter(|_| index == 0).map(|services| services.capabilities.into())
});
const REVISION: Access = integer!(EnipTransaction, 16, &[], |tx, _, index| {
    identity(tx, index, |who| u16::from_be_bytes([who.revision.0, who.revision.1]))
});
const IDENTITY_STATUS: Access =
    integer!(EnipTransaction, 16, &[], |tx, _, index| identity(tx, index, |who| who.status));
const STATE: Access = integer!(EnipTransaction, 8, &[], |tx, _, index| identity(tx, index, |who| who.state));
const SERIAL: Access =
    integer!(EnipTransaction, 32, &[], |tx, _, index| identity(tx, index, |who| who.serial));
const PRODUCT_CODE: Access =
    integer!(EnipTransaction, 16, &[], |tx, _, index| identity(tx, index, |who| who.product_code));
const DEVICE_TYPE: Access =
    integer!(EnipTransaction, 16, &[], |tx, _, index| identity(tx, index, |who| who.device_type));
const VENDOR: Access =
    integer!(EnipTransaction, 16, &[], |tx, _, index| identity(tx, index, |who| who.vendor));
const PRODUCT_NAME: Access =
    bytes!(EnipTransaction, |tx, _| Some(&tx.response.as_ref()?.identity()?.product_name));
const SERVICE_NAME: Access = bytes!(EnipTransaction, |tx, _| Some(&offered(tx)?.name));

/// The rows.
pub const FIELDS: &[Field] = &[
    Field {
        aliases: &["enip.command"],
        ..field(
            "enip_command",
            BOTH,
            COMMAND,
            "What a message is for, as a number or by its name, such as `list_identity`.",
        )
    },
    field(
        "cip_service",
        BOTH,
        Access::Check(checks::cip_service),
        "A service of CIP, perhaps with the class that it is asked of, and an attribute.",
    ),
    field("enip.status", BOTH, STATUS, "How it went, as a number or by its name, such as `invalid_session`."),
    field("enip.protocol_version", BOTH, VERSION, "The version of the protocol that an end speaks."),
    field("enip.cip_class", UP, CLASS, "A class of objects in the path of a request of CIP."),
    field("enip.cip_instance", UP, INSTANCE, "An object in the path of a request of CIP."),
    field(
        "enip.cip_attribute",
        UP,
        ATTRIBUTE,
        "An attribute in the path of a request of CIP, or in its list.",
    ),
    field("enip.cip_status", DOWN, CIP_STATUS, "How a service of CIP went."),
    field("enip.cip_extendedstatus", DOWN, CIP_EXTENDED, "More of how a service of CIP went."),
    field("enip.capabilities", DOWN, CAPABILITIES, "How a device can be spoken to."),
    field(
        "enip.revision",
        DOWN,
        REVISION,
        "The revision of a device: 256 times the major one, and the minor one.",
    ),
    field("enip.identity_status", DOWN, IDENTITY_STATUS, "The status of a device."),
    field("enip.state", DOWN, STATE, "What a device does."),
    field("enip.serial", DOWN, SERIAL, "The serial number of a device."),
    field("enip.product_code", DOWN, PRODUCT_CODE, "The number of a device among its vendor's."),
    field("enip.device_type", DOWN, DEVICE_TYPE, "What a device is, as a number."),
    field("enip.vendor_id", DOWN, VENDOR, "The vendor of a device, as a number."),
    Field { ready_at: COMPLETE, ..field("enip.product_name", DOWN, PRODUCT_NAME, "The name of a device.") },
    Field {
        ready_at: COMPLETE,
        ..field(
            "enip.service_name",
            DOWN,
            SERVICE_NAME,
            "The name of what a device offers, with what fills it up to 16 bytes.",
        )
    },
];
