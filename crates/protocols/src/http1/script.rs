//! Answers to what scripts ask of an HTTP exchange (`suricata.http`).

use weir_applayer::{NeededPlace, ScriptLibrary, ScriptMethod, ScriptNeed, ScriptValue, script_method};
use weir_base::Direction;

use super::transaction::HttpTransaction;

/// The library.
pub(super) static LIBRARIES: &[ScriptLibrary] =
    &[ScriptLibrary { name: "http", methods: METHODS, enable: None }];

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

const METHODS: &[ScriptMethod] = &[
    script_method!("request_header", HttpTransaction, |tx, name| header(tx, Direction::ToServer, name)),
    script_method!("response_header", HttpTransaction, |tx, name| header(tx, Direction::ToClient, name)),
    script_method!("request_line", HttpTransaction, |tx| filled(&tx.request.line)),
    script_method!("response_line", HttpTransaction, |tx| filled(&tx.response.line)),
    script_method!("request_headers_raw", HttpTransaction, |tx| filled(tx.request.headers.raw())),
    script_method!("response_headers_raw", HttpTransaction, |tx| filled(tx.response.headers.raw())),
    script_method!("request_uri_raw", HttpTransaction, |tx| vec![ScriptValue::bytes(tx.target())]),
    script_method!("request_uri_normalized", HttpTransaction, |tx| filled(&tx.uri)),
    script_method!("request_headers", HttpTransaction, |tx| headers(tx, Direction::ToServer)),
    script_method!("response_headers", HttpTransaction, |tx| headers(tx, Direction::ToClient)),
    script_method!("request_body", HttpTransaction, |tx| body(tx, Direction::ToServer)),
    script_method!("response_body", HttpTransaction, |tx| body(tx, Direction::ToClient)),
    script_method!("request_host", HttpTransaction, |tx| vec![ScriptValue::bytes(tx.host.as_deref())]),
];

fn filled(bytes: &[u8]) -> Vec<ScriptValue> {
    vec![ScriptValue::bytes(Some(bytes).filter(|bytes| !bytes.is_empty()))]
}

fn header(tx: &HttpTransaction, direction: Direction, name: &[u8]) -> Vec<ScriptValue> {
    let lower = name.to_ascii_lowercase();
    vec![ScriptValue::bytes(tx.message(direction).headers.value(&lower))]
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
        return vec![ScriptValue::Nil];
    }
    let end = offset.saturating_add(bytes.len() as u64);
    let place = |position: u64| ScriptValue::Integer(i64::try_from(position).unwrap_or(i64::MAX));
    vec![ScriptValue::List(vec![ScriptValue::Bytes(bytes.to_vec())]), place(offset), place(end)]
}
