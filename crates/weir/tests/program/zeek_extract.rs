//! Files extracted as Zeek's script `extract-all-files` does, and what `files.log` says of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use weir_base::Direction::ToClient;
use weir_base::Duration;
use weir_testkit::{Conversation, TimedFrame, merged, pcap};

use crate::run::{ETHERNET, Folder, Run};

/// The script.
const SCRIPT: &str = "frameworks/files/extract-all-files";

/// A base64 line of `attached` and its line's end.
const ATTACHED: &str = "YXR0YWNoZWQK";

/// Rows of a log.
fn rows(folder: &Folder, log: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.path(&format!("{log}.log"))).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

/// The files of a folder by their names.
fn files(folder: &Folder, below: &str) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder.path(below)) else { return BTreeMap::new() };
    let files = entries.map(|entry| {
        let entry = entry.expect("an entry");
        (entry.file_name().into_string().expect("a name"), fs::read(entry.path()).expect("a file"))
    });
    files.collect()
}

fn zeek(folder: &Folder, frames: &[TimedFrame], more: &[&str]) -> Run {
    let capture = folder.write("a.pcap", pcap(ETHERNET, frames));
    let words = [&["-C", "-r", &capture, "LogAscii::use_json=T", SCRIPT], more].concat();
    let run = folder.command_as("zeek", &words);
    assert_eq!(run.code, 0, "{}", run.said());
    run
}

/// What rows say of extraction, each with its file: source, `extracted_cutoff`, `extracted_size`, content.
fn extracted(folder: &Folder) -> Vec<(String, bool, Option<u64>, Vec<u8>)> {
    let mut kept = files(folder, "extract_files");
    let told = rows(folder, "files").into_iter().map(|row| {
        let name = row["extracted"].as_str().expect("a name");
        let (time, source) = (row["ts"].as_f64().expect("a time"), row["source"].as_str().expect("a source"));
        let fuid = row["fuid"].as_str().expect("a fuid");
        assert_eq!(name, format!("extract-{time:.6}-{source}-{fuid}"));
        assert!(row["analyzers"].as_array().expect("a list").contains(&"EXTRACT".into()), "{row}");
        let content = kept.remove(name).expect("the file is there");
        let cut = row["extracted_cutoff"].as_bool().expect("set for all that is extracted");
        (source.to_owned(), cut, row["extracted_size"].as_u64(), content)
    });
    let told = told.collect();
    assert!(kept.is_empty(), "{:?}", kept.keys());
    told
}

fn web(client: &str) -> Conversation {
    let talk = Conversation::new(client, "10.0.0.2:80").handshake();
    talk.client_sends("GET /f HTTP/1.1\r\nHost: a\r\n\r\n")
}

/// The server sends as much as is acknowledged, piece by piece.
fn sent(talk: Conversation, content: &[u8]) -> Conversation {
    content.chunks(50_000).fold(talk, Conversation::server_sends)
}

fn head(length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n")
}

fn answer(body: &[u8]) -> Vec<u8> {
    [head(body.len()).as_bytes(), body].concat()
}

/// Bytes of which no two stretches are the same.
fn body(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index / 251 + index % 251) as u8).collect()
}

fn mail() -> Conversation {
    let (replies, lines) = (
        ["220 a", "250 a", "250 ok", "250 ok", "354 go", "250 ok", "221 bye"],
        ["HELO b", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA", "", "QUIT"],
    );
    let message = format!(
        "Subject: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\ntext\r\n--x\r\n\
         Content-Type: application/octet-stream; name=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n--x--\r\n.\r\n",
        format!("{ATTACHED}\r\n").repeat(4000)
    );
    let talk = Conversation::new("10.0.0.3:40000", "10.0.0.4:25").handshake();
    let talk = talk.server_sends(format!("{}\r\n", replies[0]));
    let said = lines.iter().map(|line| if line.is_empty() { message.clone() } else { format!("{line}\r\n") });
    said.zip(&replies[1..])
        .fold(talk, |talk, (said, reply)| talk.client_sends(said).server_sends(format!("{reply}\r\n")))
        .close()
}

fn download(content: &[u8]) -> Vec<TimedFrame> {
    let control = Conversation::new("10.0.0.5:40000", "10.0.0.6:21")
        .handshake()
        .server_sends("220 a\r\n")
        .client_sends("PASV\r\n")
        .server_sends("227 Entering Passive Mode (10,0,0,6,4,1)\r\n")
        .client_sends("RETR a.bin\r\n");
    let data = Conversation::new("10.0.0.5:40001", "10.0.0.6:1025").at(control.time()).handshake();
    let data = sent(data, content).close();
    let control = control.at(data.time()).server_sends("226 done\r\n").client_sends("QUIT\r\n").close();
    merged([control.frames(), data.frames()])
}

/// Three protocols at the same time.
fn traffic() -> Vec<TimedFrame> {
    let web = sent(web("10.0.0.1:40000"), &answer(&body(300_000))).close();
    merged([web.frames(), mail().frames(), download(&body(2_000_000))])
}

#[test]
fn every_file_is_extracted() {
    let folder = Folder::new("zeek_extract_all");
    zeek(&folder, &traffic(), &[]);
    let mut found = extracted(&folder);
    found.sort();
    let whole = |source: &str, content: Vec<u8>| (source.to_owned(), false, None, content);
    let mut expected = vec![
        whole("FTP_DATA", body(2_000_000)),
        whole("HTTP", body(300_000)),
        whole("SMTP", b"attached\n".repeat(4000)),
        whole("SMTP", b"text".to_vec()),
    ];
    expected.sort();
    assert!(found == expected, "{:?}", found.iter().map(|file| (&file.0, file.3.len())).collect::<Vec<_>>());
}

#[test]
fn certificates_are_extracted_though_no_row_names_them() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sample/sample.pcap");
    let folder = Folder::new("zeek_extract_certificates");
    let run = folder.command_as("zeek", &["-C", "-r", sample, "LogAscii::use_json=T", SCRIPT]);
    assert_eq!(run.code, 0, "{}", run.said());
    let shown: usize = rows(&folder, "ssl")
        .iter()
        .flat_map(|row| [&row["cert_chain_fps"], &row["client_cert_chain_fps"]].map(Value::as_array))
        .flatten()
        .map(Vec::len)
        .sum();
    let mut kept = files(&folder, "extract_files");
    kept.retain(|name, _| name.contains("-SSL-"));
    assert!(shown > 0);
    assert_eq!(kept.len(), shown, "{:?}", kept.keys());
    for certificate in kept.values() {
        // A sequence, with its length in two bytes.
        let length = usize::from(certificate[2]) << 8 | usize::from(certificate[3]);
        assert_eq!((&certificate[..2], certificate.len()), (&[0x30, 0x82][..], length + 4));
    }
}

/// A name, what is sent, settings, and what comes of it: `extracted_cutoff`, `extracted_size`, content.
type LimitCase<'a> = (&'a str, Conversation, &'a [&'a str], bool, Option<u64>, &'a [u8]);

#[test]
fn limits_cut_files() {
    let holed = || {
        let talk = web("10.0.0.1:40000").server_sends(format!("{}abcd", head(20)));
        talk.loses(ToClient, 8).server_sends("mnopqrst")
    };
    let whole = || web("10.0.0.1:40000").server_sends(answer(b"abcdefghijklmnopqrst"));
    let limit = "FileExtract::default_limit=10";
    let leaves_out = "FileExtract::default_limit_includes_missing=F";
    let cases: [LimitCase<'_>; 8] = [
        ("all", whole(), &[], false, None, b"abcdefghijklmnopqrst"),
        ("none", whole(), &["FileExtract::default_limit=0"], false, None, b"abcdefghijklmnopqrst"),
        ("exact", whole(), &["FileExtract::default_limit=20"], false, None, b"abcdefghijklmnopqrst"),
        ("cut", whole(), &[limit], true, Some(10), b"abcdefghij"),
        ("hole", holed(), &[], false, None, b"abcd\0\0\0\0\0\0\0\0mnopqrst"),
        ("hole_counted", holed(), &[limit], true, Some(10), b"abcd"),
        ("hole_left_out", holed(), &[limit, leaves_out], true, Some(10), b"abcd\0\0\0\0\0\0\0\0mnopqr"),
        ("redefined", whole(), &["-e", "redef FileExtract::default_limit = 3;"], true, Some(3), b"abc"),
    ];
    for (name, talk, more, cut, size, content) in cases {
        let folder = Folder::new(&format!("zeek_extract_limit_{name}"));
        zeek(&folder, &talk.close().frames(), more);
        assert_eq!(extracted(&folder), [("HTTP".to_owned(), cut, size, content.to_vec())], "{name}");
    }
}

#[test]
fn incomplete_files_are_kept() {
    let content = body(100_000);
    let talk = web("10.0.0.1:40000").server_sends(head(100_000)).server_sends(&content[..40_000]);
    let gone_on = talk.loses(ToClient, 5_000).server_sends(&content[45_000..80_000]);
    let folder = Folder::new("zeek_extract_incomplete");
    zeek(&folder, &gone_on.frames(), &[]);
    let mut expected = content[..80_000].to_vec();
    expected[40_000..45_000].fill(0);
    let found = extracted(&folder);
    assert!(found[0].3 == expected && found.len() == 1 && !found[0].1, "{}", found[0].3.len());
}

#[test]
fn parts_of_a_file_come_together() {
    let content = body(100_000);
    let part = |client: &str, second: u64, range: std::ops::Range<usize>| {
        let ranges = format!("Content-Range: bytes {}-{}/100000", range.start, range.end - 1);
        let head = format!("HTTP/1.1 206 Part\r\n{ranges}\r\nContent-Length: {}\r\n\r\n", range.len());
        let talk = Conversation::new(client, "10.0.0.2:80").wait(Duration::from_secs(second)).handshake();
        let talk = talk.client_sends("GET /f HTTP/1.1\r\nHost: a\r\n\r\n").server_sends(head);
        sent(talk, &content[range]).close().frames()
    };
    let folder = Folder::new("zeek_extract_parts");
    let first = part("10.0.0.1:40000", 1, 60_000..100_000);
    zeek(&folder, &merged([first, part("10.0.0.1:40001", 1, 0..60_000)]), &[]);
    let names: BTreeSet<_> = files(&folder, "extract_files").into_keys().collect();
    let told: BTreeSet<_> = rows(&folder, "files")
        .iter()
        .map(|row| row["extracted"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!((names.len(), &names), (1, &told));
    assert!(files(&folder, "extract_files").into_values().all(|file| file == content));
}

#[test]
fn files_of_an_earlier_run_give_way() {
    let frames = web("10.0.0.1:40000").server_sends(answer(b"abc")).close().frames();
    let folder = Folder::new("zeek_extract_again");
    zeek(&folder, &frames, &[]);
    let name = files(&folder, "extract_files").into_keys().next().expect("a file");
    fs::write(folder.path("extract_files").join(&name), "longer than before").expect("a file");
    fs::write(folder.path("extract_files/other"), "other").expect("a file");
    zeek(&folder, &frames, &[]);
    let kept = [("extract_files/other".to_owned(), "other"), (format!("extract_files/{name}"), "abc")];
    for (name, content) in kept {
        assert_eq!(fs::read_to_string(folder.path(&name)).expect("a file"), content);
    }
}

#[test]
fn folders_can_be_chosen() {
    let frames = web("10.0.0.1:40000").server_sends(answer(b"abc")).close().frames();
    for (words, below) in [
        (&["FileExtract::prefix=kept/here/"][..], "kept/here"),
        (&["Log::default_logdir=logs"], "extract_files"),
    ] {
        let folder = Folder::new(&format!("zeek_extract_folder_{}", below.len()));
        fs::create_dir(folder.path("logs")).expect("a folder");
        zeek(&folder, &frames, words);
        assert!(files(&folder, below).into_values().eq([b"abc".to_vec()]), "{below}");
    }
}

#[test]
fn settings_of_the_command_line_need_no_entry() {
    let frames = web("10.0.0.1:40000").server_sends(answer(b"abc")).close().frames();
    let folder = Folder::new("zeek_extract_set");
    let capture = folder.write("a.pcap", pcap(ETHERNET, &frames));
    let script = format!("outputs.zeek.scripts.0={SCRIPT}");
    let run = folder.weir(&["-r", &capture, "--zeek-logs=json", "--set", &script]);
    assert_eq!(run.code, 0, "{}", run.said());
    assert_eq!(extracted(&folder), [("HTTP".to_owned(), false, None, b"abc".to_vec())]);
    assert!(!folder.path("eve.json").exists());
}

/// A configuration with EVE's files, the store of files, and Zeek's logs with these scripts and settings.
fn configuration(folder: &Folder, scripts: &str, more: &str) -> String {
    let text = format!(
        "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      types: [files, http, smtp]\n  - file-store:\n\
         \x20     version: 2\n      enabled: yes\n      force-filestore: yes\n  - zeek:\n      enabled: yes\n      \
         format: json\n      scripts: [{scripts}]\n{more}"
    );
    folder.write("weir.yaml", text)
}

#[test]
fn other_outputs_are_told_the_same_with_any_number_of_workers() {
    let frames = traffic();
    let mut eve = None;
    let mut before = None;
    for (script, workers) in [("", "1"), (SCRIPT, "1"), (SCRIPT, "2"), (SCRIPT, "4")] {
        let folder = Folder::new(&format!("zeek_extract_workers_{}{workers}", script.len()));
        let capture = folder.write("a.pcap", pcap(ETHERNET, &frames));
        let configuration = configuration(&folder, script, "");
        let run =
            folder.weir(&["-c", &configuration, "-r", &capture, "-t", workers, "--set", "stats.enabled=no"]);
        assert_eq!(run.code, 0, "{}", run.said());
        let stored: Vec<_> = walk(&folder, "filestore");
        assert_eq!(stored.len(), 3, "{stored:?}");
        let told = (fs::read(folder.path("eve.json")).expect("records"), stored);
        assert!(*eve.get_or_insert_with(|| told.clone()) == told, "{script} {workers}");
        let found = (rows(&folder, "files"), files(&folder, "extract_files"));
        assert_eq!(found.1.len(), if script.is_empty() { 0 } else { 4 });
        if !script.is_empty() {
            assert!(*before.get_or_insert_with(|| found.clone()) == found, "{workers}");
        }
    }
}

/// All files below a folder.
fn walk(folder: &Folder, below: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.path(below)).expect("a folder") {
        let name = format!("{below}/{}", entry.expect("an entry").file_name().to_string_lossy());
        match folder.path(&name).is_dir() {
            true => found.append(&mut walk(folder, &name)),
            false => found.push(name),
        }
    }
    found.sort();
    found
}

#[test]
fn a_run_extracts_so_much_and_says_so() {
    let folder = Folder::new("zeek_extract_room");
    let talks = (1..=4).map(|client| {
        let talk = web(&format!("10.0.1.{client}:40000")).wait(Duration::from_secs(client));
        talk.server_sends(answer(b"abc")).close().frames()
    });
    let capture = folder.write("a.pcap", pcap(ETHERNET, &merged(talks)));
    let configuration = configuration(&folder, SCRIPT, "      extract-total-limit: 8192\n");
    let run = folder.weir(&["-c", &configuration, "-r", &capture]);
    // A file takes 4096 bytes at least.
    assert_eq!(files(&folder, "extract_files").len(), 2, "{}", run.said());
    assert!(run.said().contains("2 records could not be written"), "{}", run.said());
    assert!(
        run.said().replace('\n', " ").contains("extract_files: extract-total-limit is reached"),
        "{}",
        run.said()
    );
    assert_eq!(rows(&folder, "files").len(), 4);
}
