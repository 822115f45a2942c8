//! Fields of an HTTP exchange.

use weir_applayer::{Access, Field, FieldDirection, Progress, body, build, build_list, bytes};
use weir_base::Direction;

use super::transaction::{BODY, HEADERS, HttpTransaction, LINE};

const fn field(
    name: &'static str,
    aliases: &'static [&'static str],
    modifier: Option<&'static str>,
    direction: FieldDirection,
    ready_at: Progress,
    access: Access,
    doc: &'static str,
) -> Field {
    Field { name, aliases, modifier, direction, ready_at, access, doc }
}

/// The value of one header field, lower case name.
macro_rules! header {
    ($name:literal) => {
        bytes!(HttpTransaction, |tx, direction| tx.message(direction).headers.value($name))
    };
}

fn filled(bytes: &[u8]) -> Option<&[u8]> {
    (!bytes.is_empty()).then_some(bytes)
}

fn append_field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
}

/// All fields but cookies, one a line.
fn normalized_headers(tx: &HttpTransaction, direction: Direction, out: &mut Vec<u8>) -> bool {
    let cookie: &[u8] = match direction {
        Direction::ToServer => b"cookie",
        Direction::ToClient => b"set-cookie",
    };
    for (name, value) in tx.message(direction).headers.iter() {
        if !name.eq_ignore_ascii_case(cookie) {
            append_field(out, name, value);
            out.extend_from_slice(b"\r\n");
        }
    }
    !out.is_empty()
}

fn header_names(tx: &HttpTransaction, direction: Direction, out: &mut Vec<u8>) -> bool {
    let headers = &tx.message(direction).headers;
    if headers.len() == 0 {
        return false;
    }
    out.extend_from_slice(b"\r\n");
    for (name, _) in headers.iter() {
        out.extend_from_slice(name);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
    true
}

fn one_header(tx: &HttpTransaction, direction: Direction, index: usize, out: &mut Vec<u8>) -> bool {
    let Some((name, value)) = tx.message(direction).headers.get(index) else { return false };
    append_field(out, name, value);
    true
}

fn start(tx: &HttpTransaction, direction: Direction, out: &mut Vec<u8>) -> bool {
    let message = tx.message(direction);
    if message.line.is_empty() {
        return false;
    }
    out.extend_from_slice(&message.line);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(message.headers.raw());
    true
}

use FieldDirection::{Both, ToClient, ToServer};

/// The table.
pub(super) static FIELDS: &[Field] = &[
    field(
        "http.method",
        &[],
        Some("http_method"),
        ToServer,
        LINE,
        bytes!(HttpTransaction, |tx, _| tx.method_text()),
        "The method of the request.",
    ),
    field(
        "http.uri",
        &[],
        Some("http_uri"),
        ToServer,
        LINE,
        bytes!(HttpTransaction, |tx, _| filled(&tx.uri)),
        "The target of the request, normalised.",
    ),
    field(
        "http.uri.raw",
        &[],
        Some("http_raw_uri"),
        ToServer,
        LINE,
        bytes!(HttpTransaction, |tx, _| tx.target()),
        "The target of the request as written.",
    ),
    field(
        "http.request_line",
        &["http_request_line"],
        None,
        ToServer,
        LINE,
        bytes!(HttpTransaction, |tx, _| filled(&tx.request.line)),
        "The request line without its line end.",
    ),
    field(
        "http.protocol",
        &["http_protocol"],
        None,
        Both,
        LINE,
        bytes!(HttpTransaction, |tx, direction| tx.message(direction).protocol()),
        "The protocol of request or response line.",
    ),
    field(
        "http.host",
        &[],
        Some("http_host"),
        ToServer,
        HEADERS,
        bytes!(HttpTransaction, |tx, _| tx.host.as_deref()),
        "The host of target or Host field, lower case, without port.",
    ),
    field(
        "http.host.raw",
        &[],
        Some("http_raw_host"),
        ToServer,
        HEADERS,
        bytes!(HttpTransaction, |tx, _| tx.target_host().or_else(|| tx.request.headers.value(b"host"))),
        "The host of target or Host field as written.",
    ),
    field(
        "http.user_agent",
        &[],
        Some("http_user_agent"),
        ToServer,
        HEADERS,
        header!(b"user-agent"),
        "The User-Agent field.",
    ),
    field(
        "http.referer",
        &["http_referer"],
        None,
        ToServer,
        HEADERS,
        header!(b"referer"),
        "The Referer field.",
    ),
    field("http.accept", &["http_accept"], None, ToServer, HEADERS, header!(b"accept"), "The Accept field."),
    field(
        "http.accept_enc",
        &["http_accept_enc"],
        None,
        ToServer,
        HEADERS,
        header!(b"accept-encoding"),
        "The Accept-Encoding field.",
    ),
    field(
        "http.accept_lang",
        &["http_accept_lang"],
        None,
        ToServer,
        HEADERS,
        header!(b"accept-language"),
        "The Accept-Language field.",
    ),
    field(
        "http.connection",
        &["http_connection"],
        None,
        Both,
        HEADERS,
        header!(b"connection"),
        "The Connection field.",
    ),
    field(
        "http.content_type",
        &["http_content_type"],
        None,
        Both,
        HEADERS,
        header!(b"content-type"),
        "The Content-Type field.",
    ),
    field(
        "http.content_len",
        &["http_content_len"],
        None,
        Both,
        HEADERS,
        header!(b"content-length"),
        "The Content-Length field as written.",
    ),
    field(
        "http.cookie",
        &[],
        Some("http_cookie"),
        ToServer,
        HEADERS,
        header!(b"cookie"),
        "The Cookie field of a request.",
    ),
    field(
        "http.cookie",
        &[],
        Some("http_cookie"),
        ToClient,
        HEADERS,
        header!(b"set-cookie"),
        "The Set-Cookie field of a response.",
    ),
    field(
        "http.header",
        &[],
        Some("http_header"),
        Both,
        HEADERS,
        build!(HttpTransaction, |tx, direction, out| normalized_headers(tx, direction, out)),
        "All header fields but cookies, unfolded, repeated ones joined.",
    ),
    field(
        "http.header.raw",
        &[],
        Some("http_raw_header"),
        Both,
        HEADERS,
        bytes!(HttpTransaction, |tx, direction| filled(tx.message(direction).headers.raw())),
        "The header block as it came.",
    ),
    field(
        "http.header_names",
        &["http_header_names"],
        None,
        Both,
        HEADERS,
        build!(HttpTransaction, |tx, direction, out| header_names(tx, direction, out)),
        "The names of the header fields, each on a line of its own, with an empty line at either end.",
    ),
    field(
        "http.request_header",
        &["http_request_header"],
        None,
        ToServer,
        HEADERS,
        build_list!(HttpTransaction, |tx, direction, index, out| one_header(tx, direction, index, out)),
        "Each header field of a request by itself, as `name: value`.",
    ),
    field(
        "http.response_header",
        &["http_response_header"],
        None,
        ToClient,
        HEADERS,
        build_list!(HttpTransaction, |tx, direction, index, out| one_header(tx, direction, index, out)),
        "Each header field of a response by itself, as `name: value`.",
    ),
    field(
        "http.start",
        &["http_start"],
        None,
        Both,
        HEADERS,
        build!(HttpTransaction, |tx, direction, out| start(tx, direction, out)),
        "The first line and the header block as they came.",
    ),
    field(
        "http.request_body",
        &[],
        Some("http_client_body"),
        ToServer,
        BODY,
        body!(HttpTransaction, |tx, _| Some(&tx.request.body)),
        "The body of a request, chunks joined, decompressed.",
    ),
    field(
        "http.response_line",
        &["http_response_line"],
        None,
        ToClient,
        LINE,
        bytes!(HttpTransaction, |tx, _| filled(&tx.response.line)),
        "The status line without its line end.",
    ),
    field(
        "http.stat_code",
        &[],
        Some("http_stat_code"),
        ToClient,
        LINE,
        bytes!(HttpTransaction, |tx, _| tx.status_text()),
        "The status code as written.",
    ),
    field(
        "http.stat_msg",
        &[],
        Some("http_stat_msg"),
        ToClient,
        LINE,
        bytes!(HttpTransaction, |tx, _| tx.reason()),
        "The reason of the status line.",
    ),
    field("http.server", &["http_server"], None, ToClient, HEADERS, header!(b"server"), "The Server field."),
    field(
        "http.location",
        &["http_location"],
        None,
        ToClient,
        HEADERS,
        header!(b"location"),
        "The Location field.",
    ),
    field(
        "http.response_body",
        &[],
        Some("http_server_body"),
        ToClient,
        BODY,
        body!(HttpTransaction, |tx, _| Some(&tx.response.body)),
        "The body of a response, chunks joined, decompressed.",
    ),
    field(
        "file.data",
        &["file_data"],
        None,
        ToClient,
        BODY,
        body!(BodyAndFiles, HttpTransaction, |tx, _| Some(&tx.response.body)),
        "The body of a response, chunks joined, decompressed; a file that was sent in ranges, once it is whole.",
    ),
    field(
        "file.data",
        &["file_data"],
        None,
        ToServer,
        BODY,
        Access::FileData,
        "The content of uploaded files.",
    ),
    field("file.name", &["file_name"], None, Both, BODY, Access::FileName, "The names of files."),
];
