//! Anomalies of a conversation.

use weir_applayer::Anomaly;

use super::message::{Message, error};

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ModbusAnomaly {
    /// A response to nothing that was asked.
    UnsolicitedResponse,
    /// A request for no function.
    InvalidFunctionCode,
    /// A message is longer or shorter than its function says.
    InvalidLength,
    /// A value that its function does not know.
    InvalidValue,
    /// An exception that its function does not know.
    InvalidExceptionCode,
    /// A response does not say what was asked for.
    ValueMismatch,
    /// Too many requests wait for a response.
    Flooded,
    /// The identifier of the protocol is not zero.
    InvalidProtocolId,
}

/// Names of [`ModbusAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "unsolicited_response",
    "invalid_function_code",
    "invalid_length",
    "invalid_value",
    "invalid_exception_code",
    "value_mismatch",
    "flooded",
    "invalid_protocol_id",
];

impl From<ModbusAnomaly> for Anomaly {
    fn from(anomaly: ModbusAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}

/// Returns the anomalies of a request.
pub fn of_request(message: &Message) -> impl Iterator<Item = ModbusAnomaly> {
    const NAMED: [(u8, ModbusAnomaly); 5] = [
        (error::FUNCTION, ModbusAnomaly::InvalidFunctionCode),
        (error::VALUE, ModbusAnomaly::InvalidValue),
        (error::LENGTH, ModbusAnomaly::InvalidLength),
        (error::EXCEPTION, ModbusAnomaly::InvalidExceptionCode),
        (error::PROTOCOL, ModbusAnomaly::InvalidProtocolId),
    ];
    let errors = message.errors;
    NAMED.into_iter().filter(move |(flag, _)| errors & flag != 0).map(|(_, anomaly)| anomaly)
}

/// Returns the anomalies of a response: of values read and written, that they are not those asked for.
pub fn of_response(message: &Message) -> impl Iterator<Item = ModbusAnomaly> {
    let mismatched = message.accesses() && message.errors & (error::LENGTH | error::VALUE) != 0;
    let others = of_request(message).filter(move |_| !mismatched);
    mismatched.then_some(ModbusAnomaly::ValueMismatch).into_iter().chain(others)
}
