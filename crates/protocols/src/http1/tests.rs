//! Whole exchanges: what comes in on both sides, what is seen of it.

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write as _;
use weir_applayer::{NoOptions, Options, Outcome, Request, Transport};
use weir_base::Direction::{self, ToClient, ToServer};

use super::HTTP1;
use super::zeek::WATCH;
use crate::testing::{Conversation, Settings, endpoints, same_in_any_pieces, watched};

fn open(options: &dyn Options) -> Conversation {
    Conversation::new(&HTTP1, options)
}

fn field(flow: &Conversation, id: u64, name: &str, direction: Direction) -> String {
    flow.values(id, name, direction).join("|")
}

fn eve(flow: &Conversation, options: &dyn Options) -> String {
    let record = flow.record(0, options).unwrap();
    record.strip_prefix("{\"http\":").and_then(|rest| rest.strip_suffix('}')).unwrap().to_owned()
}

fn exchange(request: &[u8], response: &[u8]) -> Conversation {
    let mut flow = open(&NoOptions);
    flow.push(ToServer, request);
    flow.push(ToClient, response);
    flow.close();
    flow
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_file_in_ranges_of_several_connections() {
    let factory = (HTTP1.configure)(&NoOptions);
    let bring = |start: usize, end: usize| {
        let ends = endpoints(&HTTP1, Transport::Tcp);
        let mut flow = Conversation::with(ends, factory.open(&ends));
        flow.push(ToServer, b"GET /f?x HTTP/1.1\r\nHost: H\r\n\r\n");
        let length = end - start + 1;
        let head =
            format!("HTTP/1.1 206 x\r\nContent-Range: bytes {start}-{end}/10\r\nContent-Length: {length}");
        let body = &b"0123456789"[start..=end];
        flow.push(ToClient, &[head.as_bytes(), b"\r\n\r\n", body].concat());
        let transaction = flow.transaction(0);
        let files = transaction.meta().files.iter();
        let told = files.map(|file| (file.id, file.size, file.start, file.end, file.assembled));
        told.collect::<Vec<_>>()
    };
    assert_eq!(bring(4, 9), [(0, 6, Some(4), Some(9), false)]);
    assert_eq!(bring(0, 9), [(0, 10, None, None, false)], "all of it is no range");
    assert_eq!(bring(0, 5), [(0, 6, Some(0), Some(5), false), (1, 10, None, None, true)]);
    assert_eq!(bring(0, 5), [(0, 6, Some(0), Some(5), false)], "it was whole already");
    let mut counted = Vec::new();
    let mut count = |name: &str, value: u64| counted.push((name.to_owned(), value > 0));
    factory.counters().unwrap().visit(&mut count);
    assert_eq!(
        counted,
        [("http.byterange.memcap".to_owned(), false), ("http.byterange.memuse".to_owned(), true)]
    );
}

const GET: &[u8] = b"GET /a%20b/../c?q=%41 HTTP/1.1\r\nHost: User@Example.COM:8080\r\nUser-Agent: ua\r\n\
    Cookie: k=v\r\nX: 1\r\nX: 2\r\n\r\n";

#[test]
fn fields_of_requests_and_responses() {
    let flow = exchange(
        GET,
        b"HTTP/1.1 200 All right\r\nContent-Type: text/html; charset=x\r\nSet-Cookie: a=b\r\nServer:  s \r\n\
          Location: /x\r\nContent-Length: 4\r\n\r\nbody",
    );
    let cases = [
        ("http.method", ToServer, "GET"),
        ("http.uri", ToServer, "/c?q=A"),
        ("http.uri.raw", ToServer, "/a%20b/../c?q=%41"),
        ("http.request_line", ToServer, "GET /a%20b/../c?q=%41 HTTP/1.1"),
        ("http.protocol", ToServer, "HTTP/1.1"),
        ("http.host", ToServer, "user@example.com"),
        ("http.host.raw", ToServer, "User@Example.COM:8080"),
        ("http.user_agent", ToServer, "ua"),
        ("http.cookie", ToServer, "k=v"),
        ("http.header", ToServer, "Host: User@Example.COM:8080\r\nUser-Agent: ua\r\nX: 1, 2\r\n"),
        ("http.header_names", ToServer, "\r\nHost\r\nUser-Agent\r\nCookie\r\nX\r\n\r\n"),
        ("http.request_header", ToServer, "Host: User@Example.COM:8080|User-Agent: ua|Cookie: k=v|X: 1, 2"),
        ("http.response_line", ToClient, "HTTP/1.1 200 All right"),
        ("http.stat_code", ToClient, "200"),
        ("http.stat_msg", ToClient, "All right"),
        ("http.protocol", ToClient, "HTTP/1.1"),
        ("http.content_type", ToClient, "text/html; charset=x"),
        ("http.content_len", ToClient, "4"),
        ("http.cookie", ToClient, "a=b"),
        ("http.server", ToClient, "s"),
        ("http.location", ToClient, "/x"),
        ("http.response_body", ToClient, "body"),
        ("file.data", ToClient, "body"),
    ];
    for (name, direction, expected) in cases {
        assert_eq!(field(&flow, 0, name, direction), expected, "{name}");
    }
    assert!(field(&flow, 0, "http.header.raw", ToClient).contains("Server:  s \r\n"));
    assert!(field(&flow, 0, "http.start", ToServer).starts_with("GET /a%20b/../c?q=%41 HTTP/1.1\r\nHost: "));
    assert_eq!(
        eve(&flow, &NoOptions),
        r#"{"hostname":"user@example.com","http_port":8080,"url":"/a%20b/../c?q=%41","http_user_agent":"ua","http_content_type":"text/html","http_method":"GET","protocol":"HTTP/1.1","status":200,"redirect":"/x","length":4}"#
    );
}

#[test]
fn records_as_configured() {
    let flow = exchange(
        b"GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\nX-Forwarded-For: 10.9.9.9\r\n\r\n",
        b"HTTP/1.1 206 OK\r\nContent-Range: bytes 5-6/10\r\nContent-Length: 2\r\n\r\nab",
    );
    let options = Settings(&[
        ("extended", "no"),
        ("custom.0", "accept_encoding"),
        ("custom.1", "Content-Length"),
        ("dump-all-headers", "response"),
    ]);
    assert_eq!(
        eve(&flow, &options),
        r#"{"hostname":"h","url":"/","xff":"10.9.9.9","content_range":{"raw":"bytes 5-6/10","start":5,"end":6,"size":10},"request_headers":[{"name":"Accept-Encoding","value":"gzip"}],"response_headers":[{"name":"Content-Range","value":"bytes 5-6/10"},{"name":"Content-Length","value":"2"}]}"#
    );
    let file = &flow.transaction(0).meta().files[0];
    assert_eq!((&file.name[..], file.start, file.end), (&b"/"[..], Some(5), Some(6)));
}

#[test]
fn alerts_show_bodies() {
    let flow = exchange(
        b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na\"\0",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\t\n",
    );
    let bodies = |options: &[(&str, &str)]| {
        let record = eve(&flow, &Settings(options));
        let from = record.find(r#","http_re"#);
        from.map_or_else(String::new, |from| record[from + 1..].to_owned())
    };
    let both = [("http-body", "yes"), ("http-body-printable", "yes")];
    assert_eq!(bodies(&both), "", "only alerts do");
    assert_eq!(
        bodies(&[&both[..], &[("alert", "yes"), ("dump-all-headers", "none")]].concat()),
        r#""http_request_body":"YSIA","http_request_body_printable":"a\".","http_response_body":"CQo=","http_response_body_printable":".\n"}"#
    );
}

/// Bodies as a browser reads odd responses.
#[test]
fn bodies_of_odd_responses() {
    let gzipped = gzip(b"body");
    let encoded =
        |headers: &str, body: &[u8]| [b"HTTP/1.1 200 ok\r\n", headers.as_bytes(), b"\r\n\r\n", body].concat();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("until close", b"HTTP/1.1 200 ok\r\n\r\nbody".to_vec()),
        ("line feeds only", b"HTTP/1.1 200 ok\nContent-Length: 4\n\nbody".to_vec()),
        ("carriage returns only", b"HTTP/1.1 200 ok\rContent-Length: 4\r\r\nbody".to_vec()),
        ("line before", b"junk\r\nHTTP/1.1 200 ok\r\nContent-Length: 4\r\n\r\nbody".to_vec()),
        ("white space before", b" \t\r\r\nHTTP/1.1 200 ok\r\nContent-Length: 4\r\n\r\nbody".to_vec()),
        ("folded length", encoded("Content-Length:\r\n 4", b"body")),
        ("same length twice", encoded("Content-Length: 4\r\nContent-Length: 4", b"body")),
        ("length with a sign", encoded("Content-Length: +4", b"body")),
        ("chunked", encoded("Transfer-Encoding: chunked", b"2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n")),
        (
            "chunked and length",
            encoded("Transfer-Encoding: chunked\r\nContent-Length: 9", b"4\r\nbody\r\n0\r\n\r\n"),
        ),
        ("chunked in a list", encoded("Transfer-Encoding: x, chunked", b"4\r\nbody\r\n0\r\n\r\n")),
        ("unknown coding", encoded("Transfer-Encoding: x\r\nContent-Length: 4", b"body")),
        ("chunk extension", encoded("Transfer-Encoding: chunked", b"4;a=b\r\nbody\r\n0\r\n\r\n")),
        ("padded chunk size", encoded("Transfer-Encoding: chunked", b" 0004 \r\nbody\r\n0\r\n\r\n")),
        ("chunks with line feeds", encoded("Transfer-Encoding: chunked", b"4\nbody\n0\n\n")),
        ("trailer", encoded("Transfer-Encoding: chunked", b"4\r\nbody\r\n0\r\nA: b\r\n\r\n")),
        ("missing chunk end", encoded("Transfer-Encoding: chunked", b"4\r\nbody")),
        ("broken second chunk", encoded("Transfer-Encoding: chunked", b"3\r\nbod\r\ny")),
        ("gzip", encoded("Content-Encoding: gzip", &gzipped)),
        ("gzip as deflate", encoded("Content-Encoding: deflate", &gzipped)),
        ("gzip twice", encoded("Content-Encoding: gzip, gzip", &gzip(&gzipped))),
        ("gzip with NUL", encoded("Content-\0Encoding: gzip", &gzipped)),
        ("gzip and folding", encoded("Content-Encoding:\r\n\tgzip", &gzipped)),
        (
            "interim before",
            [b"HTTP/1.1 100 Continue\r\n\r\n", &encoded("Content-Length: 4", b"body")[..]].concat(),
        ),
        ("no content but some", b"HTTP/1.1 204 ok\r\nContent-Length: 4\r\n\r\nbody".to_vec()),
        ("no status line", b"body".to_vec()),
    ];
    for (name, response) in cases {
        let flow = exchange(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", &response);
        assert_eq!(field(&flow, 0, "file.data", ToClient), "body", "{name}");
        assert_eq!(flow.parser.created(), 1, "{name}");
        let files = &flow.transaction(0).meta().files;
        assert_eq!(files.iter().map(|file| file.size).collect::<Vec<_>>(), [4], "{name}");
    }
}

#[test]
fn anomalies_by_name() {
    let ok: &[u8] = b"HTTP/1.1 200 ok\r\nContent-Length: 0\r\n\r\n";
    let get: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    let cases: [(&[u8], &[u8], &str); 22] = [
        (b"GET / HTTP/1.1\r\n\r\n", ok, "MISSING_HOST_HEADER"),
        (b"GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", ok, "HOST_HEADER_AMBIGUOUS"),
        (b"GET http://a..b/ HTTP/1.1\r\nHost: b\r\n\r\n", ok, "REQUEST_URI_HOST_INVALID"),
        (b"GET / HTTP/1.1\r\nHost: a..b\r\n\r\n", ok, "REQUEST_HEADER_HOST_INVALID"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nabc\r\n\r\n", ok, "REQUEST_FIELD_MISSING_COLON"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\nA: c\r\n\r\n", ok, "REQUEST_HEADER_REPETITION"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n", ok, "REQUEST_HEADER_INVALID"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: x\r\n\r\n", ok, "REQUEST_AUTH_UNRECOGNIZED"),
        (b"GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", ok, "METHOD_DELIM_NON_COMPLIANT"),
        (b" GET / HTTP/1.1\r\nHost: h\r\n\r\n", ok, "REQUEST_LINE_LEADING_WHITESPACE"),
        (
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n",
            ok,
            "INVALID_CONTENT_LENGTH_FIELD_IN_REQUEST",
        ),
        (
            b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: x\r\n\r\n",
            ok,
            "INVALID_TRANSFER_ENCODING_VALUE_IN_REQUEST",
        ),
        (
            b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            ok,
            "INVALID_REQUEST_CHUNK_LEN",
        ),
        (get, b"HTTP/1.1 2OO ok\r\n\r\n", "RESPONSE_INVALID_STATUS"),
        (get, b"HTTP/7.1 200 ok\r\n\r\n", "RESPONSE_LINE_INVALID_PROTOCOL"),
        (
            get,
            b"HTTP/1.0 200 ok\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "RESPONSE_CHUNKED_OLD_PROTO",
        ),
        (get, b"HTTP/1.1 200 ok\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "INVALID_RESPONSE_CHUNK_LEN"),
        (get, b"HTTP/1.1 200 ok\r\nContent-Length: x\r\n\r\n", "INVALID_CONTENT_LENGTH_FIELD_IN_RESPONSE"),
        (get, b"HTTP/1.1 200 ok\r\nContent-Encoding: gzip, gzip, gzip\r\n\r\nx", "TOO_MANY_ENCODING_LAYERS"),
        (get, b"HTTP/1.1 200 ok\r\nContent-Length: 1\r\n\r\nxmore\r\n", "RESPONSE_BODY_UNEXPECTED"),
        (
            get,
            b"HTTP/1.1 200 ok\r\nContent-Type: multipart/byteranges\r\n\r\n",
            "RESPONSE_MULTIPART_BYTERANGES",
        ),
        (b"", ok, "UNABLE_TO_MATCH_RESPONSE_TO_REQUEST"),
    ];
    for (request, response, expected) in cases {
        let flow = exchange(request, response);
        let found = flow.anomalies(0);
        assert!(found.contains(&expected), "{expected} in {found:?}");
    }
    assert_eq!(exchange(get, ok).anomalies(0), [""; 0]);
}

#[test]
fn pipelined_requests_get_their_answers() {
    let flow = exchange(
        b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcHEAD /3 HTTP/1.1\r\nHost: h\r\n\r\n",
        b"HTTP/1.1 200 ok\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 404 no\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n2\r\n0\r\n\r\n\
          HTTP/1.1 200 ok\r\nContent-Length: 7\r\n\r\n",
    );
    let seen: Vec<_> = (0..3)
        .map(|id| {
            let of = |name, direction| field(&flow, id, name, direction);
            [
                of("http.uri", ToServer),
                of("http.stat_code", ToClient),
                of("http.request_body", ToServer),
                of("file.data", ToClient),
            ]
        })
        .collect();
    assert_eq!(seen, [["/1", "200", "", "1"], ["/2", "404", "abc", "2"], ["/3", "200", "", ""]]);
    assert_eq!(flow.parser.created(), 3);
}

#[test]
fn a_response_without_request() {
    let flow = exchange(b"", b"HTTP/1.1 200 ok\r\nContent-Length: 2\r\n\r\nhi");
    assert_eq!(field(&flow, 0, "http.uri", ToServer), "/libhtp::request_uri_not_seen");
    assert_eq!(field(&flow, 0, "file.data", ToClient), "hi");
}

#[test]
fn version_0_9() {
    let flow = exchange(b"GET /x\r\n", b"<html>\r\nHTTP/1.1 is not used</html>");
    assert_eq!(field(&flow, 0, "file.data", ToClient), "<html>\r\nHTTP/1.1 is not used</html>");
    assert_eq!(field(&flow, 0, "http.uri", ToServer), "/x");
    assert_eq!(flow.parser.created(), 1);
}

#[test]
fn switches_to_other_protocols() {
    type Switch<'a> = Option<Option<&'a str>>;
    let cases: [(&[u8], &[u8], Switch<'_>); 5] = [
        (b"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", b"HTTP/1.1 200 ok\r\n\r\n", Some(None)),
        (b"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", b"HTTP/1.1 407 no\r\nContent-Length: 0\r\n\r\n", None),
        (
            b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n",
            b"HTTP/1.1 101 ok\r\nUpgrade: WebSocket\r\n\r\n",
            Some(Some("websocket")),
        ),
        (
            b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n",
            b"HTTP/1.1 101 ok\r\nUpgrade: h2c\r\n\r\n",
            Some(Some("http2")),
        ),
        (b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", b"HTTP/1.1 101 ok\r\nUpgrade: irc\r\n\r\n", None),
    ];
    for (request, response, expected) in cases {
        let flow = exchange(request, response);
        let found = flow.requests.iter().find_map(|request| match request {
            Request::Upgrade(protocol) => Some(*protocol),
            _ => None,
        });
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(response));
        assert_eq!(flow.parser.created(), 1);
    }
    let mut flow = open(&NoOptions);
    flow.push(ToServer, b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n");
    let response = b"HTTP/1.1 101 ok\r\nUpgrade: websocket\r\n\r\n";
    flow.push(ToClient, &[&response[..], b"\x81\x05hello"].concat());
    assert_eq!(
        flow.outcome,
        Outcome::Incomplete { consumed: response.len(), needed: 1 },
        "the rest is for the other protocol"
    );
}

#[test]
fn a_refused_connect_goes_on() {
    let mut flow = open(&NoOptions);
    flow.push(ToServer, b"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
    flow.push(ToClient, b"HTTP/1.1 407 no\r\nContent-Length: 0\r\n\r\n");
    flow.push(ToClient, b"HTTP/1.1 200 ok\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(field(&flow, 1, "http.uri", ToServer), "/2");
    assert_eq!(field(&flow, 1, "http.stat_code", ToClient), "200");
}

#[test]
fn uploads() {
    let form = b"--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nfirst\r\n\
        --B\r\nContent-Disposition: form-data; name=\"g\"; filename=\"b.txt\"\r\n\r\nsecond\r\n--B--\r\n";
    let request = |line: &str, kind: &str, body: &[u8]| {
        let head = format!(
            "{line} HTTP/1.1\r\nHost: h\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body].concat()
    };
    type Files<'a> = &'a [(&'a str, u64)];
    let cases: [(Vec<u8>, Files<'_>); 4] = [
        (request("POST /form", "multipart/form-data; boundary=B", form), &[("a.txt", 5), ("b.txt", 6)]),
        (request("POST /api", "application/json", b"{}"), &[("/api", 2)]),
        (request("PUT /file.bin", "application/x", b"abc"), &[("/file.bin", 3)]),
        (request("DELETE /file.bin", "application/x", b"abc"), &[]),
    ];
    for (request, expected) in cases {
        let flow = exchange(&request, b"");
        let files = &flow.transaction(0).meta().files;
        let found: Vec<_> =
            files.iter().map(|file| (std::str::from_utf8(&file.name).unwrap(), file.size)).collect();
        assert_eq!(found, expected);
        assert!(
            files
                .iter()
                .all(|file| file.state == weir_applayer::FileState::Closed && file.direction == ToServer)
        );
    }
}

#[test]
fn bodies_end_at_their_limit() {
    use weir_applayer::FileState::{Closed, Truncated};
    // A file is cut where bytes come behind the limit, not by the piece that crosses it.
    let cases: [(&[&[u8]], _); 4] = [
        (&[b"12345678"], Closed),
        (&[b"12345", b"678"], Truncated),
        (&[b"123456", b"78"], Truncated),
        (&[b"1234", b"5678"], Closed),
    ];
    for (pieces, state) in cases {
        let mut flow = open(&Settings(&[("libhtp.default-config.response-body-limit", "5")]));
        flow.push(ToServer, b"GET /f HTTP/1.1\r\nHost: h\r\n\r\n");
        flow.push(ToClient, b"HTTP/1.1 200 ok\r\nContent-Length: 8\r\n\r\n");
        for piece in pieces {
            flow.push(ToClient, piece);
        }
        let meta = flow.transaction(0).meta();
        assert_eq!((meta.files[0].size, meta.files[0].state), (5, state), "{pieces:?}");
        assert_eq!(field(&flow, 0, "file.data", ToClient), "12345");
    }
}

#[test]
fn limits_of_lines_and_fields() {
    let long = vec![b'a'; 20_000];
    let cases = [
        [b"GET /", &long[..]].concat(),
        [b"GET / HTTP/1.1\r\nHost: h\r\nA: ", &long[..]].concat(),
        [
            b"GET / HTTP/1.1\r\nHost: h\r\n".to_vec(),
            (0..2000).flat_map(|n| format!("h{n}: x\r\n").into_bytes()).collect(),
        ]
        .concat(),
    ];
    for request in cases {
        let mut flow = open(&NoOptions);
        flow.push(ToServer, &request);
        assert_eq!(flow.outcome, Outcome::Error);
    }
}

#[test]
fn gaps_in_bodies_are_skipped() {
    let mut flow = open(&NoOptions);
    flow.push(ToServer, b"GET /f HTTP/1.1\r\nHost: h\r\n\r\nGET /g HTTP/1.1\r\nHost: h\r\n\r\n");
    flow.push(ToClient, b"HTTP/1.1 200 ok\r\nContent-Length: 10\r\n\r\n12");
    flow.gap(ToClient, 5);
    flow.push(ToClient, b"890HTTP/1.1 404 no\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(field(&flow, 0, "file.data", ToClient), "12890");
    assert_eq!(field(&flow, 1, "http.stat_code", ToClient), "404");
    let file = &flow.transaction(0).meta().files[0];
    assert_eq!((file.has_gap, file.state), (true, weir_applayer::FileState::Truncated));
}

#[test]
fn gaps_that_no_message_passes() {
    let post = |head: &str, body: &str| format!("POST / HTTP/1.1\r\nHost: h\r\n{head}\r\n\r\n{body}");
    let answer = |head: &str, body: &str| format!("HTTP/1.1 200 ok\r\n{head}\r\n\r\n{body}");
    let (ten, chunked) = ("Content-Length: 10", "Transfer-Encoding: chunked");
    let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n".to_owned();
    // What the client and the server say, who misses how many bytes, and whether that is told of.
    let cases = [
        (post(ten, "12"), String::new(), ToServer, 7, false),
        (post(ten, "12"), String::new(), ToServer, 8, true),
        (post(ten, "12"), String::new(), ToServer, 90, true),
        (post(chunked, "a\r\n12"), String::new(), ToServer, 3, true),
        ("GET / HTTP/1.1\r\nHos".to_owned(), String::new(), ToServer, 3, true),
        (get.clone(), answer(ten, "12"), ToClient, 7, false),
        (get.clone(), answer(ten, "12"), ToClient, 8, true),
        (get.clone(), answer(ten, "1234567890"), ToClient, 8, true),
        (get.clone(), answer(chunked, "a\r\n12"), ToClient, 3, true),
        (get.clone(), answer("Server: x", "12"), ToClient, 3, false),
        (get, String::new(), ToClient, 3, true),
    ];
    for (client, server, direction, length, told) in cases {
        let mut flow = open(&NoOptions);
        flow.push(ToServer, client.as_bytes());
        if !server.is_empty() {
            flow.push(ToClient, server.as_bytes());
        }
        flow.gap(direction, length);
        assert_eq!(flow.anomalies(0).contains(&"INVALID_GAP"), told, "{client:?} {server:?} {length}");
    }
}

#[test]
fn a_bomb_is_let_go() {
    let bomb = gzip(&gzip(&vec![0; 32 << 20]));
    let mut response =
        format!("HTTP/1.1 200 ok\r\nContent-Encoding: gzip, gzip\r\nContent-Length: {}\r\n\r\n", bomb.len())
            .into_bytes();
    response.extend_from_slice(&bomb);
    let flow = exchange(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", &response);
    assert!(flow.anomalies(0).contains(&"COMPRESSION_BOMB"));
    assert_eq!(flow.outcome, Outcome::Ok);
}

/// Conversations whose reading must not depend on how they are cut.
fn conversations() -> Vec<(Vec<u8>, Vec<u8>)> {
    let gzipped = gzip(b"some text that is compressed, some text that is compressed");
    let compressed =
        format!("HTTP/1.1 200 ok\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", gzipped.len());
    vec![
        (GET.to_vec(), b"HTTP/1.1 200 ok\r\nA: b\r\n c\r\nContent-Length: 4\r\n\r\nbody".to_vec()),
        (GET.to_vec(), [compressed.as_bytes(), &gzipped].concat()),
        (
            b"POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n3\nabc\n0\nT: x\n\n".to_vec(),
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 ok\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\n\r\n".to_vec(),
        ),
        (
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=BB\r\nContent-Length: 95\r\n\r\n\
              --BB\r\nContent-Disposition: form-data; name=f; filename=\"x.bin\"\r\n\r\ncontent\r\n--B no\r\n--BB--\r\n"
                .to_vec(),
            b"HTTP/1.0 302 Found\rLocation: /x\rContent-Length: 2\r\r\nok".to_vec(),
        ),
        (
            [GET, GET].concat(),
            b"HTTP/1.1 304 no\r\n\r\nHTTP/1.1 200 ok\r\nTransfer-Encoding: chunked\r\n\r\nnot chunked at all".to_vec(),
        ),
    ]
}

#[test]
fn any_segmentation_gives_the_same() {
    for as_zeek in [false, true] {
        for (request, response) in conversations() {
            let open = || {
                let mut conversation = open(&NoOptions);
                conversation.as_zeek = as_zeek;
                conversation
            };
            same_in_any_pieces(open, &[(ToServer, request), (ToClient, response)]);
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(as_zeek in any::<bool>(), pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 1..80)), 0..20)) {
        let mut flow = open(&NoOptions);
        flow.as_zeek = as_zeek;
        for (from_client, bytes) in pieces {
            flow.push(if from_client { ToServer } else { ToClient }, &bytes);
        }
        flow.close();
        prop_assert!(flow.summary().len() > 2);
    }
}

#[test]
fn rows_of_the_http_log() {
    let mut flow = exchange(
        b"POST /a%20b HTTP/1.1\r\nHost: h:80\r\nVia: p\r\nAuthorization: Basic dTpw\r\nContent-Length: 2\r\n\r\nhi\
          GET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nContent-Disposition: x; filename=f\r\nContent-Length: 19\r\n\r\n<html><body></html>",
    );
    assert_eq!(
        flow.zeek().lines,
        [
            "service http",
            "http 1: trans_depth=1 method=POST host=h:80 uri=/a b version=1.0 request_body_len=2 \
             response_body_len=19 status_code=200 status_msg=OK info_code=100 info_msg=Continue tags= username=u \
             proxied=VIA -> p orig_fuids=F0 resp_fuids=F1 resp_filenames=f resp_mime_types=text/html",
            "http 1: trans_depth=2 method=GET host=h uri=/2 request_body_len=0 response_body_len=0 tags=",
        ]
    );
}

#[test]
fn zeek_of_requests() {
    let answer = "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n";
    for (requests, expected) in [
        (&["GET / HTTP/1.0\r\n\r\n"][..], &[][..]),
        (&["GET HTTP/1.0\r\n\r\n"], &["missing_HTTP_uri"]),
        (&["BREW / HTTP/1.0\r\n\r\n"], &["unknown_HTTP_method: BREW"]),
        (&["GET / HTTP/1.0\r\n\r\n", "GET /2 HTTP/1.0\r\n\r\n"], &["unexpected_multiple_HTTP_requests"]),
        (&["GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /2 HTTP/1.0\r\n\r\n"], &[]),
        (&["GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"], &[]),
    ] {
        let mut conversation = Conversation::new(&HTTP1, &Settings(&[]));
        conversation.as_zeek = true;
        for request in requests {
            conversation.talk(&[(ToServer, *request), (ToClient, answer)]);
        }
        assert_eq!(conversation.zeek().of("weird"), expected, "{requests:?}");
    }
}

#[test]
fn zeek_of_what_begins_at_ports_of_http() {
    let hello = b"\x16\x03\x01\0\x07\x01\0\0\x03\x0d\x0a\x0d\x01";
    for (payloads, expected) in [
        (&[(true, &b"GET / HTTP/1.1\r\n\r\n\rbody"[..])][..], &[][..]),
        (&[(true, b"GET / HTTP/1.1\r\nA: \rb\r\n\r\n")], &["line_terminated_with_single_CR"]),
        (&[(true, hello)], &["line_terminated_with_single_CR", "bad_HTTP_request"]),
        (&[(true, b"\x16no line"), (true, b"\x01 HTTP/1.1\n")], &["bad_HTTP_request_with_version"]),
        // A line counts from where it began.
        (
            &[(true, b"\x04\0"), (false, b"\0Z"), (true, b"GET / HTTP/1.1\r\n\r\n")],
            &["bad_HTTP_request_with_version"],
        ),
        (&[(true, b"{"), (true, b"GET / HTTP/1.1\n")], &["bad_HTTP_request"]),
        (&[(true, b"\x04"), (true, b"GET /\n")], &["bad_HTTP_request"]),
        (&[(true, b"\x04"), (true, b"GET"), (true, b" / HTTP/1.1\n")], &["bad_HTTP_request_with_version"]),
        (&[(true, b"GE"), (true, b"T / HTTP/1.1\n")], &[]),
        (&[(true, b"GET /"), (true, b" HTTP/1.1\n")], &[]),
        (&[(true, b"GET / HT"), (true, b"TP/1.1\n")], &[]),
        (&[(true, b"\r\n"), (true, b"GET / HTTP/1.1\n")], &[]),
        (&[(false, b"SSH-2.0-a\r\n"), (true, b"SSH-2.0-b\r\n")], &[]),
    ] {
        assert_eq!(watched(&WATCH, 80, payloads), expected, "{payloads:?}");
    }
}

#[test]
fn zeek_of_returns_that_stand_alone() {
    let get = "GET /2 HTTP/1.1\r\n\r\n";
    let ok = "HTTP/1.1 200 OK\rContent-Length: 1\r\rz";
    type Case<'a> = (&'a [(Direction, &'a str)], &'a [&'a str]);
    // Method, target, host and length of requests, status and length of answers.
    let cases: [Case<'_>; 8] = [
        (&[(ToServer, "GET /1 HTTP/1.1\rHost: h\r\r"), (ToClient, ok)], &["GET /1 h 0 200 1"]),
        (
            &[
                (ToServer, "GET /1 HTTP/1.1\r\nHost: h\rA: b\r\n\r"),
                (ToServer, get),
                (ToClient, ok),
                (ToClient, ok),
            ],
            &["GET /1 h 0 200 1", "GET /2 - 0 200 1"],
        ),
        (
            &[
                (ToServer, "POST /1 HTTP/1.1\nTransfer-Encoding: chunked\n\r3\rabc\r0\rA: b\r\r"),
                (ToServer, get),
                (ToClient, "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\r2\rzz\r1\ry\r0\r\r"),
                (ToClient, ok),
            ],
            &["POST /1 - 3 200 3", "GET /2 - 0 200 1"],
        ),
        // One that follows a line feed ends an empty line.
        (&[(ToServer, get), (ToClient, "HTTP/1.1 200 OK\nContent-Length: 2\n\rzz")], &["GET /2 - 0 200 2"]),
        (&[(ToServer, "\r\rGET /1 HTTP/1.1\r\r\r"), (ToServer, get)], &["GET /1 - 0 - 0", "GET /2 - 0 - 0"]),
        (
            &[(ToServer, "GET /1 HTTP/1.1\rA: b\r c: d\r\r\n"), (ToServer, get)],
            &["GET /1 - 0 - 0", "GET /2 - 0 - 0"],
        ),
        // A version ends the target behind what no target holds.
        (
            &[(ToServer, "PUT a<b&HTTP/1-\rno field\r\r1.2 \x01HTTP/\x02\r\r")],
            &["PUT a<b& - 0 - 0", "1.2 \x01 - 0 - 0"],
        ),
        // A method that begins as CONNECT does opens a tunnel.
        (
            &[
                (ToServer, "CONN a<HTTP/1-\r\rPUT /1 HTTP/1.0\r\n"),
                (ToClient, "HTTP/5.?2 200 \r\r"),
                (ToClient, "more\r\n"),
            ],
            &["CONN a< - 0 200 0", "PUT /1 - 0 - 0"],
        ),
    ];
    for (said, expected) in cases {
        let open = || {
            let mut conversation = open(&NoOptions);
            conversation.as_zeek = true;
            conversation
        };
        let mut conversation = same_in_any_pieces(open, said);
        conversation.close();
        let rows = conversation.zeek().of("http");
        let columns = ["method", "uri", "host", "request_body_len", "status_code", "response_body_len"];
        let found: Vec<String> =
            rows.iter().map(|row| columns.map(|name| column(row, name)).join(" ")).collect();
        assert_eq!(found, expected, "{said:?}");
    }
}

/// A column of a row; a hyphen where it is unset.
fn column<'a>(row: &'a str, name: &str) -> &'a str {
    let value = |word: &'a str| word.strip_prefix(name)?.strip_prefix('=');
    row.split(' ').find_map(value).unwrap_or("-")
}

#[test]
fn zeek_of_what_is_no_request() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    for (line, expected) in [
        ("T / HTTP\r\n", &["HTTP_version_mismatch", "bad_HTTP_request"][..]),
        ("{\"no\": 1}\r\n", &["bad_HTTP_request"]),
    ] {
        let mut conversation = Conversation::new(&HTTP1, &Settings(&[]));
        conversation.as_zeek = true;
        conversation.talk(&[(ToServer, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"), (ToClient, answer)]);
        conversation.push(ToServer, line.as_bytes());
        conversation.close();
        assert_eq!(conversation.zeek().of("weird"), expected, "{line}");
    }
}

#[test]
fn zeek_of_exchanges_out_of_step() {
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let many = "GET / HTTP/1.1\r\n\r\n".repeat(103);
    type Case<'a> = (&'a [(Direction, &'a str)], &'a [&'a str]);
    let cases: [Case<'_>; 12] = [
        (&[(ToClient, ok), (ToServer, "GET / HTTP/1.1\r\n\r\n")], &["HTTP_response_before_request"]),
        (&[(ToServer, "GET / HTTP/1.1\r\n\r\n"), (ToClient, ok)], &[]),
        (&[(ToServer, &many)], &["HTTP_excessive_pipelining"]),
        (
            &[
                (ToServer, "GET / HTTP/1.1\r\n\r\n\r\n"),
                (ToClient, ok),
                (ToServer, "\r\nGET / HTTP/1.1\r\n\r\n"),
            ],
            &["bad_HTTP_request", "empty_http_request"],
        ),
        (&[(ToServer, "POST /a\r\n")], &["invalid_http_09_request_method: POST"]),
        (&[(ToServer, "GET / http/1.1\r\n\r\n")], &["lowercase_HTTP_keyword"]),
        (
            &[
                (ToServer, "GET / HTTP/1.1\r\n\r\n"),
                (ToClient, "HTTP/1.1 206 A\r\nContent-Range: bytes 0-3/9\r\nContent-Length: 2\r\n\r\nabcd"),
            ],
            &["HTTP_range_not_matching_len"],
        ),
        (
            &[
                (ToServer, "GET / HTTP/1.1\r\n\r\n"),
                (ToClient, "HTTP/1.1 206 A\r\nContent-Range: lines 0-3/9\r\n\r\n"),
            ],
            &["HTTP_content_range_unknown_byte_unit"],
        ),
        (
            &[(
                ToServer,
                "POST / HTTP/1.1\r\nContent-Type: multipart/mixed; boundary=x\r\n\
                 Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            )],
            &["HTTP_chunked_transfer_for_multipart_message"],
        ),
        (
            &[
                (ToClient, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
                (ToServer, "GET /\r\n\r\n"),
                (ToClient, "more than that\r\n"),
            ],
            &["http_09_reply_before_request", "HTTP_response_before_request", "HTTP_version_mismatch"],
        ),
        (
            &[
                (ToServer, "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n"),
                (ToClient, "HTTP/1.1 200 OK\r\nServer: x\r\n"),
                (ToServer, "ab"),
                (ToClient, "Content-Length: 1\r\n\r\nz"),
            ],
            &["missing_HTTP_entity"],
        ),
        // Behind an interim answer another one begins.
        (
            &[
                (ToServer, "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
                (ToClient, "HTTP/1.1 100 Continue\r\n\r\n"),
                (ToServer, "ab"),
                (ToClient, "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 1\r\n\r\nz"),
            ],
            &[],
        ),
    ];
    for (said, expected) in cases {
        let mut conversation = Conversation::new(&HTTP1, &Settings(&[]));
        conversation.as_zeek = true;
        for (direction, text) in said {
            conversation.push(*direction, text.as_bytes());
        }
        conversation.close();
        assert_eq!(conversation.zeek().of("weird"), expected, "{said:?}");
    }
}
