//! EVE records of type `modbus`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::function;
use super::message::{Data, Message, ReadRequest, Write, error};
use super::transaction::ModbusTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("modbus", LogDirection::Flow, |_| eve::writer(write));

fn write(tx: &ModbusTransaction, json: &mut JsonWriter<'_>) -> bool {
    json.unsigned("id", tx.meta.id + 1);
    for (key, message) in [("request", &tx.request), ("response", &tx.response)] {
        if let Some(message) = message {
            json.nested(key, |json| write_message(message, json));
        }
    }
    true
}

/// The name of what has none.
const UNKNOWN: &str = "Unknown";

fn write_message(message: &Message, json: &mut JsonWriter<'_>) {
    json.unsigned("transaction_id", message.transaction);
    json.unsigned("protocol_id", message.protocol);
    json.unsigned("unit_id", message.unit);
    json.unsigned("function_raw", message.function);
    json.string("function_code", function::name(message.code()).unwrap_or(UNKNOWN));
    json.text("access_type", |out| function::append_access(message.access, out));
    json.text("category", |out| function::append_category(message.category, out));
    json.text("error_flags", |out| function::append_flags(error::NAMES, message.errors, out));
    match &message.data {
        Data::Empty => {}
        Data::Exception(raw) => {
            write_code("exception", *raw, function::exception_name(*raw).unwrap_or(UNKNOWN), None, json);
        }
        Data::Diagnostic(raw, data) => {
            let name = function::diagnostic_name(*raw).unwrap_or("Reserved");
            write_code("diagnostic", *raw, name, Some(data), json);
        }
        Data::Interface(raw, data) => {
            let name = function::interface_name(*raw).unwrap_or(UNKNOWN);
            write_code("mei", *raw, name, Some(data), json);
        }
        Data::ReadRequest(read) => write_read(read, json),
        Data::ReadResponse(data) => {
            json.object("read");
            json.string("data", data);
            json.close_object();
        }
        Data::Write(write) => write_write(write, json),
        Data::ReadWrite(read, write) => {
            write_read(read, json);
            write_write(write, json);
        }
        Data::Bytes(data) => json.string("data", data),
    }
}

fn write_code(key: &str, raw: impl Into<u64>, name: &str, data: Option<&[u8]>, json: &mut JsonWriter<'_>) {
    json.object(key);
    json.unsigned("raw", raw);
    json.string("code", name);
    json.optional_string("data", data);
    json.close_object();
}

fn write_read(read: &ReadRequest, json: &mut JsonWriter<'_>) {
    json.object("read");
    json.unsigned("address", read.address);
    json.unsigned("quantity", read.quantity);
    json.close_object();
}

fn write_write(write: &Write, json: &mut JsonWriter<'_>) {
    json.object("write");
    match write {
        Write::Multiple { address, quantity, data } => {
            json.unsigned("address", *address);
            json.unsigned("quantity", *quantity);
            json.string("data", data);
        }
        Write::Mask { address, and_mask, or_mask } => {
            json.unsigned("address", *address);
            json.unsigned("and_mask", *and_mask);
            json.unsigned("or_mask", *or_mask);
        }
        Write::Other { address, data } => {
            json.unsigned("address", *address);
            json.unsigned("data", *data);
        }
    }
    json.close_object();
}
