//! What a user meets: captures, rules and logs that are right, and those that are not. Whatever is
//! wrong gets one clear sentence, an exit code, and costs nothing else.

use std::fs;
use std::path::Path;

use weir_base::Timestamp;
use weir_testkit::{Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// Exit codes, as the help tells them.
const DONE: i32 = 0;
const NOTHING_DONE: i32 = 1;
const INPUT_DAMAGED: i32 = 2;
const RECORDS_LOST: i32 = 3;

#[test]
fn a_capture_and_a_rule() {
    let folder = Folder::new("a_capture_and_a_rule");
    let frames = web_request();
    let capture = folder.write("web.pcap", pcap(ETHERNET, &frames));
    let rules = folder.write("web.rules", WEB_RULE);
    let run = folder.weir(&["-r", &capture, "-S", &rules, "--summary=json"]);
    assert_eq!(run.code, DONE, "{}", run.said());
    let summary = run.summary();
    assert_eq!(summary["packets"], frames.len());
    assert_eq!(summary["bytes"], frames.iter().map(|frame| frame.bytes.len()).sum::<usize>());
    assert_eq!((&summary["alerts"], &summary["rules"]["loaded"]), (&1.into(), &1.into()));
    assert_eq!(folder.records("alert").len(), 1);
    assert_eq!(folder.records("http")[0]["http"]["url"], "/index.html");
    assert_eq!(folder.records("flow").len(), 1);
}

#[test]
fn the_summary_counts_what_was_written() {
    let folder = Folder::new("the_summary_counts_what_was_written");
    let ends = || Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2");
    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01";
    let frame = TimedFrame { time: Timestamp::new(1, 0), bytes: ends().udp(5000, 53).payload(query).build() };
    let capture = folder.write("dns.pcap", pcap(ETHERNET, &[frame]));
    for (requests, expected) in [("yes", 1), ("no", 0)] {
        let dns = format!("[flow, dns: {{requests: {requests}}}]");
        let outputs = format!("%YAML 1.1\n---\noutputs:\n  - eve-log: {{enabled: yes, types: {dns}}}\n");
        let config = folder.write("outputs.yaml", outputs);
        let run = folder.weir(&["-r", &capture, "-c", &config, "--summary=json"]);
        let records = run.summary()["records"].clone();
        assert_eq!((&records["flow"], records["dns"].as_u64().unwrap_or_default()), (&1.into(), expected));
    }
}

#[test]
fn the_same_capture_from_a_file_a_folder_and_a_pipe() {
    let bytes = pcap(ETHERNET, &web_request());
    let records = |name: &str, input: &[u8]| {
        let folder = Folder::new(&format!("the_same_capture_from_{name}"));
        fs::create_dir(folder.path("captures")).expect("a folder");
        fs::write(folder.path("captures/web.pcap"), &bytes).expect("a file");
        let read = match name {
            "a_file" => "captures/web.pcap",
            "a_folder" => "captures",
            _ => "-",
        };
        let run = folder
            .weir_reading(&["-r", read, "--zeek-logs=json", "--set", "outputs.eve-log.enabled=yes"], input);
        assert_eq!(run.code, DONE, "{name}: {}", run.said());
        (folder.records_but_statistics(), fs::read_to_string(folder.path("conn.log")).unwrap_or_default())
    };
    let expected = records("a_file", b"");
    assert!(expected.0.len() >= 2 && expected.1.lines().count() == 1, "{expected:?}");
    assert_eq!(records("a_folder", b""), expected);
    assert_eq!(records("a_pipe", &bytes), expected);
}

/// A ZIP archive of stored members.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, content) in members {
        let length = (content.len() as u32).to_le_bytes();
        let name_length = (name.len() as u16).to_le_bytes();
        archive.extend_from_slice(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
        for part in [&length[..], &length, &name_length, &[0, 0], name.as_bytes(), content] {
            archive.extend_from_slice(part);
        }
    }
    [&archive, &b"PK\x01\x02"[..]].concat()
}

#[test]
fn the_captures_of_an_archive_are_one_stretch_of_traffic() {
    let bytes = pcap(ETHERNET, &web_request());
    let archive = zip(&[("day/one.pcap", &bytes), ("readme.txt", b"no capture"), ("two.pcap", &bytes)]);
    for name in ["day.zip", "folder"] {
        let folder = Folder::new("the_captures_of_an_archive");
        folder.write("day.zip", &archive);
        fs::create_dir(folder.path("folder")).expect("a folder");
        folder.write("folder/day.zip", &archive);
        let run = folder.weir(&["-r", name, "--summary=json", "--pcap-file-delete"]);
        assert_eq!(run.code, DONE, "{name}: {}", run.said());
        assert_eq!(run.summary()["packets"], 2 * web_request().len(), "{name}");
        assert!(folder.path("day.zip").exists() && folder.path("folder/day.zip").exists());
        let piped = folder.weir_reading(&["-r", "-"], &archive);
        assert_eq!(piped.code, NOTHING_DONE, "{}", piped.said());
        assert!(piped.said().contains("Save it to a file and read that"), "{}", piped.said());
    }
}

#[test]
fn captures_that_are_wrong() {
    // Name of the file, its bytes, exit code, what the sentence says.
    let whole = pcap(ETHERNET, &web_request());
    let cut = &whole[..whole.len() - 10];
    let mut encrypted = zip(&[("x.pcap", &whole)]);
    encrypted[6] = 1;
    let cases: [(&str, &[u8], i32, &str); 9] = [
        ("sample.zip", &encrypted, NOTHING_DONE, "it is encrypted. Unpack it with `7z x -pPASSWORD`"),
        ("documents.zip", &zip(&[("a.txt", b"text")]), NOTHING_DONE, "there is no capture in it."),
        ("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04", NOTHING_DONE, "it is a 7z archive. Unpack it with `7z x`"),
        ("a.cap", b"snoop\0\0\0\0\0\0\x02", NOTHING_DONE, "`editcap -F pcapng`"),
        ("a.etl", &[0, 0, 1, 0, 0, 0, 0, 0], NOTHING_DONE, "`etl2pcapng`"),
        ("cut.pcap", cut, INPUT_DAMAGED, "damaged at byte"),
        ("empty.pcap", b"", NOTHING_DONE, "is empty"),
        ("text.pcap", b"It was a dark and stormy night.\n", NOTHING_DONE, "not a capture file"),
        ("page.html", b"<html></html>", NOTHING_DONE, "not a capture file"),
    ];
    for (name, bytes, code, sentence) in cases {
        let folder = Folder::new(&format!("captures_that_are_wrong_{name}"));
        let capture = folder.write(name, bytes);
        let run = folder.weir(&["-r", &capture]);
        let said = run.said();
        assert_eq!(run.code, code, "{name}: {said}");
        // Where lines end depends on how long the path is.
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&capture) && words.contains(sentence), "{name}: {said}");
        assert!(!said.contains("panicked"), "{name}: {said}");
    }
}

#[test]
fn all_before_the_damage_is_processed() {
    let folder = Folder::new("all_before_the_damage_is_processed");
    let mut bytes = pcap(ETHERNET, &web_request());
    bytes.truncate(bytes.len() - 10);
    let capture = folder.write("cut.pcap", bytes);
    let rules = folder.write("web.rules", WEB_RULE);
    let run = folder.weir(&["-r", &capture, "-S", &rules]);
    assert_eq!(run.code, INPUT_DAMAGED, "{}", run.said());
    assert_eq!(folder.records("alert").len(), 1);
    assert_eq!(folder.records("flow").len(), 1);
}

#[test]
fn a_damaged_capture_does_not_keep_the_others_from_being_read() {
    let folder = Folder::new("a_damaged_capture_among_others");
    let damaged = folder.write("damaged.pcap", b"not one");
    let good = folder.write("good.pcap", pcap(ETHERNET, &web_request()));
    let run = folder.weir(&["-r", &damaged, "-r", &good]);
    assert_eq!(run.code, INPUT_DAMAGED, "{}", run.said());
    assert_eq!(folder.records("http").len(), 1);
}

#[test]
fn paths_that_are_wrong() {
    let folder = Folder::new("paths_that_are_wrong");
    fs::create_dir(folder.path("nothing-in-it")).expect("a folder");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let looked_up = "Check the path, which is looked up in ";
    let cases: [(&[&str], i32, [&str; 2]); 7] = [
        (&["-r", "none.pcap"], NOTHING_DONE, ["cannot open none.pcap: there is no such file. ", looked_up]),
        (
            &["-r", "nothing-in-it"],
            NOTHING_DONE,
            ["nothing-in-it has no capture file in it. ", "--pcap-file-recursive"],
        ),
        (
            &["-r", &capture, "-F", "none"],
            NOTHING_DONE,
            ["the filter file none: there is no such", looked_up],
        ),
        (&["-c", "none.yaml", "-T"], NOTHING_DONE, ["configuration file none.yaml: there is no", looked_up]),
        (&["-c", "nothing-in-it", "-T"], NOTHING_DONE, ["nothing-in-it: it is a folder.", "Name a file."]),
        (&["-r", &capture, "-S", "none.rules"], NOTHING_DONE, ["no rule file none.rules. ", looked_up]),
        (
            &["-r", &capture, "-S", "nothing-in-it"],
            NOTHING_DONE,
            ["nothing-in-it cannot be read: it is a folder.", "Name a file."],
        ),
    ];
    for (arguments, code, sentences) in cases {
        let run = folder.weir(arguments);
        let said = run.said();
        assert_eq!(run.code, code, "{arguments:?}: {said}");
        assert!(sentences.iter().all(|sentence| said.contains(sentence)), "{arguments:?}: {said}");
        assert!(!said.contains("os error"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_rule_that_is_wrong_is_shown_and_the_rest_load() {
    let folder = Folder::new("a_rule_that_is_wrong");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let broken = "alert tcp any any -> any any (msg:\"x\"; no_such_keyword; sid:2;)\n";
    let rules = folder.write("mixed.rules", format!("{broken}{WEB_RULE}"));
    let run = folder.weir(&["-r", &capture, "-S", &rules]);
    let said = run.said();
    assert_eq!(run.code, DONE, "{said}");
    assert!(said.contains("mixed.rules") && said.contains("no_such_keyword"), "{said}");
    assert_eq!(folder.records("alert").len(), 1);

    let run = folder.weir(&["-r", &capture, "-S", &rules, "--init-errors-fatal"]);
    assert_eq!(run.code, NOTHING_DONE, "{}", run.said());
    let run = folder.weir(&["-T", "-S", &rules, "--init-errors-fatal"]);
    assert_eq!(run.code, NOTHING_DONE, "{}", run.said());
}

#[test]
fn what_a_check_finds_decides_its_exit() {
    let folder = Folder::new("what_a_check_finds");
    let rule = |header: &str, revision: u32| format!("alert {header} (sid:1; rev:{revision};)\n");
    let any = "tcp any any -> any any";
    let plain = "suppress gen_id 1, sig_id 1\n";
    let cases = [
        (rule(any, 1), plain, DONE, "1 loaded"),
        (rule(any, 1) + &rule(any, 2), plain, DONE, "1 loaded"),
        (rule(any, 1) + &rule(any, 1), plain, NOTHING_DONE, "Duplicate signature"),
        (rule(any, 2) + &rule(any, 1), plain, NOTHING_DONE, "Duplicate signature"),
        (rule("tcp any any -> any [80:]]", 1), plain, NOTHING_DONE, "checked.rules:1"),
        (
            rule(any, 1),
            "suppress gen_id 1, sig_id 1, track by_src, ip 1.2.3.400\n",
            NOTHING_DONE,
            "threshold.config:1",
        ),
        (
            rule(any, 1),
            "rate_filter gen_id 1, sig_id 1, track by_src, count 0, seconds 1, new_action drop, timeout 1\n",
            NOTHING_DONE,
            "count should be > 0",
        ),
    ];
    for (rules, threshold, code, words) in cases {
        let path = folder.write("checked.rules", &rules);
        let threshold = folder.write("threshold.config", threshold);
        let run = folder.weir(&["-T", "-S", &path, "--set", &format!("threshold-file={threshold}")]);
        assert_eq!(run.code, code, "{rules}: {}", run.said());
        assert!(run.said().contains(words), "{rules}: {}", run.said());
    }
    let rules = folder.write("checked.rules", rule(any, 1));
    for (key, line, words) in [
        ("classification-file", "config classification: 1bad,Bad,1\n", "list.config:1"),
        ("classification-file", "config classification: bad,Bad,high\n", "list.config:1"),
        ("reference-config-file", "config reference: cve\n", "Invalid Reference Config"),
    ] {
        let list = folder.write("list.config", line);
        let run = folder.weir(&["-T", "-S", &rules, "--set", &format!("{key}={list}")]);
        assert_eq!(run.code, NOTHING_DONE, "{line}: {}", run.said());
        assert!(run.said().contains(words), "{line}: {}", run.said());
    }
    for key in ["classification-file", "reference-config-file"] {
        let run = folder.weir(&["-T", "-S", &rules, "--set", &format!("{key}=none.config")]);
        assert_eq!(run.code, NOTHING_DONE, "{key}: {}", run.said());
        assert!(run.said().contains("none.config"), "{key}: {}", run.said());
    }
    for (output, code, words) in [
        ("eve-log: {enabled: yes, filetype: papyrus}", NOTHING_DONE, "filetype"),
        ("eve-log: {enabled: yes, community-id-seed: 70000}", NOTHING_DONE, "community-id-seed"),
        ("eve-log: {enabled: yes, types: [nothing]}", 0, "No protocol writes records of type nothing"),
        ("nothing: {enabled: yes}", 0, "There is no output nothing"),
        ("fast: {enabled: yes}", 0, ""),
    ] {
        let file = folder.write("outputs.yaml", format!("%YAML 1.1\n---\noutputs:\n  - {output}\n"));
        let run = folder.weir(&["-T", "-S", &rules, "-c", &file]);
        assert_eq!(run.code, code, "{output}: {}", run.said());
        assert!(run.said().contains(words), "{output}: {}", run.said());
    }
}

#[test]
fn configurations_and_options_that_are_wrong() {
    let folder = Folder::new("configurations_and_options");
    let broken = folder.write("broken.yaml", "%YAML 1.1\n---\nvars: [\n");
    let odd = folder.write("odd.yaml", "%YAML 1.1\n---\nrunmode: several\n");
    let cases: [(&[&str], &str); 5] = [
        (&["-c", &broken, "-T"], "broken.yaml"),
        (&["-c", &odd, "-T"], "odd.yaml, line 3, column 10"),
        (&["-c", "missing.yaml", "-T"], "missing.yaml"),
        (&["--no-such-option"], "--no-such-option"),
        (&["-k", "some", "-r", "x.pcap"], "some"),
    ];
    for (arguments, sentence) in cases {
        let run = folder.weir(arguments);
        assert_eq!(run.code, NOTHING_DONE, "{arguments:?}: {}", run.said());
        assert!(run.said().contains(sentence), "{arguments:?}: {}", run.said());
    }
}

#[test]
fn being_strict_about_keywords() {
    let folder = Folder::new("being_strict_about_keywords");
    let start = "alert tcp any any -> any any (sid:1;";
    for (option, keyword) in
        [("classtype:nobody-knows;", "classtype"), ("reference:nobody,knows;", "reference")]
    {
        let rules = folder.write("strict.rules", format!("{start} {option})\n"));
        for (switch, code) in [
            ("-T".to_owned(), DONE),
            ("--strict-rule-keywords=content".to_owned(), DONE),
            ("--strict-rule-keywords".to_owned(), NOTHING_DONE),
            (format!("--strict-rule-keywords={keyword}"), NOTHING_DONE),
        ] {
            let run = folder.weir(&["-T", "-S", &rules, &switch]);
            assert_eq!(run.code, code, "{option} {switch}: {}", run.said());
        }
    }
    let rules = folder.write("retired.rules", format!("{start} decode-event:udp.hlen_invalid;)\n"));
    assert_eq!(folder.weir(&["-T", "-S", &rules]).code, DONE);
    assert_eq!(folder.weir(&["-T", "-S", &rules, "--strict-rule-keywords=all"]).code, NOTHING_DONE);
}

#[test]
fn options_of_live_engines_say_what_to_do_instead() {
    let folder = Folder::new("options_of_live_engines");
    for (option, part) in [
        #[cfg(not(feature = "dpdk"))]
        ("--dpdk", "weir --af-xdp=eth0"),
        ("--netmap=eth0", "weir -i eth0"),
        ("-d", "weir -q 0"),
    ] {
        let run = folder.weir(&[option]);
        let said = run.said();
        assert_eq!(run.code, NOTHING_DONE, "{option}: {said}");
        assert!(said.contains(option.split('=').next().unwrap_or_default()), "{option}: {said}");
        assert!(said.contains(part), "{option}: {said}");
    }
}

#[test]
fn captures_that_were_read_are_deleted_on_request() {
    let folder = Folder::new("captures_are_deleted");
    let whole = pcap(ETHERNET, &web_request());
    let good = folder.write("good.pcap", &whole);
    let cut = folder.write("cut.pcap", &whole[..whole.len() - 10]);
    let run = folder.weir(&["-r", &good, "-r", &cut, "--pcap-file-delete"]);
    assert_eq!(run.code, INPUT_DAMAGED, "{}", run.said());
    assert!(!Path::new(&good).exists() && Path::new(&cut).exists());
}

#[test]
fn a_pid_file_is_there_until_the_run_ends() {
    let folder = Folder::new("a_pid_file");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &web_request()));
    let file = folder.write("weir.pid", "1\n");
    let words = ["-r", &capture, "--pidfile", &file];
    let run = folder.weir(&words);
    assert_eq!(run.code, NOTHING_DONE, "{}", run.said());
    assert!(run.stderr.contains("says that process 1 runs already"), "{}", run.stderr);
    folder.write("weir.pid", "4294967295\n");
    let run = folder.weir(&words);
    assert_eq!(run.code, DONE, "{}", run.said());
    assert!(run.said().contains("left behind by process 4294967295"), "{}", run.said());
    assert!(!Path::new(&file).exists());
    let run = folder.weir(&["-r", &capture, "--pidfile", "nowhere/weir.pid"]);
    assert_eq!(run.code, NOTHING_DONE, "{}", run.said());
}

#[test]
fn lists_need_no_run() {
    let folder = Folder::new("lists_need_no_run");
    for (option, line) in [
        ("--list-runmodes", "| PCAP_FILE         | single            |"),
        ("--list-rule-protos", "tcp-pkt"),
        ("--dump-features", "ja4"),
    ] {
        let run = folder.weir(&[option]);
        assert_eq!(run.code, DONE, "{option}");
        assert!(run.stdout.lines().any(|found| found.starts_with(line)), "{option}: {}", run.stdout);
    }
}

/// `/dev/full` answers every write as a full disk does.
#[test]
fn a_full_disk_loses_the_log_and_nothing_else() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::new("a_full_disk");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let rules = folder.write("web.rules", WEB_RULE);
    std::os::unix::fs::symlink("/dev/full", folder.path("eve.json")).expect("a link");
    let run = folder.weir(&["-r", &capture, "-S", &rules]);
    let said = run.said();
    assert_eq!(run.code, RECORDS_LOST, "{said}");
    assert!(said.contains("eve.json"), "{said}");
    let fast = fs::read_to_string(folder.path("fast.log")).expect("the other log");
    assert_eq!(fast.lines().count(), 1, "{fast}");
}

#[test]
fn a_filter_after_the_options() {
    let folder = Folder::new("a_filter_after_the_options");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    for (filter, packets) in [(&["tcp", "port", "80"], web_request().len()), (&["udp", "port", "53"], 0)] {
        let mut arguments = vec!["-r", &capture, "--summary=json"];
        arguments.extend(filter);
        let run = folder.weir(&arguments);
        assert_eq!(run.summary()["packets"], packets, "{filter:?}: {}", run.said());
    }
    let run = folder.weir(&["-r", &capture, "tcp", "prot", "80"]);
    assert_eq!(run.code, NOTHING_DONE, "{}", run.said());
}

#[test]
fn quiet_says_nothing() {
    let folder = Folder::new("quiet_says_nothing");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let run = folder.weir(&["-r", &capture, "--quiet"]);
    assert_eq!((run.code, run.said().as_str()), (DONE, ""));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};
    for option in ["--list-keywords=all", "--dump-config", "--help"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_weir"))
            .arg(option)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(program.stdout.take());
        let output = program.wait_with_output().expect("the program ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.as_str()), (Some(DONE), ""), "{option}");
    }
}

/// What `suricata-update` makes of the text: words behind `Features:`, and the last word of lines that
/// begin with the name of a folder.
#[test]
fn build_information_has_what_tools_look_for() {
    let folder = Folder::new("build_information");
    let run = folder.command_as("suricata", &["--build-info"]);
    let lines: Vec<&str> = run.stdout.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("This is Suricata version 8."), "{}", run.stdout);
    let features = lines.iter().find_map(|line| line.strip_prefix("Features:")).expect("features");
    for name in ["HAVE_NSS", "HAVE_LUA", "HAVE_JA3", "HAVE_JA4", "RUST", "PCRE_JIT", "HAVE_LIBJANSSON"] {
        assert!(features.split_whitespace().any(|word| word == name), "{name}: {features}");
    }
    for (name, expected) in [("--sysconfdir", "/etc"), ("--localstatedir", "/var"), ("--prefix", "/")] {
        let line = lines.iter().find(|line| line.starts_with(name)).expect(name);
        let value = line.split_whitespace().last().expect("a value");
        assert!(value.starts_with(expected), "{line}");
    }
    for name in ["Hyperscan support:", "Libmagic support:", "Rust support:"] {
        let line = lines.iter().find(|line| line.starts_with(name)).expect(name);
        assert!(line.ends_with(" yes") || line.ends_with(" no"), "{line}");
    }
    let version = folder.command_as("suricata", &["-V"]);
    assert_eq!(version.stdout.trim(), lines[0]);
}

#[test]
fn captures_that_are_not_there_are_refused_under_either_name() {
    let folder = Folder::new("captures_that_are_not_there");
    for (name, words) in [
        ("suricata", "suricata: pcap file 'none.pcap': No such file or directory"),
        ("weir", "weir: cannot open none.pcap: there is no such file."),
    ] {
        let run = folder.command_as(name, &["-r", "none.pcap", "-l", "."]);
        assert_eq!(run.code, NOTHING_DONE, "{name}: {}", run.said());
        assert!(run.said().contains(words), "{name}: {}", run.said());
    }
}

#[test]
fn reports_on_rules_are_written_whatever_rules_are_broken() {
    let folder = Folder::new("reports_on_rules");
    let rules = "alert tcp any any -> any any (content:\"abc\"; flowbits:set,a; sid:1;)\n\
        alert tcp any any -> any any (content:\"abc\"; content:\"defg\"; flowbits:isset,a|b; sid:2;)\n\
        alert tcp any any -> any any (nothing; sid:3;)\n";
    let rules = folder.write("a.rules", rules);
    let run = folder.suricata(&["--engine-analysis", "-S", &rules]);
    assert_eq!(run.code, 0, "{}", run.said());
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(folder.path(name)).expect(name)).expect(name)
    };
    let bits = &read("flowbits.json")["flowbits"];
    assert_eq!(bits[0]["name"], "a");
    assert_eq!((&bits[0]["set_cnt"], &bits[0]["isset_cnt"]), (&1.into(), &1.into()));
    assert_eq!((&bits[0]["sets"][0], &bits[1]["isset"][0]), (&1.into(), &2.into()));
    let buffer = &read("patterns.json")["buffers"][0];
    assert_eq!(buffer["name"], "payload");
    let literals = &buffer["patterns"];
    let told: Vec<_> =
        literals.as_array().expect("a list").iter().map(|l| (&l["pattern"], &l["cnt"], &l["mpm"])).collect();
    assert_eq!(told, [(&"abc".into(), &2.into(), &1.into()), (&"defg".into(), &1.into(), &1.into())]);
}

/// Shells read what is printed for them, and each command has a manual page.
#[test]
fn manual_pages_and_completions() {
    let folder = Folder::new("manual_pages_and_completions");
    let run = folder.command(&["man", "pages"]);
    assert_eq!(run.code, 0, "{}", run.said());
    for (page, words) in
        [("weir", "\\-\\-zeek\\-logs"), ("weir-update", "\\-\\-rollback"), ("weir-list-keyword", "NAME")]
    {
        let text = fs::read_to_string(folder.path(&format!("pages/{page}.1"))).expect(page);
        assert!(text.contains(".TH ") && text.contains(words), "{page}: {text}");
    }
    for (shell, words) in [("bash", "--rollback"), ("zsh", "#compdef weir"), ("fish", "complete -c weir")] {
        let run = folder.command(&["completions", shell]);
        assert!(run.code == 0 && run.stdout.contains(words), "{shell}: {}", run.said());
        let script = folder.write(shell, &run.stdout);
        match std::process::Command::new(shell).args(["-n", &script]).output() {
            Ok(output) => {
                assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr))
            }
            Err(_) => println!("skipped: {shell} is not here to read its completions"),
        }
    }
}
