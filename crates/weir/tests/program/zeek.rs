//! Zeek's logs as their readers see them: through the program under Zeek's own names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use weir_base::Direction::ToServer;
use weir_base::{Duration, Timestamp};
use weir_testkit::conversation::START;
use weir_testkit::tcp_flags::{ACK, RST, SYN};
use weir_testkit::{Conversation, Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder};

/// A row by the names of its columns; what is unset is left out.
type Row = BTreeMap<String, String>;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample").join(name)
}

/// Runs the program under another name, in the test's folder.
fn started_as(folder: &Folder, name: &str, arguments: &[&str], input: &[u8]) -> Output {
    let link = folder.path(name);
    if !link.exists() {
        symlink(env!("CARGO_BIN_EXE_weir"), &link).expect("a link to the program");
    }
    let mut child = Command::new(&link)
        .args(arguments)
        .env("TZ", "UTC")
        .current_dir(folder.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

/// Every log of a folder by its name.
fn logs(folder: &Folder) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder.path(".")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            found.insert(name, fs::read_to_string(&path).expect("a log"));
            fs::remove_file(&path).expect("a log that can be removed");
        }
    }
    found
}

fn read_tsv(text: &str) -> Vec<Row> {
    let mut names: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#fields\t") {
            names = rest.split('\t').collect();
        }
        if line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), names.len(), "{line}");
        let pairs = names.iter().zip(cells).filter(|(_, cell)| *cell != "-");
        rows.push(pairs.map(|(name, cell)| (name.to_string(), cell.to_owned())).collect());
    }
    rows
}

/// A value of JSON as the other form writes it.
fn as_tsv(value: &Value) -> String {
    match value {
        Value::Bool(truth) => if *truth { "T" } else { "F" }.to_owned(),
        Value::Array(items) if items.is_empty() => "(empty)".to_owned(),
        Value::Array(items) => items.iter().map(as_tsv).collect::<Vec<_>>().join(","),
        Value::String(text) if text.is_empty() => "(empty)".to_owned(),
        Value::String(text) => text.replace('\\', "\\\\"),
        Value::Number(number) if number.is_f64() => format!("{:.6}", number.as_f64().expect("a number")),
        other => other.to_string(),
    }
}

fn read_json(text: &str) -> Vec<Row> {
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row is JSON"));
    rows.map(|row| {
        let pairs = row.as_object().expect("a row is an object").iter();
        pairs.map(|(name, value)| (name.clone(), as_tsv(value))).collect()
    })
    .collect()
}

#[test]
fn both_forms_say_the_same_and_can_be_joined() {
    let folder = Folder::new("zeek_forms");
    let capture = sample("sample.pcap");
    let mut forms = Vec::new();
    for setting in ["LogAscii::use_json=F", "LogAscii::use_json=T"] {
        let run = started_as(&folder, "zeek", &["-C", "-r", &capture.to_string_lossy(), setting], b"");
        assert!(run.status.success(), "{run:?}");
        assert!(run.stdout.is_empty(), "{run:?}");
        forms.push(logs(&folder));
    }
    let json = forms.pop().expect("two forms");
    let tsv = forms.pop().expect("two forms");
    assert!(tsv.keys().eq(json.keys()), "{:?} {:?}", tsv.keys(), json.keys());
    assert!(["conn", "dns", "http", "ssl", "files"].iter().all(|name| tsv.contains_key(*name)));
    assert!(!tsv.contains_key("fast") && !folder.path("eve.json").exists());

    let rows: BTreeMap<&str, Vec<Row>> =
        tsv.iter().map(|(name, text)| (name.as_str(), read_tsv(text))).collect();
    for (name, text) in &json {
        assert_eq!(rows[name.as_str()], read_json(text), "{name}");
    }
    let ids = |log: &str, column: &str| -> BTreeSet<String> {
        rows[log].iter().map(|row| row[column].clone()).collect()
    };
    let (uids, fuids) = (ids("conn", "uid"), ids("files", "fuid"));
    for (name, rows) in &rows {
        for row in rows {
            assert!(row.get("uid").is_none_or(|uid| uids.contains(uid)), "{name}: {row:?}");
            for (column, value) in row.iter().filter(|(column, _)| column.ends_with("fuids")) {
                assert!(value.split(',').all(|fuid| fuids.contains(fuid)), "{name}: {column} {value}");
            }
        }
    }

    let conn = tsv["conn"].as_bytes();
    let cut = started_as(&folder, "zeek-cut", &["uid", "service"], conn);
    let expected: String = rows["conn"]
        .iter()
        .map(|row| format!("{}\t{}\n", row["uid"], row.get("service").map_or("-", String::as_str)))
        .collect();
    assert_eq!(String::from_utf8_lossy(&cut.stdout), expected);
}

#[test]
fn alerts_and_records_share_ids() {
    let folder = Folder::new("zeek_alerts");
    let (capture, rules) = (sample("sample.pcap"), sample("sample.rules"));
    let run =
        folder.weir(&["-r", &capture.to_string_lossy(), "-S", &rules.to_string_lossy(), "--zeek-logs=json"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let alerts = folder.records("alert");
    let rows = read_json(&fs::read_to_string(folder.path("signatures_alert.log")).expect("a log of alerts"));
    let of_eve: Vec<(String, String)> = alerts
        .iter()
        .map(|alert| (as_tsv(&alert["zeek_uid"]), alert["alert"]["signature_id"].to_string()))
        .collect();
    let of_zeek: Vec<(String, String)> =
        rows.iter().map(|row| (row["uid"].clone(), row["sid"].clone())).collect();
    assert_eq!(of_eve, of_zeek);
    assert!(rows.iter().all(|row| row.contains_key("msg") && row.contains_key("severity")));
}

#[test]
fn scripts_of_the_policy_add_logs() {
    let folder = Folder::new("zeek_local");
    let capture = sample("sample.pcap");
    let capture = capture.to_string_lossy();
    let run = started_as(&folder, "zeek", &["-r", &capture, "local", "protocols/ssl/expiring-certs"], b"");
    assert!(run.status.success(), "{run:?}");
    let logs = logs(&folder);
    let column = |log: &str, name: &str| -> BTreeSet<String> {
        read_tsv(&logs[log]).into_iter().filter_map(|mut row| row.remove(name)).collect()
    };
    let set = |words: &[&str]| -> BTreeSet<String> { words.iter().map(|word| word.to_string()).collect() };
    assert_eq!(column("known_hosts", "host"), set(&["10.20.0.10", "10.20.0.20"]));
    let services = column("known_services", "service");
    assert_eq!(services, set(&["DNS", "HTTP", "SMTP", "SSH", "SSL"]));
    assert_eq!(column("known_certs", "subject"), set(&["CN=login.example,O=Example Ltd,C=XX"]));
    assert_eq!(column("software", "name"), set(&["OpenSSH", "curl", "nginx", "sqlmap", "swaks"]));
    assert_eq!(column("notice", "note"), set(&["SSL::Certificate_Expires_Soon"]));
    assert_eq!(column("packet_filter", "filter"), set(&["ip or not ip"]));
    assert_eq!(column("capture_loss", "gaps"), set(&["0"]));
    assert!(logs.contains_key("stats"));
}

/// How many connections come of what goes on after a pause, and when they are over.
#[test]
fn connections_are_waited_for() {
    let tcp = || Conversation::new("10.0.0.1:40000", "10.0.0.2:80");
    let seconds = Duration::from_secs;
    let paused = tcp().handshake().client_sends("one").wait(seconds(400)).client_sends("two");
    let unanswered = tcp().segment(ToServer, SYN, b"").wait(seconds(30)).server_sends("late");
    let closed = tcp().handshake().close().wait(seconds(8)).segment(ToServer, ACK, b"");
    let reset = tcp().handshake().segment(ToServer, RST, b"").wait(seconds(8)).segment(ToServer, ACK, b"");
    let cases: [(&str, Conversation, &[&str], usize); 8] = [
        ("paused", paused.clone(), &[], 2),
        ("paused_longer", paused.clone(), &["tcp_inactivity_timeout=10 mins"], 1),
        ("paused_for_ever", paused, &["tcp_inactivity_timeout=0sec"], 1),
        ("unanswered", unanswered.clone(), &[], 2),
        ("unanswered_longer", unanswered, &["tcp_attempt_delay=1min"], 1),
        ("closed", closed.clone(), &["tcp_reset_delay=1min"], 2),
        ("closed_longer", closed, &["tcp_close_delay=10sec"], 1),
        ("reset_longer", reset, &["tcp_reset_delay=10sec"], 1),
    ];
    for (name, conversation, settings, expected) in cases {
        let folder = Folder::new(&format!("zeek_waits_{name}"));
        let capture = folder.write("a.pcap", pcap(ETHERNET, &conversation.frames()));
        let run = started_as(&folder, "zeek", &[&["-C", "-r", &capture], settings].concat(), b"");
        assert!(run.status.success(), "{name}: {run:?}");
        assert_eq!(read_tsv(&logs(&folder)["conn"]).len(), expected, "{name}");
    }
}

/// Packets with a wrong checksum, as captures of sending hosts have them, count for nothing unless `-C` says so.
#[test]
fn packets_with_wrong_checksums() {
    let broken = |frames: Vec<TimedFrame>, byte: usize, odd: &dyn Fn(usize) -> bool| {
        let mut frames = frames;
        for (_, frame) in frames.iter_mut().enumerate().filter(|(number, _)| odd(*number)) {
            frame.bytes[byte] ^= 0x55;
        }
        frames
    };
    let talk = || {
        let talk = Conversation::new("10.0.0.1:40000", "10.0.0.2:80").handshake();
        talk.client_sends("GET / HTTP/1.0\r\n\r\n").server_sends("HTTP/1.0 200 OK\r\n\r\n").close().frames()
    };
    let datagram = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5000, 53);
    let query = b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01";
    let asked = vec![TimedFrame { time: Timestamp::new(1, 0), bytes: datagram.payload(query).build() }];
    let ping = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").icmpv4(8, 0, [0; 4]).payload(b"ping").build();
    let pinged = vec![TimedFrame { time: Timestamp::new(1, 0), bytes: ping }];
    // Where the checksums of IP, TCP, UDP and ICMP stand behind Ethernet.
    let (ip, tcp, udp, icmp) = (24, 50, 40, 36);
    type Case<'a> = (&'a str, Vec<TimedFrame>, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 5] = [
        ("tcp", broken(talk(), tcp, &|_| true), &["OTH Cc 0 0"], &["bad_TCP_checksum"]),
        ("some", broken(talk(), tcp, &|number| number == 3), &["SF ShACaGdFf 5 5"], &["bad_TCP_checksum"]),
        ("udp", broken(asked, udp, &|_| true), &["OTH C 0 0"], &["bad_UDP_checksum"]),
        ("icmp", broken(pinged, icmp, &|_| true), &["OTH - 0 0"], &["bad_ICMP_checksum"]),
        ("ip", broken(talk(), ip, &|_| true), &[], &["bad_IP_checksum"; 2]),
    ];
    for (name, frames, connections, oddities) in cases {
        let folder = Folder::new(&format!("zeek_checksums_{name}"));
        let capture = folder.write("a.pcap", pcap(ETHERNET, &frames));
        for option in ["-r", "-Cr"] {
            let run = started_as(&folder, "zeek", &[option, &capture], b"");
            assert!(run.status.success(), "{name}: {run:?}");
            let logs = logs(&folder);
            let rows = |log: &str| logs.get(log).map(|text| read_tsv(text)).unwrap_or_default();
            let cell = |row: &Row, column: &str| row.get(column).cloned().unwrap_or("-".to_owned());
            let counted = |row: &Row| {
                ["conn_state", "history", "orig_pkts", "resp_pkts"].map(|column| cell(row, column)).join(" ")
            };
            let counted: Vec<String> = rows("conn").iter().map(counted).collect();
            let names: Vec<String> = rows("weird").iter().map(|row| cell(row, "name")).collect();
            if option == "-r" {
                assert_eq!((counted, names), (owned(connections), owned(oddities)), "{name}");
                let told: Vec<String> = rows("reporter").iter().map(|row| cell(row, "level")).collect();
                let is_doubtful = matches!(name, "tcp" | "some");
                assert_eq!(
                    told,
                    if is_doubtful { owned(&["Reporter::WARNING"]) } else { Vec::new() },
                    "{name}"
                );
                assert!(rows("dns").is_empty() && (name == "some" || rows("http").is_empty()), "{name}");
            } else {
                assert_eq!((counted.len(), names.len()), (1, 0), "{name}: {counted:?} {names:?}");
            }
        }
    }
}

/// A wrong checksum of one connection takes nothing from another one that has its say at the end.
#[test]
fn a_wrong_checksum_is_that_of_its_packet() {
    let asked = Conversation::new("10.0.0.1:40000", "10.0.0.2:80").handshake();
    let asked = asked.client_sends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
    let later = asked.time().plus(Duration::from_secs(1));
    let other = Conversation::new("10.0.0.3:40000", "10.0.0.4:80").at(later);
    let mut last = other.segment(ToServer, SYN, b"").frames();
    last[0].bytes[50] ^= 0x55;
    let folder = Folder::new("zeek_last_checksum");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &[asked.frames(), last].concat()));
    let run = started_as(&folder, "zeek", &["-r", &capture], b"");
    assert!(run.status.success(), "{run:?}");
    assert_eq!(read_tsv(&logs(&folder)["http"]).len(), 1);
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn scripts_of_the_policy_add_columns() {
    let folder = Folder::new("zeek_columns");
    let capture = sample("sample.pcap").to_string_lossy().into_owned();
    for json in ["LogAscii::use_json=F", "LogAscii::use_json=T"] {
        let scripts = [
            "protocols/conn/vlan-logging",
            "protocols/conn/mac-logging",
            "protocols/conn/community-id-logging",
            "policy/protocols/conn/ip-proto-name-logging.zeek",
            "protocols/http/header-names",
            "protocols/http/var-extraction-uri",
            "protocols/http/var-extraction-cookies",
            "protocols/dns/log-original-query-case",
            "protocols/dns/auth-addl",
            "frameworks/files/hash-all-files",
            "protocols/ssl/log-hostcerts-only",
        ];
        let run = started_as(&folder, "zeek", &[&["-r", &capture, json][..], &scripts].concat(), b"");
        assert!(run.status.success(), "{run:?}");
        let logs = logs(&folder);
        let rows = |log: &str| {
            if json.ends_with('T') { read_json(&logs[log]) } else { read_tsv(&logs[log]) }
        };
        for row in rows("conn") {
            assert_eq!(row["orig_l2_addr"].len(), 17, "{row:?}");
            assert!(row["community_id"].starts_with("1:") && row.contains_key("ip_proto_name"), "{row:?}");
            assert!(!row.contains_key("vlan"), "{row:?}");
        }
        assert!(rows("http").iter().any(|row| row["client_header_names"].contains("HOST")));
        assert!(rows("http").iter().all(|row| row["uri_vars"].starts_with('/')));
        let asked = rows("dns");
        assert!(
            asked.iter().all(|row| row["original_query"].eq_ignore_ascii_case(&row["query"])),
            "{asked:?}"
        );
        assert!(rows("files").iter().all(|row| row["analyzers"].contains("SHA1") && row["sha1"].len() == 40));
        assert!(rows("x509").iter().all(|row| row["host_cert"] == "T"));
    }
}

#[test]
fn what_follows_a_protocol_that_is_only_named() {
    let folder = Folder::new("what_follows_a_protocol_that_is_only_named");
    let talk = Conversation::new("10.0.0.1:40000", "192.0.2.1:143").handshake();
    let talk = talk.server_sends("* OK ready\r\n").client_sends("a STARTTLS\r\n").server_sends("a OK go\r\n");
    let hello = b"\x16\x03\x01\0\x2f\x01\0\0\x2b\x03\x03".iter().copied().chain([7; 32]);
    let hello: Vec<u8> = hello.chain(*b"\0\0\x02\x13\x01\x01\0\0\0").collect();
    let capture = folder.write("imap.pcap", pcap(ETHERNET, &talk.client_sends(hello).close().frames()));
    folder.weir(&["-r", &capture, "--disable-detection", "--zeek-logs"]);
    let logs = logs(&folder);
    let rows = read_tsv(&logs["conn"]);
    assert!(rows[0]["service"].split(',').any(|name| name == "ssl"), "{rows:?}");
    assert_eq!(read_tsv(&logs["ssl"]).len(), 1);
}

#[test]
fn logs_are_rotated_and_compressed() {
    let folder = Folder::new("zeek_rotation");
    let capture = sample("sample.pcap").to_string_lossy().into_owned();
    let settings = [
        "Log::default_rotation_interval=1sec",
        "LogAscii::gzip_level=9",
        "LogAscii::gzip_file_extension=gzip",
    ];
    let arguments = [&["-r", &capture][..], &settings].concat();
    let run = started_as(&folder, "zeek", &arguments, b"");
    assert!(run.status.success(), "{run:?}");
    let files = fs::read_dir(folder.path(".")).expect("the folder");
    let mut names: Vec<String> = files
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("dns"))
        .collect();
    names.sort();
    assert_eq!(names, ["dns.2026-11-21-22-18-48.log.gzip", "dns.2026-11-21-22-18-49.log.gzip"]);
    for name in names {
        let bytes = fs::read(folder.path(&name)).expect("a log");
        assert_eq!(bytes[..3], [0x1f, 0x8b, 8], "{name}");
    }
}

#[test]
fn a_site_names_its_networks() {
    let folder = Folder::new("zeek_site");
    fs::write(folder.path("site.zeek"), "@load local\nredef Site::local_nets += { 198.51.100.0/25, };\n")
        .expect("a script");
    let capture = sample("sample.pcap").to_string_lossy().into_owned();
    let local = |arguments: &[&str]| -> BTreeSet<(String, String)> {
        let run = started_as(&folder, "zeek", &[&["-Cr", &capture][..], arguments].concat(), b"");
        assert!(run.status.success(), "{run:?}");
        let ends = [("id.orig_h", "local_orig"), ("id.resp_h", "local_resp")];
        let rows = read_tsv(&logs(&folder)["conn"]);
        rows.iter()
            .flat_map(|row| ends.map(|(host, local)| (row[host].clone(), row[local].clone())))
            .filter(|(host, _)| host.starts_with("10.20.0.") || host.starts_with("198.51.100."))
            .collect()
    };
    let locals = local(&[]);
    assert!(locals.len() > 1 && locals.iter().all(|(_, local)| local == "T"), "{locals:?}");
    assert_eq!(local(&["site"]), locals);
    let only = ["Site::private_address_space_is_local=F", "Site::local_nets={10.20.0.10/32}"];
    let locals: Vec<(String, String)> = local(&only).into_iter().filter(|(_, local)| local == "T").collect();
    assert_eq!(locals, [("10.20.0.10".to_owned(), "T".to_owned())]);
}

#[test]
fn files_set_what_logs_show() {
    let capture = sample("sample.pcap").to_string_lossy().into_owned();
    for (lines, unset, complaint) in [
        // A value that is for those who run scripts.
        ("redef LogAscii::unset_field = \"none\";\n", "none", ""),
        // A script of Zeek's that those who run scripts have.
        ("@load base/protocols/conn\nredef LogAscii::unset_field = \"none\";\n", "none", ""),
        // A site with scripts that are not there is taken as far as it can be.
        (
            "@load nowhere/at-all\nredef LogAscii::unset_field = \"none\";\n",
            "-",
            "site.zeek, line 1 is passed over",
        ),
        ("redef LogAscii::no_such_field = \"none\";\n", "", "LogAscii::no_such_field"),
    ] {
        let folder = Folder::new("zeek_values");
        folder.write("site.zeek", lines);
        let run = started_as(&folder, "zeek", &["-Cr", &capture, "site"], b"");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(said.contains(complaint), "{lines}: {run:?}");
        assert_eq!(run.status.success(), !unset.is_empty(), "{lines}: {run:?}");
        if let Some(conn) = logs(&folder).get("conn") {
            assert!(conn.contains(&format!("#unset_field\t{unset}\n")), "{lines}: {conn}");
            assert!(conn.contains(&format!("\t{unset}\t")), "{lines}");
        }
    }
}

#[test]
fn what_is_built_in_is_listed() {
    let folder = Folder::new("zeek_plugins");
    for (flag, expected) in
        [("-N", "Zeek::HTTP - HTTP analyzer (built-in)"), ("--version", "zeek version 8.2.0")]
    {
        let run = started_as(&folder, "zeek", &[flag], b"");
        assert!(run.status.success() && String::from_utf8_lossy(&run.stdout).contains(expected), "{run:?}");
    }
}

#[test]
fn scripts_run_without_packets() {
    let folder = Folder::new("zeek_scripts");
    folder.write(
        "sum.zeek",
        "event zeek_init() { local sum = 0; for ( n in set(1, 2, 3) ) sum += n; print sum; }",
    );
    for (arguments, status, said, complaint) in [
        (&["-e", "print 1;"][..], 0, "1\n", ""),
        (&["-b", "sum.zeek"], 0, "6\n", ""),
        (&["-r", "a.pcap", "site.zeek"], 1, "", "can't find site.zeek"),
        (&["-x"], 1, "", "zeek: "),
    ] {
        let run = started_as(&folder, "zeek", arguments, b"");
        let [out, err] = [&run.stdout, &run.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!((run.status.code(), &*out), (Some(status), said), "{arguments:?}: {run:?}");
        assert!(err.contains(complaint), "{run:?}");
    }
}

/// Logs and files of scripts lie where all logs do, unless scripts say where.
#[test]
fn what_scripts_write_lies_in_the_folder_of_logs() {
    let own = "module Own; export { redef enum Log::ID += { LOG }; type Info: record { uid: string &log; }; }
        event zeek_init() { Log::create_stream(LOG, [$columns=Info, $path=\"own\"]); }
        event connection_state_remove(c: connection) { Log::write(LOG, Info($uid=c$uid)); }
        event file_new(f: fa_file) { Files::add_analyzer(f, Files::ANALYZER_EXTRACT, [$extract_filename=\"body\"]); }
        redef record HTTP::Info += { length_of_uri: count &log &optional; };";
    for (name, more, place) in
        [("given", "", "a \"b\"/"), ("said", "redef Log::default_logdir = \"other\";", "other/")]
    {
        let folder = Folder::new(&format!("folder_of_scripts_{name}"));
        std::fs::create_dir(folder.path("a \"b\"")).unwrap();
        std::fs::create_dir(folder.path("other")).unwrap();
        folder.write("own.zeek", format!("{own}{more}"));
        folder.write("a.pcap", pcap(ETHERNET, &crate::run::web_request()));
        let words = ["-q", "-r", "a.pcap", "-l", "a \"b\"", "--zeek-logs", "--zeek-script", "own.zeek"];
        let run = started_as(&folder, "weir", &words, b"");
        assert!(run.status.success(), "{run:?}");
        for file in ["own.log", "http.log"] {
            let written = folder.path(place).join(file);
            assert!(written.is_file(), "{name}: {} is not there", written.display());
        }
        assert!(folder.path("a \"b\"/extract_files/body").is_file(), "{name}");
    }
}

/// Rows of connections have what scripts keep of them, whether they are over before the capture is or not.
#[test]
fn rows_of_connections_have_what_scripts_keep() {
    let folder = Folder::new("rows_of_connections");
    folder.write(
        "own.zeek",
        "redef record Conn::Info += { own: count &log &optional; }; global told = 0;
         event connection_state_remove(c: connection) { c$conn$own = ++told; }",
    );
    let talk = |client: &str, seconds| {
        let talk = Conversation::new(client, "10.0.0.2:80").wait(Duration::from_secs(seconds));
        talk.handshake().client_sends("GET / HTTP/1.1\r\n\r\n").close().frames()
    };
    let frames = [talk("10.0.0.1:1", 0), talk("10.0.0.1:2", 100), talk("10.0.0.1:3", 200)].concat();
    folder.write("a.pcap", pcap(ETHERNET, &frames));
    for workers in ["1", "2"] {
        let words =
            ["-q", "-t", workers, "-r", "a.pcap", "-l", ".", "--zeek-logs", "--zeek-script", "own.zeek"];
        let run = started_as(&folder, "weir", &words, b"");
        assert!(run.status.success(), "{run:?}");
        let log = std::fs::read_to_string(folder.path("conn.log")).unwrap();
        let own =
            log.lines().filter(|line| !line.starts_with('#')).map(|line| line.rsplit('\t').next().unwrap());
        assert_eq!(own.collect::<Vec<_>>(), ["1", "2", "3"], "{log}");
        std::fs::remove_file(folder.path("conn.log")).unwrap();
    }
}

/// Services that scripts add to connections are in their rows, behind what the engine found.
#[test]
fn rows_of_connections_name_services_of_scripts() {
    let folder = Folder::new("services_of_scripts");
    let talk = |client: &str, port: u16, said: &str| {
        let talk = Conversation::new(client, &format!("10.0.0.2:{port}")).handshake();
        talk.client_sends(said).server_sends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").close().frames()
    };
    let frames = [talk("10.0.0.1:1", 80, "GET / HTTP/1.1\r\n\r\n"), talk("10.0.0.1:2", 9, "?")].concat();
    folder.write("a.pcap", pcap(ETHERNET, &frames));
    let cases = [
        ("event new_connection(c: connection) { add c$service[\"OWN\"]; }", ["http,own", "own"]),
        (
            "event http_request(c: connection, m: string, o: string, u: string, v: string) { add c$service[\"own\"]; }",
            ["http,own", "-"],
        ),
        ("event connection_state_remove(c: connection) { add c$service[\"late\"]; }", ["http", "-"]),
        (
            "event connection_state_remove(c: connection) &priority=6 { add c$service[\"HTTP\"]; }",
            ["http", "http"],
        ),
        ("event connection_state_remove(c: connection) { print c$service; }", ["http", "-"]),
    ];
    for (script, expected) in cases {
        folder.write("own.zeek", script);
        let words = ["-q", "-r", "a.pcap", "-l", ".", "--zeek-logs", "--zeek-script", "own.zeek"];
        let run = started_as(&folder, "weir", &words, b"");
        assert!(run.status.success(), "{run:?}");
        let log = std::fs::read_to_string(folder.path("conn.log")).unwrap();
        let services =
            log.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').nth(7).unwrap());
        assert_eq!(services.collect::<Vec<_>>(), expected, "{script}\n{log}");
        std::fs::remove_file(folder.path("conn.log")).unwrap();
    }
}

/// What scripts put into the record of a protocol is in its row, also where the engine writes that when the connection is
/// long over for scripts.
#[test]
fn rows_of_protocols_have_what_scripts_keep() {
    let folder = Folder::new("rows_of_protocols");
    folder.write(
        "own.zeek",
        "redef record FTP::Info += { own: string &log &optional; };
         redef record DNS::Info += { own: string &log &optional; };
         event ftp_request(c: connection, command: string, arg: string) { c$ftp$own = command; }
         event dns_request(c: connection, msg: dns_msg, query: string, qtype: count, qclass: count) { c$dns$own = query; }",
    );
    let talk = Conversation::new("10.0.0.1:1", "10.0.0.2:21").handshake().server_sends("220 hi\r\n");
    let talk = talk.client_sends("USER a\r\n").server_sends("331 who\r\n");
    let talk = talk.client_sends("DELE b\r\n").server_sends("250 ok\r\n").close();
    let query = b"\0\x07\x01\0\0\x01\0\0\0\0\0\0\x01a\x03org\0\0\x01\0\x01";
    let asked = |seconds, port| TimedFrame {
        time: START.plus(Duration::from_secs(seconds)),
        bytes: Frame::ethernet().ipv4("10.0.0.3", "10.0.0.4").udp(port, 53).payload(query).build(),
    };
    let frames = [talk.frames(), vec![asked(1, 1000), asked(50, 2000), asked(100, 3000)]].concat();
    folder.write("a.pcap", pcap(ETHERNET, &frames));
    let words = ["-q", "-r", "a.pcap", "-l", ".", "--zeek-logs", "--zeek-script", "own.zeek"];
    let run = started_as(&folder, "weir", &words, b"");
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    for (log, expected) in [("ftp.log", &["DELE"][..]), ("dns.log", &["a.org"; 3])] {
        let log = std::fs::read_to_string(folder.path(log)).unwrap();
        let own =
            log.lines().filter(|line| !line.starts_with('#')).map(|line| line.rsplit('\t').next().unwrap());
        assert_eq!(own.collect::<Vec<_>>(), expected, "{log}");
    }
}

/// Numbers without names have one, as in the engine's own logs.
#[test]
fn tables_of_names_have_names_for_others() {
    let folder = Folder::new("tables_of_names");
    let statements = "print DNS::classes[77], DNS::query_types[4242], SSL::version_strings[9], SSL::cipher_desc[65534],
        Modbus::function_codes[99], SMB::statuses[5]$id, RDP::languages[1], PE::os_versions[7, 3], KRB::cipher_name[200],
        DCE_RPC::operations[\"x\", 6], MQTT::versions[9], QUIC::version_strings[255];";
    let run = started_as(&folder, "zeek", &["-e", statements], b"");
    let expected = "qclass-77, query-4242, unknown-9, unknown-65534, unknown-99, unknown-5, keyboard-1, unknown-7.3, \
        unknown-200, unknown-6, unknown-version-9, unknown-ff\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), expected, "{run:?}");
}

/// Zeek's logs stand alone, unless something asks for Suricata's too.
#[test]
fn only_what_is_asked_for_lies_in_the_folder() {
    let rules = "alert tcp any any -> any any (sid:1;)\n";
    for (name, words, suricatas) in [
        ("alone", &["--zeek-logs"][..], &[][..]),
        ("rules", &["--zeek-logs", "-S", "RULES"], &["eve.json", "fast.log", "stats.log"]),
        (
            "set",
            &["--zeek-logs", "--set", "outputs.eve-log.enabled=yes"],
            &["eve.json", "fast.log", "stats.log"],
        ),
        ("eve", &[], &["eve.json", "fast.log", "stats.log"]),
    ] {
        let folder = Folder::new(&format!("only_what_is_asked_for_{name}"));
        let rules = folder.write("a.rules", rules);
        let capture = folder.write("a.pcap", pcap(ETHERNET, &crate::run::web_request()));
        let words: Vec<&str> =
            words.iter().map(|word| if *word == "RULES" { &rules } else { *word }).collect();
        let run = folder.weir(&[&["-r", &capture, "--quiet"], &words[..]].concat());
        assert_eq!(run.code, 0, "{}", run.said());
        for file in ["eve.json", "fast.log", "stats.log", "suricata.log"] {
            assert_eq!(folder.path(file).exists(), suricatas.contains(&file), "{name}: {file}");
        }
        assert_eq!(folder.path("conn.log").exists(), words.contains(&"--zeek-logs"), "{name}");
        assert_eq!(folder.path("weir.log").exists(), name != "alone", "{name}");
    }
    let folder = Folder::new("only_what_is_asked_for_suricata");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &crate::run::web_request()));
    assert_eq!(folder.suricata(&["-r", &capture]).code, 0);
    assert!(folder.path("suricata.log").exists() && !folder.path("weir.log").exists());
}

/// Where memory is reached, rows are written early, and all of them.
#[test]
fn connections_and_waiting_rows_within_their_memory() {
    let query =
        |id: u16| [&id.to_be_bytes()[..], b"\x01\0\0\x01\0\0\0\0\0\0\x01a\x01b\0\0\x01\0\x01"].concat();
    // Queries of so many flows, each with so many that wait.
    for (flows, each, connections, rows) in [(600, 1, true, true), (60, 30, false, true)] {
        let frames: Vec<TimedFrame> = (0..each)
            .flat_map(|id| (0..flows).map(move |flow| (id, flow)))
            .map(|(id, flow)| {
                let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1000 + flow, 53);
                TimedFrame { time: START, bytes: frame.payload(query(id)).build() }
            })
            .collect();
        for (memcap, reached) in [("256kb", true), ("0", false)] {
            let folder = Folder::new(&format!("zeek_memory_{flows}_{memcap}"));
            let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
            let outputs = format!(
                "%YAML 1.1\n---\noutputs:\n  - zeek: {{enabled: yes, memcap: {memcap}}}\n  \
                 - eve-log: {{enabled: yes, types: [stats]}}\n"
            );
            let configuration = folder.write("memory.yaml", outputs);
            let run = folder.weir(&["-c", &configuration, "-r", &capture]);
            let rows_of = |log: &str| {
                let text = fs::read_to_string(folder.path(log)).unwrap_or_default();
                text.lines().filter(|line| !line.starts_with('#')).count()
            };
            assert_eq!([rows_of("conn.log"), rows_of("dns.log")], [flows.into(), usize::from(flows * each)]);
            let said = run.said().contains("memcap of Zeek's logs was reached");
            assert_eq!(said, reached, "{flows} {memcap}: {}", run.said());
            let counted = folder.records("stats").pop().unwrap_or_default();
            let count = |name: &str| counted["stats"]["zeek"][name].as_u64().unwrap_or_default() > 0;
            let found = (count("connections_ended_early"), count("rows_written_early"));
            assert_eq!(found, (reached && connections, reached && rows), "{flows} {memcap}");
        }
    }
}
