//! `outputs.*.eve-log` and `outputs.*.zeek` with a `filetype` of redis, kafka, http, or syslog with a server: where records
//! are sent, and how they wait for who takes them.
//!
//! Keys of `redis` are Suricata's (userguide, EVE JSON output); those of the others are Weir's own.

use std::path::PathBuf;

use crate::error::ConfigError;
use crate::node::Node;
use crate::settings::{SIZE, Section};
use crate::value;

/// Longest wait at the end of a run, in seconds.
const LONGEST_WAIT: u64 = 3600;

/// Least and most memory of records that wait.
const MEMORY: std::ops::RangeInclusive<u64> = (64 << 10)..=(4 << 30);

/// Conversion that stands for the log of a record, in names of topics, keys and indices for Zeek's logs.
pub const LOG: &str = "%{log}";

/// Records that are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    /// EVE.
    Eve,
    /// Rows of Zeek's logs, each with its log as `_path`.
    Zeek,
}

impl Records {
    /// The name of a list, stream, channel or topic, and of who sends, where none is given.
    const fn name(self) -> &'static str {
        match self {
            Self::Eve => "suricata",
            Self::Zeek => "zeek",
        }
    }

    /// The index where none is given: rows of different logs have columns of one name and different types.
    const fn index(self) -> &'static str {
        match self {
            Self::Eve => "suricata-%Y.%m.%d",
            Self::Zeek => "zeek-%{log}-%Y.%m.%d",
        }
    }

    /// The field of an entry of a stream that has the record, where none is given.
    const fn field(self) -> &'static str {
        match self {
            Self::Eve => "eve",
            Self::Zeek => "zeek",
        }
    }

    /// A name without what stands for the log.
    fn plain(self, name: &str) -> String {
        match self {
            Self::Eve => name.to_owned(),
            Self::Zeek => name.replace(LOG, ""),
        }
    }

    /// The end of a sentence about names.
    const fn conversion(self) -> &'static str {
        match self {
            Self::Eve => "",
            Self::Zeek => ", with %{log} for the log of a record",
        }
    }
}

/// Where records are sent, and how they wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineSettings {
    /// Records that are sent.
    pub records: Records,
    /// Who takes them.
    pub target: Target,
    /// How they wait.
    pub spool: SpoolSettings,
}

/// A kind of those who take records, as `filetype` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// `redis`
    Redis,
    /// `kafka`
    Kafka,
    /// `http`
    Http,
    /// `syslog`
    Syslog,
}

/// Who takes records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A Redis server.
    Redis(RedisSettings),
    /// Brokers of Kafka.
    Kafka(KafkaSettings),
    /// OpenSearch or Elasticsearch.
    Http(HttpSettings),
    /// A syslog server.
    Syslog(SyslogSettings),
}

/// How records wait for who takes them: in memory first, then on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpoolSettings {
    /// Bytes of records that wait in memory.
    pub memory: u64,
    /// Bytes of records that wait on disk; zero for none.
    pub size: u64,
    /// Which records are lost when both are full.
    pub full: WhenFull,
    /// The folder, in that of the logs unless it is a full path; none for `spool/` and the name of the target.
    pub folder: Option<PathBuf>,
    /// Seconds that the end of a run waits for records to be taken.
    pub wait_at_end: u64,
}

/// Which records are lost when there is room for no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// Those that come.
    LoseNewest,
    /// Those that have waited longest.
    LoseOldest,
}

/// A host and its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// A name or an address, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl std::fmt::Display for HostPort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

/// Where a Redis server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedisServer {
    /// TCP.
    Network(HostPort),
    /// The file of a Unix socket.
    Socket(PathBuf),
}

/// The command that gives a record to Redis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedisMode {
    /// To the head of a list.
    Lpush,
    /// To the end of a list.
    Rpush,
    /// To the subscribers of a channel.
    Publish,
    /// To a stream.
    Xadd,
}

/// `redis`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedisSettings {
    /// Where it listens.
    pub server: RedisServer,
    /// The user, of Redis 6 or later.
    pub username: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// Records that are sent before a reply is waited for; none for as many as suits.
    pub batch: Option<u32>,
    /// The command.
    pub mode: RedisMode,
    /// Name of the list, channel or stream; with [`LOG`] one for each of Zeek's logs.
    pub key: String,
    /// Entries that are kept of a stream; zero for all.
    pub stream_length: u64,
    /// The stream is trimmed to exactly that length.
    pub stream_exact: bool,
    /// Field of an entry of a stream that has the record.
    pub stream_field: String,
}

/// What decides on the partition of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KafkaKey {
    /// `flow_id`, or `uid` of Zeek's logs: records of a flow stay in order.
    Flow,
    /// `community_id`, or else that of [`KafkaKey::Flow`].
    CommunityId,
    /// Nothing.
    None,
}

/// `kafka`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KafkaSettings {
    /// Brokers as `host:port`, with commas between.
    pub brokers: String,
    /// The topic; with [`LOG`] one for each of Zeek's logs.
    pub topic: String,
    /// Key of messages.
    pub key: KafkaKey,
    /// Options of librdkafka by their names there: those of the settings above, then those of `options`.
    pub options: Vec<(String, String)>,
}

/// How a server is told who sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpLogin {
    /// Not at all.
    None,
    /// By user and password.
    Basic(String, String),
    /// By a key, as the server gives it out (encoded in base64).
    ApiKey(String),
}

/// `http`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// The server's address, without a slash at its end.
    pub url: String,
    /// The index, with conversions of strftime for the time of the record; with [`LOG`] one for each of Zeek's logs.
    pub index: String,
    /// Who sends.
    pub login: HttpLogin,
    /// Certificates of authorities that sign the server's; none for those of the system.
    pub ca_file: Option<PathBuf>,
    /// Records of a request.
    pub batch: u32,
    /// Requests are compressed.
    pub gzip: bool,
    /// Fields have the names of the Elastic Common Schema.
    pub ecs: bool,
}

/// How messages get to a syslog server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyslogTransport {
    /// Datagrams (RFC 5426).
    Udp,
    /// TCP with octet counting (RFC 6587, 3.4.1).
    Tcp,
    /// TLS (RFC 5425).
    Tls,
}

/// `syslog`, with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyslogSettings {
    /// How messages get there.
    pub transport: SyslogTransport,
    /// Where it listens.
    pub server: HostPort,
    /// Certificates of authorities that sign the server's; none for those of the system.
    pub ca_file: Option<PathBuf>,
    /// The sensor; none for the name of the machine.
    pub host: Option<String>,
    /// The program.
    pub identity: String,
    /// Facility of messages.
    pub facility: String,
    /// Severity of messages.
    pub level: String,
}

impl SpoolSettings {
    fn read(log: &Section<'_>) -> Result<Self, ConfigError> {
        let section = log.section("spool");
        let memory = section.size("memory", 16 << 20)?;
        if !MEMORY.contains(&memory) {
            return Err(section.wrong("memory", "a size from 64kb to 4gb"));
        }
        let size = section.size("size", 1 << 30)?;
        if size > 0 && size < 1 << 20 {
            let expected = format!("{SIZE}; 1mb or more, or 0 for records that wait in memory alone");
            return Err(section.wrong("size", &expected));
        }
        let full = [("newest", WhenFull::LoseNewest), ("oldest", WhenFull::LoseOldest)];
        Ok(Self {
            memory,
            size: if section.flag("enabled", true) { size } else { 0 },
            full: section.choice("full", WhenFull::LoseNewest, &full)?,
            folder: section.text("dir").map(PathBuf::from),
            wait_at_end: bounded_seconds(&section, "wait-at-end", 5)?,
        })
    }
}

fn bounded_seconds(section: &Section<'_>, key: &str, default: u64) -> Result<u64, ConfigError> {
    let seconds = section.seconds(key, default)?;
    match seconds <= LONGEST_WAIT {
        true => Ok(seconds),
        false => Err(section.wrong(key, "a number of seconds up to 3600")),
    }
}

impl PipelineSettings {
    /// Reads where the log `log` sends its records; none where that is a syslog server and it names none.
    pub fn read(kind: TargetKind, records: Records, log: &Section<'_>) -> Result<Option<Self>, ConfigError> {
        let target = match kind {
            TargetKind::Redis => Target::Redis(RedisSettings::read(records, &log.section("redis"))?),
            TargetKind::Kafka => Target::Kafka(KafkaSettings::read(records, &log.section("kafka"))?),
            TargetKind::Http => Target::Http(HttpSettings::read(records, &log.section("http"))?),
            TargetKind::Syslog => match SyslogSettings::read(records, log)? {
                Some(settings) => Target::Syslog(settings),
                None => return Ok(None),
            },
        };
        Ok(Some(Self { records, target, spool: SpoolSettings::read(log)? }))
    }

    /// Reads where an output `zeek` sends Zeek's logs; none where it writes files.
    pub fn of_zeek(output: &Section<'_>) -> Result<Option<Self>, ConfigError> {
        let kinds = [
            ("regular", None),
            ("file", None),
            ("redis", Some(TargetKind::Redis)),
            ("kafka", Some(TargetKind::Kafka)),
            ("http", Some(TargetKind::Http)),
            ("syslog", Some(TargetKind::Syslog)),
        ];
        let Some(kind) = output.choice("filetype", None, &kinds)? else { return Ok(None) };
        if output.text("format").is_some_and(|format| !format.eq_ignore_ascii_case("json")) {
            let expected =
                "json, the one format that is sent: leave it out, or write files with filetype: regular";
            return Err(output.wrong("format", expected));
        }
        match Self::read(kind, Records::Zeek, output)? {
            Some(settings) => Ok(Some(settings)),
            None => Err(output.wrong("filetype", "enough: write syslog.server beside it")),
        }
    }
}

impl RedisSettings {
    fn read(records: Records, section: &Section<'_>) -> Result<Self, ConfigError> {
        let server = section.text("server").unwrap_or("127.0.0.1");
        let port = section.integer("port", 6379, 1..=65_535)? as u16;
        let server = match server.strip_prefix("unix:").unwrap_or(server) {
            "" => return Err(section.wrong("server", "a host, or the full path of a Unix socket")),
            path if path.starts_with('/') => RedisServer::Socket(path.into()),
            host => RedisServer::Network(HostPort { host: without_brackets(host).to_owned(), port }),
        };
        let modes = [
            ("list", RedisMode::Lpush),
            ("lpush", RedisMode::Lpush),
            ("rpush", RedisMode::Rpush),
            ("channel", RedisMode::Publish),
            ("publish", RedisMode::Publish),
            ("stream", RedisMode::Xadd),
            ("xadd", RedisMode::Xadd),
        ];
        let pipelining = section.section("pipelining");
        let size = pipelining.integer("batch-size", 10, 1..=100_000)? as u32;
        let batch = if pipelining.flag("enabled", false) { size } else { 1 };
        let text = |key| section.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let (username, password) = (text("username"), text("password"));
        if username.is_some() && password.is_none() {
            return Err(section.wrong("username", "a user with a password: write redis.password beside it"));
        }
        Ok(Self {
            server,
            username,
            password,
            batch: (!section.flag("async", true)).then_some(batch),
            mode: section.choice("mode", RedisMode::Lpush, &modes)?,
            key: text("key").unwrap_or_else(|| records.name().to_owned()),
            stream_length: section.integer("stream-maxlen", 100_000, 0..=i64::MAX as u64)?,
            stream_exact: section.flag("stream-trim-exact", false),
            stream_field: text("stream-format").unwrap_or_else(|| records.field().to_owned()),
        })
    }
}

impl KafkaSettings {
    fn read(records: Records, section: &Section<'_>) -> Result<Self, ConfigError> {
        let keys =
            [("flow", KafkaKey::Flow), ("community-id", KafkaKey::CommunityId), ("none", KafkaKey::None)];
        let brokers = section.list("brokers").join(",");
        let topic = section.text("topic").unwrap_or(records.name());
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if topic.is_empty() || topic.len() > 249 || !records.plain(topic).chars().all(is_name) {
            let expected = "the name of a topic: letters, digits, '.', '_' and '-', 249 at most";
            return Err(section.wrong("topic", &format!("{expected}{}", records.conversion())));
        }
        let mut options = Vec::new();
        let mut set = |name: &str, value: &str| options.push((name.to_owned(), value.to_owned()));
        let words = ["none", "gzip", "snappy", "lz4", "zstd"].map(|word| (word, word));
        set("compression.codec", section.choice("compression", "none", &words)?);
        let acks = [("all", "all"), ("-1", "all"), ("1", "1"), ("0", "0")];
        let acks = section.choice("acks", "all", &acks)?;
        set("acks", acks);
        let idempotent = section.flag("idempotence", acks == "all");
        if idempotent && acks != "all" {
            return Err(section.wrong("idempotence", "no: records are numbered only with acks: all"));
        }
        set("enable.idempotence", if idempotent { "true" } else { "false" });
        let (tls, sasl) = (section.section("tls"), section.section("sasl"));
        let mechanism = sasl.text("mechanism").filter(|text| !text.is_empty());
        let is_secret = tls.flag("enabled", false);
        let protocol = match (is_secret, mechanism) {
            (false, None) => "plaintext",
            (true, None) => "ssl",
            (false, Some(_)) => "sasl_plaintext",
            (true, Some(_)) => "sasl_ssl",
        };
        set("security.protocol", protocol);
        let mut copy = |section: &Section<'_>, key: &str, name: &str| {
            section.text(key).into_iter().for_each(|text| set(name, text));
        };
        if is_secret {
            copy(&tls, "ca-file", "ssl.ca.location");
            copy(&tls, "certificate", "ssl.certificate.location");
            copy(&tls, "key", "ssl.key.location");
            copy(&tls, "key-password", "ssl.key.password");
        }
        if mechanism.is_some() {
            copy(&sasl, "mechanism", "sasl.mechanism");
            copy(&sasl, "username", "sasl.username");
            copy(&sasl, "password", "sasl.password");
        }
        for option in section.section("options").node().map(Node::children).unwrap_or_default() {
            options.push((option_name(option), option.value().unwrap_or_default().to_owned()));
        }
        Ok(Self {
            brokers: if brokers.is_empty() { "127.0.0.1:9092".to_owned() } else { brokers },
            topic: topic.to_owned(),
            key: section.choice("key", KafkaKey::Flow, &keys)?,
            options,
        })
    }
}

/// The name of an option of librdkafka, which has dots where keys have dashes.
fn option_name(option: &Node) -> String {
    option.name().replace('-', ".")
}

impl HttpSettings {
    fn read(records: Records, section: &Section<'_>) -> Result<Self, ConfigError> {
        let url = section.text("url").unwrap_or("http://127.0.0.1:9200");
        let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        if host.is_none_or(|host| host.is_empty() || host.starts_with('/') || host.contains([' ', '?', '#']))
        {
            let expected = "the address of a server, as https://opensearch.example.org:9200";
            return Err(section.wrong("url", expected));
        }
        let text = |key| section.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let index = text("index").unwrap_or_else(|| records.index().to_owned());
        let is_wrong = |c: char| c.is_ascii_uppercase() || " \"*\\<|,>/?#:".contains(c);
        let mut plain = records.plain(&index);
        for conversion in ["%Y", "%m", "%d", "%H"] {
            plain = plain.replace(conversion, "");
        }
        if plain.contains('%') || plain.contains(is_wrong) || index.starts_with(['-', '_', '+']) {
            let expected = "the name of an index: small letters, digits, '.', '_' and '-', with %Y, %m, %d and %H for the \
                            time of the record";
            return Err(section.wrong("index", &format!("{expected}{}", records.conversion())));
        }
        let login = match (text("api-key"), text("user"), text("password")) {
            (Some(_), Some(_), _) => {
                return Err(
                    section.wrong("api-key", "wanted beside user and password: leave one of them out")
                );
            }
            (Some(key), None, _) => HttpLogin::ApiKey(key),
            (None, Some(user), password) => HttpLogin::Basic(user, password.unwrap_or_default()),
            (None, None, Some(_)) => {
                return Err(section.wrong("password", "enough: write the user beside it"));
            }
            (None, None, None) => HttpLogin::None,
        };
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            index,
            login,
            ca_file: text("ca-file").map(PathBuf::from),
            batch: section.integer("batch-size", 1000, 1..=100_000)? as u32,
            gzip: section.flag("gzip", false),
            ecs: section.flag("ecs", false),
        })
    }
}

impl SyslogSettings {
    fn read(records: Records, log: &Section<'_>) -> Result<Option<Self>, ConfigError> {
        let section = log.section("syslog");
        let Some(text) = section.text("server") else { return Ok(None) };
        let kinds = [
            ("udp://", SyslogTransport::Udp, 514),
            ("tcp://", SyslogTransport::Tcp, 514),
            ("tls://", SyslogTransport::Tls, 6514),
        ];
        let read = kinds.iter().find_map(|(prefix, transport, port)| {
            Some((*transport, host_port(text.strip_prefix(prefix)?, *port)?))
        });
        let Some((transport, server)) = read else {
            let expected = "the address of a syslog server, as udp://10.0.0.1:514, tcp://log.example.org:514 or \
                            tls://log.example.org:6514";
            return Err(section.wrong("server", expected));
        };
        let text = |key, default: &str| log.text(key).unwrap_or(default).to_owned();
        Ok(Some(Self {
            transport,
            server,
            ca_file: section.text("ca-file").map(PathBuf::from),
            host: log.settings().text("sensor-name").map(str::to_owned),
            identity: text("identity", records.name()),
            facility: text("facility", "local5"),
            level: text("level", "info"),
        }))
    }
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// A host with a port, or with this one.
fn host_port(text: &str, port: u16) -> Option<HostPort> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, digits)) if !host.contains(':') || host.ends_with(']') => {
            let number = value::integer(digits).filter(|number| *number > 0)?;
            (host, u16::try_from(number).ok()?)
        }
        _ => (text, port),
    };
    let host = without_brackets(host);
    let is_host = !host.is_empty() && !host.contains(['/', ' ', '[', ']', '@']);
    is_host.then(|| HostPort { host: host.to_owned(), port })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// Reads the section `section` of a log that has these lines below it.
    fn read(section: &str, lines: &[&str]) -> Result<PipelineSettings, String> {
        let text = format!("%YAML 1.1\n---\nlog:\n  {section}:\n    {}\n", lines.join("\n    "));
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        let log = settings.section("log");
        let kind = match section {
            "redis" | "spool" => TargetKind::Redis,
            "kafka" => TargetKind::Kafka,
            "http" => TargetKind::Http,
            _ => TargetKind::Syslog,
        };
        let read = PipelineSettings::read(kind, Records::Eve, &log);
        read.map(Option::unwrap).map_err(|error| error.to_string())
    }

    /// Reads where Zeek's logs go, of an output with these lines.
    fn zeek(lines: &[&str]) -> Result<Option<Target>, String> {
        let text = format!("%YAML 1.1\n---\nzeek:\n  {}\n", lines.join("\n  "));
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        let read = PipelineSettings::of_zeek(&settings.section("zeek"));
        read.map(|read| read.map(|settings| settings.target)).map_err(|error| error.to_string())
    }

    fn redis(lines: &[&str]) -> RedisSettings {
        match read("redis", lines).unwrap().target {
            Target::Redis(settings) => settings,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn redis_as_its_users_write_it() {
        let plain = redis(&["server: localhost"]);
        assert_eq!(plain.server, RedisServer::Network(HostPort { host: "localhost".into(), port: 6379 }));
        assert_eq!((plain.mode, plain.key.as_str(), plain.batch), (RedisMode::Lpush, "suricata", None));
        let full = redis(&[
            "server: /run/redis.sock",
            "username: weir",
            "password: secret",
            "async: false",
            "mode: xadd",
            "key: eve",
            "stream-maxlen: 5",
            "stream-trim-exact: true",
            "stream-format: record",
            "pipelining:",
            "  enabled: yes",
            "  batch-size: 20",
        ]);
        let expected = RedisSettings {
            server: RedisServer::Socket("/run/redis.sock".into()),
            username: Some("weir".into()),
            password: Some("secret".into()),
            batch: Some(20),
            mode: RedisMode::Xadd,
            key: "eve".into(),
            stream_length: 5,
            stream_exact: true,
            stream_field: "record".into(),
        };
        assert_eq!(full, expected);
        assert_eq!(redis(&["async: no"]).batch, Some(1));
    }

    #[test]
    fn options_of_kafka_have_the_names_of_its_library() {
        let lines = [
            "brokers: [a:9092, b:9092]",
            "compression: lz4",
            "tls:",
            "  enabled: yes",
            "  ca-file: /ca.pem",
            "sasl:",
            "  mechanism: PLAIN",
            "  username: u",
            "  password: p",
            "options:",
            "  linger-ms: 20",
        ];
        let Target::Kafka(kafka) = read("kafka", &lines).unwrap().target else { panic!() };
        assert_eq!((kafka.brokers.as_str(), kafka.topic.as_str()), ("a:9092,b:9092", "suricata"));
        let options: Vec<String> =
            kafka.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = [
            "compression.codec=lz4",
            "acks=all",
            "enable.idempotence=true",
            "security.protocol=sasl_ssl",
            "ssl.ca.location=/ca.pem",
            "sasl.mechanism=PLAIN",
            "sasl.username=u",
            "sasl.password=p",
            "linger.ms=20",
        ];
        assert_eq!(options, expected);
    }

    #[test]
    fn servers_of_syslog() {
        for (text, expected) in [
            ("udp://10.0.0.1", Some("10.0.0.1:514")),
            ("tcp://log.example.org:1514", Some("log.example.org:1514")),
            ("tls://[2001:db8::1]", Some("[2001:db8::1]:6514")),
            ("tls://[2001:db8::1]:7", Some("[2001:db8::1]:7")),
            ("udp://host:0", None),
            ("udp://", None),
            ("http://host", None),
            ("host:514", None),
        ] {
            let found = match read("syslog", &[&format!("server: \"{text}\"")]) {
                Ok(PipelineSettings { target: Target::Syslog(settings), .. }) => {
                    Some(settings.server.to_string())
                }
                _ => None,
            };
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    /// Names with a place for each log, as far as `%{log}` is in what is given or taken.
    #[test]
    fn places_of_zeek_s_logs() {
        for (lines, expected) in [
            (&["format: tsv"][..], None),
            (&["filetype: regular"], None),
            (&["filetype: kafka"], Some("zeek")),
            (&["filetype: kafka", "format: json", "kafka:", "  topic: zeek-%{log}"], Some("zeek-%{log}")),
            (&["filetype: redis"], Some("zeek zeek")),
            (&["filetype: redis", "redis:", "  key: zeek:%{log}"], Some("zeek:%{log} zeek")),
            (&["filetype: http"], Some("zeek-%{log}-%Y.%m.%d")),
            (&["filetype: http", "http:", "  index: zeek-%{log}"], Some("zeek-%{log}")),
            (&["filetype: syslog", "syslog:", "  server: udp://h"], Some("h:514 zeek")),
        ] {
            let place = zeek(lines).unwrap().map(|target| match target {
                Target::Kafka(kafka) => kafka.topic,
                Target::Redis(redis) => format!("{} {}", redis.key, redis.stream_field),
                Target::Http(http) => http.index,
                Target::Syslog(syslog) => format!("{} {}", syslog.server, syslog.identity),
            });
            assert_eq!(place.as_deref(), expected, "{lines:?}");
        }
        for (lines, said) in [
            (
                &["filetype: unix_dgram"][..],
                "zeek.filetype from t, line 4, column 13: 'unix_dgram' is not one of regular, file, redis, kafka, http, syslog",
            ),
            (&["filetype: syslog"], "'syslog' is not enough: write syslog.server beside it"),
            (
                &["filetype: kafka", "format: tsv"],
                "zeek.format from t, line 5, column 11: 'tsv' is not json, the one format that is sent: leave it out",
            ),
            (
                &["filetype: kafka", "kafka:", "  topic: zeek-%{path}"],
                "line 6, column 12: 'zeek-%{path}' is not the name of a topic: letters, digits, '.', '_' and '-', 249 at most, \
                 with %{log} for the log of a record",
            ),
            (
                &["filetype: http", "http:", "  index: zeek-%{type}"],
                "with %Y, %m, %d and %H for the time of the record, with %{log} for the log of a record",
            ),
        ] {
            let error = zeek(lines).unwrap_err();
            assert!(error.contains(said), "{lines:?}: {error}");
        }
        let error = read("kafka", &["topic: eve-%{log}"]).unwrap_err();
        assert!(error.ends_with("249 at most."), "EVE has no logs: {error}");
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (section, line, said) in [
            (
                "redis",
                "mode: queue",
                "log.redis.mode from t, line 5, column 11: 'queue' is not one of list, lpush",
            ),
            ("redis", "port: 0", "'0' is not a whole number from 1 to 65535"),
            (
                "redis",
                "username: weir",
                "'weir' is not a user with a password: write redis.password beside it",
            ),
            ("kafka", "topic: a b", "'a b' is not the name of a topic"),
            ("kafka", "acks: 2", "'2' is not one of all, -1, 1, 0"),
            ("http", "url: opensearch:9200", "'opensearch:9200' is not the address of a server"),
            ("http", "index: Eve", "'Eve' is not the name of an index"),
            ("http", "password: p", "is not enough: write the user beside it"),
            ("syslog", "server: host", "'host' is not the address of a syslog server"),
            ("spool", "memory: 1kb", "'1kb' is not a size from 64kb to 4gb"),
            ("spool", "size: 5kb", "1mb or more, or 0"),
            ("spool", "full: all", "'all' is not one of newest, oldest"),
            ("spool", "wait-at-end: 2h", "'2h' is not a number of seconds up to 3600"),
        ] {
            let error = read(section, &[line]).unwrap_err();
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
