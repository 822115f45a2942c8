//! `app-layer.protocols`: which protocols are told apart and parsed, on which ports, with which limits.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};
use crate::stream::AutoFlag;
use crate::value;

/// Protocols that are off where the configuration does not name them.
const OFF_BY_DEFAULT: &[&str] = &["dnp3", "enip", "modbus", "template"];

/// What is done with a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolMode {
    /// Detected and parsed.
    Yes,
    /// Not looked for.
    No,
    /// Detected, not parsed.
    DetectionOnly,
}

impl ProtocolMode {
    /// Whether flows are told to be of this protocol.
    pub fn detects(self) -> bool {
        self != Self::No
    }

    /// Whether its messages are parsed.
    pub fn parses(self) -> bool {
        self == Self::Yes
    }
}

/// The settings all protocols have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolSettings {
    /// Name below `app-layer.protocols`.
    pub name: String,
    /// Over TCP.
    pub tcp: ProtocolMode,
    /// Over UDP.
    pub udp: ProtocolMode,
    /// Ports of the server over TCP, as written; `None` for the protocol's own.
    pub tcp_ports: Option<String>,
    /// Ports of the server over UDP.
    pub udp_ports: Option<String>,
    /// Ports of the client, as written.
    pub source_ports: Option<String>,
    /// Bytes of a stream that are put together, instead of `stream.reassembly.depth`; 0 for all.
    pub stream_depth: Option<u32>,
    /// Transactions open in a flow; `None` for the protocol's own limit.
    pub max_tx: Option<u32>,
}

impl ProtocolSettings {
    /// Reads the settings of one protocol, whether or not they are written.
    pub fn from_settings(settings: &Settings, name: &str) -> Result<Self, ConfigError> {
        let section = settings.section(&format!("app-layer.protocols.{name}"));
        let ports = |transport: &str| {
            let own = section.text(&format!("{transport}.detection-ports.dp"));
            own.or_else(|| section.text("detection-ports.dp")).map(str::to_owned)
        };
        Ok(Self {
            name: name.to_owned(),
            tcp: mode(&section, "tcp", name)?,
            udp: mode(&section, "udp", name)?,
            tcp_ports: ports("tcp"),
            udp_ports: ports("udp"),
            source_ports: section.text("detection-ports.sp").map(str::to_owned),
            stream_depth: match section.text("stream-depth") {
                Some(_) => Some(section.size32("stream-depth", 0)?),
                None => None,
            },
            max_tx: section.lenient(name, "max-tx", None, |text| {
                value::integer(text).and_then(|number| u32::try_from(number).ok()).map(Some)
            }),
        })
    }

    /// The names written below `app-layer.protocols`, in order.
    pub fn names(settings: &Settings) -> Vec<String> {
        let protocols = settings.lookup("app-layer.protocols");
        protocols
            .map(|node| node.children().iter().map(|child| child.name().to_owned()).collect())
            .unwrap_or_default()
    }
}

fn mode(section: &Section<'_>, transport: &str, name: &str) -> Result<ProtocolMode, ConfigError> {
    let own = format!("{transport}.enabled");
    let key = if section.text("enabled").is_some() { "enabled" } else { own.as_str() };
    match section.text(key) {
        None if OFF_BY_DEFAULT.contains(&name) => Ok(ProtocolMode::No),
        None => Ok(ProtocolMode::Yes),
        Some(text) if value::is_true(text) => Ok(ProtocolMode::Yes),
        Some(text) if value::is_false(text) => Ok(ProtocolMode::No),
        Some(text) if text.eq_ignore_ascii_case("detection-only") => Ok(ProtocolMode::DetectionOnly),
        Some(_) => Err(section.wrong(key, "yes, no or detection-only")),
    }
}

/// `app-layer.protocols.ftp`. What is not valid is warned of and replaced by the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FtpSettings {
    /// Bytes over all flows; 0 for no limit.
    pub memcap: u64,
    /// Transactions open in a flow.
    pub max_tx: u32,
    /// Longest line that is kept.
    pub max_line_length: u32,
}

impl FtpSettings {
    /// Reads `app-layer.protocols.ftp`.
    pub fn from_settings(settings: &Settings) -> Self {
        let ftp = settings.section("app-layer.protocols.ftp");
        let number = |text: &str| value::integer(text).and_then(|number| u32::try_from(number).ok());
        let size = |text: &str| value::size(text).and_then(|bytes| u32::try_from(bytes).ok());
        Self {
            memcap: ftp.lenient("ftp", "memcap", 0, value::size),
            max_tx: ftp.lenient("ftp", "max-tx", 1024, number),
            max_line_length: ftp.lenient("ftp", "max-line-length", 4096, size),
        }
    }
}

/// `app-layer.protocols.smtp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtpSettings {
    /// Whole messages as files.
    pub raw_extraction: bool,
    /// Take messages apart.
    pub decode_mime: bool,
    /// Undo Base64.
    pub decode_base64: bool,
    /// Undo quoted-printable.
    pub decode_quoted_printable: bool,
    /// Longest header value that is kept.
    pub header_value_depth: u32,
    /// Find links in bodies.
    pub extract_urls: bool,
    /// The schemes of links.
    pub extract_urls_schemes: Vec<String>,
    /// Log links with their scheme.
    pub log_url_scheme: bool,
    /// MD5 of bodies.
    pub body_md5: AutoFlag,
    /// How much of a file is inspected; 0 for all.
    pub content_limit: u32,
    /// Inspection begins with this many bytes.
    pub content_inspect_min_size: u32,
    /// And looks back this far.
    pub content_inspect_window: u32,
    /// Transactions open in a flow.
    pub max_tx: u32,
}

impl SmtpSettings {
    /// Reads `app-layer.protocols.smtp`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let smtp = settings.section("app-layer.protocols.smtp");
        let mime = smtp.section("mime");
        let tracker = smtp.section("inspected-tracker");
        let decode_mime = mime.flag("decode-mime", true);
        let raw_extraction = smtp.flag("raw-extraction", false);
        if decode_mime && raw_extraction {
            let message =
                "decode-mime and raw-extraction cannot both be on; raw-extraction is not used".to_owned();
            settings.warn("smtp", message, smtp.node().map(|node| node.location()));
        }
        let schemes = mime.list("extract-urls-schemes");
        let schemes = if schemes.is_empty() { vec!["http"] } else { schemes };
        Ok(Self {
            raw_extraction: raw_extraction && !decode_mime,
            decode_mime,
            decode_base64: mime.flag("decode-base64", true),
            decode_quoted_printable: mime.flag("decode-quoted-printable", true),
            header_value_depth: mime.integer32("header-value-depth", 2000)?,
            extract_urls: mime.flag("extract-urls", true),
            extract_urls_schemes: schemes.into_iter().map(str::to_ascii_lowercase).collect(),
            log_url_scheme: mime.flag("log-url-scheme", false),
            body_md5: AutoFlag::read(&mime, "body-md5", AutoFlag::No),
            content_limit: tracker.size32("content-limit", 100_000)?,
            content_inspect_min_size: tracker.size32("content-inspect-min-size", 32_768)?,
            content_inspect_window: tracker.size32("content-inspect-window", 4096)?,
            max_tx: smtp.integer32("max-tx", 256)?,
        })
    }
}

/// `app-layer.protocols.dns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsSettings {
    /// Modes and ports.
    pub protocol: ProtocolSettings,
    /// Transactions open in a flow.
    pub max_tx: u32,
}

impl DnsSettings {
    /// Reads `app-layer.protocols.dns`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let protocol = ProtocolSettings::from_settings(settings, "dns")?;
        let max_tx = protocol.max_tx.unwrap_or(1024);
        Ok(Self { protocol, max_tx })
    }
}

/// What is done with a connection once it is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EncryptionHandling {
    /// No more inspection of content, but the connection is followed.
    #[default]
    TrackOnly,
    /// The flow is shed.
    Bypass,
    /// All goes on.
    Full,
}

impl EncryptionHandling {
    fn read(section: &Section<'_>) -> Result<Self, ConfigError> {
        let words = [
            ("track-only", Self::TrackOnly),
            ("default", Self::TrackOnly),
            ("bypass", Self::Bypass),
            ("full", Self::Full),
        ];
        let old = section.text("encryption-handling").is_none() && section.text("encrypt-handling").is_some();
        if old {
            let place =
                section.node().and_then(|node| node.child("encrypt-handling")).map(|node| node.location());
            let message = "encrypt-handling is deprecated. Please use encryption-handling.".to_owned();
            section.settings().warn("conf", message, place);
        }
        section.choice(if old { "encrypt-handling" } else { "encryption-handling" }, Self::TrackOnly, &words)
    }
}

/// A fingerprint that is computed always, never, or as soon as a rule or log asks.
pub type Fingerprint = AutoFlag;

/// `app-layer.protocols.tls`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// Mode and ports.
    pub protocol: ProtocolSettings,
    /// JA3 and JA3S.
    pub ja3: Fingerprint,
    /// JA4.
    pub ja4: Fingerprint,
    /// After the handshake.
    pub encryption_handling: EncryptionHandling,
}

impl TlsSettings {
    /// Reads `app-layer.protocols.tls`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let tls = settings.section("app-layer.protocols.tls");
        let old = match tls.text("no-reassemble") {
            Some(text) if value::is_true(text) => Some(EncryptionHandling::Bypass),
            _ => None,
        };
        let handling = EncryptionHandling::read(&tls)?;
        let written = tls.text("encryption-handling").or(tls.text("encrypt-handling")).is_some();
        Ok(Self {
            protocol: ProtocolSettings::from_settings(settings, "tls")?,
            ja3: Fingerprint::read(&tls, "ja3-fingerprints", Fingerprint::Auto),
            ja4: Fingerprint::read(&tls, "ja4-fingerprints", Fingerprint::Auto),
            encryption_handling: if written { handling } else { old.unwrap_or(handling) },
        })
    }
}

/// `app-layer.protocols.ssh`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshSettings {
    /// Mode and ports.
    pub protocol: ProtocolSettings,
    /// HASSH.
    pub hassh: Fingerprint,
    /// After the handshake.
    pub encryption_handling: EncryptionHandling,
}

impl SshSettings {
    /// Reads `app-layer.protocols.ssh`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let ssh = settings.section("app-layer.protocols.ssh");
        Ok(Self {
            protocol: ProtocolSettings::from_settings(settings, "ssh")?,
            hassh: Fingerprint::read(&ssh, "hassh", Fingerprint::Auto),
            encryption_handling: EncryptionHandling::read(&ssh)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(overrides: &[&str]) -> Settings {
        Settings::from_text(b"", "t", overrides).unwrap()
    }

    #[test]
    fn modes() {
        use ProtocolMode::*;
        for (name, overrides, expected) in [
            ("http", &[][..], Some((Yes, Yes))),
            ("modbus", &[], Some((No, No))),
            ("modbus", &["app-layer.protocols.modbus.enabled=true"], Some((Yes, Yes))),
            (
                "imap",
                &["app-layer.protocols.imap.enabled=detection-only"],
                Some((DetectionOnly, DetectionOnly)),
            ),
            ("dns", &["app-layer.protocols.dns.tcp.enabled=no"], Some((No, Yes))),
            ("dns", &["app-layer.protocols.dns.enabled=maybe"], None),
        ] {
            let found = ProtocolSettings::from_settings(&settings(overrides), name).ok();
            assert_eq!(found.map(|protocol| (protocol.tcp, protocol.udp)), expected, "{name} {overrides:?}");
        }
    }

    #[test]
    fn ports_of_the_transport_come_first() {
        let shipped = Settings::built_in(&["app-layer.protocols.dns.tcp.detection-ports.dp=1053"]).unwrap();
        let dns = DnsSettings::from_settings(&shipped).unwrap().protocol;
        assert_eq!((dns.tcp_ports.as_deref(), dns.udp_ports.as_deref()), (Some("1053"), Some("53")));
        let imap = ProtocolSettings::from_settings(&shipped, "imap").unwrap();
        assert_eq!(imap.tcp, ProtocolMode::DetectionOnly);
    }

    #[test]
    fn invalid_ftp_limits_are_warned_of() {
        let overrides = ["memcap", "max-tx", "max-line-length"]
            .map(|key| format!("app-layer.protocols.ftp.{key}=suricata"));
        let overrides: Vec<&str> = overrides.iter().map(String::as_str).collect();
        let settings = settings(&overrides);
        assert_eq!(
            FtpSettings::from_settings(&settings),
            FtpSettings { memcap: 0, max_tx: 1024, max_line_length: 4096 }
        );
        let warnings: Vec<String> = settings.take_warnings().iter().map(ToString::to_string).collect();
        for (warning, key) in warnings.iter().zip(["ftp.memcap", "ftp.max-tx", "ftp.max-line-length"]) {
            assert!(warning.starts_with(&format!("ftp: Invalid value 'suricata' for {key}")), "{warning}");
        }
        assert_eq!(warnings.len(), 3);
    }

    #[test]
    fn encryption_handling() {
        for (overrides, expected) in [
            (&[][..], EncryptionHandling::TrackOnly),
            (&["app-layer.protocols.tls.encryption-handling=bypass"], EncryptionHandling::Bypass),
            (&["app-layer.protocols.tls.encrypt-handling=full"], EncryptionHandling::Full),
            (&["app-layer.protocols.tls.no-reassemble=yes"], EncryptionHandling::Bypass),
        ] {
            assert_eq!(
                TlsSettings::from_settings(&settings(overrides)).unwrap().encryption_handling,
                expected
            );
        }
    }
}
