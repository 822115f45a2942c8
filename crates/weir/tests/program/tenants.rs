//! Tenants: rules of their own for traffic of a VLAN, of an interface, or of a capture.

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};
use weir_base::Timestamp;
use weir_testkit::{Frame, TimedFrame, pcap};

use super::control::Client;
use super::namespaces::{Cable, End, Listening};
use super::run::{ETHERNET, Folder};

/// Rules of a tenant. The sids are those of all others.
fn rules(name: &str) -> String {
    format!(
        "alert udp any any -> $HOME_NET any (msg:\"{name} first\"; content:\"attack\"; \
         threshold:type limit, track by_dst, count 1, seconds 3600; hostbits:set,attacked,dst; sid:1;)\n\
         alert udp any any -> any any (msg:\"{name} again\"; hostbits:isset,attacked,dst; sid:2;)\n\
         alert udp any any -> any any (msg:\"{name} known\"; content:\"name\"; ip.dst; \
         dataset:set,names,type ip; sid:3;)\n"
    )
}

/// Writes a tenant's file with rules of its name, and gives its path.
fn tenant(folder: &Folder, id: u32) -> String {
    folder.write(&format!("{id}.rules"), rules(&format!("tenant {id}")));
    let place = folder.path("");
    folder.write(
        &format!("{id}.yaml"),
        format!(
            "%YAML 1.1\n---\ndefault-rule-path: {}\nrule-files: [{id}.rules]\nvars:\n  address-groups:\n    \
             HOME_NET: 10.0.0.0/16\n",
            place.display()
        ),
    )
}

/// Writes the main configuration with two tenants and what else stands below `multi-detect`.
fn configuration(folder: &Folder, rest: &str) -> String {
    tenant(folder, 1);
    tenant(folder, 2);
    let (place, socket) = (folder.path(""), folder.path("control.socket"));
    folder.write("main.rules", rules("main").replace("$HOME_NET", "any"));
    folder.write(
        "main.yaml",
        format!(
            "%YAML 1.1\n---\ndefault-rule-path: {place}\nrule-files: [main.rules]\nunix-command:\n  enabled: yes\n  \
             filename: {socket}\nstats:\n  enabled: yes\noutputs:\n  - eve-log:\n      enabled: yes\n      \
             types: [alert, flow]\nmulti-detect:\n  enabled: yes\n  loaders: 3\n  config-path: {place}\n  \
             tenants:\n  - id: 1\n    yaml: 1.yaml\n  - id: 2\n    yaml: 2.yaml\n{rest}",
            place = place.display(),
            socket = socket.display(),
        ),
    )
}

/// Tenants by VLAN, and rules for other packets.
const BY_VLAN: &str = "  selector: vlan\n  default: yes\n  mappings:\n  - vlan-id: 1000\n    tenant-id: 1\n  \
                       - vlan-id: 2000\n    tenant-id: 2\n";

/// A datagram of a host behind these tags.
fn frame(tags: &[u16], host: u8, payload: &str) -> Vec<u8> {
    let tagged = tags.iter().fold(Frame::ethernet(), |frame, tag| frame.vlan(*tag));
    tagged.ipv4(&format!("10.0.0.{host}"), "10.0.1.1").udp(4000, 9999).payload(payload).build()
}

fn capture(frames: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let frames: Vec<TimedFrame> = frames
        .into_iter()
        .zip(1_700_000_000..)
        .map(|(bytes, seconds)| TimedFrame { time: Timestamp::new(seconds, 0), bytes })
        .collect();
    pcap(ETHERNET, &frames)
}

/// Three datagrams of each of some hosts, behind tags of all kinds.
fn mixed() -> Vec<u8> {
    let tags: [&[u16]; 6] = [&[1000], &[2000], &[], &[1000, 2000], &[2000, 1000], &[3000]];
    let hosts = tags.into_iter().zip(1..);
    capture(hosts.flat_map(|(tags, host)| ["attack", "attack", "name"].map(|text| frame(tags, host, text))))
}

/// Messages of alerts with their tenant and the last part of the sender's address, in order.
fn alerts(records: &[Value]) -> Vec<String> {
    let told = |record: &Value| {
        assert_eq!(record["tenant_id"], record["alert"]["tenant_id"], "{record}");
        let source =
            record["src_ip"].as_str().and_then(|address| address.rsplit('.').next()).unwrap_or_default();
        format!(
            "{source} {} {}",
            record["tenant_id"],
            record["alert"]["signature"].as_str().unwrap_or_default()
        )
    };
    records.iter().map(told).collect()
}

#[test]
fn the_outermost_tag_leads_to_a_tenant() {
    let mut expected: Option<Vec<Value>> = None;
    for workers in ["1", "2", "4", "8"] {
        let folder = Folder::new("tenants-vlan");
        let configuration = configuration(&folder, BY_VLAN);
        let capture = folder.write("a.pcap", mixed());
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "-t", workers]);
        assert_eq!(run.code, 0, "{}", run.said());
        let records = folder.records_but_statistics();
        let told = alerts(&folder.records("alert"));
        let first = [
            // What one tenant saw of a host, another does not know.
            "1 1 tenant 1 first",
            "1 1 tenant 1 again",
            "1 1 tenant 1 again",
            "1 1 tenant 1 known",
            "1 1 tenant 1 again",
            "2 2 tenant 2 first",
            "2 2 tenant 2 again",
            "2 2 tenant 2 again",
            "2 2 tenant 2 known",
            "2 2 tenant 2 again",
            "3 null main first",
            "3 null main again",
            "3 null main again",
            "3 null main known",
            "3 null main again",
        ];
        let mut sorted: Vec<&str> = told.iter().map(String::as_str).take(first.len()).collect();
        let mut wanted = first.to_vec();
        sorted.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted, "{workers} workers");
        let later: Vec<&str> = told.iter().skip(first.len()).map(String::as_str).collect();
        let again = |host: u8, tenant: &str, name: &str| vec![format!("{host} {tenant} {name} again"); 3];
        let stacked =
            [again(4, "1", "tenant 1"), again(5, "2", "tenant 2"), again(6, "null", "main")].concat();
        assert_eq!(later, stacked, "{workers} workers");
        let flows: Vec<Value> = folder.records("flow").iter().map(|flow| flow["tenant_id"].clone()).collect();
        let mut known: Vec<String> = flows.iter().map(Value::to_string).collect();
        known.sort();
        assert_eq!(known, ["1", "1", "2", "2", "null", "null"]);
        match &expected {
            None => expected = Some(records),
            Some(expected) => assert_eq!(&records, expected, "{workers} workers"),
        }
    }
}

#[test]
fn packets_without_a_tenant_have_rules_where_that_is_asked_for() {
    for (option, rest, expected) in [("", "", None), ("-s", "", Some(2)), ("", "  default: yes\n", Some(1))] {
        let folder = Folder::new("tenants-default");
        let configuration =
            configuration(&folder, &format!("{}{rest}", BY_VLAN.replace("  default: yes\n", "")));
        let capture = folder.write("a.pcap", capture([frame(&[], 1, "attack")]));
        let more = folder.write("more.rules", "alert udp any any -> any any (msg:\"more\"; sid:2;)\n");
        let mut words = vec!["-c", &configuration, "-r", &capture];
        if !option.is_empty() {
            words.extend([option, &more]);
        }
        let run = folder.weir(&words);
        assert_eq!(run.code, 0, "{}", run.said());
        let sids: Vec<u64> = folder
            .records("alert")
            .iter()
            .filter_map(|alert| alert["alert"]["signature_id"].as_u64())
            .collect();
        assert_eq!(sids.first().copied(), expected, "{option} {rest}");
    }
}

#[test]
fn what_is_wrong_with_a_tenant_is_told_and_the_rest_goes_on() {
    let folder = Folder::new("tenants-wrong");
    let wrong =
        "  - id: 2\n    yaml: 1.yaml\n  - id: 3\n    yaml: none.yaml\n  - id: 4\n    yaml: broken.yaml\n";
    folder.write("broken.yaml", "%YAML 1.1\n---\nrule-files: [a\n");
    let mapped = "  - vlan-id: 4095\n    tenant-id: 1\n  - vlan-id: 7\n    tenant-id: 77\n";
    let configuration = configuration(&folder, &format!("{wrong}{BY_VLAN}{mapped}"));
    let capture = folder.write("a.pcap", mixed());
    let run = folder.weir(&["-c", &configuration, "-r", &capture]);
    assert_eq!(run.code, 0, "{}", run.said());
    for sentence in [
        "main.yaml, line 23, column 5: there are two tenants 2, and the first one stays. The entry is left out.",
        "Tenant 3 is not loaded. Failed to open configuration file",
        "none.yaml: there is no such file",
        "Tenant 4 is not loaded. Failed to parse configuration file at ",
        "broken.yaml, line 4",
        "the vlan-id of a mapping is '4095': write a number from 1 to 4094",
        "VLAN 7 is mapped to the tenant 77, which multi-detect.tenants has not",
    ] {
        assert!(run.stderr.contains(sentence), "{sentence}: {}", run.stderr);
    }
    assert_eq!(alerts(&folder.records("alert"))[0], "1 1 tenant 1 first");
    // A test of the configuration fails.
    let tested = folder.weir(&["-c", &configuration, "-T"]);
    assert_ne!(tested.code, 0, "{}", tested.said());
    assert!(tested.stderr.contains("there are two tenants 2"), "{}", tested.stderr);
}

#[test]
fn what_tenants_cannot_be_with_is_refused() {
    for (rest, arguments, expected) in [
        ("  selector: mac\n", &[][..], "multi-detect.selector"),
        ("", &[], "multi-detect.selector"),
        ("  selector: vlan\nvlan:\n  use-for-tracking: no\n", &[], "vlan.use-for-tracking"),
        (BY_VLAN, &["--firewall-rules-exclusive", "main.rules"], "A firewall has one set of rules"),
    ] {
        let folder = Folder::new("tenants-refused");
        let configuration = configuration(&folder, rest);
        let capture = folder.write("a.pcap", mixed());
        let run = folder.weir(&[&["-c", &configuration, "-r", &capture], arguments].concat());
        assert!(run.code != 0 && run.stderr.contains(expected), "{rest}: {}", run.said());
    }
}

#[test]
fn a_capture_of_the_command_line_is_that_of_a_tenant() {
    for (tenant, expected) in
        [("1", "1 1 tenant 1 first"), ("2", "1 2 tenant 2 first"), ("none", "1 null main first")]
    {
        let folder = Folder::new("tenants-direct");
        let rest = format!("  selector: direct\n  default: yes\npcap-file:\n  tenant-id: {tenant}\n");
        let configuration = configuration(&folder, &rest);
        let capture = folder.write("a.pcap", mixed());
        let run = folder.weir(&["-c", &configuration, "-r", &capture]);
        assert_eq!(run.code, 0, "{}", run.said());
        let told = alerts(&folder.records("alert"));
        assert_eq!(told[0], expected, "{tenant}");
        let middle = expected.split(' ').nth(1).expect("a tenant");
        assert!(told.iter().all(|alert| alert.split(' ').nth(1) == Some(middle)), "{told:?}");
    }
}

/// Says a command, and the words of the answer.
fn say(client: &mut Client, command: &str, arguments: Value) -> String {
    let (word, message) = client.command(command, arguments);
    format!("{word} {}", message.as_str().map_or_else(|| message.to_string(), str::to_owned))
}

#[test]
fn captures_that_are_handed_in_have_a_tenant() {
    let folder = Folder::new("tenants-jobs");
    let configuration = configuration(&folder, "  selector: direct\n");
    let (capture, third) = (folder.write("a.pcap", mixed()), tenant(&folder, 3));
    let socket = format!("--unix-socket={}", folder.path("control.socket").display());
    let logs = folder.path("").to_string_lossy().into_owned();
    let mut run = Listening::start(&folder.path(""), &["-v", "-l", &logs, "-c", &configuration, &socket]);
    run.logged("unix socket");
    let mut client = Client::connect(&folder);
    let job = |tenant: u32| {
        let logs = folder.path(&format!("logs-{tenant}"));
        std::fs::create_dir_all(&logs).expect("a folder");
        json!({"filename": capture, "output-dir": logs, "tenant": tenant})
    };
    let added = "OK Successfully added file to list";
    assert_eq!(say(&mut client, "pcap-file", job(3)), "NOK there is no tenant 3");
    assert_eq!(
        say(&mut client, "register-tenant", json!({"id": 3, "filename": third})),
        "OK adding tenant succeeded"
    );
    for tenant in [1, 3] {
        assert_eq!(say(&mut client, "pcap-file", job(tenant)), added);
    }
    while client.command("pcap-file-number", Value::Null).1 != 0
        || client.command("pcap-current", Value::Null).1 != "None"
    {}
    for tenant in [1, 3] {
        let text = std::fs::read_to_string(folder.path(&format!("logs-{tenant}/eve.json"))).expect("records");
        let records: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let raised: Vec<Value> =
            records.into_iter().filter(|record| record["event_type"] == "alert").collect();
        assert_eq!(alerts(&raised)[0], format!("1 {tenant} tenant {tenant} first"));
    }
    assert_eq!(
        say(&mut client, "register-tenant-handler", json!({"id": 1, "htype": "vlan", "hargs": 5})),
        "NOK multi-detect.selector is not vlan"
    );
    client.command("shutdown", Value::Null);
    assert_eq!(run.ended().0, Some(0));
}

/// Waits until the program has so many packets.
fn packets(client: &mut Client, count: usize) {
    for _ in 0..1000 {
        if client.command("dump-counters", Value::Null).1["decoder"]["pkts"] == count {
            return;
        }
    }
    panic!("{count} packets do not come");
}

#[test]
fn tenants_come_and_go_while_the_program_listens() {
    let Some(cable) = Cable::lay("ten") else { return };
    let folder = Folder::new("tenants-live");
    let configuration = configuration(&folder, BY_VLAN);
    let third = tenant(&folder, 3);
    // Tags that the kernel takes off are put back.
    let run = cable.listen(&folder, &["-c", &configuration, "-t", "1"]);
    let mut client = Client::connect(&folder);
    let mut sent = 0;
    let mut send = |client: &mut Client, frames: &[Vec<u8>]| {
        cable.send(frames.iter().map(Vec::as_slice));
        sent += frames.len();
        packets(client, sent);
    };
    let all =
        |host| [frame(&[1000], host, "attack"), frame(&[2000], host, "attack"), frame(&[30], host, "attack")];
    send(&mut client, &all(1));
    let third_handler = json!({"id": 3, "htype": "vlan", "hargs": 30});
    let (wrong_kind, wrong_vlan) =
        (json!({"id": 3, "htype": "mac", "hargs": 30}), json!({"id": 3, "htype": "vlan", "hargs": 4095}));
    for (command, arguments, expected) in [
        (
            "register-tenant",
            json!({"id": 1, "filename": third}),
            "NOK there is a tenant 1 already: reload-tenant loads its rules again",
        ),
        (
            "register-tenant",
            json!({"id": 0, "filename": third}),
            "NOK id is not a number from 1 to 4294967295",
        ),
        ("reload-tenant", json!({"id": 3}), "NOK there is no tenant 3"),
        ("unregister-tenant", json!({"id": 3}), "NOK there is no tenant 3"),
        ("register-tenant-handler", wrong_kind, "NOK htype is mac: it has to be vlan"),
        ("register-tenant-handler", wrong_vlan, "NOK VLAN 4095 is not a number from 1 to 4094"),
        ("register-tenant", json!({"id": 3, "filename": third}), "OK adding tenant succeeded"),
        ("register-tenant-handler", third_handler.clone(), "OK handler added"),
        ("register-tenant-handler", third_handler.clone(), "NOK VLAN 30 is mapped to the tenant 3 already"),
    ] {
        assert_eq!(say(&mut client, command, arguments), expected, "{command}");
    }
    // A flow keeps what it began with, and others begin with the new tenant.
    send(&mut client, &[frame(&[30], 1, "attack"), frame(&[30], 2, "attack")]);
    // One tenant's rules change, and those of another stay; so does what it knows of a host.
    folder.write("1.rules", "alert udp any any -> any any (msg:\"changed\"; sid:1; rev:2;)\nalert broken\n");
    assert_eq!(say(&mut client, "reload-tenant", json!({"id": 1})), "OK reloading tenant succeeded");
    send(&mut client, &all(3)[..2]);
    let (_, counts) = client.command("ruleset-stats", Value::Null);
    let found: Vec<(u64, u64, u64)> = counts
        .as_array()
        .expect("engines")
        .iter()
        .map(|one| {
            [&one["id"], &one["rules_loaded"], &one["rules_failed"]].map(|value| value.as_u64().unwrap_or(99))
        })
        .map(|[id, loaded, failed]| (id, loaded, failed))
        .collect();
    assert_eq!(found, [(0, 3, 0), (1, 1, 1), (2, 3, 0), (3, 3, 0)]);
    let (_, failed) = client.command("ruleset-failed-rules", Value::Null);
    assert_eq!((&failed[0]["tenant_id"], &failed[0]["line"]), (&json!(1), &json!(2)), "{failed}");
    let (_, times) = client.command("ruleset-reload-time", Value::Null);
    assert_eq!(times.as_array().map(Vec::len), Some(4), "{times}");
    // A file that is gone keeps the rules before, and the others are loaded.
    std::fs::remove_file(folder.path("2.yaml")).expect("a file");
    let said = say(&mut client, "reload-tenants", Value::Null);
    assert!(said.starts_with("NOK Tenant 2 is not loaded. Failed to open"), "{said}");
    tenant(&folder, 2);
    assert_eq!(say(&mut client, "reload-tenants", Value::Null), "OK reloading tenants succeeded");
    assert_eq!(say(&mut client, "reload-rules", Value::Null), "OK done");
    for (command, arguments, expected) in [
        ("unregister-tenant", json!({"id": 3}), "OK removing tenant succeeded"),
        ("unregister-tenant-handler", third_handler.clone(), "OK handler removed"),
        ("unregister-tenant-handler", third_handler, "NOK VLAN 30 is not mapped to the tenant 3"),
    ] {
        assert_eq!(say(&mut client, command, arguments), expected, "{command}");
    }
    send(&mut client, &[frame(&[30], 2, "attack"), frame(&[2000], 4, "attack")]);
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    let told = alerts(&folder.records("alert"));
    let expected = [
        "1 1 tenant 1 first",
        "1 1 tenant 1 again",
        "1 2 tenant 2 first",
        "1 2 tenant 2 again",
        "1 null main first",
        "1 null main again",
        "1 null main again",
        "2 3 tenant 3 first",
        "2 3 tenant 3 again",
        "3 1 changed",
        "3 2 tenant 2 again",
        "2 null main again",
        "4 2 tenant 2 again",
    ];
    assert_eq!(told, expected);
}

#[test]
fn an_interface_leads_to_a_tenant() {
    let Some(cable) = Cable::lay("tend") else { return };
    let folder = Folder::new("tenants-device");
    let mapped = format!(
        "  selector: device\n  mappings:\n  - device: other0\n    tenant-id: 1\n  - device: {}\n    tenant-id: 2\n",
        cable.interface(End::Far)
    );
    let configuration = configuration(&folder, &mapped);
    let run = cable.listen(&folder, &["-c", &configuration, "-t", "1"]);
    let mut client = Client::connect(&folder);
    cable.send([frame(&[], 1, "attack")].iter().map(Vec::as_slice));
    packets(&mut client, 1);
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(alerts(&folder.records("alert")), ["1 2 tenant 2 first", "1 2 tenant 2 again"]);
    // Neither can it be recorded, for a recording has one set of rules.
    let recording = folder.path("recording").to_string_lossy().into_owned();
    let words = ["-c", &configuration, "-i", "lo", "--record", &recording];
    let refused = folder.weir(&words);
    assert!(refused.code != 0 && refused.stderr.contains("is not recorded"), "{}", refused.said());
    assert!(!Path::new(&recording).exists());
}

#[test]
fn sets_are_shared_where_that_is_said() {
    // A set of the main configuration, one that is kept in a file, and one of the rules.
    let kept = "dataset:set,names,type ip,state names.list";
    for (rest, option, expected) in [
        ("datasets:\n  names:\n    type: ip\n", "dataset:set,names,type ip", 1),
        ("", kept, 1),
        ("", "dataset:set,names,type ip", 2),
    ] {
        let mut counts = Vec::new();
        for workers in ["1", "4"] {
            let folder = Folder::new("tenants-sets");
            let data = format!("default-data-dir: {}\n", folder.path("").display());
            let configuration = configuration(&folder, &format!("{BY_VLAN}{rest}{data}"));
            for id in [1, 2] {
                let rule = format!(
                    "alert udp any any -> any any (msg:\"new\"; content:\"name\"; ip.dst; {option}; sid:1;)\n"
                );
                folder.write(&format!("{id}.rules"), rule);
            }
            let frames = [frame(&[1000], 1, "name"), frame(&[2000], 2, "name")];
            let capture = folder.write("a.pcap", capture(frames));
            let run = folder.weir(&["-c", &configuration, "-r", &capture, "-t", workers]);
            assert_eq!(run.code, 0, "{}", run.said());
            counts.push(folder.records("alert").len());
        }
        assert_eq!(counts, [expected, expected], "{rest}{option}");
    }
}
