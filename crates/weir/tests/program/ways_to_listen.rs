//! Ways to listen beside that of packet sockets, in networks of the tests' own.

use rustix::process::Signal;
use serde_json::Value;
use weir_testkit::{Frame, TimedFrame, pcap};

use super::live::{CONVERSATIONS, comparable, traffic};
use super::namespaces::{Cable, End, Listening};
use super::run::{ETHERNET, Folder, WEB_RULE};

/// A way to listen.
struct Way {
    /// Its option.
    option: &'static str,
    /// What its name in tests begins with, four letters at most.
    name: &'static str,
    /// Keys of the entry `default` of its section with which packets are lost soon.
    small: &'static str,
    /// Packets that are more than it has room for then.
    many: usize,
    /// A counter that it has.
    counter: &'static str,
    /// Part of what it says helps against loss.
    remedy: &'static str,
}

const WAYS: &[Way] = &[
    Way {
        option: "--pcap",
        name: "pc",
        small: "buffer-size: 1mb",
        many: 3000,
        counter: "/kernel_ifdrops",
        remedy: "A larger buffer-size",
    },
    Way {
        option: "--af-xdp",
        name: "xd",
        small: "threads: 1",
        many: 20_000,
        counter: "/afxdp/rx_dropped",
        remedy: "More queues",
    },
];

impl Way {
    /// A configuration with some keys for all interfaces.
    fn configuration(&self, folder: &Folder, keys: &str) -> String {
        let section = self.option.trim_start_matches('-');
        let text = format!(
            "%YAML 1.1\n---\nstats:\n  enabled: yes\n{section}:\n  - interface: default\n    {keys}\noutputs:\n  \
             - eve-log:\n      enabled: yes\n      types: [stats]\n"
        );
        folder.write("way.yaml", text)
    }

    /// The name of a test of this way.
    fn named(&self, test: &str) -> String {
        format!("{}{test}", self.name)
    }
}

fn datagram(port: u16) -> Vec<u8> {
    Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(port, 2).payload([7; 1000]).build()
}

#[test]
fn what_is_heard_is_what_is_read_from_a_file() {
    let frames = traffic();
    let timed = frames.iter().zip(0..).map(|(bytes, index)| {
        let time = weir_base::Timestamp::new(1_700_000_000, index * 1000);
        TimedFrame { time, bytes: bytes.clone() }
    });
    let file = Folder::new("ways-same-file");
    let rules = file.write("test.rules", WEB_RULE);
    let capture = file.write("same.pcap", pcap(ETHERNET, &timed.collect::<Vec<_>>()));
    assert_eq!(file.weir(&["-r", &capture, "-S", &rules]).code, 0);
    let expected = comparable(&file);
    assert!(expected.len() > 120, "{}", expected.len());
    for way in WAYS {
        let Some(cable) = Cable::lay(&way.named("same")) else { return };
        let folder = Folder::new(&format!("ways-same-{}", way.name));
        let run = cable.listen_by(way.option, &folder, &["-S", &rules, "--summary=json"]);
        cable.send(frames.iter().map(Vec::as_slice));
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(comparable(&folder), expected, "{}", way.option);
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        let heard = &summary["interfaces"][0];
        assert_eq!(heard["name"].as_str(), Some(&*cable.interface(End::Far)));
        assert_eq!((&heard["threads"], &heard["kernel_drops"]), (&1.into(), &0.into()));
        assert_eq!(heard["kernel_packets"], frames.len(), "{}", way.option);
        assert_eq!(summary["accounts"]["unbalanced"], Value::Array(Vec::new()));
        let stats = &folder.records("stats")[0]["stats"]["capture"];
        assert_eq!(stats["kernel_packets"], frames.len());
        assert!(stats.pointer(way.counter).is_some_and(Value::is_u64), "{stats}");
    }
}

#[test]
fn filters() {
    for way in WAYS {
        let Some(cable) = Cable::lay(&way.named("filt")) else { return };
        let frames = traffic();
        let tagged = frames.iter().filter(|frame| frame[12..14] == [0x81, 0]).count();
        for (filter, expected) in [("port 53", 40), ("vlan 5", tagged), ("vlan 6", 0)] {
            let folder = Folder::new(&format!("ways-filter-{}-{}", way.name, filter.replace(' ', "-")));
            let run = cable.listen_by(way.option, &folder, &["--summary=json", filter]);
            cable.send(frames.iter().map(Vec::as_slice));
            let (_, said) = run.end(Signal::TERM);
            let summary: Value = serde_json::from_str(&said).expect("a summary");
            assert_eq!(summary["packets"], expected, "{} {filter}", way.option);
        }
    }
}

#[test]
fn what_is_lost_is_told() {
    for way in WAYS {
        let Some(cable) = Cable::lay(&way.named("lost")) else { return };
        let folder = Folder::new(&format!("ways-lost-{}", way.name));
        let configuration = way.configuration(&folder, way.small);
        let frame = datagram(1);
        for format in ["json", "text"] {
            let arguments = ["-c", &configuration, &format!("--summary={format}")];
            let run = cable.listen_by(way.option, &folder, &arguments);
            run.signal(Signal::STOP);
            cable.send(std::iter::repeat_n(frame.as_slice(), way.many));
            run.signal(Signal::CONT);
            let (code, said) = run.end(Signal::INT);
            assert_eq!(code, Some(0), "{said}");
            if format == "text" {
                assert!(said.contains("packets lost") && said.contains(way.remedy), "{said}");
                continue;
            }
            let summary: Value = serde_json::from_str(&said).expect("a summary");
            let heard = &summary["interfaces"][0];
            let count = |of: &Value| of.as_u64().unwrap_or(0);
            // A few are lost before, by the interface.
            let packets = count(&heard["kernel_packets"]);
            assert!((way.many as u64 - 2000..=way.many as u64).contains(&packets), "{heard}");
            assert_eq!(count(&heard["kernel_drops"]) + count(&summary["packets"]), packets);
            assert!(count(&heard["kernel_drops"]) > 400, "{heard}");
            assert_eq!(folder.records("stats")[0]["stats"]["capture"]["kernel_drops"], heard["kernel_drops"]);
        }
    }
}

#[test]
fn interfaces_go_and_come_back() {
    for way in WAYS {
        let Some(cable) = Cable::lay(&way.named("gone")) else { return };
        let folder = Folder::new(&format!("ways-gone-{}", way.name));
        // To listen on another interface takes rights that are given away otherwise.
        let kept = ["capabilities", "seccomp", "landlock"].map(|kind| format!("security.{kind}.enabled=no"));
        let kept = kept.iter().flat_map(|setting| ["--set", setting]);
        let arguments: Vec<&str> = std::iter::once("--summary=json").chain(kept).collect();
        let mut run = cable.listen_by(way.option, &folder, &arguments);
        cable.send([&*datagram(1)]);
        cable.link(End::Far, "set", "down");
        run.logged("went down");
        cable.link(End::Far, "set", "up");
        cable.link(End::Near, "set", "up");
        run.logged("is up again");
        cable.send([&*datagram(2)]);
        cable.link(End::Far, "del", "");
        run.logged("is gone");
        cable.connect();
        run.logged("is back");
        cable.send([&*datagram(3)]);
        let (code, said) = run.end(Signal::INT);
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        assert_eq!(code, Some(0), "{said}");
        let heard = &summary["interfaces"][0];
        let count = |of: &Value| of.as_u64().unwrap_or(0);
        // What is with the interface when it is deleted may be lost, and is told then.
        let (packets, drops) = (count(&summary["packets"]), count(&heard["kernel_drops"]));
        assert!(packets >= 2 && packets + drops == 3, "{} {said}", way.option);
        assert_eq!(heard["kernel_packets"], 3);
    }
}

/// What is sent, heard by AF_XDP with some keys and arguments: the summary, and the folder of records.
fn heard_by_xdp(
    cable: &Cable,
    name: &str,
    keys: &str,
    arguments: &[&str],
    send: impl FnOnce(&Listening),
) -> (Value, Folder) {
    let folder = Folder::new(&format!("ways-xdp-{name}"));
    let configuration = folder.write(
        "xdp.yaml",
        format!(
            "%YAML 1.1\n---\naf-xdp:\n  - interface: default\n    {keys}\noutputs:\n  - eve-log:\n      enabled: yes\n      \
             types: [http, dns]\n"
        ),
    );
    let arguments = [&["-c", &configuration, "--summary=json"], arguments].concat();
    let run = cable.listen_by("--af-xdp", &folder, &arguments);
    send(&run);
    let (code, said) = run.end(Signal::INT);
    assert_eq!(code, Some(0), "{keys}: {said}");
    (serde_json::from_str(&said).expect("a summary"), folder)
}

#[test]
fn modes_of_xdp() {
    let Some(cable) = Cable::lay("xmod") else { return };
    for (name, keys) in [
        ("skb", "{force-xdp-mode: skb, force-bind-mode: copy}"),
        ("drv", "{force-xdp-mode: drv, enable-busy-poll: no}"),
        ("quiet", "{disable-promisc: yes, busy-poll-budget: 16, gro-flush-timeout: 1000000}"),
    ] {
        let keys = keys.trim_matches(['{', '}']).replace(", ", "\n    ");
        let (summary, folder) =
            heard_by_xdp(&cable, name, &keys, &[], |_| cable.send(traffic().iter().map(Vec::as_slice)));
        assert_eq!(summary["interfaces"][0]["kernel_packets"], traffic().len(), "{name}");
        assert_eq!(folder.records("http").len(), CONVERSATIONS, "{name}");
    }
}

#[test]
fn queues_are_shared_out_among_threads() {
    let Some(cable) = Cable::lay_with_queues("xque", 2) else { return };
    let frames = traffic();
    for threads in ["1", "2", "3"] {
        let (summary, folder) = heard_by_xdp(&cable, threads, "threads: auto", &["-t", threads], |_| {
            cable.send(frames.iter().map(Vec::as_slice));
        });
        let heard = &summary["interfaces"][0];
        assert_eq!(heard["threads"].to_string(), if threads == "3" { "2" } else { threads });
        assert_eq!(heard["kernel_packets"], frames.len(), "{threads} threads");
        // Questions are alone in their flows, and so on one thread wherever the kernel puts them.
        assert_eq!(folder.records("dns").len(), CONVERSATIONS, "{threads} threads");
    }
}

#[test]
fn a_thread_keeps_the_order_of_its_queues() {
    let Some(cable) = Cable::lay_with_queues("xord", 2) else { return };
    let frames = traffic();
    let each = frames.len() / CONVERSATIONS;
    for mode in ["drv", "skb"] {
        let keys = format!("force-xdp-mode: {mode}\n    enable-busy-poll: no");
        // All conversations at once: the first frame of each, then the second one of each, and so on, those of servers by the
        // queue that is looked at first. The program reads when all of them are there.
        let by_queues = |frame: &'_ Vec<u8>| {
            let source = if frame[12..14] == [0x81, 0] { 30 } else { 26 };
            usize::from(frame[source..].starts_with(&[10, 0]))
        };
        let sent = (0..each).flat_map(|step| {
            frames.iter().skip(step).step_by(each).map(move |frame| (by_queues(frame), frame.as_slice()))
        });
        let mut is_possible = true;
        let (summary, folder) = heard_by_xdp(&cable, &format!("order-{mode}"), &keys, &["-t", "1"], |run| {
            run.signal(Signal::STOP);
            is_possible = cable.send_by_queues(sent);
            run.signal(Signal::CONT);
        });
        if !is_possible {
            return;
        }
        assert_eq!(summary["interfaces"][0]["kernel_packets"], frames.len(), "{mode}");
        let requests = folder.records("http");
        let answered = requests.iter().filter(|record| record["http"]["status"] == 200).count();
        assert_eq!((requests.len(), answered), (CONVERSATIONS, CONVERSATIONS), "{mode}");
    }
}

#[test]
fn what_xdp_cannot_do_is_told() {
    let Some(cable) = Cable::lay("xref") else { return };
    let folder = Folder::new("ways-xdp-refused");
    let mut run = cable.listen_by("--af-xdp", &folder, &["-t", "2"]);
    let interface = format!("--af-xdp={}", cable.interface(End::Far));
    let other = Folder::new("ways-xdp-refused-other");
    let program = env!("CARGO_BIN_EXE_weir");
    for (arguments, part) in [
        (&[&*interface][..], "Another program of XDP is at it"),
        (&["--af-xdp=lo", "--set", "af-xdp.0.force-bind-mode=zero"], "force-bind-mode"),
        (&["--af-xdp=lo", "--set", "af-xdp.0.force-xdp-mode=drv"], "`force-xdp-mode: none`"),
        (&["--af-xdp=lo", "vlan and nonsense"], "does not compile"),
    ] {
        let mut refused = cable.start_as(program, &other, arguments);
        refused.logged(part);
        assert_eq!(refused.ended().0, Some(1), "{arguments:?}");
    }
    assert!(run.logged("without a copy").contains("force-bind-mode: copy"));
    assert_eq!(run.end(Signal::INT).0, Some(0));
}

#[test]
fn all_interfaces_are_one_for_libpcap() {
    let Some(cable) = Cable::lay("any") else { return };
    let folder = Folder::new("ways-any");
    let run = cable.start(&folder, &["--pcap=any", "--summary=json"]);
    let frames = traffic();
    cable.send(frames.iter().map(Vec::as_slice));
    let (code, said) = run.end(Signal::INT);
    assert_eq!(code, Some(0), "{said}");
    let summary: Value = serde_json::from_str(&said).expect("a summary");
    assert_eq!(summary["packets"], frames.len());
    assert_eq!(folder.records("http").len(), 40);
}

#[test]
fn zeek_listens_by_libpcap() {
    let Some(cable) = Cable::lay("zpc") else { return };
    let folder = Folder::new("ways-zeek");
    let program = folder.path("zeek");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_weir"), &program).expect("a link");
    let interface = format!("pcap::{}", cable.interface(End::Far));
    let mut run = cable.start_as(&program.to_string_lossy(), &folder, &["-i", &interface]);
    run.logged("listening on");
    cable.send(traffic().iter().map(Vec::as_slice));
    let (code, said) = run.end(Signal::TERM);
    assert_eq!(code, Some(0), "{said}");
    let log = std::fs::read_to_string(folder.path("dns.log")).expect("a log");
    assert_eq!(log.lines().filter(|line| !line.starts_with('#')).count(), 40);
}

/// The firewall's log has packets without a link layer.
#[test]
fn the_log_of_the_firewall() {
    let Some(cable) = Cable::lay("nflo") else { return };
    cable.address(End::Near, "10.9.0.1/24");
    cable.address(End::Far, "10.9.0.2/24");
    let namespace = cable.namespace(End::Far);
    let rule = format!("netns exec {namespace} iptables-legacy -A INPUT -p udp -j NFLOG --nflog-group 5");
    let mut firewall = std::process::Command::new("ip");
    firewall.args(rule.split(' ')).stderr(std::process::Stdio::null());
    if !firewall.status().is_ok_and(|status| status.success()) {
        println!("skipped: the test of the firewall's log needs `iptables-legacy` and NFLOG");
        return;
    }
    let folder = Folder::new("ways-nflog");
    let rules = folder.write("test.rules", "alert udp any any -> any 9 (msg:\"seen\"; sid:1;)\n");
    let run = cable.start(&folder, &["--nflog=5", "-S", &rules]);
    cable.at(End::Near, || {
        let socket = std::net::UdpSocket::bind("10.9.0.1:5000").expect("a socket");
        socket.send_to(b"seen", "10.9.0.2:9").expect("a datagram");
    });
    // The kernel hands a packet out a second later, unless more come.
    let begun = std::time::Instant::now();
    while folder.records("alert").is_empty() && begun.elapsed() < super::between::PATIENCE {}
    let (code, said) = run.end(Signal::INT);
    assert_eq!(code, Some(0), "{said}");
    let alert = &folder.records("alert")[0];
    assert_eq!((&alert["src_ip"], &alert["dest_port"]), (&"10.9.0.1".into(), &9.into()));
}

#[test]
fn what_cannot_be_is_told() {
    let folder = Folder::new("ways-refused");
    let empty = folder.write("empty.yaml", "%YAML 1.1\n---\na: b\n");
    for (arguments, part) in [
        (&["--pcap=no-such-if"][..], "cannot listen on no-such-if"),
        (&["--pcap", "-c", &empty], "in the section pcap"),
        (&["--pcap=lo", "--af-packet=lo"], "cannot be used with"),
        (&["--pcap=lo", "-r", "a.pcap"], "cannot be used with"),
        (&["--pcap=lo", "--pcap-file-delete"], "--pcap-file-delete is not for pcap (--pcap)"),
        (&["--pcap=lo", "--pcap-buffer-size", "4gb"], "pcap.buffer-size"),
        (&["--pcap=lo", "--set", "pcap.1.snaplen=0"], "snaplen"),
        (&["--nflog=eth0"], "a number from 1 to 65535 ('eth0' is none)"),
        (&["--nflog", "-c", &empty], "in the section nflog"),
        (&["--af-xdp=no-such-if"], "cannot listen on no-such-if"),
        (&["--af-xdp", "-c", &empty], "in the section af-xdp"),
        (&["--af-xdp=lo", "-i", "lo"], "cannot be used with"),
        (&["--af-xdp=lo", "--set", "af-xdp.0.busy-poll-budget=much"], "busy-poll-budget"),
        (&["--af-xdp=lo", "--set", "af-xdp.0.force-xdp-mode=hw"], "force-xdp-mode"),
    ] {
        let run = folder.weir(arguments);
        assert_eq!(run.code, 1, "{arguments:?}: {}", run.said());
        let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}
