//! Files that rules look at and keep.

use serde_json::Value;
use weir_testkit::{Conversation, pcap};

use crate::run::{ETHERNET, Folder};

const CONFIGURATION: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - alert\n        - files\n  - file-store:\n      version: 2\n      enabled: yes\n";

/// What a run of `rules` over a conversation leaves in `folder`.
fn run(folder: &Folder, rules: &str, talk: Conversation) {
    let capture = folder.write("web.pcap", pcap(ETHERNET, &talk.frames()));
    let rules = folder.write("files.rules", rules);
    let configuration = folder.write("weir.yaml", CONFIGURATION);
    let run = folder.weir(&["-r", &capture, "-S", &rules, "-c", &configuration]);
    assert_eq!(run.code, 0, "{}", run.said());
}

fn conversation() -> Conversation {
    Conversation::new("10.0.0.1:40000", "10.0.0.2:80").handshake()
}

#[test]
fn each_file_of_a_form_is_asked_for() {
    let folder = Folder::new("each_file_of_a_form_is_asked_for");
    let head = "POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=xx\r\n\
        Content-Length: 250\r\n\r\n";
    let part = |name: &str| format!("Content-Disposition: form-data; filename=\"{name}\"\r\n\r\n");
    let between = "\r\n--xx\r\n";
    let talk = conversation()
        .client_sends([head, "--xx\r\n"].concat())
        .client_sends(part("one.txt"))
        .client_sends("first")
        .client_sends(between)
        .client_sends(part("two.txt"))
        .client_sends("second")
        .client_sends(between)
        .client_sends(part("other"))
        .client_sends("third")
        .client_sends("\r\n--xx--\r\n")
        .close();
    run(&folder, "alert http any any -> any any (filename:\".txt\"; filestore; sid:1;)\n", talk);
    let alerts = folder.records("alert");
    let names: Vec<_> = alerts.iter().map(|alert| &alert["files"][0]["filename"]).collect();
    assert_eq!(names, ["one.txt", "two.txt"]);
    let files = folder.records("fileinfo");
    let told = |file: &Value| (file["fileinfo"]["filename"].clone(), file["fileinfo"]["stored"].clone());
    let told: Vec<_> = files.iter().map(told).collect();
    assert_eq!(
        told,
        [("one.txt", true), ("two.txt", true), ("other", false)]
            .map(|(name, stored)| (name.into(), stored.into()))
    );
}

#[test]
fn a_file_is_told_of_after_rules_looked_at_it() {
    let folder = Folder::new("a_file_is_told_of_after_rules_looked_at_it");
    let talk = conversation()
        .client_sends("GET /f HTTP/1.1\r\nHost: a\r\n\r\n")
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfile")
        .reset(weir_base::Direction::ToServer);
    run(&folder, "alert http any any -> any any (filesize:4; filestore:both; sid:1;)\n", talk);
    let files = folder.records("fileinfo");
    assert_eq!(files.len(), 1);
    assert_eq!(files[0]["fileinfo"]["stored"], true);
}
