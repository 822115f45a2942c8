//! Packets by DPDK, whose own packet sockets stand in for a card (`make dpdk`).

use rustix::process::Signal;
use serde_json::Value;
use weir_testkit::{TimedFrame, pcap};

use super::live::{comparable, traffic};
use super::namespaces::{Cable, End};
use super::run::{ETHERNET, Folder, WEB_RULE};

/// A configuration by which DPDK reads an interface of the system as the card `net_af_packet0`.
fn configuration(folder: &Folder, interface: &str) -> String {
    let text = format!(
        "%YAML 1.1\n---\nstats:\n  enabled: yes\nsecurity:\n  capabilities: {{enabled: no}}\n  seccomp: {{enabled: no}}\n  landlock: {{enabled: no}}\ndpdk:\n  eal-params:\n    no-huge:\n    no-pci:\n    m: 256\n    \
         vdev: [\"net_af_packet0,iface={interface},framecnt=4096\"]\n  interfaces:\n    - interface: net_af_packet0\n      \
         threads: auto\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [stats, flow, dns, http, alert, anomaly]\n"
    );
    folder.write("dpdk.yaml", text)
}

#[test]
fn what_is_heard_is_what_is_read_from_a_file() {
    let Some(cable) = Cable::lay("dpdk") else { return };
    let frames = traffic();
    let timed = frames.iter().zip(0..).map(|(bytes, index)| {
        let time = weir_base::Timestamp::new(1_700_000_000, index * 1000);
        TimedFrame { time, bytes: bytes.clone() }
    });
    let file = Folder::new("dpdk-file");
    let rules = file.write("test.rules", WEB_RULE);
    let capture = file.write("same.pcap", pcap(ETHERNET, &timed.collect::<Vec<_>>()));
    let settings = configuration(&file, "none");
    let read = file.weir(&["-c", &settings, "-r", &capture, "-S", &rules, "--summary=json"]);
    let packets = serde_json::from_str::<Value>(&read.stdout).expect("a summary")["packets"].clone();
    let expected = comparable(&file);
    assert!(expected.len() > 100, "{}", expected.len());

    for arguments in [&["--dpdk"][..], &["--dpdk=net_af_packet0", "-t", "1"]] {
        let folder = Folder::new(&format!("dpdk-live-{}", arguments.len()));
        let settings = configuration(&folder, &cable.interface(End::Far));
        let run =
            cable.start(&folder, &[arguments, &["-c", &settings, "-S", &rules, "--summary=json"]].concat());
        cable.send(frames.iter().map(Vec::as_slice));
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(comparable(&folder), expected, "{arguments:?}");
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        assert_eq!(summary["packets"], packets);
        assert_eq!(summary["accounts"]["unbalanced"], Value::Array(Vec::new()));
        let capture = &folder.records("stats")[0]["stats"]["capture"];
        assert_eq!((&capture["packets"], &capture["dpdk"]["imissed"]), (&frames.len().into(), &0.into()));
    }
}

#[test]
fn filters() {
    let Some(cable) = Cable::lay("dpfilt") else { return };
    let folder = Folder::new("dpdk-filter");
    let settings = configuration(&folder, &cable.interface(End::Far));
    let run = cable.start(&folder, &["--dpdk", "-c", &settings, "--summary=json", "port 53"]);
    cable.send(traffic().iter().map(Vec::as_slice));
    let (_, said) = run.end(Signal::TERM);
    let summary: Value = serde_json::from_str(&said).expect("a summary");
    assert_eq!(summary["packets"], 40);
}

#[test]
fn what_cannot_be_is_said() {
    let folder = Folder::new("dpdk-errors");
    let settings = configuration(&folder, "no-such-if");
    for (arguments, part) in [
        (&["--dpdk=0000:ff:00.9"][..], "dpdk-devbind.py --status"),
        (&["--dpdk=0000:ff:00.9", "--set", "dpdk.eal-params.vdev.0=net_null0"], "dpdk-devbind.py --status"),
        (
            &[
                "--dpdk=net_null0",
                "--set",
                "dpdk.eal-params.vdev.0=net_null0",
                "--set",
                "dpdk.interfaces.0.copy-mode=ips",
                "--set",
                "dpdk.interfaces.0.interface=net_null0",
            ],
            "copy-mode",
        ),
    ] {
        let run = folder.weir(&[&["-c", &settings], arguments].concat());
        let said = run.said();
        assert_eq!(run.code, 1, "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}
