//! Events of what clients set of files and file systems (MS-SMB2 2.2.39, MS-FSCC 2.4 and 2.5).

use weir_base::{EventValue, Reader};

use super::super::Record;
use super::{attributes, guid, text};
use crate::smb::events::{self, Telling, read_times, times};

/// Types of information: of a file, of a file system.
const OF_FILE: u8 = 1;
const OF_FILE_SYSTEM: u8 = 2;

/// Classes of a file's information.
mod class {
    pub(super) const BASIC: u8 = 4;
    pub(super) const RENAME: u8 = 10;
    pub(super) const LINK: u8 = 11;
    pub(super) const DISPOSITION: u8 = 13;
    pub(super) const POSITION: u8 = 14;
    pub(super) const FULL_EA: u8 = 15;
    pub(super) const MODE: u8 = 16;
    pub(super) const ALLOCATION: u8 = 19;
    pub(super) const END_OF_FILE: u8 = 20;
    pub(super) const PIPE: u8 = 24;
    pub(super) const VALID_DATA_LENGTH: u8 = 39;
    pub(super) const SHORT_NAME: u8 = 40;
    /// Of a file system: its limits, and the object that it is.
    pub(super) const CONTROL: u8 = 6;
    pub(super) const OBJECT: u8 = 8;
}

/// Bytes of a request before what is set.
const FIXED: usize = 32;

/// Bytes of what an object's identifier comes with.
const OBJECT_EXTENSION: usize = 48;

/// Most extended attributes that are shown.
const MAX_EXTENDED: usize = 256;

/// Raises the event of what is set; `body` stands behind the size of the structure.
pub(super) fn raise(record: &Record<'_>, mut body: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let (kind, class) = (body.u8()?, body.u8()?);
    let (length, start) = (body.u32_le()?, usize::from(body.u16_le()?));
    body.skip(2 + 4)?;
    let file = guid(&mut body)?;
    let data = Reader::new(record.data(start, FIXED, length).0);
    let file = EventValue::Record(&file);
    match kind {
        OF_FILE => of_file(class, file, data, telling),
        OF_FILE_SYSTEM => of_file_system(class, file, data, telling),
        _ => None,
    }
}

fn of_file(
    class: u8,
    file: EventValue<'_>,
    mut data: Reader<'_>,
    telling: &mut Telling<'_, '_>,
) -> Option<()> {
    match class {
        class::BASIC => {
            let times = times(read_times(&mut data)?);
            let attributes = attributes(&mut data)?;
            let values = [file, EventValue::Record(&times), EventValue::Record(&attributes)];
            telling.raise(events::SET_ATTRIBUTES, &values);
        }
        class::RENAME => {
            // Whether it takes another one's place, the directory.
            data.skip(8 + 8)?;
            let name = name(&mut data)?;
            telling.raise(events::SET_NAME, &[file, EventValue::String(&name)]);
        }
        class::LINK => {
            data.skip(8)?;
            let directory = data.u64_le()?;
            let name = name(&mut data)?;
            telling.raise(events::SET_LINK, &[file, directory.into(), EventValue::String(&name)]);
        }
        class::SHORT_NAME => {
            let name = name(&mut data)?;
            telling.raise(events::SET_SHORT_NAME, &[file, EventValue::String(&name)]);
        }
        class::DISPOSITION => {
            let deletes = data.u8()? > 0;
            telling.raise(events::SET_DELETION, &[file, deletes.into()]);
        }
        class::POSITION => telling.raise(events::SET_POSITION, &[file, int(&mut data)?]),
        class::ALLOCATION => telling.raise(events::SET_ALLOCATION, &[file, int(&mut data)?]),
        class::END_OF_FILE => telling.raise(events::SET_END, &[file, int(&mut data)?]),
        class::VALID_DATA_LENGTH => telling.raise(events::SET_VALID_LENGTH, &[file, int(&mut data)?]),
        class::MODE => telling.raise(events::SET_MODE, &[file, data.u32_le()?.into()]),
        class::PIPE => {
            let (read, completion) = (data.u32_le()?, data.u32_le()?);
            telling.raise(events::SET_PIPE, &[file, read.into(), completion.into()]);
        }
        class::FULL_EA => {
            let all = extended(data);
            let records: Vec<_> = all.iter().map(|fields| EventValue::Record(fields)).collect();
            telling.raise(events::SET_EXTENDED, &[file, EventValue::List(&records)]);
        }
        _ => {}
    }
    Some(())
}

fn of_file_system(
    class: u8,
    file: EventValue<'_>,
    mut data: Reader<'_>,
    telling: &mut Telling<'_, '_>,
) -> Option<()> {
    match class {
        class::CONTROL => {
            let fields = [
                int(&mut data)?,
                int(&mut data)?,
                int(&mut data)?,
                data.u64_le()?.into(),
                data.u64_le()?.into(),
                data.u32_le()?.into(),
            ];
            telling.raise(events::SET_CONTROL, &[file, EventValue::Record(&fields)]);
        }
        class::OBJECT => {
            let object = guid(&mut data)?;
            let extension = text(data.take(OBJECT_EXTENSION)?);
            let values = [file, EventValue::Record(&object), EventValue::String(&extension)];
            telling.raise(events::SET_OBJECT, &values);
        }
        _ => {}
    }
    Some(())
}

/// A name behind its length.
fn name(data: &mut Reader<'_>) -> Option<Vec<u8>> {
    let length = data.u32_le()? as usize;
    data.take(length).map(text)
}

/// A number with a sign.
fn int(data: &mut Reader<'_>) -> Option<EventValue<'static>> {
    data.u64_le().map(|number| EventValue::Int(number as i64))
}

/// Extended attributes, each a name and a value (MS-FSCC 2.4.15).
fn extended(mut data: Reader<'_>) -> Vec<[EventValue<'_>; 2]> {
    let mut all = Vec::new();
    while all.len() < MAX_EXTENDED {
        let next = || {
            let mut entry = Reader::new(data.rest());
            let offset = entry.u32_le()? as usize;
            entry.skip(1)?;
            let (name, value) = (usize::from(entry.u8()?), usize::from(entry.u16_le()?));
            let name = entry.take(name)?;
            // A zero ends the name.
            entry.skip(1)?;
            let fields = [EventValue::String(name), EventValue::String(entry.take(value)?)];
            // The last one has no place of a next one.
            let length = if offset == 0 { data.len() } else { offset };
            Some((fields, length)).filter(|_| length >= entry.position())
        };
        let Some((fields, length)) = next() else { break };
        all.push(fields);
        if data.skip(length).is_none() {
            break;
        }
    }
    all
}
