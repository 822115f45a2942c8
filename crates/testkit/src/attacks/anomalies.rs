//! Transactions with as many anomalies as are kept of one, each of which has a record and is looked at by rules.

use super::{Attack, connection};
use crate::wire::Wire;

/// Anomalies that are kept of a transaction; as many repeat it and one more.
const MOST: usize = 256;

/// Requests that wait on a connection; there may be 512.
const PIPELINE: u64 = 500;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "anomalies-http",
        what: "HTTP: requests and responses that repeat a header field: a record for each time",
        unit: "exchanges",
        size: 40,
        write: |wire, count| {
            connection(wire, 80, |connection, wire| {
                let fields = "a:\r\n".repeat(MOST);
                let request = format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
                let response = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{fields}\r\n");
                for _ in 0..count {
                    connection.client(wire, request.as_bytes());
                    connection.server(wire, response.as_bytes());
                }
            });
        },
    },
    Attack {
        name: "anomalies-http-open",
        what: "HTTP: the same requests without an answer, many on each connection: memory of what is kept",
        unit: "requests",
        size: 500,
        write: |wire, count| {
            let request = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "a:\r\n".repeat(MOST));
            for first in (0..count).step_by(PIPELINE as usize) {
                let mut connection = wire.connect((20_000 + (first / PIPELINE) as u16, 80));
                (0..PIPELINE.min(count - first)).for_each(|_| connection.client(wire, request.as_bytes()));
            }
        },
    },
    Attack {
        name: "anomalies-http-body",
        what: "HTTP: a request that repeats a header field, and a body of a byte in a packet: all anomalies for each",
        unit: "packets",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 80, |connection, wire| {
                let fields = "a:\r\n".repeat(MOST);
                let head = format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}Content-Length: {count}\r\n\r\n");
                connection.client(wire, head.as_bytes());
                (0..count).for_each(|_| connection.client(wire, b"a"));
            });
        },
    },
    Attack {
        name: "anomalies-http-parts",
        what: "HTTP: forms whose parts have nothing but header lines without a colon",
        unit: "lines",
        size: 20_000,
        write: |wire, count| forms(wire, count, "a\r\n", "--x\r\nContent-Disposition: form-data\r\n"),
    },
    Attack {
        name: "anomalies-http-empty",
        what: "HTTP: forms of files without content",
        unit: "parts",
        size: 4000,
        write: |wire, count| {
            forms(wire, count, "--x\r\nContent-Disposition: a; filename=a\r\n\r\n\r\n", "");
        },
    },
    Attack {
        name: "anomalies-smtp",
        what: "SMTP: commands ahead of the welcome, each of which says so, in one transaction",
        unit: "commands",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.client(wire, b"EHLO a\r\n");
                (0..count.div_ceil(200)).for_each(|_| connection.client(wire, &b"NOOP\r\n".repeat(200)));
            });
        },
    },
    Attack {
        name: "anomalies-smtp-senders",
        what: "SMTP: senders of one message, again and again, then of the next one",
        unit: "commands",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 25, |connection, wire| {
                connection.server(wire, b"220 ready\r\n");
                connection.client(wire, b"EHLO a\r\n");
                connection.server(wire, b"250 ok\r\n");
                for _ in 0..count.div_ceil(MOST as u64) {
                    connection.client(wire, &[&b"MAIL FROM:<a>\r\n".repeat(MOST)[..], b"RSET\r\n"].concat());
                    connection.server(wire, &b"250 ok\r\n".repeat(MOST + 1));
                }
            });
        },
    },
    Attack {
        name: "anomalies-nfs",
        what: "NFS: calls that make no sense beside one that is open: anomalies that belong to the last transaction",
        unit: "calls",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 2049, |connection, wire| {
                connection.client(wire, &call(3, &[&[0, 0, 0, 32][..], &[7; 32]].concat()));
                let nonsense = call(9, b"");
                for _ in 0..count.div_ceil(20) {
                    connection.client(wire, &nonsense.repeat(20));
                }
            });
        },
    },
];

/// Forms of so many parts, as many in each as there are anomalies kept.
fn forms(wire: &mut Wire<'_>, count: u64, part: &str, before: &str) {
    connection(wire, 80, |connection, wire| {
        for first in (0..count).step_by(MOST) {
            let parts = part.repeat((count - first).min(MOST as u64) as usize);
            let body = format!("{before}{parts}\r\n--x--\r\n");
            let of_type = "Content-Type: multipart/form-data; boundary=x";
            let length = body.len();
            let head = format!("POST / HTTP/1.1\r\nHost: a\r\n{of_type}\r\nContent-Length: {length}\r\n\r\n");
            connection.client(wire, (head + &body).as_bytes());
            connection.server(wire, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
}

/// A call of NFS's GETATTR in a version (RFC 5531 9, RFC 1813 3.3.1), as a fragment of its own.
fn call(version: u8, arguments: &[u8]) -> Vec<u8> {
    let head = [
        [0, 0, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 2],
        [0, 1, 0x86, 0xa3],
        [0, 0, 0, version],
        [0, 0, 0, 1],
        [0; 4],
        [0; 4],
        [0; 4],
        [0; 4],
    ];
    let message = [&head.concat()[..], arguments].concat();
    [&(message.len() as u32 | 0x8000_0000).to_be_bytes()[..], &message].concat()
}
