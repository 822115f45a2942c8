//! What one rule's expression captures and another rule, or a record, shows.

use serde_json::json;
use weir_testkit::pcap;

use crate::run::{ETHERNET, Folder, web_request};

const RULES: &str = "\
    alert tcp-pkt any any -> any any (pktvar:page,\"dex\"; sid:2;)\n\
    alert tcp-pkt any any -> any any (pktvar:page,\"other\"; sid:3;)\n\
    alert tcp-pkt any any -> any any (content:\"GET\"; pcre:\"/GET .(\\w+)/, pkt:page\"; sid:1;)\n\
    alert tcp-pkt any any -> any any (content:\"GET\"; pcre:\"/Host: (\\S+)/, flow:host\"; noalert; sid:4;)\n\
    alert http any any -> any any (flow:to_client; flowvar:host,\"example\"; http.stat_code; content:\"200\"; sid:5;)\n";

#[test]
fn variables_of_packets_and_flows() {
    let folder = Folder::new("variables_of_packets_and_flows");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let rules = folder.write("captures.rules", RULES);
    let run = folder.weir(&["-r", &capture, "-S", &rules]);
    assert_eq!(run.code, 0, "{}", run.said());
    let alerts = folder.records("alert");
    let mut sids: Vec<u64> = alerts.iter().filter_map(|a| a["alert"]["signature_id"].as_u64()).collect();
    sids.sort_unstable();
    assert_eq!(sids, [1, 2, 5], "{alerts:?}");
    let first = alerts.iter().find(|alert| alert["alert"]["signature_id"] == 1).expect("an alert");
    assert_eq!(first["metadata"]["pktvars"], json!([{ "page": "index" }]));
    assert_eq!(first["metadata"]["flowvars"], json!([{ "host": "example.com" }]));
}

/// No literal narrows such rules, and yet they look at the reassembled stream.
#[test]
fn expressions_alone_look_at_the_stream() {
    let folder = Folder::new("expressions_alone_look_at_the_stream");
    let capture = folder.write("web.pcap", pcap(ETHERNET, &web_request()));
    let rules = folder.write(
        "expressions.rules",
        "alert tcp any any -> any any (pcre:\"/GET .index/\"; sid:1;)\n\
         alert tcp-stream any any -> any any (pcre:\"/Host: \\w+/\"; sid:2;)\n\
         alert tcp any any -> any any (pcre:\"/no such thing/\"; sid:3;)\n\
         alert http any any -> any any (content:\"Host\"; http.method; content:\"GET\"; sid:4;)\n",
    );
    for mode in [&[][..], &["--simulate-ips"]] {
        let _ = std::fs::remove_file(folder.path("eve.json"));
        let run = folder.weir(&[&["-r", &capture, "-S", &rules][..], mode].concat());
        assert_eq!(run.code, 0, "{}", run.said());
        let alerts = folder.records("alert");
        let mut sids: Vec<_> = alerts.iter().filter_map(|a| a["alert"]["signature_id"].as_u64()).collect();
        sids.sort_unstable();
        assert_eq!(sids, [1, 2, 4], "{mode:?}");
    }
}
