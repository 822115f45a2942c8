use std::io::{Read, Write};

use weir_base::CounterVisitor;
use weir_base::profile::{Layer, Stage};
use weir_testkit::TestFolder;

use super::request::MAX_REQUEST;
use super::round::{Answer, Answers};
use super::*;
use crate::stats::Totals;

/// A server without its thread, and its time.
struct Served {
    server: Server,
    _folder: TestFolder,
    now: Instant,
}

/// A thread that answers at once, or never.
fn line(number: usize, answers: bool) -> Line {
    let ask = move |answer: &Answers| {
        let mut totals = Totals::default();
        totals.counter("decoder.pkts", 7);
        totals.counter("decoder.event.ipv4.trunc_pkt", number as u64);
        totals.counter("tcp.memuse", 100);
        totals.counter("flow.spare", 0);
        let layers = vec![(Layer { stage: Stage::Parser, name: "http" }, 1_500_000_000)];
        !answers || answer.try_send((number, Answer { totals, layers })).is_ok()
    };
    Line { thread: format!("W#{:02}-eth0", number + 1), interface: "eth0".to_owned(), ask: Box::new(ask) }
}

impl Served {
    fn new(name: &str, lines: Vec<Line>) -> Self {
        let folder = TestFolder::new(name);
        let socket = SocketFile::listen(&folder.join("socket")).expect("a socket");
        let rounds = Rounds::new(lines, Told::default(), RecordCounts::default(), Timestamp::new(5, 0));
        let server =
            Server { listener: Listener::Socket(socket), clients: Vec::new(), rounds, closed_until: None };
        Self { server, _folder: folder, now: Instant::now() }
    }

    /// Has happen what can.
    fn turn(&mut self) {
        let (_other, never) = UnixStream::pair().expect("a pair");
        let ready = self.server.wait(&never, Some(Duration::ZERO));
        assert!(!ready.ends);
        self.server.turn(&ready, self.now);
    }

    fn client(&self) -> UnixStream {
        let Listener::Socket(socket) = &self.server.listener else { panic!("a socket") };
        let client = UnixStream::connect(&socket.path).expect("a client");
        client.set_nonblocking(true).expect("it does not block");
        client
    }

    /// The answer to what a client sends in pieces of some size, or what it got when it was let go.
    fn answer(&mut self, request: &[u8], piece: usize) -> String {
        let (mut client, mut answer) = (self.client(), Vec::new());
        for piece in request.chunks(piece) {
            let _ = client.write_all(piece);
            self.turn();
        }
        for _ in 0..100 {
            self.turn();
            match client.read_to_end(&mut answer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
        drop(client);
        self.turn();
        assert!(self.server.clients.is_empty());
        String::from_utf8(answer).expect("text")
    }

    fn get(&mut self, path: &str, accept: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nAccept: {accept}\r\n\r\n");
        self.answer(request.as_bytes(), MAX_REQUEST)
    }
}

#[test]
fn metrics_of_all_threads() {
    let mut served = Served::new("metrics-threads", vec![line(0, true), line(1, true)]);
    let said = served.get("/metrics", "application/openmetrics-text");
    let (head, body) = said.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(
        head.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"),
        "{head}"
    );
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    assert!(body.ends_with("\n# EOF\n"), "{body}");
    for line in [
        "# TYPE weir_decoder_packets counter",
        "# HELP weir_decoder_packets Packets that were decoded.",
        "weir_decoder_packets_total{thread=\"W#01-eth0\",interface=\"eth0\"} 7",
        "weir_decoder_packets_total{thread=\"W#02-eth0\",interface=\"eth0\"} 7",
        "weir_decoder_events_total{thread=\"W#02-eth0\",interface=\"eth0\",event=\"ipv4.trunc_pkt\"} 1",
        "# UNIT weir_tcp_memuse_bytes bytes",
        "weir_tcp_memuse_bytes{thread=\"W#01-eth0\",interface=\"eth0\"} 100",
        "weir_worker_up{thread=\"W#02-eth0\",interface=\"eth0\"} 1",
        "# UNIT weir_stage_seconds seconds",
        "weir_stage_seconds_total{thread=\"W#01-eth0\",interface=\"eth0\",stage=\"parser\",part=\"http\"} 1.500000000",
        "weir_log_records_written_total 0",
        "process_start_time_seconds 5.000000000",
    ] {
        assert!(body.lines().any(|found| found == line), "{line}: {body}");
    }
    assert!(!body.contains("weir_flow_spare"), "parts that are not there have no metrics");
    assert_eq!(body.matches("weir_decoder_events_total").count(), 1, "{body}");
    let said = served.get("/metrics", "*/*");
    assert!(said.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{said}");
    assert!(said.contains("\n# TYPE weir_decoder_packets_total counter\n") && !said.contains("# EOF"));
    assert!(served.get("/health", "*/*").ends_with("\r\n\r\nok\n"));
}

#[test]
fn pieces_and_methods() {
    let mut served = Served::new("metrics-pieces", vec![line(0, true)]);
    for piece in [1, 7, 1000] {
        let said = served.answer(b"GET /health HTTP/1.1\r\nA: b\r\n\r\n", piece);
        assert!(said.starts_with("HTTP/1.1 200 OK\r\n") && said.ends_with("\r\n\r\nok\n"), "{piece}: {said}");
    }
    let said = served.answer(b"HEAD /health HTTP/1.0\r\n\r\n", MAX_REQUEST);
    assert!(said.contains("Content-Length: 3\r\n") && said.ends_with("\r\n\r\n"), "{said}");
    for (request, status) in [
        (&b"POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcde"[..], "405 Method Not Allowed"),
        (b"GET /etc HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"\x16\x03\x01\x00\xff", "400 Bad Request"),
        (&[b'a'; MAX_REQUEST], "431 Request Header Fields Too Large"),
    ] {
        let said = served.answer(request, MAX_REQUEST);
        assert!(said.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{said}");
    }
}

/// One thread hangs: the others' counters are told, and the health is bad.
#[test]
fn a_thread_that_hangs_is_named() {
    let mut served = Served::new("metrics-hangs", vec![line(0, true), line(1, false)]);
    let mut clients = [served.client(), served.client()];
    for (client, path) in clients.iter_mut().zip(["/metrics", "/health"]) {
        client.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).expect("a request");
        served.turn();
        served.turn();
    }
    let mut said = String::new();
    assert!(clients[0].read_to_string(&mut said).is_err(), "it is waited for the thread");
    served.now += Duration::from_secs(3);
    served.turn();
    let mut read = |client: &mut UnixStream| {
        said.clear();
        client.read_to_string(&mut said).expect("an answer");
        said.clone()
    };
    let metrics = read(&mut clients[0]);
    assert!(metrics.contains("weir_worker_up{thread=\"W#02-eth0\",interface=\"eth0\"} 0\n"), "{metrics}");
    assert!(metrics.contains("weir_decoder_packets_total{thread=\"W#01-eth0\",interface=\"eth0\"} 7\n"));
    let health = read(&mut clients[1]);
    assert!(health.starts_with("HTTP/1.1 503 "), "{health}");
    assert!(health.ends_with("\r\n\r\nW#02-eth0 does not answer\n"), "{health}");
}

/// A thread that does not answer is asked once, however often clients come.
#[test]
fn a_thread_that_hangs_is_not_asked_again() {
    let (asked, count) = crossbeam_channel::unbounded();
    let ask = move |_: &Answers| asked.send(()).is_ok();
    let line = Line { thread: "a".to_owned(), interface: "b".to_owned(), ask: Box::new(ask) };
    let mut served = Served::new("metrics-once", vec![line]);
    for _ in 0..5 {
        let mut client = served.client();
        client.write_all(b"GET /health HTTP/1.1\r\n\r\n").expect("a request");
        served.turn();
        served.now += Duration::from_secs(3);
        served.turn();
    }
    assert_eq!(count.len(), 1);
}

#[test]
fn clients_that_only_connect_cost_nothing_but_a_while() {
    let mut served = Served::new("metrics-idle", vec![line(0, true)]);
    let mut idle = Vec::new();
    for _ in 0..5 * MAX_CLIENTS {
        let mut client = served.client();
        client.write_all(b"GET /metrics HTTP/1.1\r\nA: ").expect("a part of a request");
        idle.push(client);
        served.turn();
        assert!(served.server.clients.len() <= MAX_CLIENTS);
    }
    assert_eq!(served.server.clients.len(), MAX_CLIENTS);
    // Others are served all the same.
    let mut client = served.client();
    client.write_all(b"GET /health HTTP/1.1\r\n\r\n").expect("a request");
    (0..3).for_each(|_| served.turn());
    let mut said = String::new();
    client.read_to_string(&mut said).expect("an answer");
    assert!(said.ends_with("ok\n"), "{said}");
    drop(client);
    served.now += PATIENCE;
    served.turn();
    assert!(served.server.clients.is_empty());
    // One that sends a byte now and then is not given more time.
    let mut slow = served.client();
    served.turn();
    for _ in 0..7 {
        let _ = slow.write_all(b"G");
        served.now += Duration::from_secs(1);
        served.turn();
    }
    assert!(served.server.clients.is_empty());
}

/// Clients that do not take their answer, or send on, are let go.
#[test]
fn clients_that_take_nothing_are_let_go() {
    let mut served = Served::new("metrics-stuck", vec![line(0, true)]);
    let mut clients: Vec<UnixStream> = (0..MAX_CLIENTS).map(|_| served.client()).collect();
    for client in &mut clients {
        client.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").expect("a request");
        served.turn();
    }
    (0..3).for_each(|_| served.turn());
    assert_eq!(served.server.clients.len(), MAX_CLIENTS);
    served.now += PATIENCE;
    served.turn();
    assert!(served.server.clients.is_empty());
    let mut endless = served.client();
    let mut turns = 0;
    while endless.write_all(&[b'\n'; 1000]).is_ok() && turns < 1000 {
        served.turn();
        turns += 1;
    }
    served.turn();
    assert!(served.server.clients.is_empty(), "{turns}");
}

#[test]
fn the_thread_ends_with_its_handle() {
    let folder = TestFolder::new("metrics-thread");
    let path = folder.join("socket");
    let listener = Listener::Socket(SocketFile::listen(&path).expect("a socket"));
    let door = Door { listener, started: Timestamp::default() };
    let service =
        door.serve(vec![line(0, true)], Facts::default(), RecordCounts::default()).expect("a thread");
    let mut client = UnixStream::connect(&path).expect("a client");
    client.write_all(b"GET /health HTTP/1.1\r\n\r\n").expect("a request");
    let mut said = String::new();
    client.read_to_string(&mut said).expect("an answer");
    assert!(said.ends_with("ok\n"), "{said}");
    drop(service);
    assert!(!path.exists());
}
