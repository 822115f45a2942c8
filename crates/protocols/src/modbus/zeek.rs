//! Zeek's modbus log: a row for each request and each response.

use std::collections::BTreeSet;

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};

use super::MODBUS;
use super::events::EVENTS;
use super::function::EXCEPTION;
use super::message::{Data, Message, error};
use super::transaction::ModbusTransaction;

zeek_stream! {
    static STREAM: "modbus" of a connection;
    struct Row {
        tid: Count,
        unit: Count,
        func: Text,
        pdu_type: Text,
        exception: Text,
    }
}

/// The log.
pub static LOGS: ZeekLogs =
    ZeekLogs { events: Some(&EVENTS), ..ZeekLogs::new(&[&STREAM], |_| Box::<ModbusLogger>::default()) };

/// Follows one connection.
#[derive(Debug, Default)]
struct ModbusLogger {
    /// Transactions that wait for a response and whose request was logged.
    told: BTreeSet<u64>,
}

impl ZeekLogger for ModbusLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<ModbusTransaction>() else { return };
        if !MODBUS.ports.contains(&sink.connection().endpoints.server_port) {
            return;
        }
        let id = tx.meta.id;
        let told = if news.complete { self.told.remove(&id) } else { !self.told.insert(id) };
        if let Some(request) = tx.request.as_ref().filter(|_| !told) {
            row(request, "REQ", sink);
        }
        if let Some(response) = &tx.response {
            row(response, "RESP", sink);
        }
    }
}

fn row(message: &Message, kind: &str, sink: &mut dyn ZeekSink) {
    let is_exception = message.function >= EXCEPTION;
    let exception = match message.data {
        Data::Exception(code) if is_exception => Some(exception_name(code)),
        _ => None,
    };
    // A request cannot fail, and what failed says why.
    if is_exception && exception.is_none() || message.errors & error::PROTOCOL != 0 || message.function == 0 {
        return;
    }
    sink.service("modbus");
    let function = function_name(message.function);
    let row = Row {
        tid: message.transaction.into(),
        unit: message.unit.into(),
        func: function.as_str().into(),
        pdu_type: kind.into(),
        exception: exception.as_deref().into(),
    };
    sink.row(&STREAM, message.time, &row.values());
}

fn function_name(code: u8) -> String {
    let name = |code| FUNCTIONS.iter().find(|(known, _)| *known == code).map(|(_, name)| *name);
    match name(code & !EXCEPTION) {
        Some(name) if code >= EXCEPTION => format!("{name}_EXCEPTION"),
        Some(name) => name.to_owned(),
        None => format!("unknown-{code}"),
    }
}

fn exception_name(code: u8) -> String {
    let name = EXCEPTIONS.iter().find(|(known, _)| *known == code);
    name.map_or_else(|| format!("unknown-{code}"), |(_, name)| (*name).to_owned())
}

const FUNCTIONS: &[(u8, &str)] = &[
    (0x01, "READ_COILS"),
    (0x02, "READ_DISCRETE_INPUTS"),
    (0x03, "READ_HOLDING_REGISTERS"),
    (0x04, "READ_INPUT_REGISTERS"),
    (0x05, "WRITE_SINGLE_COIL"),
    (0x06, "WRITE_SINGLE_REGISTER"),
    (0x07, "READ_EXCEPTION_STATUS"),
    (0x08, "DIAGNOSTICS"),
    (0x09, "PROGRAM_484"),
    (0x0a, "POLL_484"),
    (0x0b, "GET_COMM_EVENT_COUNTER"),
    (0x0c, "GET_COMM_EVENT_LOG"),
    (0x0d, "PROGRAM_584_984"),
    (0x0e, "POLL_584_984"),
    (0x0f, "WRITE_MULTIPLE_COILS"),
    (0x10, "WRITE_MULTIPLE_REGISTERS"),
    (0x11, "REPORT_SLAVE_ID"),
    (0x12, "PROGRAM_884_U84"),
    (0x13, "RESET_COMM_LINK_884_U84"),
    (0x14, "READ_FILE_RECORD"),
    (0x15, "WRITE_FILE_RECORD"),
    (0x16, "MASK_WRITE_REGISTER"),
    (0x17, "READ_WRITE_MULTIPLE_REGISTERS"),
    (0x18, "READ_FIFO_QUEUE"),
    (0x28, "PROGRAM_CONCEPT"),
    (0x29, "MULTIPLE_FUNCTION_CODES"),
    (0x2b, "ENCAP_INTERFACE_TRANSPORT"),
    (0x5a, "PROGRAM_UNITY"),
    (0x5b, "OBJECT_MESSAGING"),
    (0x7d, "FIRMWARE_REPLACEMENT"),
    (0x7e, "PROGRAM_584_984_2"),
    (0x7f, "REPORT_LOCAL_ADDRESS"),
];

const EXCEPTIONS: &[(u8, &str)] = &[
    (0x01, "ILLEGAL_FUNCTION"),
    (0x02, "ILLEGAL_DATA_ADDRESS"),
    (0x03, "ILLEGAL_DATA_VALUE"),
    (0x04, "SLAVE_DEVICE_FAILURE"),
    (0x05, "ACKNOWLEDGE"),
    (0x06, "SLAVE_DEVICE_BUSY"),
    (0x08, "MEMORY_PARITY_ERROR"),
    (0x0a, "GATEWAY_PATH_UNAVAILABLE"),
    (0x0b, "GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND"),
];
