//! Fields of a stream: the keywords of HTTP that both versions have, and those of HTTP/2
//! alone.

use weir_applayer::{Access, Field, FieldDirection, Progress, build, build_list, bytes, integer, list};
use weir_base::Direction;

use super::frame::{ERRORS, kind};
use super::setting;
use super::transaction::{CLIENT, Http2Transaction, Message, SERVER};

use FieldDirection::{ToClient, ToServer};

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    modifier: Option<&'static str>,
    direction: FieldDirection,
    access: Access,
    doc: &'static str,
) -> Field {
    let ready_at = match direction {
        FieldDirection::ToServer => CLIENT,
        FieldDirection::ToClient | FieldDirection::Both => SERVER,
    };
    Field { name, aliases, modifier, direction, ready_at, access, doc }
}

/// A keyword that looks at frames, whichever came.
const fn of_frames(name: &'static str, access: Access, doc: &'static str) -> Field {
    let direction = FieldDirection::Both;
    Field { name, aliases: &[], modifier: None, direction, ready_at: Progress(0), access, doc }
}

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

/// All fields but cookies.
fn without_cookies(message: &Message, cookie: &[u8], out: &mut Vec<u8>) -> bool {
    for field in message.fields.iter().filter(|field| !field.name.eq_ignore_ascii_case(cookie)) {
        append(out, &field.name, &field.value);
        out.extend_from_slice(b"\r\n");
    }
    !out.is_empty()
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
    build!(Http2Transaction, |tx, direction, out| without_cookies(&tx.messages[direction], b"", out));
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
    row("http.method", &[], None, ToServer, header!(b":method"), "The method of the request."),
    row("http.uri", &[], None, ToServer, header!(b":path"), "The target of the request."),
    row("http.uri.raw", &[], None, ToServer, header!(b":path"), "The target of the request."),
    row("http.protocol", &["http_protocol"], None, ToServer, VERSION, "`HTTP/2`."),
    row("http.protocol", &["http_protocol"], None, ToClient, VERSION, "`HTTP/2`."),
    row(
        "http.host",
        &[],
        None,
        ToServer,
        build!(Http2Transaction, |tx, _, out| host(tx, out)),
        "The host of `:authority`, or of the Host field, lower case, without user and port.",
    ),
    row(
        "http.host.raw",
        &[],
        None,
        ToServer,
        bytes!(Http2Transaction, |tx, _| tx.authority()),
        "`:authority`, or the Host field, as written.",
    ),
    row("http.user_agent", &[], None, ToServer, header!(b"user-agent"), "The User-Agent field."),
    row("http.referer", &["http_referer"], None, ToServer, header!(b"referer"), "The Referer field."),
    row("http.accept", &["http_accept"], None, ToServer, header!(b"accept"), "The Accept field."),
    row(
        "http.accept_enc",
        &["http_accept_enc"],
        None,
        ToServer,
        header!(b"accept-encoding"),
        "The Accept-Encoding field.",
    ),
    row(
        "http.accept_lang",
        &["http_accept_lang"],
        None,
        ToServer,
        header!(b"accept-language"),
        "The Accept-Language field.",
    ),
    row(
        "http.connection",
        &["http_connection"],
        None,
        ToServer,
        header!(b"connection"),
        "The Connection field.",
    ),
    row(
        "http.connection",
        &["http_connection"],
        None,
        ToClient,
        header!(b"connection"),
        "The Connection field.",
    ),
    row(
        "http.content_type",
        &["http_content_type"],
        None,
        ToServer,
        header!(b"content-type"),
        "The Content-Type field.",
    ),
    row(
        "http.content_type",
        &["http_content_type"],
        None,
        ToClient,
        header!(b"content-type"),
        "The Content-Type field.",
    ),
    row(
        "http.content_len",
        &["http_content_len"],
        None,
        ToServer,
        header!(b"content-length"),
        "The Content-Length field as written.",
    ),
    row(
        "http.content_len",
        &["http_content_len"],
        None,
        ToClient,
        header!(b"content-length"),
        "The Content-Length field as written.",
    ),
    row("http.cookie", &[], None, ToServer, header!(b"cookie"), "The Cookie fields of a request."),
    row("http.cookie", &[], None, ToClient, header!(b"set-cookie"), "The Set-Cookie fields of a response."),
    row("http.header", &[], None, ToServer, HEADERS, "All header fields but cookies."),
    row("http.header", &[], None, ToClient, HEADERS, "All header fields but cookies."),
    row("http.header.raw", &[], None, ToServer, RAW_HEADERS, "All header fields."),
    row("http.header.raw", &[], None, ToClient, RAW_HEADERS, "All header fields."),
    row(
        "http.header_names",
        &["http_header_names"],
        None,
        ToServer,
        NAMES,
        "The names of the header fields, each on a line of its own, with an empty line at either end.",
    ),
    row(
        "http.header_names",
        &["http_header_names"],
        None,
        ToClient,
        NAMES,
        "The names of the header fields, each on a line of its own, with an empty line at either end.",
    ),
    row(
        "http.request_header",
        &["http_request_header"],
        None,
        ToServer,
        ONE_HEADER,
        "Each header field of a request by itself, as `name: value`.",
    ),
    row(
        "http.response_header",
        &["http_response_header"],
        None,
        ToClient,
        ONE_HEADER,
        "Each header field of a response by itself, as `name: value`.",
    ),
    row("http.request_body", &[], None, ToServer, Access::FileData, "The body of a request, decompressed."),
    row("http.stat_code", &[], None, ToClient, header!(b":status"), "The status code as written."),
    row("http.server", &["http_server"], None, ToClient, header!(b"server"), "The Server field."),
    row("http.location", &["http_location"], None, ToClient, header!(b"location"), "The Location field."),
    row("http.response_body", &[], None, ToClient, Access::FileData, "The body of a response, decompressed."),
    row(
        "file.data",
        &["file_data"],
        None,
        ToServer,
        Access::FileData,
        "The content of bodies, decompressed; a file that was sent in ranges, once it is whole.",
    ),
    row(
        "file.data",
        &["file_data"],
        None,
        ToClient,
        Access::FileData,
        "The content of bodies, decompressed; a file that was sent in ranges, once it is whole.",
    ),
    row("file.name", &["file_name"], None, ToServer, Access::FileName, "The names of files."),
    row("file.name", &["file_name"], None, ToClient, Access::FileName, "The names of files."),
    row("http2.header_name", &[], None, ToServer, ONE_NAME, "The name of each header field by itself."),
    row("http2.header_name", &[], None, ToClient, ONE_NAME, "The name of each header field by itself."),
    row("http2.header", &[], None, ToServer, ONE_HEADER, "Each header field by itself, as `name: value`."),
    row("http2.header", &[], None, ToClient, ONE_HEADER, "Each header field by itself, as `name: value`."),
    of_frames("http2.frametype", KINDS, "What a frame is, as a number or by name: `GOAWAY`."),
    of_frames(
        "http2.errorcode",
        integers!(errors, 32, ERRORS),
        "Why a stream or the connection ends, as a number or by name: `NO_ERROR`.",
    ),
    of_frames("http2.priority", integers!(priorities, 8, &[]), "The weight of a stream."),
    of_frames(
        "http2.window",
        integers!(windows, 32, &[]),
        "How many more bytes may be sent, as WINDOW_UPDATE says.",
    ),
    of_frames(
        "http2.settings",
        Access::Check(setting::parse),
        "A setting, and what its value is compared with: `http2.settings:SETTINGS_ENABLE_PUSH=0`.",
    ),
    of_frames("http2.size_update", SIZE_UPDATES, "The new size of the table of header fields."),
];
