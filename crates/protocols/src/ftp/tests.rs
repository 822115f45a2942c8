//! Control connections and their data, through the parsers, to fields and records.

use std::net::IpAddr;
use std::sync::Arc;

use weir_applayer::file::FileSettings;
use weir_applayer::zeek::{Announced, FileFate, FilePart, SentFile, WholeFile};
use weir_applayer::{
    Access, Endpoints, File, FileState, NoOptions, Options, Outcome, ParseContext, Parser, Protocol, Request,
    Transport, ZeekConnection, ZeekSink, ZeekStream, ZeekValue, downcast,
};
use weir_base::{Direction, JsonWriter, Timestamp, Turn};

use super::anomaly::ANOMALIES;
use super::data::DataTransaction;
use super::transaction::{COMPLETE, FtpTransaction};
use super::{FTP, FTP_DATA};

const UP: Direction = Direction::ToServer;
const DOWN: Direction = Direction::ToClient;

struct Limits;

impl Options for Limits {
    fn text(&self, path: &str) -> Option<String> {
        matches!(path, "max-tx" | "max-line-length").then(|| "10".to_owned())
    }
    fn children(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn complain(&self, path: &str, remedy: &str) {
        panic!("{path}: {remedy}");
    }
}

/// A parser, and the engine's part: what was not taken is kept and pushed again.
struct Engine {
    parser: Box<dyn Parser>,
    kept: [Vec<u8>; 2],
    requests: Vec<Request>,
}

impl Engine {
    fn new(protocol: &Protocol, options: &dyn Options) -> Self {
        let parser = (protocol.configure)(options).open(&endpoints());
        Self { parser, kept: Default::default(), requests: Vec::new() }
    }

    /// The whole of [`TALK`].
    fn talk() -> Self {
        let mut engine = Self::new(&FTP, &NoOptions);
        for (direction, text) in TALK {
            assert_eq!(engine.push(*direction, text.as_bytes()), Outcome::Ok);
        }
        engine
    }

    fn context<T>(&mut self, act: impl FnOnce(&mut dyn Parser, &mut ParseContext<'_>) -> T) -> T {
        let time = Timestamp::new(1_000, 0);
        let mut cx = ParseContext {
            offset: 0,
            frames: None,
            endpoints: &endpoints(),
            time,
            arrivals: &[(0, time)],
            files: &FileSettings { enabled: true, content: true, ..FileSettings::default() },
            as_zeek: false,
            order: &Turn::alone(),
            requests: &mut self.requests,
            anomalies: &mut Vec::new(),
        };
        act(&mut *self.parser, &mut cx)
    }

    fn push(&mut self, direction: Direction, bytes: &[u8]) -> Outcome {
        let mut kept = std::mem::take(&mut self.kept[direction as usize]);
        kept.extend_from_slice(bytes);
        let outcome = self.context(|parser, cx| parser.data(cx, direction, &kept));
        if let Outcome::Incomplete { consumed, .. } = outcome {
            self.kept[direction as usize] = kept.split_off(consumed);
        }
        outcome
    }

    fn close(&mut self) {
        for direction in Direction::BOTH {
            self.context(|parser, cx| parser.close(cx, direction));
        }
    }

    fn eve(&self, id: u64) -> serde_json::Value {
        let protocol = self.parser.protocol();
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        let tx = self.parser.transaction(id).unwrap();
        assert!((protocol.eve.unwrap().configure)(&NoOptions).write(tx, &endpoints(), &mut json));
        json.close_object();
        serde_json::from_slice(&out).unwrap()
    }

    fn tx(&self, id: u64) -> &FtpTransaction {
        downcast(self.parser.transaction(id).unwrap()).unwrap()
    }
}

fn endpoints() -> Endpoints {
    Endpoints {
        client: [10, 0, 0, 1].into(),
        client_port: 4000,
        server: [10, 0, 0, 2].into(),
        server_port: 21,
        transport: Transport::Tcp,
    }
}

const TALK: &[(Direction, &str)] = &[
    (DOWN, "220-hello\r\n220 ready\r\n"),
    (UP, "USER bob\r\n"),
    (DOWN, "331 who\r\n"),
    (UP, "PORT 10,0,0,9,4,1\r\n"),
    (DOWN, "200 there\r\n"),
    (UP, "RETR a.txt\r\n"),
    (DOWN, "150 wait\r\n226 done\r\n"),
    (UP, "EPSV\r\n"),
    (DOWN, "229 go (|||4000|)\r\n"),
    (UP, "STOR b.txt\r\n"),
    (DOWN, "226 done\r\n"),
    (UP, "LIST\r\n"),
    (DOWN, "425 where\r\n"),
];

#[test]
fn commands_and_replies() {
    let engine = Engine::talk();
    let expected = [
        r#"{"completion_code":["220","220"],"reply":["hello","ready"],"reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"USER","command_data":"bob","command_truncated":false,"completion_code":["331"],"reply":["who"],"reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"PORT","command_data":"10,0,0,9,4,1","command_truncated":false,"completion_code":["200"],"reply":["there"],"dynamic_port":1025,"mode":"active","reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"RETR","command_data":"a.txt","command_truncated":false,"completion_code":["150","226"],"reply":["wait","done"],"reply_received":"yes","reply_truncated":false}"#,
        r#"{"command":"EPSV","command_truncated":false,"completion_code":["229"],"reply":["go (|||4000|)"],"dynamic_port":4000,"mode":"passive","reply_received":"yes","reply_truncated":false}"#,
    ];
    for (id, expected) in expected.iter().enumerate() {
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(engine.eve(id as u64), expected);
    }
    let announced: Vec<_> = engine
        .requests
        .iter()
        .map(|request| match request {
            Request::Expect { opened_by, port, tag, .. } => (*opened_by, *port, String::from_utf8_lossy(tag)),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(announced, [(DOWN, 1025, "RETR a.txt".into()), (UP, 4000, "STOR b.txt".into())]);
    assert!(engine.tx(2).bounces && !engine.tx(1).bounces);
    assert_eq!(anomalies(&engine, 6), ["file_before_port"]);
}

fn anomalies(engine: &Engine, id: u64) -> Vec<&'static str> {
    engine.tx(id).meta.anomalies.iter().map(|anomaly| ANOMALIES[usize::from(anomaly.0)]).collect()
}

#[test]
fn any_segmentation_gives_the_same_transactions() {
    let facts = |engine: &Engine| {
        let each = (0..engine.parser.created()).map(|id| (engine.eve(id), anomalies(engine, id)));
        (each.collect::<Vec<_>>(), engine.requests.len())
    };
    let whole = Engine::talk();
    for step in [1, 2, 3, 7] {
        let mut engine = Engine::new(&FTP, &NoOptions);
        for (direction, text) in TALK {
            for piece in text.as_bytes().chunks(step) {
                assert_ne!(engine.push(*direction, piece), Outcome::Error);
            }
        }
        assert_eq!(facts(&engine), facts(&whole), "pieces of {step}");
    }
}

#[test]
fn states_by_command() {
    let mut engine = Engine::new(&FTP, &NoOptions);
    engine.push(UP, b"USER bob\r\nPASV\r\n");
    let complete =
        |engine: &Engine, id| [UP, DOWN].map(|direction| engine.tx(id).meta.progress[direction] == COMPLETE);
    assert_eq!([complete(&engine, 0), complete(&engine, 1)], [[true, false], [false, false]]);
    engine.push(DOWN, b"331 who\r\n227 (10,0,0,2,4,1)\r\n");
    assert_eq!([complete(&engine, 0), complete(&engine, 1)], [[true, true]; 2]);
    assert_eq!(engine.tx(1).port, Some(1025));
    engine.push(UP, b"NOOP\r\n");
    engine.close();
    assert_eq!((complete(&engine, 2), engine.tx(2).replied), ([true, true], false));
}

#[test]
fn encryption_follows() {
    let mut engine = Engine::new(&FTP, &NoOptions);
    engine.push(UP, b"AUTH TLS\r\n");
    assert_eq!(engine.push(DOWN, b"234 go\r\n\x16\x03"), Outcome::Incomplete { consumed: 8, needed: 0 });
    assert!(matches!(engine.requests[..], [Request::Upgrade(Some("tls"))]));
}

#[test]
fn limits() {
    let mut engine = Engine::new(&FTP, &Limits);
    engine.push(UP, b"RETR abcdefgh\r\nUSER b\r\n");
    engine.push(DOWN, b"220 abcdefgh");
    engine.push(DOWN, b"ijk\r\n331 who\r\n");
    assert_eq!(
        anomalies(&engine, 0),
        ["request_command_too_long", "file_before_port", "response_command_too_long"]
    );
    assert_eq!((&engine.tx(0).argument[..], engine.tx(0).command_truncated), (&b"abcde"[..], true));
    assert!(engine.tx(0).reply_truncated && engine.tx(1).replied);
    assert_eq!(engine.push(UP, &b"NOOP\r\n".repeat(8)), Outcome::Ok);
    assert_eq!(engine.push(UP, b"NOOP\r\n"), Outcome::Error);
}

#[test]
fn data_by_command() {
    let cases: &[(&str, Option<&str>, &str)] = &[
        ("RETR a.txt", Some("a.txt"), r#"{"filename":"a.txt","command":"RETR"}"#),
        ("STOU", Some("<stou>"), r#"{"filename":"<stou>","command":"STOU"}"#),
        ("NLST", None, r#"{"command":"NLST"}"#),
    ];
    for (tag, name, expected) in cases {
        let mut engine = Engine::new(&FTP_DATA, &NoOptions);
        engine.parser.announced(&Arc::from(tag.as_bytes()));
        engine.push(DOWN, b"one ");
        engine.push(DOWN, b"two");
        engine.close();
        let tx: &DataTransaction = downcast(engine.parser.transaction(0).unwrap()).unwrap();
        let files: Vec<_> =
            tx.meta.files.iter().map(|file| (&file.name[..], file.size, file.state)).collect();
        let file = name.map(|name| (name.as_bytes(), 7, FileState::Closed));
        assert_eq!(files, file.into_iter().collect::<Vec<_>>(), "{tag}");
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(engine.eve(0), expected, "{tag}");
    }
}

#[test]
fn a_gap_in_data() {
    let mut engine = Engine::new(&FTP_DATA, &NoOptions);
    engine.parser.announced(&Arc::from(&b"RETR a"[..]));
    engine.push(UP, b"one");
    assert_eq!(engine.context(|parser, cx| parser.gap(cx, UP, 5)), Outcome::Ok);
    engine.close();
    let tx: &DataTransaction = downcast(engine.parser.transaction(0).unwrap()).unwrap();
    assert_eq!((tx.meta.files[0].state, tx.meta.files[0].missing), (FileState::Truncated, 5));
}

#[test]
fn fields_of_both_directions() {
    let engine = Engine::talk();
    let cases: &[(&str, u64, &[&str])] = &[
        ("ftp.command", 0, &[]),
        ("ftp.command", 3, &["RETR"]),
        ("ftp.command_data", 3, &["a.txt"]),
        ("ftp.command_data", 4, &[]),
        ("ftp.reply", 3, &["wait", "done"]),
        ("ftp.completion_code", 3, &["150", "226"]),
    ];
    for (name, id, expected) in cases {
        let field = FTP.fields.iter().find(|field| field.name == *name).unwrap();
        let found: Vec<&[u8]> = match field.access {
            Access::Bytes(read) => read(engine.tx(*id), UP).into_iter().collect(),
            Access::List(read) => (0..).map_while(|index| read(engine.tx(*id), DOWN, index)).collect(),
            _ => panic!("{name}"),
        };
        assert_eq!(found, expected.iter().map(|text| text.as_bytes()).collect::<Vec<_>>(), "{name}");
    }
}

/// Keeps rows as text; the file of each address is known.
#[derive(Default)]
struct Rows(Vec<String>);

impl ZeekSink for Rows {
    fn row(
        &mut self,
        stream: &'static ZeekStream,
        _: &ZeekConnection<'_>,
        _: Timestamp,
        values: &[ZeekValue<'_>],
    ) {
        assert_eq!(stream.columns.len(), values.len());
        let shown = |value: &ZeekValue<'_>| match value {
            ZeekValue::Unset => None,
            ZeekValue::String(text) => Some(String::from_utf8_lossy(text).into_owned()),
            ZeekValue::Count(number) => Some(number.to_string()),
            ZeekValue::Bool(truth) => Some(truth.to_string()),
            ZeekValue::Addr(address) => Some(address.to_string()),
            ZeekValue::Port(port) => Some(port.to_string()),
            other => panic!("{other:?} is not in this log"),
        };
        self.0.push(values.iter().filter_map(shown).collect::<Vec<_>>().join(" | "));
    }
    fn weird(&mut self, _: &ZeekConnection<'_>, _: Timestamp, name: &str, addl: Option<&str>) {
        self.0.push(format!("weird {name} {addl:?}"));
    }
    fn file_part(&mut self, _: &ZeekConnection<'_>, _: &[u8], _: &File) -> FilePart {
        FilePart::default()
    }
    fn file(&mut self, _: &ZeekConnection<'_>, file: &File, fate: FileFate) -> String {
        format!("F{} {fate:?}", file.size)
    }
    fn whole_file(&mut self, _: &ZeekConnection<'_>, _: &WholeFile<'_>) -> String {
        String::new()
    }
    fn announce(&mut self, _: &ZeekConnection<'_>, announced: Announced, _: Timestamp) {
        self.0.push(format!("{} to {}", announced.service, std::net::SocketAddr::from(announced.server)));
    }
    fn sent(&mut self, _: &ZeekConnection<'_>, file: SentFile) {
        self.0.push(format!("sent {}", file.fuid));
    }
    fn take_sent(&mut self, (_, port): (IpAddr, u16)) -> Option<SentFile> {
        Some(SentFile { fuid: format!("F{port}"), mime_type: Some("text/plain") })
    }
    fn service(&mut self, _: &ZeekConnection<'_>, service: &'static str) {
        assert_eq!(service, "ftp-data");
    }
    fn violation(&mut self, _: &ZeekConnection<'_>, _: Timestamp, reason: &str) {
        self.0.push(reason.to_owned());
    }
}

fn zeek_rows(talk: &[(Direction, &str)]) -> Vec<String> {
    let ends = endpoints();
    let connection = ZeekConnection { endpoints: &ends, start: Timestamp::default(), uid: "C1" };
    let mut logger = (FTP.zeek.unwrap().open)(&NoOptions);
    let (mut rows, mut engine) = (Rows::default(), Engine::new(&FTP, &NoOptions));
    for (direction, text) in talk {
        engine.push(*direction, text.as_bytes());
        // What is complete is told of once.
        while let Some(tx) = engine.parser.next_from(0) {
            let id = tx.meta().id;
            let complete = engine.tx(id).replied;
            logger.transaction(&connection, tx, *direction, complete, &mut rows);
            if !complete {
                break;
            }
            engine.parser.free(id);
        }
    }
    logger.end(&connection, &mut rows);
    rows.0
}

#[test]
fn zeek_of_commands() {
    assert_eq!(
        zeek_rows(TALK),
        [
            "ftp-data to 10.0.0.9:1025",
            "bob | PORT | 10,0,0,9,4,1 | 200 | there | false | 10.0.0.2 | 10.0.0.9 | 1025",
            "bob | RETR | ftp://10.0.0.2/./a.txt | text/plain | 226 | done | F1025",
            "ftp-data to 10.0.0.2:4000",
            "bob | EPSV | 229 | go (|||4000|) | true | 10.0.0.1 | 10.0.0.2 | 4000",
            "bob | STOR | ftp://10.0.0.2/./b.txt | text/plain | 226 | done | F4000",
        ]
    );
    let guest: &[(Direction, &str)] = &[
        (UP, "USER ftp\r\n"),
        (DOWN, "331 who\r\n"),
        (UP, "PASS me@here\r\n"),
        (DOWN, "230 in\r\n"),
        (UP, "CWD /pub\r\n"),
        (DOWN, "250 there\r\n"),
        (UP, "DELE a\r\n"),
        (DOWN, "550 no\r\n"),
        (UP, "USER bob\r\n"),
        (DOWN, "no code\r\n"),
        (UP, "PASV\r\n"),
    ];
    assert_eq!(
        zeek_rows(guest),
        ["ftp | me@here | DELE | ftp://10.0.0.2/pub/a | 550 | no", "non-numeric reply code"]
    );
}

#[test]
fn zeek_of_commands_that_nobody_answers() {
    let ends = endpoints();
    let connection = ZeekConnection { endpoints: &ends, start: Timestamp::default(), uid: "C1" };
    let mut logger = (FTP.zeek.unwrap().open)(&NoOptions);
    let (mut rows, mut engine) = (Rows::default(), Engine::new(&FTP, &NoOptions));
    engine.push(UP, "DELE a\r\n".repeat(30).as_bytes());
    for id in 0..30 {
        let tx = engine.parser.transaction(id).unwrap();
        logger.transaction(&connection, tx, UP, false, &mut rows);
    }
    assert_eq!(rows.0, ["weird FTP_too_many_pending_commands Some(\"20\")"]);
    logger.end(&connection, &mut rows);
    assert_eq!(rows.0.len(), 21);
}

#[test]
fn zeek_of_data() {
    let ends = endpoints();
    let connection = ZeekConnection { endpoints: &ends, start: Timestamp::default(), uid: "C1" };
    for tag in ["RETR a", "LIST"] {
        let mut logger = (FTP_DATA.zeek.unwrap().open)(&NoOptions);
        let (mut rows, mut engine) = (Rows::default(), Engine::new(&FTP_DATA, &NoOptions));
        engine.parser.announced(&Arc::from(tag.as_bytes()));
        for piece in [b"one", b"two"] {
            engine.push(DOWN, piece);
            logger.transaction(&connection, engine.parser.transaction(0).unwrap(), DOWN, false, &mut rows);
        }
        engine.close();
        logger.transaction(&connection, engine.parser.transaction(0).unwrap(), DOWN, true, &mut rows);
        assert_eq!(rows.0, ["sent F3 Open", "sent F6 Over"], "{tag}");
    }
}
