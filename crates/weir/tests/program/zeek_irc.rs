//! Files that are sent by IRC (DCC), in Zeek's logs.

use serde_json::Value;
use weir_base::Duration;
use weir_testkit::{Conversation, TimedFrame, capture_file, merged};

use crate::run::Folder;

/// Bytes of a file that is longer than streams are read for rules.
const LONG: usize = 1_500_000;

/// Bytes that are sent before they are acknowledged.
const WINDOW: usize = 50_000;

/// A client that offers a file, which is fetched so many seconds later from that address, at port 5555.
fn offer(address: &str, seconds: u64, file: &[u8]) -> Vec<TimedFrame> {
    let number =
        address.split('.').fold(0_u32, |sum, part| sum << 8 | part.parse::<u32>().unwrap_or_default());
    let control = Conversation::new("10.0.0.1:40000", "10.0.0.2:6667")
        .handshake()
        .client_sends("NICK bob\r\nJOIN #a\r\n")
        .client_sends(format!("PRIVMSG al :\x01DCC SEND f.txt {number} 5555 {}\x01\r\n", file.len()));
    let mut data = Conversation::new("10.0.0.2:50000", "10.0.0.1:5555")
        .at(control.time())
        .wait(Duration::from_secs(seconds))
        .handshake();
    for piece in file.chunks(WINDOW) {
        data = data.server_sends(piece).client_sends((piece.len() as u32).to_be_bytes());
    }
    let data = data.close();
    let control = control.wait(Duration::from_secs(seconds + 60)).client_sends("JOIN #b\r\n").close();
    merged([control.frames(), data.frames()])
}

#[test]
fn files_are_told_of() {
    let long = vec![b'a'; LONG];
    let row = |size: usize| vec![format!("DCC #a f.txt {size} text/plain true")];
    let file = |size: usize| vec![format!("IRC_DATA f.txt text/plain false {size}")];
    let cases = [
        ("short", offer("10.0.0.1", 10, b"hello world\n"), row(12), file(12)),
        ("long", offer("10.0.0.1", 10, &long), row(LONG), file(LONG)),
        ("minutes", offer("10.0.0.1", 240, b"hello world\n"), row(12), file(12)),
        ("too_late", offer("10.0.0.1", 600, b"hello world\n"), vec![], vec![]),
        ("elsewhere", offer("10.0.0.9", 10, b"hello world\n"), vec![], vec![]),
    ];
    for (name, frames, rows, files) in cases {
        for workers in ["1", "2"] {
            let folder = Folder::new(&format!("zeek_irc_{name}_{workers}"));
            let capture = folder.write("a.pcap", capture_file::pcap(1, &frames));
            let run = folder.weir(&["-r", &capture, "--zeek-logs=json", "-t", workers]);
            assert_eq!(run.code, 0, "{}", run.said());
            let lines = |log: &str| -> Vec<Value> {
                let text = std::fs::read_to_string(folder.path(log)).unwrap_or_default();
                text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
            };
            let text = |value: &Value| value.to_string().replace('"', "");
            let told = |row: &Value, columns: &[&str]| {
                columns.iter().map(|column| text(&row[*column])).collect::<Vec<_>>().join(" ")
            };
            let sent = lines("files.log");
            let found: Vec<String> = sent
                .iter()
                .map(|row| told(row, &["source", "filename", "mime_type", "is_orig", "seen_bytes"]))
                .collect();
            assert_eq!(found, files, "{name}");
            let all = lines("irc.log");
            assert_eq!(all.len(), 3 + rows.len(), "{name}");
            let found: Vec<String> = all
                .iter()
                .filter(|row| row["command"] == "DCC")
                .map(|row| {
                    let columns = ["command", "value", "dcc_file_name", "dcc_file_size", "dcc_mime_type"];
                    format!("{} {}", told(row, &columns), row["fuid"] == sent[0]["fuid"])
                })
                .collect();
            assert_eq!(found, rows, "{name}");
            let services: Vec<String> = lines("conn.log").iter().map(|row| text(&row["service"])).collect();
            let named = services.contains(&"irc-dcc-data".to_owned());
            assert_eq!(named, !files.is_empty(), "{name}: {services:?}");
        }
    }
}

/// What was announced may turn out to be something else, which rules know.
#[test]
fn what_is_no_file_is_told_of_once() {
    let control = Conversation::new("10.0.0.1:40000", "10.0.0.2:6667")
        .handshake()
        .client_sends("NICK bob\r\n")
        .client_sends("PRIVMSG al :\x01DCC SEND f.txt 167772161 80 9\x01\r\n");
    let web = Conversation::new("10.0.0.2:50000", "10.0.0.1:80")
        .at(control.time())
        .wait(Duration::from_secs(1))
        .handshake()
        .client_sends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .close();
    let folder = Folder::new("zeek_irc_http");
    let capture = folder.write("a.pcap", capture_file::pcap(1, &merged([control.frames(), web.frames()])));
    let run = folder.weir(&["-r", &capture, "--zeek-logs=json"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let rows = |log: &str| std::fs::read_to_string(folder.path(log)).unwrap_or_default().lines().count();
    assert_eq!((rows("http.log"), rows("files.log")), (1, 1));
}
