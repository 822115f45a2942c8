//! Functions of messages: codes, what they access and who defines them (Modbus Application Protocol 4, 5).

use std::io::Write as _;

/// Set in the function code of a response that is an exception.
pub const EXCEPTION: u8 = 0x80;

/// Function codes that messages are read by.
pub mod code {
    /// Read Exception Status.
    pub const READ_EXCEPTION_STATUS: u8 = 7;
    /// Diagnostics.
    pub const DIAGNOSTIC: u8 = 8;
    /// Get Comm Event Counter.
    pub const GET_EVENT_COUNTER: u8 = 11;
    /// Get Comm Event Log.
    pub const GET_EVENT_LOG: u8 = 12;
    /// Report Server ID.
    pub const REPORT_SERVER_ID: u8 = 17;
    /// Read File Record.
    pub const READ_FILE: u8 = 20;
    /// Write File Record.
    pub const WRITE_FILE: u8 = 21;
    /// Read/Write Multiple Registers.
    pub const READ_WRITE_REGISTERS: u8 = 23;
    /// Read FIFO Queue.
    pub const READ_FIFO_QUEUE: u8 = 24;
    /// Encapsulated Interface Transport.
    pub const MEI: u8 = 43;
}

/// Access of a function: the operation, and the data it is on.
pub mod access {
    /// It reads.
    pub const READ: u8 = 1;
    /// It writes.
    pub const WRITE: u8 = 2;
    /// Discrete inputs: bits that cannot be written.
    pub const DISCRETES: u8 = 4;
    /// Coils: bits.
    pub const COILS: u8 = 8;
    /// Input registers: words that cannot be written.
    pub const INPUT: u8 = 0x10;
    /// Holding registers: words.
    pub const HOLDING: u8 = 0x20;
    /// One of them.
    pub const SINGLE: u8 = 0x40;
    /// Several of them.
    pub const MULTIPLE: u8 = 0x80;
    /// Bits.
    pub const BITS: u8 = DISCRETES | COILS;

    /// By name, as records list them.
    pub(super) const NAMES: &[(u8, &str)] = &[
        (READ, "READ"),
        (WRITE, "WRITE"),
        (DISCRETES, "DISCRETES"),
        (COILS, "COILS"),
        (INPUT, "INPUT"),
        (HOLDING, "HOLDING"),
        (SINGLE, "SINGLE"),
        (MULTIPLE, "MULTIPLE"),
        (WRITE | SINGLE, "WRITE_SINGLE"),
        (WRITE | MULTIPLE, "WRITE_MULTIPLE"),
    ];
}

/// Categories of functions, by who defines them.
pub mod category {
    /// The specification.
    pub const ASSIGNED: u8 = 1;
    /// The specification, one day.
    pub const UNASSIGNED: u8 = 2;
    /// The user.
    pub const USER: u8 = 4;
    /// Makers of old.
    pub const RESERVED: u8 = 8;

    /// By name, as records list them.
    pub(super) const NAMES: &[(u8, &str)] = &[
        (ASSIGNED, "PUBLIC_ASSIGNED"),
        (UNASSIGNED, "PUBLIC_UNASSIGNED"),
        (USER, "USER_DEFINED"),
        (RESERVED, "RESERVED"),
    ];
}

/// Names of functions 1 to 24.
const NAMES: [&str; 24] = [
    "RdCoils",
    "RdDiscreteInputs",
    "RdHoldRegs",
    "RdInputRegs",
    "WrSingleCoil",
    "WrSingleReg",
    "RdExcStatus",
    "Diagnostic",
    "Program484",
    "Poll484",
    "GetCommEventCtr",
    "GetCommEventLog",
    "ProgramController",
    "PollController",
    "WrMultCoils",
    "WrMultRegs",
    "ReportServerID",
    "Program884",
    "ResetCommLink",
    "RdFileRec",
    "WrFileRec",
    "MaskWrReg",
    "RdWrMultRegs",
    "RdFIFOQueue",
];

/// The name of a function, none of which is an exception.
pub fn name(code: u8) -> Option<&'static str> {
    match code {
        code::MEI => Some("MEI"),
        code => NAMES.get(usize::from(code).checked_sub(1)?).copied(),
    }
}

/// Returns the access of a function, by [`access`].
pub const fn accessed(code: u8) -> u8 {
    use access::{COILS, DISCRETES, HOLDING, INPUT, MULTIPLE, READ, SINGLE, WRITE};
    match code {
        1 => READ | COILS,
        2 => READ | DISCRETES,
        3 => READ | HOLDING,
        4 => READ | INPUT,
        5 => WRITE | SINGLE | COILS,
        6 => WRITE | SINGLE | HOLDING,
        15 => WRITE | MULTIPLE | COILS,
        16 => WRITE | MULTIPLE | HOLDING,
        22 => WRITE | HOLDING,
        23 => READ | WRITE | MULTIPLE | HOLDING,
        _ => 0,
    }
}

/// Returns the category of a function that has no name, by [`category`].
pub const fn category_of_unnamed(code: u8) -> u8 {
    use category::{RESERVED, UNASSIGNED, USER};
    match code {
        0 | EXCEPTION.. => 0,
        9..=14 | 41..=42 | 90..=91 | 125..=127 => RESERVED,
        65..=72 | 100..=110 => USER,
        1..=8 | 15..=40 | 43..=64 | 73..=89 | 92..=99 | 111..=124 => UNASSIGNED,
    }
}

/// The name of a function of diagnostics; none where it is reserved.
pub fn diagnostic_name(function: u16) -> Option<&'static str> {
    Some(match function {
        0 => "RetQueryData",
        1 => "RestartCommOpt",
        2 => "RetDiagReg",
        3 => "ChangeInputDelimiter",
        4 => "ForceListenOnlyMode",
        10 => "ClearCtrDiagReg",
        11 => "RetBusMsgCount",
        12 => "RetBusCommErrCount",
        13 => "RetBusExcErrCount",
        14 => "RetServerMsgCount",
        15 => "RetServerNoRespCount",
        16 => "RetServerNAKCount",
        17 => "RetServerBusyCount",
        18 => "RetBusCharOverrunCount",
        19 => "RetOverrunErrCount",
        20 => "ClearOverrunCounterFlag",
        21 => "GetClearPlusStats",
        _ => return None,
    })
}

/// The name of a kind of encapsulated interface; none where it is reserved.
pub fn interface_name(kind: u8) -> Option<&'static str> {
    match kind {
        0x0d => Some("CANOpenGenRefReqResp"),
        0x0e => Some("RdDevId"),
        _ => None,
    }
}

/// The name of an exception.
pub fn exception_name(exception: u8) -> Option<&'static str> {
    Some(match exception {
        1 => "IllegalFunction",
        2 => "IllegalDataAddr",
        3 => "IllegalDataValue",
        4 => "ServerDeviceFail",
        5 => "Ack",
        6 => "ServerDeviceBusy",
        7 => "NegAck",
        MEMORY_PARITY_ERROR => "MemParityErr",
        10 => "GatewayPathUnavailable",
        11 => "GatewayTargetFailToResp",
        _ => return None,
    })
}

/// An exception that only files have.
pub const MEMORY_PARITY_ERROR: u8 = 8;

/// Appends the names of what a function does to what.
pub fn append_access(access: u8, out: &mut Vec<u8>) {
    append_flags(access::NAMES, access, out);
}

/// Appends the names of who defines a function.
pub fn append_category(category: u8, out: &mut Vec<u8>) {
    append_flags(category::NAMES, category, out);
}

/// Appends the names of flags that are set.
pub fn append_flags(names: &[(u8, &str)], flags: u8, out: &mut Vec<u8>) {
    let mut between = "";
    for (_, name) in names.iter().filter(|(flag, _)| flags & flag == *flag) {
        // Writing to memory does not fail.
        let _ = write!(out, "{between}{name}");
        between = " | ";
    }
    if between.is_empty() {
        out.extend_from_slice(b"NONE");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_categories() {
        assert_eq!(
            (name(0), name(1), name(24), name(25)),
            (None, Some("RdCoils"), Some("RdFIFOQueue"), None)
        );
        assert_eq!(name(43), Some("MEI"));
        for (code, expected) in
            [(0, 0), (7, 2), (14, 8), (41, 8), (72, 4), (89, 2), (110, 4), (127, 8), (128, 0)]
        {
            assert_eq!(category_of_unnamed(code), expected, "{code}");
        }
    }

    #[test]
    fn flags_by_name() {
        for (access, expected) in [
            (accessed(1), "READ | COILS"),
            (accessed(5), "WRITE | COILS | SINGLE | WRITE_SINGLE"),
            (accessed(23), "READ | WRITE | HOLDING | MULTIPLE | WRITE_MULTIPLE"),
            (0, "NONE"),
        ] {
            let mut out = Vec::new();
            append_access(access, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
