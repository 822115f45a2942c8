//! The system's log, through its socket in the form of RFC 3164.

use super::datagram::DatagramSink;

const SOCKET: &str = "/dev/log";

/// Facilities by the names of configurations (RFC 5424, 6.2.1).
const FACILITIES: [(&str, u8); 20] = [
    ("kern", 0),
    ("user", 1),
    ("mail", 2),
    ("daemon", 3),
    ("auth", 4),
    ("syslog", 5),
    ("lpr", 6),
    ("news", 7),
    ("uucp", 8),
    ("cron", 9),
    ("authpriv", 10),
    ("ftp", 11),
    ("local0", 16),
    ("local1", 17),
    ("local2", 18),
    ("local3", 19),
    ("local4", 20),
    ("local5", 21),
    ("local6", 22),
    ("local7", 23),
];

/// Severities by the names of configurations.
const LEVELS: [(&str, u8); 8] = [
    ("emergency", 0),
    ("alert", 1),
    ("critical", 2),
    ("error", 3),
    ("warning", 4),
    ("notice", 5),
    ("info", 6),
    ("debug", 7),
];

/// Facility and level combined; `local5` and `info` where a name is not known.
pub(crate) fn priority(facility: &str, level: &str) -> u8 {
    let find = |table: &[(&str, u8)], name: &str, default| {
        table.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map_or(default, |(_, number)| *number)
    };
    find(&FACILITIES, facility, 21) * 8 + find(&LEVELS, level, 6)
}

/// The system's log.
pub(super) fn open(identity: &str, priority: u8) -> DatagramSink {
    DatagramSink::open(SOCKET.into(), format!("<{priority}>{identity}: ").into_bytes())
}

#[cfg(test)]
mod tests {
    #[test]
    fn priorities() {
        for (facility, level, expected) in [("local5", "info", 174), ("user", "Notice", 13), ("?", "?", 174)]
        {
            assert_eq!(super::priority(facility, level), expected);
        }
    }
}
