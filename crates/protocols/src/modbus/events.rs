//! Events of Modbus for scripts: each message, and what its function says.

use weir_applayer::HeardMessage;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, Reader};

use super::MODBUS;
use super::function::EXCEPTION;
use super::transaction::ModbusTransaction;

/// Codes of functions.
mod code {
    pub(super) const READ_COILS: u8 = 1;
    pub(super) const READ_DISCRETE_INPUTS: u8 = 2;
    pub(super) const READ_HOLDING_REGISTERS: u8 = 3;
    pub(super) const READ_INPUT_REGISTERS: u8 = 4;
    pub(super) const WRITE_SINGLE_COIL: u8 = 5;
    pub(super) const WRITE_SINGLE_REGISTER: u8 = 6;
    pub(super) const DIAGNOSTICS: u8 = 8;
    pub(super) const WRITE_MULTIPLE_COILS: u8 = 15;
    pub(super) const WRITE_MULTIPLE_REGISTERS: u8 = 16;
    pub(super) const READ_FILE_RECORD: u8 = 20;
    pub(super) const WRITE_FILE_RECORD: u8 = 21;
    pub(super) const MASK_WRITE_REGISTER: u8 = 22;
    pub(super) const READ_WRITE_MULTIPLE_REGISTERS: u8 = 23;
    pub(super) const READ_FIFO_QUEUE: u8 = 24;
    pub(super) const ENCAPSULATED_INTERFACE: u8 = 43;
}

/// Events of functions: the code, and what is raised for a request and for its response. The events stand in this order
/// behind the first two.
const FUNCTIONS: [u8; 15] = [
    code::READ_COILS,
    code::READ_DISCRETE_INPUTS,
    code::READ_HOLDING_REGISTERS,
    code::READ_INPUT_REGISTERS,
    code::WRITE_SINGLE_COIL,
    code::WRITE_SINGLE_REGISTER,
    code::DIAGNOSTICS,
    code::WRITE_MULTIPLE_COILS,
    code::WRITE_MULTIPLE_REGISTERS,
    code::READ_FILE_RECORD,
    code::WRITE_FILE_RECORD,
    code::MASK_WRITE_REGISTER,
    code::READ_WRITE_MULTIPLE_REGISTERS,
    code::READ_FIFO_QUEUE,
    code::ENCAPSULATED_INTERFACE,
];

const MESSAGE: usize = 0;
const EXCEPTION_RAISED: usize = 1;
/// The first of those of functions.
const OF_FUNCTIONS: usize = 2;

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/modbus/main",
    bodies: None,
    names: &[
        "modbus_message",
        "modbus_exception",
        "modbus_read_coils_request",
        "modbus_read_coils_response",
        "modbus_read_discrete_inputs_request",
        "modbus_read_discrete_inputs_response",
        "modbus_read_holding_registers_request",
        "modbus_read_holding_registers_response",
        "modbus_read_input_registers_request",
        "modbus_read_input_registers_response",
        "modbus_write_single_coil_request",
        "modbus_write_single_coil_response",
        "modbus_write_single_register_request",
        "modbus_write_single_register_response",
        "modbus_diagnostics_request",
        "modbus_diagnostics_response",
        "modbus_write_multiple_coils_request",
        "modbus_write_multiple_coils_response",
        "modbus_write_multiple_registers_request",
        "modbus_write_multiple_registers_response",
        "modbus_read_file_record_request",
        "modbus_read_file_record_response",
        "modbus_write_file_record_request",
        "modbus_write_file_record_response",
        "modbus_mask_write_register_request",
        "modbus_mask_write_register_response",
        "modbus_read_write_multiple_registers_request",
        "modbus_read_write_multiple_registers_response",
        "modbus_read_fifo_queue_request",
        "modbus_read_fifo_queue_response",
        "modbus_encap_interface_transport_request",
        "modbus_encap_interface_transport_response",
    ],
    open: || Box::new(ModbusRaiser),
};

#[derive(Debug)]
struct ModbusRaiser;

impl EventRaiser for ModbusRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<ModbusTransaction>() else { return };
        if !MODBUS.ports.contains(&sink.connection().endpoints.server_port) {
            return;
        }
        for heard in tx.meta.heard.take() {
            // What does not fit its format has no event of its own.
            let _ = message(&heard, sink);
        }
    }
}

fn message(heard: &HeardMessage, sink: &mut dyn EventSink) -> Option<()> {
    let mut reader = Reader::new(&heard.bytes);
    let (transaction, protocol, length) = (reader.u16()?, reader.u16()?, reader.u16()?);
    let (unit, function) = (reader.u8()?, reader.u8()?);
    let is_request = heard.direction == Direction::ToServer;
    let fields = [transaction.into(), protocol.into(), unit.into(), function.into(), length.into()];
    let headers = EventValue::Record(&fields);
    sink.raise(MESSAGE, &[EventValue::Connection, headers, is_request.into()]);
    if function >= EXCEPTION {
        let reason = reader.u8().filter(|_| !is_request)?;
        sink.raise(EXCEPTION_RAISED, &[EventValue::Connection, headers, reason.into()]);
        return Some(());
    }
    let place = FUNCTIONS.iter().position(|known| *known == function)?;
    let event = OF_FUNCTIONS + 2 * place + usize::from(!is_request);
    if !sink.wants(event) {
        return None;
    }
    let mut raise = |values: &[EventValue<'_>]| {
        let mut arguments = vec![EventValue::Connection, headers];
        arguments.extend_from_slice(values);
        sink.raise(event, &arguments);
    };
    if is_request { request(function, reader, &mut raise) } else { response(function, reader, &mut raise) }
}

/// Takes the values of an event behind the connection and the header.
type Raise<'r> = dyn FnMut(&[EventValue<'_>]) + 'r;

fn request(function: u8, mut reader: Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    match function {
        code::READ_COILS
        | code::READ_DISCRETE_INPUTS
        | code::READ_HOLDING_REGISTERS
        | code::READ_INPUT_REGISTERS
        | code::WRITE_SINGLE_REGISTER => pair(&mut reader, raise)?,
        code::WRITE_SINGLE_COIL => coil(&mut reader, raise)?,
        code::DIAGNOSTICS | code::ENCAPSULATED_INTERFACE => opaque(function, &mut reader, raise)?,
        code::WRITE_MULTIPLE_COILS => {
            let (address, quantity) = (reader.u16()?, usize::from(reader.u16()?));
            let length = reader.u8()?;
            let coils = bits(reader.take(length.into())?);
            raise(&[address.into(), EventValue::List(coils.get(..quantity)?)]);
        }
        code::WRITE_MULTIPLE_REGISTERS => {
            let (address, _quantity) = (reader.u16()?, reader.u16()?);
            raise(&[address.into(), EventValue::List(&counted(&mut reader)?)]);
        }
        code::READ_FILE_RECORD => {
            let count = reader.u8()?;
            let fields = record_places(&mut reader.sub(count.into())?);
            let records: Vec<_> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
            raise(&[count.into(), EventValue::List(&records)]);
        }
        code::WRITE_FILE_RECORD => written_records(&mut reader, raise)?,
        code::MASK_WRITE_REGISTER => mask(&mut reader, raise)?,
        code::READ_WRITE_MULTIPLE_REGISTERS => {
            let (from, quantity, to, _) = (reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?);
            let registers = counted(&mut reader)?;
            raise(&[from.into(), quantity.into(), to.into(), EventValue::List(&registers)]);
        }
        code::READ_FIFO_QUEUE => raise(&[reader.u16()?.into()]),
        _ => {}
    }
    Some(())
}

fn response(function: u8, mut reader: Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    match function {
        code::READ_COILS | code::READ_DISCRETE_INPUTS => {
            let length = reader.u8()?;
            raise(&[EventValue::List(&bits(reader.take(length.into())?))]);
        }
        code::READ_HOLDING_REGISTERS | code::READ_INPUT_REGISTERS | code::READ_WRITE_MULTIPLE_REGISTERS => {
            raise(&[EventValue::List(&counted(&mut reader)?)]);
        }
        code::WRITE_SINGLE_REGISTER | code::WRITE_MULTIPLE_COILS | code::WRITE_MULTIPLE_REGISTERS => {
            pair(&mut reader, raise)?;
        }
        code::WRITE_SINGLE_COIL => coil(&mut reader, raise)?,
        code::DIAGNOSTICS | code::ENCAPSULATED_INTERFACE => opaque(function, &mut reader, raise)?,
        code::READ_FILE_RECORD => {
            let count = reader.u8()?;
            let mut group = reader.sub(count.into())?;
            let mut fields = Vec::new();
            while let (Some(length), Some(kind)) = (group.u8(), group.u8()) {
                let Some(data) = group.take(usize::from(length).saturating_sub(1)) else { break };
                fields.push([length.into(), kind.into(), EventValue::String(data)]);
            }
            let records: Vec<_> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
            raise(&[count.into(), EventValue::List(&records)]);
        }
        code::WRITE_FILE_RECORD => written_records(&mut reader, raise)?,
        code::MASK_WRITE_REGISTER => mask(&mut reader, raise)?,
        code::READ_FIFO_QUEUE => {
            let (_length, count) = (reader.u16()?, reader.u16()?);
            raise(&[EventValue::List(&words(reader.take(usize::from(count) * 2)?))]);
        }
        _ => {}
    }
    Some(())
}

/// An address and a quantity, or a value.
fn pair(reader: &mut Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let (address, value) = (reader.u16()?, reader.u16()?);
    raise(&[address.into(), value.into()]);
    Some(())
}

/// One bit, which is written as all or nothing.
fn coil(reader: &mut Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let address = reader.u16()?;
    let value = match reader.u16()? {
        0 => false,
        0xff00 => true,
        _ => return None,
    };
    raise(&[address.into(), value.into()]);
    Some(())
}

/// A kind, and data of it.
fn opaque(function: u8, reader: &mut Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let kind = if function == code::DIAGNOSTICS { u64::from(reader.u16()?) } else { reader.u8()?.into() };
    raise(&[EventValue::Count(kind), EventValue::String(reader.rest())]);
    Some(())
}

fn mask(reader: &mut Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let (address, and_mask, or_mask) = (reader.u16()?, reader.u16()?, reader.u16()?);
    raise(&[address.into(), and_mask.into(), or_mask.into()]);
    Some(())
}

/// Places of records in files, 7 bytes each.
fn record_places(group: &mut Reader<'_>) -> Vec<[EventValue<'static>; 4]> {
    let mut places = Vec::new();
    while let (Some(kind), Some(file), Some(record), Some(length)) =
        (group.u8(), group.u16(), group.u16(), group.u16())
    {
        places.push([kind.into(), file.into(), record.into(), length.into()]);
    }
    places
}

/// Records of files, with their data.
fn written_records(reader: &mut Reader<'_>, raise: &mut Raise<'_>) -> Option<()> {
    let count = reader.u8()?;
    let mut group = reader.sub(count.into())?;
    let mut fields = Vec::new();
    while let (Some(kind), Some(file), Some(record), Some(length)) =
        (group.u8(), group.u16(), group.u16(), group.u16())
    {
        let Some(data) = group.take(usize::from(length) * 2) else { break };
        fields.push([kind.into(), file.into(), record.into(), length.into(), EventValue::String(data)]);
    }
    let records: Vec<_> = fields.iter().map(|fields| EventValue::Record(fields)).collect();
    raise(&[count.into(), EventValue::List(&records)]);
    Some(())
}

/// Registers behind the number of their bytes, which is even.
fn counted(reader: &mut Reader<'_>) -> Option<Vec<EventValue<'static>>> {
    let length = reader.u8().filter(|length| length % 2 == 0)?;
    reader.take(length.into()).map(words)
}

fn words(bytes: &[u8]) -> Vec<EventValue<'static>> {
    bytes.as_chunks::<2>().0.iter().map(|word| u16::from_be_bytes(*word).into()).collect()
}

/// The bits of bytes, the least significant one first.
fn bits(bytes: &[u8]) -> Vec<EventValue<'static>> {
    bytes.iter().flat_map(|byte| (0..8).map(move |bit| EventValue::Bool(byte >> bit & 1 == 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_bytes() {
        let set = |bytes| -> Vec<usize> {
            let is_set = |value: &EventValue<'_>| matches!(value, EventValue::Bool(true));
            bits(bytes)
                .iter()
                .enumerate()
                .filter(|(_, value)| is_set(value))
                .map(|(place, _)| place)
                .collect()
        };
        assert_eq!(set(&[0x05, 0x80]), [0, 2, 15]);
        assert!(set(&[]).is_empty());
        assert_eq!(EVENTS.names.len(), OF_FUNCTIONS + 2 * FUNCTIONS.len());
    }
}
