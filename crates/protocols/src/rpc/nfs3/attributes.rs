//! Attributes of files, and what else arguments and results have in common (RFC 1813, section 2.5).

use weir_base::EventValue;
use weir_base::event::Nested;

use super::MAX_HANDLE;
use crate::rpc::xdr::Xdr;

/// The value of a time that the client says.
const SET_TO_CLIENT_TIME: u32 = 2;

/// A handle.
pub(super) fn handle<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    EventValue::bytes(xdr.opaque(MAX_HANDLE)).into()
}

/// A name, or a path.
pub(super) fn name<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    EventValue::bytes(xdr.opaque(usize::MAX)).into()
}

/// Attributes of a file (`fattr3`).
pub(super) fn attributes<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    Nested::record([
        // Kind, mode, links, owner, group.
        xdr.u32().into(),
        xdr.u32().into(),
        xdr.u32().into(),
        xdr.u32().into(),
        xdr.u32().into(),
        // Size, and what of it is used.
        xdr.u64().into(),
        xdr.u64().into(),
        // Numbers of a device.
        xdr.u32().into(),
        xdr.u32().into(),
        // File system, and the file within.
        xdr.u64().into(),
        xdr.u64().into(),
        // When it was read, written and changed.
        xdr.moment(),
        xdr.moment(),
        xdr.moment(),
    ])
}

/// Attributes that may be there (`post_op_attr`).
pub(super) fn attributes_after<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    xdr.optional(attributes)
}

/// Attributes of before a change that may be there (`pre_op_attr`): size, and two times.
pub(super) fn attributes_before<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    xdr.optional(|xdr| Nested::record([xdr.u64().into(), xdr.moment(), xdr.moment()]))
}

/// Attributes of before and after a change (`wcc_data`).
pub(super) fn around<'a>(xdr: &mut Xdr<'a>) -> [Nested<'a>; 2] {
    [attributes_before(xdr), attributes_after(xdr)]
}

/// Attributes that are to be set (`sattr3`): mode, owner, group, size, and how two times are set.
pub(super) fn new<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    let number = |xdr: &mut Xdr<'a>| xdr.optional(|xdr| xdr.u32().into());
    Nested::record([
        number(xdr),
        number(xdr),
        number(xdr),
        xdr.optional(|xdr| xdr.u64().into()),
        how(xdr),
        how(xdr),
    ])
}

fn how<'a>(xdr: &mut Xdr<'a>) -> Nested<'a> {
    let how = xdr.u32();
    if how == SET_TO_CLIENT_TIME {
        xdr.moment();
    }
    how.into()
}
