//! Records of the counters.

use std::fs;

use serde_json::{Value, json};
use weir_testkit::conversation::START;
use weir_testkit::{Conversation, Frame, TimedFrame};

use crate::run::{ETHERNET, Folder, web_request};

/// Runs a capture with these options of `stats` in EVE, and returns the record.
fn stats(folder: &Folder, options: &str, settings: &[&str]) -> Value {
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let configuration = format!(
        "%YAML 1.1\n---\noutputs:\n  - eve-log: {{enabled: yes, types: [stats: {{{options}}}]}}\n  \
         - stats: {{enabled: yes, threads: yes}}\n"
    );
    let configuration = folder.write("stats.yaml", configuration);
    let run = folder.weir(&[&["-c", &configuration, "-r", &capture, "--quiet"], settings].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    folder.records("stats").pop().expect("a record at the end")["stats"].take()
}

#[test]
fn totals_threads_differences_and_zeros() {
    let folder = Folder::new("stats_in_eve");
    let packets = web_request().len();
    let all = stats(&folder, "totals: yes, threads: yes, deltas: yes", &[]);
    assert_eq!((&all["decoder"]["pkts"], &all["decoder"]["pkts_delta"]), (&json!(packets), &json!(packets)));
    assert_eq!(all["flow"]["mgr"]["rows_maxlen"], 0);
    let threads = &all["threads"];
    assert_eq!(threads["W#01"]["decoder"]["pkts"], packets);
    assert_eq!(threads["FR#01"]["flow"]["recycler"]["recycled"], 1);
    assert!(threads["Global"]["tcp"]["memuse"].is_u64() && threads["W#01"]["tcp"]["memuse"].is_null());

    let few = stats(&folder, "totals: yes, null-values: no", &[]);
    assert!(few["flow"]["mgr"]["rows_maxlen"].is_null() && few["threads"].is_null());
    assert!(few["decoder"]["pkts_delta"].is_null());

    let renamed = stats(&folder, "totals: yes", &["--set", "stats.decoder-events-prefix=decoder"]);
    assert_eq!(renamed["decoder"]["ipv4"]["trunc_pkt"], 0);
}

#[test]
fn the_table_names_the_threads() {
    let folder = Folder::new("stats_log");
    stats(&folder, "totals: yes", &[]);
    let table = fs::read_to_string(folder.path("stats.log")).expect("a table");
    let row = |name: &str, thread: &str| {
        table.lines().any(|line| line.starts_with(name) && line.contains(&format!("| {thread} ")))
    };
    for (name, thread) in
        [("decoder.pkts", "Total"), ("decoder.pkts", "W#01"), ("flow.recycler.recycled", "FR#01")]
    {
        assert!(row(name, thread), "{name} {thread}: {table}");
    }
}

#[test]
fn what_protocols_keep_is_bounded() {
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50);
    let mut talk = Conversation::new("10.0.0.1:1000", "10.0.0.2:80").handshake();
    for _ in 0..8 {
        talk = talk.client_sends(requests.as_bytes());
    }
    let frames = talk.close().frames();
    // The memory, how often there was not enough, and whether all requests are told of.
    for (memcap, refused, all) in [("0", 0, true), ("100kb", 1, false), ("10mb", 0, true)] {
        let folder = Folder::new("protocol_memory");
        let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
        let rule = "alert http any any -> any any (app-layer-event:applayer_memcap_reached; sid:1;)\n";
        let rules = folder.write("test.rules", rule);
        folder.weir(&["-r", &capture, "-S", &rules, "--set", &format!("app-layer.memcap={memcap}")]);
        let counted = &folder.records("stats").pop().expect("a record at the end")["stats"]["app_layer"];
        assert_eq!(counted["memcap"], refused, "{memcap}");
        assert_eq!(counted["error"]["http"]["alloc"], refused, "{memcap}");
        assert_eq!(folder.records("alert").len(), refused, "{memcap}");
        let told = folder.records("http").len();
        assert_eq!(told == 400, all, "{memcap}: {told} requests");
        assert!(told > 10, "what came before is told of: {told}");
    }
}

/// Many flows that each keep a little make room for each other: no protocol is left unread.
#[test]
fn flows_end_before_protocols_are_left_unread() {
    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\x01b\0\0\x01\0\x01";
    let frames: Vec<TimedFrame> = (0..2000)
        .map(|number| {
            let bytes = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1000 + number, 53).payload(query);
            TimedFrame { time: START, bytes: bytes.build() }
        })
        .collect();
    let folder = Folder::new("protocol_memory_of_many");
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
    folder.weir(&["-r", &capture, "--set", "app-layer.memcap=512kb"]);
    let counted = &folder.records("stats").pop().expect("a record at the end")["stats"];
    assert_eq!((&counted["app_layer"]["memcap"], folder.records("dns").len()), (&json!(0), 2000));
    let (forced, entered) = (&counted["flow"]["get_used"], &counted["flow"]["emerg_mode_entered"]);
    assert!(forced.as_u64() > Some(1000) && *entered == 1, "{}", counted["flow"]);
}

#[test]
fn records_of_tiny_transactions_are_bounded() {
    let mut talk = Conversation::new("10.0.0.1:1000", "10.0.0.2:1883").handshake();
    talk = talk.client_sends(b"\x10\x0e\0\x04MQTT\x04\x02\0\x3c\0\x02ab").server_sends(b"\x20\x02\0\0");
    let pings = 600;
    for _ in 0..8 {
        talk = talk.client_sends(b"\xc0\0".repeat(pings / 8));
    }
    let capture = weir_testkit::pcap(ETHERNET, &talk.close().frames());
    // Bytes for a record, and whether all pings have one.
    for (bytes, all) in [(None, false), (Some(0), true), (Some(1), true), (Some(100), false)] {
        let folder = Folder::new("records_in_room");
        let capture = folder.write("input.pcap", &capture);
        let rule = "alert mqtt any any -> any any (mqtt.type:PINGREQ; threshold:type both, track by_src, \
                    count 600, seconds 60; sid:1;)\n";
        let rules = folder.write("test.rules", rule);
        let setting = format!("app-layer.bytes-per-record={}", bytes.unwrap_or(16));
        let set: &[&str] = if bytes.is_some() { &["--set", &setting] } else { &[] };
        folder.weir(&[&["-r", &capture, "-S", &rules], set].concat());
        let counted = &folder.records("stats").pop().expect("a record at the end")["stats"]["app_layer"];
        let (told, flow) = (folder.records("mqtt").len(), folder.records("flow").remove(0)["flow"].clone());
        let carried = flow["bytes_toserver"].as_u64().unwrap() + flow["bytes_toclient"].as_u64().unwrap();
        let room = carried.checked_div(bytes.unwrap_or(16)).map_or(u64::MAX, |most| 32 + most);
        let transactions = 1 + pings as u64;
        assert_eq!(told == transactions as usize, all, "{bytes:?}: {told}");
        assert!(told as u64 <= room, "{bytes:?}: {told} of {room}");
        assert_eq!(counted["records_left_out"], transactions - told as u64, "{bytes:?}");
        let said = folder.records("anomaly");
        assert_eq!(said.len(), usize::from(!all), "{bytes:?}: {said:?}");
        assert!(said.iter().all(|record| record["anomaly"]["event"] == "APPLAYER_TOO_MANY_RECORDS"));
        assert_eq!(folder.records("alert").len(), 1, "rules look at all of them");
    }
}

#[test]
fn announced_flows_are_counted_while_they_are_waited_for() {
    let control = |client: &str| {
        let talk = Conversation::new(&format!("{client}:1000"), "10.0.0.9:21").handshake();
        let talk = talk.server_sends(b"220 ready\r\n").client_sends(b"PASV\r\n");
        let talk = talk.server_sends(b"227 Entering Passive Mode (10,0,0,9,20,1)\r\n");
        talk.client_sends(b"RETR a\r\n").frames()
    };
    let data =
        Conversation::new("10.0.0.1:1001", "10.0.0.9:5121").handshake().server_sends(b"listing").frames();
    let mut frames = [control("10.0.0.1"), control("10.0.0.2"), control("10.0.0.3")].concat();
    frames.extend(data);
    let folder = Folder::new("announced_flows");
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
    for workers in ["1", "3"] {
        let _ = fs::remove_file(folder.path("eve.json"));
        folder.weir(&["-r", &capture, "-t", workers]);
        let counted = &folder.records("stats").pop().expect("a record at the end")["stats"]["app_layer"];
        let told = (&counted["expectations"], &counted["expectations_pushed_out"]);
        assert_eq!(told, (&json!(2), &json!(0)), "{workers} workers");
    }
}

/// The counters of detection at the end of a run over frames, with rules.
fn detection(folder: &Folder, frames: &[TimedFrame], rules: &str) -> Value {
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, frames));
    let rules = folder.write("a.rules", rules);
    let run = folder.weir(&["-r", &capture, "-S", &rules, "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.said());
    folder.records("stats").pop().expect("a record at the end")["stats"]["detect"].take()
}

#[test]
fn what_rules_cannot_keep_of_a_flow_is_counted() {
    let frame = |payload: &str| {
        let ends = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(7, 9);
        TimedFrame { time: START, bytes: ends.payload(payload).build() }
    };
    let frames = [frame("mark"), frame("done")];
    // What rules keep of a flow, with each rule under a name of its own, and how much of it there may be.
    let cases = [
        ("flowbits:set,name{n};", "flowbits:isset,name{n};", 256),
        ("flowint:name{n},=,1;", "flowint:name{n},isset;", 64),
        ("pcre:\"/(?P<flow_name{n}>mark)/\";", "", 64),
    ];
    for (keep, ask, most) in cases {
        for over in [0, 3] {
            let rule = |sid: usize, content: &str, option: &str| {
                let option = option.replace("{n}", &(sid % 1000).to_string());
                format!("alert udp any any -> any any (content:\"{content}\"; {option} sid:{sid};)\n")
            };
            let mut rules: String = (1..=most + over).map(|n| rule(n, "mark", keep)).collect();
            rules.extend(
                (1001..=1000 + most + over).map(|n| rule(n, "done", ask)).filter(|_| !ask.is_empty()),
            );
            let folder = Folder::new(&format!("state_full_{most}_{over}_{}", ask.len()));
            let counted = detection(&folder, &frames, &rules);
            assert_eq!(counted["state_full"], over, "{keep}");
        }
    }
}

#[test]
fn values_that_find_a_dataset_full_are_counted() {
    let talk = Conversation::new("10.0.0.1:40000", "10.0.0.2:80").handshake();
    let talk = ["/one", "/one", "/two", "/three"].iter().fold(talk, |talk, target| {
        talk.client_sends(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"))
            .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    });
    let frames = talk.close().frames();
    // The table of a set takes 104064 bytes, and each value its own.
    for (memcap, taken) in [(104_064 + 4, 1), (104_064 + 8, 2), (1 << 20, 3)] {
        let folder = Folder::new(&format!("datasets_full_{taken}"));
        let options = format!("type string, memcap {memcap}, hashsize 1");
        let rule = format!("alert http any any -> any any (http.uri; dataset:set,seen, {options}; sid:1;)\n");
        let counted = detection(&folder, &frames, &rule);
        assert_eq!(folder.records("alert").len(), taken, "a value that is new is an alert");
        assert_eq!(counted["datasets_full"], 3 - taken, "{memcap}");
    }
}

#[test]
fn inspections_that_reach_a_limit_are_counted() {
    let frame = |payload: String| {
        let ends = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(7, 9);
        TimedFrame { time: START, bytes: ends.payload(payload).build() }
    };
    let chain = "content:\"a\"; content:\"a\"; distance:0; content:\"b\"; distance:0; within:1;";
    let nested = "pcre:\"/^(?:(?:a+)+)+z/\";";
    let cases = [
        (chain, format!("{}cb", "a".repeat(20)), (0, 0)),
        (chain, format!("{}cb", "a".repeat(4000)), (1, 0)),
        (nested, "aaabz".to_owned(), (0, 0)),
        (nested, format!("{}bz", "a".repeat(64)), (0, 1)),
    ];
    for (number, (options, payload, limits)) in cases.into_iter().enumerate() {
        let folder = Folder::new(&format!("limits_{number}"));
        let rule = format!("alert udp any any -> any any ({options} sid:1;)\n");
        let counted = detection(&folder, &[frame(payload)], &rule);
        assert_eq!(counted["inspection_recursion_limit"], limits.0, "{options}");
        assert_eq!(counted["pcre_match_limit"], limits.1, "{options}");
    }
}
