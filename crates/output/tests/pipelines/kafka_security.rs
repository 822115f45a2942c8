//! Against a node of Kafka that listens over TLS, with and without certificates of clients, and with each way to log in.

use std::fs;
use std::path::Path;

use weir_testkit::TestFolder;

use super::authority::Authority;
use super::kafka::Kafka;
use super::run::{Run, check_all, free_port, print_row, records, wait_until};

/// The listeners over TLS by their names, their protocols, and the certificate that each has.
const LISTENERS: [(&str, &str, &str); 5] = [
    ("SERVER", "SSL", "server"),
    ("MUTUAL", "SSL", "server"),
    ("EXPIRED", "SSL", "expired"),
    ("MISNAMED", "SSL", "misnamed"),
    ("LOGIN", "SASL_SSL", "server"),
];

/// A node, and the certificates of all.
struct Secured {
    kafka: Kafka,
    ports: Vec<u16>,
    authority: Authority,
    stranger: Authority,
    folder: TestFolder,
}

impl Secured {
    /// Starts one; `None`, told in a line, where something for it is not installed.
    fn start(name: &str) -> Option<Self> {
        let folder = TestFolder::new(name);
        let authority = Authority::make(&folder.join("own"))?;
        let stranger = Authority::make(&folder.join("stranger"))?;
        for (name, subject, days) in [
            ("server", "IP:127.0.0.1", 2),
            ("expired", "IP:127.0.0.1", -1),
            ("misnamed", "DNS:other.example", 2),
            ("client", "DNS:client", 2),
        ] {
            authority.sign(name, subject, days);
        }
        stranger.sign("client", "DNS:client", 2);
        let ports: Vec<u16> = LISTENERS.iter().map(|_| free_port()).collect();
        let listeners: Vec<_> = LISTENERS
            .iter()
            .zip(&ports)
            .map(|((name, protocol, _), port)| (*name, *protocol, *port))
            .collect();
        let own = folder.join("own");
        let mut settings = String::new();
        for (name, _, certificate) in LISTENERS {
            let prefix = format!("listener.name.{}", name.to_ascii_lowercase());
            let file = own.join(format!("{certificate}.pem")).display().to_string();
            settings += &format!("{prefix}.ssl.keystore.type=PEM\n{prefix}.ssl.keystore.location={file}\n");
        }
        settings += &format!(
            "listener.name.mutual.ssl.truststore.type=PEM\nlistener.name.mutual.ssl.truststore.location={}\n\
             listener.name.mutual.ssl.client.auth=required\n\
             listener.name.login.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n\
             listener.name.login.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
             user_weir=\"secret\";\n",
            authority.file().display()
        );
        for mechanism in ["scram-sha-256", "scram-sha-512"] {
            settings += &format!(
                "listener.name.login.{mechanism}.sasl.jaas.config=\
                 org.apache.kafka.common.security.scram.ScramLoginModule required;\n"
            );
        }
        let users =
            ["SCRAM-SHA-256", "SCRAM-SHA-512"].map(|kind| format!("{kind}=[name=weir,password=secret]"));
        let options = ["--add-scram", &users[0], "--add-scram", &users[1]];
        let kafka = Kafka::start_with(&folder.join("node"), &listeners, &settings, &options)?;
        Some(Self { kafka, ports, authority, stranger, folder })
    }

    fn port(&self, listener: &str) -> u16 {
        let place = LISTENERS.iter().position(|(name, ..)| *name == listener);
        place.map_or(self.kafka.port, |place| self.ports[place])
    }

    /// Lines of an `eve-log` to a listener, as `way` says.
    fn settings(&self, topic: &str, listener: &str, way: &Way<'_>, wait: u32) -> String {
        let mut lines = format!(
            "filetype: kafka\nspool:\n  wait-at-end: {wait}\nkafka:\n  brokers: 127.0.0.1:{}\n  topic: {topic}\n",
            self.port(listener)
        );
        let of =
            |authority: &Authority, name: &str| authority.file().with_file_name(name).display().to_string();
        if let Some(trusted) = way.trusted {
            let file = match trusted {
                Whose::Own => of(&self.authority, "ca.pem"),
                Whose::Stranger => of(&self.stranger, "ca.pem"),
                Whose::Nobody => of(&self.authority, "none.pem"),
            };
            lines += &format!("  tls:\n    enabled: yes\n    ca-file: {file}\n");
        }
        if let Some(client) = way.client {
            let authority = if client == Whose::Own { &self.authority } else { &self.stranger };
            let (certificate, key) = (of(authority, "client.crt"), of(authority, "client.key"));
            lines += &format!("    certificate: {certificate}\n    key: {key}\n");
        }
        if let Some((mechanism, password)) = way.login {
            lines += &format!(
                "  sasl:\n    mechanism: {mechanism}\n    username: weir\n    password: {password}\n"
            );
        }
        lines
    }
}

/// The authority whose certificates are trusted, or shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Stranger,
    /// A file that is not there.
    Nobody,
}

/// A way to connect and to log in.
#[derive(Clone, Copy)]
struct Way<'a> {
    trusted: Option<Whose>,
    client: Option<Whose>,
    login: Option<(&'a str, &'a str)>,
}

const PLAIN: Way<'_> = Way { trusted: None, client: None, login: None };
const TLS: Way<'_> = Way { trusted: Some(Whose::Own), ..PLAIN };
const CLIENT: Way<'_> = Way { client: Some(Whose::Own), ..TLS };

const fn login<'a>(mechanism: &'a str, password: &'a str) -> Way<'a> {
    Way { login: Some((mechanism, password)), ..TLS }
}

/// The node is killed in mid-stream each time.
#[test]
fn each_way_loses_nothing() {
    let Some(mut secured) = Secured::start("kafka-ways") else { return };
    for (number, (what, listener, way)) in [
        ("TLS", "SERVER", TLS),
        ("TLS, certificate of the client", "MUTUAL", CLIENT),
        ("TLS, PLAIN", "LOGIN", login("PLAIN", "secret")),
        ("TLS, SCRAM-SHA-256", "LOGIN", login("SCRAM-SHA-256", "secret")),
        ("TLS, SCRAM-SHA-512", "LOGIN", login("SCRAM-SHA-512", "secret")),
    ]
    .into_iter()
    .enumerate()
    {
        let topic = format!("eve{number}");
        let settings = secured.settings(&topic, listener, &way, 60);
        let mut run = Run::start(&secured.folder.join(&topic), &settings);
        let each = records(50_000) / 10;
        run.push(each);
        wait_until("half of the records arrive", || secured.kafka.count(&topic) >= each / 2);
        secured.kafka.kill();
        run.push(each);
        secured.kafka.up();
        let (_, pipeline, told) = run.finish();
        let again = check_all(&secured.kafka.list(&topic), 2 * each);
        print_row(&format!("Kafka over {what}, a kill"), 2 * each, again, &pipeline, None);
        assert_eq!((pipeline.sent, pipeline.lost, pipeline.left), (2 * each, 0, 0), "{what}: {told:?}");
    }
}

/// Each mistake is told with its remedy. Its records wait for a run without it, and are all there then.
#[test]
fn mistakes_are_told_and_records_wait() {
    let Some(secured) = Secured::start("kafka-mistakes") else { return };
    let trust = |trusted| Way { trusted: Some(trusted), ..PLAIN };
    let scram = login("SCRAM-SHA-512", "secret");
    for (number, (listener, way, cause, remedy, (mended_listener, mended))) in [
        (
            "LOGIN",
            login("PLAIN", "wrong"),
            "Authentication failed: Invalid username or password",
            "Correct mechanism, username and password of kafka.sasl",
            ("LOGIN", login("PLAIN", "secret")),
        ),
        (
            "LOGIN",
            login("SCRAM-SHA-512", "wrong"),
            "invalid credentials with SASL mechanism SCRAM-SHA-512",
            "Correct mechanism, username and password of kafka.sasl",
            ("LOGIN", scram),
        ),
        (
            "LOGIN",
            TLS,
            "broker might require SASL authentication",
            "Write mechanism, username",
            ("LOGIN", scram),
        ),
        (
            "SERVER",
            trust(Whose::Stranger),
            "invalid peer certificate: UnknownIssuer",
            "Name the certificate of the authority that signed the brokers' as kafka.tls.ca-file",
            ("SERVER", TLS),
        ),
        (
            "SERVER",
            trust(Whose::Nobody),
            "none.pem: No such file",
            "Correct ca-file, certificate",
            ("SERVER", TLS),
        ),
        (
            "EXPIRED",
            TLS,
            "invalid peer certificate: Expired",
            "Give the brokers a certificate that is in force",
            ("SERVER", TLS),
        ),
        (
            "MISNAMED",
            TLS,
            "invalid peer certificate: certificate not valid for name \"127.0.0.1\"",
            "has the names that kafka.brokers has",
            ("SERVER", TLS),
        ),
        ("MUTUAL", TLS, "SSL alert number", "Name a certificate that the brokers trust", ("MUTUAL", CLIENT)),
        (
            "MUTUAL",
            Way { client: Some(Whose::Stranger), ..TLS },
            "SSL alert number",
            "Name a certificate that the brokers trust",
            ("MUTUAL", CLIENT),
        ),
        (
            "SERVER",
            PLAIN,
            "connecting to a SSL listener?",
            "Write kafka.tls with enabled: yes",
            ("SERVER", TLS),
        ),
        ("PLAINTEXT", TLS, "SSL", "See whether the brokers' port is one with TLS", ("PLAINTEXT", PLAIN)),
    ]
    .into_iter()
    .enumerate()
    {
        let topic = format!("eve{number}");
        let folder = secured.folder.join(&topic);
        let mut run = Run::start(&folder, &secured.settings(&topic, listener, &way, 0));
        run.push(20);
        let away = run.next_told();
        println!("  {away}");
        assert!(away.contains(cause) && away.contains(remedy), "{topic}: {away}");
        assert!(away.contains("its records wait in"), "{away}");
        let (_, pipeline, _) = run.finish();
        assert_eq!((pipeline.sent, pipeline.lost, pipeline.left), (0, 0, 20), "{away}");
        let run = Run::start(&folder, &secured.settings(&topic, mended_listener, &mended, 60));
        let (_, pipeline, told) = run.finish();
        assert_eq!((pipeline.sent, pipeline.left, told), (20, 0, vec![]), "after: {away}");
        assert_eq!(check_all(&secured.kafka.list(&topic), 20), 0);
    }
}

/// The certificate is renewed while a run goes on, which then sends what waits.
#[test]
fn a_renewed_certificate_is_taken_by_the_same_run() {
    let Some(mut secured) = Secured::start("kafka-renewed") else { return };
    let settings = secured.settings("eve", "EXPIRED", &TLS, 60);
    let mut run = Run::start(&secured.folder.join("logs"), &settings);
    run.push(500);
    let away = run.next_told();
    assert!(away.contains("certificate: Expired"), "{away}");
    let own = |name: &str| secured.authority.file().with_file_name(name);
    copy(&own("server.pem"), &own("expired.pem"));
    secured.kafka.kill();
    run.push(500);
    secured.kafka.up();
    let back = run.next_told();
    assert!(back.contains("takes records again") && back.ends_with("records lost meanwhile: 0"), "{back}");
    let (_, pipeline, told) = run.finish();
    assert_eq!((pipeline.sent, pipeline.lost, pipeline.left, told), (1000, 0, 0, vec![]));
    assert_eq!(check_all(&secured.kafka.list("eve"), 1000), 0);
}

fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).expect("a copy");
}
