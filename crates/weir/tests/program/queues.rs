//! The program behind queues of the firewall, in networks of the tests' own. It needs `iptables-legacy` beside what the
//! other tests of live capture need.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rustix::process::Signal;

use super::between::{PATIENCE, SILENCE, Server, ask_from, body, counters};
use super::namespaces::{Cable, End, Listening};
use super::run::Folder;

const SERVER: &str = "10.9.0.2:80";

/// A network whose far end hands what its server gets and sends to two queues, but for what has the mark 1.
pub fn network(name: &str) -> Option<Cable> {
    let cable = Cable::lay(name)?;
    for (end, address) in [(End::Near, "10.9.0.1/24"), (End::Far, "10.9.0.2/24")] {
        cable.address(end, address);
    }
    let namespace = cable.namespace(End::Far);
    for (chain, port) in [("INPUT", "--dport"), ("OUTPUT", "--sport")] {
        let rule = format!(
            "netns exec {namespace} iptables-legacy -A {chain} -p tcp {port} 80 -m mark ! --mark 1/1 -j NFQUEUE \
             --queue-balance 0:1"
        );
        let mut command = Command::new("ip");
        command.args(rule.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            println!("skipped: tests of queues need `iptables-legacy` and NFQUEUE");
            return None;
        }
    }
    Some(cable)
}

/// Starts the program behind both queues.
pub fn start(cable: &Cable, folder: &Folder, section: &str, rules: &str) -> Listening {
    let configuration = folder.write(
        "queues.yaml",
        format!(
            "%YAML 1.1\n---\nstats:\n  enabled: yes\n{section}outputs:\n  - eve-log:\n      enabled: yes\n      types: \
             [alert, drop, http, flow, stats]\n"
        ),
    );
    let rules = folder.write("test.rules", rules);
    cable.start(folder, &["-q", "0:1", "-c", &configuration, "-S", &rules])
}

/// Sections of the configuration, which all have the same outcome.
const SECTIONS: [&str; 3] = [
    "",
    "nfq: {batchcount: 20, fail-open: yes}\n",
    "nfq: {mode: repeat, repeat-mark: 1, repeat-mask: 1, bypass-mark: 2, bypass-mask: 2, batchcount: 20}\n",
];

#[test]
fn verdicts_are_given() {
    let Some(cable) = network("nfv") else { return };
    let long = Arc::new(body(4 << 20));
    for (index, section) in SECTIONS.into_iter().enumerate() {
        let folder = Folder::new(&format!("queues-{index}"));
        let rules = "drop http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n\
             alert tcp any any -> any 80 (content:\"/secret\"; replace:\"/public\"; sid:2;)\n\
             pass http any any -> any any (http.uri; content:\"/bulk\"; bypass; sid:3;)\n";
        let run = start(&cable, &folder, section, rules);
        let server = Server::start(cable.listener(End::Far, SERVER), 4, Arc::clone(&long));
        let ask = |path: &str, patience| cable.at(End::Near, || ask_from(path, patience));
        assert!(ask("/good", PATIENCE).expect("an answer") == *long, "{section}");
        assert!(ask("/evil", SILENCE).is_err(), "{section}");
        assert!(ask("/bulk", PATIENCE).expect("an answer") == *long, "{section}");
        assert!(ask("/secret", PATIENCE).expect("an answer") == *long, "{section}");
        server.end();
        assert_eq!(run.end(Signal::INT).0, Some(0));
        let urls: Vec<String> =
            folder.records("http").iter().map(|record| record["http"]["url"].to_string()).collect();
        assert!(urls.contains(&"\"/good\"".to_owned()), "{urls:?}");
        let counters = counters(&folder);
        let ips = &counters["ips"];
        assert_eq!(ips["drop_reason"]["rules"], 1, "{ips}");
        // What is sent once more is replaced once more.
        assert!(ips["replaced"].as_u64() >= Some(1), "{ips}");
        assert!(ips["blocked"].as_u64() > Some(1), "{ips}");
        assert_eq!(
            (&counters["capture"]["errors"], &counters["capture"]["kernel_drops"]),
            (&0.into(), &0.into())
        );
        assert!(counters["flow_bypassed"]["local_pkts"].as_u64() > Some(10));
    }
}

#[test]
fn refusals_are_sent() {
    let Some(cable) = network("nfr") else { return };
    let folder = Folder::new("queues-reject");
    let rules = "reject tcp any any -> any 80 (flags:S; sid:1;)\n";
    let run = start(&cable, &folder, SECTIONS[2], rules);
    let _listener: TcpListener = cable.listener(End::Far, SERVER);
    let outcome = cable.at(End::Near, || {
        TcpStream::connect_timeout(&SERVER.parse().expect("an address"), PATIENCE).map(drop)
    });
    assert_eq!(outcome.expect_err("it is refused").kind(), ErrorKind::ConnectionRefused);
    assert_eq!(run.end(Signal::INT).0, Some(0));
    // A SYN may be sent twice.
    assert!(counters(&folder)["ips"]["rejected"].as_u64() >= Some(1));
}

#[test]
fn queues_that_cannot_be_had() {
    let folder = Folder::new("queues-refused");
    for (arguments, part) in [
        (&["-q", "3:1"][..], "There is no queue 3:1"),
        (&["-q", "0:70000"], "There is no queue 0:70000"),
        (&["-q", "0", "--set", "nfq.mode=repeat"], "a mark with bits of repeat-mask"),
        (&["-q", "0", "-r", "a.pcap"], "cannot be used with"),
    ] {
        let run = folder.weir(arguments);
        assert_eq!(run.code, 1, "{arguments:?}");
        let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}
