//! `weir explain`: the steps of a rule's inspection, and what it changes about an inspection: nothing.

use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, Run, web_request};

/// Explains a rule on a web request.
fn explain(name: &str, rules: &str, words: &[&str]) -> Run {
    let folder = Folder::new(name);
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let rules = folder.write("my.rules", rules);
    let mut line = vec!["explain", words[0], &capture, "-S", &rules];
    line.extend_from_slice(&words[1..]);
    folder.command(&line)
}

/// The steps of the first attempt explained, as `step outcome`, going inside.
fn steps(explained: &serde_json::Value) -> Vec<String> {
    fn gather(steps: &serde_json::Value, found: &mut Vec<String>) {
        for step in steps.as_array().into_iter().flatten() {
            let text = |key: &str| step[key].as_str().unwrap_or_default();
            found.push(format!("{} {}", text("step"), text("outcome")));
            gather(&step["steps"], found);
        }
    }
    let mut found = Vec::new();
    gather(&explained["steps"], &mut found);
    found
}

#[test]
fn each_step_of_a_rule() {
    // Options of a rule, how it ends, steps that must be told.
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "http.uri; content:\"/index\"; startswith; content:\"html\"; distance:1; within:4;",
            "fired",
            &[
                "application protocol http1, http2, doh2 passed",
                "http.uri passed",
                "content:\"/index\"; startswith passed",
                "content:\"html\"; distance:1; within:4 passed",
            ],
        ),
        (
            "http.uri; content:\"/index\"; content:\"html\"; distance:2; within:4;",
            "missed",
            &["content:\"/index\" passed", "content:\"html\"; distance:2; within:4 failed"],
        ),
        (
            "http.method; content:\"GET\"; http.uri; content:\"/elsewhere\";",
            "missed",
            &["prefilter \"/elsewhere\" failed", "http.method passed", "content:\"/elsewhere\" failed"],
        ),
        ("flow:to_client; content:\"GET\";", "missed", &["flow:to_client passed", "content:\"GET\" failed"]),
        ("content:\"GET\"; http_method; pcre:\"/^P/U\";", "missed", &["pcre:\"/^P/U\" failed"]),
        // A modifier of HTTP/1 does not look at HTTP/2.
        ("uricontent:\"/index\";", "fired", &["application protocol http1 passed"]),
        ("urilen:>3;", "fired", &["application protocol http1, http2, doh2 passed"]),
        ("flowbits:isset,never; http.uri; content:\"/index\";", "missed", &["flowbits:isset,never failed"]),
        ("http.uri; content:\"/index\"; noalert;", "held-back", &["content:\"/index\" passed"]),
    ];
    for (position, (options, outcome, expected)) in cases.iter().enumerate() {
        let rule = format!("alert http any any -> any any (msg:\"x\"; {options} sid:7;)\n");
        let run = explain(&format!("each_step_of_a_rule_{position}"), &rule, &["sid:7", "--format", "json"]);
        assert_eq!(run.code, 0, "{options}: {}", run.said());
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("one JSON object");
        let first = &report["explained"][0];
        assert_eq!(first["outcome"], *outcome, "{options}: {report}");
        let steps = steps(first);
        for step in *expected {
            assert!(steps.iter().any(|found| found == step), "{options}: no {step} in {steps:?}");
        }
    }
}

#[test]
fn which_rule_and_which_packets() {
    let rules = "# none\nalert http any any -> any any (msg:\"x\"; http.uri; content:\"/index\"; sid:7;)\n";
    let text = "alert tcp any any -> any any (msg:\"y\"; content:\"GET\"; sid:8;)";
    // What is asked, exit code, what is said.
    let cases: &[(&[&str], i32, &str)] = &[
        (&["sid:7"], 0, "FIRED"),
        (&["my.rules:2"], 0, "FIRED"),
        (&[text], 0, "rule 8: y"),
        (&["sid:7", "--packet", "1"], 0, "matched 0 times"),
        (&["sid:7", "--flow", "1"], 0, "looked at 0 times"),
        (&["sid:9"], 1, "There is no rule with sid 9"),
        (&["my.rules:1"], 1, "There is no rule at line 1"),
        (&["alert tcp any any -> any any (contents:\"a\"; sid:9;)"], 1, "unknown rule keyword 'contents'."),
        (&["nonsense"], 1, "is no rule"),
    ];
    for (position, (words, code, said)) in cases.iter().enumerate() {
        let folder = Folder::new(&format!("which_rule_{position}"));
        folder.write("web.pcap", pcap(ETHERNET, &web_request()));
        folder.write("my.rules", rules);
        let mut line = vec!["explain", words[0], "web.pcap", "-S", "my.rules"];
        line.extend_from_slice(&words[1..]);
        let run = folder.command(&line);
        assert_eq!(run.code, *code, "{words:?}: {}", run.said());
        assert!(run.said().contains(said), "{words:?}: no {said} in {}", run.said());
    }
}

#[test]
fn rules_of_a_firewall() {
    let rules = "accept:hook tcp:all any any <> any any (alert; sid:1;)\n\
        accept:hook http1:request_started any any -> any any (sid:3;)\n\
        accept:hook http1:request_line any any -> any any (http.uri; content:\"/index\"; sid:2;)\n";
    // The rule, and how its first attempt ended with a step that is told.
    let cases = [
        ("sid:1", "fired", "protocol tcp passed"),
        ("sid:2", "held-back", "content:\"/index\" passed"),
        ("sid:4", "", ""),
    ];
    for (position, (sid, outcome, step)) in cases.into_iter().enumerate() {
        let folder = Folder::new(&format!("rules_of_a_firewall_{position}"));
        let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
        let rules = folder.write("fw.rules", rules);
        let line = ["explain", sid, &capture, "--firewall-rules-exclusive", &rules, "--format", "json"];
        let run = folder.command(&line);
        assert_eq!(run.code, i32::from(outcome.is_empty()), "{sid}: {}", run.said());
        if !outcome.is_empty() {
            let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("one JSON object");
            let first = &report["explained"][0];
            assert_eq!(first["outcome"], *outcome, "{sid}: {report}");
            assert!(steps(first).iter().any(|found| found == step), "{sid}: {report}");
        }
    }
}
