//! Zeek's ssh log, written when a client is let in or when the connection ends, and what both sides say of
//! their software.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use weir_applayer::zeek::column::Text;
use weir_applayer::zeek::{News, Script, Software, SoftwareHost, ZeekHabit};
use weir_applayer::{ZeekLogger, ZeekLogs, ZeekSink, zeek_stream};
use weir_base::{Direction, Duration, PerDirection, Timestamp};

use super::key_exchange::{List, Offers};
use super::transaction::SshTransaction;

zeek_stream! {
    static STREAM: "ssh" of a connection;
    struct Row {
        version: Count,
        auth_success: Bool,
        auth_attempts: Count,
        direction: Enum,
        client: Text,
        server: Text,
        cipher_alg: Text,
        mac_alg: Text,
        compression_alg: Text,
        kex_alg: Text,
        host_key_alg: Text,
        host_key_fingerprint: Text,
    }
}

/// The logs.
pub static LOGS: ZeekLogs = ZeekLogs {
    from_start: true,
    events: Some(&super::events::EVENTS),
    ..ZeekLogs::new(&[&STREAM], |_| Box::<SshLogger>::default())
};

/// Connections whose clients were not let in.
static GUESSES: ZeekHabit = ZeekHabit {
    note: "SSH::Password_Guessing",
    epoch: Duration::from_secs(30 * 60),
    limit: 30,
    message: |host, times| {
        format!("{host} appears to be guessing SSH passwords (seen in {times} connections).")
    },
};

/// The port at which Zeek expects SSH.
const PORT: u16 = 22;

/// Zeek's words for packets of a version that is not known.
const UNKNOWN_VERSION: &str =
    "Binpac exception: binpac exception: invalid index for case: SSH_Key_Exchange: 3";

/// Characters of a key's fingerprint that the log shows.
const FINGERPRINT_LENGTH: usize = 32;

/// Where the digits of a version stand in a banner.
const MAJOR: usize = 4;
const MINOR: std::ops::Range<usize> = 6..8;

/// Follows one connection.
#[derive(Debug, Default)]
struct SshLogger {
    logged: bool,
    /// Ends whose software was logged.
    told: PerDirection<bool>,
    /// The mismatch of versions was logged.
    mismatched: bool,
    /// Session to log when the connection ends.
    session: Option<Session>,
}

/// A session, but for what the connection itself tells.
#[derive(Debug, Default)]
struct Session {
    time: Timestamp,
    version: Option<u64>,
    success: Option<bool>,
    attempts: u64,
    client: Option<Vec<u8>>,
    server: Option<Vec<u8>>,
    algorithms: Option<Algorithms>,
    fingerprint: Option<String>,
}

/// Algorithms that both sides agreed on.
#[derive(Debug)]
struct Algorithms {
    cipher: Vec<u8>,
    mac: Vec<u8>,
    compression: Vec<u8>,
    kex: Vec<u8>,
    host_key: Vec<u8>,
}

impl ZeekLogger for SshLogger {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn ZeekSink) {
        let Some(tx) = news.of::<SshTransaction>() else { return };
        if self.logged || !Direction::BOTH.iter().any(|&direction| tx.sides[direction].banner.is_some()) {
            return;
        }
        self.tell(tx, sink);
        let version = version(tx);
        if version == Version::Mismatch && !std::mem::replace(&mut self.mismatched, true) {
            let [client, server] = Direction::BOTH.map(|side| String::from_utf8_lossy(line(tx, side)));
            let time = Direction::BOTH.map(|side| tx.sides[side].banner_at).into_iter().max();
            let about = format!("{server} vs {client}");
            sink.weird(time.unwrap_or_default(), "SSH_version_mismatch", Some(&about));
        }
        if version == Version::Is(2) && Direction::BOTH.iter().any(|&side| tx.sides[side].encrypted) {
            sink.service("ssh");
        }
        if news.complete && sink.connection().endpoints.server_port == PORT {
            one_sided(tx, sink);
        }
        let admitted = version == Version::Is(2) && tx.authentication.success == Some(true);
        if admitted || news.complete {
            self.session = Session::of(tx, version, sink.connection().endpoints.server_port == PORT);
        }
        if admitted {
            self.write(sink);
        }
    }

    fn has_news(&self, _: News<'_>) -> bool {
        !self.logged
    }

    fn end(&mut self, sink: &mut dyn ZeekSink) {
        self.write(sink);
    }
}

/// Tells of a conversation of which one side alone was seen: the version is not known that its packets are of.
fn one_sided(tx: &SshTransaction, sink: &mut dyn ZeekSink) {
    let [client, server] = Direction::BOTH.map(|direction| &tx.sides[direction]);
    let alone = match (&client.banner, &server.banner) {
        (Some(_), None) => client,
        (None, Some(_)) => server,
        _ => return,
    };
    if alone.offer.is_some() {
        sink.violation(alone.banner_at, UNKNOWN_VERSION, None);
    }
}

impl SshLogger {
    /// Tells of software that is new.
    fn tell(&mut self, tx: &SshTransaction, sink: &mut dyn ZeekSink) {
        for (direction, kind) in [(Direction::ToServer, "SSH::CLIENT"), (Direction::ToClient, "SSH::SERVER")]
        {
            if tx.sides[direction].banner.is_none() || std::mem::replace(&mut self.told[direction], true) {
                continue;
            }
            if sink.has(Script::SshSoftware) {
                let line = line(tx, direction).strip_prefix(b"SSH").unwrap_or_default();
                let version = line.iter().take_while(|byte| byte.is_ascii_digit() || b".-".contains(byte));
                let text = line.get(version.count()..).unwrap_or_default();
                sink.software(&Software { kind, host: SoftwareHost::sender(direction), text });
            }
        }
    }

    fn write(&mut self, sink: &mut dyn ZeekSink) {
        let Some(session) = self.session.take() else { return };
        self.logged = true;
        if session.success == Some(false) && sink.has(Script::SshGuessing) {
            sink.habit(&GUESSES);
        }
        let ends = sink.connection().endpoints;
        let direction = match (sink.is_local(ends.client), sink.is_local(ends.server)) {
            (true, false) => Some("OUTBOUND"),
            (false, true) => Some("INBOUND"),
            _ => None,
        };
        let algorithms = session.algorithms.as_ref();
        let agreed = |part: fn(&Algorithms) -> &Vec<u8>| Text::from(algorithms.map(part));
        let row = Row {
            version: session.version.into(),
            auth_success: session.success.into(),
            auth_attempts: session.attempts.into(),
            direction: direction.into(),
            client: session.client.as_deref().into(),
            server: session.server.as_deref().into(),
            cipher_alg: agreed(|algorithms| &algorithms.cipher),
            mac_alg: agreed(|algorithms| &algorithms.mac),
            compression_alg: agreed(|algorithms| &algorithms.compression),
            kex_alg: agreed(|algorithms| &algorithms.kex),
            host_key_alg: agreed(|algorithms| &algorithms.host_key),
            host_key_fingerprint: session.fingerprint.as_deref().into(),
        };
        sink.row(&STREAM, session.time, &row.values());
    }
}

impl Session {
    /// The session; none where Zeek does not take a conversation of one side for SSH.
    fn of(tx: &SshTransaction, version: Version, is_usual_port: bool) -> Option<Self> {
        let banner = |direction| tx.sides[direction].banner.as_ref().map(|banner| banner.line().to_vec());
        let sides = Direction::BOTH.map(|direction| &tx.sides[direction]).into_iter();
        let times = sides.filter(|side| side.banner.is_some()).map(|side| side.banner_at);
        // Elsewhere SSH is recognised once both sides began so.
        let time =
            if is_usual_port { times.min() } else { times.max().filter(|_| version != Version::Unknown) };
        let mut session = Self {
            time: time?,
            client: banner(Direction::ToServer),
            server: banner(Direction::ToClient),
            ..Self::default()
        };
        if let Version::Is(number) = version {
            session.version = Some(number);
        }
        if session.version == Some(2) {
            session.success = tx.authentication.success;
            session.attempts = tx.authentication.attempts;
            session.algorithms = tx.offers().map(Algorithms::of);
            session.fingerprint = tx.host_key.as_deref().map(fingerprint);
        }
        Some(session)
    }
}

impl Algorithms {
    fn of(offers: Offers<'_>) -> Self {
        Self {
            cipher: by_direction(offers, List::Cipher),
            mac: by_direction(offers, List::Mac),
            compression: by_direction(offers, List::Compression),
            kex: agreed(offers, List::Kex),
            host_key: agreed(offers, List::HostKey),
        }
    }
}

fn agreed(offers: Offers<'_>, list: List) -> Vec<u8> {
    offers.agreed(list).unwrap_or(b"Algorithm negotiation failed").to_vec()
}

/// Returns the agreed algorithm, of each direction where they differ.
fn by_direction(offers: Offers<'_>, list: fn(Direction) -> List) -> Vec<u8> {
    let [up, down] = Direction::BOTH.map(|direction| agreed(offers, list(direction)));
    if up == down {
        return up;
    }
    [b"To server: ", up.as_slice(), b", to client: ", &down].concat()
}

/// The beginning of the key's SHA-256 as Zeek shows it.
pub(super) fn fingerprint(key: &[u8]) -> String {
    let mut text = STANDARD.encode(Sha256::digest(key));
    text.truncate(FINGERPRINT_LENGTH);
    format!("SHA256:{text}")
}

fn line(tx: &SshTransaction, direction: Direction) -> &[u8] {
    tx.sides[direction].banner.as_ref().map_or(&[], |banner| banner.line())
}

/// The version that both sides can speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    /// Not all is known.
    Unknown,
    /// This one.
    Is(u64),
    /// They have none in common.
    Mismatch,
}

fn version(tx: &SshTransaction) -> Version {
    let digits = Direction::BOTH.map(|direction| {
        let line = line(tx, direction);
        (line.get(MAJOR), line.get(MINOR) == Some(b"99"))
    });
    match digits {
        [(Some(b'2'), _), (Some(b'2'), _)] => Version::Is(2),
        [(Some(b'1'), both), (Some(b'2'), _)] | [(Some(b'2'), _), (Some(b'1'), both)] => {
            if both {
                Version::Is(2)
            } else {
                Version::Mismatch
            }
        }
        [(Some(b'1'), both), (Some(b'1'), too)] => Version::Is(if both && too { 2 } else { 1 }),
        _ => Version::Unknown,
    }
}
