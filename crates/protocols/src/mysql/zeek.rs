//! Zeek's mysql log: a row for each login and each command, when it ended, when the next one came, or when the
//! connection is over.

use weir_applayer::zeek::News;
use weir_applayer::{Said, ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::Timestamp;

use super::MYSQL;
use super::message::Message;

/// Most bytes of a text that a row shows.
const MAX_TEXT: usize = 4096;

zeek_stream! {
    static STREAM: "mysql" of a connection;
    struct Row {
        cmd: Text,
        arg: Text,
        success: Bool,
        rows: Count,
        response: Text,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    from_start: true,
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<MySqlLogger>::default())
};

/// Commands by number.
const COMMANDS: [&str; 32] = [
    "sleep",
    "quit",
    "init_db",
    "query",
    "field_list",
    "create_db",
    "drop_db",
    "refresh",
    "shutdown",
    "statistics",
    "process_info",
    "connect",
    "process_kill",
    "debug",
    "ping",
    "time",
    "delayed_insert",
    "change_user",
    "binlog_dump",
    "table_dump",
    "connect_out",
    "register_slave",
    "stmt_prepare",
    "stmt_execute",
    "stmt_send_long_data",
    "stmt_close",
    "stmt_reset",
    "set_option",
    "stmt_fetch",
    "daemon",
    "binlog_dump_gtid",
    "reset_connection",
];

/// The command that has no answer.
const QUIT: u8 = 1;

/// Request to log.
#[derive(Debug)]
enum Wish {
    Login,
    Command(u8),
}

/// Request that waits for its end.
#[derive(Debug)]
struct Pending {
    time: Timestamp,
    wish: Wish,
    text: Vec<u8>,
}

/// Result of a request.
enum End<'a> {
    Unknown,
    Done(u32),
    Failed(&'a [u8]),
}

/// Follows one connection.
#[derive(Debug, Default)]
struct MySqlLogger {
    pending: Option<Pending>,
}

impl ZeekLogger for MySqlLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<Said<Message>>().filter(|_| news.complete) else { return };
        let time = tx.time;
        match &tx.message {
            Message::Heard => {}
            Message::Tls => sink.service(MYSQL.zeek_service),
            Message::Login(user) => {
                sink.service(MYSQL.zeek_service);
                self.pending.get_or_insert_with(|| Pending { time, wish: Wish::Login, text: user.clone() });
            }
            Message::Command { command, text } => {
                self.write(End::Unknown, time, sink);
                self.pending = Some(Pending { time, wish: Wish::Command(*command), text: text.clone() });
                if *command == QUIT {
                    self.write(End::Unknown, time, sink);
                }
            }
            Message::Done { rows } => self.write(End::Done(*rows), time, sink),
            Message::End => self.write(End::Done(0), time, sink),
            Message::Error { text, .. } => self.write(End::Failed(text), time, sink),
            Message::Failure => sink.violation(time, "no packet of MySQL", None),
            Message::TooMany => sink.weird(time, "mysql_too_many_packets", None),
        }
    }

    fn has_news(&self, news: News<'_>) -> bool {
        news.complete
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        let time = self.pending.as_ref().map_or(sink.connection().start, |pending| pending.time);
        self.write(End::Unknown, time, sink);
    }
}

impl MySqlLogger {
    /// Writes the row that waits; Zeek cuts it where it is too long.
    fn write(&mut self, end: End<'_>, time: Timestamp, sink: &mut dyn ZeekSink) {
        let Some(pending) = self.pending.take() else { return };
        let (success, rows, reason) = match end {
            End::Unknown => (None, None, None),
            End::Done(rows) => (Some(true), Some(rows), None),
            End::Failed(reason) => (Some(false), None, Some(reason)),
        };
        if pending.text.len() > MAX_TEXT || reason.is_some_and(|reason| reason.len() > MAX_TEXT) {
            sink.weird_of_none(time, "log_string_field_truncated", Some("mysql::LOG"));
        }
        let cut = |text| <[u8]>::get(text, ..MAX_TEXT).unwrap_or(text);
        let unknown;
        let name = match pending.wish {
            Wish::Login => "login",
            Wish::Command(command) => match COMMANDS.get(usize::from(command)) {
                Some(name) => *name,
                None => {
                    unknown = format!("unknown-{command}");
                    &unknown
                }
            },
        };
        let row = Row {
            cmd: name.into(),
            arg: cut(&pending.text).into(),
            success: success.into(),
            rows: rows.into(),
            response: reason.map(cut).into(),
        };
        sink.row(&STREAM, pending.time, &row.values());
    }
}
