//! Against receivers of its own.

use std::io::{BufReader, Read};
use std::net::{TcpListener, TcpStream, UdpSocket};

use weir_testkit::TestFolder;

use super::run::{PATIENCE, Run, number};
use super::tls::Certificate;

fn settings(server: &str) -> String {
    format!(
        "filetype: syslog\nidentity: weir\nfacility: local1\nlevel: notice\nspool:\n  wait-at-end: 60\nsyslog:\n  server: {server}"
    )
}

/// The message, after its octet count (RFC 6587, 3.4.1).
pub fn framed(stream: &mut impl Read) -> Option<String> {
    let mut length = 0;
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        match byte[0] {
            b' ' => break,
            digit => length = length * 10 + usize::from(digit.checked_sub(b'0').expect("a digit")),
        }
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message).ok()?;
    Some(String::from_utf8(message).expect("text"))
}

fn check_head(message: &str, second: &str) {
    let words: Vec<&str> = message.splitn(8, ' ').collect();
    let process = std::process::id().to_string();
    assert_eq!(words[0], "<141>1");
    assert!(words[1].starts_with(&format!("2026-11-29T20:00:{second}")) && words[1].ends_with("+00:00"));
    assert_eq!((words[3], words[4], words[5], words[6]), ("weir", process.as_str(), "test", "-"));
}

#[test]
fn datagrams() {
    let folder = TestFolder::new("syslog-udp");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let server = format!("udp://{}", socket.local_addr().unwrap());
    let mut run = Run::start(&folder.join("logs"), &settings(&server));
    run.push(20);
    run.push_line(&format!("{{\"n\":20,\"x\":\"{}\"}}", "y".repeat(70_000)));
    let mut buffer = vec![0; 65_536];
    for expected in 0..20 {
        let length = socket.recv(&mut buffer).unwrap();
        let message = std::str::from_utf8(&buffer[..length]).unwrap();
        check_head(message, "00.");
        assert_eq!(number(message), expected);
    }
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, pipeline.lost), (20, 1));
    assert!(told.len() == 1 && told[0].contains("too long for a datagram"), "{told:?}");
}

/// A receiver that ends its connection twice gets what it had not read again.
#[test]
fn octet_counting_over_tcp() {
    let folder = TestFolder::new("syslog-tcp");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("tcp://{}", listener.local_addr().unwrap());
    let mut run = Run::start(&folder.join("logs"), &settings(&server));
    run.push(200);
    let mut next = 0;
    let mut take = |stream: &mut BufReader<TcpStream>, most: usize| {
        for message in std::iter::from_fn(|| framed(stream)).take(most) {
            check_head(&message, "00.");
            let number = number(&message);
            assert!(number <= next, "{number} where {next} is missing");
            next += u64::from(number == next);
        }
        next
    };
    for _ in 0..2 {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        take(&mut stream, 20);
    }
    let mut last = BufReader::new(listener.accept().unwrap().0);
    let reader = std::thread::spawn(move || run.finish());
    assert_eq!(take(&mut last, usize::MAX), 200);
    let (_, pipeline, _) = reader.join().unwrap();
    assert_eq!((pipeline.sent, pipeline.lost, pipeline.left), (200, 0, 0));
    assert!(pipeline.reconnects == 2, "{pipeline:?}");
}

#[test]
fn octet_counting_over_tls() {
    let folder = TestFolder::new("syslog-tls");
    let Some(certificate) = Certificate::make(&folder.join("tls")) else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("tls://{}", listener.local_addr().unwrap());
    let ca_file = format!("\n  ca-file: {}", certificate.file.display());
    let mut run = Run::start(&folder.join("logs"), &(settings(&server) + &ca_file));
    run.push(20);
    let mut stream = certificate.accept(listener.accept().unwrap().0);
    for expected in 0..20 {
        let message = framed(&mut stream).unwrap();
        check_head(&message, "00.");
        assert_eq!(number(&message), expected);
    }
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, pipeline.lost, told), (20, 0, vec![]));
}

/// A server whose certificate nobody signed who is trusted gets no record.
#[test]
fn certificates_are_looked_at() {
    let folder = TestFolder::new("syslog-trust");
    let (Some(own), Some(other)) =
        (Certificate::make(&folder.join("own")), Certificate::make(&folder.join("other")))
    else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("tls://{}", listener.local_addr().unwrap());
    let trusted = format!("\n  ca-file: {}", other.file.display());
    let settings = (settings(&server) + &trusted).replace("at-end: 60", "at-end: 0");
    let mut run = Run::start(&folder.join("logs"), &settings);
    run.push(5);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let _ = own.accept(stream).read(&mut [0; 16]);
        }
    });
    let away = run.next_told();
    assert!(away.contains("invalid peer certificate") && away.contains("ca-file"), "{away}");
    let (_, pipeline, _) = run.finish();
    assert_eq!((pipeline.sent, pipeline.left), (0, 5));
}
