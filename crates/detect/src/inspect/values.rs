//! The values of a transaction's field: what it holds, what of a body or a file is new, and how far
//! growing ones were inspected.

use weir_applayer::{Access, Body, File, Transaction};
use weir_base::Direction;

use crate::model::buffer::Buffer;
use crate::model::signature::FieldRow;
use crate::model::transform::{Transform, TransformScratch, applied, apply_all};
use crate::ruleset::TransactionGroup;
use crate::state::DirectionDetect;

/// Whether a field may have more to show until its direction of the transaction is complete.
pub(super) fn grows(access: Access) -> bool {
    matches!(
        access,
        Access::Body(_)
            | Access::BodyAndFiles(_)
            | Access::FileData
            | Access::FileName
            | Access::FileDescription
            | Access::Late(_)
    )
}

/// Extent to which the values of a field were gone through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// One was taken.
    Stopped,
    /// There is none.
    Nothing,
    /// None was taken.
    All,
    /// None was taken, and more will come.
    Growing,
}

/// Working memory for values that are put together, and for what transforms make of them.
#[derive(Default)]
pub(super) struct Text {
    pub(super) built: Vec<u8>,
    pub(super) output: Vec<u8>,
    pub(super) scratch: TransformScratch,
}

impl Text {
    /// `input` after `transforms`.
    pub(super) fn of<'a>(&'a mut self, transforms: &[Transform], input: &'a [u8]) -> &'a [u8] {
        applied(transforms, input, &mut self.output, &mut self.scratch)
    }
}

/// Calls `take` with each value of a field until it answers true.
pub(super) fn each_value(
    row: &FieldRow,
    transaction: &dyn Transaction,
    direction: Direction,
    bodies: &[(usize, u64)],
    transforms: &[Transform],
    text: &mut Text,
    mut take: impl FnMut(&Buffer<'_>) -> bool,
) -> Seen {
    let Text { built, output, scratch } = text;
    let mut offer = |buffer: &Buffer<'_>| {
        if transforms.is_empty() {
            return take(buffer);
        }
        apply_all(transforms, buffer.bytes, output, scratch);
        take(&Buffer { bytes: output, offset: 0, ..*buffer })
    };
    let seen = |stopped| if stopped { Seen::Stopped } else { Seen::All };
    match row.field.access.value() {
        Access::Bytes(read) => read(transaction, direction).map_or(Seen::Nothing, |bytes| {
            let little_endian = transaction.is_little_endian();
            seen(offer(&Buffer { little_endian, ..Buffer::whole(bytes) }))
        }),
        Access::Build(build) => {
            built.clear();
            if !build(transaction, direction, built) {
                return Seen::Nothing;
            }
            seen(offer(&Buffer::whole(built)))
        }
        Access::List(read) => {
            let mut index = 0;
            while let Some(bytes) = read(transaction, direction, index) {
                if offer(&Buffer::whole(bytes)) {
                    return Seen::Stopped;
                }
                index += 1;
            }
            if index == 0 { Seen::Nothing } else { Seen::All }
        }
        Access::BuildList(build) => {
            let mut index = 0;
            loop {
                built.clear();
                if !build(transaction, direction, index, built) {
                    return if index == 0 { Seen::Nothing } else { Seen::All };
                }
                if offer(&Buffer::whole(built)) {
                    return Seen::Stopped;
                }
                index += 1;
            }
        }
        Access::Body(read) => body_of(read(transaction, direction), row, bodies, &mut offer),
        Access::BodyAndFiles(read) => {
            let of_body = body_of(read(transaction, direction), row, bodies, &mut offer);
            if of_body == Seen::Stopped {
                return Seen::Stopped;
            }
            let files = transaction.meta().current_files(direction).filter(|file| file.assembled);
            match content_of(files, bodies, &mut offer) {
                Seen::Nothing => of_body,
                Seen::All if of_body == Seen::Growing => of_body,
                of_files => of_files,
            }
        }
        Access::FileData => content_of(transaction.meta().current_files(direction), bodies, &mut offer),
        Access::FileName => of_files(transaction, direction, &mut offer, |file| {
            Some(file.name.as_slice()).filter(|name| !name.is_empty())
        }),
        Access::FileDescription => of_files(transaction, direction, &mut offer, |file| {
            file.description.as_deref().map(str::as_bytes)
        }),
        Access::Integer { .. } | Access::Flags { .. } | Access::Check(_) | Access::Late(_) => Seen::Nothing,
    }
}

/// Offers what is new of the body that a field is.
fn body_of(
    body: Option<&Body>,
    row: &FieldRow,
    bodies: &[(usize, u64)],
    offer: &mut dyn FnMut(&Buffer<'_>) -> bool,
) -> Seen {
    let Some(body) = body else { return Seen::Nothing };
    body_answer(body, inspected(bodies, std::ptr::from_ref(row.field) as usize), offer)
}

/// Offers what is new of the content of each file.
fn content_of<'t>(
    files: impl Iterator<Item = &'t File>,
    bodies: &[(usize, u64)],
    offer: &mut dyn FnMut(&Buffer<'_>) -> bool,
) -> Seen {
    let mut answer = Seen::Nothing;
    for file in files {
        match body_answer(&file.content, inspected(bodies, file_key(file.id)), offer) {
            Seen::Stopped => return Seen::Stopped,
            Seen::Growing => answer = Seen::Growing,
            _ if answer == Seen::Nothing => answer = Seen::All,
            _ => {}
        }
    }
    answer
}

/// Offers what `read` gives of each file of a direction.
fn of_files<'t>(
    transaction: &'t dyn Transaction,
    direction: Direction,
    offer: &mut dyn FnMut(&Buffer<'_>) -> bool,
    read: impl Fn(&'t File) -> Option<&'t [u8]>,
) -> Seen {
    let mut answer = Seen::Nothing;
    for file in transaction.meta().current_files(direction) {
        let Some(bytes) = read(file) else { continue };
        if offer(&Buffer::whole(bytes)) {
            return Seen::Stopped;
        }
        answer = Seen::All;
    }
    answer
}

fn body_answer(body: &Body, inspected: u64, offer: &mut dyn FnMut(&Buffer<'_>) -> bool) -> Seen {
    let ends = body.is_complete();
    // What has no bytes is not there.
    if ends && body.end() == 0 {
        return Seen::Nothing;
    }
    if let Some((offset, bytes)) = body.pending(inspected)
        && offer(&Buffer { bytes, offset, ends, little_endian: false })
    {
        return Seen::Stopped;
    }
    if ends { Seen::All } else { Seen::Growing }
}

/// Returns how far a growing body was inspected.
fn inspected(bodies: &[(usize, u64)], key: usize) -> u64 {
    let found =
        bodies.binary_search_by_key(&key, |(known, _)| *known).ok().and_then(|place| bodies.get(place));
    found.map_or(0, |(_, position)| *position)
}

/// The key of a file among the bodies; fields have their addresses, which are never odd.
fn file_key(id: u64) -> usize {
    (id as usize) << 1 | 1
}

/// Notes that what was ready of each growing body has been inspected.
pub(super) fn advance_bodies(
    group: &TransactionGroup,
    transaction: &dyn Transaction,
    direction: Direction,
    mine: &mut DirectionDetect,
) {
    let mut advance = |key: usize, body: &Body| {
        let before = inspected(&mine.bodies, key);
        if body.pending(before).is_none() {
            return;
        }
        match mine.bodies.binary_search_by_key(&key, |(known, _)| *known) {
            Ok(place) => {
                mine.bodies.get_mut(place).into_iter().for_each(|(_, position)| *position = body.end())
            }
            Err(place) => mine.bodies.insert(place, (key, body.end())),
        }
    };
    for field in &group.bodies {
        if let Access::Body(read) | Access::BodyAndFiles(read) = field.access
            && let Some(body) = read(transaction, direction)
        {
            advance(std::ptr::from_ref(*field) as usize, body);
        }
    }
    if group.files {
        for file in transaction.meta().current_files(direction) {
            advance(file_key(file.id), &file.content);
        }
    }
}
