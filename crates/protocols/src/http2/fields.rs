//! Fields of a stream: the keywords of HTTP that both versions have, and those of HTTP/2
//! alone.

use weir_applayer::{Access, Field, Progress, build, build_list, bytes, integer, list};
use weir_base::Direction;

use super::frame::{ERRORS, kind};
use super::setting;
use super::transaction::{CLIENT, Http2Transaction, Message, SERVER};

/// The values of the fields with a name, joined.
macro_rules! header {
    ($name:literal) => {
        build!(Http2Transaction, |tx, direction, out| joined(&tx.messages[direction], $name, out))
    };
}

/// One integer of many.
macro_rules! integers {
    ($values:ident, $bits:expr, $names:expr) => {
        integer!(Http2Transaction, $bits, $names, |tx, direction, index| {
            tx.messages[direction].controls()?.$values.get(index).map(|value| u64::from(*value))
        })
    };
}

fn joined(message: &Message, name: &[u8], out: &mut Vec<u8>) -> bool {
    let mut found = false;
    for value in message.values(name) {
        if std::mem::replace(&mut found, true) {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(value);
    }
    found
}

fn append(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
}

/// All fields as they were sent.
fn raw_headers(message: &Message, out: &mut Vec<u8>) -> bool {
    for field in &message.fields {
        append(out, &field.name, &field.value);
        out.extend_from_slice(b"\r\n");
    }
    !out.is_empty()
}

/// All fields but cookies, without the blanks around their values.
fn without_cookies(message: &Message, cookie: &[u8], out: &mut Vec<u8>) -> bool {
    for field in message.fields.iter().filter(|field| !field.name.eq_ignore_ascii_case(cookie)) {
        append(out, &field.name, trimmed(&field.value));
        out.extend_from_slice(b"\r\n");
    }
    !out.is_empty()
}

fn trimmed(value: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t');
    let start = value.iter().position(is_text).unwrap_or(value.len());
    let end = value.iter().rposition(is_text).map_or(start, |last| last + 1);
    value.get(start..end).unwrap_or_default()
}

/// The line with which a request or response of HTTP/1 would begin, and its end.
fn first_line(parts: [&[u8]; 3], out: &mut Vec<u8>) -> bool {
    for part in parts {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"\r\n");
    true
}

fn request_line(message: &Message, out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(message.value(b":method").unwrap_or_default());
    first_line([b" ", message.value(b":path").unwrap_or_default(), b" HTTP/2"], out)
}

fn names(message: &Message, out: &mut Vec<u8>) -> bool {
    let mut names = message.fields.iter().peekable();
    if names.peek().is_none() {
        return false;
    }
    out.extend_from_slice(b"\r\n");
    for field in names {
        out.extend_from_slice(&field.name);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
    true
}

fn one_header(tx: &Http2Transaction, direction: Direction, index: usize, out: &mut Vec<u8>) -> bool {
    let Some(field) = tx.messages[direction].fields.get(index) else { return false };
    append(out, &field.name, &field.value);
    true
}

fn host(tx: &Http2Transaction, out: &mut Vec<u8>) -> bool {
    let Some(host) = tx.host() else { return false };
    out.extend(host.iter().map(u8::to_ascii_lowercase));
    true
}

const RAW_HEADERS: Access =
    build!(Http2Transaction, |tx, direction, out| raw_headers(&tx.messages[direction], out));
const HEADERS: Access = build!(Http2Transaction, |tx, direction, out| {
    let cookie: &[u8] = match direction {
        Direction::ToServer => b"cookie",
        Direction::ToClient => b"set-cookie",
    };
    without_cookies(&tx.messages[direction], cookie, out)
});
const NAMES: Access = build!(Http2Transaction, |tx, direction, out| names(&tx.messages[direction], out));
const ONE_HEADER: Access =
    build_list!(Http2Transaction, |tx, direction, index, out| one_header(tx, direction, index, out));
const ONE_NAME: Access = list!(Http2Transaction, |tx, direction, index| {
    tx.messages[direction].fields.get(index).map(|field| &*field.name)
});
const KINDS: Access = integer!(Http2Transaction, 8, kind::NAMES, |tx, direction, index| {
    tx.messages[direction].kinds().nth(index).map(u64::from)
});
const SIZE_UPDATES: Access = integer!(Http2Transaction, 64, &[], |tx, direction, index| {
    tx.messages[direction].size_updates().nth(index)
});
const VERSION: Access =
    bytes!(Http2Transaction, |tx, direction| tx.messages[direction].has_headers.then_some(b"HTTP/2"));

/// The rows.
pub const FIELDS: &[Field] = &[
    Field::to_server("http.method", CLIENT, header!(b":method")).doc("The method of the request."),
    Field::to_server("http.uri", CLIENT, header!(b":path")).doc("The target of the request."),
    Field::to_server("http.uri.raw", CLIENT, header!(b":path")).doc("The target of the request."),
    Field::to_server(
        "http.request_line",
        CLIENT,
        build!(Http2Transaction, |tx, direction, out| request_line(&tx.messages[direction], out)),
    )
    .aliases(&["http_request_line"])
    .doc("Method, target and `HTTP/2`, with the end of a line."),
    Field::to_client(
        "http.response_line",
        SERVER,
        build!(Http2Transaction, |tx, direction, out| {
            let status = tx.messages[direction].value(b":status").unwrap_or_default();
            first_line([b"HTTP/2", b" ", status], out)
        }),
    )
    .aliases(&["http_response_line"])
    .doc("`HTTP/2` and the status code, with the end of a line."),
    Field::to_server("http.protocol", CLIENT, VERSION).aliases(&["http_protocol"]).doc("`HTTP/2`."),
    Field::to_client("http.protocol", SERVER, VERSION).aliases(&["http_protocol"]).doc("`HTTP/2`."),
    Field::to_server("http.host", CLIENT, build!(Http2Transaction, |tx, _, out| host(tx, out)))
        .doc("The host of `:authority`, or of the Host field, lower case, without user and port."),
    Field::to_server("http.host.raw", CLIENT, bytes!(Http2Transaction, |tx, _| tx.authority()))
        .doc("`:authority`, or the Host field, as written."),
    Field::to_server("http.user_agent", CLIENT, header!(b"user-agent")).doc("The User-Agent field."),
    Field::to_server("http.referer", CLIENT, header!(b"referer"))
        .aliases(&["http_referer"])
        .doc("The Referer field."),
    Field::to_server("http.accept", CLIENT, header!(b"accept"))
        .aliases(&["http_accept"])
        .doc("The Accept field."),
    Field::to_server("http.accept_enc", CLIENT, header!(b"accept-encoding"))
        .aliases(&["http_accept_enc"])
        .doc("The Accept-Encoding field."),
    Field::to_server("http.accept_lang", CLIENT, header!(b"accept-language"))
        .aliases(&["http_accept_lang"])
        .doc("The Accept-Language field."),
    Field::to_server("http.connection", CLIENT, header!(b"connection"))
        .aliases(&["http_connection"])
        .doc("The Connection field."),
    Field::to_client("http.connection", SERVER, header!(b"connection"))
        .aliases(&["http_connection"])
        .doc("The Connection field."),
    Field::to_server("http.content_type", CLIENT, header!(b"content-type"))
        .aliases(&["http_content_type"])
        .doc("The Content-Type field."),
    Field::to_client("http.content_type", SERVER, header!(b"content-type"))
        .aliases(&["http_content_type"])
        .doc("The Content-Type field."),
    Field::to_server("http.content_len", CLIENT, header!(b"content-length"))
        .aliases(&["http_content_len"])
        .doc("The Content-Length field as written."),
    Field::to_client("http.content_len", SERVER, header!(b"content-length"))
        .aliases(&["http_content_len"])
        .doc("The Content-Length field as written."),
    Field::to_server("http.cookie", CLIENT, header!(b"cookie")).doc("The Cookie fields of a request."),
    Field::to_client("http.cookie", SERVER, header!(b"set-cookie"))
        .doc("The Set-Cookie fields of a response."),
    Field::to_server("http.header", CLIENT, HEADERS).doc("All header fields but cookies."),
    Field::to_client("http.header", SERVER, HEADERS).doc("All header fields but cookies."),
    Field::to_server("http.header.raw", CLIENT, RAW_HEADERS).doc("All header fields."),
    Field::to_client("http.header.raw", SERVER, RAW_HEADERS).doc("All header fields."),
    Field::to_server("http.header_names", CLIENT, NAMES)
        .aliases(&["http_header_names"])
        .doc("The names of the header fields, each on a line of its own, with an empty line at either end."),
    Field::to_client("http.header_names", SERVER, NAMES)
        .aliases(&["http_header_names"])
        .doc("The names of the header fields, each on a line of its own, with an empty line at either end."),
    Field::to_server("http.request_header", CLIENT, ONE_HEADER)
        .aliases(&["http_request_header"])
        .doc("Each header field of a request by itself, as `name: value`."),
    Field::to_client("http.response_header", SERVER, ONE_HEADER)
        .aliases(&["http_response_header"])
        .doc("Each header field of a response by itself, as `name: value`."),
    Field::to_server("http.request_body", CLIENT, Access::FileData)
        .doc("The body of a request, decompressed."),
    Field::to_client("http.stat_code", SERVER, header!(b":status")).doc("The status code as written."),
    Field::to_client("http.stat_msg", SERVER, bytes!(Http2Transaction, |_tx, _| Some(b"")))
        .doc("Always empty: HTTP/2 has no words for the status."),
    Field::to_client("http.server", SERVER, header!(b"server"))
        .aliases(&["http_server"])
        .doc("The Server field."),
    Field::to_client("http.location", SERVER, header!(b"location"))
        .aliases(&["http_location"])
        .doc("The Location field."),
    Field::to_client("http.response_body", SERVER, Access::FileData)
        .doc("The body of a response, decompressed."),
    Field::to_server("file.data", CLIENT, Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of bodies, decompressed; a file that was sent in ranges, once it is whole."),
    Field::to_client("file.data", SERVER, Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of bodies, decompressed; a file that was sent in ranges, once it is whole."),
    Field::to_server("file.name", CLIENT, Access::FileName)
        .aliases(&["file_name"])
        .doc("The names of files."),
    Field::to_client("file.name", SERVER, Access::FileName)
        .aliases(&["file_name"])
        .doc("The names of files."),
    Field::to_server("http2.header_name", CLIENT, ONE_NAME).doc("The name of each header field by itself."),
    Field::to_client("http2.header_name", SERVER, ONE_NAME).doc("The name of each header field by itself."),
    Field::to_server("http2.header", CLIENT, ONE_HEADER)
        .doc("Each header field by itself, as `name: value`."),
    Field::to_client("http2.header", SERVER, ONE_HEADER)
        .doc("Each header field by itself, as `name: value`."),
    Field::both("http2.frametype", Progress(0), KINDS)
        .doc("What a frame is, as a number or by name: `GOAWAY`."),
    Field::both("http2.errorcode", Progress(0), integers!(errors, 32, ERRORS))
        .doc("Why a stream or the connection ends, as a number or by name: `NO_ERROR`."),
    Field::both("http2.priority", Progress(0), integers!(priorities, 8, &[])).doc("The weight of a stream."),
    Field::both("http2.window", Progress(0), integers!(windows, 32, &[]))
        .doc("How many more bytes may be sent, as WINDOW_UPDATE says."),
    Field::both("http2.settings", Progress(0), Access::Check(setting::parse))
        .doc("A setting, and what its value is compared with: `http2.settings:SETTINGS_ENABLE_PUSH=0`."),
    Field::both("http2.size_update", Progress(0), SIZE_UPDATES)
        .doc("The new size of the table of header fields."),
];
