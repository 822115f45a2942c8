//! The `http` object of EVE records.

use weir_applayer::eve::{EveLog, EveWriter, LogDirection};
use weir_applayer::{Endpoints, Options, Transaction, downcast};
use weir_base::{Direction, JsonWriter};

use super::disposition::ContentRange;
use super::octets::take_while;
use super::transaction::{COMPLETE, HttpTransaction, Message};

/// The record of an exchange.
pub(super) static EVE: EveLog = EveLog {
    log_at: Some((COMPLETE, COMPLETE)),
    ..EveLog::new("http", LogDirection::Flow, |options| Box::new(HttpEve::read(options)))
};

/// Fields that `custom` may name, and whose they are; the name with dashes is the header field's.
const CUSTOM: &[(&str, Direction)] = &[
    ("accept", Direction::ToServer),
    ("accept_charset", Direction::ToServer),
    ("accept_encoding", Direction::ToServer),
    ("accept_language", Direction::ToServer),
    ("accept_datetime", Direction::ToServer),
    ("authorization", Direction::ToServer),
    ("cache_control", Direction::ToServer),
    ("cookie", Direction::ToServer),
    ("from", Direction::ToServer),
    ("max_forwards", Direction::ToServer),
    ("origin", Direction::ToServer),
    ("pragma", Direction::ToServer),
    ("proxy_authorization", Direction::ToServer),
    ("range", Direction::ToServer),
    ("te", Direction::ToServer),
    ("via", Direction::ToServer),
    ("x_requested_with", Direction::ToServer),
    ("dnt", Direction::ToServer),
    ("x_forwarded_proto", Direction::ToServer),
    ("x_authenticated_user", Direction::ToServer),
    ("x_flash_version", Direction::ToServer),
    ("accept_range", Direction::ToClient),
    ("age", Direction::ToClient),
    ("allow", Direction::ToClient),
    ("connection", Direction::ToClient),
    ("content_encoding", Direction::ToClient),
    ("content_language", Direction::ToClient),
    ("content_length", Direction::ToClient),
    ("content_location", Direction::ToClient),
    ("content_md5", Direction::ToClient),
    ("content_range", Direction::ToClient),
    ("content_type", Direction::ToClient),
    ("date", Direction::ToClient),
    ("etag", Direction::ToClient),
    ("expires", Direction::ToClient),
    ("last_modified", Direction::ToClient),
    ("link", Direction::ToClient),
    ("location", Direction::ToClient),
    ("proxy_authenticate", Direction::ToClient),
    ("referrer", Direction::ToClient),
    ("refresh", Direction::ToClient),
    ("retry_after", Direction::ToClient),
    ("server", Direction::ToClient),
    ("set_cookie", Direction::ToClient),
    ("trailer", Direction::ToClient),
    ("transfer_encoding", Direction::ToClient),
    ("upgrade", Direction::ToClient),
    ("vary", Direction::ToClient),
    ("warning", Direction::ToClient),
    ("www_authenticate", Direction::ToClient),
    ("true_client_ip", Direction::ToServer),
    ("org_src_ip", Direction::ToServer),
    ("x_bluecoat_via", Direction::ToServer),
];

/// A header field that is logged under a key of its own.
struct Custom {
    key: &'static str,
    header: String,
    direction: Direction,
}

struct HttpEve {
    extended: bool,
    custom: Vec<Custom>,
    dump_request: bool,
    dump_response: bool,
}

impl HttpEve {
    fn read(options: &dyn Options) -> Self {
        let dump = options.text("dump-all-headers").unwrap_or_default().to_ascii_lowercase();
        if !matches!(dump.as_str(), "" | "none" | "both" | "request" | "response" | "no" | "false") {
            options
                .complain("dump-all-headers", "it should be none, both, request or response; none is used");
        }
        let mut custom = Vec::new();
        for name in options.list("custom") {
            let wanted = name.to_ascii_lowercase().replace('-', "_");
            match CUSTOM.iter().find(|(key, _)| *key == wanted) {
                Some(&(key, direction)) => {
                    custom.push(Custom { key, header: key.replace('_', "-"), direction })
                }
                None => options
                    .complain("custom", &format!("{name} is no field that can be logged; it is skipped")),
            }
        }
        Self {
            extended: options.flag("extended", true),
            custom,
            dump_request: matches!(dump.as_str(), "both" | "request"),
            dump_response: matches!(dump.as_str(), "both" | "response"),
        }
    }
}

impl EveWriter for HttpEve {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<HttpTransaction>(transaction) else { return false };
        write_basic(tx, json);
        for custom in &self.custom {
            string(json, custom.key, tx.message(custom.direction).headers.value(custom.header.as_bytes()));
        }
        if self.extended {
            write_extended(tx, json);
        }
        if self.dump_request {
            write_headers(json, "request_headers", &tx.request);
        }
        if self.dump_response {
            write_headers(json, "response_headers", &tx.response);
        }
        true
    }
}

fn string(json: &mut JsonWriter<'_>, key: &str, value: Option<&[u8]>) {
    if let Some(value) = value {
        json.string(key, value);
    }
}

fn write_basic(tx: &HttpTransaction, json: &mut JsonWriter<'_>) {
    let (request, response) = (&tx.request.headers, &tx.response.headers);
    string(json, "hostname", tx.host.as_deref());
    if let Some(port) = tx.port {
        json.unsigned("http_port", port);
    }
    string(json, "url", tx.target());
    string(json, "http_user_agent", request.value(b"user-agent"));
    string(json, "xff", request.value(b"x-forwarded-for"));
    let content_type = response.value(b"content-type");
    string(json, "http_content_type", content_type.map(|value| take_while(value, |byte| byte != b';').0));
    if let Some(raw) = response.value(b"content-range") {
        json.object("content_range");
        json.string("raw", raw);
        if let Some(range) = ContentRange::parse(raw) {
            for (key, value) in [("start", range.start), ("end", range.end), ("size", range.size)] {
                if let Some(value) = value {
                    json.unsigned(key, value);
                }
            }
        }
        json.close_object();
    }
}

fn write_extended(tx: &HttpTransaction, json: &mut JsonWriter<'_>) {
    string(json, "http_refer", tx.request.headers.value(b"referer"));
    string(json, "http_method", tx.method_text());
    string(json, "protocol", tx.request.protocol());
    match tx.status {
        Some(status) => json.unsigned("status", status),
        None => string(json, "status_string", tx.status_text()),
    }
    string(json, "redirect", tx.response.headers.value(b"location"));
    json.unsigned("length", tx.response.message_length);
}

fn write_headers(json: &mut JsonWriter<'_>, key: &str, message: &Message) {
    json.array(key);
    for (name, value) in message.headers.iter() {
        json.open_object();
        json.string("name", name);
        json.string("value", value);
        json.close_object();
    }
    json.close_array();
}
