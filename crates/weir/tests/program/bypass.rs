//! Bypassed flows that the kernel drops, in networks of the tests' own.

use rustix::process::Signal;
use serde_json::{Value, json};
use weir_base::Direction;
use weir_testkit::{Conversation, Frame};

use super::control::Client;
use super::namespaces::{Cable, End, Listening};
use super::run::Folder;

const RULES: &str = "alert udp any any -> any any (msg:\"go by\"; content:\"go by\"; bypass; sid:1;)\n\
                     alert tcp-pkt any any -> any any (msg:\"go by\"; content:\"go by\"; bypass; sid:2;)\n";

/// Packets of a flow after the one by which it is bypassed, each way.
const AFTER: u64 = 300;

/// Starts the program with more keys for its interface.
fn start(cable: &Cable, folder: &Folder, keys: &str, arguments: &[&str]) -> (Listening, Client) {
    let configuration = folder.write(
        "bypass.yaml",
        format!(
            "%YAML 1.1\n---\nstats:\n  enabled: yes\nunix-command:\n  enabled: yes\n  filename: {}\naf-packet:\n  - \
             interface: default\n    bypass: yes\n{keys}outputs:\n  - eve-log:\n      enabled: yes\n      types: \
             [alert, flow, stats]\n",
            folder.path("control.socket").display()
        ),
    );
    let rules = folder.write("test.rules", RULES);
    let run = cable.listen(
        folder,
        &[&["-c", &configuration, "-S", &rules, "--zeek-logs", "--summary=json"], arguments].concat(),
    );
    let client = Client::connect(folder);
    (run, client)
}

/// Waits until so many flows were handed to the kernel; all counts.
fn wait_for(client: &mut Client, interface: &str, flows: u64) -> Value {
    loop {
        let (_, answer) = client.command("iface-bypassed-stat", Value::Null);
        let counts = &answer[interface];
        let count = |key: &str| counts[key].as_u64().expect("a count");
        if count("ipv4_success") + count("ipv6_success") + count("ipv4_fail") + count("ipv6_fail") >= flows {
            return counts.clone();
        }
    }
}

/// A flow of datagrams: what is around it, and its two ends.
struct Flow {
    name: &'static str,
    around: fn() -> Frame,
    six: bool,
    host: u8,
}

impl Flow {
    fn frame(&self, direction: Direction, payload: &[u8]) -> Vec<u8> {
        let ends = match self.six {
            true => [format!("2001:db8::{}", self.host), "2001:db8::100".to_owned()],
            false => [format!("10.0.0.{}", self.host), "10.0.1.1".to_owned()],
        };
        let [client, server] = ends;
        let (from, to, ports) = match direction {
            Direction::ToServer => (client, server, (4000, 9000)),
            Direction::ToClient => (server, client, (9000, 4000)),
        };
        let frame = (self.around)();
        let frame = if self.six { frame.ipv6(&from, &to) } else { frame.ipv4(&from, &to) };
        frame.udp(ports.0, ports.1).payload(payload).build()
    }
}

const FLOWS: &[Flow] = &[
    Flow { name: "plain", around: Frame::ethernet, six: false, host: 1 },
    Flow { name: "six", around: Frame::ethernet, six: true, host: 2 },
    Flow { name: "tag", around: || Frame::ethernet().vlan(7), six: false, host: 3 },
    Flow { name: "tags", around: || Frame::ethernet().tag(0x88a8, 5).vlan(7), six: true, host: 4 },
    Flow {
        name: "vxlan",
        around: || Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2").vxlan(5),
        six: false,
        host: 5,
    },
    Flow { name: "gre", around: || Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2").gre(), six: true, host: 6 },
];

/// The record of a flow by the address of its client.
fn record_of<'r>(records: &'r [Value], flow: &Flow) -> &'r Value {
    let end = if flow.six { format!(":{:04x}", flow.host) } else { format!("10.0.0.{}", flow.host) };
    let mut own =
        records.iter().filter(|record| record["src_ip"].as_str().is_some_and(|ip| ip.ends_with(&end)));
    let record = own.next().unwrap_or_else(|| panic!("no record of {}", flow.name));
    assert!(own.next().is_none(), "one record of {}", flow.name);
    record
}

#[test]
fn bypassed_flows_no_longer_reach_the_program() {
    let keys = ["", "    xdp-mode: soft\n", "    xdp-mode: driver\n", "    bpf-filter: \"not port 22\"\n"];
    for (case, keys) in keys.into_iter().enumerate() {
        let Some(cable) = Cable::lay(&format!("byp{case}")) else { return };
        let folder = Folder::new(&format!("bypass-{case}"));
        let (run, mut client) = start(&cable, &folder, keys, &["-t", "2"]);
        let interface = cable.interface(End::Far);
        let untouched =
            Frame::ethernet().ipv4("10.0.0.99", "10.0.1.1").udp(4000, 9000).payload("stay").build();
        let there = |flow: &Flow| flow.frame(Direction::ToServer, b"go by 1");
        let triggers: Vec<Vec<u8>> = FLOWS.iter().map(there).collect();
        cable.send(triggers.iter().map(Vec::as_slice));
        let counts = wait_for(&mut client, &interface, FLOWS.len() as u64);
        let expected = json!({
            "ipv4_maps_count": 3, "ipv4_success": 3, "ipv4_fail": 0, "ipv6_maps_count": 3, "ipv6_success": 3, "ipv6_fail": 0,
        });
        assert_eq!(counts, expected, "{keys}");
        let after: Vec<Vec<u8>> = FLOWS
            .iter()
            .flat_map(|flow| Direction::BOTH.map(|direction| flow.frame(direction, b"go by 2")))
            .chain([untouched])
            .collect();
        cable.send((0..AFTER).flat_map(|_| after.iter().map(Vec::as_slice)));
        let (_, seen) = client.command("iface-stat", json!({"iface": interface}));
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        assert_eq!(summary["interfaces"][0]["kernel_packets"], FLOWS.len() as u64 + AFTER, "{keys}");
        assert_eq!(summary["accounts"]["unbalanced"], json!([]));
        assert_eq!(seen["drop"], 0);
        check_records(&folder, keys);
    }
}

/// Checks records of flows that were bypassed with their first packet.
fn check_records(folder: &Folder, keys: &str) {
    let records = folder.records("flow");
    let conn = std::fs::read_to_string(folder.path("conn.log")).expect("a log");
    for flow in FLOWS {
        let record = &record_of(&records, flow)["flow"];
        let frame = |direction| {
            let frame = flow.frame(direction, b"go by 2").len();
            // Flows in tunnels are counted from the IP header there.
            let is_tunnel = matches!(flow.name, "vxlan" | "gre");
            (frame - if is_tunnel { (flow.around)().build().len() } else { 0 }) as u64
        };
        let length = frame(Direction::ToServer);
        let told = |key: &str| record[key].as_u64().expect("a count");
        assert_eq!(
            (told("pkts_toserver"), told("pkts_toclient")),
            (AFTER + 1, AFTER),
            "{} {keys}",
            flow.name
        );
        assert_eq!(told("bytes_toserver"), length * (AFTER + 1), "{} {keys}", flow.name);
        assert_eq!(told("bytes_toclient"), length * AFTER, "{} {keys}", flow.name);
        let bypassed = json!({
            "pkts_toserver": AFTER, "pkts_toclient": AFTER, "bytes_toserver": length * AFTER, "bytes_toclient": length * AFTER,
        });
        assert_eq!(record["bypassed"], bypassed, "{} {keys}", flow.name);
        assert_eq!((&record["state"], &record["bypass"]), (&json!("bypassed"), &json!("capture")));
        let host = if flow.six {
            format!("\t2001:db8::{}\t", flow.host)
        } else {
            format!("\t10.0.0.{}\t", flow.host)
        };
        let row = conn.lines().find(|line| line.contains(&host)).unwrap_or_else(|| panic!("no row: {conn}"));
        let row: Vec<&str> = row.split('\t').collect();
        let ip = if flow.six { 48 } else { 28 };
        let expected =
            [7 * (AFTER + 1), 7 * AFTER, AFTER + 1, (7 + ip) * (AFTER + 1), AFTER, (7 + ip) * AFTER];
        let found = [9, 10, 16, 17, 18, 19].map(|column| row[column].to_owned());
        assert_eq!(found, expected.map(|count| count.to_string()), "{} {keys}: {row:?}", flow.name);
    }
    let other = records.iter().find(|record| record["src_ip"] == "10.0.0.99").expect("a record");
    assert_eq!((&other["flow"]["pkts_toserver"], &other["flow"]["bypass"]), (&json!(AFTER), &Value::Null));
    let counted = &folder.records("stats").pop().expect("a record")["stats"]["flow_bypassed"];
    assert_eq!(counted["pkts"], 2 * AFTER * FLOWS.len() as u64);
    assert_eq!((&counted["closed"], &counted["capture_open_ipv4"]), (&json!(6), &json!(0)));
}

#[test]
fn the_end_of_a_connection_is_seen() {
    let Some(cable) = Cable::lay("bytcp") else { return };
    let folder = Folder::new("bypass-tcp");
    let (run, mut client) = start(&cable, &folder, "", &["-t", "1"]);
    let begun = || Conversation::new("10.0.0.1:4000", "10.0.1.1:9000").handshake().client_sends("go by");
    let first = begun().frames();
    cable.send(first.iter().map(|frame| frame.bytes.as_slice()));
    wait_for(&mut client, &cable.interface(End::Far), 1);
    let long = vec![b'x'; 200_000];
    let all = begun().server_sends(&long).client_sends(&long[..50_000]).close().frames();
    let rest = &all[first.len()..];
    cable.send(rest.iter().map(|frame| frame.bytes.as_slice()));
    let (code, said) = run.end(Signal::INT);
    assert_eq!(code, Some(0), "{said}");
    let conn = std::fs::read_to_string(folder.path("conn.log")).expect("a log");
    let row: Vec<&str> =
        conn.lines().find(|line| line.contains("10.0.0.1")).expect("a row").split('\t').collect();
    // Bytes of both sides, the state, and what is missing.
    assert_eq!([row[9], row[10], row[11], row[14]], ["50005", "200000", "SF", "0"], "{row:?}");
    let flow = &folder.records("flow")[0];
    assert_eq!(flow["flow"]["bypass"], "capture");
    let packets = ["pkts_toserver", "pkts_toclient"].map(|key| flow["flow"][key].as_u64().expect("a count"));
    assert_eq!(packets.iter().sum::<u64>(), all.len() as u64);
}

#[test]
fn flows_beyond_the_table_go_on_in_the_program() {
    let Some(cable) = Cable::lay("byfull") else { return };
    let folder = Folder::new("bypass-full");
    let (run, mut client) = start(&cable, &folder, "", &["-t", "1"]);
    let flows: u64 = 90_000;
    let frame = |flow: u64| {
        let client = format!("10.{}.{}.{}", flow >> 16 & 255, flow >> 8 & 255, flow & 255);
        Frame::ethernet().ipv4(&client, "192.0.2.1").udp(4000, 9000).payload("go by").build()
    };
    let frames: Vec<Vec<u8>> = (0..flows).map(frame).collect();
    cable.send(frames.iter().map(Vec::as_slice));
    let counts = wait_for(&mut client, &cable.interface(End::Far), flows);
    let (open, refused) = (
        counts["ipv4_maps_count"].as_u64().expect("a count"),
        counts["ipv4_fail"].as_u64().expect("a count"),
    );
    assert_eq!((open + refused, &counts["ipv4_success"]), (flows, &json!(open)));
    assert!((50_000..=65_536).contains(&open), "{counts}");
    let (code, said) = run.end(Signal::INT);
    assert_eq!(code, Some(0), "{said}");
    let counted = &folder.records("stats").pop().expect("a record")["stats"]["flow_bypassed"];
    assert_eq!((&counted["closed"], &counted["capture_full_ipv4"]), (&json!(open), &json!(refused)));
}

#[test]
fn an_interface_that_comes_back_bypasses_still() {
    let Some(cable) = Cable::lay("byback") else { return };
    let folder = Folder::new("bypass-back");
    let (mut run, mut client) = start(&cable, &folder, "", &["-t", "1"]);
    let flow = &FLOWS[0];
    cable.send([&*flow.frame(Direction::ToServer, b"go by 1")]);
    wait_for(&mut client, &cable.interface(End::Far), 1);
    cable.link(End::Far, "del", "");
    run.logged("is gone");
    cable.connect();
    run.logged("is back");
    let other = &FLOWS[1];
    cable.send([
        &*flow.frame(Direction::ToServer, b"go by 2"),
        &*other.frame(Direction::ToServer, b"go by 1"),
    ]);
    wait_for(&mut client, &cable.interface(End::Far), 2);
    cable.send([&*other.frame(Direction::ToClient, b"go by 2")]);
    let (code, said) = run.end(Signal::INT);
    let summary: Value = serde_json::from_str(&said).expect("a summary");
    assert_eq!((code, &summary["interfaces"][0]["kernel_packets"]), (Some(0), &json!(2)), "{said}");
    let records = folder.records("flow");
    for flow in [flow, other] {
        let counts = &record_of(&records, flow)["flow"];
        let packets = ["pkts_toserver", "pkts_toclient"].map(|key| counts[key].as_u64().expect("a count"));
        assert_eq!(packets.iter().sum::<u64>(), 2, "{counts}");
    }
}

#[test]
fn without_the_right_to_it_the_program_passes_flows_over() {
    let Some(cable) = Cable::lay("byright") else { return };
    let folder = Folder::new("bypass-refused");
    let configuration = folder.write(
        "bypass.yaml",
        "%YAML 1.1\n---\naf-packet:\n  - interface: default\n    bypass: yes\noutputs:\n  - eve-log:\n      enabled: \
         yes\n      types: [flow]\n",
    );
    let rules = folder.write("test.rules", RULES);
    let interface = cable.interface(End::Far);
    let (program, logs) = (env!("CARGO_BIN_EXE_weir"), folder.path("").to_string_lossy().into_owned());
    let mut arguments = vec!["--bounding-set=-bpf,-sys_admin", "--inh-caps=-bpf,-sys_admin", program];
    arguments.extend(["-v", "-l", &logs, "-i", &interface, "-c", &configuration, "-S", &rules, "-t", "1"]);
    let mut run = cable.start_as("setpriv", &folder, &arguments);
    run.logged("takes no program that drops bypassed flows");
    let flow = &FLOWS[0];
    let frames = [b"go by 1", b"go by 2"].map(|payload| flow.frame(Direction::ToServer, payload));
    cable.send(frames.iter().map(Vec::as_slice));
    assert_eq!(run.end(Signal::INT).0, Some(0));
    let record = &record_of(&folder.records("flow"), flow)["flow"].clone();
    assert_eq!((&record["bypass"], &record["pkts_toserver"]), (&json!("local"), &json!(2)));
}

/// A handshake of TLS 1.3, and the first encrypted record of each side.
fn encrypted(conversation: Conversation) -> Conversation {
    let record =
        |kind: u8, body: &[u8]| [&[kind, 3, 3, (body.len() >> 8) as u8, body.len() as u8], body].concat();
    let message = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
    let hello = [&[3, 3][..], &[7; 32], &[0, 0, 2, 0x13, 1, 1, 0, 0, 7, 0, 43, 0, 3, 2, 3, 4]].concat();
    let answer = [&[3, 3][..], &[9; 32], &[0, 0x13, 1, 0, 0, 6, 0, 43, 0, 2, 3, 4]].concat();
    let sealed = record(23, &[0xee; 60]);
    conversation
        .handshake()
        .client_sends(record(22, &message(1, &hello)))
        .server_sends([record(22, &message(2, &answer)), sealed.clone()].concat())
        .client_sends(sealed)
}

#[test]
fn elephants_and_encrypted_connections_are_dropped_by_the_kernel() {
    let begins = || Conversation::new("10.0.0.1:4000", "10.0.1.1:443");
    let large = |conversation: Conversation| conversation.handshake().server_sends(vec![b'x'; 20_000]);
    let elephants = ["flow.rate-tracking.bytes=10kb", "flow.rate-tracking.bypass=yes"];
    let tls = ["app-layer.protocols.tls.encryption-handling=bypass"];
    type Case<'a> = (&'a str, &'a [&'a str], fn(Conversation) -> Conversation);
    let cases: [Case<'_>; 2] = [("elephant", &elephants, large), ("tls", &tls, encrypted)];
    for (name, settings, first) in cases {
        let Some(cable) = Cable::lay(&name[..3]) else { return };
        let folder = Folder::new(&format!("bypass-{name}"));
        let settings: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        let (run, mut client) = start(&cable, &folder, "", &[&["-t", "2"], &*settings].concat());
        let frames = first(begins()).frames();
        cable.send(frames.iter().map(|frame| frame.bytes.as_slice()));
        wait_for(&mut client, &cable.interface(End::Far), 1);
        let data = [&[23, 3, 3, 0x20, 0][..], &[0xee; 0x2000]].concat();
        let all = first(begins()).server_sends(&data).client_sends(&data).frames();
        let rest = &all[frames.len()..];
        cable.send(rest.iter().map(|frame| frame.bytes.as_slice()));
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        assert_eq!(
            summary["interfaces"][0]["kernel_packets"],
            frames.len() as u64,
            "{name}: the rest is dropped"
        );
        let record = &folder.records("flow")[0]["flow"];
        assert_eq!((&record["state"], &record["bypass"]), (&json!("bypassed"), &json!("capture")), "{name}");
        let packets = ["pkts_toserver", "pkts_toclient"].map(|key| record[key].as_u64().expect("a count"));
        assert_eq!(packets.iter().sum::<u64>(), all.len() as u64, "{name}: all count");
        assert_eq!(record["elephant"], if name == "elephant" { json!(true) } else { Value::Null });
    }
}
