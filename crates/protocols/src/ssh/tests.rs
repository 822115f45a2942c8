//! Conversations built here, through the parser, to fields, EVE records and Zeek rows.

use weir_applayer::file::FileSettings;
use weir_applayer::zeek::{FileFate, FilePart, Script, Software, WholeFile};
use weir_applayer::{
    Access, Endpoints, Options, Outcome, ParseContext, Parser, Progress, Request, ScriptValue, Transport,
    ZeekConnection, ZeekSink, ZeekStream, ZeekValue, downcast,
};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};

use super::SSH;
use super::anomaly::ANOMALIES;
use super::key_exchange::tests::build as offer;
use super::transaction::{BANNER_DONE, BANNER_WAIT_EOL, FINISHED, SshTransaction};

const UP: Direction = Direction::ToServer;
const DOWN: Direction = Direction::ToClient;

struct Settings(&'static [(&'static str, &'static str)]);

impl Options for Settings {
    fn text(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(key, _)| *key == path).map(|(_, value)| (*value).to_string())
    }
    fn children(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn complain(&self, path: &str, remedy: &str) {
        panic!("{path}: {remedy}");
    }
    fn rules_use(&self, field: &str) -> bool {
        self.text("rules-use").as_deref() == Some(field)
    }
}

fn endpoints(server_port: u16) -> Endpoints {
    Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 4000,
        server: [8, 8, 8, 8].into(),
        server_port,
        transport: Transport::Tcp,
    }
}

/// A parser, and the engine's part: what was not taken is kept and pushed again.
struct Engine {
    parser: Box<dyn Parser>,
    kept: [(Vec<u8>, usize); 2],
    clock: u64,
    as_zeek: bool,
    requests: Vec<Request>,
}

impl Engine {
    fn new(settings: &'static [(&'static str, &'static str)]) -> Self {
        let parser = (SSH.configure)(&Settings(settings)).open(&endpoints(22));
        Self {
            parser,
            kept: [(Vec::new(), 1), (Vec::new(), 1)],
            clock: 0,
            as_zeek: false,
            requests: Vec::new(),
        }
    }

    fn push(&mut self, direction: Direction, bytes: &[u8]) -> Outcome {
        self.clock += 1;
        let (kept, needed) = &mut self.kept[direction as usize];
        kept.extend_from_slice(bytes);
        if kept.len() < *needed {
            return Outcome::Ok;
        }
        let time = Timestamp::new(self.clock, 0);
        let mut cx = ParseContext {
            offset: 0,
            frames: None,
            endpoints: &endpoints(22),
            time,
            arrivals: &[(0, time)],
            files: &FileSettings::default(),
            as_zeek: self.as_zeek,
            order: &Turn::alone(),
            requests: &mut self.requests,
            anomalies: &mut Vec::new(),
        };
        let outcome = self.parser.data(&mut cx, direction, kept);
        match outcome {
            Outcome::Incomplete { consumed, needed: wanted } => {
                kept.drain(..consumed);
                assert!(wanted > kept.len(), "it would be asked again at once");
                *needed = wanted;
            }
            _ => (*kept, *needed) = (Vec::new(), 1),
        }
        outcome
    }

    fn talk(settings: &'static [(&'static str, &'static str)], pieces: &[(Direction, Vec<u8>)]) -> Self {
        let mut engine = Self::new(settings);
        for (direction, bytes) in pieces {
            assert_ne!(engine.push(*direction, bytes), Outcome::Error);
        }
        engine
    }

    fn tx(&self) -> &SshTransaction {
        downcast(self.parser.transaction(0).unwrap()).unwrap()
    }

    fn anomalies(&self) -> Vec<&'static str> {
        self.tx().meta.anomalies.iter().map(|anomaly| ANOMALIES[usize::from(anomaly.0)]).collect()
    }

    fn progress(&self) -> (Progress, Progress) {
        (self.tx().meta.progress[UP], self.tx().meta.progress[DOWN])
    }

    fn eve(&self) -> Option<serde_json::Value> {
        let writer = (SSH.eve.unwrap().configure)(&Settings(&[]));
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        let wrote = writer.write(self.tx(), &endpoints(22), &mut json);
        json.close_object();
        assert_eq!(wrote, writer.logs(self.tx()));
        wrote.then(|| serde_json::from_slice(&out).unwrap())
    }
}

fn packet(message: u8, body: &[u8]) -> Vec<u8> {
    let padding = [0; 5];
    let length = (2 + body.len() + padding.len()) as u32;
    [&length.to_be_bytes()[..], &[padding.len() as u8, message], body, &padding].concat()
}

fn kexinit(kex: &str, compression: &str) -> Vec<u8> {
    packet(20, &offer([kex, "ssh-rsa", "aes,chacha", "aes", "mac", "mac", compression, compression]))
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
}

fn greeting() -> Vec<(Direction, Vec<u8>)> {
    vec![(DOWN, b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n".to_vec()), (UP, b"SSH-2.0-OpenSSH_9.7\r\n".to_vec())]
}

fn secret() -> Vec<(Direction, Vec<u8>)> {
    [
        (DOWN, 900),
        (UP, 40),
        (DOWN, 44),
        (UP, 60),
        (DOWN, 52),
        (UP, 148),
        (DOWN, 52),
        (UP, 148),
        (DOWN, 28),
        (UP, 100),
    ]
    .map(|(direction, length)| (direction, vec![7; length]))
    .to_vec()
}

/// A conversation whose client is let in at the second attempt.
fn conversation(kex: &str, compression: &str) -> Vec<(Direction, Vec<u8>)> {
    let mut pieces = greeting();
    let groups = kex.starts_with("diffie-hellman-group-exchange-");
    pieces.extend([
        (UP, kexinit(&format!("x,{kex}"), compression)),
        (DOWN, kexinit(&format!("{kex},y"), compression)),
        (UP, packet(30, b"part")),
        (DOWN, packet(31, &if groups { sized(b"prime") } else { sized(b"the key") })),
    ]);
    if groups {
        pieces.push((DOWN, packet(33, &sized(b"the key"))));
    }
    pieces.extend([(DOWN, packet(21, b"")), (UP, packet(21, b""))]);
    pieces.extend(secret());
    pieces
}

#[test]
fn states() {
    let pieces = conversation("curve", "none");
    let mut engine = Engine::new(&[]);
    let seen: Vec<_> = pieces
        .iter()
        .map(|(direction, bytes)| {
            assert_ne!(engine.push(*direction, bytes), Outcome::Error);
            engine.progress()
        })
        .collect();
    let start = Progress(0);
    let mut expected = vec![(start, BANNER_DONE)];
    expected.extend([(BANNER_DONE, BANNER_DONE); 6]);
    expected.extend([(FINISHED, FINISHED); 11]);
    assert_eq!(seen, expected);
    assert_eq!(engine.anomalies(), Vec::<&str>::new());
}

#[test]
fn eve_with_and_without_fingerprints() {
    let pieces = conversation("curve", "none");
    let plain = Engine::talk(&[], &pieces).eve().unwrap();
    assert_eq!(plain["client"]["proto_version"], "2.0");
    assert_eq!(plain["client"]["software_version"], "OpenSSH_9.7");
    assert_eq!(plain["server"]["software_version"], "OpenSSH_9.2p1");
    assert!(plain["client"].get("hassh").is_none());
    for settings in [&[("hassh", "yes")][..], &[("rules-use", "ssh.hassh.server.string")]] {
        let record = Engine::talk(settings, &pieces).eve().unwrap();
        assert_eq!(record["client"]["hassh"]["string"], "x,curve;aes,chacha;mac;none");
        assert_eq!(record["server"]["hassh"]["string"], "curve,y;aes;mac;none");
        assert_eq!(record["server"]["hassh"]["hash"].as_str().map(str::len), Some(32));
    }
    assert_eq!(Engine::talk(&[], &[(UP, b"SSH".to_vec())]).eve(), None);
}

#[test]
fn records_wait_for_fingerprints() {
    use weir_applayer::Transaction;
    for (settings, expected) in [(&[][..], true), (&[("hassh", "yes")], false), (&[("hassh", "no")], true)] {
        let engine = Engine::talk(settings, &greeting());
        assert_eq!(engine.tx().record_is_ready(), expected, "{settings:?}");
    }
    assert!(Engine::talk(&[("hassh", "yes")], &conversation("curve", "none")).tx().record_is_ready());
}

#[test]
fn encryption_handling() {
    let (up, down) = (Request::StopParsing(UP), Request::StopParsing(DOWN));
    let all = vec![Request::StopInspection, up.clone(), down.clone(), Request::Encrypted];
    let shown =
        |requests: &[Request]| requests.iter().map(|request| format!("{request:?}")).collect::<Vec<_>>();
    for (handling, expected) in
        [("track-only", vec![Request::StopStreamInspection, up.clone()]), ("full", vec![up]), ("bypass", all)]
    {
        let settings: &'static [_] = match handling {
            "full" => &[("encryption-handling", "full")],
            "bypass" => &[("encryption-handling", "bypass")],
            _ => &[("encryption-handling", "track-only")],
        };
        let engine = Engine::talk(settings, &conversation("curve", "none"));
        let mut wishes = shown(&engine.requests);
        wishes.retain(|wish| !wish.starts_with("InspectStream"));
        wishes.dedup();
        let known = shown(&expected);
        assert_eq!(wishes.get(..known.len()), Some(&known[..]), "{handling}");
        assert!(wishes.contains(&shown(std::slice::from_ref(&down))[0]), "{handling}");
        assert!(!engine.tx().followed, "{handling}");
    }
}

#[test]
fn anomalies_by_name() {
    let long = [b"SSH-2.0-", &[b'a'; 300][..]].concat();
    let ended = [&long[..], b"\r\n"].concat();
    let cases: &[(Direction, &[u8], Outcome, &[&str])] = &[
        (UP, b"GET / HTTP/1.0\r\n", Outcome::Error, &["invalid_banner"]),
        (UP, b"SSH-2.0\r\n", Outcome::Error, &["invalid_banner"]),
        (DOWN, b"Go away\r\nSSH-2.0-x\r\n", Outcome::Ok, &["invalid_banner"]),
        (DOWN, &[b'a'; 9000], Outcome::Error, &["invalid_banner"]),
        (UP, &long, Outcome::Ok, &["long_banner"]),
        (UP, &ended, Outcome::Ok, &["long_banner"]),
        (UP, b"SSH-2.0-x\r\n\0\0\0\x01\0\x14", Outcome::Error, &["invalid_record"]),
        (UP, b"SSH-2.0-x\r\n\0\x02\0\x01\0\x15", Outcome::Error, &["invalid_record"]),
        (UP, b"SSH-2.0-x\r\n\0\x02\0\x01\0\x14abc", Outcome::Ok, &["long_kex_record"]),
        (UP, b"SSH-1.5-x\r\n\0\0\0\x01\0\x14", Outcome::Ok, &[]),
        (UP, b"SSH-2.0-x\r\n\0\0\0\x0c\x01\x02abcdefghij", Outcome::Ok, &[]),
    ];
    for (direction, bytes, outcome, expected) in cases {
        let mut engine = Engine::new(&[]);
        assert_eq!(engine.push(*direction, bytes), *outcome, "{bytes:?}");
        assert_eq!(engine.anomalies(), *expected, "{bytes:?}");
    }
}

#[test]
fn a_banner_without_end() {
    let mut engine = Engine::new(&[]);
    for (bytes, expected) in [
        (&[b"SSH-2.0-", &[b'a'; 300][..]].concat()[..], BANNER_WAIT_EOL),
        (b"more", BANNER_WAIT_EOL),
        (b"end\r\n\0\0\0\x0c\x01\x02abcdefghij", BANNER_DONE),
    ] {
        assert_eq!(engine.push(UP, bytes), Outcome::Ok);
        assert_eq!(engine.progress().0, expected);
    }
    assert_eq!(engine.push(UP, &kexinit("a", "none")), Outcome::Ok);
    assert!(engine.tx().sides[UP].offer.is_some());
}

#[test]
fn any_segmentation_gives_the_same_transaction() {
    let mut pieces = vec![(DOWN, b"Hello\r\nyou\r\n".to_vec())];
    pieces.extend(conversation("diffie-hellman-group-exchange-sha256", "none"));
    pieces.truncate(10);
    let facts = |engine: &Engine| {
        let tx = engine.tx();
        let [up, down] =
            [&tx.sides[UP], &tx.sides[DOWN]].map(|side| (side.banner.clone(), side.offer.clone()));
        (engine.anomalies(), engine.progress(), up, down, tx.host_key.clone())
    };
    let whole = Engine::talk(&[], &pieces);
    assert_eq!(whole.tx().host_key.as_deref(), Some(&b"the key"[..]));
    for step in [1, 2, 3, 5, 7, 64, 500] {
        let mut engine = Engine::new(&[]);
        for (direction, bytes) in &pieces {
            for piece in bytes.chunks(step) {
                assert_ne!(engine.push(*direction, piece), Outcome::Error);
            }
        }
        assert_eq!(facts(&engine), facts(&whole), "pieces of {step}");
    }
}

#[test]
fn fields_and_scripts_of_both_directions() {
    let engine = Engine::talk(&[], &conversation("curve", "none"));
    let cases: &[(&str, Direction, &[u8])] = &[
        ("ssh.proto", UP, b"2.0"),
        ("ssh.proto", DOWN, b"2.0"),
        ("ssh.software", UP, b"OpenSSH_9.7"),
        ("ssh.software", DOWN, b"OpenSSH_9.2p1"),
        ("ssh.hassh.string", UP, b"x,curve;aes,chacha;mac;none"),
        ("ssh.hassh.server.string", DOWN, b"curve,y;aes;mac;none"),
    ];
    for (name, direction, expected) in cases {
        let field = SSH.fields.iter().find(|field| field.name == *name).unwrap();
        let Access::Bytes(read) = field.access else { panic!("{name}") };
        assert!(field.direction.covers(*direction));
        assert_eq!(read(engine.tx(), *direction), Some(*expected), "{name}");
    }
    let ask = |engine: &Engine, name: &str| {
        let method = SSH.scripts[0].methods.iter().find(|method| method.name == name).unwrap();
        (method.call)(engine.tx(), None)
    };
    let text = |text: &str| vec![ScriptValue::Bytes(text.as_bytes().to_vec())];
    for (name, expected) in [
        ("client_proto", "2.0"),
        ("server_proto", "2.0"),
        ("client_software", "OpenSSH_9.7"),
        ("server_software", "OpenSSH_9.2p1"),
        ("client_hassh_string", "x,curve;aes,chacha;mac;none"),
        ("server_hassh_string", "curve,y;aes;mac;none"),
    ] {
        assert_eq!(ask(&engine, name), text(expected), "{name}");
    }
    let without = Engine::talk(&[("hassh", "no")], &conversation("curve", "none"));
    assert_eq!(ask(&without, "client_hassh"), [ScriptValue::Nil]);
}

/// Keeps rows, oddities and software as text.
#[derive(Default)]
struct Rows(Vec<String>);

impl ZeekSink for Rows {
    fn row(
        &mut self,
        stream: &'static ZeekStream,
        _: &ZeekConnection<'_>,
        ts: Timestamp,
        values: &[ZeekValue<'_>],
    ) {
        assert_eq!(stream.columns.len(), values.len());
        let columns = stream.columns.iter().zip(values);
        let shown = columns.filter_map(|((name, _), value)| Some(format!(" {name}={}", shown(value)?)));
        self.0.push(format!("{} {}:{}", stream.name, ts.seconds(), shown.collect::<String>()));
    }
    fn weird(&mut self, _: &ZeekConnection<'_>, _: Timestamp, name: &str, about: Option<&str>) {
        self.0.push(format!("{name}: {}", about.unwrap_or_default()));
    }
    fn file_part(&mut self, _: &ZeekConnection<'_>, _: &[u8], _: &weir_applayer::File) -> FilePart {
        FilePart::default()
    }
    fn file(&mut self, _: &ZeekConnection<'_>, _: &weir_applayer::File, _: FileFate) -> String {
        String::new()
    }
    fn whole_file(&mut self, _: &ZeekConnection<'_>, _: &WholeFile<'_>) -> String {
        String::new()
    }
    fn is_local(&self, address: std::net::IpAddr) -> bool {
        address == std::net::IpAddr::from([10, 0, 0, 1])
    }
    fn has(&self, script: Script) -> bool {
        script == Script::SshSoftware
    }
    fn software(&mut self, _: &ZeekConnection<'_>, found: &Software<'_>) {
        self.0.push(format!("{} {}", found.kind, String::from_utf8_lossy(found.text)));
    }
    fn service(&mut self, _: &ZeekConnection<'_>, service: &'static str) {
        if self.0.last().is_none_or(|last| last != service) {
            self.0.push(service.to_owned());
        }
    }
}

fn shown(value: &ZeekValue<'_>) -> Option<String> {
    Some(match value {
        ZeekValue::Unset => return None,
        ZeekValue::Bool(truth) => truth.to_string(),
        ZeekValue::Count(number) => number.to_string(),
        ZeekValue::String(text) => String::from_utf8_lossy(text).into_owned(),
        other => panic!("{other:?} is not in this log"),
    })
}

fn zeek_rows(port: u16, pieces: &[(Direction, Vec<u8>)]) -> Vec<String> {
    let ends = endpoints(port);
    let connection = ZeekConnection { endpoints: &ends, start: Timestamp::default(), uid: "C1" };
    let mut logger = (SSH.zeek.unwrap().open)(&Settings(&[]));
    let (mut rows, mut engine) = (Rows::default(), Engine::new(&[]));
    engine.as_zeek = true;
    for (index, (direction, bytes)) in pieces.iter().enumerate() {
        engine.push(*direction, bytes);
        logger.transaction(&connection, engine.tx(), *direction, index + 1 == pieces.len(), &mut rows);
    }
    logger.end(&connection, &mut rows);
    rows.0
}

#[test]
fn zeek_of_whole_conversations() {
    let software = ["SSH::SERVER OpenSSH_9.2p1 Debian-2", "SSH::CLIENT OpenSSH_9.7", "ssh"];
    let sides = "direction=OUTBOUND client=SSH-2.0-OpenSSH_9.7 server=SSH-2.0-OpenSSH_9.2p1 Debian-2";
    let key = "host_key_alg=ssh-rsa host_key_fingerprint=SHA256:OgqsRIMuVVKKg0/sc3eGyZnnuN6ovWAb";
    let cases = [
        ("curve", "none", "auth_success=true auth_attempts=2"),
        ("diffie-hellman-group-exchange-sha1", "none", "auth_success=true auth_attempts=2"),
        ("curve", "zlib", "auth_attempts=0"),
    ];
    for (kex, compression, authentication) in cases {
        let algorithms = format!("cipher_alg=aes mac_alg=mac compression_alg={compression} kex_alg={kex}");
        let row = format!("ssh 1: version=2 {authentication} {sides} {algorithms} {key}");
        let rows = zeek_rows(22, &conversation(kex, compression));
        assert_eq!(rows[..3], software, "{kex} {compression}");
        assert_eq!(rows[3..], [row], "{kex} {compression}");
    }
}

#[test]
fn zeek_of_other_beginnings() {
    let say = |direction, text: &str| (direction, text.as_bytes().to_vec());
    type Case<'a> = (u16, Vec<(Direction, Vec<u8>)>, &'a [&'a str]);
    let cases: &[Case<'_>] = &[
        (
            22,
            vec![say(DOWN, "SSH-2.0-x\r\n")],
            &["SSH::SERVER x", "ssh 1: auth_attempts=0 direction=OUTBOUND server=SSH-2.0-x"],
        ),
        (2222, vec![say(DOWN, "SSH-2.0-x\r\n")], &["SSH::SERVER x"]),
        (
            2222,
            vec![say(UP, "SSH-1.5-x\r\n"), say(DOWN, "SSH-1.5-y\r\n")],
            &[
                "SSH::CLIENT x",
                "SSH::SERVER y",
                "ssh 2: version=1 auth_attempts=0 direction=OUTBOUND client=SSH-1.5-x server=SSH-1.5-y",
            ],
        ),
        (
            22,
            vec![say(UP, "SSH-1.99-x\r\n"), say(DOWN, "SSH-2.0-y\r\n")],
            &[
                "SSH::CLIENT x",
                "SSH::SERVER y",
                "ssh 1: version=2 auth_attempts=0 direction=OUTBOUND client=SSH-1.99-x server=SSH-2.0-y",
            ],
        ),
        (
            22,
            vec![say(UP, "SSH-1.5-x\r\n"), say(DOWN, "SSH-2.0-y\r\n")],
            &[
                "SSH::CLIENT x",
                "SSH::SERVER y",
                "SSH_version_mismatch: SSH-2.0-y vs SSH-1.5-x",
                "ssh 1: auth_attempts=0 direction=OUTBOUND client=SSH-1.5-x server=SSH-2.0-y",
            ],
        ),
    ];
    for (port, pieces, expected) in cases {
        assert_eq!(zeek_rows(*port, pieces), *expected);
    }
}
