//! Comments on packets of pcapng captures, in EVE where that is asked for.

use std::fs;

use weir_testkit::{commented_pcapng, pcap};

use crate::run::{ETHERNET, Folder, web_request};

#[test]
fn comments_on_packets_are_in_their_records() {
    let folder = Folder::new("comments_on_packets");
    let frames = web_request();
    let long = "\u{e9}".repeat(3000);
    // The request is the fourth packet; the segments before it and the one behind have records of their own.
    let comments: [(usize, &[u8]); 6] = [
        (0, b"first of all"),
        (3, "look: \"here\"".as_bytes()),
        (3, "\u{fc}ber zwei Zeilen".as_bytes()),
        (4, b"bad \xff byte"),
        (5, long.as_bytes()),
        (5, b"never shown"),
    ];
    let capture = folder.write("a.pcapng", commented_pcapng(ETHERNET, &frames, &comments));
    let plain = folder.write("b.pcap", pcap(ETHERNET, &frames));
    let rules = folder.write("a.rules", "alert tcp-pkt any any -> any any (ttl:>0; sid:1;)\n");
    let comment_of = |number: u64| {
        let records = folder.records("");
        let mut found: Vec<_> = records
            .iter()
            .filter(|record| record["pcap_cnt"] == number)
            .map(|record| record["pcap_comment"].as_str().map(str::to_owned))
            .collect();
        found.dedup();
        assert_eq!(found.len(), 1, "packet {number} {found:?}");
        found.remove(0)
    };
    for workers in ["1", "4"] {
        let asked = ["--set", "outputs.eve-log.pcap-comment=yes", "-t", workers];
        let words = [&["-r", &capture, "-r", &plain, "-S", &rules, "-k", "none", "-v"], &asked[..]].concat();
        let run = folder.weir(&words);
        assert_eq!(run.code, 0, "{}", run.said());
        assert!(run.said().contains("comments on 1 packets are longer than 4096 bytes"), "{}", run.said());
        assert_eq!(comment_of(1).as_deref(), Some("first of all"));
        assert_eq!(comment_of(2), None);
        assert_eq!(comment_of(4).as_deref(), Some("look: \"here\"\n\u{fc}ber zwei Zeilen"));
        assert_eq!(comment_of(5).as_deref().map(|text| text.starts_with("bad ")), Some(true));
        assert_eq!(comment_of(6), Some("\u{e9}".repeat(2048)));
        // The packets of the second capture.
        assert_eq!(comment_of(frames.len() as u64 + 1), None);
        let flows = folder.records("flow");
        assert!(flows.iter().all(|flow| flow.get("pcap_comment").is_none()), "{flows:?}");
        fs::remove_file(folder.path("eve.json")).expect("records");
    }
    let run = folder.weir(&["-r", &capture, "-S", &rules, "-k", "none"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(folder.records("").iter().all(|record| record.get("pcap_comment").is_none()));
}
