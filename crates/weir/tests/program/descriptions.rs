//! What files are, in the words of libmagic, where that is installed.

use weir_testkit::{Conversation, pcap};

use crate::run::{ETHERNET, Folder};

const CONFIGURATION: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - alert\n        - files:\n            force-magic: yes\n";

const RULES: &str = "\
    alert http any any -> any any (filemagic:\"pdf document\"; sid:1;)\n\
    alert http any any -> any any (file.magic; content:\"version 1.5\"; sid:2;)\n\
    alert http any any -> any any (file.magic; content:\"PNG\"; sid:3;)\n";

#[test]
fn rules_and_records_tell_what_files_are() {
    let folder = Folder::new("rules_and_records_tell_what_files_are");
    let info = folder.weir(&["--build-info"]);
    if !info.stdout.contains(" MAGIC") {
        return;
    }
    let body = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n";
    let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    response.extend(body);
    let traffic = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(b"GET /a HTTP/1.1\r\nHost: example.com\r\n\r\n")
        .server_sends(&response)
        .close()
        .frames();
    let capture = folder.write("web.pcap", pcap(ETHERNET, &traffic));
    let rules = folder.write("magic.rules", RULES);
    let configuration = folder.write("weir.yaml", CONFIGURATION);
    for zeek in [&[][..], &["--zeek-logs"]] {
        let _ = std::fs::remove_file(folder.path("eve.json"));
        let arguments = ["-r", &capture, "-S", &rules, "-c", &configuration];
        let run = folder.weir(&[&arguments[..], zeek].concat());
        assert_eq!(run.code, 0, "{}", run.said());
        let alerts = folder.records("alert");
        let sids: Vec<_> = alerts.iter().map(|alert| alert["alert"]["signature_id"].as_u64()).collect();
        assert_eq!(sids, [Some(1), Some(2)], "{zeek:?}");
        let files = folder.records("fileinfo");
        let words = files[0]["fileinfo"]["magic"].as_str().unwrap_or_default();
        assert!(words.starts_with("PDF document, version 1.5"), "{zeek:?} {words}");
    }
}
