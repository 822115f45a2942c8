//! Weirds of POP3, which Zeek has no log of. A command counts once all before it were answered.

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink};
use weir_base::{Direction, Timestamp};

use super::POP3;
use super::command::{self, Answer, Request, STEP};
use super::events::EVENTS;
use super::transaction::Pop3Transaction;

/// The logs: none of their own.
pub static LOGS: ZeekLogs =
    ZeekLogs { events: Some(&EVENTS), ..ZeekLogs::new(&[], |_| Box::<Pop3Logger>::default()) };

/// Commands of Zeek that are none of the RFCs', and those of the RFCs that are none of Zeek's.
const OURS: [&[u8]; 2] = [b"LANG", b"UTF8"];
const THEIRS: [&[u8]; 2] = [b"LAST", b"XSENDER"];

/// Commands that show, once they were done, that the connection speaks POP3.
const CONFIRMING: [&[u8]; 3] = [b"USER", b"CAPA", b"STLS"];

/// Follows one connection.
#[derive(Debug, Default)]
struct Pop3Logger {
    /// The next transaction that was not looked at.
    next: u64,
    /// When the newest answer was there.
    answered: Timestamp,
    /// The connection was found to speak POP3.
    confirmed: bool,
    /// The server says something else.
    over: bool,
    /// Names of the weirds that were told.
    told: Vec<&'static str>,
}

impl ZeekLogger for Pop3Logger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Pop3Transaction>().filter(|tx| news.complete && tx.meta.id >= self.next)
        else {
            return;
        };
        self.next = tx.meta.id + 1;
        if self.over {
            return;
        }
        if let Some(request) = &tx.request {
            self.request(request, tx.meta.first_seen[Direction::ToServer].max(self.answered), sink);
            let is_done = tx.response.as_ref().is_some_and(|response| response.success);
            if is_done && CONFIRMING.contains(&&*request.word.to_ascii_uppercase()) {
                self.confirmed = true;
                sink.service(POP3.zeek_service);
            }
        }
        // While the client is identified anything goes.
        let identifies = tx.request.as_ref().is_some_and(|request| request.answer() == Answer::Steps);
        if let Some((word, time)) = tx.stray.as_ref().filter(|_| !identifies) {
            self.stray(word, *time, sink);
        }
        self.answered = tx.meta.last_seen[Direction::ToClient];
    }
}

impl Pop3Logger {
    fn request(&mut self, request: &Request, time: Timestamp, sink: &mut dyn ZeekSink) {
        let word = request.word.to_ascii_uppercase();
        let said = word.strip_prefix(b"+").or_else(|| word.strip_prefix(b"-")).unwrap_or(&word);
        if [&b"OK"[..], b"ERR"].contains(&said) {
            self.weird(time, "pop3_client_sending_server_commands", None, sink);
        } else if word != STEP.as_bytes() && !is_command(said) {
            self.weird(time, "pop3_client_command_unknown", Some(&request.word), sink);
        }
    }

    /// The server says something that is no response.
    fn stray(&mut self, word: &[u8], time: Timestamp, sink: &mut dyn ZeekSink) {
        if is_command(&word.to_ascii_uppercase()) {
            return self.weird(time, "pop3_server_sending_client_commands", None, sink);
        }
        self.weird(time, "pop3_server_command_unknown", Some(word), sink);
        self.over = true;
        if self.confirmed {
            sink.violation(time, "unknown server command", Some(word));
        }
    }

    fn weird(&mut self, time: Timestamp, name: &'static str, word: Option<&[u8]>, sink: &mut dyn ZeekSink) {
        if !self.told.contains(&name) {
            self.told.push(name);
            sink.weird(time, name, word.map(String::from_utf8_lossy).as_deref());
        }
    }
}

/// Whether a word, in capitals, is a command that Zeek knows.
fn is_command(word: &[u8]) -> bool {
    command::find(word).is_some() && !OURS.contains(&word) || THEIRS.contains(&word)
}
