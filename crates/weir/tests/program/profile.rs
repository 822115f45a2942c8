//! `weir profile`: profiles of runs, their files, and what is said where there is none.

use std::fs;

use weir_lab::formats::pprof;
use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// A folder with a rule and a capture of which a run takes a while.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let frames = web_request();
    let frames: Vec<_> = std::iter::repeat_n(frames, 2000).flatten().collect();
    folder.write("web.pcap", pcap(ETHERNET, &frames));
    folder.write("web.rules", WEB_RULE);
    folder
}

#[test]
fn cpu_profiles_have_all_formats() {
    let folder = folder("profile_cpu");
    // By perf events, or by a signal where these are forbidden; and by a signal in any case.
    for (way, options) in [("events", &[][..]), ("signal", &["--by-signal"])] {
        let words = [
            "profile",
            "cpu",
            "-r",
            "web.pcap",
            "-S",
            "web.rules",
            "-o",
            way,
            "--html",
            "page.html",
            "--frequency",
            "5000",
        ];
        let run = folder.command(&[&words[..], options].concat());
        assert_eq!(run.code, 0, "{way}: {}", run.said());
        assert!(
            run.stdout.contains("CPU time of web.pcap: ") && run.stdout.contains("function"),
            "{}",
            run.stdout
        );
        let read = |name: &str| {
            fs::read(folder.path(way).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let profile = pprof::read(&read("cpu.pb.gz")).expect("a profile");
        let measure = profile.measure("cpu").expect("CPU time");
        assert!(profile.total(measure) > 0);
        let names: String = profile.functions.iter().map(|function| function.name.as_str()).collect();
        assert!(names.contains("weir_engine"), "{names}");
        let processed: serde_json::Value = serde_json::from_slice(&read("cpu.firefox.json")).expect("JSON");
        assert!(processed["threads"].as_array().is_some_and(|threads| !threads.is_empty()));
        // The outermost calls may be missing: without optimisation stacks are longer than what is copied of them.
        assert!(String::from_utf8_lossy(&read("cpu.folded")).contains(";weir_engine::"));
        assert!(String::from_utf8_lossy(&read("cpu.svg")).starts_with("<svg "));
        assert!(!read("cpu.txt").is_empty());
        let page = fs::read_to_string(folder.path("page.html")).expect("a page");
        assert!(page.starts_with("<!doctype html>") && page.contains("CPU time of web.pcap"));
        assert!(!folder.path("eve.json").exists(), "logs go nowhere where nobody asks for them");
    }
    let run = folder.command(&["profile", "report", "events"]);
    assert_eq!((run.code, run.stdout.trim()), (0, "events/report.html"), "{}", run.said());
    let run = folder.command(&["profile", "compare", "events/cpu.pb.gz", "signal/cpu.pb.gz", "--limit", "3"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.stdout.contains("with calls"), "{}", run.stdout);
}

#[test]
fn heap_profiles_tell_purposes_and_what_is_left() {
    let folder = folder("profile_heap");
    let words = ["profile", "heap", "-r", "web.pcap", "-S", "web.rules", "-o", "heap", "--html", "page.html"];
    let options = ["--sample", "4096", "--every", "1MB", "-l", "logs"];
    let run = folder.command(&[&words[..], &options].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    for part in ["Memory of web.pcap: when most was alive: ", "purpose and call site", "not freed", "flows"] {
        assert!(run.stdout.contains(part), "no {part} in {}", run.stdout);
    }
    assert!(folder.path("logs/eve.json").exists(), "logs go where -l says");
    let read = |name: &str| {
        pprof::read(&fs::read(folder.path("heap").join(name)).expect("a file")).expect("a profile")
    };
    let (peak, end) = (read("heap.peak.pb.gz"), read("heap.end.pb.gz"));
    let measure = peak.measure("inuse_space").expect("bytes");
    assert!(peak.total(measure) > 1_000_000 && end.total(measure) < peak.total(measure));
    assert!(folder.path("heap/heap.0001.pb.gz").exists(), "dumps while it ran");
    let run =
        folder.command(&["profile", "compare", "heap/heap.0001.pb.gz", "heap/heap.peak.pb.gz", "-o", "more"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.stdout.contains("purpose") && folder.path("more/difference.svg").exists(), "{}", run.stdout);
    let run = folder.command(&["profile", "report", "heap", "--html", "again.html"]);
    assert_eq!(run.code, 0, "{}", run.said());
    let page = fs::read_to_string(folder.path("again.html")).expect("a page");
    assert!(page.contains("Memory in use over time") && page.contains("What was not freed"));
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = folder("profile_cannot");
    folder.write("none.pb.gz", b"\xff");
    let cases: &[(&[&str], &str)] = &[
        (&["cpu", "-r", "missing.pcap"], "missing.pcap"),
        (&["cpu", "--frequency", "0", "-r", "web.pcap"], "--frequency"),
        (&["cpu", "--pid", "999999999", "--seconds", "1"], "Process 999999999 cannot be measured"),
        (&["cpu", "-r", "web.pcap", "-o", "web.rules/x"], "cannot be made"),
        (
            &["cpu", "-r", "web.pcap", "--frequency", "5000", "--annotate", "no_such_function"],
            "no_such_function",
        ),
        (&["heap", "-r", "web.pcap", "--every", "10"], "10MB, 500ms or 2s"),
        (&["heap", "-r", "missing.pcap"], "missing.pcap"),
        (&["report", "missing"], "missing cannot be read"),
        (&["compare", "none.pb.gz", "none.pb.gz"], "none.pb.gz"),
    ];
    for (words, said) in cases {
        let run = folder.command(&[&["profile"], *words].concat());
        assert_eq!(run.code, 1, "{words:?}: {}", run.said());
        assert!(run.said().contains(said), "{words:?}: no {said} in {}", run.said());
    }
}
