//! Policy scripts that sites load: each on traffic that it has something to say of.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use weir_base::Duration;
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder};

/// A request of Modbus and its answer: `unit 1, read one holding register`.
fn register(talk: Conversation, address: u8, value: u8) -> Conversation {
    talk.client_sends([0, 1, 0, 0, 0, 6, 1, 3, 0, address, 0, 1])
        .server_sends([0, 1, 0, 0, 0, 5, 1, 3, 2, 0, value])
        .wait(Duration::from_secs(2))
}

fn modbus() -> Vec<TimedFrame> {
    let talk = Conversation::new("10.0.0.1:4000", "10.0.0.2:502").handshake();
    let talk = register(register(talk, 6, 5), 6, 5);
    register(register(talk, 7, 1), 6, 9).close().frames()
}

fn web(port: u16, host: &str, agent: &str) -> Vec<TimedFrame> {
    Conversation::new("10.0.0.1:4001", &format!("10.0.0.2:{port}"))
        .handshake()
        .client_sends(format!("GET / HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {agent}\r\n\r\n"))
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .close()
        .frames()
}

/// A request of HTTP to who speaks something else.
fn half_web() -> Vec<TimedFrame> {
    Conversation::new("10.0.0.1:4001", "10.0.0.2:8765")
        .handshake()
        .client_sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        .server_sends("SSH-2.0-a\r\n")
        .close()
        .frames()
}

fn mail() -> Vec<TimedFrame> {
    Conversation::new("10.0.0.1:4002", "10.0.0.2:25")
        .handshake()
        .server_sends("220 hi\r\n")
        .client_sends("HELO a\r\n")
        .server_sends("250 ok\r\n")
        .client_sends("MAIL FROM:<a@a.org>\r\n")
        .server_sends("250 ok\r\n")
        .client_sends("RCPT TO:<b@a.org>\r\n")
        .server_sends("250 ok\r\n")
        .client_sends("DATA\r\n")
        .server_sends("354 go on\r\n")
        .client_sends("Subject: a\r\n\r\nlook at http://bad.example/x now\r\n.\r\n")
        .server_sends("250 ok\r\n")
        .close()
        .frames()
}

/// A host that joins a group, and another that sends there.
fn group() -> Vec<TimedFrame> {
    let report = [0x16, 0, 0, 0, 239, 1, 1, 1];
    let mut report = report.to_vec();
    let sum = weir_testkit::checksum::internet(&[&report]);
    report[2..4].copy_from_slice(&sum.to_be_bytes());
    let start = weir_testkit::conversation::START;
    let join = Frame::ethernet().ipv4("10.0.0.9", "239.1.1.1").protocol(2).payload(report).build();
    let send = Frame::ethernet().ipv4("10.0.0.1", "239.1.1.1").udp(4003, 5000).payload("hi").build();
    vec![
        TimedFrame { time: start, bytes: join },
        TimedFrame { time: start.plus(Duration::from_secs(1)), bytes: send },
    ]
}

/// A lease that is renewed: `REQUEST` with the class of its vendor, and `ACK`.
fn lease() -> Vec<TimedFrame> {
    let message = |operation: u8, assigned: [u8; 4], options: &[u8]| {
        let mut bytes = vec![operation, 1, 6, 0, 1, 2, 3, 4, 0, 0, 0, 0, 10, 0, 0, 50];
        bytes.extend(assigned);
        bytes.resize(236, 0);
        bytes[28..34].copy_from_slice(&[2, 0, 0, 0, 0, 9]);
        bytes.extend([99, 130, 83, 99]);
        bytes.extend(options);
        bytes.push(255);
        bytes
    };
    let asked = message(1, [0; 4], b"\x35\x01\x03\x3c\x08MSFT 5.0");
    let given = message(2, [10, 0, 0, 50], b"\x35\x01\x05\x33\x04\0\0\x0e\x10");
    let start = weir_testkit::conversation::START;
    let ask = Frame::ethernet().ipv4("10.0.0.50", "10.0.0.2").udp(68, 67).payload(asked).build();
    let give = Frame::ethernet().ipv4("10.0.0.2", "10.0.0.50").udp(67, 68).payload(given).build();
    vec![
        TimedFrame { time: start, bytes: ask },
        TimedFrame { time: start.plus(Duration::from_secs(1)), bytes: give },
    ]
}

fn query() -> Vec<TimedFrame> {
    let query = b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x01a\x03org\0\0\x01\0\x01";
    let bytes = Frame::ethernet().ipv4("10.0.0.3", "10.0.0.4").udp(4004, 53).payload(query).build();
    vec![TimedFrame { time: weir_testkit::conversation::START, bytes }]
}

/// Runs the program as `zeek` in a test's folder.
fn started(folder: &Folder, arguments: &[&str]) -> Output {
    let program = folder.path("zeek");
    symlink(env!("CARGO_BIN_EXE_weir"), &program).expect("a link to the program");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.path("."));
    command.output().expect("the program runs")
}

/// Returns the rows of a log, of each the columns that are asked for; all that it has where none is.
fn rows(text: &str, columns: &str) -> Vec<String> {
    let names: Vec<&str> =
        text.lines().find_map(|line| line.strip_prefix("#fields\t")).expect("names").split('\t').collect();
    let place = |name: &str| names.iter().position(|known| *known == name);
    let wanted: Vec<usize> = columns.split(',').map(|name| place(name).expect("a column")).collect();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            wanted.iter().map(|at| cells[*at]).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
fn policies_write_what_they_are_for() {
    let cases = [
        (
            "protocols/modbus/track-memmap",
            "",
            modbus(),
            "modbus_register_change",
            "register,old_val,new_val,delta",
            &["7 5 9 6.012000"][..],
        ),
        (
            "frameworks/analyzer/detect-protocols",
            "",
            web(8765, "a", "b"),
            "notice",
            "note,sub,p",
            &["ProtocolDetector::Protocol_Found HTTP 8765", "ProtocolDetector::Server_Found HTTP 8765"],
        ),
        ("frameworks/analyzer/detect-protocols", "", web(80, "a", "b"), "conn", "service", &["http"]),
        (
            "frameworks/software/windows-version-detection",
            "redef Site::local_nets += { 10.0.0.0/8 };",
            web(80, "crl.microsoft.com", "Microsoft-CryptoAPI/6.1"),
            "software",
            "software_type,name,version.major,version.minor,version.addl",
            &["OS::WINDOWS Windows 6 1 7 or Server 2008 R2"],
        ),
        (
            "frameworks/software/windows-version-detection",
            "redef Site::local_nets += { 10.0.0.0/8 };",
            web(80, "crl.microsoft.com", "Microsoft-CryptoAPI/77.3"),
            "software",
            "software_type,unparsed_version",
            &["OS::WINDOWS Unknown CryptoAPI Version/77.3"],
        ),
        (
            "frameworks/intel/seen/smtp-url-extraction",
            "event zeek_init() { Intel::insert([$indicator=\"bad.example/x\", $indicator_type=Intel::URL, $meta=[$source=\"own\"]]); }",
            mail(),
            "intel",
            "seen.indicator,seen.where",
            &["bad.example/x SMTP::IN_MESSAGE"],
        ),
        (
            "protocols/conn/multicast-participants",
            "",
            group(),
            "multicast_participants",
            "orig_h,group_addr,group_p,participants",
            &["10.0.0.1 239.1.1.1 5000 10.0.0.9"],
        ),
        (
            "frameworks/analyzer/packet-segment-logging",
            "redef Analyzer::Logging::packet_segment_size = 6;",
            half_web(),
            "analyzer",
            "analyzer_name,packet_segment",
            &["HTTP \\x02\\x00\\x00\\x00\\x00\\x02"],
        ),
        (
            "protocols/dhcp/msg-orig",
            "@load protocols/dhcp/software",
            lease(),
            "dhcp",
            "msg_types,msg_orig,client_software,server_software",
            &["REQUEST,ACK 10.0.0.50,10.0.0.2 MSFT 5.0 -"],
        ),
        (
            "protocols/dhcp/software",
            "redef Site::local_nets += { 10.0.0.0/8 };",
            lease(),
            "software",
            "host,software_type,name,version.major",
            &["10.0.0.50 DHCP::CLIENT MSFT 5"],
        ),
        (
            "integration/collective-intel",
            "@load frameworks/intel/seen
             event zeek_init() { Intel::insert([$indicator=\"10.0.0.2\", $indicator_type=Intel::ADDR,
                $meta=[$source=\"own\", $cif_tags=\"a,b\", $cif_confidence=85.0]]); }",
            web(80, "a", "b"),
            "intel",
            "seen.indicator,cif.tags,cif.confidence,cif.source",
            &["10.0.0.2 a,b 85.0 -"],
        ),
        (
            "tuning/track-all-assets",
            "redef Site::local_nets += { 192.0.2.0/24 };",
            web(80, "a", "b/1.2"),
            "known_services",
            "host,port_num,service",
            &["10.0.0.2 80 HTTP"],
        ),
        ("protocols/dns/disable-opcode-log-fields", "", query(), "dns", "query", &["a.org"]),
    ];
    for (policy, more, frames, log, columns, expected) in cases {
        let folder = Folder::new("policies");
        folder.write("a.pcap", pcap(ETHERNET, &frames));
        folder.write("own.zeek", format!("@load {policy}\n{more}\n"));
        let run = started(&folder, &["-r", "a.pcap", "own.zeek"]);
        assert!(run.status.success() && run.stderr.is_empty(), "{policy}: {run:?}");
        let text = fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default();
        assert!(!text.is_empty(), "{policy} writes no {log}.log: {run:?}");
        assert_eq!(rows(&text, columns), expected, "{policy}\n{text}");
        assert!(log == "notice" || !folder.path("notice.log").exists(), "{policy}");
        let has_opcodes = text.contains("\topcode");
        assert!(!has_opcodes, "{policy}\n{text}");
    }
}

#[test]
fn commands_of_redis_have_numbers_of_an_enumeration() {
    let folder = Folder::new("commands_of_redis");
    let talk = Conversation::new("10.0.0.1:4005", "10.0.0.2:6379").handshake();
    let talk = talk.client_sends("*2\r\n$3\r\nGET\r\n$1\r\na\r\n").server_sends("$1\r\nb\r\n");
    let talk = talk.client_sends("*1\r\n$4\r\nPING\r\n").server_sends("+PONG\r\n");
    folder.write("a.pcap", pcap(ETHERNET, &talk.close().frames()));
    folder.write(
        "own.zeek",
        "event Redis::command(c: connection, cmd: Redis::Command)
            { print cmd$name, cmd?$known, cmd?$known && cmd$known == Redis::RedisCommand_GET; }",
    );
    let run = started(&folder, &["-r", "a.pcap", "own.zeek"]);
    assert_eq!(String::from_utf8_lossy(&run.stdout), "GET, T, T\nPING, F, F\n", "{run:?}");
}

#[test]
fn policies_that_do_nothing_say_so() {
    let folder = Folder::new("policies_of_names");
    folder.write("a.pcap", pcap(ETHERNET, &query()));
    folder.write("own.zeek", "@load protocols/http/detect-webapps\n@load misc/weird-stats\n");
    let run = started(&folder, &["-r", "a.pcap", "own.zeek"]);
    let said = String::from_utf8_lossy(&run.stderr);
    let place =
        "warning in ./own.zeek, line 1: policy/protocols/http/detect-webapps is known by its names alone";
    assert!(run.status.success() && said.contains(place) && said.lines().count() == 1, "{said}");
}

#[test]
fn loaded_scripts_are_listed_as_deep_as_they_are() {
    let folder = Folder::new("loaded_scripts");
    folder.write("inner.zeek", "event zeek_done() { }");
    folder.write("own.zeek", "@load misc/loaded-scripts\n@load ./inner\n");
    let run = started(&folder, &["own.zeek"]);
    assert!(run.status.success(), "{run:?}");
    let text = fs::read_to_string(folder.path("loaded_scripts.log")).expect("a log");
    let found = rows(&text, "name");
    let outer = found.iter().position(|name| name.ends_with("own.zeek")).expect("the script");
    let depth = |name: &str| name.len() - name.trim_start().len();
    let inner = found.iter().position(|name| name.ends_with("inner.zeek")).expect("the script it loads");
    assert!(inner > outer && depth(&found[inner]) == depth(&found[outer]) + 2, "{found:?}");
    let policy = found.iter().find(|name| name.contains("policy/misc/loaded-scripts.zeek"));
    assert_eq!(policy.map(|name| depth(name)), Some(depth(&found[outer]) + 2), "{found:?}");
}
