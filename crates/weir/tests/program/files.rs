//! Files that rules look at and keep.

use serde_json::Value;
use weir_base::Direction;
use weir_testkit::{Conversation, TimedFrame, merged, pcap, tcp_flags};

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
fn kept_files_have_what_is_known_beside_them() {
    let folder = Folder::new("kept_files_have_what_is_known_beside_them");
    let talk = |client: u8, body: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        Conversation::new(&format!("10.0.0.{client}:40000"), "10.0.0.2:80")
            .handshake()
            .client_sends("GET /f HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n")
            .server_sends(answer)
            .close()
            .frames()
    };
    let large = "x".repeat(300_000);
    let frames = merged([talk(3, "abc"), talk(4, &large), talk(5, "abc")]);
    let capture = folder.write("web.pcap", pcap(ETHERNET, &frames));
    let configuration = folder.write(
        "weir.yaml",
        "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [files]\n  - file-store:\n      \
         version: 2\n      enabled: yes\n      force-filestore: yes\n      write-fileinfo: yes\n      xff:\n        enabled: yes\n        mode: extra-data\n",
    );
    let mut before = None;
    for workers in ["1", "3"] {
        let _ = std::fs::remove_dir_all(folder.path("filestore"));
        let _ = std::fs::remove_file(folder.path("eve.json"));
        let run =
            folder.weir(&["-r", &capture, "-c", &configuration, "-t", workers, "--set", "stats.enabled=no"]);
        assert_eq!(run.code, 0, "{}", run.said());
        let files = folder.records("fileinfo");
        let mut told = Vec::new();
        for file in &files {
            let info = &file["fileinfo"];
            assert_eq!(info["stored"], true);
            let hash = info["sha256"].as_str().unwrap();
            let path = folder.path("filestore").join(&hash[..2]).join(hash);
            let length = std::fs::metadata(&path).unwrap().len();
            assert_eq!(info["size"], length);
            let beside = format!("{}.1700000000.{}.json", path.display(), info["file_id"]);
            let beside: Value = serde_json::from_slice(&std::fs::read(beside).unwrap()).unwrap();
            assert_eq!((&beside["fileinfo"], &beside["xff"]), (info, &"1.2.3.4".into()));
            told.push((info["file_id"].clone(), length, file["dest_ip"].clone()));
        }
        assert_eq!(told.len(), 3);
        assert_eq!(std::fs::read_dir(folder.path("filestore/tmp")).unwrap().count(), 0);
        assert_eq!(before.get_or_insert_with(|| told.clone()), &told, "{workers} workers");
    }
}

#[test]
fn a_stored_file_is_read_as_far_as_is_asked_for() {
    // How far streams are read, how far where files are stored, and what becomes of a file of 30000 bytes.
    let cases: &[(&str, &str, &str, u64)] = &[
        ("0", "0", "CLOSED", 30_000),
        ("0", "10000", "TRUNCATED", 8_900),
        ("5000", "0", "CLOSED", 30_000),
        ("5000", "10000", "TRUNCATED", 8_900),
        ("20000", "10000", "TRUNCATED", 18_900),
    ];
    for (stream, store, state, least) in cases {
        let folder = Folder::new(&format!("a_stored_file_is_read_as_far_{stream}_{store}"));
        let talk = conversation()
            .client_sends("GET /f HTTP/1.1\r\nHost: a\r\n\r\n")
            .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 30000\r\n\r\n");
        let talk = (0..30).fold(talk, |talk, _| talk.server_sends([b'x'; 1000]));
        let capture = folder.write("web.pcap", pcap(ETHERNET, &talk.close().frames()));
        let configuration = folder.write(
            "weir.yaml",
            format!("%YAML 1.1\n---\nstream:\n  reassembly:\n    depth: {stream}\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [files]\n  - file-store:\n      version: 2\n      enabled: yes\n      force-filestore: yes\n      stream-depth: {store}\n"),
        );
        let run = folder.weir(&["-r", &capture, "-c", &configuration]);
        assert_eq!(run.code, 0, "{}", run.said());
        let files = folder.records("fileinfo");
        let info = &files[0]["fileinfo"];
        let size = info["size"].as_u64().unwrap();
        assert!((*least..=least + 1100).contains(&size), "{stream} {store}: {info}");
        assert_eq!(
            (&info["state"], &info["stored"]),
            (&Value::from(*state), &Value::from(true)),
            "{stream} {store}"
        );
    }
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

#[test]
fn files_are_kept_and_hashed_by_options() {
    let folder = Folder::new("files_are_kept_and_hashed_by_options");
    let talk = conversation()
        .client_sends("GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n")
        .server_sends("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        .close();
    let capture = folder.write("web.pcap", pcap(ETHERNET, &talk.frames()));
    let (md5, sha1) = ("5d41402abc4b2a76b9719d911017c592", "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d");
    let sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let kept = format!("2c/{sha256}");
    let other = folder.path("kept").to_string_lossy().into_owned();
    for (option, place) in
        [("--extract-files".to_owned(), "filestore"), (format!("--extract-files={other}"), "kept")]
    {
        let run = folder.weir(&["-r", &capture, "--quiet", &option]);
        assert_eq!(run.code, 0, "{}", run.said());
        let file = std::fs::read(folder.path(place).join(&kept)).ok();
        assert_eq!(file.as_deref(), Some(&b"hello"[..]), "{option}");
    }
    let _ = std::fs::remove_file(folder.path("eve.json"));
    for form in [&[][..], &["--zeek-logs"]] {
        let run = folder.weir(&[&["-r", &capture, "--quiet", "--hash-files"], form].concat());
        assert_eq!(run.code, 0, "{}", run.said());
    }
    let record = &folder.records("fileinfo")[0]["fileinfo"];
    assert_eq!((&record["md5"], &record["sha1"]), (&md5.into(), &sha1.into()));
    assert_eq!(record["sha256"], sha256);
    let log = std::fs::read_to_string(folder.path("files.log")).expect("files.log");
    assert!(log.contains(md5) && log.contains(sha1), "{log}");
    let run = folder.weir(&["-r", &capture, "--hash-files", "--disable-hashing"]);
    assert_eq!(run.code, 1, "{}", run.said());
}

/// Bytes that were left out for the checksum of their packet are in no hash, which would be that of another file; at the
/// end of a stream they never came.
#[test]
fn a_file_of_which_a_packet_is_left_out_shows_no_hash_of_the_rest() {
    let server = Direction::ToClient;
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    // What the server sends of the body, which of these packets is damaged, state (none where nothing of a file came)
    // and whether there is a hash.
    type Case<'a> = (&'a str, &'a [&'a str], Option<usize>, Option<&'a str>, bool);
    let cases: [Case<'_>; 5] = [
        ("nothing", &["body of a"], None, Some("CLOSED"), true),
        ("all", &["body of a"], Some(0), None, false),
        ("the begin", &["body", " of a"], Some(0), Some("TRUNCATED"), false),
        ("the end", &["body", " of a"], Some(1), Some("CLOSED"), true),
        ("what comes again", &["body of a", "body of a"], Some(0), Some("CLOSED"), true),
    ];
    for (lost, pieces, damaged, state, has_hash) in cases {
        let folder = Folder::new(&format!("left_out_{}", lost.replace(' ', "_")));
        let mut talk = conversation().client_sends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").server_sends(head);
        let body = talk.next_seq(server);
        for piece in pieces {
            if piece.len() == 9 {
                talk = talk.continue_at(server, body);
            }
            talk = talk.segment(server, tcp_flags::PSH | tcp_flags::ACK, piece.as_bytes());
        }
        let mut frames = talk.segment(server.opposite(), tcp_flags::ACK, b"").close().frames();
        if let Some(number) = damaged {
            let starts = |frame: &&mut TimedFrame| frame.bytes.ends_with(pieces[number].as_bytes());
            let frame = frames.iter_mut().find(starts).expect("a piece of the body");
            // A byte of the window.
            frame.bytes[48] ^= 1;
        }
        let capture = folder.write("web.pcap", pcap(ETHERNET, &frames));
        let configuration = folder.write(
            "weir.yaml",
            "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types:\n        - files:\n            \
             force-hash: [md5, sha1, sha256]\n",
        );
        let run = folder.weir(&["-r", &capture, "-c", &configuration]);
        assert_eq!(run.code, 0, "{lost}: {}", run.said());
        let files = folder.records("fileinfo");
        let states: Vec<_> = files.iter().map(|file| file["fileinfo"]["state"].as_str()).collect();
        assert_eq!(states, Vec::from_iter(state.map(Some)), "{lost}: {files:?}");
        let Some(file) = files.first().map(|file| &file["fileinfo"]) else { continue };
        for hash in ["md5", "sha1", "sha256"] {
            assert_eq!(file.get(hash).is_some(), has_hash, "{lost}: {hash} of {file}");
        }
    }
}
