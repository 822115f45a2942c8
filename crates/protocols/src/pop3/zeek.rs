//! Weirds of POP3, which Zeek has no log of.

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink};
use weir_base::Direction;

use super::command::STEP;
use super::transaction::Pop3Transaction;

/// The logs: none of their own.
pub static LOGS: ZeekLogs =
    ZeekLogs { confirms: false, ..ZeekLogs::new(&[], |_| Box::<Pop3Logger>::default()) };

/// Commands of Zeek that are none of the RFCs', and those of the RFCs that are none of Zeek's.
const OURS: [&[u8]; 2] = [b"LANG", b"UTF8"];
const THEIRS: [&[u8]; 2] = [b"LAST", b"XSENDER"];

/// Follows one connection.
#[derive(Debug, Default)]
struct Pop3Logger {
    /// The next transaction that was not looked at.
    next: u64,
}

impl ZeekLogger for Pop3Logger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Pop3Transaction>().filter(|tx| tx.meta.id >= self.next) else {
            return;
        };
        let Some(request) = &tx.request else { return };
        self.next = tx.meta.id + 1;
        let time = tx.meta.first_seen[Direction::ToServer];
        let word = request.word.to_ascii_uppercase();
        let said = word.strip_prefix(b"+").or_else(|| word.strip_prefix(b"-")).unwrap_or(&word);
        if [&b"OK"[..], b"ERR"].contains(&said) {
            sink.weird(time, "pop3_client_sending_server_commands", None);
        } else if request.known.is_none() && word != STEP.as_bytes() && !THEIRS.contains(&said)
            || OURS.contains(&said)
        {
            let word = String::from_utf8_lossy(&request.word);
            sink.weird(time, "pop3_client_command_unknown", Some(&word));
        }
    }
}
