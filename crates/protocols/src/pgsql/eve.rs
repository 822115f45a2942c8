//! EVE records of type `pgsql`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::JsonWriter;

use super::answer::Answer;
use super::message::method;
use super::request::{CopyEnd, Request, Startup};
use super::transaction::PgsqlTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("pgsql", LogDirection::Flow, configure);

/// Keys of what an error says, by the letters of the fields.
const FAULT_KEYS: [(u8, &str); 18] = [
    (b'S', "severity_localizable"),
    (b'V', "severity_non_localizable"),
    (b'C', "code"),
    (b'M', "message"),
    (b'D', "detail"),
    (b'H', "hint"),
    (b'P', "position"),
    (b'p', "internal_position"),
    (b'q', "internal_query"),
    (b'W', "where"),
    (b's', "schema_name"),
    (b't', "table_name"),
    (b'c', "column_name"),
    (b'd', "data_type"),
    (b'n', "constraint_name"),
    (b'F', "file"),
    (b'L', "line"),
    (b'R', "routine"),
];

#[derive(Debug)]
struct PgsqlWriter {
    passwords: bool,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    Box::new(PgsqlWriter { passwords: options.flag("passwords", false) })
}

impl EveWriter for PgsqlWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<PgsqlTransaction>(transaction) else { return false };
        json.unsigned("tx_id", tx.meta.id + 1);
        if tx.request != Request::None {
            json.nested("request", |json| self.request(&tx.request, json));
        }
        if tx.answer.seen {
            json.nested("response", |json| answer(&tx.answer, json));
        }
        true
    }
}

impl PgsqlWriter {
    fn request(&self, request: &Request, json: &mut JsonWriter<'_>) {
        match request {
            Request::None | Request::Unknown => {}
            Request::Ssl => json.string("message", "SSL Request"),
            Request::Startup(startup) => begin(startup, json),
            Request::Password(password) if self.passwords => json.string("password", password),
            Request::Password(_) => json.boolean("password_redacted", true),
            Request::SaslInitial(mechanism, parameter) => {
                json.string("sasl_authentication_mechanism", mechanism_name(mechanism));
                json.string("sasl_param", parameter);
            }
            Request::SaslResponse(response) => json.string("sasl_response", response),
            Request::Query(query) => json.string("simple_query", query),
            Request::Copy(copy) => {
                if copy.messages > 0 {
                    json.object("copy_data_in");
                    json.unsigned("msg_count", copy.messages);
                    json.unsigned("data_size", copy.bytes);
                    json.close_object();
                }
                if let Some(end) = copy.end {
                    json.string("message", if end == CopyEnd::Done { "copy_done" } else { "copy_fail" });
                }
            }
            Request::Cancel { process, key } => {
                json.string("message", "cancel_request");
                json.unsigned("process_id", *process);
                json.unsigned("secret_key", *key);
            }
            Request::Terminate => json.string("message", "termination_message"),
        }
    }
}

fn begin(startup: &Startup, json: &mut JsonWriter<'_>) {
    let (major, minor) = startup.version;
    json.string("protocol_version", format!("{major}.{minor}"));
    json.object("startup_parameters");
    json.optional_string("user", startup.parameter(b"user"));
    parameters("optional_parameters", startup.parameters.iter().filter(|(name, _)| name != b"user"), json);
    json.close_object();
}

/// A list of objects with one parameter each, where there are any.
fn parameters<'a>(
    key: &str,
    parameters: impl Iterator<Item = &'a (Vec<u8>, Vec<u8>)>,
    json: &mut JsonWriter<'_>,
) {
    let mut parameters = parameters.peekable();
    if parameters.peek().is_none() {
        return;
    }
    json.objects(key, parameters, |json, (name, value)| {
        json.string(&parameter_name(name), value);
    });
}

/// The names that PostgreSQL writes in another way than all others.
fn parameter_name(name: &[u8]) -> std::borrow::Cow<'_, str> {
    match name {
        b"DateStyle" => "date_style".into(),
        b"IntervalStyle" => "interval_style".into(),
        b"TimeZone" => "time_zone".into(),
        _ => String::from_utf8_lossy(name),
    }
}

fn mechanism_name(mechanism: &[u8]) -> &[u8] {
    match mechanism {
        b"SCRAM-SHA-256" => b"scram_SHA256",
        b"SCRAM-SHA-256-PLUS" => b"scram_SHA256_plus",
        _ => mechanism,
    }
}

fn answer(answer: &Answer, json: &mut JsonWriter<'_>) {
    if let Some(byte) = answer.encryption {
        json.boolean("ssl_accepted", byte == b'S');
    }
    let said = &answer.authentication;
    for (key, wanted) in
        [("authentication_md5_password", method::MD5), ("authentication_sasl_final", method::SASL_FINAL)]
    {
        if let Some((_, data)) = said.iter().rfind(|(method, _)| *method == wanted) {
            json.string(key, data);
        }
    }
    let message = said.iter().rev().find_map(|(method, _)| authentication_name(*method));
    json.optional_string("message", message.filter(|_| answer.error_field(b'M').is_none()));
    parameters("parameter_status", answer.parameters.iter(), json);
    if let Some((process, key)) = answer.key {
        json.unsigned("process_id", process);
        json.unsigned("secret_key", key);
    }
    json.optional_unsigned("field_count", answer.columns);
    if answer.rows > 0 {
        json.unsigned("data_rows", answer.rows);
        json.unsigned("data_size", answer.row_bytes);
    }
    for (key, columns) in [("copy_in_response", answer.copy_in), ("copy_out_response", answer.copy_out)] {
        if let Some(columns) = columns {
            json.object(key);
            json.unsigned("columns", columns);
            json.close_object();
        }
    }
    if answer.copied > 0 {
        json.object("copy_data_out");
        json.unsigned("row_count", answer.copied);
        json.unsigned("data_size", answer.copied_bytes);
        json.close_object();
    }
    json.optional_string("command_completed", answer.command.as_ref());
    for (letter, key) in FAULT_KEYS {
        json.optional_string(key, answer.error_field(letter));
    }
}

fn authentication_name(method: u32) -> Option<&'static str> {
    Some(match method {
        method::OK => "authentication_ok",
        method::CLEARTEXT => "authentication_cleartext_password",
        method::GSS => "authentication_gss",
        method::GSS_CONTINUE => "authentication_gss_continue",
        method::SSPI => "authentication_sspi",
        method::SASL => "authentication_sasl",
        method::SASL_CONTINUE => "authentication_sasl_continue",
        _ => return None,
    })
}
