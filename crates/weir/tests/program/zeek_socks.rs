//! SOCKS in Zeek's logs, and what goes through it.

use serde_json::Value;
use weir_base::Duration;
use weir_testkit::{Conversation, TimedFrame, capture_file, merged};

use crate::run::Folder;

const OFFER: &[u8] = b"\x05\x01\x00";
const CHOICE: &[u8] = b"\x05\x00";
const REQUEST: &[u8] = b"\x05\x01\x00\x03\x09a.example\x00\x50";
const REPLY: &[u8] = b"\x05\x00\x00\x01\x0a\x00\x00\x03\x04\x00";
const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn client(port: u16) -> Conversation {
    Conversation::new(&format!("10.0.0.1:{port}"), "10.0.0.2:8124").handshake()
}

/// A connection through the proxy, on which nothing is said yet.
fn through(port: u16) -> Conversation {
    client(port).client_sends(OFFER).server_sends(CHOICE).client_sends(REQUEST).server_sends(REPLY)
}

/// Rows of logs, by columns, in the order of the logs.
fn rows(name: &str, frames: &[TimedFrame], options: &[&str]) -> (Folder, Vec<String>) {
    const COLUMNS: [(&str, &[&str]); 4] = [
        ("conn", &["service"]),
        ("socks", &["version", "status", "request.name", "request_p", "bound.host"]),
        ("http", &["host", "uri", "status_code"]),
        ("tunnel", &["id.orig_p", "id.resp_p", "tunnel_type", "action"]),
    ];
    let folder = Folder::new(name);
    let capture = folder.write("a.pcap", capture_file::pcap(1, frames));
    let run = folder.weir(&[&["-r", &capture, "--set", "outputs.eve-log.enabled=yes"], options].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    let mut rows = Vec::new();
    for (log, columns) in COLUMNS {
        let text = std::fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default();
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).expect("a row is JSON");
            let words = columns.iter().map(|column| row[*column].to_string().replace('"', ""));
            rows.push(format!("{log}: {}", words.collect::<Vec<_>>().join(" ")));
        }
    }
    (folder, rows)
}

#[test]
fn what_goes_through_is_read() {
    const SOCKS: &str = "socks: 5 succeeded a.example 80 10.0.0.3";
    const HTTP: &str = "http: a.example /a 200";
    const TUNNEL: &str = "tunnel: 0 8124 Tunnel::SOCKS Tunnel::DISCOVER";
    let exchange = through(40000).client_sends(GET).server_sends(OK).close();
    let cases: [(&str, Vec<TimedFrame>, &[&str]); 7] = [
        ("http", exchange.clone().frames(), &["conn: socks,http", SOCKS, HTTP, TUNNEL]),
        (
            "bytes",
            through(40000).segment_size(1).client_sends(GET).server_sends(OK).close().frames(),
            &["conn: socks,http", SOCKS, HTTP, TUNNEL],
        ),
        // Neither side waits for what the other one says.
        (
            "ahead",
            client(40000)
                .client_sends([OFFER, REQUEST, GET].concat())
                .server_sends([CHOICE, REPLY, OK].concat())
                .close()
                .frames(),
            &["conn: socks,http", SOCKS, HTTP, TUNNEL],
        ),
        (
            "server_first",
            through(40000)
                .server_sends("220 a.example ESMTP\r\n")
                .client_sends("EHLO b.example\r\n")
                .server_sends("250 well\r\n")
                .close()
                .frames(),
            &["conn: socks,smtp", SOCKS, TUNNEL],
        ),
        (
            "nothing_known",
            through(40000).client_sends("\x01\x02").server_sends("\x03").close().frames(),
            &["conn: socks", SOCKS, TUNNEL],
        ),
        // All connections to a proxy are one tunnel.
        (
            "twice",
            merged([exchange.clone().frames(), through(40001).wait(Duration::from_secs(1)).close().frames()]),
            &["conn: socks,http", "conn: socks", SOCKS, SOCKS, HTTP, TUNNEL],
        ),
        // Half of a handshake is none.
        ("half", client(40000).client_sends(OFFER).server_sends("no\r\n").close().frames(), &["conn: null"]),
    ];
    for (name, frames, expected) in cases {
        for workers in ["1", "2"] {
            let name = format!("zeek_socks_{name}_{workers}");
            let (_, mut found) = rows(&name, &frames, &["--zeek-logs=json", "-t", workers]);
            // Connections that end at once may have their rows in either order.
            found.sort_by_key(|row| expected.iter().position(|known| known == row));
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[test]
fn records_tell_of_it_where_they_are_asked_to() {
    let frames = through(40000).client_sends(GET).server_sends(OK).close().frames();
    const ON: &str = "app-layer.protocols.socks.enabled=yes";
    const OFF: &str = "app-layer.protocols.socks.enabled=no";
    for (name, options, protocol, is_told) in [
        ("zeek_socks_without", &[][..], "failed", false),
        ("zeek_socks_asked_for", &["--set", ON], "http", false),
        ("zeek_socks_beside", &["--zeek-logs=json"], "failed", true),
        ("zeek_socks_both", &["--zeek-logs=json", "--set", ON], "http", true),
        ("zeek_socks_off", &["--zeek-logs=json", "--set", OFF], "failed", false),
    ] {
        let (folder, rows) = rows(name, &frames, options);
        assert_eq!(folder.records("flow")[0]["app_proto"], protocol, "{name}");
        assert_eq!(folder.records("http").is_empty(), protocol == "failed", "{name}");
        assert_eq!(rows.iter().any(|row| row.starts_with("socks")), is_told, "{name}: {rows:?}");
    }
}
