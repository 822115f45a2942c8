//! Rules that no literal and no port narrows: found by their addresses.

use weir_testkit::{Frame, TimedFrame, pcap};

use crate::run::{ETHERNET, Folder, web_request};

/// A question for the hardware address of 10.0.0.2.
fn arp_request() -> Vec<u8> {
    let words: [&[u8]; 5] =
        [&[0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1], &[10, 0, 0, 1], &[0; 6], &[10, 0, 0, 2], &[0; 18]];
    Frame::ethernet().ether_type(0x0806).payload(words.concat()).build()
}

#[test]
fn addresses_narrow_rules_of_all_kinds() {
    let folder = Folder::new("rule_heads");
    let mut frames = web_request();
    let last = frames.last().expect("a frame").clone();
    frames.push(TimedFrame { bytes: arp_request(), ..last });
    let capture = folder.write("input.pcap", pcap(ETHERNET, &frames));
    let cases = [
        ("http 10.0.0.1 any -> any any (", true),
        ("tcp 10.0.0.1 any -> any any (app-layer-protocol:http;", true),
        (
            "http any any -> [10.0.0.2,192.0.2.1] any (threshold:type limit, track by_src, count 1, seconds 60;",
            true,
        ),
        ("http any any -> 192.0.2.1 any (threshold:type limit, track by_src, count 1, seconds 60;", false),
        ("tcp any any -> 10.0.0.2 any (flags:S;", true),
        ("tcp any any -> 10.0.0.1 any (flags:S;", false),
        ("tcp 10.0.0.2 any -> any any (flags:S;", false),
        ("tcp 10.0.0.2 any <> any any (flags:S;", true),
        ("tcp 192.0.2.1 any <> any any (flags:S;", false),
        ("tcp !10.0.0.1 any -> 10.0.0.0/30 any (flags:SA;", true),
        ("tcp 10.0.0.2 any -> any any (flow:to_client; dsize:>0;", true),
        ("tcp any any -> 10.0.0.2 any (flow:to_client; dsize:>0;", false),
        (
            "http 10.0.0.1 any => 10.0.0.2 any (http.method; content:\"GET\"; http.stat_code; content:\"200\";",
            true,
        ),
        (
            "http 10.0.0.2 any => 10.0.0.1 any (http.method; content:\"GET\"; http.stat_code; content:\"200\";",
            false,
        ),
        ("arp 10.0.0.1 any -> any any (", true),
        ("arp any any -> 10.0.0.2 any (", true),
        ("arp any any -> 10.0.0.3 any (", false),
    ];
    let lines =
        cases.iter().zip(1..).map(|((rule, _), sid)| format!("alert {rule} msg:\"m\"; sid:{sid};)\n"));
    let rules = folder.write("test.rules", lines.collect::<String>());
    let run = folder.weir(&["-r", &capture, "-S", &rules]);
    assert_eq!(run.code, 0, "{}", run.said());
    let alerts = folder.records("alert");
    for ((rule, expected), sid) in cases.iter().zip(1_u64..) {
        let found = alerts.iter().any(|record| record["alert"]["signature_id"] == sid);
        assert_eq!(found, *expected, "{rule}: {}", run.said());
    }
}
