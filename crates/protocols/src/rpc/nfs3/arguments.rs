//! Arguments of calls.

use weir_base::EventValue;
use weir_base::event::Nested;

use super::attributes::{handle, name, new};
use super::{Content, MAX_HANDLE};
use crate::rpc::xdr::Xdr;

/// A file.
pub(super) fn file<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    handle(xdr)
}

/// A name in a directory.
pub(super) fn entry<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    Nested::record([handle(xdr), name(xdr)])
}

/// New attributes of a file. What they depend on is not told.
pub(super) fn new_attributes<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    let arguments = Nested::record([handle(xdr), new(xdr)]);
    if xdr.is_whole() {
        xdr.pass_over();
    }
    arguments
}

/// A part of a file that is to be read: its place and its size.
pub(super) fn read<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    Nested::record([handle(xdr), xdr.u64().into(), xdr.u32().into()])
}

/// Returns the place in the file of the arguments of a read.
pub(super) fn offset(mut xdr: Xdr<'_>) -> u64 {
    xdr.opaque(MAX_HANDLE);
    xdr.u64()
}

/// A part of a file that is written: its place, its size, how stable it is to be, and the bytes.
pub(super) fn write<'a>(xdr: &mut Xdr<'a>, content: Content) -> Nested<'a> {
    let (file, offset, size) = (handle(xdr), xdr.u64(), xdr.u32());
    let stable = xdr.u32();
    let told = content.part(xdr.data(), offset, size);
    Nested::record([file, offset.into(), size.into(), stable.into(), EventValue::bytes(told).into()])
}

/// Returns where the part of a write's arguments ends that is told.
pub(super) fn end_of_write(mut xdr: Xdr<'_>, content: Content) -> usize {
    xdr.opaque(MAX_HANDLE);
    let (offset, size) = (xdr.u64(), xdr.u32());
    xdr.u32();
    // The number of bytes that follows is read with them.
    let head = xdr.position() + 4;
    head + content.part(xdr.data(), offset, size).map_or(0, <[u8]>::len)
}

/// A symbolic link: its name in a directory, its attributes, and what it leads to.
pub(super) fn symbolic_link<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    let place = Nested::record([handle(xdr), name(xdr)]);
    Nested::record([place, Nested::record([new(xdr), name(xdr)])])
}

/// The names of before and after, each in a directory.
pub(super) fn rename<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    Nested::record([handle(xdr), name(xdr), handle(xdr), name(xdr)])
}

/// A file, and another name for it in a directory.
pub(super) fn link<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    let file = handle(xdr);
    Nested::record([file, Nested::record([handle(xdr), name(xdr)])])
}

/// A directory, the place in it, and how much of it is asked for.
pub(super) fn directory<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    listing(xdr, false)
}

/// The same, with handles and attributes of entries.
pub(super) fn directory_plus<'a>(xdr: &mut Xdr<'a>, _: Content) -> Nested<'a> {
    listing(xdr, true)
}

fn listing<'a>(xdr: &mut Xdr<'a>, is_plus: bool) -> Nested<'a> {
    Nested::record([
        is_plus.into(),
        handle(xdr),
        // The place, and what makes it valid.
        xdr.u64().into(),
        xdr.u64().into(),
        xdr.u32().into(),
        if is_plus { xdr.u32().into() } else { EventValue::Unset.into() },
    ])
}
