//! The `http` object of EVE records.

use std::borrow::Cow;

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

/// Bytes that are shown of a header field's name.
const NAME_MAX: usize = 255;

/// Bytes that are shown of a header field's value.
const VALUE_MAX: usize = 2047;

/// The one of the header fields that the extended record has by itself.
const EXTENDED: &str = "referrer";

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
        let extended = options.flag("extended", true);
        custom.retain(|name| !extended || *name != EXTENDED);
        let shown = |side: &str| match dump.as_str() {
            "both" => Shown::All,
            dump if dump == side => Shown::All,
            _ => Shown::Named(custom.clone()),
        };
        let in_alert = options.flag("alert", false);
        Self {
            extended,
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
    json.some_string("hostname", tx.host.as_deref());
    json.optional_unsigned("http_port", tx.port);
    json.some_string("url", tx.target());
    json.some_string("http_user_agent", request.value(b"user-agent"));
    json.some_string("xff", request.value(b"x-forwarded-for"));
    let content_type = response.value(b"content-type");
    if let Some(value) = content_type {
        json.string("http_content_type", with_nulls_shown(take_while(value, |byte| byte != b';').0));
    }
    if let Some(raw) = response.value(b"content-range") {
        json.object("content_range");
        json.some_string("raw", Some(raw));
        if let Some(range) = ContentRange::parse(raw) {
            for (key, value) in [("start", range.start), ("end", range.end), ("size", range.size)] {
                json.optional_unsigned(key, value);
            }
        }
        json.close_object();
    }
}

/// Text in which a null byte would end it otherwise.
fn with_nulls_shown(text: &[u8]) -> Cow<'_, [u8]> {
    match text.contains(&0) {
        false => Cow::Borrowed(text),
        true => {
            let parts: Vec<&[u8]> = text.split(|byte| *byte == 0).collect();
            Cow::Owned(parts.join(&b"\\0"[..]))
        }
    }
}

/// As much of a field's text as a record shows: up to a null byte, and within the limit.
fn shown_of(text: &[u8], limit: usize) -> &[u8] {
    take_while(text.get(..limit).unwrap_or(text), |byte| byte != 0).0
}

fn write_extended(tx: &HttpTransaction, json: &mut JsonWriter<'_>) {
    json.some_string("http_refer", tx.request.headers.value(b"referer"));
    json.some_string("http_method", tx.method_text());
    json.some_string("protocol", tx.request.protocol());
    match tx.status.filter(|status| *status > 0) {
        Some(status) => json.unsigned("status", status),
        None => json.some_string("status_string", tx.status_text()),
    }
    json.some_string("redirect", tx.response.headers.value(b"location"));
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
        json.string("name", shown_of(name, NAME_MAX));
        json.string("value", shown_of(value, VALUE_MAX));
    });
}

#[cfg(test)]
mod tests {
    use weir_applayer::NoOptions;

    use super::super::HTTP1;
    use crate::testing::{Conversation, Settings};
    use weir_base::Direction::{ToClient, ToServer};

    fn record(request: &str, response: &str, options: &dyn weir_applayer::Options) -> String {
        let mut flow = Conversation::new(&HTTP1, &NoOptions);
        flow.push(ToServer, request.as_bytes());
        flow.push(ToClient, response.as_bytes());
        flow.record(0, options).unwrap()
    }

    #[test]
    fn empty_values_are_left_out() {
        let record = record(
            "GET / HTTP/1.1\r\nHost:\r\nUser-Agent: \r\nReferer:\r\nX-Forwarded-For:\r\n\r\n",
            "HTTP/1.1 200\r\nLocation:\r\nContent-Type:\r\nContent-Range:\r\nContent-Length: 0\r\n\r\n",
            &NoOptions,
        );
        assert_eq!(
            record,
            r#"{"http":{"url":"/","http_content_type":"","content_range":{},"http_method":"GET","protocol":"HTTP/1.1","status":200,"length":0}}"#
        );
    }

    #[test]
    fn fields_are_shown_in_part() {
        let (name, value) = ("n".repeat(300), "v".repeat(3000));
        let request = format!("GET / HTTP/1.1\r\n{name}: {value}\r\nReferrer: r\r\nA: b\0c\r\n\r\n");
        let response = "HTTP/1.1 200 OK\r\nContent-Type: a\0b;c\r\nContent-Length: 0\r\n\r\n";
        let all = record(&request, response, &Settings(&[("dump-all-headers", "request")]));
        assert!(all.contains(&format!(r#""name":"{}","value":"{}""#, &name[..255], &value[..2047])), "{all}");
        assert!(all.contains(r#"{"name":"A","value":"b"}"#), "{all}");
        assert!(all.contains(r#""http_content_type":"a\\0b""#), "{all}");
        for (extended, is_shown) in [("yes", false), ("no", true)] {
            let options = Settings(&[("custom.0", "referrer"), ("extended", extended)]);
            assert_eq!(record(&request, response, &options).contains("Referrer"), is_shown, "{extended}");
        }
    }
}
