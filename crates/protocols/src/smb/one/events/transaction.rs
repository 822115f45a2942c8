//! Events of transactions: calls of mailslots and pipes, and those of files (MS-CIFS 2.2.4.33, 2.2.4.46, 2.2.6).

use weir_base::{EventValue, Reader};

use super::super::command;
use super::{Body, Content};
use crate::smb::events::{self, Telling};

/// Subcommands of `TRANSACTION2` of which more is read.
const FIND_FIRST2: u16 = 0x01;
const QUERY_PATH_INFORMATION: u16 = 0x05;
const GET_DFS_REFERRAL: u16 = 0x10;

/// The words of a request.
struct Request<'a> {
    /// As scripts see them: totals, most of parameters, data and words of the answer, flags, timeout.
    numbers: [EventValue<'static>; 7],
    parameters: Content<'a>,
    data: Content<'a>,
    setup: Reader<'a>,
}

impl<'a> Request<'a> {
    fn read(body: &mut Body<'a>) -> Option<Self> {
        let reader = &mut body.reader;
        reader.skip(1)?;
        let [total_parameters, total_data, most_parameters, most_data] =
            [reader.u16_le()?, reader.u16_le()?, reader.u16_le()?, reader.u16_le()?];
        let most_setup = reader.u8()?;
        reader.skip(1)?;
        let (flags, timeout) = (reader.u16_le()?, reader.u32_le()?);
        reader.skip(2)?;
        let (parameters, data) = (body.content()?, body.content()?);
        let words = usize::from(body.reader.u8()?);
        body.reader.skip(1)?;
        let setup = body.reader.sub(words * 2)?;
        body.reader.skip(2)?;
        let numbers = [
            total_parameters.into(),
            total_data.into(),
            most_parameters.into(),
            most_data.into(),
            most_setup.into(),
            flags.into(),
            timeout.into(),
        ];
        Some(Self { numbers, parameters, data, setup })
    }
}

pub(super) fn request(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    if !telling.wants(&[events::TRANSACTION]) {
        return None;
    }
    let mut request = Request::read(&mut body)?;
    let name = body.text()?;
    let function = request.setup.u16_le().unwrap_or(0);
    let (parameters, data) = (request.parameters.bytes?, request.data.bytes?);
    let values = [
        EventValue::String(&name),
        function.into(),
        EventValue::String(parameters),
        EventValue::String(data),
    ];
    telling.raise(events::TRANSACTION, &values);
    Some(())
}

pub(super) fn response(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    // Words, totals, what is reserved.
    body.reader.skip(1 + 2 + 2 + 2)?;
    let parameters = body.content()?;
    body.reader.skip(2)?;
    let data = body.content()?;
    let values = [EventValue::String(parameters.bytes?), EventValue::String(data.bytes?)];
    telling.raise(events::TRANSACTION_ANSWERED, &values);
    Some(())
}

/// More of what a request holds.
pub(super) fn secondary(mut body: Body<'_>, event: usize, telling: &mut Telling<'_, '_>) -> Option<()> {
    body.reader.skip(1)?;
    let totals = [body.reader.u16_le()?, body.reader.u16_le()?];
    let mut fields = totals.map(EventValue::from).to_vec();
    let mut place = || {
        let content = body.content()?;
        fields.extend([content.count, content.offset, body.reader.u16_le()?].map(EventValue::from));
        Some(content.bytes)
    };
    let (parameters, data) = (place()?, place()?);
    if body.block.command == command::TRANSACTION2_SECONDARY {
        fields.push(body.reader.u16_le()?.into());
    }
    let arguments = EventValue::Record(&fields);
    telling.raise(event, &[arguments, EventValue::String(parameters?), EventValue::String(data?)]);
    Some(())
}

pub(super) fn request2(mut body: Body<'_>, telling: &mut Telling<'_, '_>) -> Option<()> {
    let events = [events::TRANSACTION2, events::FIND_FIRST, events::GET_REFERRAL, events::QUERY_PATH];
    if !telling.wants(&events) {
        return None;
    }
    let mut request = Request::read(&mut body)?;
    let subcommand = request.setup.u16_le()?;
    let fields = [
        request.parameters.count.into(),
        request.parameters.offset.into(),
        request.data.count.into(),
        request.data.offset.into(),
        (1 + request.setup.len() / 2).into(),
    ];
    let arguments = [&request.numbers[..], &fields].concat();
    // What is asked comes before the request as a whole.
    let _ = asked(subcommand, request.parameters, &mut body, telling);
    telling.raise(events::TRANSACTION2, &[EventValue::Record(&arguments), subcommand.into()]);
    Some(())
}

fn asked(
    subcommand: u16,
    parameters: Content<'_>,
    body: &mut Body<'_>,
    telling: &mut Telling<'_, '_>,
) -> Option<()> {
    // Behind the words come the parameters, perhaps filled up before.
    let place = body.block.place(&body.reader);
    body.reader.skip(usize::from(parameters.offset).saturating_sub(place))?;
    let reader = &mut body.reader;
    match subcommand {
        FIND_FIRST2 => {
            let numbers = [reader.u16_le()?, reader.u16_le()?, reader.u16_le()?, reader.u16_le()?];
            let storage = reader.u32_le()?;
            let name = body.text()?;
            let [attributes, count, flags, level] = numbers.map(EventValue::from);
            let fields = [attributes, count, flags, level, storage.into(), EventValue::String(&name)];
            telling.raise(events::FIND_FIRST, &[EventValue::Record(&fields)]);
        }
        QUERY_PATH_INFORMATION => {
            reader.skip(2 + 4)?;
            let name = body.text()?;
            telling.raise(events::QUERY_PATH, &[EventValue::String(&name)]);
        }
        GET_DFS_REFERRAL => {
            reader.skip(2)?;
            let name = body.text()?;
            telling.raise(events::GET_REFERRAL, &[EventValue::String(&name)]);
        }
        _ => {}
    }
    Some(())
}
