//! Events of responses (MS-SMB2 2.2).

use weir_base::EventValue;

use super::super::Record;
use super::{FUNCTIONS, READS, attributes, command, content, guid, negotiation};
use crate::smb::events::{self, SmbRaiser, Telling, bits, read_times, times};

/// The kind of a share of pipes (MS-SMB2 2.2.10).
const PIPE: u8 = 2;

/// Bits of a session's flags (MS-SMB2 2.2.6): a guest's, nobody's, encrypted.
const SESSION_FLAGS: [u32; 3] = [1, 2, 4];

pub(super) fn raise(
    raiser: &mut SmbRaiser,
    record: &Record<'_>,
    telling: &mut Telling<'_, '_>,
) -> Option<()> {
    let mut body = record.body();
    body.skip(2)?;
    match record.command {
        command::NEGOTIATE => return negotiation::raise(record, body, telling),
        command::SESSION_SETUP => {
            let flags = bits(body.u16_le()?.into(), SESSION_FLAGS);
            let token = content(record, &mut body);
            telling.raise(events::TWO_SET_UP, &[EventValue::Record(&[EventValue::Record(&flags)])]);
            telling.token(token?);
        }
        command::TREE_CONNECT => {
            let kind = body.u8()?;
            if kind == PIPE {
                raiser.note_pipes(record.ids.tree);
            }
            telling.raise(events::TWO_CONNECTED, &[EventValue::Record(&[kind.into()])]);
        }
        command::TREE_DISCONNECT => telling.raise(events::TWO_DISCONNECTED, &[]),
        command::CREATE => {
            // The lock, flags.
            body.skip(2)?;
            let action = body.u32_le()?;
            let times = times(read_times(&mut body)?);
            // The size on disk.
            body.skip(8)?;
            let size = body.u64_le()?;
            let attributes = attributes(&mut body)?;
            body.skip(4)?;
            let file = guid(&mut body)?;
            let response = [
                EventValue::Record(&file),
                size.into(),
                EventValue::Record(&times),
                EventValue::Record(&attributes),
                action.into(),
            ];
            telling.raise(events::TWO_CREATED, &[EventValue::Record(&response)]);
        }
        command::CLOSE => {
            body.skip(2 + 4)?;
            let times = times(read_times(&mut body)?);
            let (on_disk, size) = (body.u64_le()?, body.u64_le()?);
            let attributes = attributes(&mut body)?;
            let response =
                [on_disk.into(), size.into(), EventValue::Record(&times), EventValue::Record(&attributes)];
            telling.raise(events::TWO_CLOSED, &[EventValue::Record(&response)]);
        }
        command::READ => raiser.answered(READS, record.ids.message),
        command::IOCTL => raiser.answered(FUNCTIONS, record.ids.message),
        command::WRITE => {
            body.skip(2)?;
            telling.raise(events::TWO_WRITTEN, &[body.u32_le()?.into()]);
        }
        _ => {}
    }
    Some(())
}
