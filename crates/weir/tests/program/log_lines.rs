//! Lines of the engine's own log that monitoring looks for: level, module, and the words that they begin with.

use std::fs;

use serde_json::Value;

use crate::run::{ETHERNET, Folder, web_request};

const RULES: &str = r#"alert tcp any any -> any any (msg:"a"; nosuch:1; sid:1;)
alert tcp any any -> any any (msg:"a"; lua:none.lua; sid:2;)
alert http any any -> any any (msg:"a"; http.uri; dataset:isset,a,type string,load none.lst; sid:3;)
alert tcp any any -> any any (msg:"a"; content:"a"; sid:4;)
alert tcp any any -> any any (msg:"b"; content:"a"; sid:4;)
alert tcp any any -> any any (msg:"a"; pcre:"/(/"; sid:5;)
"#;

/// The lines, each with level, module and the beginning of its message.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("Notice", "suricata", "This is Suricata version "),
    ("Error", "detect-parse", "unknown rule keyword 'nosuch'."),
    (
        "Error",
        "detect",
        "error parsing signature \"alert tcp any any -> any any (msg:\"a\"; nosuch:1; sid:1;)\" from file ",
    ),
    ("Error", "detect-lua", "couldn't load file: cannot open "),
    ("Error", "detect-dataset", "fopen '"),
    (
        "Error",
        "detect-parse",
        "Duplicate signature \"alert tcp any any -> any any (msg:\"b\"; content:\"a\"; sid:4;)\"",
    ),
    ("Error", "detect-pcre", ""),
    (
        "Info",
        "detect",
        "1 rule files processed. 1 rules successfully loaded, 5 rules failed, 0 rules skipped",
    ),
    ("Notice", "threads", "Threads created -> "),
    ("Error", "output-lua", "The script "),
    ("Notice", "pcap", "read 1 file, "),
];

#[test]
fn lines_have_the_levels_modules_and_words_that_monitoring_knows() {
    let folder = Folder::new("log_lines");
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let rules = folder.write("test.rules", RULES);
    let script = folder.write("empty.lua", "function init() return {type = 'flow'} end");
    let configuration = folder.write(
        "log.yaml",
        format!(
            "%YAML 1.1\n---\nlogging:\n  default-log-level: info\n  outputs:\n  \
             - file: {{enabled: yes, filename: engine.json, type: json}}\n\
             outputs:\n  - lua: {{enabled: yes, scripts: [{script}]}}\n"
        ),
    );
    folder.suricata(&["-c", &configuration, "-r", &capture, "-S", &rules]);
    let text = fs::read_to_string(folder.path("engine.json")).expect("a log");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for line in &lines {
        assert!(line["timestamp"].is_string() && line["event_type"] == "engine", "{line}");
        assert_eq!(line["engine"]["thread_name"], "Suricata-Main", "{line}");
    }
    for (level, module, start) in EXPECTED {
        let is_there = lines.iter().any(|line| {
            line["log_level"] == *level
                && line["engine"]["module"] == *module
                && line["engine"]["message"].as_str().is_some_and(|message| message.starts_with(start))
        });
        assert!(is_there, "{level}: {module}: {start}\n{text}");
    }
}
