//! Metrics, as collectors ask for them.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use weir_testkit::pcap;

use super::control::question;
use super::namespaces::{Cable, End, Listening};
use super::run::Folder;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Packets that are sent.
const PACKETS: usize = 3;

/// The head and the body of an answer.
fn ask(mut stream: impl Read + Write, path: &str, accept: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nAccept: {accept}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (head.to_owned(), body.to_owned())
}

fn connect(cable: &Cable) -> TcpStream {
    let stream = cable.at(End::Far, || TcpStream::connect("127.0.0.1:9467")).expect("somebody listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream
}

/// The body of a page at a socket.
pub fn of_socket(socket: &Path, path: &str) -> String {
    let stream = UnixStream::connect(socket).expect("somebody listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    ask(stream, path, "application/openmetrics-text").1
}

/// The number of a metric with these labels.
fn number(body: &str, name: &str) -> Option<f64> {
    body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

/// Holds a body against the rules of OpenMetrics: families in one piece, with their type before their numbers, each
/// number once, and an end.
fn check_form(body: &str) {
    assert!(body.ends_with("\n# EOF\n"), "{body}");
    let (mut family, mut kind, mut seen) = (String::new(), "", BTreeSet::new());
    let mut families = BTreeSet::new();
    for line in body.lines().take_while(|line| *line != "# EOF") {
        if let Some(head) = line.strip_prefix("# ") {
            let (word, rest) = head.split_once(' ').expect("a word");
            let (name, value) = rest.split_once(' ').expect("a name");
            if word == "TYPE" {
                assert!(families.insert(name.to_owned()), "{name} twice");
                family = name.to_owned();
                kind = ["counter", "gauge", "info"].into_iter().find(|kind| *kind == value).expect("a type");
            }
            assert_eq!(name, family, "{line}");
            if word == "UNIT" {
                assert!(name.ends_with(&format!("_{value}")), "{line}");
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').expect("a number");
        assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
        assert!(seen.insert(series), "{series} twice");
        let suffix = match kind {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        assert_eq!(series.split('{').next(), Some(&*format!("{family}{suffix}")), "{line}");
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
        assert!(family.chars().all(legal), "{family}");
    }
}

fn start(cable: &Cable, folder: &Folder, words: &[&str]) -> Listening {
    cable.join_loopback(End::Far);
    let rules = folder.write("test.rules", "alert dns any any -> any any (sid:1;)\nalert nothing (sid:2;)\n");
    cable.listen(folder, &[&["-S", &*rules, "-t", "2"], words].concat())
}

#[test]
fn collectors_get_all_counters() {
    let Some(cable) = Cable::lay("met") else { return };
    let folder = Folder::new("metrics-counters");
    let run = start(&cable, &folder, &["--metrics"]);
    assert_ne!(run.status("Seccomp"), "0", "rights are given away");
    let frames = vec![question(); PACKETS];
    cable.send(frames.iter().map(Vec::as_slice));
    let interface = cable.interface(End::Far);
    let of = |name: &str, thread: usize| {
        format!("{name}{{thread=\"W#{thread:02}-{interface}\",interface=\"{interface}\"}}")
    };
    let sum =
        |body: &str, name: &str| (1..=2).filter_map(|thread| number(body, &of(name, thread))).sum::<f64>();
    let mut body = String::new();
    for _ in 0..200 {
        let (head, text) = ask(connect(&cable), "/metrics", "application/openmetrics-text;version=1.0.0");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("openmetrics-text"), "{head}");
        body = text;
        let records = number(&body, "weir_log_records_written_total");
        if sum(&body, "weir_alerts_total") == PACKETS as f64 && records > Some(0.0) {
            break;
        }
    }
    check_form(&body);
    for name in ["weir_decoder_packets_total", "weir_alerts_total", "weir_capture_kernel_packets_total"] {
        assert_eq!(sum(&body, name), PACKETS as f64, "{name}: {body}");
    }
    assert_eq!(sum(&body, "weir_capture_kernel_drops_total"), 0.0);
    assert_eq!(sum(&body, "weir_worker_up"), 2.0);
    assert_eq!(sum(&body, "weir_flows_open"), 1.0, "{body}");
    for (name, least) in [
        ("weir_rules_loaded", 1.0),
        ("weir_rules_failed", 1.0),
        ("weir_rules_last_reload_timestamp_seconds", 1e9),
        ("process_start_time_seconds", 1e9),
        ("process_resident_memory_bytes", 1e6),
        ("weir_memory_limit_bytes{memory=\"flow\"}", 1e6),
        ("weir_log_records_written_total", 1.0),
        ("weir_log_records_lost_total", 0.0),
    ] {
        assert!(number(&body, name) >= Some(least), "{name}: {body}");
    }
    let (head, text) = ask(connect(&cable), "/metrics", "*/*");
    assert!(head.contains("text/plain; version=0.0.4"), "{head}");
    assert!(text.contains("# TYPE weir_decoder_packets_total counter\n"), "{text}");
    let (head, text) = ask(connect(&cable), "/health", "*/*");
    assert_eq!((head.lines().next(), &*text), (Some("HTTP/1.1 200 OK"), "ok\n"));
    assert_eq!(run.end(Signal::INT).0, Some(0));
}

#[test]
fn hostile_clients_hold_nobody_up() {
    let Some(cable) = Cable::lay("meth") else { return };
    let folder = Folder::new("metrics-hostile");
    let run = start(&cable, &folder, &["--metrics=127.0.0.1:9467"]);
    let mut idle: Vec<TcpStream> = (0..100).map(|_| connect(&cable)).collect();
    for stream in &mut idle {
        // One that was let go cannot send any more.
        let _ = stream.write_all(b"GET /metrics HTTP/1.1\r\nA: ");
    }
    let mut endless = connect(&cable);
    while endless.write_all(&[b'a'; 4096]).is_ok() {}
    cable.send([&*question()]);
    let (head, _) = ask(connect(&cable), "/health", "*/*");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(run.end(Signal::INT).0, Some(0));
    assert_eq!(folder.records("alert").len(), 1);
}

#[test]
fn a_socket_goes_with_the_run() {
    let Some(cable) = Cable::lay("mets") else { return };
    let folder = Folder::new("metrics-socket");
    let socket = folder.path("metrics.socket");
    let words = format!("--metrics=unix:{}", socket.display());
    let run = start(&cable, &folder, &[&words]);
    let mode = socket.metadata().expect("a file").mode() & 0o777;
    assert_eq!(mode, 0o660);
    let body = of_socket(&socket, "/metrics");
    check_form(&body);
    assert_eq!(run.end(Signal::INT).0, Some(0));
    assert!(!socket.exists());
}

/// Where another program has the port, packets count for more.
#[test]
fn a_port_that_is_taken_is_told_of() {
    let Some(cable) = Cable::lay("mett") else { return };
    let folder = Folder::new("metrics-taken");
    let taken = cable.listener(End::Far, "127.0.0.1:9467");
    let interface = cable.interface(End::Far);
    let logs = folder.path("").to_string_lossy().into_owned();
    let words = ["-v", "-l", &logs, "-i", &interface, "-S", "/dev/null", "--metrics"];
    let mut run = cable.start_as(env!("CARGO_BIN_EXE_weir"), &folder, &words);
    let line = run.logged("Metrics cannot be served");
    assert!(line.contains("http://127.0.0.1:9467/metrics") && line.contains("metrics.listen"), "{line}");
    run.logged("Engine started");
    drop(taken);
    assert_eq!(run.end(Signal::INT).0, Some(0));
}

#[test]
fn what_is_wrong_is_said_at_the_start() {
    let folder = Folder::new("metrics-wrong");
    let capture = folder.write("a.pcap", pcap(1, &[]));
    for (words, sentence) in [
        (&["-T", "-i", "lo", "--metrics=0.0.0.0:9467"][..], "metrics.allow-remote: yes"),
        (&["-T", "-i", "lo", "--metrics=here"], "127.0.0.1:9467"),
        (&["-r", &capture, "--metrics"], "--metrics"),
    ] {
        let run = folder.weir(words);
        assert_eq!(run.code, 1, "{words:?}: {}", run.said());
        assert!(run.stderr.contains(sentence), "{words:?}: {}", run.said());
    }
    let words = ["-T", "-i", "lo", "--metrics=0.0.0.0:9467", "--set", "metrics.allow-remote=yes"];
    let run = folder.weir(&words);
    assert_eq!(run.code, 0, "{}", run.said());
}

/// A script that never ends, on the thread of a worker: the other one is told of all the same.
#[test]
fn a_thread_that_hangs_is_named() {
    let Some(cable) = Cable::lay("metw") else { return };
    let folder = Folder::new("metrics-hangs");
    folder.write(
        "endless.lua",
        "function init(sig)\n  return {}\nend\n\nfunction match(args)\n  while true do end\nend\n",
    );
    let rules = folder.write("endless.rules", "alert udp any any -> any any (lua:endless.lua; sid:1;)\n");
    let scripts = format!("default-rule-path={}", folder.path("").display());
    let limit = "security.lua.max-instructions=0";
    cable.join_loopback(End::Far);
    let words = ["-S", &rules, "-t", "2", "--metrics", "--set", limit, "--set", &scripts];
    let _run = cable.listen(&folder, &words);
    let (head, body) = ask(connect(&cable), "/health", "*/*");
    assert!(head.starts_with("HTTP/1.1 200"), "{head} {body}");
    cable.send([&*question()]);
    let answers = (0..20).map(|_| ask(connect(&cable), "/health", "*/*"));
    let bad = answers.into_iter().find(|(head, _)| head.starts_with("HTTP/1.1 503"));
    let (_, named) = bad.expect("a thread that does not answer is noticed");
    let threads = [1, 2].map(|number| format!("W#0{number}-{}", cable.interface(End::Far)));
    let hangs = threads.iter().find(|thread| named == format!("{thread} does not answer\n"));
    let hangs = hangs.unwrap_or_else(|| panic!("{named}"));
    let (_, body) = ask(connect(&cable), "/metrics", "application/openmetrics-text");
    check_form(&body);
    let interface = cable.interface(End::Far);
    for thread in &threads {
        let labels = format!("{{thread=\"{thread}\",interface=\"{interface}\"}}");
        let up = number(&body, &format!("weir_worker_up{labels}"));
        assert_eq!(up, Some(if thread == hangs { 0.0 } else { 1.0 }), "{body}");
        let packets = number(&body, &format!("weir_decoder_packets_total{labels}"));
        assert_eq!(packets.is_some(), thread != hangs, "{body}");
    }
}
