//! Entropies of buffers in records.

use serde_json::json;

use crate::run::{ETHERNET, Folder, web_request};

#[test]
fn records_show_what_was_calculated_whether_or_not_it_matched() {
    let folder = Folder::new("entropy");
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &web_request()));
    let rules = folder.write(
        "test.rules",
        "alert http any any -> any any (flow:to_server; http.method; entropy:value > 7; sid:1;)\n",
    );
    let run = folder.weir(&["-r", &capture, "-S", &rules, "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert!(folder.records("alert").is_empty());
    // Three letters, each once: the logarithm of three.
    let expected = json!({"http_method": 3f64.log2()});
    for kind in ["http", "flow"] {
        let record = folder.records(kind).pop().expect("a record");
        assert_eq!(record["metadata"]["entropy"], expected, "{kind}");
    }
}
