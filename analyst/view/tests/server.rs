//! The server: who may ask, what is answered, and what is not.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{HOSTILE, Running, write_hostile, write_records};
use serde_json::{Value, json};
use weir_view::Limits;

fn shown() -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let capture = write_records(folder.path());
    let records: Vec<PathBuf> =
        ["eve.json", "conn.log", "http.log"].iter().map(|name| folder.path().join(name)).collect();
    let running = Running::start(&records, &[capture], Limits::default());
    (folder, running)
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(
            |byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            },
        )
        .collect()
}

#[test]
fn only_who_has_the_secret_may_ask() {
    let (_folder, running) = shown();
    let (host, cookie) = (running.host.clone(), running.cookie.clone());
    let port = host.split_once(':').unwrap().1;
    let secret = cookie.split_once('=').unwrap().1;
    let wrong = "0".repeat(secret.len());
    let with_cookie = |method: &str, path: &str, host: &str| {
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")
    };
    let cases = [
        (with_cookie("GET", "/", &host), 200),
        (with_cookie("GET", "/", &format!("localhost:{port}")), 200),
        (with_cookie("GET", "/api/about", &host), 200),
        (with_cookie("GET", "/nowhere", &host), 404),
        (with_cookie("POST", "/api/about", &host), 405),
        (with_cookie("HEAD", "/", &host), 405),
        (with_cookie("OPTIONS", "/api/about", &host), 405),
        (with_cookie("DELETE", "/", &host), 405),
        (with_cookie("GET", "/", "evil.example"), 421),
        (with_cookie("GET", "/api/about", &format!("evil.example:{port}")), 421),
        (with_cookie("GET", "/", &format!("127.0.0.1.evil.example:{port}")), 421),
        (format!("GET / HTTP/1.0\r\nCookie: {cookie}\r\n\r\n"), 421),
        (format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 403),
        (format!("GET /style.css HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 403),
        (format!("GET /api/about HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 403),
        (format!("GET /?token={wrong} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 403),
        (format!("GET /?token= HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 403),
        (
            format!(
                "GET / HTTP/1.1\r\nHost: {host}\r\nCookie: weir_view_{port}={wrong}\r\nConnection: close\r\n\r\n"
            ),
            403,
        ),
        (format!("GET /?token={secret} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"), 303),
        (format!("GET /?token={secret} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), 421),
    ];
    for (request, expected) in cases {
        let (status, head, _) = running.send(&request);
        assert_eq!(status, expected, "{request}");
        // Whatever the answer is, browsers do nothing with it that pages do not need.
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(head.contains(header), "{request}: {header}: {head}");
        }
        assert!(!head.contains("access-control-"), "{request}");
        let sets = head.contains("set-cookie:");
        assert_eq!(sets, expected == 303, "{request}");
        assert!(!sets || head.contains("httponly; samesite=strict"), "{head}");
    }
}

#[test]
fn overview() {
    let (_folder, running) = shown();
    let about = running.json("/api/about");
    let tables: Vec<&str> =
        about["tables"].as_array().unwrap().iter().map(|table| table["table"].as_str().unwrap()).collect();
    assert_eq!(tables, ["alert", "dns", "flow", "http", "stats", "conn", "http"]);
    let traffic = running.json("/api/traffic");
    assert_eq!((&traffic["table"], &traffic["time"]), (&json!("eve.flow"), &json!("flow.start")));
    let series = traffic["series"].as_array().unwrap();
    let sums: Vec<(&str, i64)> = series
        .iter()
        .map(|line| {
            (
                line["name"].as_str().unwrap(),
                line["bytes"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).sum(),
            )
        })
        .collect();
    assert_eq!(sums, [("dns", 70), ("http", 180)]);
    let talkers = running.json("/api/talkers");
    assert_eq!(
        talkers["pairs"][0],
        json!({"one": "10.0.0.1", "other": "10.0.0.2", "connections": 1, "bytes": 180})
    );
    let lost = running.json("/api/lost");
    let known: Vec<(&str, &Value)> = lost
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| (loss["name"].as_str().unwrap(), &loss["value"]))
        .collect();
    assert_eq!(known[0], ("Packets the kernel dropped", &json!(3)));
    assert_eq!(known[1].1, &Value::Null);
    assert_eq!(known[6], ("Bytes missing in connections", &json!(9)));
}

#[test]
fn alerts_by_rule_and_one_with_its_bytes() {
    let (_folder, running) = shown();
    let alerts = running.json("/api/alerts");
    let groups: Vec<(i64, i64)> = alerts["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["sid"].as_i64().unwrap(), group["alerts"].as_i64().unwrap()))
        .collect();
    // The gravest first.
    assert_eq!(groups, [(7, 1), (8, 2)]);
    assert_eq!(alerts["groups"][1]["sources"], 2);
    let record = running.json("/api/record?table=eve.alert&time=1714557601300000&flow=1002&sid=7");
    assert_eq!(record["payloads"][0]["bytes"], "R0VUIC94");
    let marks: Vec<(i64, i64)> = record["payloads"][0]["marks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| (mark["start"].as_i64().unwrap(), mark["end"].as_i64().unwrap()))
        .collect();
    assert_eq!(marks, [(0, 3), (4, 6)]);
    assert!(record["explain"].as_str().unwrap().starts_with("weir explain sid:7 "));
    assert_eq!(running.get("/api/record?table=eve.alert&time=1&flow=1002").0, 404);
}

#[test]
fn a_connection_by_each_of_its_ids() {
    let (_folder, running) = shown();
    let community = running.json("/api/connection?id=1002")["community_id"].as_str().unwrap().to_owned();
    assert!(community.starts_with("1:"), "{community}");
    for id in ["1002", "Cabc", &community] {
        let found = running.json(&format!("/api/connection?id={}&time=1714557601300000", encoded(id)));
        assert_eq!(found["flow_ids"], json!(["1002"]), "{id}");
        // That of the same ends some days later is another one.
        assert_eq!(found["uids"], json!(["Cabc"]), "{id}");
        let rows: Vec<&str> =
            found["rows"].as_array().unwrap().iter().map(|row| row["table"].as_str().unwrap()).collect();
        let expected =
            ["zeek.conn", "zeek.http", "eve.alert", "eve.http", "eve.alert", "eve.alert", "eve.flow"];
        assert_eq!(rows, expected, "{id}");
        assert_eq!(found["ends"]["client"], "10.0.0.1", "{id}");
        assert_eq!(found["ends"]["server_port"], 80, "{id}");
    }
    assert_eq!(running.get("/api/connection?id=77").0, 404);
    assert_eq!(running.get("/api/connection?id=").0, 400);
}

#[test]
fn packets_of_a_connection() {
    let (_folder, running) = shown();
    let ends = "client=10.0.0.1&client_port=1000&server=10.0.0.2&server_port=80&protocol=tcp";
    let said = running.json(&format!("/api/stream?{ends}"));
    let pieces: Vec<(bool, &str)> = said["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| (piece["from_client"].as_bool().unwrap(), piece["bytes"].as_str().unwrap()))
        .collect();
    assert_eq!(pieces, [(true, "R0VUIC94"), (false, "aGVsbG8=")]);
    let (status, head, body) = running.get(&format!("/api/packets?{ends}"));
    assert_eq!(status, 200);
    assert!(head.contains("attachment; filename=\"connection.pcapng\""), "{head}");
    assert!(body.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]));
    let has = |text: &[u8]| body.windows(text.len()).any(|window| window == text);
    assert_eq!((has(b"GET /x"), has(b"hello"), has(b"other")), (true, true, false));
    assert_eq!(running.get("/api/packets?client=x&server=10.0.0.2&protocol=tcp").0, 400);
}

#[test]
fn searches() {
    let (_folder, running) = shown();
    let cases = [
        ("", "", 11),
        ("evil.example", "", 3),
        ("src_ip:10.0.0.0/8 and dest_port:80", "", 4),
        ("http.hostname:*EVIL*", "", 1),
        ("dns.queries:*evil.example*", "", 1),
        ("id.orig_h:10.0.0.1", "zeek.conn", 2),
        ("not src_ip:10.0.0.1", "eve.alert", 1),
        ("timestamp>=2024-05-01T10:00:05Z", "", 3),
        ("nowhere:1", "", 0),
    ];
    for (search, table, expected) in cases {
        let found = running.json(&format!("/api/search?q={}&table={table}", encoded(search)));
        let rows = found["rows"].as_array().unwrap();
        assert_eq!(rows.len(), expected, "{search}: {found}");
        let times: Vec<i64> = rows.iter().map(|row| row["time"].as_i64().unwrap()).collect();
        assert!(times.is_sorted_by(|one, other| one >= other), "{search}: {times:?}");
    }
    // Pages hold each record once.
    let mut seen = Vec::new();
    for offset in (0..12).step_by(4) {
        let page = running.json(&format!("/api/search?limit=4&offset={offset}"));
        assert_eq!(page["more"].as_bool(), Some(offset < 8));
        seen.extend(page["rows"].as_array().unwrap().iter().map(ToString::to_string));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 11);
    let span = running.json("/api/search?from=1714557605000000&to=1714557605000001");
    assert_eq!(span["rows"].as_array().unwrap().len(), 2);
    let facets = running.json("/api/facets?q=src_ip:10.0.0.1&field=dest_port");
    let counts = |name: &str| {
        let of =
            |count: &Value| (count["name"].as_str().unwrap().to_owned(), count["records"].as_i64().unwrap());
        facets[name].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(counts("values"), [("80".to_owned(), 4), ("53".to_owned(), 2)]);
    assert_eq!(
        counts("tables"),
        [("alert", 2), ("dns", 1), ("flow", 2), ("http", 1)].map(|(n, c)| (format!("eve.{n}"), c))
    );
}

#[test]
fn exports() {
    let (_folder, running) = shown();
    let (status, head, body) = running.get("/api/export?form=csv&table=zeek.conn&q=uid:Cabc");
    assert_eq!((status, String::from_utf8_lossy(&body).lines().count()), (200, 2));
    assert!(head.contains("text/csv"));
    let (_, _, body) = running.get("/api/export?form=json");
    assert_eq!(String::from_utf8_lossy(&body).lines().count(), 11);
    let (_, _, body) = running.get("/api/export?form=parquet&table=eve.alert");
    assert!(body.starts_with(b"PAR1") && body.ends_with(b"PAR1"));
    assert_eq!(running.get("/api/export?form=csv").0, 400);
    assert_eq!(running.get("/api/export?form=exe&table=eve.alert").0, 400);
}

/// Whatever stands in an address, there is an answer, and it is no markup.
#[test]
fn hostile_questions() {
    let (_folder, running) = shown();
    let long = "x".repeat(20_000);
    let texts = [
        HOSTILE,
        "'; drop table alert; --",
        "1 or 1=1",
        "../../etc/passwd",
        "%00",
        "((((",
        long.as_str(),
        "\u{feff}",
        "9".repeat(40).leak(),
    ];
    for text in texts {
        let text = encoded(text);
        for path in [
            format!("/api/search?q={text}"),
            format!("/api/search?table={text}"),
            format!("/api/search?offset={text}"),
            format!("/api/facets?field={text}"),
            format!("/api/connection?id={text}"),
            format!("/api/record?table={text}&flow={text}"),
            format!("/api/record?table=eve.alert&flow={text}"),
            format!("/api/record?table=eve.alert&sid={text}"),
            format!("/api/export?form=json&q={text}"),
            format!("/api/traffic?from={text}"),
            format!("/api/stream?client={text}&server=10.0.0.1&protocol=tcp"),
            format!("/{text}"),
        ] {
            let (status, head, _) = running.get(&path);
            assert!((200..500).contains(&status), "{path}: {status}");
            assert!(!head.contains("text/html"), "{path}: {head}");
        }
    }
    for path in
        ["/api/search?offset=10001", "/api/search?offset=-1", "/api/search?limit=x", "/api/search?q=a:"]
    {
        assert_eq!(running.get(path).0, 400, "{path}");
    }
    let most = running.json("/api/search?limit=1000000");
    assert_eq!(most["rows"].as_array().unwrap().len(), 11);
}

#[test]
fn answers_end_where_their_bounds_are() {
    let folder = tempfile::tempdir().unwrap();
    write_hostile(folder.path(), HOSTILE, 100_000);
    let small = Limits { rows: 2, bytes: 3000, download: 1000, ..Limits::default() };
    let running = Running::start(&[folder.path().to_owned()], &[], small);
    let (_, _, body) = running.get("/api/search?limit=100");
    assert!(body.len() < 10_000, "{}", body.len());
    let page: Value = serde_json::from_slice(&body).unwrap();
    assert!(page["rows"].as_array().unwrap().len() <= 2);
    assert_eq!(page["more"], true);
    assert_eq!(running.get("/api/export?form=json").0, 400);
    assert_eq!(running.get("/api/packets?client=10.0.0.1&server=10.0.0.2&protocol=tcp").0, 404);
    drop(running);
    let hasty = Limits { time: Duration::from_nanos(1), ..Limits::default() };
    let running = Running::start(&[folder.path().to_owned()], &[], hasty);
    let (status, _, body) = running.get("/api/search?q=evil");
    assert_eq!(status, 503);
    assert!(String::from_utf8_lossy(&body).contains("was given up after"));
}

/// All numbers that a script could not hold come as texts.
#[test]
fn ids_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    write_hostile(folder.path(), HOSTILE, 100_000);
    let running = Running::start(&[folder.path().to_owned()], &[], Limits::default());
    let page = running.json("/api/search?table=eve.http");
    assert_eq!(page["rows"][0]["record"]["flow_id"], "9223372036854775807");
    assert_eq!(page["rows"][0]["record"]["http.hostname"], HOSTILE);
    let found = running.json("/api/connection?id=9223372036854775807");
    assert_eq!(found["rows"].as_array().unwrap().len(), 6);
}
