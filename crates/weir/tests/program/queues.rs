//! The program behind queues of the firewall, in networks of the tests' own. It needs `iptables-legacy` beside what the
//! other tests of live capture need.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::Arc;

use rustix::process::Signal;

use super::between::{PATIENCE, SILENCE, Server, ask_at, ask_from, body, counters};
use super::namespaces::{Cable, End, Listening};
use super::run::Folder;

const SERVER: &str = "10.9.0.2:80";

/// A network whose far end hands what its server gets and sends to two queues, but for what has the mark 1.
pub fn network(name: &str) -> Option<Cable> {
    let cable = Cable::lay(name)?;
    for (end, address) in [(End::Near, "10.9.0.1/24"), (End::Far, "10.9.0.2/24")] {
        cable.address(end, address);
    }
    let queues = "-m mark ! --mark 1/1 -j NFQUEUE --queue-balance 0:1";
    firewall(&cable, "iptables-legacy", &format!("INPUT -p tcp --dport 80 {queues}"))?;
    firewall(&cable, "iptables-legacy", &format!("OUTPUT -p tcp --sport 80 {queues}"))?;
    Some(cable)
}

/// Adds a rule to the firewall of the far end; says so where there is none.
fn firewall(cable: &Cable, program: &str, rule: &str) -> Option<()> {
    let words = format!("netns exec {} {program} -A {rule}", cable.namespace(End::Far));
    let mut command = Command::new("ip");
    command.args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    if command.status().is_ok_and(|status| status.success()) {
        return Some(());
    }
    println!("skipped: tests of queues need `{program}` and NFQUEUE");
    None
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
fn packets_of_version_6() {
    let Some(cable) = Cable::lay("nf6") else { return };
    for (end, address) in [(End::Near, "fd00:9::1/64"), (End::Far, "fd00:9::2/64")] {
        cable.allow_version_6(end);
        cable.address(end, &format!("{address} nodad"));
    }
    for rule in ["INPUT -p tcp --dport 80", "OUTPUT -p tcp --sport 80"] {
        let rule = format!("{rule} -j NFQUEUE --queue-balance 0:1");
        if firewall(&cable, "ip6tables-legacy", &rule).is_none() {
            return;
        }
    }
    let folder = Folder::new("queues-6");
    let run =
        start(&cable, &folder, "", "drop http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n");
    let server = "[fd00:9::2]:80";
    let answer = Arc::new(body(1 << 20));
    let served = Server::start(cable.listener(End::Far, server), 2, Arc::clone(&answer));
    let ask = |path: &str, patience| cable.at(End::Near, || ask_at(server, path, patience));
    assert!(ask("/good", PATIENCE).expect("an answer") == *answer);
    assert!(ask("/evil", SILENCE).is_err());
    served.end();
    assert_eq!(run.end(Signal::INT).0, Some(0));
    let drops = folder.records("drop");
    assert_eq!(drops[0]["src_ip"], "fd00:0009:0000:0000:0000:0000:0000:0001", "{}", drops[0]);
}

/// What one program lets pass goes to the queue of another.
#[test]
fn packets_go_on_to_another_queue() {
    let Some(cable) = Cable::lay("nfo") else { return };
    for (end, address) in [(End::Near, "10.9.0.1/24"), (End::Far, "10.9.0.2/24")] {
        cable.address(end, address);
    }
    for rule in ["INPUT -p tcp --dport 80", "OUTPUT -p tcp --sport 80"] {
        if firewall(&cable, "iptables-legacy", &format!("{rule} -j NFQUEUE --queue-num 0")).is_none() {
            return;
        }
    }
    let folders = ["queues-first", "queues-second"].map(Folder::new);
    let [first, second] = [("0", "nfq: {mode: route, route-queue: 1}\n"), ("1", "")];
    let runs = [(first, &folders[0]), (second, &folders[1])].map(|((queue, section), folder)| {
        let text =
            format!("%YAML 1.1\n---\n{section}outputs:\n  - eve-log: {{enabled: yes, types: [http]}}\n");
        let configuration = folder.write("queues.yaml", text);
        let rule = format!("drop http any any -> any any (http.uri; content:\"/evil{queue}\"; sid:1;)\n");
        let rules = folder.write("test.rules", rule);
        cable.start(folder, &["-q", queue, "-c", &configuration, "-S", &rules])
    });
    let answer = Arc::new(body(1 << 16));
    let server = Server::start(cable.listener(End::Far, SERVER), 3, Arc::clone(&answer));
    let ask = |path: &str, patience| cable.at(End::Near, || ask_from(path, patience));
    assert!(ask("/good", PATIENCE).expect("an answer") == *answer);
    assert!(ask("/evil0", SILENCE).is_err(), "the first one drops");
    assert!(ask("/evil1", SILENCE).is_err(), "the second one drops");
    server.end();
    for run in runs {
        assert_eq!(run.end(Signal::INT).0, Some(0));
    }
    for folder in &folders {
        assert!(folder.records("http").iter().any(|record| record["http"]["url"] == "/good"));
    }
}

/// Packets that find the queue full pass, or do not, by the setting.
#[test]
fn a_full_queue_is_open_or_shut() {
    for (fail_open, passes) in [("yes", true), ("no", false)] {
        let Some(cable) = Cable::lay(&format!("nff{}", &fail_open[..1])) else { return };
        for (end, address) in [(End::Near, "10.9.0.1/24"), (End::Far, "10.9.0.2/24")] {
            cable.address(end, address);
        }
        if firewall(&cable, "iptables-legacy", "INPUT -p udp -j NFQUEUE --queue-num 0").is_none() {
            return;
        }
        let folder = Folder::new(&format!("queues-full-{fail_open}"));
        let text = format!("%YAML 1.1\n---\nnfq: {{fail-open: {fail_open}}}\n");
        let configuration = folder.write("queues.yaml", text);
        let run = cable.start(&folder, &["-q", "0", "-c", &configuration]);
        let socket = cable.at(End::Far, || UdpSocket::bind("10.9.0.2:9").expect("a socket"));
        socket.set_read_timeout(Some(SILENCE)).expect("a timeout");
        let sender = cable.at(End::Near, || UdpSocket::bind("10.9.0.1:5000").expect("a socket"));
        // The first one comes through once somebody decides.
        sender.send_to(b"first", "10.9.0.2:9").expect("a datagram");
        socket.recv(&mut [0; 8]).expect("the first one");
        run.signal(Signal::STOP);
        while !run.status("State").starts_with('T') {}
        for number in 0..20_000u32 {
            sender.send_to(&number.to_be_bytes(), "10.9.0.2:9").expect("a datagram");
        }
        assert_eq!(socket.recv(&mut [0; 8]).is_ok(), passes, "{fail_open}");
        run.signal(Signal::CONT);
        assert_eq!(run.end(Signal::INT).0, Some(0));
    }
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
