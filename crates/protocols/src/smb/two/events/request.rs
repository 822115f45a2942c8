//! Events of requests (MS-SMB2 2.2).

use weir_base::EventValue;

use super::super::Record;
use super::{FUNCTIONS, READS, command, content, guid, information, text};
use crate::smb::events::{self, SmbRaiser, Telling};

/// Most dialects of an offer that are shown.
const MAX_DIALECTS: usize = 64;

pub(super) fn raise(
    raiser: &mut SmbRaiser,
    record: &Record<'_>,
    telling: &mut Telling<'_, '_>,
) -> Option<()> {
    let mut body = record.body();
    body.skip(2)?;
    match record.command {
        command::NEGOTIATE => {
            let count = usize::from(body.u16_le()?);
            body.skip(2 + 2 + 4 + 16 + 8)?;
            let mut dialects = body.sub(count * 2)?;
            let numbers = std::iter::from_fn(|| dialects.u16_le()).take(MAX_DIALECTS);
            let numbers: Vec<EventValue<'_>> = numbers.map(EventValue::from).collect();
            telling.raise(events::TWO_NEGOTIATE, &[EventValue::List(&numbers)]);
        }
        command::SESSION_SETUP => {
            body.skip(1)?;
            let mode = body.u8()?;
            body.skip(4 + 4)?;
            let token = content(record, &mut body);
            telling.raise(events::TWO_SETUP, &[EventValue::Record(&[mode.into()])]);
            telling.token(token?);
        }
        command::TREE_CONNECT => {
            body.skip(2)?;
            let path = text(content(record, &mut body)?);
            telling.raise(events::TWO_CONNECT, &[EventValue::String(&path)]);
        }
        command::TREE_DISCONNECT => telling.raise(events::TWO_DISCONNECT, &[]),
        command::CREATE => {
            // Flags, locks, impersonation, what is reserved, access, attributes, shares.
            body.skip(2 + 4 + 16 + 4 + 4 + 4)?;
            let (disposition, options) = (body.u32_le()?, body.u32_le()?);
            let name = text(content(record, &mut body)?);
            raiser.guess_pipes(record.ids.tree, &name, telling.sink);
            let request = [EventValue::String(&name), disposition.into(), options.into()];
            telling.raise(events::TWO_CREATE, &[EventValue::Record(&request)]);
        }
        command::CLOSE => {
            body.skip(2 + 4)?;
            telling.raise(events::TWO_CLOSE, &[EventValue::Record(&guid(&mut body)?)]);
        }
        command::READ | command::WRITE => {
            // What fills up, or where the data stands.
            body.skip(2)?;
            let (length, offset) = (body.u32_le()?, body.u64_le()?);
            let file = guid(&mut body)?;
            let is_read = record.command == command::READ;
            if is_read {
                raiser.wait(READS, record.ids.message, telling.sink);
            }
            let event = if is_read { events::TWO_READ } else { events::TWO_WRITE };
            telling.raise(event, &[EventValue::Record(&file), offset.into(), length.into()]);
        }
        command::IOCTL => raiser.wait(FUNCTIONS, record.ids.message, telling.sink),
        command::SET_INFO => return information::raise(record, body, telling),
        _ => {}
    }
    Some(())
}
