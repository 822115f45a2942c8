//! Zeek's postgresql log: a row for each wish for TLS, session that begins, query and end. What leads to a session,
//! or to data that a query copies to the server, is several transactions and one row.

use weir_applayer::zeek::News;
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::Timestamp;

use super::PGSQL;
use super::answer::{Answer, Fault};
use super::message::method;
use super::request::{Request, Startup};
use super::transaction::{PgsqlTransaction, Place};

zeek_stream! {
    static STREAM: "postgresql" of a connection;
    /// A row as it is written.
    struct Columns {
        user: Text,
        database: Text,
        application_name: Text,
        frontend: Text,
        frontend_arg: Text,
        backend: Text,
        backend_arg: Text,
        success: Bool,
        rows: Count,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    from_start: true,
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<PgsqlLogger>::default())
};

/// Most steps of an authentication in a row.
const MAX_STEPS: usize = 64;

/// Follows one connection.
#[derive(Debug, Default)]
struct PgsqlLogger {
    user: Option<Vec<u8>>,
    database: Option<Vec<u8>>,
    application: Option<Vec<u8>>,
    /// The server said something.
    recognised: bool,
    /// One of them said what is no message.
    violated: bool,
    /// A row that more is to come of.
    pending: Option<Row>,
    /// The latest request whose answer another transaction has.
    left_open: Option<u64>,
}

/// A row, without what the session has in common.
#[derive(Debug, Default)]
struct Row {
    time: Timestamp,
    frontend: Option<&'static str>,
    frontend_argument: Option<Vec<u8>>,
    backend: Vec<&'static str>,
    backend_arguments: Vec<Vec<u8>>,
    success: Option<bool>,
    rows: Option<u64>,
}

impl ZeekLogger for PgsqlLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<PgsqlTransaction>() else { return };
        // Elsewhere the protocol is recognised once both sides began so.
        let is_usual_port = is_usual_port(sink);
        self.recognised |= tx.answer.seen;
        if let Some(time) = tx.failed_at {
            self.violated = true;
            sink.violation(time, "a length that no message has", None);
        } else if !self.violated
            && (self.recognised || is_usual_port && matches!(tx.request, Request::Startup(_)))
        {
            sink.service(PGSQL.zeek_service);
        }
        let is_left_open = tx.place == Place::LeftOpen;
        let is_known = self.left_open.is_some_and(|latest| latest >= tx.meta.id);
        if !news.complete && !is_left_open || is_left_open && is_known || !self.recognised && !is_usual_port {
            return;
        }
        if is_left_open {
            self.left_open = Some(tx.meta.id);
        }
        match &tx.request {
            Request::Ssl => self.encryption(tx, sink),
            Request::Startup(startup) => {
                self.write_pending(sink);
                self.begin(startup);
                self.pending = Some(Row::of(tx, "startup", sink));
                self.authentication(&tx.answer, sink);
            }
            Request::Password(_) | Request::SaslInitial(..) | Request::SaslResponse(_) => {
                self.authentication(&tx.answer, sink);
            }
            Request::Query(query) => {
                self.write_pending(sink);
                let row = Row { frontend_argument: Some(query.clone()), ..Row::of(tx, "simple_query", sink) };
                self.pending = Some(row);
                self.result(&tx.answer, sink);
            }
            Request::Copy(_) => self.result(&tx.answer, sink),
            Request::Terminate => {
                self.write_pending(sink);
                self.write(Row::of(tx, "terminate", sink), sink);
            }
            Request::None if tx.place == Place::AnswersEarlier => match &self.pending {
                Some(row) if row.frontend == Some("startup") => {
                    self.authentication(&tx.answer, sink);
                }
                _ => self.result(&tx.answer, sink),
            },
            Request::None if tx.answer.has_failed() => {
                let mut row = Row { time: tx.meta.first_seen.to_client, ..Row::default() };
                row.take_faults(&tx.answer);
                self.write(row, sink);
            }
            Request::None | Request::Cancel { .. } | Request::Unknown => {}
        }
    }

    fn has_news(&self, news: News<'_>) -> bool {
        let failed = |tx: &PgsqlTransaction| tx.failed_at.is_some() && !self.violated;
        let left_open = |tx: &PgsqlTransaction| tx.place == Place::LeftOpen;
        news.complete || !self.recognised || news.of().is_some_and(|tx| failed(tx) || left_open(tx))
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.write_pending(sink);
    }
}

impl PgsqlLogger {
    fn encryption(&self, tx: &PgsqlTransaction, sink: &mut dyn ZeekSink) {
        let mut row = Row::of(tx, "ssl_request", sink);
        if let Some(byte) = tx.answer.encryption {
            row.backend = vec!["ssl_reply"];
            row.backend_arguments = vec![vec![byte]];
            row.success = Some(byte == b'S');
        }
        self.write(row, sink);
    }

    fn begin(&mut self, startup: &Startup) {
        let parameter = |name| startup.parameter(name).map(<[u8]>::to_vec);
        self.user = parameter(b"user");
        self.database = parameter(b"database");
        self.application = parameter(b"application_name");
    }

    /// A turn of the authentication; the row is written once that is decided.
    fn authentication(&mut self, answer: &Answer, sink: &mut dyn ZeekSink) {
        let Some(row) = &mut self.pending else { return };
        for (method, _) in &answer.authentication {
            if *method == method::OK {
                row.backend = vec!["auth_ok"];
                row.success = Some(true);
            } else if row.backend.len() < MAX_STEPS {
                row.backend.push("auth_request");
                row.backend_arguments.push(method_name(*method));
            }
        }
        row.take_faults(answer);
        if row.success.is_some() {
            self.write_pending(sink);
        }
    }

    /// Logs the result of a query; data that it copies to the server is yet to come.
    fn result(&mut self, answer: &Answer, sink: &mut dyn ZeekSink) {
        let Some(row) = &mut self.pending else { return };
        if !row.take_faults(answer) && answer.ready {
            row.success = Some(true);
            row.rows = Some(answer.rows);
        }
        if row.success.is_some() {
            self.write_pending(sink);
        }
    }

    fn write_pending(&mut self, sink: &mut dyn ZeekSink) {
        if let Some(row) = self.pending.take() {
            self.write(row, sink);
        }
    }

    fn write(&self, row: Row, sink: &mut dyn ZeekSink) {
        // A wish for TLS comes before the session.
        let session = Some(self).filter(|_| row.frontend != Some("ssl_request"));
        let backend = Some(row.backend.join(",")).filter(|text| !text.is_empty());
        let arguments = Some(row.backend_arguments.join(&b","[..])).filter(|text| !text.is_empty());
        let columns = Columns {
            user: session.and_then(|session| session.user.as_deref()).into(),
            database: session.and_then(|session| session.database.as_deref()).into(),
            application_name: session.and_then(|session| session.application.as_deref()).into(),
            frontend: row.frontend.into(),
            frontend_arg: row.frontend_argument.as_deref().into(),
            backend: backend.as_deref().into(),
            backend_arg: arguments.as_deref().into(),
            success: row.success.into(),
            rows: row.rows.into(),
        };
        sink.row(&STREAM, row.time, &columns.values());
    }
}

/// Whether the connection is to a port of the protocol.
fn is_usual_port(sink: &dyn ZeekSink) -> bool {
    PGSQL.ports.contains(&sink.connection().endpoints.server_port)
}

impl Row {
    fn of(tx: &PgsqlTransaction, frontend: &'static str, sink: &dyn ZeekSink) -> Self {
        // Messages that led to its recognition are logged with it.
        let is_late = tx.meta.id == 0 && !is_usual_port(sink) && tx.answer.seen;
        let seen = tx.meta.first_seen;
        let time = if is_late { seen.to_client } else { seen.to_server };
        Self { time, frontend: Some(frontend), ..Self::default() }
    }

    /// Takes what is said of errors and notices; whether it failed.
    fn take_faults(&mut self, answer: &Answer) -> bool {
        if answer.has_failed() {
            self.backend.push("error");
            self.success = Some(false);
        }
        let fields = answer.faults.iter().flat_map(|Fault { fields, .. }| fields);
        self.backend_arguments.extend(fields.map(|(letter, text)| {
            let name = FAULT_NAMES.iter().find(|(known, _)| known == letter);
            let name = name.map_or_else(|| char::from(*letter).to_string(), |(_, name)| (*name).to_owned());
            [name.as_bytes(), b"=", text].concat()
        }));
        answer.has_failed()
    }
}

/// Zeek's names of what errors and notices say.
const FAULT_NAMES: [(u8, &str); 18] = [
    (b'S', "SeverityLocalized"),
    (b'V', "Severity"),
    (b'C', "Code"),
    (b'M', "Message"),
    (b'D', "Detail"),
    (b'H', "Hint"),
    (b'P', "Position"),
    (b'p', "InternalPosition"),
    (b'q', "InternalQuery"),
    (b'W', "Where"),
    (b's', "Schema"),
    (b't', "Table"),
    (b'c', "Column"),
    (b'd', "Data"),
    (b'n', "Constraint"),
    (b'F', "File"),
    (b'L', "Line"),
    (b'R', "Routine"),
];

/// Zeek's names of methods of authentication.
fn method_name(number: u32) -> Vec<u8> {
    let name = match number {
        2 => "KerberosV5",
        method::CLEARTEXT => "CleartextPassword",
        method::MD5 => "MD5Password",
        method::GSS => "GSSAPI",
        method::GSS_CONTINUE => "GSSAPIContinue",
        method::SSPI => "SSPI",
        method::SASL => "SASL",
        method::SASL_CONTINUE => "SASLContinue",
        method::SASL_FINAL => "SASLFinal",
        _ => return format!("unknown-{number}").into_bytes(),
    };
    name.as_bytes().to_vec()
}
