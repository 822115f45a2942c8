//! The control socket, as its clients speak with it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use weir_testkit::Frame;

use super::namespaces::{Cable, End, Listening};
use super::run::Folder;

/// A client that speaks version 0.2.
pub struct Client(BufReader<UnixStream>);

impl Client {
    pub fn connect(folder: &Folder) -> Self {
        let stream = UnixStream::connect(folder.path("control.socket")).expect("a socket");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        let mut client = Self(BufReader::new(stream));
        assert_eq!(client.say(&json!({"version": "0.2"})), json!({"return": "OK"}));
        client
    }

    fn say(&mut self, message: &Value) -> Value {
        // In one piece: whoever has the last command whole need not wait for the end of the line.
        self.0.get_mut().write_all(format!("{message}\n").as_bytes()).expect("a message is sent");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).unwrap_or(Value::Null)
    }

    /// Gives a command; the word and the message of the answer.
    pub fn command(&mut self, command: &str, arguments: Value) -> (String, Value) {
        let answer = match arguments {
            Value::Null => self.say(&json!({"command": command})),
            arguments => self.say(&json!({"command": command, "arguments": arguments})),
        };
        (answer["return"].as_str().unwrap_or_default().to_owned(), answer["message"].clone())
    }
}

/// A rule that asks for a set, and one that cannot be used.
const RULES: &str = "alert dns any any -> any any (msg:\"known\"; dns.query; dataset:isset,names,type string; sid:1;)\n\
                     alert tcp any any -> any any (msg:\"bad\"; hostbits:isset,bad,src; sid:3;)\n\
                     alert tcp any any -> any any (msg:\"broken\"; nothing; sid:2;)\n";

pub fn start(cable: &Cable, folder: &Folder) -> Listening {
    let socket = folder.path("control.socket");
    let configuration = folder.write(
        "control.yaml",
        format!(
            "%YAML 1.1\n---\nstats:\n  enabled: yes\nflow:\n  memcap: 96mb\nunix-command:\n  enabled: yes\n  \
             filename: {}\ndatasets:\n  names:\n    type: string\noutputs:\n  - eve-log:\n      enabled: yes\n      \
             types: [alert]\n",
            socket.display()
        ),
    );
    let rules = folder.write("test.rules", RULES);
    cable.listen(folder, &["-c", &configuration, "-S", &rules, "-t", "2"])
}

/// A frame with a question for example.com.
pub fn question() -> Vec<u8> {
    let question = b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x07example\x03com\0\0\x01\0\x01";
    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5000, 53).payload(question).build()
}

#[test]
fn commands_are_answered() {
    let Some(cable) = Cable::lay("ctl") else { return };
    let folder = Folder::new("control-commands");
    let run = start(&cable, &folder);
    let mut client = Client::connect(&folder);
    let interface = cable.interface(End::Far);
    // "example.com"
    let data = json!({"setname": "names", "settype": "string", "datavalue": "ZXhhbXBsZS5jb20="});
    let cases = [
        ("version", Value::Null, "OK", json!("8.0.7 RELEASE")),
        ("running-mode", Value::Null, "OK", json!("workers")),
        ("capture-mode", Value::Null, "OK", json!("AF_PACKET_DEV")),
        ("conf-get", json!({"variable": "flow.memcap"}), "OK", json!("96mb")),
        ("conf-get", json!({"variable": "no.such"}), "NOK", json!("Unable to get value")),
        ("conf-get", json!({"variable": "flow"}), "NOK", json!("No string value")),
        ("conf-get", json!({"variable": 5}), "NOK", json!("variable is not a string")),
        ("iface-list", Value::Null, "OK", json!({"count": 1, "ifaces": [interface]})),
        ("iface-stat", json!({"iface": "eth9"}), "NOK", json!("Iface does not exist")),
        ("iface-bypassed-stat", Value::Null, "NOK", json!("Bypass not enabled")),
        ("memcap-show", json!({"config": "flow"}), "OK", json!({"value": "96mb"})),
        ("memcap-show", json!({"config": "ftp"}), "OK", json!({"value": "unlimited"})),
        (
            "ruleset-stats",
            Value::Null,
            "OK",
            json!([{"id": 0, "rules_loaded": 2, "rules_failed": 1, "rules_skipped": 0}]),
        ),
        ("dataset-lookup", data.clone(), "NOK", json!("item not found in set")),
        ("dataset-add", data.clone(), "OK", json!("data added")),
        ("dataset-add", data.clone(), "OK", json!("data already in set")),
        ("dataset-lookup", data.clone(), "OK", json!("item found in set")),
        (
            "dataset-add",
            json!({"setname": "a", "settype": "md5", "datavalue": ""}),
            "NOK",
            json!("set not found or wrong type"),
        ),
        (
            "dataset-add",
            json!({"setname": "a", "settype": "b", "datavalue": ""}),
            "NOK",
            json!("unknown settype"),
        ),
        (
            "add-hostbit",
            json!({"ipaddress": "10.0.0.9", "hostbit": "bad", "expire": "5"}),
            "NOK",
            json!("expire is not an integer"),
        ),
        (
            "add-hostbit",
            json!({"ipaddress": "10.0.0.9", "hostbit": "no", "expire": 5}),
            "NOK",
            json!("hostbit not found"),
        ),
        (
            "add-hostbit",
            json!({"ipaddress": "10.0.0", "hostbit": "bad", "expire": 5}),
            "NOK",
            json!("invalid ipaddress value"),
        ),
        (
            "remove-hostbit",
            json!({"ipaddress": "10.0.0.9", "hostbit": "bad"}),
            "NOK",
            json!("host not found"),
        ),
        (
            "add-hostbit",
            json!({"ipaddress": "10.0.0.9", "hostbit": "bad", "expire": 3600}),
            "OK",
            json!("hostbit added"),
        ),
        ("list-hostbit", json!({"ipaddress": "10.0.0.8"}), "OK", json!({"count": 0, "hostbits": []})),
        ("reopen-log-files", Value::Null, "OK", json!("done")),
        ("no-such", Value::Null, "NOK", json!("Unknown command")),
    ];
    for (command, arguments, word, message) in cases {
        let said = client.command(command, arguments.clone());
        assert_eq!(said, (word.to_owned(), message), "{command} {arguments}");
    }
    let (_, bits) = client.command("list-hostbit", json!({"ipaddress": "10.0.0.9"}));
    let bit = &bits["hostbits"][0];
    assert_eq!((&bits["count"], &bit["name"]), (&json!(1), &json!("bad")), "{bits}");
    assert!(bit["expire"].as_u64().is_some_and(|left| (3000..=3600).contains(&left)), "{bits}");
    let of_host = json!({"ipaddress": "10.0.0.9", "hostbit": "bad"});
    let removed = client.command("remove-hostbit", of_host);
    assert_eq!(removed, ("OK".to_owned(), json!("hostbit removed")));
    let (_, uptime) = client.command("uptime", Value::Null);
    assert!(uptime.is_u64(), "{uptime}");
    let (_, failed) = client.command("ruleset-failed-rules", Value::Null);
    assert_eq!((&failed[0]["line"], failed[0]["tenant_id"].as_u64()), (&json!(3), Some(0)), "{failed}");
    let (_, memcaps) = client.command("memcap-list", Value::Null);
    assert_eq!(memcaps.as_array().map(Vec::len), Some(9));
    let (_, list) = client.command("command-list", Value::Null);
    assert_eq!(list["count"].as_u64(), list["commands"].as_array().map(|all| all.len() as u64));
    // The value was added while it runs: a question for it raises an alert.
    cable.send([question().as_slice()]);
    let mut counters = Value::Null;
    for _ in 0..200 {
        counters = client.command("dump-counters", Value::Null).1;
        if counters["detect"]["alert"] == 1 {
            break;
        }
    }
    assert_eq!((&counters["detect"]["alert"], &counters["decoder"]["pkts"]), (&json!(1), &json!(1)));
    assert!(counters["threads"][format!("W#01-{interface}")]["capture"].is_object(), "{counters}");
    let (_, counts) = client.command("iface-stat", json!({"iface": interface}));
    assert_eq!(counts, json!({"pkts": 1, "invalid-checksums": 0, "drop": 0, "bypassed": 0}));
    assert_eq!(client.command("conf-get", Value::Null).0, "", "a client without arguments is let go");
    let mut other = Client::connect(&folder);
    assert_eq!(other.command("shutdown", Value::Null), ("OK".to_owned(), json!("Closing Suricata")));
    let (code, said) = run.ended();
    assert_eq!(code, Some(0), "{said}");
    assert!(!folder.path("control.socket").exists());
    assert_eq!(folder.records("alert").len(), 1);
}

#[test]
fn a_client_of_the_first_version_needs_no_lines() {
    let Some(cable) = Cable::lay("ctlv") else { return };
    let folder = Folder::new("control-version");
    let run = start(&cable, &folder);
    let mut stream = UnixStream::connect(folder.path("control.socket")).expect("a socket");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    for (message, expected) in [
        (r#"{"version": "0.1"}"#, r#"{"return":"OK"}"#),
        (r#"{"command": "version"}"#, r#"{"message":"8.0.7 RELEASE","return":"OK"}"#),
    ] {
        stream.write_all(message.as_bytes()).expect("a message is sent");
        let mut said = vec![0; expected.len()];
        std::io::Read::read_exact(&mut stream, &mut said).expect("an answer");
        assert_eq!(String::from_utf8_lossy(&said), expected);
    }
    assert_eq!(run.end(Signal::TERM).0, Some(0));
}

/// The program's own client.
#[test]
fn ctl_gives_commands() {
    let Some(cable) = Cable::lay("ctlc") else { return };
    let folder = Folder::new("control-client");
    let run = start(&cable, &folder);
    let path = folder.path("control.socket").to_string_lossy().into_owned();
    let say = |words: &[&str]| {
        let run = folder.command(&[&["ctl", "--socket", &*path], words].concat());
        (run.code, run.stdout, run.stderr)
    };
    let interface = cable.interface(End::Far);
    let told = |text: String| (0, text, String::new());
    assert_eq!(say(&["iface-list"]), told(format!("{interface}\n")));
    assert_eq!(say(&["memcap-show", "config=flow"]), told("value  96mb\n".to_owned()));
    assert_eq!(say(&["memcap-show", "flow", "--json"]), told("{\"value\":\"96mb\"}\n".to_owned()));
    assert_eq!(
        say(&["ruleset-stats"]).1,
        "id  rules_failed  rules_loaded  rules_skipped\n0   1             2             0\n"
    );
    assert_eq!(say(&["add-hostbit", "10.0.0.9", "bad", "expire=60"]), told("hostbit added\n".to_owned()));
    let (code, list, _) = say(&[]);
    assert_eq!(code, 0);
    for line in ["uptime", "dataset-add setname settype datavalue", "iface-stat iface"] {
        assert!(list.lines().any(|found| found == line), "{line}: {list}");
    }
    assert!(!list.contains("pcap-file"), "{list}");
    let refused: [(&[&str], &str); 4] = [
        (&["conf-get", "no.such"], "conf-get is refused: Unable to get value"),
        (&["get-flow-stats-by-id", "x"], "flow_id of get-flow-stats-by-id is a whole number, not x."),
        (&["no-such"], "no-such is refused: Unknown command"),
        (&["iface-stat"], "iface is missing: it is `weir ctl iface-stat iface`."),
    ];
    for (words, sentence) in refused {
        let (code, _, said) = say(words);
        assert!(code == 1 && said.contains(sentence), "{words:?}: {said}");
    }
    assert_eq!(say(&["shutdown"]).0, 0);
    assert_eq!(run.ended().0, Some(0));
    let (code, _, said) = say(&["uptime"]);
    assert!(code == 1 && said.contains("unix-command.enabled") && said.contains(&path), "{said}");
}
