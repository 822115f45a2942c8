//! `pcap-log`.

use std::fs;

use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// How many packets lie in the only log that a run with these options leaves; none without a log.
fn logged(name: &str, options: &str, rules: &str) -> Option<usize> {
    let folder = Folder::new(&format!("packets_{name}"));
    let capture = folder.write("input.pcap", pcap(ETHERNET, &web_request()));
    let rules = folder.write("test.rules", rules);
    let configuration = format!(
        "%YAML 1.1\n---\noutputs:\n  - pcap-log: {{enabled: yes, dir: packets, filename: log{options}}}\n"
    );
    let configuration = folder.write("packets.yaml", configuration);
    let run = folder.weir(&["-c", &configuration, "-r", &capture, "-S", &rules, "--quiet"]);
    assert_eq!(run.code, 0, "{name}: {}", run.said());
    let mut files = fs::read_dir(folder.path("packets")).ok()?.map(|file| file.expect("a file").path());
    let (file, more) = (files.next()?, files.next());
    assert_eq!(more, None, "{name}");
    let file = file.to_string_lossy().into_owned();
    let again = folder.weir(&["-r", &file, "--summary=json"]);
    again.summary()["packets"].as_u64().map(|count| count as usize)
}

#[test]
fn which_packets_are_logged() {
    let all = web_request().len();
    let silent = "alert tcp any any -> any 81 (sid:1;)";
    let cases = [
        ("all", "", silent, all..=all),
        ("filter", ", bpf-filter: \"src port 80\"", silent, 1..=all - 1),
        ("none", ", conditional: alerts", silent, 0..=0),
        ("alerts", ", conditional: alerts", WEB_RULE, 1..=all - 1),
        ("pass", ", honor-pass-rules: yes", "pass tcp any any -> any any (sid:1;)", 0..=0),
    ];
    for (name, options, rules, expected) in cases {
        let found = logged(name, options, rules).unwrap_or(0);
        assert!(expected.contains(&found), "{name}: {found}");
    }
}
