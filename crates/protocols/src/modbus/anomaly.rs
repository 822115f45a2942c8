//! Anomalies of a conversation.

use super::message::{Message, error};

weir_applayer::anomalies! {
    /// One thing that is wrong.
    pub enum ModbusAnomaly {
        /// A response to nothing that was asked.
        UnsolicitedResponse = "unsolicited_response",
        /// A request for no function.
        InvalidFunctionCode = "invalid_function_code",
        /// A message is longer or shorter than its function says.
        InvalidLength = "invalid_length",
        /// A value that its function does not know.
        InvalidValue = "invalid_value",
        /// An exception that its function does not know.
        InvalidExceptionCode = "invalid_exception_code",
        /// A response does not say what was asked for.
        ValueMismatch = "value_mismatch",
        /// Too many requests wait for a response.
        Flooded = "flooded",
        /// The identifier of the protocol is not zero.
        InvalidProtocolId = "invalid_protocol_id",
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
