//! Fields of a request and its response.

use weir_applayer::{Access, Field, Progress, bytes, integer};

use super::checks;
use super::item::{Identity, Services};
use super::message::Values;
use super::names::{STATUSES, command};
use super::transaction::{COMPLETE, EnipTransaction};

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
    Field::both("enip_command", Progress(0), COMMAND)
        .aliases(&["enip.command"])
        .doc("What a message is for, as a number or by its name, such as `list_identity`."),
    Field::both("cip_service", Progress(0), Access::Check(checks::cip_service))
        .doc("A service of CIP, perhaps with the class that it is asked of, and an attribute."),
    Field::both("enip.status", Progress(0), STATUS)
        .doc("How it went, as a number or by its name, such as `invalid_session`."),
    Field::both("enip.protocol_version", Progress(0), VERSION)
        .doc("The version of the protocol that an end speaks."),
    Field::to_server("enip.cip_class", Progress(0), CLASS)
        .doc("A class of objects in the path of a request of CIP."),
    Field::to_server("enip.cip_instance", Progress(0), INSTANCE)
        .doc("An object in the path of a request of CIP."),
    Field::to_server("enip.cip_attribute", Progress(0), ATTRIBUTE)
        .doc("An attribute in the path of a request of CIP, or in its list."),
    Field::to_client("enip.cip_status", Progress(0), CIP_STATUS).doc("How a service of CIP went."),
    Field::to_client("enip.cip_extendedstatus", Progress(0), CIP_EXTENDED)
        .doc("More of how a service of CIP went."),
    Field::to_client("enip.capabilities", Progress(0), CAPABILITIES).doc("How a device can be spoken to."),
    Field::to_client("enip.revision", Progress(0), REVISION)
        .doc("The revision of a device: 256 times the major one, and the minor one."),
    Field::to_client("enip.identity_status", Progress(0), IDENTITY_STATUS).doc("The status of a device."),
    Field::to_client("enip.state", Progress(0), STATE).doc("What a device does."),
    Field::to_client("enip.serial", Progress(0), SERIAL).doc("The serial number of a device."),
    Field::to_client("enip.product_code", Progress(0), PRODUCT_CODE)
        .doc("The number of a device among its vendor's."),
    Field::to_client("enip.device_type", Progress(0), DEVICE_TYPE).doc("What a device is, as a number."),
    Field::to_client("enip.vendor_id", Progress(0), VENDOR).doc("The vendor of a device, as a number."),
    Field::to_client("enip.product_name", COMPLETE, PRODUCT_NAME).doc("The name of a device."),
    Field::to_client("enip.service_name", COMPLETE, SERVICE_NAME)
        .doc("The name of what a device offers, with what fills it up to 16 bytes."),
];
