//! Names as records show them: of commands, dialects, statuses and functions.

mod functions;
mod status;

use std::borrow::Cow;

/// The name of a command of version 1 (MS-CIFS 2.2.2.1), without what all begin with.
const COMMANDS_ONE: &[(u8, &str)] = &[
    (0x00, "CREATE_DIRECTORY"),
    (0x01, "DELETE_DIRECTORY"),
    (0x02, "OPEN"),
    (0x03, "CREATE"),
    (0x04, "CLOSE"),
    (0x05, "FLUSH"),
    (0x06, "DELETE"),
    (0x07, "RENAME"),
    (0x08, "QUERY_INFORMATION"),
    (0x09, "SET_INFORMATION"),
    (0x0a, "READ"),
    (0x0b, "WRITE"),
    (0x0c, "LOCK_BYTE_RANGE"),
    (0x0d, "UNLOCK_BYTE_RANGE"),
    (0x0e, "CREATE_TEMPORARY"),
    (0x0f, "CREATE_NEW"),
    (0x10, "CHECK_DIRECTORY"),
    (0x11, "PROCESS_EXIT"),
    (0x12, "SEEK"),
    (0x13, "LOCK_AND_READ"),
    (0x14, "WRITE_AND_UNLOCK"),
    (0x24, "LOCKING_ANDX"),
    (0x25, "TRANS"),
    (0x2b, "ECHO"),
    (0x2c, "WRITE_AND_CLOSE"),
    (0x2d, "OPEN_ANDX"),
    (0x2e, "READ_ANDX"),
    (0x2f, "WRITE_ANDX"),
    (0x32, "TRANS2"),
    (0x33, "TRANS2_SECONDARY"),
    (0x34, "FIND_CLOSE2"),
    (0x71, "TREE_DISCONNECT"),
    (0x72, "NEGOTIATE_PROTOCOL"),
    (0x73, "SESSION_SETUP_ANDX"),
    (0x74, "LOGOFF_ANDX"),
    (0x75, "TREE_CONNECT_ANDX"),
    (0x80, "QUERY_INFO_DISK"),
    (0xa0, "NT_TRANS"),
    (0xa1, "NT_TRANS_SECONDARY"),
    (0xa2, "NT_CREATE_ANDX"),
    (0xa4, "NT_CANCEL"),
];

/// Commands of version 2 (MS-SMB2 2.2.1), by number.
const COMMANDS_TWO: [&str; 19] = [
    "NEGOTIATE_PROTOCOL",
    "SESSION_SETUP",
    "SESSION_LOGOFF",
    "TREE_CONNECT",
    "TREE_DISCONNECT",
    "CREATE",
    "CLOSE",
    "FLUSH",
    "READ",
    "WRITE",
    "LOCK",
    "IOCTL",
    "CANCEL",
    "KEEPALIVE",
    "FIND",
    "CHANGE_NOTIFY",
    "GET_INFO",
    "SET_INFO",
    "OPLOCK_BREAK",
];

/// A command of version 1.
pub(super) fn command_one(command: u8) -> String {
    match COMMANDS_ONE.iter().find(|(number, _)| *number == command) {
        Some((_, name)) => format!("SMB1_COMMAND_{name}"),
        None => command.to_string(),
    }
}

/// A command of version 2.
pub(super) fn command_two(command: u16) -> String {
    match COMMANDS_TWO.get(usize::from(command)) {
        Some(name) => format!("SMB2_COMMAND_{name}"),
        None => command.to_string(),
    }
}

/// A dialect of version 2 or 3 (MS-SMB2 2.2.4).
pub(super) fn dialect(dialect: u16) -> Cow<'static, str> {
    Cow::Borrowed(match dialect {
        0x0202 => "2.02",
        0x0210 => "2.10",
        0x0222 => "2.22",
        0x0224 => "2.24",
        0x02ff => "2.??",
        0x0300 => "3.00",
        0x0302 => "3.02",
        0x0310 => "3.10",
        0x0311 => "3.11",
        _ => return Cow::Owned(dialect.to_string()),
    })
}

/// A status of Windows.
pub(super) fn nt_status(status: u32) -> Option<&'static str> {
    let after = status::RUNS.partition_point(|(first, _)| *first <= status);
    let (first, names) = status::RUNS.get(after.checked_sub(1)?)?;
    names.split_ascii_whitespace().nth(status.checked_sub(*first)? as usize).filter(|name| *name != "-")
}

/// An error of DOS, by its class and its code (MS-CIFS 2.2.2.4).
pub(super) fn dos_error(class: u8, code: u16) -> Cow<'static, str> {
    let names: &[(u16, &str)] = match class {
        1 => &[
            (0, "DOS_SUCCESS"),
            (1, "DOS_BAD_FUNC"),
            (2, "DOS_BAD_FILE"),
            (3, "DOS_BAD_PATH"),
            (4, "DOS_TOO_MANY_OPEN_FILES"),
            (5, "DOS_ACCESS_DENIED"),
        ],
        2 => &[(1, "SRV_ERROR"), (2, "SRV_BADPW"), (3, "SRV_BADTYPE"), (4, "SRV_ACCESS"), (91, "SRV_BADUID")],
        _ => return Cow::Owned(format!("UNKNOWN_{class:02x}_{code:04x}")),
    };
    match names.iter().find(|(number, _)| *number == code) {
        Some((_, name)) => Cow::Borrowed(name),
        None => Cow::Owned(code.to_string()),
    }
}

/// Returns the name of a control code for a file system or a device (MS-FSCC 2.3).
pub(super) fn function(function: u32) -> Cow<'static, str> {
    match functions::ALL.binary_search_by_key(&function, |(number, _)| *number) {
        Ok(found) => Cow::Owned(format!("FSCTL_{}", functions::ALL.get(found).map_or("", |(_, name)| name))),
        Err(_) => Cow::Owned(function.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_numbers() {
        let cases = [
            (command_one(0x2f), "SMB1_COMMAND_WRITE_ANDX"),
            (command_one(0xd0), "208"),
            (command_two(18), "SMB2_COMMAND_OPLOCK_BREAK"),
            (command_two(19), "19"),
            (dialect(0x0311).into(), "3.11"),
            (dialect(0x0400).into(), "1024"),
            (dos_error(2, 91).into(), "SRV_BADUID"),
            (dos_error(1, 99).into(), "99"),
            (dos_error(3, 7).into(), "UNKNOWN_03_0007"),
            (function(0x0011_c017).into(), "FSCTL_PIPE_TRANSCEIVE"),
            (function(5).into(), "5"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn statuses() {
        let cases = [
            (0, Some("SUCCESS")),
            (0x0000_0103, Some("PENDING")),
            (0x8000_0006, Some("NO_MORE_FILES")),
            (0xc000_0016, Some("MORE_PROCESSING_REQUIRED")),
            (0xc000_0022, Some("ACCESS_DENIED")),
            (0xc000_006d, Some("LOGON_FAILURE")),
            (0xc000_00cc, Some("BAD_NETWORK_NAME")),
            (0xc000_0225, Some("NOT_FOUND")),
            (0xc000_035c, Some("NETWORK_SESSION_EXPIRED")),
            (0x0000_0001, None),
            (0xffff_ffff, None),
        ];
        for (number, expected) in cases {
            assert_eq!(nt_status(number), expected, "{number:08x}");
        }
        assert!(status::RUNS.is_sorted_by_key(|(first, _)| *first));
        assert!(functions::ALL.is_sorted_by_key(|(number, _)| *number));
    }
}
