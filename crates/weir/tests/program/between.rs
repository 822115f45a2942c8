//! The program between a client and a server, in networks of the tests' own, with connections of the system.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};
use weir_testkit::{Frame, fragment_ipv4};

use super::namespaces::{Line, Spot};
use super::run::Folder;

/// Longest wait for what comes.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Time after which nothing comes any more, which is longer than retransmissions take.
pub const SILENCE: Duration = Duration::from_millis(700);

/// Bytes of a long answer.
const LONG: usize = 6 << 20;

const SERVER: &str = "10.9.0.2:80";

/// A configuration of the program between both interfaces.
fn configuration(line: &Line, mode: &str) -> String {
    let [one, other] = [Spot::Client, Spot::Server].map(|spot| line.beside(spot));
    format!(
        "%YAML 1.1\n---\nstats:\n  enabled: yes\naf-packet:\n  - {{interface: {one}, copy-mode: {mode}, copy-iface: \
         {other}}}\n  - {{interface: {other}, copy-mode: {mode}, copy-iface: {one}}}\noutputs:\n  - eve-log:\n      \
         enabled: yes\n      types: [alert, {{drop: {{alerts: yes, verdict: yes}}}}, http, flow, stats]\n"
    )
}

/// Bytes that nothing compresses or shifts unseen.
pub fn body(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

/// A server of the test, which answers one request of each client with a body.
pub struct Server(JoinHandle<()>);

impl Server {
    /// Starts one for so many clients.
    pub fn start(listener: TcpListener, clients: usize, body: Arc<Vec<u8>>) -> Self {
        let thread = std::thread::spawn(move || {
            for _ in 0..clients {
                let (client, _) = listener.accept().expect("a client");
                let body = Arc::clone(&body);
                std::thread::spawn(move || serve(client, &body));
            }
        });
        Self(thread)
    }

    pub fn end(self) {
        self.0.join().expect("the server ends");
    }
}

/// Answers one request. The client may be gone.
fn serve(mut client: TcpStream, body: &[u8]) {
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while !request.ends_with(b"\r\n\r\n") {
        match client.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(length) => request.extend(&piece[..length]),
        }
    }
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    let _ = client.write_all(head.as_bytes()).and_then(|()| client.write_all(body));
}

/// Listens at the server's place.
fn listener(line: &Line) -> TcpListener {
    line.at(Spot::Server, || TcpListener::bind(SERVER).expect("a listener"))
}

/// Asks for a path at the client's place; the answer is the body, or why none came.
fn ask(line: &Line, path: &str, patience: Duration) -> std::io::Result<Vec<u8>> {
    line.at(Spot::Client, || ask_from(path, patience))
}

/// Asks for a path; the answer is the body, or why none came.
pub fn ask_from(path: &str, patience: Duration) -> std::io::Result<Vec<u8>> {
    ask_at(SERVER, path, patience)
}

/// Asks a server for a path; the answer is the body, or why none came.
pub fn ask_at(server: &str, path: &str, patience: Duration) -> std::io::Result<Vec<u8>> {
    ask_on(TcpStream::connect_timeout(&server.parse().expect("an address"), PATIENCE)?, path, patience)
}

/// Asks for a path on a connection; the answer is the body, or why none came.
fn ask_on(mut stream: TcpStream, path: &str, patience: Duration) -> std::io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(patience))?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: example.com\r\n\r\n").as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    Ok(answer.split_off(end))
}

/// The last record of counters.
pub fn counters(folder: &Folder) -> Value {
    folder.records("stats").pop().expect("counters")["stats"].take()
}

#[test]
fn what_is_forwarded_is_unharmed() {
    let Some(line) = Line::lay("fwd") else { return };
    let body = Arc::new(body(LONG));
    for (mode, threads) in [("ips", "1"), ("ips", "3"), ("tap", "2")] {
        let folder = Folder::new(&format!("between-{mode}-{threads}"));
        let configuration = folder.write("pair.yaml", configuration(&line, mode));
        let rules = folder.write("none.rules", "");
        let arguments = ["--af-packet", "-c", &configuration, "-t", threads, "--summary=json", "-S", &rules];
        let run = line.start(&folder, &arguments);
        let server = Server::start(listener(&line), 4, Arc::clone(&body));
        std::thread::scope(|scope| {
            for client in 0..4 {
                let (line, body) = (&line, &body);
                scope.spawn(move || {
                    let got = ask(line, &format!("/{client}"), PATIENCE).expect("an answer");
                    assert!(got == **body, "{} bytes", got.len());
                });
            }
        });
        server.end();
        let (code, said) = run.end(Signal::INT);
        assert_eq!(code, Some(0), "{said}");
        let summary: Value = serde_json::from_str(&said).expect("a summary");
        assert_eq!(summary["accounts"]["unbalanced"], json!([]));
        assert_eq!(folder.records("http").len(), 4);
        // The end of a connection of the run before may be sent again.
        let began =
            |record: &&Value| record["proto"] == "TCP" && record["flow"]["exception_policy"].is_null();
        for record in folder.records("flow").iter().filter(began) {
            assert_eq!(record["in_iface"], line.beside(Spot::Client), "{record}");
            // The last acknowledgement may come after the end of the run.
            let state = record["tcp"]["state"].as_str();
            assert!(["closed", "time_wait", "last_ack"].map(Some).contains(&state), "{record}");
        }
        let counters = counters(&folder);
        assert_eq!(counters["capture"]["kernel_drops"], 0);
        assert_eq!(counters["capture"]["afpacket"]["send_errors"], 0);
        assert_eq!(counters["tcp"]["reassembly_gap"], 0);
        // Offloads stayed on: frames are longer than any cable takes.
        assert!(counters["decoder"]["max_pkt_size"].as_u64() > Some(10_000), "{}", counters["decoder"]);
    }
}

#[test]
fn a_flow_is_dropped_alone() {
    let Some(line) = Line::lay("drp") else { return };
    let body = Arc::new(b"hello".to_vec());
    let rule = "drop http any any -> any any (http.uri; content:\"/evil\"; sid:1;)";
    for (mode, passes) in [("ips", false), ("tap", true)] {
        let folder = Folder::new(&format!("between-drop-{mode}"));
        let configuration = folder.write("pair.yaml", configuration(&line, mode));
        let rules = folder.write("drop.rules", rule);
        let run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "2", "-S", &rules]);
        let server = Server::start(listener(&line), 3, Arc::clone(&body));
        assert_eq!(ask(&line, "/good", PATIENCE).expect("an answer"), *body);
        let patience = if passes { PATIENCE } else { SILENCE };
        assert_eq!(ask(&line, "/evil", patience).is_ok(), passes, "{mode}");
        assert_eq!(ask(&line, "/better", PATIENCE).expect("an answer"), *body);
        server.end();
        assert_eq!(run.end(Signal::INT).0, Some(0));
        let drops = folder.records("drop");
        assert_eq!(!drops.is_empty(), !passes, "{drops:?}");
        let alert = &folder.records("alert")[0];
        assert_eq!(alert["alert"]["action"], if passes { "allowed" } else { "blocked" });
        let ips = &counters(&folder)["ips"];
        match passes {
            true => assert!(ips.is_null(), "{ips}"),
            false => {
                assert!(ips["blocked"].as_u64() > Some(1) && ips["accepted"].as_u64() > Some(10), "{ips}");
                assert_eq!(ips["drop_reason"]["rules"], 1, "{ips}");
            }
        }
    }
}

/// A datagram in fragments, of which the last one comes again and again.
#[test]
fn a_datagram_in_fragments_is_held_back_however_often_its_end_comes() {
    let Some(line) = Line::lay("frg") else { return };
    let folder = Folder::new("between-fragments");
    let configuration = folder.write("pair.yaml", configuration(&line, "ips"));
    let rules = folder.write("drop.rules", "drop udp any any -> any any (content:\"evil\"; sid:1;)");
    let run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "1", "-S", &rules]);
    let server = line.at(Spot::Server, || UdpSocket::bind("10.9.0.2:9").expect("a socket"));
    server.set_read_timeout(Some(PATIENCE)).expect("a time");
    let datagram = |id: u16, text: &str| {
        let payload = [&[b'.'; 2000][..], text.as_bytes()].concat();
        let frame = Frame::ethernet().macs([2, 0, 0, 0, 0, 1], [0xff; 6]);
        let whole = frame.ipv4("10.9.0.1", "10.9.0.2").udp(9, 9).ip_id(id).payload(payload).build();
        fragment_ipv4(&whole[14..], 800).iter().map(|part| [&whole[..14], part].concat()).collect::<Vec<_>>()
    };
    let (evil, good) = (datagram(1, "evil"), datagram(2, "good"));
    let ends = std::iter::repeat_n(&evil[evil.len() - 1], 4);
    line.send(Spot::Client, evil.iter().chain(ends).chain(&good).map(Vec::as_slice));
    let mut room = [0; 4000];
    let length = server.recv(&mut room).expect("what is good comes");
    assert!(room[..length].ends_with(b"good"));
    assert_eq!(run.end(Signal::INT).0, Some(0));
    assert_eq!(
        counters(&folder)["ips"]["blocked"],
        6,
        "the datagram, its end, and each time that comes again"
    );
}

#[test]
fn who_is_told_of_a_refusal() {
    let Some(line) = Line::lay("rej") else { return };
    for (action, refused) in [("reject", "client"), ("rejectdst", "server"), ("rejectboth", "both")] {
        let folder = Folder::new(&format!("between-{action}"));
        let configuration = folder.write("pair.yaml", configuration(&line, "ips"));
        let rules = folder.write(
            "reject.rules",
            format!(
                "{action} http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n\
                 {action} tcp any any -> any 81 (flags:S; sid:2;)\n{action} udp any any -> any 7 (sid:3;)\n"
            ),
        );
        let run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "2", "-S", &rules]);
        let to_client = refused != "server";
        // In the middle of a connection.
        let listener = listener(&line);
        let (accepts, is_accepted) = mpsc::channel();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().expect("a client");
            accepts.send(()).expect("the client waits");
            let patience = if refused == "client" { SILENCE } else { PATIENCE };
            client.set_read_timeout(Some(patience)).expect("a timeout");
            client.read(&mut [0; 64]).expect_err("no request").kind()
        });
        let patience = if to_client { PATIENCE } else { SILENCE };
        // What the handshake lost is sent again until something is refused: the request waits for its end.
        let stream = line.at(Spot::Client, || {
            TcpStream::connect_timeout(&SERVER.parse().expect("an address"), PATIENCE).expect("a connection")
        });
        is_accepted.recv().expect("the server accepts");
        let error = ask_on(stream, "/evil", patience).expect_err("no answer").kind();
        assert_eq!(error == ErrorKind::ConnectionReset, to_client, "{action}: {error}");
        let error = server.join().expect("the server ends");
        assert_eq!(error == ErrorKind::ConnectionReset, refused != "client", "{action}: {error}");
        // At its beginning.
        let outcome = line.at(Spot::Client, || {
            TcpStream::connect_timeout(&"10.9.0.2:81".parse().expect("an address"), patience)
        });
        let error = outcome.expect_err("no connection").kind();
        assert_eq!(error == ErrorKind::ConnectionRefused, to_client, "{action}: {error}");
        // Without one: who listens to a port is told by ICMP.
        let server = line.at(Spot::Server, || {
            let server = UdpSocket::bind("10.9.0.2:7").expect("a socket");
            server.connect("10.9.0.1:7").expect("a peer");
            let patience = if refused == "client" { SILENCE } else { PATIENCE };
            server.set_read_timeout(Some(patience)).expect("a timeout");
            server
        });
        let outcome = line.at(Spot::Client, || {
            let client = UdpSocket::bind("10.9.0.1:7").expect("a socket");
            client.connect("10.9.0.2:7").expect("a peer");
            client.set_read_timeout(Some(patience)).expect("a timeout");
            client.send(b"x").expect("it is sent");
            client.recv(&mut [0; 8]).expect_err("no answer").kind()
        });
        assert_eq!(outcome == ErrorKind::HostUnreachable, to_client, "{action}: {outcome}");
        let outcome = server.recv(&mut [0; 8]).expect_err("no datagram").kind();
        assert_eq!(outcome == ErrorKind::HostUnreachable, refused != "client", "{action}: {outcome}");
        assert_eq!(run.end(Signal::INT).0, Some(0));
        let ips = &counters(&folder)["ips"];
        assert!(ips["rejected"].as_u64() >= Some(3), "{ips}");
    }
}

#[test]
fn a_bypassed_flow_is_forwarded_unread() {
    let Some(line) = Line::lay("byp") else { return };
    let body = Arc::new(body(LONG));
    let folder = Folder::new("between-bypass");
    let configuration = folder.write("pair.yaml", configuration(&line, "ips"));
    let rules = folder.write(
        "bypass.rules",
        "pass http any any -> any any (http.uri; content:\"/bulk\"; bypass; sid:1;)\n\
         drop tcp any 80 -> any any (dsize:>0; sid:2;)\n",
    );
    let run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "2", "-S", &rules]);
    let server = Server::start(listener(&line), 2, Arc::clone(&body));
    assert!(ask(&line, "/bulk", PATIENCE).expect("an answer") == *body);
    assert!(ask(&line, "/other", SILENCE).is_err());
    server.end();
    assert_eq!(run.end(Signal::INT).0, Some(0));
    let bypassed = &counters(&folder)["flow_bypassed"];
    assert!(bypassed["local_bytes"].as_u64() > Some(LONG as u64), "{bypassed}");
}

#[test]
fn what_is_replaced_is_received() {
    let Some(line) = Line::lay("rep") else { return };
    let folder = Folder::new("between-replace");
    let configuration = folder.write("pair.yaml", configuration(&line, "ips"));
    let rules = folder.write(
        "replace.rules",
        "alert tcp any 80 -> any any (content:\"secret\"; content:\"word\"; distance:1; replace:\"leaf\"; sid:1;)\n\
         alert udp any any -> any 7 (content:\"secret\"; replace:\"public\"; sid:2;)\n",
    );
    let run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "2", "-S", &rules]);
    let server = Server::start(listener(&line), 1, Arc::new(b"a word, a secret word".to_vec()));
    assert_eq!(ask(&line, "/", PATIENCE).expect("an answer"), b"a word, a secret leaf");
    server.end();
    let receiver = line.at(Spot::Server, || UdpSocket::bind("10.9.0.2:7").expect("a socket"));
    receiver.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    line.at(Spot::Client, || {
        let client = UdpSocket::bind("10.9.0.1:7").expect("a socket");
        client.send_to(b"no secrets", "10.9.0.2:7").expect("it is sent");
    });
    let mut got = [0; 16];
    let length = receiver.recv(&mut got).expect("a datagram");
    assert_eq!(&got[..length], b"no publics");
    assert_eq!(run.end(Signal::INT).0, Some(0));
    // What is sent once more is replaced once more.
    assert!(counters(&folder)["ips"]["replaced"].as_u64() >= Some(2));
    assert!(folder.records("alert").len() >= 2);
}

#[test]
fn what_cannot_be_sent_is_told() {
    let Some(line) = Line::lay("uns") else { return };
    let folder = Folder::new("between-unsent");
    let configuration = folder.write("pair.yaml", configuration(&line, "ips"));
    let mut run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "1"]);
    line.ip(&format!("link set {} down", line.beside(Spot::Server)));
    run.logged("went down");
    // Nobody answers who has that address.
    let outcome = line.at(Spot::Client, || {
        TcpStream::connect_timeout(&SERVER.parse().expect("an address"), SILENCE).map(drop)
    });
    assert!(outcome.is_err());
    let (code, said) = run.end(Signal::INT);
    assert!(code == Some(0) && said.contains("packets could not be sent"), "{said}");
    assert!(counters(&folder)["capture"]["afpacket"]["send_errors"].as_u64() > Some(0));
}

#[test]
fn pairs_that_cannot_forward_are_refused() {
    let folder = Folder::new("between-refused");
    let entry = |name: &str, rest: &str| format!("  - {{interface: {name}{rest}}}\n");
    let ips = |peer: &str| format!(", copy-mode: ips, copy-iface: {peer}");
    for (entries, part) in [
        (entry("a", ", copy-mode: ips"), "has no copy-iface"),
        (entry("a", &ips("a")), "its copy-iface is itself"),
        (entry("a", &ips("b")), "its copy-iface b is not listened on"),
        (entry("a", &ips("b")) + &entry("b", ""), "its copy-iface b does not forward to it"),
        (
            entry("a", &ips("b")) + &entry("b", ", copy-mode: tap, copy-iface: a"),
            "needs `copy-iface: a`, and the same copy-mode",
        ),
        (
            entry("a", &format!("{}, threads: 2", ips("b")))
                + &entry("b", &format!("{}, threads: 3", ips("a"))),
            "it has 2 threads, its copy-iface b has 3",
        ),
        (
            ["a", "b"]
                .map(|own| {
                    let peer = if own == "a" { "b" } else { "a" };
                    entry(own, &format!("{}, threads: 2, cluster-type: cluster_qm", ips(peer)))
                })
                .concat(),
            "several threads need `cluster-type: cluster_flow`",
        ),
        (
            ["a", "b"]
                .map(|own| {
                    let peer = if own == "a" { "b" } else { "a" };
                    entry(own, &format!("{}, threads: 2, cluster-id: 9", ips(peer)))
                })
                .concat(),
            "its copy-iface b has the same cluster-id 9",
        ),
        (entry("a", &ips("b")) + &entry("b", &ips("a")) + &entry("c", ""), "c has no `copy-mode: ips`"),
        (entry("a", ", copy-mode: bridge"), "one of none, ips, tap"),
    ] {
        let configuration = folder.write("pair.yaml", format!("%YAML 1.1\n---\naf-packet:\n{entries}"));
        let run = folder.weir(&["--af-packet", "-c", &configuration]);
        assert_eq!(run.code, 1, "{entries}");
        let said = run.said().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(part), "{entries}: {said}");
    }
}

#[test]
fn interfaces_that_come_back_forward_again() {
    let Some(line) = Line::lay("ret") else { return };
    let body = Arc::new(body(1 << 20));
    let folder = Folder::new("between-back");
    let configuration = folder.write("pair.yaml", configuration(&line, "ips"));
    let mut run = line.start(&folder, &["--af-packet", "-c", &configuration, "-t", "3"]);
    line.ip(&format!("link del {}", line.beside(Spot::Server)));
    for _ in 0..3 {
        run.logged("is gone");
    }
    line.connect(Spot::Server);
    line.address(Spot::Server, "10.9.0.2/24");
    for _ in 0..3 {
        run.logged("is back");
    }
    let server = Server::start(listener(&line), 2, Arc::clone(&body));
    for path in ["/one", "/two"] {
        assert!(ask(&line, path, PATIENCE).expect("an answer") == *body, "{path}");
    }
    server.end();
    assert_eq!(run.end(Signal::INT).0, Some(0));
    // Both directions of each were with one thread.
    assert_eq!(folder.records("http").len(), 2);
    assert!(folder.records("flow").iter().all(|record| record["tcp"]["tcp_flags_tc"] != "00"));
}
