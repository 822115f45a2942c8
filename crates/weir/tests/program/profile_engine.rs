//! `weir profile`: profiles of a run whose costs are known, and the logs of `profiling`.

use serde_json::Value;
use weir_testkit::{Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder, Run};

/// Packets of the capture.
const PACKETS: u64 = 4000;

/// A rule that is slow on purpose, as its expression tries many places of each packet, and others that are not.
const RULES: &str = "alert udp any any -> any any (msg:\"slow\"; content:\"start\"; pcre:\"/s[^b]*a[^b]*a[^b]*nowhere/\"; sid:1000;)\n\
                     alert udp any any -> any any (msg:\"quick\"; content:\"start\"; content:\"nowhere\"; sid:1001;)\n\
                     alert udp any any -> any 53 (msg:\"some\"; content:\"start\"; isdataat:20; sid:1002;)\n\
                     alert udp any any -> any any (msg:\"none\"; content:\"elsewhere\"; sid:1003;)\n";

/// Datagrams of some flows.
fn capture() -> Vec<u8> {
    let payload = [b"start".as_slice(), &b"xa".repeat(40)].concat();
    let frames: Vec<TimedFrame> = (0..PACKETS)
        .map(|number| {
            let frame = Frame::ethernet().ipv4(&format!("10.0.0.{}", 1 + number % 50), "10.0.1.1");
            let port = if number.is_multiple_of(4) { 53 } else { 54 };
            TimedFrame {
                time: weir_base::Timestamp(number * 1_000_000),
                bytes: frame.udp(4000, port).payload(&payload).build(),
            }
        })
        .collect();
    pcap(ETHERNET, &frames)
}

fn profile(folder: &Folder, subject: &str, words: &[&str]) -> Run {
    let capture = folder.write("many.pcap", capture());
    let rules = folder.write("my.rules", RULES);
    let line = [&["profile", subject, "-r", &capture, "-S", &rules], words].concat();
    let run = folder.command(&line);
    assert_eq!(run.code, 0, "{subject} {words:?}: {}", run.said());
    run
}

fn object(folder: &Folder, subject: &str, words: &[&str]) -> Value {
    let run = profile(folder, subject, &[&["--json"], words].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.said()))
}

/// Returns the share of a rule in a profile, by its ticks.
fn share(profile: &Value, sid: u64) -> f64 {
    let rules = profile["profile"]["rules"].as_array().expect("rules");
    let ticks = |rule: &Value| rule["ticks_total"].as_f64().expect("ticks");
    let own = rules.iter().find(|rule| rule["signature_id"] == sid).map_or(0.0, ticks);
    own / rules.iter().map(ticks).sum::<f64>()
}

#[test]
fn a_rule_that_is_slow_on_purpose_is_found_first() {
    let folder = Folder::new("profile-slow-rule");
    let exact = object(&folder, "rules", &["--exact"]);
    let first = &exact["profile"]["rules"][0];
    assert_eq!((&first["signature_id"], &first["checks"]), (&1000.into(), &PACKETS.into()), "{exact}");
    let some = exact["profile"]["rules"].as_array().unwrap().iter().find(|rule| rule["signature_id"] == 1002);
    let some = some.expect("a rule that matches");
    // Only packets to its port are searched for its literal.
    assert_eq!((&some["checks"], &some["matches"]), (&(PACKETS / 4).into(), &(PACKETS / 4).into()));
    let finding = exact["findings"][0].as_str().expect("a sentence");
    assert!(
        finding.starts_with("Rule 1000 takes ")
            && finding.contains("its pcre runs 4,000 times because `content:\"start\"`"),
        "{finding}"
    );
    for words in [&["--sample", "8"][..], &["--sample", "8", "-t", "2"]] {
        let exact = share(&exact, 1000);
        let mut shares = Vec::new();
        // What other programs take while a few packets are measured counts for these: a busy machine gets three tries.
        let is_close = (0..3).any(|_| {
            let sampled = object(&folder, "rules", words);
            assert_eq!(sampled["profile"]["rules"][0]["signature_id"], 1000);
            let sampled = share(&sampled, 1000);
            shares.push(sampled);
            (sampled - exact).abs() <= exact / 10.0
        });
        assert!(is_close, "{words:?}: {shares:?} and {exact}");
    }
}

#[test]
fn each_subject_tells_of_the_run() {
    let folder = Folder::new("profile-subjects");
    for (subject, words) in [
        ("rules", &["Sorted by: ticks.", "  1        1000 ", "Findings"][..]),
        ("keywords", &["Stats for: total", "Stats for: payload", "  pcre ", "  content "]),
        ("prefilter", &["Prefilter", "  packet_payload "]),
        ("groups", &["Stats for: rule groups", "  udp-toserver "]),
        ("packets", &["Packet profile dump:", " IPv4      17          4000 "]),
        ("layers", &["  decode ", "  detect: rules ", "  flow ", "  all "]),
        ("slow", &["Microseconds"]),
        ("locks", &["Lock or queue", "  lines for the log thread "]),
    ] {
        let text = profile(&folder, subject, &["--exact"]).stdout;
        for word in words {
            assert!(text.contains(word), "{subject} without {word:?}:\n{text}");
        }
        let object = object(&folder, subject, &["--sample", "2"]);
        let page = folder.path(&format!("{subject}.html"));
        let page = page.to_str().unwrap();
        profile(&folder, subject, &["--html", page]);
        let page = std::fs::read_to_string(page).expect("a page");
        let has_rows = object
            .as_object()
            .unwrap()
            .values()
            .any(|list| list.as_array().is_some_and(|rows| !rows.is_empty()));
        assert!(
            page.contains("many.pcap")
                // Another run, in which other packets, or none, may be slow.
                && (page.contains("\"kind\":\"table\"") || !has_rows || subject == "slow"),
            "{subject}"
        );
        assert!(
            object["ticks_per_second"].as_u64().is_some_and(|ticks| ticks > 1_000_000),
            "{subject}: {object}"
        );
    }
}

#[test]
fn what_workers_wait_for_is_named() {
    let folder = Folder::new("profile-locks");
    let capture = folder.write("many.pcap", capture());
    let rules = folder.write(
        "my.rules",
        "alert udp any any -> any any (msg:\"often\"; content:\"start\"; threshold:type threshold,track by_dst,count 2,seconds 60; sid:1;)\n",
    );
    let run = folder.command(&["profile", "locks", "--json", "-r", &capture, "-S", &rules, "-t", "4"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let profile: Value = serde_json::from_str(&run.stdout).expect("an object");
    let locks = profile["locks"].as_array().expect("locks");
    let taken = |name: &str| {
        let lock = locks.iter().find(|lock| lock["name"] == name);
        lock.map_or(0, |lock| lock["taken"].as_u64().unwrap_or_default())
    };
    assert!(taken("thresholds") >= PACKETS && taken("order of workers") >= PACKETS, "{profile}");
    let first = &locks[0];
    assert!(first["contended"].as_u64() > Some(0) && first["ticks_waited"].as_u64() > Some(0), "{profile}");
    let finding = profile["findings"][0].as_str().expect("a sentence");
    assert!(finding.contains(first["name"].as_str().unwrap()) && finding.contains("worker"), "{finding}");
}

#[test]
fn the_logs_of_the_section_are_written() {
    let folder = Folder::new("profile-logs");
    let capture = folder.write("many.pcap", capture());
    let rules = folder.write("my.rules", RULES);
    let run = folder.weir(&[
        "-r",
        &capture,
        "-S",
        &rules,
        "--set",
        "profiling.active=yes",
        "--set",
        "profiling.sample-rate=1",
        "--set",
        "profiling.locks.enabled=yes",
        "--set",
        "profiling.rules.limit=2",
    ]);
    assert_eq!(run.code, 0, "{}", run.said());
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap_or_default();
    let orders: Vec<Value> =
        read("rule_perf.log").lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let names: Vec<&str> = orders.iter().filter_map(|order| order["sort"].as_str()).collect();
    assert_eq!(
        names,
        [
            "ticks",
            "average ticks",
            "average ticks (match)",
            "average ticks (no match)",
            "number of checks",
            "number of matches",
            "max ticks"
        ]
    );
    assert!(orders.iter().all(|order| order["rules"].as_array().is_some_and(|rules| rules.len() == 2)));
    for (name, words) in [
        ("keyword_perf.log", "Stats for: total"),
        ("prefilter_perf.log", "Ticks/Byte"),
        ("rule_group_perf.log", "Stats for: rule groups"),
        ("packet_stats.log", "Packet profile dump:"),
        ("lock_stats.log", "Overall: locks "),
    ] {
        assert!(read(name).contains(words), "{name}: {}", read(name));
    }
    // Without being asked nothing is measured.
    let folder = Folder::new("profile-no-logs");
    let capture = folder.write("many.pcap", capture_of_one());
    assert_eq!(folder.weir(&["-r", &capture]).code, 0);
    assert!(!folder.path("rule_perf.log").exists() && !folder.path("lock_stats.log").exists());
}

fn capture_of_one() -> Vec<u8> {
    let bytes = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(b"x").build();
    pcap(ETHERNET, &[TimedFrame { time: weir_base::Timestamp(0), bytes }])
}

#[test]
fn records_do_not_depend_on_what_is_measured() {
    let folder = Folder::new("profile-records");
    let capture = folder.write("many.pcap", capture());
    let rules = folder.write("my.rules", RULES);
    let records = |words: &[&str]| {
        let _ = std::fs::remove_file(folder.path("eve.json"));
        let run = folder.weir(&[&["-r", &capture, "-S", &rules], words].concat());
        assert_eq!(run.code, 0, "{}", run.said());
        folder.records_but_statistics()
    };
    let plain = records(&[]);
    assert!(!plain.is_empty());
    for rate in ["1", "7"] {
        let rate = format!("profiling.sample-rate={rate}");
        assert!(plain == records(&["--set", "profiling.active=yes", "--set", &rate]), "{rate}");
    }
}

/// Packets that took long can be read again.
#[test]
fn packets_that_took_long_are_kept() {
    let folder = Folder::new("profile-slow-packets");
    let logs = folder.path("logs").to_string_lossy().into_owned();
    let told = object(&folder, "slow", &["--over", "1", "-l", &logs]);
    let slow = told["slow"].as_array().expect("rows");
    assert!((1..=64).contains(&slow.len()), "{told}");
    assert!(slow.windows(2).all(|two| two[0]["microseconds"].as_u64() >= two[1]["microseconds"].as_u64()));
    let packets: usize = slow.iter().map(|row| row["packets"].as_array().expect("numbers").len()).sum();
    let capture = folder.path("logs/slow.pcapng").to_string_lossy().into_owned();
    let run = folder.weir(&["-r", &capture, "--summary", "json"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert_eq!(run.summary()["packets"].as_u64(), Some(packets as u64), "{}", run.stdout);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = Folder::new("profile-refused");
    for (words, expected) in [
        (&["rules", "-r", "none.pcap", "--sort", "speed"][..], "choose one of ticks, avgticks"),
        (&["rules", "-r", "none.pcap", "--sample", "0"], "0"),
        (&["rules", "-r", "none.pcap", "--exact", "--sample", "3"], "--exact"),
        (&["speed"], "speed"),
    ] {
        let run = folder.command(&[&["profile"], words].concat());
        assert!(run.code == 1 && run.said().contains(expected), "{words:?}: {}", run.said());
    }
}
