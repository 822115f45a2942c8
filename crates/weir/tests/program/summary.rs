//! What a run says at its end.

use weir_testkit::{TimedFrame, pcap};

use crate::run::{ETHERNET, Folder, WEB_RULE, web_request};

/// A request of the client at this port, a day after the one of the port before.
fn request_of(port: u16) -> Vec<TimedFrame> {
    weir_testkit::Conversation::new(&format!("10.0.0.1:{port}"), "10.0.0.2:80")
        .handshake()
        .client_sends(b"GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n")
        .frames()
}

#[test]
fn alerts_by_severity_first() {
    let folder = Folder::new("alerts_by_severity_first");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let rules = folder.write(
        "web.rules",
        "alert tcp any any -> any any (msg:\"often\"; flags:A+; sid:1; priority:3;)\n\
         alert http any any -> any any (msg:\"seldom\"; http.uri; content:\"index\"; sid:2; priority:1;)\n\
         alert tcp any any -> any any (msg:\"also\"; flags:S; sid:3; priority:3;)\n",
    );
    let run = folder.weir(&["-r", &capture, "-S", &rules, "--summary=json"]);
    let summary = run.summary();
    let listed: Vec<_> = summary["alerts_by_rule"].as_array().expect("a list").iter().collect();
    let sids: Vec<_> = listed.iter().map(|rule| (rule["sid"].as_u64(), rule["severity"].as_u64())).collect();
    assert_eq!(sids, [(Some(2), Some(1)), (Some(1), Some(3)), (Some(3), Some(3))]);
    let text = folder.weir(&["-r", &capture, "-S", &rules]).stdout;
    let at = |word| text.find(word).unwrap_or_else(|| panic!("{word}: {text}"));
    assert!(
        at("severity 1") < at("seldom") && at("seldom") < at("severity 3") && at("severity 3") < at("often")
    );
}

#[test]
fn packets_are_numbered_within_their_capture() {
    let folder = Folder::new("packets_within_their_capture");
    let first = folder.write("first.pcap", pcap(ETHERNET, &request_of(4000)[..3]));
    let second = folder.write("second.pcap", pcap(ETHERNET, &request_of(5000)));
    let rules = folder.write("web.rules", WEB_RULE);
    let run = folder.weir(&["-r", &first, "-r", &second, "-S", &rules, "--summary=json", "--simulate-ips"]);
    let example = &run.summary()["alerts_by_rule"][0]["example"];
    assert_eq!((&example["packet"], &example["capture"]), (&4.into(), &second.clone().into()));
    let text = folder.weir(&["-r", &first, "-r", &second, "-S", &rules, "--simulate-ips"]).stdout;
    assert!(text.contains("packet 4 of") && text.contains("in         2 captures"), "{text}");
    let text = folder.weir(&["-r", &second, "-S", &rules, "--simulate-ips"]).stdout;
    assert!(text.contains("packet 4, ") && !text.contains("captures"), "{text}");
}

#[test]
fn what_a_filter_keeps_back_is_told() {
    let folder = Folder::new("what_a_filter_keeps_back");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let all = web_request().len();
    let summary = folder.weir(&["-r", &capture, "--summary=json", "src", "port", "80"]).summary();
    let passed = summary["packets"].as_u64().expect("a number");
    assert_eq!(summary["filtered"], all as u64 - passed);
    let text = folder.weir(&["-r", &capture, "src", "port", "80"]).stdout;
    assert!(
        text.contains(&format!("packets    {passed} of {all} pass the filter \"src port 80\"")),
        "{text}"
    );
}

#[test]
fn rows_of_zeeks_logs_are_counted() {
    let folder = Folder::new("rows_of_zeeks_logs");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let run = folder.weir(&["-r", &capture, "--zeek-logs=json", "--summary=json"]);
    let rows = run.summary()["zeek_rows"].clone();
    for (log, count) in rows.as_object().expect("an object") {
        let text = std::fs::read_to_string(folder.path(&format!("{log}.log"))).expect(log);
        assert_eq!(text.lines().count() as u64, count.as_u64().unwrap_or_default(), "{log}");
    }
    assert_eq!((&rows["conn"], &rows["http"]), (&1.into(), &1.into()));
    let text = folder.weir(&["-r", &capture, "--zeek-logs=json"]).stdout;
    assert!(text.contains("  Zeek  1 conn, "), "{text}");
    let text = folder.weir(&["-r", &capture]).stdout;
    assert!(text.contains("  EVE   ") && !text.contains("Zeek"), "{text}");
}

#[test]
fn protocols_that_only_zeeks_logs_read_have_names() {
    let folder = Folder::new("protocols_that_only_zeeks_logs_read");
    let query = b"\x12\x34\x00\0\0\x01\0\0\0\0\0\0\x01a\0\0\x01\0\x01";
    let bytes = weir_testkit::Frame::ethernet()
        .ipv4("10.0.0.1", "224.0.0.252")
        .udp(5000, 5355)
        .payload(query)
        .build();
    let frame = TimedFrame { time: weir_base::Timestamp::new(1, 0), bytes };
    let capture = folder.write("llmnr.pcap", pcap(ETHERNET, &[frame]));
    let summary = folder.weir(&["-r", &capture, "--zeek-logs", "--summary=json"]).summary();
    let protocols = summary["protocols"].as_object().expect("an object");
    assert_eq!(protocols.keys().collect::<Vec<_>>(), ["llmnr"]);
}

#[test]
fn flows_whose_protocol_nobody_knows_are_told_as_such() {
    let folder = Folder::new("flows_whose_protocol_nobody_knows");
    let (asked, answered) = ([0xf3; 300], [0xe1; 300]);
    let talk = weir_testkit::Conversation::new("10.0.0.1:4000", "10.0.0.2:7777").handshake();
    let frames = talk.client_sends(asked).server_sends(answered).close().frames();
    let capture = folder.write("unknown.pcap", pcap(ETHERNET, &frames));
    let run = folder.weir(&["-r", &capture]);
    assert_eq!(folder.records("flow")[0]["app_proto"], "failed", "all that was tried found none");
    assert!(run.stdout.contains("\n  tcp, protocol unknown "), "{}", run.stdout);
    assert!(!run.stdout.contains("failed"), "{}", run.stdout);
}

#[test]
fn packets_left_out_for_their_checksums_are_told_whatever_their_share() {
    let folder = Folder::new("packets_left_out_for_their_checksums");
    let mut frames: Vec<TimedFrame> = (0..20).flat_map(|port| request_of(4000 + port)).collect();
    let last = frames.last_mut().expect("a packet");
    // A byte of the window, before what pads the frame.
    last.bytes[48] ^= 1;
    let capture = folder.write("one.pcap", pcap(ETHERNET, &frames));
    let sentence = format!("checksums  1 of {} TCP packets", frames.len());
    let text = folder.weir(&["-r", &capture]).stdout;
    assert!(text.contains(&sentence) && text.contains("-k none"), "{text}");
    assert_eq!(folder.weir(&["-r", &capture, "--summary=json"]).summary()["wrong_checksums"], 1);
    let text = folder.weir(&["-r", &capture, "-k", "none"]).stdout;
    assert!(!text.contains("  checksums  "), "{text}");
}

/// What differs from run to run.
fn lasting(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("  read in ") && !line.starts_with("  memory ")).collect()
}

#[test]
fn the_samples_summary_fits_a_terminal_and_is_that_of_the_readme() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Folder::new("the_samples_summary");
    for name in ["sample.pcap", "sample.rules"] {
        std::fs::copy(project.join("sample").join(name), folder.path(name)).expect("a copy");
    }
    let run = folder.command(&["-r", "sample.pcap", "-S", "sample.rules", "--zeek-logs", "-l", "out/demo"]);
    let wide = run.stdout.lines().find(|line| line.chars().count() > 80);
    assert_eq!((run.code, wide), (0, None), "{}", run.said());
    let readme = std::fs::read_to_string(project.join("README.md")).expect("the README");
    let (_, shown) = readme.split_once("<!-- summary -->\n```text\n").expect("the summary");
    let (shown, _) = shown.split_once("```\n<!-- /summary -->").expect("its end");
    assert_eq!(lasting(&run.stdout), lasting(shown));
}
