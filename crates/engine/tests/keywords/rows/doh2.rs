//! DNS over HTTP/2: keywords of both protocols on the connection made here, by all names that mean it.

use super::{Row, row};

/// The rows.
pub const ROWS: &[Row] = &[
    row(
        "dns.query",
        "doh2",
        "dns.query; content:\"weir.test\"; http.uri; content:\"/dns-query\";",
        "dns.query; content:\"weir.test\"; http.uri; content:\"/other\";",
        "tls.sni; content:\"weir.test\";",
    ),
    row(
        "dns.query",
        "dns any any -> 10.7.0.2 any",
        "dns.query; content:\"weir.test\";",
        "dns.query; content:\"other.test\";",
        "dns.query; content:\"weir.test\"; http.uri; content:\"/dns-query\";",
    ),
    row(
        "dns.answers.rrname",
        "dns 10.7.0.2 any -> any any",
        "dns.answers.rrname; content:\"weir.test\";",
        "dns.answers.rrname; content:\"other.test\";",
        "dns.answers.rrname:x;",
    ),
    row(
        "http.uri",
        "http any any -> 10.7.0.2 any",
        "http.uri; content:\"/dns-query\";",
        "http.uri; content:\"/other\";",
        "http.uri; content:\"/dns-query\"; dns.query; content:\"weir.test\";",
    ),
    row(
        "http2.frametype",
        "http2 any any -> 10.7.0.2 any",
        "http2.frametype:DATA;",
        "http2.frametype:PING;",
        "http2.frametype:DATUM;",
    ),
    row(
        "app-layer-protocol",
        "tcp any any -> 10.7.0.2 any",
        "app-layer-protocol:dns;",
        "app-layer-protocol:dns,exact;",
        "app-layer-protocol:dns; app-layer-protocol:http2;",
    ),
    row(
        "app-layer-protocol",
        "tcp any any -> 10.7.0.2 any",
        "app-layer-protocol:http2,original; app-layer-protocol:doh2,final,exact;",
        "app-layer-protocol:tls,final;",
        "app-layer-protocol:doh3;",
    ),
    row(
        "app-layer-event",
        "http2 any any -> 10.7.0.2 any",
        "app-layer-event:http2.dns_request_too_long;",
        "app-layer-event:http2.dns_response_too_long;",
        "app-layer-event:doh3.dns_request_too_long;",
    ),
];
