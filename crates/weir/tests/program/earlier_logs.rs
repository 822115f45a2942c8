//! Logs that earlier runs left in the folder: added to, set aside, begun anew.

use std::fs;

use serde_json::Value;

use super::run::{ETHERNET, Folder, Run, WEB_RULE, web_request};

/// A folder with a capture of one connection in it.
struct Logs {
    folder: Folder,
    capture: String,
}

impl Logs {
    fn new(test: &str) -> Self {
        let folder = Folder::new(test);
        let capture = folder.write("web.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
        Self { folder, capture }
    }

    /// Reads the capture, with all that is asked for in words.
    fn run(&self, arguments: &str) -> Run {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let run = self.folder.weir(&[&["-r", &self.capture], &words[..]].concat());
        assert_eq!(run.code, 0, "{}", run.said());
        run
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// How lines begin: what a header says, `row`, or `close`.
    fn shape(&self, name: &str) -> Vec<String> {
        let word = |line: &str| match line.strip_prefix('#') {
            Some(rest) => rest.split(['\t', ' ']).next().unwrap_or_default().to_owned(),
            None if line.starts_with('{') => "json".to_owned(),
            None => "row".to_owned(),
        };
        let text = self.text(name);
        assert!(text.ends_with('\n'), "{name}: {text}");
        text.lines().map(word).collect()
    }
}

const HEADER: [&str; 8] =
    ["separator", "set_separator", "empty_field", "unset_field", "path", "open", "fields", "types"];

fn framed(rows: &[&str]) -> Vec<String> {
    HEADER.iter().chain(rows).chain(&["close"]).map(ToString::to_string).collect()
}

/// The names of files in a list of the summary, without their folder.
fn listed(run: &Run, list: &str) -> Vec<String> {
    let summary = run.summary();
    let files = summary[list].as_array().expect("a list").iter();
    files
        .map(|file| file.as_str().and_then(|path| path.rsplit('/').next()).expect("a path").to_owned())
        .collect()
}

#[test]
fn a_second_run_adds_its_rows_to_the_logs_of_the_first() {
    let logs = Logs::new("earlier-added");
    let zeek = "--zeek-logs --disable-detection --set outputs.eve-log.enabled=yes";
    let first = logs.run(&format!("{zeek} --summary=json"));
    assert_eq!((listed(&first, "appended"), listed(&first, "set_aside")), (vec![], vec![]));
    assert_eq!(logs.shape("conn.log"), framed(&["row"]));
    let second = logs.run(&format!("{zeek} --summary=json"));
    assert_eq!(
        listed(&second, "appended"),
        ["conn.log", "eve.json", "files.log", "http.log", "packet_filter.log", "stats.log"]
    );
    assert_eq!(logs.shape("conn.log"), framed(&["row", "row"]));
    assert_eq!(logs.folder.records("flow").len(), 2);
    let third = logs.run(zeek);
    let words = "added to 6 files of earlier runs there; --overwrite begins all anew";
    assert!(third.stdout.contains(words), "{}", third.stdout);
    assert_eq!(logs.shape("http.log"), framed(&["row", "row", "row"]));

    // Other columns, and another form: what is there is set aside, and named.
    let changed = logs.text("conn.log").replacen("\tuid\t", "\tuid\tmore\t", 1);
    fs::write(logs.folder.path("conn.log"), &changed).expect("a log");
    let fourth = logs.run(&format!("{zeek} --summary=json"));
    assert_eq!(listed(&fourth, "set_aside"), ["conn.log.1"]);
    assert_eq!((logs.text("conn.log.1"), logs.shape("conn.log")), (changed, framed(&["row"])));
    let json = logs.run("--zeek-logs=json --disable-detection");
    let aside =
        "  set aside there, for they have other columns or another form:\n    conn.log.2, files.log.1, ";
    assert!(json.stdout.contains(aside), "{}", json.stdout);
    assert!(!json.said().contains("problem"), "{}", json.said());
    assert_eq!(logs.shape("conn.log"), ["json"]);
    assert_eq!(logs.shape("conn.log.2"), framed(&["row"]));
    logs.run(zeek);
    assert_eq!(
        (logs.shape("conn.log.3"), logs.shape("conn.log")),
        (vec!["json".to_owned()], framed(&["row"]))
    );
}

#[test]
fn the_unfinished_line_of_a_run_that_was_killed_is_no_part_of_the_next_one() {
    let logs = Logs::new("earlier-killed");
    let rules = logs.folder.write("web.rules", WEB_RULE);
    let all = format!("--zeek-logs -S {rules} --set outputs.eve-log.enabled=yes");
    logs.run(&all);
    for name in ["eve.json", "fast.log", "http.log"] {
        let mut text = logs.text(name);
        let rows = text.find("#close").unwrap_or(text.len());
        text.truncate(rows - 5);
        fs::write(logs.folder.path(name), text).expect("a log");
    }
    // This one was killed while it wrote its last line.
    let text = logs.text("conn.log");
    let close = text.find("#close").expect("the last line");
    fs::write(logs.folder.path("conn.log"), &text[..close + 4]).expect("a log");
    logs.run(&all);
    assert_eq!(logs.shape("conn.log"), framed(&["row", "row"]));
    assert_eq!(logs.shape("http.log"), framed(&["row", "row"]));
    let fast = logs.text("fast.log");
    let lines: Vec<&str> = fast.lines().collect();
    assert!(lines.len() == 2 && lines[1].starts_with(lines[0]), "{lines:?}");
    let eve = logs.text("eve.json");
    let whole = eve.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count();
    assert_eq!(eve.lines().count(), whole + 1, "{eve}");
    assert_eq!(whole % 2, 1, "one record of two equal runs is lost: {eve}");
}

#[test]
fn logs_can_be_begun_anew() {
    let logs = Logs::new("earlier-anew");
    let zeek = "--zeek-logs --disable-detection --set outputs.eve-log.enabled=yes --summary=json";
    logs.run(zeek);
    for name in ["dns.log", "suricata.log", "other.log"] {
        logs.folder.write(name, "of earlier\n");
    }
    let run = logs.run(&format!("{zeek} --overwrite"));
    assert_eq!((listed(&run, "appended"), listed(&run, "set_aside")), (vec![], vec![]));
    assert_eq!(logs.shape("conn.log"), framed(&["row"]));
    assert_eq!(logs.folder.records("flow").len(), 1);
    // One that this run has nothing for is none of its logs; what is no log of records stays.
    assert!(!logs.folder.path("dns.log").exists());
    assert!(logs.text("suricata.log").starts_with("of earlier"));
    assert_eq!(logs.text("other.log"), "of earlier\n");
    // A single output can be one that begins anew, too.
    logs.run("--disable-detection --set outputs.eve-log.append=no");
    assert_eq!(logs.folder.records("flow").len(), 1);
}

#[test]
fn the_command_of_zeek_overwrites_as_zeek_does() {
    let logs = Logs::new("earlier-zeek");
    logs.folder.write("dns.log", "of earlier\n");
    for _ in 0..2 {
        let run = logs.folder.command_as("zeek", &["-r", &logs.capture]);
        assert_eq!((run.code, run.said().as_str()), (0, ""));
        assert_eq!(logs.shape("conn.log"), framed(&["row"]));
    }
    assert_eq!(logs.text("dns.log"), "of earlier\n");
}

#[test]
fn compressed_and_rotated_logs_of_earlier_runs_are_kept() {
    let logs = Logs::new("earlier-kept");
    let gzip = logs
        .folder
        .write("gzip.yaml", "%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n      gzip: yes\n");
    let rotated = logs.folder.write(
        "rotated.yaml",
        "%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n      rotation-interval: 1hr\n",
    );
    let names = |prefix: &str, suffix: &str| {
        let files = fs::read_dir(logs.folder.path("")).expect("the folder");
        let names = files.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(prefix) && name.ends_with(suffix)).count()
    };
    for run in 1..=2 {
        logs.run(&format!("-c {gzip} --disable-detection"));
        logs.run(&format!("-c {rotated} --disable-detection"));
        assert_eq!((names("conn.log.gz", ""), names("conn.20", "")), (run, run));
    }
    assert_eq!(names("conn.log.gz.1", "") + names("conn.20", ".log.1"), 2);
}
