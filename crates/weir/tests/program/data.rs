//! `tcp-data` and `http-body-data`.

use std::fs;

use weir_base::Duration;
use weir_testkit::Conversation;
use weir_testkit::conversation::START;

use crate::run::{ETHERNET, Folder};

const REQUEST: &str =
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

#[test]
fn streams_and_bodies_are_written_out() {
    let folder = Folder::new("stream_data");
    let frames = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends(&REQUEST[..60])
        .client_sends(&REQUEST[60..])
        .server_sends(ANSWER)
        .close()
        .frames();
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
    let configuration = "%YAML 1.1\n---\noutputs:\n  \
        - tcp-data: {enabled: yes, type: both, filename: streams.log}\n  \
        - http-body-data: {enabled: yes, type: both}\n";
    let configuration = folder.write("data.yaml", configuration);
    let run = folder.weir(&["-c", &configuration, "-r", &capture, "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.said());

    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap_or_default();
    let ends = "10.0.0.1_40000-10.0.0.2_80-";
    assert_eq!(read(&format!("tcp/{ends}ts.data")), REQUEST);
    assert_eq!(read(&format!("tcp/{ends}tc.data")), ANSWER);
    assert_eq!(read(&format!("http/{ends}0-ts.data")), "abcde");
    assert_eq!(read(&format!("http/{ends}0-tc.data")), "hello");
    let dump = read("streams.log");
    assert!(dump.starts_with(&format!("{ends}ts:\n 0000  50 4F 53 54 20")), "{dump}");
    assert_eq!(dump.matches(&format!("{ends}ts:\n")).count(), 2, "a dump for each piece");
    let bodies = read("http-body-data.log");
    let expected = format!("{ends}0-tc:\n 0000  68 65 6C 6C 6F                                     hello\n");
    assert!(bodies.contains(&expected), "{bodies}");
}

/// Connections with the same ends have files of their own, and so have runs.
#[test]
fn no_stream_is_written_over() {
    let folder = Folder::new("stream_data_again");
    let talk = |word: &str, seconds: u64| {
        let talk =
            Conversation::new("10.0.0.1:40000", "10.0.0.2:9999").at(START.plus(Duration::from_secs(seconds)));
        talk.handshake().client_sends(word).close().frames()
    };
    let configuration = "%YAML 1.1\n---\noutputs:\n  - tcp-data: {enabled: yes, type: dir}\n";
    let configuration = folder.write("data.yaml", configuration);
    for (name, words) in [("first", ["one", "two"]), ("second", ["three", "four"])] {
        let frames = words.into_iter().zip([0, 1000]).flat_map(|(word, seconds)| talk(word, seconds));
        let capture = weir_testkit::pcap(ETHERNET, &frames.collect::<Vec<_>>());
        let capture = folder.write(&format!("{name}.pcap"), capture);
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "--quiet"]);
        assert_eq!(run.code, 0, "{}", run.said());
    }
    let read = |end: &str| {
        let name = format!("tcp/10.0.0.1_40000-10.0.0.2_9999-ts.data{end}");
        fs::read_to_string(folder.path(&name)).unwrap_or_default()
    };
    assert_eq!([".1", ".2", ".3", ""].map(read), ["one", "two", "three", "four"]);
    for _ in 0..2 {
        let capture = folder.path("second.pcap").to_string_lossy().into_owned();
        let run = folder.weir(&["-c", &configuration, "-r", &capture, "--quiet", "--overwrite"]);
        assert_eq!(run.code, 0, "{}", run.said());
        assert_eq!([".1", ".2", ".3", ""].map(read), ["three", "", "", "four"]);
    }
}

/// Connections with the same ends that are open at a time, in two VLANs.
#[test]
fn no_stream_is_mixed_with_another() {
    let folder = Folder::new("stream_data_vlans");
    let talk = |vlan: u16, words: [&str; 2]| {
        let talk = Conversation::new("10.0.0.1:40000", "10.0.0.2:9999").vlan(vlan).handshake();
        talk.client_sends(words[0]).client_sends(words[1]).close().frames()
    };
    let (first, second) = (talk(10, ["one", " more"]), talk(20, ["two", " more"]));
    let frames: Vec<_> = first.into_iter().zip(second).flat_map(|(first, second)| [first, second]).collect();
    let capture = folder.write("input.pcap", weir_testkit::pcap(ETHERNET, &frames));
    let configuration = "%YAML 1.1\n---\noutputs:\n  - tcp-data: {enabled: yes, type: dir}\n";
    let configuration = folder.write("data.yaml", configuration);
    for workers in ["1", "4"] {
        let threads = ["-c", &configuration, "-r", &capture, "--quiet", "--overwrite", "-t", workers];
        let run = folder.weir(&threads);
        assert_eq!(run.code, 0, "{}", run.said());
        let read = |end: &str| {
            let name = format!("tcp/10.0.0.1_40000-10.0.0.2_9999-ts.data{end}");
            fs::read_to_string(folder.path(&name)).unwrap_or_default()
        };
        assert_eq!([".1", ""].map(read), ["one more", "two more"], "{workers}");
    }
}
