//! `pcap-log`.

use std::fs;

use weir_testkit::{Conversation, merged, pcap};

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

#[test]
fn any_number_of_workers_logs_the_same() {
    let folder = Folder::new("packets_workers");
    let talks = (0..20).map(|number| {
        Conversation::new(&format!("10.0.{number}.1:40000"), &format!("192.0.2.{number}:80"))
            .handshake()
            .client_sends("GET /attack HTTP/1.1\r\nHost: a\r\n\r\n")
            .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            .close()
            .frames()
    });
    let capture = folder.write("input.pcap", pcap(ETHERNET, &merged(talks)));
    let rules =
        folder.write("test.rules", "alert http any any -> any any (http.uri; content:\"attack\"; sid:1;)");
    for options in ["", ", conditional: alerts", ", limit: 2kb"] {
        let configuration = format!(
            "%YAML 1.1\n---\noutputs:\n  - pcap-log: {{enabled: yes, dir: packets, filename: log{options}, ts-format: usec}}\n"
        );
        let configuration = folder.write("packets.yaml", configuration);
        let [alone, three] = ["1", "3"].map(|workers| {
            let _ = fs::remove_dir_all(folder.path("packets"));
            let run =
                folder.weir(&["-c", &configuration, "-r", &capture, "-S", &rules, "--quiet", "-t", workers]);
            assert_eq!(run.code, 0, "{options}: {}", run.said());
            let files = fs::read_dir(folder.path("packets")).unwrap().map(|file| file.unwrap().path());
            let mut files: Vec<_> = files.map(|file| (file.clone(), fs::read(file).unwrap())).collect();
            files.sort();
            files
        });
        assert!(!alone.is_empty() && alone == three, "{options}");
    }
}
