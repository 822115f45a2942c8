//! Times of logs are those of the machine's clocks, by `TZ` or the system's zone, or in UTC.

use std::fs;

use weir_base::Timestamp;
use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// The clocks of Berlin, as rules: no files of the system are needed for them.
const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

/// A second before clocks go forward in Berlin: the last packet of the capture is sent behind that.
const BEFORE_SUMMER: u64 = 1_711_846_799;

fn capture(folder: &Folder) -> String {
    let mut frames = web_request();
    let last = frames.len() - 1;
    for (index, frame) in frames.iter_mut().enumerate() {
        let second = BEFORE_SUMMER + u64::from(index == last);
        frame.time = Timestamp::new(second, index as u32 * 1_000);
    }
    folder.write("a.pcap", pcap(ETHERNET, &frames))
}

#[test]
fn times_are_those_of_the_machine() {
    let folder = Folder::new("times_are_those_of_the_machine");
    let (capture, rules) = (capture(&folder), folder.write("a.rules", WEB_RULE));
    let cases: [(&str, &[&str], &str, &str, &str); 6] = [
        (BERLIN, &[], "2024-03-31T01:59:59.", "+0100", "CET"),
        ("Europe/Berlin", &[], "2024-03-31T01:59:59.", "+0100", "CET"),
        ("NST3:30NDT,M3.2.0,M11.1.0", &[], "2024-03-30T22:29:59.", "-0230", "NDT"),
        ("UTC", &[], "2024-03-31T00:59:59.", "+0000", "UTC"),
        (BERLIN, &["--utc"], "2024-03-31T00:59:59.", "+0000", "UTC"),
        ("UTC", &["--set", "logging.time-zone=<+0545>-5:45"], "2024-03-31T06:44:59.", "+0545", "+0545"),
    ];
    for (zone, options, date, offset, name) in cases {
        let words = [&["-r", &capture, "-S", &rules, "-k", "none"], options].concat();
        let run = folder.in_zone(zone, "weir", &words, &[]);
        assert_eq!(run.code, 0, "{zone} {}", run.said());
        assert!(run.said().contains(&date.replace('T', " ")), "{zone}: {}", run.said());
        assert!(run.said().contains(&format!(".000000 {name}\n")), "{zone}: {}", run.said());
        let alerts = folder.records("alert");
        for time in [&alerts[0]["timestamp"], &alerts[0]["flow"]["start"]] {
            let time = time.as_str().expect("a time");
            assert!(time.starts_with(date) && time.ends_with(offset), "{zone} {options:?}: {time}");
        }
        let [year, month, rest] = date.split('-').collect::<Vec<_>>()[..] else { panic!("{date}") };
        let fast = fs::read_to_string(folder.path("fast.log")).expect("fast.log");
        assert!(fast.starts_with(&format!("{month}/{}/{year}-{}", &rest[..2], &rest[3..])), "{zone}: {fast}");
        for log in ["eve.json", "fast.log", "stats.log"] {
            fs::remove_file(folder.path(log)).expect("a log");
        }
    }
}

#[test]
fn the_distance_to_utc_is_that_of_the_moment() {
    let folder = Folder::new("the_distance_to_utc_is_that_of_the_moment");
    let capture = capture(&folder);
    for workers in ["1", "4"] {
        let run = folder.in_zone(BERLIN, "weir", &["-r", &capture, "-k", "none", "-t", workers], &[]);
        assert_eq!(run.code, 0, "{}", run.said());
        let flows = folder.records("flow");
        let times = [&flows[0]["flow"]["start"], &flows[0]["flow"]["end"]];
        let times = times.map(|time| time.as_str().expect("a time").to_owned());
        assert!(times[0].starts_with("2024-03-31T01:59:59.") && times[0].ends_with("+0100"), "{times:?}");
        assert!(times[1].starts_with("2024-03-31T03:00:00.") && times[1].ends_with("+0200"), "{times:?}");
        let stats = fs::read_to_string(folder.path("stats.log")).expect("stats.log");
        assert!(stats.contains("Date: 3/31/2024 -- 03:00:00"), "{stats}");
        for log in ["eve.json", "stats.log"] {
            fs::remove_file(folder.path(log)).expect("a log");
        }
    }
}

#[test]
fn an_unknown_zone_is_told_and_times_are_utc() {
    let folder = Folder::new("an_unknown_zone_is_told");
    let capture = capture(&folder);
    let run = folder.in_zone("Nowhere/Atlantis", "weir", &["-r", &capture, "-k", "none"], &[]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.stderr.contains("time zone Nowhere/Atlantis"), "{}", run.stderr);
    let time = folder.records("flow")[0]["flow"]["start"].as_str().expect("a time").to_owned();
    assert!(time.ends_with("+0000"), "{time}");
}

#[test]
fn zeeks_rows_have_no_zone_and_names_of_files_are_local() {
    let folder = Folder::new("zeeks_rows_have_no_zone");
    let capture = capture(&folder);
    let run = folder.in_zone(BERLIN, "weir", &["-r", &capture, "-k", "none", "--zeek-logs"], &[]);
    assert_eq!(run.code, 0, "{}", run.said());
    let log = fs::read_to_string(folder.path("conn.log")).expect("conn.log");
    assert!(log.contains(&format!("\n{BEFORE_SUMMER}.")), "{log}");
    let rotated = ["--set", "outputs.zeek.enabled=yes", "--set", "outputs.zeek.rotation-interval=1day"];
    let words = [&["-r", capture.as_str(), "-k", "none"], &rotated[..]].concat();
    fs::remove_file(folder.path("conn.log")).expect("conn.log");
    assert_eq!(folder.in_zone("NST3:30NDT,M3.2.0,M11.1.0", "weir", &words, &[]).code, 0);
    let names: Vec<String> = fs::read_dir(folder.path("."))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().any(|name| name.starts_with("conn.2024-03-30-22-")), "{names:?}");
}

#[test]
fn zeek_cut_prints_local_times() {
    let folder = Folder::new("zeek_cut_prints_local_times");
    let log =
        "#separator \\x09\n#fields\tts\tuid\n#types\ttime\tstring\n1711846799.5\tC1\n1711846800.000000\tC2\n";
    let cases: [(&[&str], &str); 4] = [
        (&["-d", "ts"], "2024-03-31T01:59:59+0100\n2024-03-31T03:00:00+0200\n"),
        (&["-D", "%d.%m.%Y %H:%M %Z", "ts"], "31.03.2024 01:59 CET\n31.03.2024 03:00 CEST\n"),
        (&["-u", "ts"], "2024-03-31T00:59:59+0000\n2024-03-31T01:00:00+0000\n"),
        (&["-U", "%H:%M", "uid", "ts"], "C1\t00:59\nC2\t01:00\n"),
    ];
    for zone in [BERLIN, "Europe/Berlin"] {
        for (words, expected) in cases {
            let run = folder.in_zone(zone, "zeek-cut", words, log.as_bytes());
            assert_eq!(run.stdout, expected, "{zone} {words:?} {}", run.stderr);
        }
    }
}
