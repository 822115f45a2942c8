//! Events of responses (MS-CIFS 2.2.4).

use weir_base::{EventValue, Reader};

use super::super::command;
use super::{Body, capability, transaction};
use crate::gssapi::events::seconds;
use crate::smb::events::{self, SmbRaiser, Telling, bits, read_times, times};

/// Words of a server's dialect: of the core protocol, of LAN Manager, of NT LAN Manager.
const WORDS_OF_CORE: u8 = 1;
const WORDS_OF_LANMAN: u8 = 13;
const WORDS_OF_NT: u8 = 17;

/// Words of a session: of LAN Manager, and with a token.
const WORDS_OF_SESSION: u8 = 3;
const WORDS_WITH_TOKEN: u8 = 4;

/// Beginning of the service of pipes.
const PIPES: &[u8] = b"IPC";

pub(super) fn raise(raiser: &mut SmbRaiser, body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    match body.block.command {
        command::CREATE_DIRECTORY => telling.raise(events::DIRECTORY_CREATED, &[]),
        command::CHECK_DIRECTORY => telling.raise(events::DIRECTORY_CHECKED, &[]),
        command::CLOSE => telling.raise(events::ONE_EMPTY, &[]),
        command::ECHO => return echo(body.reader, telling),
        command::LOGOFF_ANDX => {
            telling.sink.raise(events::LOGOFF, &[EventValue::Connection, false.into()]);
        }
        command::NEGOTIATE => return negotiate(body, telling),
        command::NT_CREATE_ANDX => return create(body.reader, telling),
        command::READ_ANDX => return read(body.reader, telling),
        command::WRITE_ANDX => return write(body.reader, telling),
        command::SESSION_SETUP_ANDX => return setup(body, telling),
        command::TREE_CONNECT_ANDX => return connect(raiser, body, telling),
        command::TREE_DISCONNECT => telling.raise(events::ONE_DISCONNECT, &[false.into()]),
        command::TRANSACTION => return transaction::response(body, telling),
        _ => {}
    }
    Some(())
}

fn echo(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    reader.skip(1)?;
    let (number, length) = (reader.u16_le()?, usize::from(reader.u16_le()?));
    let data = EventValue::String(reader.take(length)?);
    telling.sink.raise(events::ECHOED, &[EventValue::Connection, number.into(), data]);
    Some(())
}

fn negotiate(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let (words, dialect) = (body.reader.u8()?, body.reader.u16_le()?);
    match words {
        WORDS_OF_CORE => {
            let core = [dialect.into()];
            answer_offer([EventValue::Record(&core), EventValue::Unset, EventValue::Unset], telling);
            Some(())
        }
        WORDS_OF_LANMAN => negotiate_lanman(dialect, &mut body, telling),
        WORDS_OF_NT => negotiate_nt(dialect, &mut body, telling),
        _ => {
            answer_offer([EventValue::Unset; 3], telling);
            Some(())
        }
    }
}

fn answer_offer(dialects: [EventValue<'_>; 3], telling: &mut Telling<'_, '_>) {
    telling.raise(events::ONE_NEGOTIATED, &[EventValue::Record(&dialects)]);
}

fn negotiate_lanman(dialect: u16, body: &mut Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let reader = &mut body.reader;
    let [security, most, multiplexed, circuits, raw] =
        [reader.u16_le()?, reader.u16_le()?, reader.u16_le()?, reader.u16_le()?, reader.u16_le()?];
    let (key, time, date) = (reader.u32_le()?, reader.u16_le()?, reader.u16_le()?);
    reader.skip(2)?;
    let length = usize::from(reader.u16_le()?);
    reader.skip(2 + 2)?;
    let challenge = reader.take(length)?;
    let domain = body.text()?;
    let [user_level, answers] = bits(security.into(), [1, 2]);
    let security = [user_level, answers, EventValue::Unset, EventValue::Unset];
    let raw = bits(raw.into(), [1, 2]);
    let fields = [
        WORDS_OF_LANMAN.into(),
        dialect.into(),
        EventValue::Record(&security),
        most.into(),
        multiplexed.into(),
        circuits.into(),
        EventValue::Record(&raw),
        key.into(),
        EventValue::Moment(seconds_of_dos(date, time)),
        EventValue::String(challenge),
        EventValue::String(&domain),
    ];
    answer_offer([EventValue::Unset, EventValue::Record(&fields), EventValue::Unset], telling);
    Some(())
}

fn negotiate_nt(dialect: u16, body: &mut Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let reader = &mut body.reader;
    let (security, multiplexed, circuits) = (reader.u8()?, reader.u16_le()?, reader.u16_le()?);
    let [most, most_raw, key, abilities] =
        [reader.u32_le()?, reader.u32_le()?, reader.u32_le()?, reader.u32_le()?];
    let time = reader.u64_le()?;
    reader.skip(2)?;
    let length = usize::from(reader.u8()?);
    let bytes = usize::from(reader.u16_le()?);
    let (mut challenge, mut domain, mut guid) = (None, None, None);
    if abilities & capability::EXTENDED_SECURITY != 0 {
        guid = Some(reader.take(16)?);
        telling.token(reader.take(bytes.saturating_sub(16).min(reader.len()))?);
    } else {
        challenge = Some(reader.take(length)?);
        domain = Some(body.text()?);
    }
    let security = bits(security.into(), [1, 2, 4, 8]);
    let abilities = bits(abilities, capability::OF_SERVER);
    let fields = [
        WORDS_OF_NT.into(),
        dialect.into(),
        EventValue::Record(&security),
        most.into(),
        multiplexed.into(),
        circuits.into(),
        most_raw.into(),
        key.into(),
        EventValue::Record(&abilities),
        EventValue::Moment(seconds(time)),
        EventValue::bytes(challenge),
        EventValue::bytes(domain.as_deref()),
        EventValue::bytes(guid),
    ];
    answer_offer([EventValue::Unset, EventValue::Unset, EventValue::Record(&fields)], telling);
    Some(())
}

/// Returns the seconds since 1970 of a date and a time in the form of MS-DOS (MS-CIFS 2.2.1.4.1 and 2.2.1.4.2).
fn seconds_of_dos(date: u16, time: u16) -> f64 {
    let (year, month, day) =
        (1980 + i64::from(date >> 9), i64::from(date >> 5 & 0xf), i64::from(date & 0x1f));
    // Years begin in March, so that the day that leap years have is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let of_day = i64::from(time >> 11) * 3600 + i64::from(time >> 5 & 0x3f) * 60 + i64::from(time & 0x1f) * 2;
    (days * 86_400 + of_day) as f64
}

fn create(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    // Words, what follows, the lock.
    reader.skip(1 + 4 + 1)?;
    let file = reader.u16_le()?;
    reader.skip(4)?;
    let times = times(read_times(&mut reader)?);
    // Attributes, the size on disk.
    reader.skip(4 + 8)?;
    let size = reader.u64_le()?;
    telling.raise(events::ONE_CREATED, &[file.into(), size.into(), EventValue::Record(&times)]);
    Some(())
}

fn read(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    reader.skip(1 + 4 + 6)?;
    let low = reader.u16_le()?;
    reader.skip(2)?;
    let high = reader.u16_le()?;
    let length = u32::from(high) << 16 | u32::from(low);
    telling.raise(events::ONE_HAS_READ, &[length.into()]);
    Some(())
}

fn write(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    reader.skip(1 + 4)?;
    let low = reader.u16_le()?;
    reader.skip(2)?;
    let written = u32::from(reader.u16_le()?) << 16 | u32::from(low);
    telling.raise(events::ONE_WRITTEN, &[written.into()]);
    Some(())
}

fn setup(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    use EventValue::Unset;
    let reader = &mut body.reader;
    let words = reader.u8()?;
    if words != WORDS_OF_SESSION && words != WORDS_WITH_TOKEN {
        let fields = [words.into(), Unset, Unset, Unset, Unset, Unset];
        telling.raise(events::ONE_SET_UP, &[EventValue::Record(&fields)]);
        return Some(());
    }
    reader.skip(4)?;
    let is_guest = EventValue::Bool(reader.u16_le()? & 1 != 0);
    let (system, manager, domain) = if words == WORDS_WITH_TOKEN {
        let length = usize::from(reader.u16_le()?);
        reader.skip(2)?;
        telling.token(reader.take(length)?);
        (body.text()?, body.text()?, None)
    } else if reader.u16_le()? == 0 {
        (Vec::new(), Vec::new(), Some(Vec::new()))
    } else {
        (body.text()?, body.text()?, Some(body.text()?))
    };
    let fields = [
        words.into(),
        is_guest,
        EventValue::String(&system),
        EventValue::String(&manager),
        EventValue::bytes(domain.as_deref()),
        Unset,
    ];
    telling.raise(events::ONE_SET_UP, &[EventValue::Record(&fields)]);
    Some(())
}

fn connect(raiser: &mut SmbRaiser, mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let words = body.reader.u8()?;
    body.reader.skip(usize::from(words) * 2 + 2)?;
    let service = body.narrow_text()?;
    let system = if body.reader.is_empty() { Vec::new() } else { body.text()? };
    if service.starts_with(PIPES) {
        raiser.note_pipes(body.block.record.ids.tree);
    }
    telling.raise(events::ONE_CONNECTED, &[EventValue::String(&service), EventValue::String(&system)]);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_dos() {
        let date = |year: u16, month: u16, day: u16| (year - 1980) << 9 | month << 5 | day;
        let time = |hour: u16, minute: u16, second: u16| hour << 11 | minute << 5 | (second / 2);
        for (date, time, expected) in [
            (date(1980, 1, 1), 0, 315_532_800.0),
            (date(2000, 2, 29), time(12, 30, 58), 951_827_458.0),
            (date(2000, 3, 1), time(23, 59, 58), 951_955_198.0),
            (0, 0, 312_768_000.0),
        ] {
            assert!((seconds_of_dos(date, time) - expected).abs() < 0.5, "{date:04x} {time:04x}");
        }
    }
}
