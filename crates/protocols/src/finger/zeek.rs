//! Zeek's service of Finger: its recognition, and where it turns out to be something else.

use weir_applayer::zeek::News;
use weir_applayer::{Said, ZeekLogger, ZeekLogs, ZeekSink};

use super::FINGER;
use super::parser::Finding;

/// The logs.
pub static LOGS: ZeekLogs =
    ZeekLogs { from_start: true, ..ZeekLogs::new(&[], |_| Box::<FingerLogger>::default()) };

/// Follows one connection.
#[derive(Debug, Default)]
struct FingerLogger {
    is_confirmed: bool,
}

impl ZeekLogger for FingerLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Said<Finding>>().filter(|_| news.complete) else { return };
        match &tx.message {
            Finding::Confirmed => {
                self.is_confirmed = true;
                sink.service(FINGER.zeek_service);
            }
            // Connections never taken for Finger are not logged.
            Finding::TooLong(line) if self.is_confirmed => {
                sink.violation(tx.time, "the line is too long", Some(line));
            }
            Finding::TooLong(_) => {}
        }
    }
}
