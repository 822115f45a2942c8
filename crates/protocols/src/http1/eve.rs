//! The `http` object of EVE records.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_applayer::eve::{EveLog, EveWriter, LogDirection};
use weir_applayer::{Endpoints, Options, Transaction, downcast};
use weir_base::JsonWriter;

use super::disposition::ContentRange;
use super::octets::take_while;
use super::transaction::{COMPLETE, HttpTransaction, Message};

/// The record of an exchange.
pub(super) static EVE: EveLog = EveLog {
    log_at: Some((COMPLETE, COMPLETE)),
    ..EveLog::new("http", LogDirection::Flow, |options| Box::new(HttpEve::read(options)))
};

/// Header fields that `custom` may name, of requests and responses alike.
const CUSTOM: &[&str] = &[
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-datetime",
    "authorization",
    "cache-control",
    "cookie",
    "from",
    "max-forwards",
    "origin",
    "pragma",
    "proxy-authorization",
    "range",
    "te",
    "via",
    "x-requested-with",
    "dnt",
    "x-forwarded-proto",
    "x-authenticated-user",
    "x-flash-version",
    "accept-range",
    "age",
    "allow",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-location",
    "content-md5",
    "content-range",
    "content-type",
    "date",
    "etag",
    "expires",
    "last-modified",
    "link",
    "location",
    "proxy-authenticate",
    "referrer",
    "refresh",
    "retry-after",
    "server",
    "set-cookie",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "warning",
    "www-authenticate",
    "true-client-ip",
    "org-src-ip",
    "x-bluecoat-via",
];

/// Header fields of a message that are logged.
enum Shown {
    All,
    /// Those of these names.
    Named(Vec<&'static str>),
}

/// Forms of the bodies in alerts.
#[derive(Clone, Copy)]
struct Bodies {
    base64: bool,
    printable: bool,
}

struct HttpEve {
    extended: bool,
    bodies: Bodies,
    request: Shown,
    response: Shown,
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
            let wanted = name.replace('_', "-");
            match CUSTOM.iter().find(|known| known.eq_ignore_ascii_case(&wanted)) {
                Some(known) => custom.push(*known),
                None => options
                    .complain("custom", &format!("{name} is no field that can be logged; it is skipped")),
            }
        }
        let shown = |side: &str| match dump.as_str() {
            "both" => Shown::All,
            dump if dump == side => Shown::All,
            _ => Shown::Named(custom.clone()),
        };
        let in_alert = options.flag("alert", false);
        Self {
            extended: options.flag("extended", true),
            bodies: Bodies {
                base64: in_alert && options.flag("http-body", false),
                printable: in_alert && options.flag("http-body-printable", false),
            },
            request: shown("request"),
            response: shown("response"),
        }
    }
}

impl Bodies {
    /// Writes what is kept of a message's body by the keys for Base64 and for text.
    fn write(self, [base64, printable]: [&str; 2], message: &Message, json: &mut JsonWriter<'_>) {
        let (_, bytes) = message.body.bytes();
        if bytes.is_empty() {
            return;
        }
        if self.base64 {
            json.string(base64, STANDARD.encode(bytes));
        }
        if self.printable {
            json.printable(printable, bytes);
        }
    }
}

impl EveWriter for HttpEve {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<HttpTransaction>(transaction) else { return false };
        write_basic(tx, json);
        if self.extended {
            write_extended(tx, json);
        }
        write_headers(json, "request_headers", &tx.request, &self.request);
        write_headers(json, "response_headers", &tx.response, &self.response);
        self.bodies.write(["http_request_body", "http_request_body_printable"], &tx.request, json);
        self.bodies.write(["http_response_body", "http_response_body_printable"], &tx.response, json);
        true
    }
}

fn write_basic(tx: &HttpTransaction, json: &mut JsonWriter<'_>) {
    let (request, response) = (&tx.request.headers, &tx.response.headers);
    json.optional_string("hostname", tx.host.as_deref());
    json.optional_unsigned("http_port", tx.port);
    json.optional_string("url", tx.target());
    json.optional_string("http_user_agent", request.value(b"user-agent"));
    json.optional_string("xff", request.value(b"x-forwarded-for"));
    let content_type = response.value(b"content-type");
    json.optional_string(
        "http_content_type",
        content_type.map(|value| take_while(value, |byte| byte != b';').0),
    );
    if let Some(raw) = response.value(b"content-range") {
        json.object("content_range");
        json.string("raw", raw);
        if let Some(range) = ContentRange::parse(raw) {
            for (key, value) in [("start", range.start), ("end", range.end), ("size", range.size)] {
                json.optional_unsigned(key, value);
            }
        }
        json.close_object();
    }
}

fn write_extended(tx: &HttpTransaction, json: &mut JsonWriter<'_>) {
    json.optional_string("http_refer", tx.request.headers.value(b"referer"));
    json.optional_string("http_method", tx.method_text());
    json.optional_string("protocol", tx.request.protocol());
    match tx.status {
        Some(status) => json.unsigned("status", status),
        None => json.optional_string("status_string", tx.status_text()),
    }
    json.optional_string("redirect", tx.response.headers.value(b"location"));
    json.unsigned("length", tx.response.message_length);
}

fn write_headers(json: &mut JsonWriter<'_>, key: &str, message: &Message, shown: &Shown) {
    let is_shown = |name: &[u8]| match shown {
        Shown::All => true,
        Shown::Named(names) => names.iter().any(|wanted| name.eq_ignore_ascii_case(wanted.as_bytes())),
    };
    let mut fields = message.headers.iter().filter(|(name, _)| is_shown(name)).peekable();
    if fields.peek().is_none() {
        return;
    }
    json.objects(key, fields, |json, (name, value)| {
        json.string("name", name);
        json.string("value", value);
    });
}
