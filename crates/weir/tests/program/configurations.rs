//! Configurations in the shapes that distributions and releases of the engine users come from ship.

use weir_testkit::TimedFrame;

use crate::run::{ETHERNET, Folder, Run, web_request};

/// The files, and the settings of each that are left out with a word.
const CONFIGURATIONS: &[(&str, &str, &[&str])] = &[
    ("suricata-6.yaml", include_str!("configurations/suricata-6.yaml"), &["app-layer.protocols.ikev2"]),
    ("suricata-7.yaml", include_str!("configurations/suricata-7.yaml"), &[]),
    (
        "suricata-8.yaml",
        include_str!("configurations/suricata-8.yaml"),
        &["outputs.0.eve-log.flush-interval"],
    ),
    ("security-onion.yaml", include_str!("configurations/security-onion.yaml"), &[]),
    ("selks.yaml", include_str!("configurations/selks.yaml"), &[]),
    (
        "pfsense.yaml",
        include_str!("configurations/pfsense.yaml"),
        &["outputs.0.alert-pf", "reassembly", "stream.max-sessions", "libhtp"],
    ),
    (
        "opnsense.yaml",
        include_str!("configurations/opnsense.yaml"),
        &["outputs.0.eve-log.types.1.anomaly.force-magic"],
    ),
];

const INCLUDED: &[(&str, &str)] = &[
    ("selks-interfaces.yaml", include_str!("configurations/selks-interfaces.yaml")),
    ("opnsense-rules.yaml", include_str!("configurations/opnsense-rules.yaml")),
    ("opnsense-custom.yaml", include_str!("configurations/opnsense-custom.yaml")),
];

/// A run over a web request with a rule and a configuration whose lines end in `end`.
fn run(name: &str, text: &str, end: &str) -> (Folder, Run) {
    let folder = Folder::new(&format!("shape_{name}_{}", end.len()));
    for (file, text) in INCLUDED {
        folder.write(file, text.replace('\n', end));
    }
    let configuration = folder.write(name, text.replace('\n', end));
    let frames: Vec<TimedFrame> = web_request();
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
    let rules = folder.write("a.rules", "alert http $HOME_NET any -> $EXTERNAL_NET any (sid:1;)\n");
    let any = ["--set", "vars.address-groups.HOME_NET=any", "--set", "vars.address-groups.EXTERNAL_NET=any"];
    let words = ["-c", &configuration, "-S", &rules, "-r", &capture, "--quiet"];
    let run = folder.weir(&[&words[..], &any[..]].concat());
    (folder, run)
}

#[test]
fn shipped_shapes_are_taken_as_they_are() {
    for (name, text, unknown) in CONFIGURATIONS {
        for end in ["\n", "\r\n"] {
            let (folder, run) = run(name, text, end);
            assert_eq!(run.code, 0, "{name}: {}", run.said());
            let said: Vec<&str> = run
                .stderr
                .lines()
                .filter_map(|line| line.split_once("unknown setting "))
                .map(|x| x.1)
                .collect();
            assert_eq!(said.len(), unknown.len(), "{name}: {said:?}");
            for (sentence, setting) in said.iter().zip(*unknown) {
                assert!(sentence.starts_with(setting), "{name}: {sentence}");
                assert!(sentence.contains(&format!("{name}, line ")), "{name}: {sentence}");
            }
            assert!(!folder.records("").is_empty(), "{name}: no records");
        }
    }
}

#[test]
fn users_that_sensors_have_stop_no_reading_here() {
    let (_, text, _) = CONFIGURATIONS[3];
    let folder = Folder::new("shape_user");
    let configuration = folder.write("c.yaml", text);
    let rules = folder.write("a.rules", "alert ip any any -> any any (sid:1;)\n");
    let words = ["-T", "-c", &configuration, "-S", &rules];
    let run = folder.weir(&words);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(run.stderr.contains("no-such-user-of-a-sensor"), "{}", run.said());
    assert_eq!(folder.suricata(&words).code, 1);
}
