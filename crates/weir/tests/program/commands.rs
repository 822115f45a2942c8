//! All commands of the control socket: their arguments, the form of their answers, and what is said to wrong ones.

use std::collections::BTreeSet;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::control::{self, Client};
use super::handed_in;
use super::namespaces::{Cable, Listening};
use super::run::Folder;

/// Runs that have a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum In {
    All,
    Live,
    Jobs,
}

/// A command: its name, the runs that have it, its arguments (`name kind`, with `?` where it may be left out), and the
/// word and the form of the answer to one that is right where nothing was read yet.
type Row = (&'static str, In, &'static [&'static str], &'static str, &'static str);

const CAPTURE: &[&str] = &[
    "filename string",
    "output-dir string?",
    "tenant integer?",
    "continuous boolean?",
    "delete-when-done boolean?",
    "delay integer?",
    "poll-interval integer?",
];
const VALUE: &[&str] = &["setname string", "settype string", "datavalue string"];
const HANDLER: &[&str] = &["id integer", "htype string", "hargs integer?"];

const ROWS: &[Row] = &[
    ("command-list", In::All, &[], "OK", "object"),
    ("help", In::All, &[], "OK", "object"),
    ("version", In::All, &[], "OK", "string"),
    ("uptime", In::All, &[], "OK", "number"),
    ("running-mode", In::All, &[], "OK", "string"),
    ("capture-mode", In::All, &[], "OK", "string"),
    ("conf-get", In::All, &["variable string"], "NOK", "string"),
    ("dump-counters", In::Live, &[], "OK", "object"),
    ("dump-counters", In::Jobs, &[], "NOK", "string"),
    ("reload-rules", In::All, &[], "OK", "string"),
    ("ruleset-reload-rules", In::All, &[], "OK", "string"),
    ("ruleset-reload-nonblocking", In::All, &[], "OK", "string"),
    ("ruleset-reload-time", In::All, &[], "OK", "array"),
    ("ruleset-stats", In::All, &[], "OK", "array"),
    ("ruleset-failed-rules", In::All, &[], "OK", "array"),
    ("ruleset-profile", In::All, &[], "NOK", "string"),
    ("ruleset-profile-start", In::All, &[], "OK", "string"),
    ("ruleset-profile-stop", In::All, &[], "OK", "string"),
    ("top", In::Live, &[], "OK", "object"),
    ("slow-packets", In::Live, &[], "OK", "object"),
    ("slow-packets", In::Jobs, &[], "NOK", "string"),
    ("register-tenant-handler", In::All, HANDLER, "NOK", "string"),
    ("unregister-tenant-handler", In::All, HANDLER, "NOK", "string"),
    ("register-tenant", In::All, &["id integer", "filename string"], "NOK", "string"),
    ("reload-tenant", In::All, &["id integer", "filename string?"], "NOK", "string"),
    ("reload-tenants", In::All, &[], "NOK", "string"),
    ("unregister-tenant", In::All, &["id integer"], "NOK", "string"),
    ("add-hostbit", In::All, &["ipaddress string", "hostbit string", "expire integer"], "NOK", "string"),
    ("remove-hostbit", In::All, &["ipaddress string", "hostbit string"], "NOK", "string"),
    ("list-hostbit", In::All, &["ipaddress string"], "NOK", "string"),
    ("reopen-log-files", In::All, &[], "OK", "string"),
    ("memcap-set", In::All, &["config string", "memcap string"], "NOK", "string"),
    ("memcap-show", In::All, &["config string"], "NOK", "string"),
    ("memcap-list", In::All, &[], "OK", "array"),
    ("dataset-add", In::All, VALUE, "NOK", "string"),
    ("dataset-remove", In::All, VALUE, "NOK", "string"),
    (
        "dataset-add-json",
        In::All,
        &["setname string", "settype string", "datavalue string", "datajson string"],
        "NOK",
        "string",
    ),
    ("dataset-dump", In::All, &[], "OK", "string"),
    ("dataset-clear", In::All, &["setname string", "settype string"], "NOK", "string"),
    ("dataset-lookup", In::All, VALUE, "NOK", "string"),
    ("get-flow-stats-by-id", In::All, &["flow_id integer"], "NOK", "string"),
    ("iface-stat", In::Live, &["iface string"], "NOK", "string"),
    ("iface-list", In::Live, &[], "OK", "object"),
    ("iface-bypassed-stat", In::Live, &[], "NOK", "string"),
    ("ebpf-bypassed-stat", In::Live, &[], "NOK", "string"),
    ("pcap-file", In::Jobs, CAPTURE, "NOK", "string"),
    ("pcap-file-continuous", In::Jobs, CAPTURE, "NOK", "string"),
    ("pcap-file-number", In::Jobs, &[], "OK", "number"),
    ("pcap-file-list", In::Jobs, &[], "OK", "object"),
    ("pcap-last-processed", In::Jobs, &[], "OK", "number"),
    ("pcap-interrupt", In::Jobs, &[], "OK", "string"),
    ("pcap-current", In::Jobs, &[], "OK", "string"),
    // Last, for it ends the program.
    ("shutdown", In::All, &[], "OK", "string"),
];

/// A value of a kind that is in no table of the program, and one of another kind.
fn values(kind: &str) -> (Value, Value) {
    match kind {
        "string" => (json!("none"), json!(5)),
        "integer" => (json!(5), json!("5")),
        _ => (json!(true), json!("true")),
    }
}

fn form(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Gives each command what it asks for, then without or with another kind of each argument in turn.
fn check(folder: &Folder, own: In, run: Listening) {
    let names: BTreeSet<&str> = ROWS.iter().map(|row| row.0).collect();
    assert_eq!(names.len(), 51);
    let mut client = Client::connect(folder);
    let (_, list) = client.command("command-list", Value::Null);
    let mut told: Vec<&str> =
        list["commands"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    told.sort_unstable();
    let of_run = |row: &&Row| row.1 == In::All || row.1 == own;
    let expected: BTreeSet<&str> = ROWS.iter().filter(of_run).map(|row| row.0).collect();
    assert_eq!(told, expected.iter().copied().collect::<Vec<_>>());
    for (name, ..) in ROWS.iter().filter(|row| !expected.contains(row.0)) {
        let said = client.command(name, json!({}));
        assert_eq!(said, ("NOK".to_owned(), json!("Unknown command")), "{name}");
    }
    for (name, _, arguments, word, shape) in ROWS.iter().filter(of_run) {
        let arguments: Vec<(&str, &str)> = arguments.iter().filter_map(|row| row.split_once(' ')).collect();
        let right: Value =
            arguments.iter().map(|(name, kind)| (*name, values(kind.trim_end_matches('?')).0)).collect();
        for (argument, kind) in &arguments {
            let kind = kind.trim_end_matches('?');
            let article = if kind.starts_with('i') { "an" } else { "a" };
            let sentence = json!(format!("{argument} is not {article} {kind}"));
            let mut wrong = right.clone();
            wrong[argument] = values(kind).1;
            assert_eq!(client.command(name, wrong), ("NOK".to_owned(), sentence.clone()), "{name}");
            let mut missing = right.clone();
            missing.as_object_mut().expect("an object").remove(*argument);
            let (word, message) = client.command(name, missing);
            let is_told = (word.as_str(), &message) == ("NOK", &sentence);
            assert_eq!(
                is_told,
                !arguments.contains(&(argument, &format!("{kind}?"))),
                "{name} {argument}: {message}"
            );
        }
        if !arguments.is_empty() {
            let mut other = Client::connect(folder);
            assert_eq!(other.command(name, Value::Null).0, "", "{name} without arguments");
        }
        let (said, message) = client.command(name, right);
        assert_eq!((said.as_str(), form(&message)), (*word, *shape), "{name}: {message}");
    }
    assert_eq!(run.ended().0, Some(0));
}

#[test]
fn commands_where_captures_are_handed_in() {
    let folder = Folder::new("commands-jobs");
    let run = handed_in::start(&folder, super::run::WEB_RULE, &[]);
    check(&folder, In::Jobs, run);
}

#[test]
fn commands_where_interfaces_are_listened_on() {
    let Some(cable) = Cable::lay("cmd") else { return };
    let folder = Folder::new("commands-live");
    let run = control::start(&cable, &folder);
    check(&folder, In::Live, run);
}

/// Limits are told and in force at once: with room for one flow, a second one is not tracked.
#[test]
fn limits_are_changed_while_the_program_listens() {
    let Some(cable) = Cable::lay("cap") else { return };
    let folder = Folder::new("commands-memcap");
    let run = control::start(&cable, &folder);
    let mut client = Client::connect(&folder);
    let packet = |port| {
        let frame = weir_testkit::Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2");
        frame.udp(port, 9).payload(b"x").build()
    };
    cable.send([packet(1000).as_slice()]);
    let counter = |client: &mut Client, outer: &str, inner: &str, expected: u64| {
        (0..2000).any(|_| client.command("dump-counters", Value::Null).1[outer][inner] == expected)
    };
    assert!(counter(&mut client, "flow", "active", 1));
    let used = client.command("dump-counters", Value::Null).1["flow"]["memuse"].as_u64().expect("a number");
    for (config, memcap, word, part) in [
        ("flow", "1", "NOK", "less than the memory in use"),
        ("flow", "much", "NOK", "not changed"),
        ("none", "1mb", "NOK", "not found"),
        ("host", "1mb", "NOK", "cannot be changed"),
        ("defrag", "0", "NOK", "Unlimited value is not allowed"),
        ("stream", "unlimited", "OK", "(unlimited)"),
        ("stream-reassembly", "1gb", "OK", "updated: 1073741824 "),
        // Each of two threads has half of it.
        ("flow", &format!("{}", used * 2), "OK", "updated"),
    ] {
        let (said, message) = client.command("memcap-set", json!({"config": config, "memcap": memcap}));
        assert!(
            said == word && message.as_str().is_some_and(|said| said.contains(part)),
            "{config} {memcap}: {message}"
        );
    }
    for (config, value) in [("stream", "unlimited"), ("stream-reassembly", "1gb"), ("defrag", "32mb")] {
        let said = client.command("memcap-show", json!({"config": config}));
        assert_eq!(said, ("OK".to_owned(), json!({"value": value})), "{config}");
    }
    // The hosts are the same, and so is the thread: one flow makes room for the other.
    cable.send([packet(1001).as_slice(), packet(1002).as_slice()]);
    assert!(counter(&mut client, "decoder", "pkts", 3));
    let (_, counters) = client.command("dump-counters", Value::Null);
    assert_eq!(counters["flow"]["active"], 1, "{}", counters["flow"]);
    assert_eq!(run.end(Signal::TERM).0, Some(0));
}

/// The counts of a flow by the id that its records have.
#[test]
fn a_flow_is_found_by_its_id() {
    let Some(cable) = Cable::lay("fid") else { return };
    let folder = Folder::new("commands-flow");
    let run = control::start(&cable, &folder);
    let mut client = Client::connect(&folder);
    let data = json!({"setname": "names", "settype": "string", "datavalue": "ZXhhbXBsZS5jb20="});
    assert_eq!(client.command("dataset-add", data).0, "OK");
    let question = control::question();
    let length = question.len() as u64;
    cable.send([question.as_slice(), question.as_slice()]);
    while folder.records("alert").len() < 2 {}
    let id = folder.records("alert")[0]["flow_id"].clone();
    let said = client.command("get-flow-stats-by-id", json!({"flow_id": id}));
    let counts = json!({
        "pkts_toclient": 0, "pkts_toserver": 2, "bytes_toclient": 0, "bytes_toserver": length * 2, "age": 0
    });
    assert_eq!(said, ("OK".to_owned(), counts));
    assert_eq!(run.end(Signal::TERM).0, Some(0));
}

/// Values with objects come into a set of JSON, and alerts on them show the objects.
#[test]
fn objects_are_added_to_a_set() {
    let Some(cable) = Cable::lay("obj") else { return };
    let folder = Folder::new("commands-objects");
    let file = folder.write("hosts.ndjson", "{\"host\":\"example.net\"}\n");
    let rule = format!(
        "alert dns any any -> any any (dns.query; dataset:isset,hosts,type string,load {file},format ndjson,value_key \
         host,context_key who; sid:1;)\n"
    );
    let rules = folder.write("objects.rules", rule);
    let socket = format!("unix-command.filename={}", folder.path("control.socket").display());
    let words = ["-S", &rules, "-t", "1", "--set", "unix-command.enabled=yes", "--set", &socket];
    let run = cable.listen(&folder, &words);
    let mut client = Client::connect(&folder);
    for (set, object, word, part) in [
        ("hosts", "{\"city\": \"Mountain View\"}", "OK", "data added"),
        ("hosts", "{}", "OK", "data already in set"),
        ("hosts", "[1]", "NOK", "it is no object"),
        ("others", "{}", "NOK", "set not found"),
    ] {
        let (said, message) = client.command(
            "dataset-add-json",
            // "example.com"
            json!({"setname": set, "settype": "string", "datavalue": "ZXhhbXBsZS5jb20=", "datajson": object}),
        );
        let message = message.as_str().unwrap_or_default();
        assert!(said == word && message.contains(part), "{object}: {message}");
    }
    cable.send([&*control::question()]);
    assert_eq!(run.end(Signal::TERM).0, Some(0));
    let alerts = folder.records("alert");
    assert_eq!(alerts[0]["alert"]["context"], json!({"who": {"city": "Mountain View"}}));
}
