//! Events of requests (MS-CIFS 2.2.4).

use weir_base::{EventValue, Reader};

use super::super::command;
use super::{Body, capability, transaction};
use crate::smb::events::{self, SmbRaiser, Telling, bits};

/// Most dialects of an offer that are shown.
const MAX_DIALECTS: usize = 64;

/// Words of a client's session: of LAN Manager, with a token, with passwords.
const WORDS_OF_LANMAN: u8 = 10;
const WORDS_WITH_TOKEN: u8 = 12;
const WORDS_WITH_PASSWORDS: u8 = 13;

/// Numbers that stand for none where a client fills a field up.
const NONE: u32 = u32::MAX;

pub(super) fn raise(raiser: &mut SmbRaiser, body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    match body.block.command {
        command::CREATE_DIRECTORY => named(body, events::CREATE_DIRECTORY, telling),
        command::CHECK_DIRECTORY => named(body, events::CHECK_DIRECTORY, telling),
        command::QUERY_INFORMATION => named(body, events::QUERY_INFORMATION, telling),
        command::CLOSE => close(body.reader, telling),
        command::ECHO => echo(body.reader, telling),
        command::LOGOFF_ANDX => {
            telling.sink.raise(events::LOGOFF, &[EventValue::Connection, true.into()]);
            Some(())
        }
        command::NEGOTIATE => negotiate(body.reader, telling),
        command::NT_CANCEL => {
            telling.raise(events::CANCEL, &[]);
            Some(())
        }
        command::NT_CREATE_ANDX => create(raiser, body, telling),
        command::READ_ANDX => read(body.reader, telling),
        command::WRITE_ANDX => write(body.reader, telling),
        command::SESSION_SETUP_ANDX => setup(body, telling),
        command::TREE_CONNECT_ANDX => connect(body, telling),
        command::TREE_DISCONNECT => {
            telling.raise(events::ONE_DISCONNECT, &[true.into()]);
            Some(())
        }
        command::TRANSACTION => transaction::request(body, telling),
        command::TRANSACTION_SECONDARY => {
            transaction::secondary(body, events::TRANSACTION_SECONDARY, telling)
        }
        command::TRANSACTION2 => transaction::request2(body, telling),
        command::TRANSACTION2_SECONDARY => {
            transaction::secondary(body, events::TRANSACTION2_SECONDARY, telling)
        }
        _ => None,
    }
}

/// A path behind its format.
fn named(mut body: Body<'_>, event: usize, telling: &mut Telling<'_, '_>) -> Option<()> {
    let words = body.reader.u8()?;
    body.reader.skip(usize::from(words) * 2 + 2 + 1)?;
    let name = body.text()?;
    telling.raise(event, &[EventValue::String(&name)]);
    Some(())
}

fn close(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    reader.skip(1)?;
    telling.raise(events::ONE_CLOSE, &[reader.u16_le()?.into()]);
    Some(())
}

fn echo(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    reader.skip(1)?;
    let (count, length) = (reader.u16_le()?, usize::from(reader.u16_le()?));
    let data = EventValue::String(reader.take(length)?);
    telling.sink.raise(events::ECHO, &[EventValue::Connection, count.into(), data]);
    Some(())
}

fn negotiate(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    reader.skip(1)?;
    let length = usize::from(reader.u16_le()?);
    let mut names = Vec::new();
    // Each is a format, and a text that ends with a zero.
    for name in reader.take(length)?.split(|byte| *byte == 0).take(MAX_DIALECTS) {
        if let Some((_, name)) = name.split_first() {
            names.push(EventValue::String(name));
        }
    }
    telling.raise(events::ONE_NEGOTIATE, &[EventValue::List(&names)]);
    Some(())
}

fn create(raiser: &mut SmbRaiser, mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let words = body.reader.u8()?;
    body.reader.skip(usize::from(words) * 2 + 2)?;
    let name = body.text()?;
    raiser.guess_pipes(body.block.record.ids.tree, &name, telling.sink);
    telling.raise(events::ONE_CREATE, &[EventValue::String(&name)]);
    Some(())
}

fn read(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let words = reader.u8()?;
    reader.skip(4)?;
    let (file, low) = (reader.u16_le()?, reader.u32_le()?);
    let most = reader.u16_le()?;
    reader.skip(2)?;
    let most_high = reader.u32_le()?;
    reader.skip(2)?;
    let high = if words == 12 { reader.u32_le()? } else { 0 };
    let [high, most_high] =
        [high, most_high].map(|number| if number == NONE { 0 } else { u64::from(number) });
    let offset = EventValue::Count(high << 32 | u64::from(low));
    let length = EventValue::Count(most_high << 16 | u64::from(most));
    telling.raise(events::ONE_READ, &[file.into(), offset, length]);
    Some(())
}

fn write(mut reader: Reader<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let words = reader.u8()?;
    reader.skip(4)?;
    let (file, low) = (reader.u16_le()?, reader.u32_le()?);
    // Timeout, mode, what remains.
    reader.skip(4 + 2 + 2)?;
    let (length_high, length_low) = (reader.u16_le()?, reader.u16_le()?);
    reader.skip(2)?;
    let high = if words == 14 { reader.u32_le()? } else { 0 };
    let offset = EventValue::Count(u64::from(high) << 32 | u64::from(low));
    let length = u32::from(length_high) << 16 | u32::from(length_low);
    telling.raise(events::ONE_WRITE, &[file.into(), offset, length.into()]);
    Some(())
}

fn setup(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    use EventValue::Unset;
    let reader = &mut body.reader;
    let words = reader.u8()?;
    reader.skip(4)?;
    let (most, multiplexed, circuit) = (reader.u16_le()?, reader.u16_le()?, reader.u16_le()?);
    let (key, length) = (reader.u32_le()?, usize::from(reader.u16_le()?));
    let of_session = [words.into(), most.into(), multiplexed.into(), circuit.into(), key.into()];
    let (mut account, mut domain) = (None, None);
    let (mut password, mut narrow, mut wide, mut abilities) = (None, None, None, None);
    match words {
        WORDS_OF_LANMAN => {
            reader.skip(4 + 2)?;
            password = Some(reader.take(length)?);
        }
        WORDS_WITH_TOKEN => {
            reader.skip(4)?;
            abilities = Some(bits(reader.u32_le()?, capability::OF_SETUP));
            reader.skip(2)?;
            let token = reader.take(length)?;
            telling.token(token);
        }
        WORDS_WITH_PASSWORDS => {
            let wide_length = usize::from(reader.u16_le()?);
            reader.skip(4)?;
            abilities = Some(bits(reader.u32_le()?, capability::OF_SETUP));
            reader.skip(2)?;
            (narrow, wide) = (Some(reader.take(length)?), Some(reader.take(wide_length)?));
        }
        _ => return None,
    }
    if words != WORDS_WITH_TOKEN {
        (account, domain) = (Some(body.text()?), Some(body.text()?));
    }
    let (system, manager) = (body.text()?, body.text()?);
    let mut fields = of_session.to_vec();
    fields.extend([
        EventValue::String(&system),
        EventValue::String(&manager),
        EventValue::bytes(account.as_deref()),
        EventValue::bytes(password),
        EventValue::bytes(domain.as_deref()),
        EventValue::bytes(narrow),
        EventValue::bytes(wide),
        Unset,
        abilities.as_ref().map_or(Unset, |abilities| EventValue::Record(abilities)),
    ]);
    telling.raise(events::ONE_SETUP, &[EventValue::Record(&fields)]);
    Some(())
}

fn connect(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    // Words, what follows, flags.
    body.reader.skip(1 + 4 + 2)?;
    let password = usize::from(body.reader.u16_le()?);
    body.reader.skip(2 + password)?;
    let (path, service) = (body.text()?, body.narrow_text()?);
    telling.raise(events::ONE_CONNECT, &[EventValue::String(&path), EventValue::String(&service)]);
    Some(())
}
