//! Answers to what scripts ask of an HTTP exchange (`suricata.http`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};
use weir_base::Direction;

use super::transaction::HttpTransaction;

/// The library.
pub(super) static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "http", methods: METHODS, enable: None, earlier: EARLIER }];

/// The conditions that scripts can ask to be run on.
pub(super) static NEEDS: &[ScriptNeed] = &[
    need("http.request_body", "http.request_body", None),
    need("http.request_cookie", "http.cookie", Some(Direction::ToServer)),
    need("http.request_headers", "http.header", Some(Direction::ToServer)),
    need("http.request_headers.raw", "http.header.raw", Some(Direction::ToServer)),
    need("http.request_line", "http.request_line", None),
    need("http.request_user_agent", "http.user_agent", None),
    need("http.response_body", "http.response_body", None),
    need("http.response_cookie", "http.cookie", Some(Direction::ToClient)),
    need("http.response_headers", "http.header", Some(Direction::ToClient)),
    need("http.response_headers.raw", "http.header.raw", Some(Direction::ToClient)),
    need("http.uri", "http.uri", None),
    need("http.uri.raw", "http.uri.raw", None),
];

const fn need(word: &'static str, field: &'static str, direction: Option<Direction>) -> ScriptNeed {
    ScriptNeed::new(word, NeededPlace::Field(field, direction))
}

/// Functions of earlier releases, with the methods that answer them.
const EARLIER: &[(&str, &str)] = &[
    ("HttpGetRequestBody", "request_body"),
    ("HttpGetRequestHost", "request_host"),
    ("HttpGetRequestHeader", "request_header"),
    ("HttpGetResponseHeader", "response_header"),
    ("HttpGetRequestLine", "request_line"),
    ("HttpGetResponseLine", "response_line"),
    ("HttpGetRawRequestHeaders", "request_headers_raw"),
    ("HttpGetRawResponseHeaders", "response_headers_raw"),
    ("HttpGetRequestUriRaw", "request_uri_raw"),
    ("HttpGetRequestUriNormalized", "request_uri_normalized"),
    ("HttpGetRequestHeaders", "request_headers"),
    ("HttpGetResponseHeaders", "response_headers"),
    ("HttpGetResponseBody", "response_body"),
];

const METHODS: &[ScriptMethod] = &[
    script_method!(
        "request_header",
        "Value of the header field with this name in the request; nothing and a sentence where there is none.",
        HttpTransaction,
        |tx, name| header(tx, Direction::ToServer, name)
    ),
    script_method!(
        "response_header",
        "Value of the header field with this name in the response; nothing and a sentence where there is none.",
        HttpTransaction,
        |tx, name| header(tx, Direction::ToClient, name)
    ),
    script_method!("request_line", "Request line.", HttpTransaction, |tx| bytes(&tx.request.line)),
    script_method!("response_line", "Status line.", HttpTransaction, |tx| bytes(&tx.response.line)),
    script_method!("request_headers_raw", "Header of the request as it was sent.", HttpTransaction, |tx| {
        filled(tx.request.headers.raw(), "no raw headers")
    }),
    script_method!("response_headers_raw", "Header of the response as it was sent.", HttpTransaction, |tx| {
        filled(tx.response.headers.raw(), "no raw headers")
    }),
    script_method!("request_uri_raw", "Target as it was sent.", HttpTransaction, |tx| vec![
        ScriptValue::bytes(tx.target())
    ]),
    script_method!("request_uri_normalized", "Target as `http.uri` has it.", HttpTransaction, |tx| filled(
        &tx.uri,
        "no normalized uri"
    )),
    script_method!("request_headers", "Header fields of the request, by name.", HttpTransaction, |tx| {
        headers(tx, Direction::ToServer)
    }),
    script_method!("response_headers", "Header fields of the response, by name.", HttpTransaction, |tx| {
        headers(tx, Direction::ToClient)
    }),
    script_method!(
        "request_body",
        "Pieces of the request's body, a list, with the offsets where they begin and end; nothing and a sentence without a body.",
        HttpTransaction,
        |tx| body(tx, Direction::ToServer)
    ),
    script_method!(
        "response_body",
        "Pieces of the response's body, a list, with the offsets where they begin and end; nothing and a sentence without a body.",
        HttpTransaction,
        |tx| body(tx, Direction::ToClient)
    ),
    script_method!("request_host", "Host of the request, in lower case.", HttpTransaction, |tx| vec![
        ScriptValue::bytes(tx.host.as_deref())
    ]),
];

fn bytes(bytes: &[u8]) -> Vec<ScriptValue> {
    vec![ScriptValue::bytes(Some(bytes).filter(|bytes| !bytes.is_empty()))]
}

fn filled(bytes: &[u8], otherwise: &str) -> Vec<ScriptValue> {
    if bytes.is_empty() { ScriptValue::missing(otherwise) } else { vec![ScriptValue::Bytes(bytes.to_vec())] }
}

fn header(tx: &HttpTransaction, direction: Direction, name: &[u8]) -> Vec<ScriptValue> {
    let lower = name.to_ascii_lowercase();
    filled(tx.message(direction).headers.value(&lower).unwrap_or_default(), "header not found")
}

fn headers(tx: &HttpTransaction, direction: Direction) -> Vec<ScriptValue> {
    let fields = tx.message(direction).headers.iter();
    vec![ScriptValue::Map(
        fields.map(|(name, value)| (name.to_vec(), ScriptValue::Bytes(value.to_vec()))).collect(),
    )]
}

/// Returns the part of a body that is there, in a list of one piece, with the offsets where it begins and ends.
fn body(tx: &HttpTransaction, direction: Direction) -> Vec<ScriptValue> {
    let (offset, bytes) = tx.message(direction).body.bytes();
    if bytes.is_empty() {
        return ScriptValue::missing("no body found");
    }
    let end = offset.saturating_add(bytes.len() as u64);
    let place = |position: u64| ScriptValue::Integer(i64::try_from(position).unwrap_or(i64::MAX));
    vec![ScriptValue::List(vec![ScriptValue::Bytes(bytes.to_vec())]), place(offset), place(end)]
}
