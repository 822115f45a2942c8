//! Results of calls. Where a call failed, they have the attributes that are told all the same.

use weir_base::EventValue;
use weir_base::event::Nested;

use super::Asked;
use super::attributes::{self, around, attributes_after, handle, name};
use crate::rpc::xdr::Xdr;

fn unset<'a>() -> Nested<'a> {
    EventValue::Unset.into()
}

/// Attributes of a file. They are nothing where the call failed.
pub(super) fn attributes<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    if asked.is_done { attributes::attributes(xdr) } else { attributes::attributes(&mut Xdr::nothing()) }
}

/// Attributes around a change.
pub(super) fn changed<'a>(xdr: &mut Xdr<'a>, _: &Asked) -> Nested<'a> {
    Nested::record(around(xdr))
}

/// What a name stands for: a handle and attributes, and those of the directory.
pub(super) fn found<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    let [file, its] = if asked.is_done { [handle(xdr), attributes_after(xdr)] } else { [unset(), unset()] };
    Nested::record([file, its, attributes_after(xdr)])
}

/// Where a symbolic link leads to.
pub(super) fn link_text<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    Nested::record([attributes_after(xdr), if asked.is_done { name(xdr) } else { unset() }])
}

/// A part of a file: how much it is, whether the file ends there, and the bytes.
pub(super) fn read<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    let its = attributes_after(xdr);
    if !asked.is_done {
        return Nested::record([its, unset(), unset(), unset()]);
    }
    let (size, is_end) = (xdr.u32(), xdr.flag());
    let told = asked.content.part(xdr.data(), asked.offset, size);
    Nested::record([its, size.into(), is_end.into(), EventValue::bytes(told).into()])
}

/// How much was written, how stable it is, and by what a restart of the server is known.
pub(super) fn written<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    let [before, after] = around(xdr);
    if !asked.is_done {
        return Nested::record([before, after, unset(), unset(), unset()]);
    }
    Nested::record([before, after, xdr.u32().into(), xdr.u32().into(), xdr.u64().into()])
}

/// What was made: perhaps its handle and attributes, and those of the directory.
pub(super) fn made<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    let [file, its] =
        if asked.is_done { [xdr.optional(handle), attributes_after(xdr)] } else { [unset(), unset()] };
    let [before, after] = around(xdr);
    Nested::record([file, its, before, after])
}

/// Attributes of a directory around a removal.
pub(super) fn removed<'a>(xdr: &mut Xdr<'a>, _: &Asked) -> Nested<'a> {
    Nested::record(around(xdr))
}

/// Attributes of both directories around a change of a name.
pub(super) fn renamed<'a>(xdr: &mut Xdr<'a>, _: &Asked) -> Nested<'a> {
    let ([source_before, source_after], [target_before, target_after]) = (around(xdr), around(xdr));
    Nested::record([source_before, source_after, target_before, target_after])
}

/// Attributes of a file that has another name, and of the directory of that around the change.
pub(super) fn linked<'a>(xdr: &mut Xdr<'a>, _: &Asked) -> Nested<'a> {
    let file = attributes_after(xdr);
    let [before, after] = around(xdr);
    Nested::record([file, before, after])
}

/// Entries of a directory. As in Zeek the first place of the list stays empty.
pub(super) fn directory<'a>(xdr: &mut Xdr<'a>, asked: &Asked) -> Nested<'a> {
    let its = attributes_after(xdr);
    if !asked.is_done {
        return Nested::record([asked.is_plus.into(), its, unset(), unset(), unset()]);
    }
    let verifier = xdr.u64();
    let mut entries = Vec::new();
    while xdr.flag() {
        if entries.is_empty() {
            entries.push(unset());
        }
        let (file, title, place) = (xdr.u64(), name(xdr), xdr.u64());
        let [its, file_handle] = match asked.is_plus {
            true => [attributes_after(xdr), xdr.optional(handle)],
            false => [unset(), unset()],
        };
        entries.push(Nested::record([file.into(), title, place.into(), its, file_handle]));
    }
    let is_end = xdr.flag();
    Nested::record([asked.is_plus.into(), its, verifier.into(), Nested::List(entries), is_end.into()])
}
