//! Captures that clients hand in at the control socket.

use std::path::Path;
use std::time::{Duration, Instant, UNIX_EPOCH};

use rustix::process::Signal;
use serde_json::{Value, json};
use weir_testkit::pcap;

use super::control::Client;
use super::namespaces::Listening;
use super::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// Alerts once for each client, as long as it is remembered.
const ONCE: &str = "alert tcp any any -> any any (msg:\"once\"; flow:to_server; \
                    threshold:type limit, track by_src, count 1, seconds 3600; sid:2;)\n";

/// Starts the program with these rules; it takes clients when this returns.
pub fn start(folder: &Folder, rules: &str, arguments: &[&str]) -> Listening {
    let rules = folder.write("test.rules", rules);
    let configuration = folder.write(
        "jobs.yaml",
        "%YAML 1.1\n---\nstats:\n  enabled: yes\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [alert, \
         http, flow]\n",
    );
    let (logs, socket) = (folder.path(""), format!("--unix-socket={}", socket(folder)));
    let logs = logs.to_string_lossy();
    let words = ["-v", "-l", &logs, "-c", &configuration, "-S", &rules, &socket];
    let mut started = Listening::start(&folder.path(""), &[&words, arguments].concat());
    started.logged("unix socket");
    started
}

fn socket(folder: &Folder) -> String {
    folder.path("control.socket").to_string_lossy().into_owned()
}

/// Makes a folder below that of the test.
fn below(folder: &Folder, name: &str) -> String {
    let path = folder.path(name);
    std::fs::create_dir_all(&path).expect("a folder");
    path.to_string_lossy().into_owned()
}

/// The records of a run's logs, sorted, without what tells one run from another.
fn records(logs: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(logs).join("eve.json")).unwrap_or_default();
    let mut records: Vec<String> = text
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).expect("a record is JSON");
            record.as_object_mut().expect("an object").remove("pcap_filename");
            record.to_string()
        })
        .collect();
    records.sort();
    records
}

/// Asks until the answer is as expected.
fn until(client: &mut Client, command: &str, expected: &Value) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while client.command(command, Value::Null).1 != *expected {
        assert!(Instant::now() < deadline, "{command} is not {expected}");
    }
}

/// Waits until nothing is read or waits.
fn until_idle(client: &mut Client) {
    until(client, "pcap-file-number", &json!(0));
    until(client, "pcap-current", &json!("None"));
}

fn done(message: &str) -> (String, Value) {
    ("OK".to_owned(), json!(message))
}

const ADDED: &str = "Successfully added file to list";

/// A folder that is read on keeps the program busy, so that others wait.
#[test]
fn captures_are_read_one_after_the_other() {
    let folder = Folder::new("jobs");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    let no_capture = folder.write("b.pcap", "no capture");
    let rules = format!("{WEB_RULE}{ONCE}");
    let alone = below(&folder, "alone");
    let rule_file = folder.write("test.rules", &rules);
    let mut run = start(&folder, &rules, &["-t", "2"]);
    let configuration = folder.path("jobs.yaml").to_string_lossy().into_owned();
    let own = ["-c", &configuration, "-S", &rule_file, "-r", &capture];
    assert_eq!(folder.command(&[&own[..], &["-l", &alone]].concat()).code, 0);
    let expected = records(&alone);
    assert!(expected.len() > 2, "{expected:?}");
    let mut client = Client::connect(&folder);
    for (command, answer) in [
        ("capture-mode", json!("UNIX_SOCKET")),
        ("pcap-current", json!("None")),
        ("pcap-file-number", json!(0)),
        ("pcap-file-list", json!({"count": 0, "files": []})),
        ("pcap-last-processed", json!(0)),
        ("pcap-interrupt", json!("Interrupted")),
    ] {
        assert_eq!(client.command(command, Value::Null), ("OK".to_owned(), answer), "{command}");
    }
    let (growing, grown) = (below(&folder, "growing"), below(&folder, "grown"));
    let follow = json!({"filename": growing, "output-dir": grown, "delay": 0, "poll-interval": 0});
    assert_eq!(client.command("pcap-file-continuous", follow), done(ADDED));
    until(&mut client, "pcap-current", &json!(growing));
    let logs = ["first", "second", "third"].map(|name| below(&folder, name));
    let files = [&capture, &no_capture, &capture];
    for (file, logs) in files.iter().zip(&logs) {
        let job = json!({"filename": file, "output-dir": logs, "tenant": 0});
        assert_eq!(client.command("pcap-file", job), done(ADDED));
    }
    assert_eq!(client.command("pcap-file-number", Value::Null).1, json!(3));
    assert_eq!(client.command("pcap-file-list", Value::Null).1, json!({"count": 3, "files": files}));
    // A file that comes while the folder is read.
    std::fs::copy(&capture, folder.path("whole")).expect("a copy");
    std::fs::rename(folder.path("whole"), folder.path("growing/c.pcap")).expect("it is moved");
    let changed = std::fs::metadata(folder.path("growing/c.pcap")).expect("a file").modified();
    let changed = changed.expect("a time").duration_since(UNIX_EPOCH).expect("a time").as_millis() as u64;
    until(&mut client, "pcap-last-processed", &json!(changed));
    let (word, counters) = client.command("dump-counters", Value::Null);
    assert_eq!((word.as_str(), &counters["decoder"]["pkts"]), ("OK", &json!(web_request().len())));
    assert_eq!(client.command("pcap-interrupt", Value::Null), done("Interrupted"));
    until_idle(&mut client);
    for logs in [&grown, &logs[0], &logs[2]] {
        assert_eq!(records(logs), expected, "{logs}");
    }
    assert_eq!(records(&logs[1]), Vec::<String>::new());
    run.logged(&format!("{no_capture} is"));
    assert_eq!(client.command("shutdown", Value::Null), done("Closing Suricata"));
    assert_eq!(run.ended().0, Some(0));
    assert!(!folder.path("control.socket").exists());
}

#[test]
fn jobs_that_cannot_be_done_are_refused() {
    let folder = Folder::new("jobs-refused");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    let run = start(&folder, WEB_RULE, &[]);
    let mut client = Client::connect(&folder);
    let logs = below(&folder, "logs");
    for (arguments, message) in [
        (json!({"output-dir": logs}), "filename is not a string"),
        (json!({"filename": 5, "output-dir": logs}), "filename is not a string"),
        (json!({"filename": "/none/a.pcap", "output-dir": logs}), "filename does not exist"),
        (json!({"filename": "/dev/null", "output-dir": logs}), "filename is neither a file nor a folder"),
        (json!({"filename": capture}), "output-dir param is mandatory"),
        (json!({"filename": capture, "output-dir": "/none"}), "output-dir does not exist"),
        (json!({"filename": capture, "output-dir": capture}), "output-dir does not exist"),
        (json!({"filename": capture, "output-dir": logs, "tenant": "1"}), "tenant is not an integer"),
        (json!({"filename": capture, "output-dir": logs, "tenant": 1}), "multi-tenant support not enabled"),
        (json!({"filename": capture, "output-dir": logs, "continuous": 1}), "continuous is not a boolean"),
        (json!({"filename": capture, "output-dir": logs, "delay": -1}), "delay is below zero"),
    ] {
        for command in ["pcap-file", "pcap-file-continuous"] {
            let said = client.command(command, arguments.clone());
            assert_eq!(said, ("NOK".to_owned(), json!(message)), "{arguments}");
        }
    }
    for command in ["iface-list", "iface-bypassed-stat"] {
        assert_eq!(client.command(command, Value::Null), ("NOK".to_owned(), json!("Unknown command")));
    }
    let counters = client.command("dump-counters", Value::Null);
    assert_eq!(counters, ("NOK".to_owned(), json!("stats not yet synchronized")));
    assert_eq!(client.command("pcap-file", Value::Null).0, "", "a client without arguments is let go");
    assert_eq!(run.end(Signal::TERM).0, Some(0));
}

/// A folder goes before its turn comes, one is gone on its turn, and the program goes on with other rules.
#[test]
fn the_program_outlives_what_goes_wrong() {
    let folder = Folder::new("jobs-wrong");
    let capture = folder.write("captures", "");
    std::fs::remove_file(&capture).expect("a file goes");
    let (captures, growing, gone) =
        (below(&folder, "captures"), below(&folder, "growing"), below(&folder, "gone"));
    let path = folder.path("captures/a.pcap");
    std::fs::write(&path, pcap(ETHERNET, &web_request())).expect("a capture");
    let run = start(&folder, "", &[]);
    let mut client = Client::connect(&folder);
    let logs = below(&folder, "logs");
    let follow = json!({"filename": growing, "output-dir": logs, "continuous": true, "delay": 0});
    assert_eq!(client.command("pcap-file", follow), done(ADDED));
    until(&mut client, "pcap-current", &json!(growing));
    let job = json!({"filename": captures, "output-dir": gone});
    assert_eq!(client.command("pcap-file", job), done(ADDED));
    std::fs::remove_dir(&gone).expect("the folder goes");
    let wrong = json!({"filename": growing, "output-dir": logs});
    assert_eq!(client.command("pcap-file", wrong), done(ADDED));
    assert_eq!(client.command("pcap-interrupt", Value::Null), done("Interrupted"));
    until_idle(&mut client);
    assert!(path.exists() && records(&logs).is_empty());
    // The run began without rules: the next job has those that are there now.
    folder.write("test.rules", WEB_RULE);
    assert_eq!(client.command("reload-rules", Value::Null), done("done"));
    let job = json!({"filename": captures, "output-dir": logs, "delete-when-done": true});
    assert_eq!(client.command("pcap-file", job), done(ADDED));
    until_idle(&mut client);
    assert!(!path.exists());
    let alerts = records(&logs).iter().filter(|record| record.contains("\"alert\":{")).count();
    assert_eq!(alerts, 1);
    // A second program leaves the socket to the first, and nobody reads by itself.
    let socket = format!("--unix-socket={}", socket(&folder));
    let second = folder.weir(&["--unix-socket=control.socket", "-r", "a.pcap"]);
    assert_eq!((second.code, second.stderr.contains("--unix-socket")), (1, true), "{}", second.stderr);
    let second = folder.weir(&[&socket]);
    assert_eq!(
        (second.code, second.stderr.contains("another program listens")),
        (1, true),
        "{}",
        second.stderr
    );
    assert_eq!(run.end(Signal::INT).0, Some(0));
}
