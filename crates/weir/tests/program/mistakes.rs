//! First mistakes: each is understood, or answered with what to type.

use std::fs;

use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// What help and lists may be wide.
const COLUMNS: usize = 80;

/// A folder with captures and rules, which is the one that the program is started in.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let capture = pcap(ETHERNET, &web_request());
    for name in ["a.pcap", "b.pcap"] {
        folder.write(name, &capture);
    }
    folder.write("my.rules", WEB_RULE);
    folder.write("more.rules", WEB_RULE.replace("sid:1", "sid:2"));
    folder.write("broken.rules", "alert tcp any any -> any any (no_such_keyword; sid:3;)\n");
    folder.write("my.yaml", "%YAML 1.1\n---\n");
    folder
}

#[test]
fn what_can_mean_one_thing_only_is_done() {
    // Words; captures that are read, rules that are loaded.
    let cases: [(&str, usize, u64); 7] = [
        ("a.pcap", 1, 0),
        ("-r a.pcap b.pcap", 2, 0),
        ("-r a.pcap b.pcap -S my.rules more.rules", 2, 2),
        ("-r a.pcap b.pcap tcp port 80", 2, 0),
        ("a.pcap my.rules", 1, 1),
        ("-r a.pcap --runm single", 1, 0),
        ("-r a.pcap --zeek-logs json", 1, 0),
    ];
    for (line, captures, rules) in cases {
        let folder = folder("what_can_mean_one_thing_only");
        let words: Vec<&str> = line.split(' ').chain(["--summary=json"]).collect();
        let run = folder.command(&words);
        assert_eq!(run.code, 0, "{line}: {}", run.said());
        let summary = run.summary();
        assert_eq!(summary["packets"], captures * web_request().len(), "{line}");
        assert_eq!(summary["rules"]["loaded"], rules, "{line}");
        if line.ends_with("json") {
            assert!(fs::read_to_string(folder.path("conn.log")).is_ok_and(|log| log.starts_with('{')));
        }
    }
    let run = folder("rules_to_be_checked").command(&["-T", "my.rules"]);
    assert!(run.code == 0 && run.stdout.contains("1 loaded"), "{}", run.said());
}

#[test]
fn anything_else_is_answered_with_what_to_type() {
    let folder = folder("answered_with_what_to_type");
    let cases = [
        ("", "`weir -r capture.pcap`"),
        ("chekc", "Did you mean `weir check`?"),
        ("rules", "there are archive, bench, check, completions, ctl, explain, help, hunt, list"),
        ("query select", "`weir query` is in the program weir-analyst"),
        ("help hunt", "`weir hunt` is in the program weir-analyst"),
        ("help chekc", "Did you mean `weir check`?"),
        ("none.pcap", "cannot open none.pcap: there is no such file."),
        ("-r a.pcap none.pcap", "cannot open none.pcap: there is no such file."),
        ("-r a.pcap my.yaml", "`-c my.yaml`"),
        ("-r my.rules", "`-S my.rules`"),
        ("-r *.pcap", "leave the quotes out"),
        ("-r lo", "is a network interface"),
        ("-r https://example.com/a.pcap", "`curl -L https://example.com/a.pcap | weir -r -`"),
        ("-r a.pcap prot 80", "in the language of tcpdump: `tcp port 80`"),
        ("-r a.pcap -S none.rules", "There is no rule file none.rules."),
        ("-r a.pcap -s none.rules", "No rule was loaded, so nothing was read."),
        ("-r a.pcap -S broken.rules", "None of the rules could be loaded (1 failed)"),
        ("-r a.pcap -S a.pcap", "A capture is named with -r"),
        ("-r a.pcap -c none.yaml", "none.yaml: there is no such file."),
        ("-r a.pcap -l my.rules", "Choose another with -l"),
        ("-r a.pcap -t many", "write a number from 1 to 256"),
        ("-r a.pcap --sumary=json", "Did you mean --summary?"),
        ("-r a.pcap -o out", "`weir -r capture.pcap -l out/`"),
        ("--read a.pcap", "`weir -r capture.pcap`"),
        ("-version", "Did you mean --version?"),
        ("-r", "write -r <CAPTURE>"),
        ("check", "<FILE>..."),
        ("check a.pcap", "A capture is named with -r"),
        ("check none.rules", "There is no rule file none.rules."),
        ("list http", "`weir list fields http`"),
        ("list content", "`weir list keyword content`"),
        ("list keyword contnet", "weir list keywords"),
        ("explain sid:99", "<CAPTURE>..."),
        ("explain sid:99 a.pcap", "`weir explain sid:99 capture.pcap -S my.rules`"),
        ("explain sid:99 a.pcap -S my.rules", "no rule with sid 99 in my.rules. It has the sids 1."),
        ("explain my.rules:7 a.pcap", "no rule at line 7 of my.rules. It has the lines 1."),
    ];
    for (line, part) in cases {
        let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        let run = folder.command(&words);
        assert_ne!(run.code, 0, "{line}: {}", run.said());
        assert!(run.said().contains(part), "{line}: {}", run.said());
    }
}

#[test]
fn rules_that_are_there_run_beside_those_that_are_not() {
    let folder = folder("rules_beside_those_that_are_not");
    let run = folder.command(&["-r", "a.pcap", "-S", "none.rules", "-S", "my.rules"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.said().contains("There is no rule file none.rules."), "{}", run.said());
    assert_eq!(folder.records("alert").len(), 1);
}

#[test]
fn help_fits_a_terminal_and_names_the_commands() {
    let folder = folder("help_fits_a_terminal");
    let lines: [&[&str]; 12] = [
        &["-h"],
        &["--help"],
        &["help"],
        &["help", "check"],
        &["check", "--help"],
        &["ctl", "--help"],
        &["explain", "--help"],
        &["bench", "--help"],
        &["list", "--help"],
        &["list", "fields", "--help"],
        &["help", "list", "keyword"],
        &["help", "explain"],
    ];
    for words in lines {
        let run = folder.command(words);
        assert_eq!(run.code, 0, "{words:?}: {}", run.said());
        let wide = run.stdout.lines().find(|line| line.chars().count() > COLUMNS);
        assert_eq!(wide, None, "{words:?}");
        if words.len() == 1 {
            let commands =
                ["check RULES", "explain RULE CAPTURE", "list keywords", "bench CAPTURE", "ctl COMMAND"];
            assert!(commands.iter().all(|command| run.stdout.contains(command)), "{words:?}: {}", run.stdout);
        }
    }
}
