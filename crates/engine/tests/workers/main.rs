//! Any number of workers writes the same, line by line: alerts of rules whose state flows share
//! included.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod damaged;
mod exchanges;
mod tunnels;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_base::{Duration, Timestamp};
use weir_config::Settings;
use weir_config::logging::LoggingSettings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::{Engine, Inputs, RunOptions, ZeekChoice};
use weir_testkit::{Conversation, Frame, Random, TimedFrame, merged, tcp_flags};

/// Ethernet, in a capture file.
const ETHERNET: u16 = 1;

/// Rules that see what other flows did, on addresses that several workers share.
const RULES: &str = r#"
alert tcp any any -> any any (msg:"limit by source"; flags:S; threshold:type limit, track by_src, count 2, seconds 3; sid:1;)
alert tcp any any -> any any (msg:"threshold by destination"; flags:S; threshold:type both, track by_dst, count 7, seconds 5; sid:2;)
alert http any any -> any any (msg:"by rule"; http.uri; content:"/1"; detection_filter:track by_rule, count 3, seconds 30; sid:3;)
alert http any any -> any any (msg:"sets a bit"; http.uri; content:"/2"; xbits:set,seen,track ip_dst,expire 4; sid:4;)
alert http any any -> any any (msg:"reads the bit"; http.uri; content:"/3"; xbits:isset,seen,track ip_dst; sid:5;)
alert http any any -> any any (msg:"fills a set"; http.host; dataset:set,hosts,type string; sid:6;)
alert http any any -> any any (msg:"reads a set"; http.uri; dataset:isset,uris,type string; sid:7;)
alert http any any -> any any (msg:"fills another"; http.uri; content:"/4"; dataset:set,uris,type string; sid:8;)
alert http any any -> any any (msg:"tags a host"; http.uri; content:"/5"; tag:host,3,packets,dst; sid:9;)
alert icmp any any -> any any (msg:"error"; itype:3; sid:10;)
alert http any any -> any any (msg:"halves of a file"; file.data; content:"of one file, and"; filesize:36; sid:11;)
alert http any any -> any any (msg:"a script fills a set"; http.host; lua:fill.lua; sid:12;)
alert http any any -> any any (msg:"reads the script's set"; http.uri; dataset:isset,scripted,type string; sid:13;)
alert tcp any any -> any any (msg:"many ports"; flags:S; detection_filter:track by_dst, count 4, seconds 9, unique_on src_port; sid:14;)
alert tcp any any -> any any (msg:"many clients"; flags:S; detection_filter:track by_rule, count 5, seconds 9, unique_on src_ip; sid:15;)
alert http any any -> any any (msg:"a known host"; http.host; dataset:isset,known,type string,load known.ndjson,format ndjson,value_key host,context_key who; sid:16;)
"#;

/// What is known of hosts.
const KNOWN: &str = "{\"host\": \"h1\", \"since\": 2024}\n{\"host\": \"h2\"}\n";

/// Puts hosts and, of some, targets into a set; matches where one is new.
const FILL: &str = r#"
local http, dataset = require("suricata.http"), require("suricata.dataset")
function init() return {} end
function thread_init() set = dataset.new() set:get("scripted") end
function match(args)
    if args.buffer == "h3" then set:add("/5", 2) end
    return set:add(args.buffer, #args.buffer)
end
"#;

/// A response with the first or the second half of a file.
fn half(number: u32) -> String {
    let (start, half) = [(0, "the first half o"), (16, "f one file, and more")][number as usize % 2];
    let (length, end) = (half.len(), start + half.len() - 1);
    format!(
        "HTTP/1.1 206 Part\r\nContent-Range: bytes {start}-{end}/36\r\nContent-Length: {length}\r\n\r\n{half}"
    )
}

/// Many conversations between few hosts, at times that overlap, with silences that end flows.
fn traffic() -> Vec<TimedFrame> {
    let mut random = Random::new(11);
    let conversations = (0..160).map(|number| {
        let client = format!("10.0.{}.{}:{}", random.below(3), random.below(9), 20_000 + number);
        let server = format!("192.0.2.{}:80", random.below(4));
        let (uri, host) = (random.below(7), random.below(12));
        let (host, answer) = match uri {
            6 => (99, half(number)),
            _ => (host, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_owned()),
        };
        let request = format!("GET /{uri} HTTP/1.1\r\nHost: h{host}\r\n\r\n");
        let start = Timestamp::new(1_700_000_000 + random.below(4) * 700 + random.below(20), number * 1000);
        let open = Conversation::new(&client, &server)
            .at(start)
            .handshake()
            .wait(Duration::from_millis(random.below(900)))
            .client_sends(request.as_bytes())
            .wait(Duration::from_millis(random.below(900)))
            .server_sends(answer.as_bytes());
        if random.below(3) == 0 { open.frames() } else { open.close().frames() }
    });
    let mut frames = merged(conversations);
    // Routers tell of packets that they lost: an error concerns the flow that it quotes.
    let lost: Vec<TimedFrame> = frames.iter().step_by(23).cloned().collect();
    for (number, frame) in lost.into_iter().enumerate() {
        let quoted = frame.bytes.get(14..42).unwrap_or_default();
        let source = std::net::Ipv4Addr::from([quoted[12], quoted[13], quoted[14], quoted[15]]).to_string();
        let router = format!("203.0.113.{}", number % 5);
        let error = Frame::ethernet().ipv4(&router, &source).icmpv4(3, 1, [0; 4]).payload(quoted);
        frames.push(TimedFrame { time: frame.time.plus(Duration::from_millis(3)), bytes: error.build() });
    }
    let stray = Frame::ethernet().ipv4("10.9.9.9", "192.0.2.1").tcp(1, 80).flags(tcp_flags::RST).build();
    frames.push(TimedFrame { time: Timestamp::new(1_700_003_000, 0), bytes: stray });
    frames.sort_by_key(|frame| frame.time);
    frames
}

/// What differs between runs.
#[derive(Clone, Copy)]
struct Setup {
    /// The capture, or a folder of them.
    input: &'static str,
    /// Zeek's logs, where they are written beside the others.
    zeek: Option<ZeekChoice>,
    /// Whether checksums are looked at; none: as the configuration says.
    checksums: Option<bool>,
    /// Settings beside the usual ones.
    overrides: &'static [&'static str],
    /// Verdicts are told as an inline engine's.
    inline: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let (input, zeek) = ("input.pcap", Some(ZeekChoice::Json));
        Self { input, zeek, checksums: None, overrides: &[], inline: false }
    }
}

/// What a run wrote, by file.
type Written = BTreeMap<String, Vec<u8>>;

/// What a run with so many workers writes, into a folder of this name.
fn run(folder: &Path, name: &str, setup: Setup, workers: usize) -> Written {
    let logs = folder.join(format!("{name} {workers}"));
    fs::create_dir_all(&logs).expect("a folder for logs");
    // Statistics tell how long the engine ran: no two runs share that.
    let mut overrides = vec![
        "stats.enabled=no".to_owned(),
        "security.lua.allow-rules=yes".to_owned(),
        format!("default-rule-path={}", folder.display()),
    ];
    overrides.extend(setup.overrides.iter().map(|&text| text.to_owned()));
    let settings = Settings::built_in(&overrides).expect("settings");
    let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
    let (log, problems) = EngineLog::open(&logging, &logs, 0, false);
    assert_eq!(problems, Vec::<String>::new());
    let options = RunOptions {
        zeek: setup.zeek,
        checksums: setup.checksums,
        workers,
        inline: setup.inline,
        ..RunOptions::default()
    };
    let rules = folder.join("test.rules").to_string_lossy().into_owned();
    let files = RuleFiles { only: vec![rules], ..RuleFiles::default() };
    let engine = Engine::new(settings, options, &files, &logs, Arc::new(log)).expect("an engine");
    assert_eq!(engine.rules().failed_count(), 0, "{:?}", engine.rules());
    let inputs = Inputs::files(vec![folder.join(setup.input)]);
    let summary = engine.run(&inputs, &mut |_| {}).expect("a run");
    assert_eq!(summary.lost_records, 0);
    assert_eq!(summary.tally.accounts.unbalanced(), Vec::<String>::new(), "{name}, {workers} workers");
    let mut written = Written::new();
    for entry in fs::read_dir(&logs).expect("a folder of logs") {
        let path = entry.expect("a log").path();
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_file() && !matches!(file.as_str(), "suricata.log" | "weir.log" | "stats.log") {
            written.insert(file, fs::read(&path).expect("a log"));
        }
    }
    written
}

/// The lines of a file.
fn text<'a>(written: &'a Written, name: &str) -> std::borrow::Cow<'a, str> {
    String::from_utf8_lossy(written.get(name).map(Vec::as_slice).unwrap_or_default())
}

/// Holds that other numbers of workers write what one alone does, which is the answer.
fn the_same_for_any_number(folder: &Path, name: &str, setup: Setup, numbers: &[usize]) -> Written {
    let alone = run(folder, name, setup, 1);
    for &workers in numbers {
        let several = run(folder, name, setup, workers);
        for file in alone.keys().chain(several.keys()) {
            let (wanted, found) = (text(&alone, file), text(&several, file));
            let difference = wanted.lines().zip(found.lines()).find(|(a, b)| a != b);
            assert_eq!(difference, None, "{name}: {file} with {workers} workers");
        }
        assert!(several == alone, "{name} with {workers} workers");
    }
    alone
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workers").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

#[test]
fn any_number_of_workers_writes_the_same() {
    let folder = folder("many");
    let frames = traffic();
    fs::write(folder.join("input.pcap"), weir_testkit::pcap(ETHERNET, &frames)).expect("a capture");
    fs::write(folder.join("test.rules"), RULES).expect("rules");
    fs::write(folder.join("fill.lua"), FILL).expect("a script");
    fs::write(folder.join("known.ndjson"), KNOWN).expect("a set");
    let alone = the_same_for_any_number(&folder, "many", Setup::default(), &[2, 3, 8]);
    let eve = text(&alone, "eve.json");
    assert!(eve.contains(r#""context":{"who":{"host":"h1","since":2024}}"#));
    for sid in 1..=16 {
        assert!(eve.contains(&format!("\"signature_id\":{sid},")), "rule {sid} has no alert");
    }
    for file in ["eve.json", "fast.log", "conn.log", "http.log", "files.log"] {
        assert!(!text(&alone, file).is_empty(), "{file}");
    }
}
