//! Rows of policy scripts, and of base scripts on the run.

use weir_applayer::zeek::{
    Handshake, News, Script, ServerCertificate, Software, SoftwareHost, ZeekHabit, ZeekNotice,
};
use weir_base::{Direction, Duration};
use weir_testkit::tcp_flags::{ACK, FIN, RST, SYN};

use super::*;

/// The rows of a log, by these columns, a word for each.
fn cells(logs: &HashMap<String, String>, log: &str, columns: &[&str]) -> Vec<String> {
    let text = logs.get(log).map_or("", String::as_str);
    let row = |row: serde_json::Value| {
        let words = columns.iter().map(|name| row[*name].to_string().replace('"', ""));
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(json).map(row).collect()
}

fn loaded(
    name: &str,
    scripts: &[&str],
    write: impl FnOnce(&mut Observer, &mut Outlets),
) -> HashMap<String, String> {
    logs_with(name, ZeekEncoding::Json, scripts, write)
}

#[test]
fn hosts_and_services_of_the_site() {
    let scripts = ["protocols/conn/known-hosts", "protocols/conn/known-services"];
    let http = |second| {
        let ends = Conversation::new("10.0.0.1:40000", "10.0.0.2:80").at(Timestamp::new(second, 0));
        ends.handshake().client_sends("GET").frames()
    };
    let (first, day_after) = (1_700_000_000, 1_700_090_000);
    let away = Conversation::new("8.8.8.8:40000", "9.9.9.9:80").handshake().close().frames();
    let silent = |second| {
        let ends = Conversation::new("10.0.0.1:40000", "10.0.0.3:80").at(Timestamp::new(second, 0));
        ends.segment(Direction::ToServer, SYN, b"").frames()
    };
    // Connections whose handshakes were not seen: one answers, the other refuses.
    let middle = |port: u16, flags| {
        let ends = Conversation::new("10.0.0.1:40000", &format!("10.0.0.4:{port}"));
        let ends = ends.at(Timestamp::new(first, 0)).segment(Direction::ToServer, ACK | FIN, b"");
        ends.segment(Direction::ToClient, flags, b"").frames()
    };
    let logs = loaded("inventory", &scripts, |worker, out| {
        let frames = [
            http(first),
            away,
            silent(first),
            middle(80, ACK),
            middle(81, RST | ACK),
            http(first),
            http(day_after),
            silent(day_after + 400),
        ];
        let frames = frames.concat();
        feed(worker, &frames, out);
    });
    assert_eq!(cells(&logs, "known_hosts", &["host"]), ["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.2"]);
    let columns = ["host", "port_num", "port_proto", "service"];
    let services = ["10.0.0.4 80 tcp []", "10.0.0.2 80 tcp []", "10.0.0.2 80 tcp []"];
    assert_eq!(cells(&logs, "known_services", &columns), services);
    let logs = loaded("no_inventory", &[], |worker, out| feed(worker, &http(first), out));
    assert!(!logs.contains_key("known_hosts") && !logs.contains_key("known_services"));
}

struct Talker;

impl ZeekLogger for Talker {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let direction = news.transaction.meta().only.unwrap_or(Direction::ToServer);
        let is_client = direction == Direction::ToServer;
        let kind = if is_client { "HTTP::BROWSER" } else { "HTTP::SERVER" };
        if sink.has(Script::HttpSoftware) {
            for text in ["tool/1.2-x", "tool/1.2-x", "tool/1.3"] {
                sink.software(&Software {
                    kind,
                    host: SoftwareHost::sender(direction),
                    text: text.as_bytes(),
                });
            }
        }
        if sink.has(Script::FtpDetection) {
            let notice = ZeekNotice { note: "FTP::Site_Exec_Success", message: "ran", identifier: b"once" };
            sink.notice(&notice);
            sink.notice(&notice);
        }
        if sink.has(Script::SshGuessing) {
            sink.habit(&KNOCKS);
        }
        if sink.has(Script::KnownCertificates) || sink.has(Script::WeakKeys) {
            let certificate = ServerCertificate {
                fingerprint: "f1",
                subject: b"CN=a",
                issuer: b"CN=b",
                serial: "01",
                validity: (Timestamp::new(0, 0), Timestamp::new(1_600_000_000, 0)),
                key_type: Some("rsa"),
                key_length: Some(1024),
            };
            let handshake = Handshake {
                established: true,
                version: Some((0x0300, "SSLv3")),
                cipher: Some("TLS_RSA_WITH_RC4_128_SHA"),
                certificate: Some(certificate),
            };
            sink.handshake(&handshake);
            sink.handshake(&Handshake { established: false, ..handshake });
        }
    }
}

static TALK: ZeekLogs = ZeekLogs {
    streams: &[],
    more: &[],
    from_start: false,
    confirms: false,
    events: None,
    open: |_| Box::new(Talker),
};

fn talked(name: &str, scripts: &[&str]) -> HashMap<String, String> {
    loaded(name, scripts, |worker, out| {
        let frames = Conversation::new("10.0.0.1:40000", "10.0.0.2:443").handshake().frames();
        feed(worker, &frames, out);
        let mut flow = worker.flow(worker.connection(0).unwrap()).unwrap();
        flow.open_logs("talk", &TALK, &NoOptions);
        for direction in [Direction::ToServer, Direction::ToClient] {
            let mut exchange = exchange(FileState::Open);
            exchange.meta.only = Some(direction);
            worker.transaction(&mut flow, &exchange, false, &mut out.at(AT));
        }
    })
}

#[test]
fn software_and_certificates() {
    let logs = talked("talked", &["protocols/http/software", "protocols/ssl/known-certs"]);
    let columns = ["host", "host_p", "software_type", "name", "version.minor", "version.addl"];
    assert_eq!(
        cells(&logs, "software", &columns),
        [
            "10.0.0.1 null HTTP::BROWSER tool 2 x",
            "10.0.0.1 null HTTP::BROWSER tool 3 null",
            "10.0.0.2 443 HTTP::SERVER tool 2 x",
            "10.0.0.2 443 HTTP::SERVER tool 3 null",
        ]
    );
    let columns = ["host", "port_num", "subject", "issuer_subject", "serial"];
    assert_eq!(cells(&logs, "known_certs", &columns), ["10.0.0.2 443 CN=a CN=b 01"]);
    assert!(!logs.contains_key("notice"));
}

static KNOCKS: ZeekHabit = ZeekHabit {
    note: "SSH::Password_Guessing",
    epoch: Duration::from_secs(60),
    limit: 2,
    message: |host, times| format!("{host}, {times} times"),
};

#[test]
fn notices_of_what_connections_did() {
    let scripts = ["protocols/ftp/detect", "protocols/ssh/detect-bruteforcing"];
    assert_eq!(
        cells(&talked("did", &scripts), "notice", &["note", "msg", "sub", "src", "dst", "id.orig_p", "p"]),
        [
            "FTP::Site_Exec_Success ran null 10.0.0.1 10.0.0.2 40000 443",
            "SSH::Password_Guessing 10.0.0.1, 2 times Sampled servers:  10.0.0.2, 10.0.0.2 10.0.0.1 null null null",
        ]
    );
}

#[test]
fn notices_of_tls() {
    let logs = talked("notices", &["protocols/ssl/expiring-certs", "protocols/ssl/weak-keys"]);
    assert_eq!(
        cells(&logs, "notice", &["note", "msg", "proto", "src", "p", "suppress_for"]),
        [
            "SSL::Certificate_Expired Certificate CN=a expired at 2020-09-13-12:26:40.000000 tcp 10.0.0.1 443 86400.0",
            "SSL::Old_Version Host uses protocol version SSLv3 which is lower than the safe minimum TLSv10 tcp 10.0.0.1 443 86400.0",
            "SSL::Weak_Cipher Host established connection using unsafe cipher suite TLS_RSA_WITH_RC4_128_SHA tcp 10.0.0.1 443 86400.0",
            "SSL::Weak_Key Host uses weak certificate with 1024 bit key tcp 10.0.0.1 443 86400.0",
        ]
    );
}

#[test]
fn an_oddity_that_is_worth_a_notice() {
    let odd = |port| {
        Conversation::new(&format!("10.0.0.1:{port}"), "10.0.0.2:80")
            .sequence_numbers(1001, 1)
            .segment(Direction::ToServer, ACK, b"")
            .sequence_numbers(1000, 1)
            .segment(Direction::ToServer, SYN, b"")
            .frames()
    };
    let logs = loaded("weird_notice", &[], |worker, out| {
        feed(worker, &[odd(40000), odd(40001)].concat(), out);
    });
    assert_eq!(cells(&logs, "notice", &["note", "msg"]), ["Weird::Activity SYN_after_partial"]);
    let rows = cells(&logs, "weird", &["name", "notice"]);
    assert_eq!(rows.iter().filter(|row| *row == "SYN_after_partial true").count(), 1, "{rows:?}");
}

#[test]
fn oddities_are_not_repeated() {
    let logs = loaded("weird_repeats", &[], |worker, out| {
        for (second, port) in [(0, 1), (1, 1), (2, 2), (601, 1)] {
            let start = Timestamp::new(1_700_000_000 + second, 0);
            let ends = Conversation::new(&format!("10.0.0.1:{port}"), "10.0.0.2:80").at(start);
            feed(worker, &ends.handshake().frames(), out);
            let mut flow = worker.flow(worker.connection(0).unwrap()).unwrap();
            flow.open_logs("sample", &LOGS, &NoOptions);
            worker.flow_end(&mut flow, &mut out.at(Position::new(start, 1)));
        }
    });
    assert_eq!(cells(&logs, "weird", &["name", "id.orig_p"]), ["odd 1", "odd 2", "odd 1"]);
}

#[test]
fn loss_is_what_was_acknowledged_and_not_seen() {
    let conversation = Conversation::new("10.0.0.1:40000", "10.0.0.2:80")
        .handshake()
        .client_sends("one")
        .loses(Direction::ToServer, 100)
        .client_sends("two");
    let logs = loaded("loss", &["misc/capture-loss", "misc/stats"], |worker, out| {
        feed(worker, &conversation.frames(), out);
    });
    let columns = ["peer", "gaps", "acks", "percent_lost"];
    assert_eq!(cells(&logs, "capture_loss", &columns), ["zeek 1 2 50.0"]);
    assert_eq!(
        cells(&logs, "notice", &["note", "msg"]),
        ["CaptureLoss::Too_Much_Loss The capture loss script detected an estimated loss rate above 50.000%"]
    );
    let columns = ["active_tcp_conns", "tcp_conns", "udp_conns"];
    assert_eq!(cells(&logs, "stats", &columns), ["0 0 0", "1 1 0"]);
}

#[test]
fn a_route_is_traced() {
    let (host, target) = ("10.0.0.1", "192.0.2.9");
    let frame = |number: u64, frame: Frame| TimedFrame {
        time: Timestamp::new(1_700_000_000 + number, 0),
        bytes: frame.build(),
    };
    let probe = || Frame::bare().ipv4(host, target).ttl(3).udp(40000, 33434).payload(b"probe");
    let mut frames =
        vec![frame(0, Frame::ethernet().ipv4(host, target).ttl(3).udp(40000, 33434).payload(b"probe"))];
    for router in 1..=4u64 {
        let answer = Frame::ethernet().ipv4(&format!("198.51.100.{router}"), host).icmpv4(11, 0, [0; 4]);
        frames.push(frame(router, answer.payload(probe().build())));
    }
    let logs = loaded("traced", &["misc/detect-traceroute"], |worker, out| feed(worker, &frames, out));
    let rows = cells(&logs, "traceroute", &["ts", "src", "dst", "proto"]);
    assert_eq!(rows, ["1700000003.0 10.0.0.1 192.0.2.9 udp"]);
    assert_eq!(
        cells(&logs, "notice", &["note", "msg", "src", "id.orig_h"]),
        ["Traceroute::Detected 10.0.0.1 seems to be running traceroute using udp 10.0.0.1 null"]
    );
}

#[test]
fn the_run_tells_of_its_filter_and_its_problems() {
    let logs = loaded("reported", &[], |worker, out| {
        feed(worker, &talk(), out);
        worker.finish_shared(
            Timestamp::new(1_700_000_009, 0),
            &["a.pcap ends early".to_owned()],
            Some("odd"),
            out,
        );
    });
    let columns = ["ts", "node", "filter", "init", "success"];
    assert_eq!(cells(&logs, "packet_filter", &columns), ["1700000000.0 zeek ip or not ip true true"]);
    let columns = ["ts", "level", "message"];
    assert_eq!(
        cells(&logs, "reporter", &columns),
        ["1700000009.0 Reporter::ERROR a.pcap ends early", "1700000009.0 Reporter::WARNING odd"]
    );
}

#[test]
fn rows_have_all_columns_that_scripts_add() {
    let scripts = ["misc/capture-loss", "frameworks/notice/community-id", "protocols/conn/vlan-logging"];
    let logs = logs_with("columns", ZeekEncoding::Tsv, &scripts, |worker, out| {
        // The notice of this is of no connection.
        let frame = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(5000, 6000).payload(b"x");
        feed(worker, &[TimedFrame { time: Timestamp::new(1, 0), bytes: frame.build() }], out);
    });
    for (log, columns) in [("notice", 27), ("conn", 24)] {
        let lines = logs[log].lines();
        let cells: Vec<usize> =
            lines.filter(|line| !line.starts_with('#')).map(|line| line.split('\t').count()).collect();
        assert_eq!(cells, [columns], "{log}");
    }
}
