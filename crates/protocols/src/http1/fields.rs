//! Fields of an HTTP exchange.

use weir_applayer::{Access, Field, body, build, build_list, bytes};
use weir_base::Direction;

use super::transaction::{BODY, HEADERS, HttpTransaction, LINE};

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

/// The table.
pub(super) static FIELDS: &[Field] = &[
    Field::to_server("http.method", LINE, bytes!(HttpTransaction, |tx, _| tx.method_text()))
        .modifier("http_method")
        .doc("The method of the request."),
    Field::to_server("http.uri", LINE, bytes!(HttpTransaction, |tx, _| filled(&tx.uri)))
        .modifier("http_uri")
        .doc("The target of the request, normalised."),
    Field::to_server("http.uri.raw", LINE, bytes!(HttpTransaction, |tx, _| tx.target()))
        .modifier("http_raw_uri")
        .doc("The target of the request as written."),
    Field::to_server("http.request_line", LINE, bytes!(HttpTransaction, |tx, _| filled(&tx.request.line)))
        .aliases(&["http_request_line"])
        .doc("The request line without its line end."),
    Field::both(
        "http.protocol",
        LINE,
        bytes!(HttpTransaction, |tx, direction| tx.message(direction).protocol()),
    )
    .aliases(&["http_protocol"])
    .doc("The protocol of request or response line."),
    Field::to_server("http.host", HEADERS, bytes!(HttpTransaction, |tx, _| tx.host.as_deref()))
        .modifier("http_host")
        .doc("The host of target or Host field, lower case, without port."),
    Field::to_server(
        "http.host.raw",
        HEADERS,
        bytes!(HttpTransaction, |tx, _| tx.target_host().or_else(|| tx.request.headers.value(b"host"))),
    )
    .modifier("http_raw_host")
    .doc("The host of target or Host field as written."),
    Field::to_server("http.user_agent", HEADERS, header!(b"user-agent"))
        .modifier("http_user_agent")
        .doc("The User-Agent field."),
    Field::to_server("http.referer", HEADERS, header!(b"referer"))
        .aliases(&["http_referer"])
        .doc("The Referer field."),
    Field::to_server("http.accept", HEADERS, header!(b"accept"))
        .aliases(&["http_accept"])
        .doc("The Accept field."),
    Field::to_server("http.accept_enc", HEADERS, header!(b"accept-encoding"))
        .aliases(&["http_accept_enc"])
        .doc("The Accept-Encoding field."),
    Field::to_server("http.accept_lang", HEADERS, header!(b"accept-language"))
        .aliases(&["http_accept_lang"])
        .doc("The Accept-Language field."),
    Field::both("http.connection", HEADERS, header!(b"connection"))
        .aliases(&["http_connection"])
        .doc("The Connection field."),
    Field::both("http.content_type", HEADERS, header!(b"content-type"))
        .aliases(&["http_content_type"])
        .doc("The Content-Type field."),
    Field::both("http.content_len", HEADERS, header!(b"content-length"))
        .aliases(&["http_content_len"])
        .doc("The Content-Length field as written."),
    Field::to_server("http.cookie", HEADERS, header!(b"cookie"))
        .modifier("http_cookie")
        .doc("The Cookie field of a request."),
    Field::to_client("http.cookie", HEADERS, header!(b"set-cookie"))
        .modifier("http_cookie")
        .doc("The Set-Cookie field of a response."),
    Field::both(
        "http.header",
        HEADERS,
        build!(HttpTransaction, |tx, direction, out| normalized_headers(tx, direction, out)),
    )
    .modifier("http_header")
    .doc("All header fields but cookies, unfolded, repeated ones joined."),
    Field::both(
        "http.header.raw",
        HEADERS,
        bytes!(HttpTransaction, |tx, direction| filled(tx.message(direction).headers.raw())),
    )
    .modifier("http_raw_header")
    .doc("The header block as it came."),
    Field::both(
        "http.header_names",
        HEADERS,
        build!(HttpTransaction, |tx, direction, out| header_names(tx, direction, out)),
    )
    .aliases(&["http_header_names"])
    .doc("The names of the header fields, each on a line of its own, with an empty line at either end."),
    Field::to_server(
        "http.request_header",
        HEADERS,
        build_list!(HttpTransaction, |tx, direction, index, out| one_header(tx, direction, index, out)),
    )
    .aliases(&["http_request_header"])
    .doc("Each header field of a request by itself, as `name: value`."),
    Field::to_client(
        "http.response_header",
        HEADERS,
        build_list!(HttpTransaction, |tx, direction, index, out| one_header(tx, direction, index, out)),
    )
    .aliases(&["http_response_header"])
    .doc("Each header field of a response by itself, as `name: value`."),
    Field::both(
        "http.start",
        HEADERS,
        build!(HttpTransaction, |tx, direction, out| start(tx, direction, out)),
    )
    .aliases(&["http_start"])
    .doc("The first line and the header block as they came."),
    Field::to_server("http.request_body", BODY, body!(HttpTransaction, |tx, _| Some(&tx.request.body)))
        .modifier("http_client_body")
        .doc("The body of a request, chunks joined, decompressed."),
    Field::to_client("http.response_line", LINE, bytes!(HttpTransaction, |tx, _| filled(&tx.response.line)))
        .aliases(&["http_response_line"])
        .doc("The status line without its line end."),
    Field::to_client("http.stat_code", LINE, bytes!(HttpTransaction, |tx, _| tx.status_text()))
        .modifier("http_stat_code")
        .doc("The status code as written."),
    Field::to_client("http.stat_msg", LINE, bytes!(HttpTransaction, |tx, _| tx.reason()))
        .modifier("http_stat_msg")
        .doc("The reason of the status line."),
    Field::to_client("http.server", HEADERS, header!(b"server"))
        .aliases(&["http_server"])
        .doc("The Server field."),
    Field::to_client("http.location", HEADERS, header!(b"location"))
        .aliases(&["http_location"])
        .doc("The Location field."),
    Field::to_client("http.response_body", BODY, body!(HttpTransaction, |tx, _| Some(&tx.response.body)))
        .modifier("http_server_body")
        .doc("The body of a response, chunks joined, decompressed."),
    Field::to_client(
        "file.data",
        BODY,
        body!(BodyAndFiles, HttpTransaction, |tx, _| Some(&tx.response.body)),
    )
    .aliases(&["file_data"])
    .doc(
        "The body of a response, chunks joined, decompressed; a file that was sent in ranges, once \
         it is whole.",
    ),
    Field::to_server("file.data", BODY, Access::FileData)
        .aliases(&["file_data"])
        .doc("The content of uploaded files."),
    Field::both("file.name", BODY, Access::FileName).aliases(&["file_name"]).doc("The names of files."),
];
