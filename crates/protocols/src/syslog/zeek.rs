//! Zeek's syslog log: a row for each message at port 514.

use std::ops::ControlFlow;

use weir_applayer::zeek::{Datagram, DatagramLogger, DatagramLogs};
use weir_applayer::{ZeekSink, zeek_stream};
use weir_base::EventValue;

use super::Message;

zeek_stream! {
    static STREAM: "syslog" of a connection;
    struct Row {
        proto: Enum,
        facility: Text,
        severity: Text,
        message: Text,
    }
}

/// Syslog in Zeek's logs.
pub const DATAGRAMS: DatagramLogs = DatagramLogs {
    name: "syslog",
    streams: &[&STREAM],
    ports: &[514],
    fits: |payload| Message::read(payload).is_some(),
    open: || Box::new(SyslogLogger),
};

/// Value of a column that a message does not have.
const UNSPECIFIED: &str = "UNSPECIFIED";

/// Facilities by number.
const FACILITIES: [&str; 24] = [
    "KERN", "USER", "MAIL", "DAEMON", "AUTH", "SYSLOG", "LPR", "NEWS", "UUCP", "CRON", "AUTHPRIV", "FTP",
    "NTP", "AUDIT", "ALERT", "CLOCK", "LOCAL0", "LOCAL1", "LOCAL2", "LOCAL3", "LOCAL4", "LOCAL5", "LOCAL6",
    "LOCAL7",
];

/// Severities by number.
const SEVERITIES: [&str; 8] = ["EMERG", "ALERT", "CRIT", "ERR", "WARNING", "NOTICE", "INFO", "DEBUG"];

/// Bits of a priority that tell the facility, above the three of the severity.
const FACILITY: u64 = 0x7f;

/// Writes the messages of one connection.
#[derive(Debug)]
struct SyslogLogger;

impl DatagramLogger for SyslogLogger {
    fn datagram(&mut self, datagram: Datagram<'_>, sink: &mut dyn ZeekSink) -> ControlFlow<()> {
        let Datagram { payload, time, .. } = datagram;
        let Some(message) = Message::read(payload) else {
            sink.violation(time, "no message of syslog", None);
            return ControlFlow::Break(());
        };
        sink.service(DATAGRAMS.name);
        // Scripts know what a message without priority has by a number beyond all others.
        let (facility, severity) =
            message.priority.map_or((999, 999), |priority| ((priority >> 3) & FACILITY, priority & 7));
        let arguments = [
            EventValue::Connection,
            EventValue::Count(facility),
            EventValue::Count(severity),
            EventValue::String(message.text),
        ];
        sink.raise("syslog_message", &arguments);
        let mut unnamed = String::new();
        let (facility, severity) = message.priority.map_or((UNSPECIFIED, UNSPECIFIED), |priority| {
            let (facility, severity) = ((priority >> 3) & FACILITY, priority & 7);
            let facility = FACILITIES.get(facility as usize).copied().unwrap_or_else(|| {
                unnamed = format!("?-{facility}");
                &unnamed
            });
            (facility, SEVERITIES.get(severity as usize).copied().unwrap_or_default())
        });
        let row = Row {
            proto: "udp".into(),
            facility: facility.into(),
            severity: severity.into(),
            message: message.text.into(),
        };
        sink.row(&STREAM, time, &row.values());
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{UP, logged};

    #[test]
    fn rows() {
        let cases: &[(&[u8], &str)] = &[
            (b"<34>Oct 11 su: failed", "facility=AUTH severity=CRIT message=Oct 11 su: failed"),
            (b"<191>x", "facility=LOCAL7 severity=DEBUG message=x"),
            (b"<999>x", "facility=?-124 severity=DEBUG message=x"),
            (b"<0001025>x", "facility=KERN severity=ALERT message=x"),
            (b"no priority", "facility=UNSPECIFIED severity=UNSPECIFIED message=no priority"),
            (b"34>x", "facility=UNSPECIFIED severity=UNSPECIFIED message=34>x"),
            (b"<13>", "facility=USER severity=NOTICE message="),
        ];
        for (payload, expected) in cases {
            assert!((DATAGRAMS.fits)(payload));
            let found = logged(&DATAGRAMS, &[(UP, payload)]).lines;
            assert_eq!(found, ["service syslog".to_owned(), format!("syslog 1: proto=udp {expected}")]);
        }
    }

    #[test]
    fn what_is_no_message() {
        for payload in [&b""[..], b"<>x", b"<1a>x", b"<-1>x", b"<13", b"<", b"<99999999999999999999>x"] {
            assert!(!(DATAGRAMS.fits)(payload), "{payload:?}");
        }
        let found = logged(&DATAGRAMS, &[(UP, &b"a"[..]), (UP, b"<b"), (UP, b"c")]);
        assert_eq!(found.of("syslog").len(), 1);
        assert_eq!(found.of("violation"), ["no message of syslog"]);
    }
}
