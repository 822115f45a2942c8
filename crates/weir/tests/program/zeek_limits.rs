//! Rows of Zeek's logs that are too long: what is left of them, and what tells of it.

use std::fs;

use serde_json::Value;
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, pcap};

use crate::run::{ETHERNET, Folder};

/// A mail to so many.
fn mail(recipients: usize) -> Conversation {
    let talk = Conversation::new("10.0.0.1:4000", "10.0.0.2:25").handshake();
    let talk = talk.server_sends("220 hi\r\n").client_sends("HELO a\r\n").server_sends("250 ok\r\n");
    let talk = talk.client_sends("MAIL FROM:<a@a.org>\r\n").server_sends("250 ok\r\n");
    (0..recipients).fold(talk, |talk, number| {
        talk.client_sends(format!("RCPT TO:<{number}@a.org>\r\n")).server_sends("250 ok\r\n")
    })
}

fn rows(folder: &Folder, log: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

#[test]
fn long_containers_are_cut_and_told_of() {
    // Recipients, whether the connection ends; how many are logged, and how much is odd.
    for (recipients, ends, logged, odd) in
        [(100, true, 100, 0), (101, true, 100, 1), (150, false, 100, 1), (3, false, 3, 0)]
    {
        let folder = Folder::new("limits");
        let talk = if ends { mail(recipients).close() } else { mail(recipients) };
        let last = talk.time();
        let capture = folder.write("a.pcap", pcap(ETHERNET, &talk.frames()));
        let run = folder.weir(&["-r", &capture, "--zeek-logs=json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let mails = rows(&folder, "smtp");
        let found: Vec<usize> =
            mails.iter().filter_map(|row| row["rcptto"].as_array()).map(Vec::len).collect();
        assert_eq!(found, [logged], "{recipients}: {mails:?}");
        let oddities = rows(&folder, "weird");
        let told: Vec<_> = oddities.iter().map(|row| (&row["name"], &row["addl"])).collect();
        let expected = (&Value::from("log_container_field_truncated"), &Value::from("SMTP::LOG"));
        assert_eq!(told, vec![expected; odd], "{recipients}");
        let seconds = |time: weir_base::Timestamp| time.0 as f64 / 1e9;
        for row in oddities {
            let ts = row["ts"].as_f64().expect("a time");
            assert!((seconds(START)..=seconds(last) + 1.0).contains(&ts), "{row}");
        }
    }
}
