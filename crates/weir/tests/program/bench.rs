//! `weir bench`: what it measures, what it says where it cannot, and what it leaves behind.

use std::fs;

use serde_json::Value;
use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// The program itself, as another build.
const WEIR: &str = env!("CARGO_BIN_EXE_weir");

/// A folder with a capture and a rule.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    folder.write("web.rules", WEB_RULE);
    folder
}

/// The first words of the lines of a table, its title aside.
fn rows(table: &str) -> Vec<&str> {
    let lines = table.lines().skip(3).take_while(|line| !line.is_empty());
    lines.map(|line| line.trim_start().split("  ").next().unwrap_or_default()).collect()
}

#[test]
fn rows_of_the_table() {
    let folder = folder("bench_rows");
    let without_rules =
        ["flow records only", "all EVE records", "Zeek's logs only", "all EVE records and Zeek's logs"];
    let with_rules =
        ["rules and all EVE records", "loading the rules", "rules, all EVE records and Zeek's logs"];
    // The options, the rows.
    let cases: [(&[&str], Vec<&str>); 5] = [
        (&[], without_rules.to_vec()),
        (&["-S", "web.rules"], [&without_rules[..], &with_rules].concat()),
        (&["--row", "flows", "--row", "zeek"], vec![without_rules[0], without_rules[2]]),
        (&["-S", "web.rules", "--row", "loading"], with_rules[..2].to_vec()),
        (&["--row", "eve", "--", "-t", "2"], vec![without_rules[1]]),
    ];
    for (options, expected) in cases {
        let words = [&["bench", "web.pcap", "--runs", "1", "--unit", "none"], options].concat();
        let run = folder.command(&words);
        assert_eq!(run.code, 0, "{options:?}: {}", run.said());
        let packets = format!("web.pcap: {} packets", web_request().len());
        assert!(run.stdout.starts_with(&packets) && run.stdout.contains("; one run."), "{}", run.stdout);
        assert_eq!(rows(&run.stdout), expected, "{options:?}: {}", run.stdout);
        assert!(!run.said().contains('\u{1b}'), "no colours but on terminals: {}", run.said());
    }
}

#[test]
fn another_build_beside_this_one() {
    let folder = folder("bench_another_build");
    let words = ["bench", "web.pcap", "--runs", "3", "--row", "flows", "--vs", WEIR, "--unit", "cat"];
    let run = folder.command(&[&words[..], &["--json", "history.jsonl"]].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    assert_eq!(rows(&run.stdout), ["flow records only", WEIR], "{}", run.stdout);
    assert!(
        run.stdout.contains("cat takes ") && run.stdout.contains("; medians of 3 runs."),
        "{}",
        run.stdout
    );
    let again = folder.command(&[&words[..], &["--json", "history.jsonl", "--format", "markdown"]].concat());
    assert!(again.stdout.contains("\n|---|---|"), "{}", again.stdout);

    let history = fs::read_to_string(folder.path("history.jsonl")).expect("a history");
    assert_eq!(history.lines().count(), 2, "{history}");
    for line in history.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!((&line["runs"], &line["unit"]), (&3.into(), &"cat".into()));
        assert_eq!(line["packets"], web_request().len());
        let figures = line["figures"].as_array().expect("figures");
        assert_eq!(figures.len(), 2);
        assert!(
            figures.iter().all(|figure| figure["row"] == "flows" && figure["memory"].as_f64() > Some(1e6))
        );
        assert!(figures[0]["ratio"].is_null() && figures[1]["ratio"].is_number(), "{figures:?}");
    }
}

#[test]
fn many_builds_have_a_line_each() {
    let folder = folder("bench_many_builds");
    let others = ["--vs", WEIR, "--vs", WEIR, "--format", "markdown"];
    let run =
        folder.command(&[&["bench", "web.pcap", "--runs", "1", "--unit", "none"], &others[..]].concat());
    assert_eq!(run.code, 0, "{}", run.said());
    for (title, lines) in [("CPU seconds", 4), ("peak memory", 4)] {
        let (_, table) = run.stdout.split_once(&format!("| {title} |")).expect("a table");
        assert!(table.contains("the ratios differ by up to"), "{table}");
        assert_eq!(table.lines().skip(1).take_while(|line| line.starts_with('|')).count(), lines, "{table}");
    }
}

#[test]
fn limits() {
    let folder = folder("bench_limits");
    for (limit, code, said) in
        [("flows=100000", 0, "limit"), ("flows=-100000", 2, "flow records only takes more than its limit.")]
    {
        let words = ["bench", "web.pcap", "--runs", "1", "--row", "flows", "--unit", "cat", "--limit", limit];
        let run = folder.command(&words);
        assert_eq!(run.code, code, "{limit}: {}", run.said());
        assert!(run.said().contains(said), "{limit}: {}", run.said());
    }
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = folder("bench_cannot");
    folder.write("damaged.pcap", b"not one");
    let cases: &[(&[&str], &str)] = &[
        (&["missing.pcap"], "missing.pcap is no file. Name capture files."),
        (&["."], ". is no file. Name capture files."),
        (&["damaged.pcap"], "not a capture file"),
        (&["web.pcap", "--row", "none"], "There is no row none. Choose flows, eve, zeek,"),
        (&["web.pcap", "--row", "rules"], "The row rules needs rules. Name them with -S."),
        (&["web.pcap", "--limit", "none=1"], "There is no row none."),
        (&["web.pcap", "--limit", "flows"], "as in flows=0.05"),
        (&["web.pcap", "--limit", "flows=1", "--unit", "none"], "Name one with --unit."),
        (&["web.pcap", "--unit", "no-such-program"], "There is no program no-such-program"),
        (&["web.pcap", "--vs", "no-such-build"], "There is no program no-such-build."),
        (&["web.pcap", "--vs", "/bin/echo"], "Is it a build of Weir?"),
        (&["web.pcap", "--runs", "0"], "--runs"),
        (&["web.pcap", "--", "--no-such-option"], "--no-such-option"),
    ];
    for (words, said) in cases {
        let run = folder.command(&[&["bench"], *words].concat());
        assert_eq!(run.code, 1, "{words:?}: {}", run.said());
        assert!(run.said().contains(said), "{words:?}: no {said} in {}", run.said());
    }
}

#[test]
fn commands_of_a_shell() {
    let folder = folder("bench_shell");
    let words = [
        "bench",
        "--shell",
        "true",
        "--shell",
        "exit 0",
        "--runs",
        "3",
        "--export-json",
        "runs.json",
        "--html",
        "page.html",
    ];
    let run = folder.command(&words);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.stdout.contains("3 runs of each") && run.stdout.contains("exit 0"), "{}", run.stdout);
    let runs: Value =
        serde_json::from_slice(&fs::read(folder.path("runs.json")).expect("a file")).expect("JSON");
    assert_eq!(runs["results"][1]["command"], "exit 0");
    assert_eq!(runs["results"][1]["times"].as_array().map(Vec::len), Some(3));
    assert!(fs::read_to_string(folder.path("page.html")).expect("a page").contains("Time by command"));
    let run = folder.command(&["bench", "--shell", "exit 3", "--runs", "1"]);
    assert!(run.code == 1 && run.said().contains("exit status: 3"), "{}", run.said());
    let run = folder.command(&["bench", "web.pcap", "--shell", "true"]);
    assert_eq!(run.code, 1, "{}", run.said());
}

#[test]
fn numbers_of_workers() {
    let folder = folder("bench_workers");
    let words =
        ["bench", "web.pcap", "--workers", "1..2", "--runs", "2", "--unit", "none", "--html", "page.html"];
    let run = folder.command(&words);
    assert_eq!(run.code, 0, "{}", run.said());
    for part in
        ["all EVE records, by number of workers.", "speed-up", "CPU ns/packet", "Fitted law of scaling"]
    {
        assert!(run.stdout.contains(part), "no {part} in {}", run.stdout);
    }
    assert!(
        fs::read_to_string(folder.path("page.html"))
            .expect("a page")
            .contains("Packets by number of workers")
    );
    let run = folder.command(&["bench", "web.pcap", "--workers", "2..1"]);
    assert!(run.code == 1 && run.said().contains("1..8"), "{}", run.said());
}

#[test]
fn all_runs_in_the_json_of_another_tool() {
    let folder = folder("bench_export");
    let words = [
        "bench",
        "web.pcap",
        "--row",
        "flows",
        "--runs",
        "2",
        "--unit",
        "none",
        "--export-json",
        "runs.json",
    ];
    let run = folder.command(&words);
    assert_eq!(run.code, 0, "{}", run.said());
    let runs: Value =
        serde_json::from_slice(&fs::read(folder.path("runs.json")).expect("a file")).expect("JSON");
    assert_eq!(runs["results"][0]["command"], "weir: flow records only");
    assert_eq!(runs["results"][0]["exit_codes"], serde_json::json!([0, 0]));
}
