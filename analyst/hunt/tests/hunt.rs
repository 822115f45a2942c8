//! Hunts with a program in the engine's place that writes what the test says.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use weir_hunt::{Found, Hunt, Kept, Progress, Reading, Report, find, gather, hunt, read, search};

/// Writes an alert for each capture, notes which it was given, and fails for captures that are named so.
const ENGINE: &str = r#"#!/bin/sh
case $1 in --version) echo "engine 1"; exit 0 ;; esac
while [ $# -gt 0 ]; do
    case $1 in -r) capture=$2; shift ;; -l) logs=$2; shift ;; esac
    shift
done
echo "$capture" >>"$(dirname "$0")/calls"
case $capture in
    *endless*) exec tail -f /dev/null ;;
    *refused*) echo "a rule is wrong" >&2; exit 1 ;;
    *quiet*) exit 0 ;;
    *some*) echo '{"rules":{"failed":{"no keyword":2}}}' ;;
esac
cat >"$logs/eve.json" <<EOF
{"timestamp":"2024-01-31T12:00:30.000000+0000","event_type":"alert","flow_id":99,"community_id":"1:LQU9qZlK+B5F3KDmev6m5PMibrg=","alert":{"signature_id":7}}
{"timestamp":"2024-01-31T23:00:00.000000+0000","event_type":"alert","flow_id":98,"community_id":"1:LQU9qZlK+B5F3KDmev6m5PMibrg=","alert":{"signature_id":8}}
EOF
case $capture in *cut*) echo "cut short" >&2; exit 2 ;; esac
"#;

const FLOW: &str = r#"{"timestamp":"2024-01-31T12:01:00.000000+0000","event_type":"flow","flow_id":5,"community_id":"1:LQU9qZlK+B5F3KDmev6m5PMibrg=","flow":{"start":"2024-01-31T12:00:00.000000+0000","end":"2024-01-31T12:01:00.000000+0000"}}
"#;

const CONN: &str = "{\"ts\":1706702400.5,\"uid\":\"CbA\",\"id.orig_h\":\"128.232.110.120\",\"id.orig_p\":34855,\
    \"id.resp_h\":\"66.35.250.204\",\"id.resp_p\":80,\"proto\":\"tcp\",\"duration\":60.0}\n";

struct Archive {
    folder: TempDir,
}

impl Archive {
    fn new(captures: &[&str]) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("engine"), ENGINE).unwrap();
        fs::set_permissions(path("engine"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(path("new.rules"), "alert tcp any any -> any any (sid:7;)\n").unwrap();
        fs::create_dir(path("archive")).unwrap();
        for name in captures {
            fs::write(path("archive").join(name), [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]).unwrap();
        }
        fs::write(path("archive/eve.json"), FLOW).unwrap();
        fs::write(path("archive/conn.log"), CONN).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).unwrap_or_default().lines().count()
    }

    fn hunt(&self) -> Hunt {
        Hunt {
            rules: vec![self.path("new.rules")],
            folder: self.path("hunt"),
            engine: self.path("engine"),
            jobs: 2,
            words: Vec::new(),
            again: false,
        }
    }

    fn run(&self, what: &Hunt) -> Result<Report, String> {
        let (captures, sentences) = find(&[self.path("archive")]);
        assert_eq!(sentences, Vec::<String>::new());
        hunt(what, &captures, &[self.path("archive")], &|_| (), &AtomicBool::new(false))
    }
}

fn hits(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("hunt/hits.json")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn hits_are_joined_to_the_records_of_their_connection() {
    let archive = Archive::new(&["a.pcap", "b.pcap", "quiet.pcap"]);
    let report = archive.run(&archive.hunt()).unwrap();
    let expected = Report { read: 3, known: 0, hits: 4, joined: 2, remarks: Vec::new(), stopped: false };
    assert_eq!(report, expected);
    let hits = hits(archive.folder.path());
    let name = |hit: &Value| hit["capture"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    assert_eq!(hits.iter().map(name).collect::<Vec<_>>(), ["a.pcap", "a.pcap", "b.pcap", "b.pcap"]);
    assert_eq!(hits[0]["archive"]["flow_id"], 5);
    assert_eq!(hits[0]["archive"]["uid"], "CbA");
    // A connection of another time of the day is another one.
    assert_eq!(hits[1].get("archive"), None);
}

#[test]
fn a_hunt_goes_on_where_it_was() {
    let archive = Archive::new(&["a.pcap", "b.pcap", "c.pcap"]);
    let what = Hunt { jobs: 1, ..archive.hunt() };
    let (captures, _) = find(&[archive.path("archive")]);
    let stop = AtomicBool::new(false);
    let after_first = |progress: Progress| stop.store(progress.captures == 1, Ordering::Relaxed);
    let report = hunt(&what, &captures, &[], &after_first, &stop).unwrap();
    assert_eq!((report.read, report.stopped, archive.calls()), (1, true, 1));
    assert!(!archive.path("hunt/hits.json").exists());
    // What a run that was killed left behind is no obstacle.
    fs::create_dir_all(archive.path("hunt/work-0")).unwrap();
    fs::write(archive.path("hunt/work-0/eve.json"), "half").unwrap();
    let seen = Mutex::new(Vec::new());
    let told = |progress: Progress| seen.lock().unwrap().push(progress.captures);
    let report = hunt(&what, &captures, &[], &told, &AtomicBool::new(false)).unwrap();
    assert_eq!((report.read, report.known, report.hits, archive.calls()), (2, 1, 6, 3));
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    let whole = fs::read(archive.path("hunt/hits.json")).unwrap();
    // The same at once.
    let other = Hunt { folder: archive.path("other"), jobs: 3, ..archive.hunt() };
    hunt(&other, &captures, &[], &|_| (), &AtomicBool::new(false)).unwrap();
    assert_eq!(fs::read(archive.path("other/hits.json")).unwrap(), whole);
    // Captures that came since.
    fs::write(archive.path("archive/d.pcap"), [0xd4, 0xc3, 0xb2, 0xa1]).unwrap();
    let report = archive.run(&what).unwrap();
    assert_eq!((report.read, report.known, report.hits), (1, 3, 8));
}

#[test]
fn other_rules_need_another_folder() {
    let archive = Archive::new(&["a.pcap"]);
    archive.run(&archive.hunt()).unwrap();
    fs::write(archive.path("new.rules"), "alert udp any any -> any any (sid:8;)\n").unwrap();
    let sentence = archive.run(&archive.hunt()).unwrap_err();
    assert!(sentence.contains("holds a hunt with other rules"), "{sentence}");
    let report = archive.run(&Hunt { again: true, ..archive.hunt() }).unwrap();
    assert_eq!((report.read, report.known), (1, 0));
}

#[test]
fn what_cannot_be_read_is_told() {
    let archive = Archive::new(&["a.pcap", "cut.pcap"]);
    let report = archive.run(&archive.hunt()).unwrap();
    assert_eq!((report.read, report.hits, report.remarks.len()), (2, 4, 1));
    assert!(report.remarks[0].ends_with("cut.pcap: cut short"), "{:?}", report.remarks);
    let archive = Archive::new(&["refused.pcap"]);
    let sentence = archive.run(&archive.hunt()).unwrap_err();
    assert!(sentence.ends_with("refuses: a rule is wrong"), "{sentence}");
    let missing = Hunt { engine: "/nowhere/weir".into(), ..archive.hunt() };
    assert!(archive.run(&missing).unwrap_err().starts_with("/nowhere/weir cannot be started"));
}

#[test]
fn a_hunt_that_is_stopped_ends_what_it_began() {
    let archive = Archive::new(&["a.pcap", "endless.pcap"]);
    let (captures, _) = find(&[archive.path("archive")]);
    let stop = AtomicBool::new(false);
    let after_first = |progress: Progress| stop.store(progress.captures == 1, Ordering::Relaxed);
    let report = hunt(&archive.hunt(), &captures, &[], &after_first, &stop).unwrap();
    assert_eq!((report.read, report.stopped), (1, true));
}

#[test]
fn others_search_and_the_result_is_the_same() {
    let archive = Archive::new(&["a.pcap", "cut.pcap", "quiet.pcap"]);
    let expected = archive.run(&archive.hunt()).unwrap();
    let elsewhere = Hunt { folder: archive.path("elsewhere"), ..archive.hunt() };
    let (captures, _) = find(&[archive.path("archive")]);
    let kept = Kept::open(&elsewhere).unwrap();
    for capture in captures.iter().rev() {
        let work = archive.path("work");
        let found = search(&archive.hunt(), &capture.path, &work, &AtomicBool::new(false)).unwrap().unwrap();
        let lines = fs::read(&found.log).unwrap_or_default();
        assert_eq!(kept.found_in(capture), None);
        let hits = lines.iter().filter(|byte| **byte == b'\n').count() as u64;
        let expected = Found { hits, remark: found.remark.clone() };
        assert_eq!(kept.keep_lines(capture, &lines, found.remark).unwrap(), expected);
        assert_eq!(kept.found_in(capture), Some(expected));
    }
    let mut report = Report::default();
    gather(&elsewhere, &captures, &[archive.path("archive")], &kept, &mut report).unwrap();
    assert_eq!(report, Report { read: 0, ..expected });
    let written = |name: &str| fs::read(archive.path(name)).unwrap();
    assert_eq!(written("elsewhere/hits.json"), written("hunt/hits.json"));
}

#[test]
fn captures_are_read_into_a_folder() {
    let archive = Archive::new(&["a.pcap", "cut.pcap", "refused.pcap", "endless.pcap", "some.pcap"]);
    let logs = archive.path("logs");
    fs::create_dir(&logs).unwrap();
    let reading = |name: &str| Reading {
        engine: archive.path("engine"),
        captures: vec![archive.path("archive").join(name)],
        rules: vec![archive.path("new.rules")],
        settings: vec!["stats.enabled=no".to_owned()],
        folder: logs.clone(),
        eve: true,
        zeek: true,
    };
    let go_on = AtomicBool::new(false);
    assert_eq!(read(&reading("a.pcap"), &go_on), Ok(Some(Vec::new())));
    assert!(logs.join("eve.json").exists());
    assert_eq!(read(&reading("cut.pcap"), &go_on), Ok(Some(vec!["cut short".to_owned()])));
    let failed = "2 rules could not be loaded (no keyword).".to_owned();
    assert_eq!(read(&reading("some.pcap"), &go_on), Ok(Some(vec![failed])));
    assert!(read(&reading("refused.pcap"), &go_on).unwrap_err().ends_with("refuses: a rule is wrong"));
    assert_eq!(read(&reading("endless.pcap"), &AtomicBool::new(true)), Ok(None));
}
