//! Runs that last: signals, and lines that come while packets come.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use weir_testkit::{Frame, TimedFrame};

use super::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// A run that reads a pipe which the test holds open, and writes EVE to a socket that the test reads.
struct Lasting {
    child: Child,
    input: Option<ChildStdin>,
    records: BufReader<UnixStream>,
    log: BufReader<std::process::ChildStderr>,
}

/// Seconds in which a record comes or does not come, and records of the counters by then.
const PATIENCE: u64 = 30;

impl Drop for Lasting {
    fn drop(&mut self) {
        // A test that failed leaves nobody behind.
        let _ = self.child.kill();
    }
}

impl Lasting {
    /// Starts a run with a socket and a file for EVE.
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        Self::saying_to(Stdio::piped(), folder, arguments)
    }

    /// The same with another place for what it says.
    fn saying_to(words: Stdio, folder: &Folder, arguments: &[&str]) -> Self {
        let rules = folder.write("test.rules", WEB_RULE);
        let listener = UnixListener::bind(folder.path("socket")).expect("a socket");
        let configuration = folder.write(
            "lasting.yaml",
            "%YAML 1.1\n---\nstats:\n  enabled: yes\n  interval: 1\noutputs:\n  - eve-log:\n      enabled: yes\n      \
             filetype: unix_stream\n      filename: socket\n      types: [alert, flow, stats]\n  - eve-log:\n      \
             enabled: yes\n      filename: eve.json\n      types: [alert, flow]\n  - fast:\n      enabled: yes\n",
        );
        let logs = folder.path("").to_string_lossy().into_owned();
        let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
            .args(["-v", "-c", &configuration, "-l", &logs, "-S", &rules, "-r", "-"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(words)
            .stderr(Stdio::piped())
            .spawn()
            .expect("weir starts");
        let log = BufReader::new(child.stderr.take().expect("a pipe"));
        let records = listener.accept().expect("weir connects").0;
        records.set_read_timeout(Some(Duration::from_secs(PATIENCE))).expect("a timeout");
        Self { input: child.stdin.take(), child, records: BufReader::new(records), log }
    }

    /// Sends bytes of a capture.
    fn send(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("a pipe").write_all(bytes).expect("weir reads");
    }

    /// Waits for the next record of a type.
    fn record(&mut self, event_type: &str) -> Value {
        for _ in 0..PATIENCE {
            let mut line = String::new();
            self.records.read_line(&mut line).expect("a record comes");
            let record: Value = serde_json::from_str(&line).expect("a record is JSON");
            if record["event_type"] == event_type {
                return record;
            }
        }
        panic!("no record of the type {event_type}");
    }

    /// Waits for a line of the log that has these words.
    fn logged(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).expect("a line"), 0, "not logged: {words}");
        }
    }

    fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.child.id() as i32).expect("a process");
        kill_process(process, signal).expect("a signal is sent");
    }

    /// Waits for the end of the run, which may leave its input unread; its exit code and what it said.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("words");
        let words: Vec<&str> = said.split_whitespace().collect();
        (self.child.wait().expect("weir ends").code(), words.join(" "))
    }
}

/// A capture of a request whose connection stays open.
fn open_request() -> Vec<u8> {
    let mut frames = web_request();
    frames.truncate(7);
    weir_testkit::pcap(ETHERNET, &frames)
}

/// Records of capture files after their header, of frames that come a while later.
fn later(frames: &[TimedFrame]) -> Vec<u8> {
    let frames: Vec<TimedFrame> = frames
        .iter()
        .map(|frame| {
            let time = weir_base::Timestamp(frame.time.0 + 600_000_000_000);
            TimedFrame { time, bytes: frame.bytes.clone() }
        })
        .collect();
    weir_testkit::pcap(ETHERNET, &frames).split_off(24)
}

/// The types of records in a file.
fn types(folder: &Folder, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path(name)).expect("a log");
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a record is JSON"))
        .map(|record| record["event_type"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn records_come_while_the_pipe_is_open() {
    for workers in ["1", "3"] {
        let folder = Folder::new(&format!("signals-prompt-{workers}"));
        let mut run = Lasting::start(&folder, &["-t", workers]);
        run.send(&open_request());
        assert_eq!(run.record("alert")["alert"]["signature_id"], 1, "{workers} workers");
        // Counters are told by the clock, too, while nothing comes.
        assert_eq!(run.record("stats")["stats"]["decoder"]["pkts"], 7, "{workers} workers");
        run.send(&later(&web_request()));
        run.record("alert");
        let (code, _) = run.end();
        assert_eq!(code, Some(0));
        assert_eq!(types(&folder, "eve.json"), ["alert", "flow", "alert", "flow"], "{workers} workers");
    }
}

#[test]
fn a_signal_ends_a_run_in_order() {
    for (signal, workers) in [(Signal::INT, "1"), (Signal::TERM, "1"), (Signal::TERM, "3")] {
        let folder = Folder::new(&format!("signals-end-{}-{workers}", signal.as_raw()));
        let mut run = Lasting::start(&folder, &["-t", workers]);
        run.send(&open_request());
        run.record("alert");
        run.signal(signal);
        assert_eq!(run.record("flow")["flow"]["pkts_toserver"], 4);
        assert_eq!(run.record("stats")["stats"]["decoder"]["pkts"], 7, "the last counters");
        // The pipe stays open until the run has ended.
        let input = run.input.take();
        let (code, said) = run.end();
        drop(input);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("interrupted after 7 packets"), "{said}");
        assert!(said.contains("standard input"), "{said}");
        assert_eq!(types(&folder, "eve.json"), ["alert", "flow"]);
    }
}

#[test]
fn a_second_interrupt_ends_a_run_at_once() {
    let folder = Folder::new("signals-twice");
    // Nobody reads what the run says at its end, and nothing more of it fits.
    let (words, _unread) = UnixStream::pair().expect("a pair of sockets");
    words.set_nonblocking(true).expect("a socket that does not wait");
    while (&words).write(&[b'.'; 4096]).is_ok() {}
    words.set_nonblocking(false).expect("a socket that waits");
    let mut run = Lasting::saying_to(OwnedFd::from(words).into(), &folder, &[]);
    run.send(&open_request());
    run.record("alert");
    run.signal(Signal::INT);
    assert_eq!(run.record("flow")["flow"]["pkts_toserver"], 4, "the first one is taken");
    // What this socket has, the file has soon.
    let begun = Instant::now();
    while types(&folder, "eve.json").len() < 2 && begun.elapsed() < Duration::from_secs(PATIENCE) {
        std::thread::yield_now();
    }
    run.signal(Signal::INT);
    assert_eq!(run.child.wait().expect("weir ends").signal(), Some(Signal::INT.as_raw()));
    assert_eq!(types(&folder, "eve.json"), ["alert", "flow"]);
}

/// Packets of a file that takes a while; each is a flow of its own.
const MANY: u64 = 150_000;

#[test]
fn a_signal_ends_several_workers_on_a_large_file_in_order() {
    let folder = Folder::new("signals-large");
    let frames = (0..MANY).map(|number| {
        let client = format!("10.{}.{}.1", number >> 8 & 0xff, number & 0xff);
        let ports = (1000 + (number >> 16) as u16, 9);
        let bytes = Frame::ethernet().ipv4(&client, "192.0.2.1").udp(ports.0, ports.1).payload("x").build();
        TimedFrame { time: weir_base::Timestamp::new(1_700_000_000 + number / 1000, 0), bytes }
    });
    let capture = folder.write("large.pcap", weir_testkit::pcap(ETHERNET, &frames.collect::<Vec<_>>()));
    let rules = folder.write("test.rules", "alert udp any any -> any 9 (msg:\"each\"; sid:1;)\n");
    let listener = UnixListener::bind(folder.path("socket")).expect("a socket");
    let configuration = folder.write(
        "large.yaml",
        "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filetype: unix_stream\n      \
         filename: socket\n      types: [alert]\n",
    );
    let logs = folder.path("").to_string_lossy().into_owned();
    let child = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["-c", &configuration, "-l", &logs, "-S", &rules, "-r", &capture, "-t", "3", "--summary=json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("weir starts");
    let mut lines = BufReader::new(listener.accept().expect("weir connects").0).lines();
    let first = lines.next().expect("a record").expect("a line");
    let process = Pid::from_raw(child.id() as i32).expect("a process");
    kill_process(process, Signal::TERM).expect("a signal is sent");
    let numbers: Vec<u64> = std::iter::once(Ok(first))
        .chain(lines)
        .map(|line| serde_json::from_str::<Value>(&line.expect("a line")).expect("a record is JSON"))
        .map(|record| record["pcap_cnt"].as_u64().expect("the number of a packet"))
        .collect();
    let output = child.wait_with_output().expect("weir ends");
    assert_eq!(output.status.code(), Some(0));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("a summary");
    let packets = summary["packets"].as_u64().expect("a number");
    assert_eq!(summary["interrupted"]["packets"], packets);
    assert_eq!((&summary["alerts"], &summary["lost_records"]), (&packets.into(), &0.into()));
    // One of each packet so far, in their order.
    assert_eq!(numbers, (1..=packets).collect::<Vec<u64>>());
    assert!(packets < MANY, "the file was read to its end before the signal came");
}

#[test]
fn a_signal_ends_a_run_that_nothing_reached_yet() {
    let folder = Folder::new("signals-nothing");
    let run = Lasting::start(&folder, &[]);
    run.signal(Signal::TERM);
    let mut run = run;
    let input = run.input.take();
    let (code, said) = run.end();
    drop(input);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("interrupted after 0 packets"), "{said}");
}

#[test]
fn logs_are_opened_anew() {
    let folder = Folder::new("signals-reopen");
    let mut run = Lasting::start(&folder, &[]);
    run.send(&open_request());
    run.record("alert");
    for name in ["eve.json", "fast.log"] {
        fs::rename(folder.path(name), folder.path(&format!("{name}.1"))).expect("a log is moved away");
    }
    run.signal(Signal::HUP);
    run.logged("logs are opened anew");
    // Only who asks for it is told that there is no loading of rules.
    run.signal(Signal::USR2);
    run.logged("Rules cannot be loaded again");
    run.send(&later(&web_request()));
    let (code, _) = run.end();
    assert_eq!(code, Some(0));
    let all = [types(&folder, "eve.json.1"), types(&folder, "eve.json")].concat();
    assert_eq!(all, ["alert", "flow", "alert", "flow"]);
    assert_ne!(types(&folder, "eve.json"), Vec::<String>::new());
    let lines = |name: &str| fs::read_to_string(folder.path(name)).expect("a log").lines().count();
    assert_eq!([lines("fast.log.1"), lines("fast.log")], [1, 1]);
}

#[test]
fn a_folder_is_one_runs_at_a_time() {
    let folder = Folder::new("signals-folder");
    let mut run = Lasting::start(&folder, &[]);
    run.send(&open_request());
    run.record("alert");
    let capture = folder.write("other.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let other = folder.weir(&["-r", &capture]);
    assert_eq!(other.code, 1, "{}", other.said());
    let process = format!("Another run (process {})", run.child.id());
    for words in [process.as_str(), "signals-folder", "--shared-log-folder"] {
        assert!(other.stderr.contains(words), "{words}: {}", other.said());
    }
    assert_eq!(folder.weir(&["-T"]).code, 0, "a check writes no records");
    assert_eq!(folder.weir(&["--shared-log-folder", "-r", &capture]).code, 0);
    assert_eq!(run.end().0, Some(0));
    assert_eq!(folder.weir(&["-r", &capture]).code, 0, "the lock ends with its run");
}

#[test]
fn destinations_that_nobody_reads_stop_no_run() {
    let frames = (0..2000_u64).map(|number| {
        let client = format!("10.0.{}.{}", number / 250, number % 250 + 1);
        let frame = Frame::ethernet().ipv4(&client, "192.0.2.1").udp(1000, 9).payload("x");
        TimedFrame { time: weir_base::Timestamp::new(1_700_000_000 + number / 100, 0), bytes: frame.build() }
    });
    let capture = weir_testkit::pcap(ETHERNET, &frames.collect::<Vec<_>>());
    for filetype in ["unix_stream", "unix_dgram", "regular"] {
        let folder = Folder::new(&format!("signals-unread-{filetype}"));
        let path = folder.path("unread");
        let _listener = (filetype == "unix_stream").then(|| UnixListener::bind(&path).expect("a socket"));
        let _socket = (filetype == "unix_dgram")
            .then(|| std::os::unix::net::UnixDatagram::bind(&path).expect("a socket"));
        if filetype == "regular" {
            assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        }
        let configuration = folder.write(
            "unread.yaml",
            format!(
                "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filetype: {filetype}\n      \
                 filename: unread\n      types: [flow]\n  - eve-log:\n      enabled: yes\n      \
                 filename: eve.json\n      types: [flow, stats]\n"
            ),
        );
        let capture = folder.write("input.pcap", &capture);
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "--summary=json"]);
        assert_eq!(run.code, 3, "{filetype}: {}", run.said());
        let summary = run.summary();
        let lost = summary["lost_records"].as_u64().unwrap_or_default();
        assert!((1..=2000).contains(&lost), "{filetype}: {lost} lost");
        let problem = summary["problems"][0].as_str().unwrap_or_default();
        assert!(problem.contains("cannot write") && problem.contains("unread"), "{problem}");
        assert_eq!(folder.records("flow").len(), 2000, "{filetype}");
    }
}
