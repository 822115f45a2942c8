//! The configuration of HTTP/1: `app-layer.protocols.http.libhtp`.

use std::net::IpAddr;
use std::sync::Arc;

use weir_applayer::Options;
use weir_applayer::body::BodyLimits;

use super::uri::{InvalidEncoding, UriSettings};

/// Most decompressors behind each other, whatever is configured.
pub(super) const MAX_LAYERS: u32 = 8;

/// The server whose reading of requests is imitated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Personality {
    Minimal,
    Generic,
    Ids,
    Apache2,
    Iis5_1,
    Iis6,
    Iis7,
}

impl Personality {
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "minimal" => Self::Minimal,
            "generic" => Self::Generic,
            "ids" => Self::Ids,
            "apache" | "apache_2" | "apache_2_2" => Self::Apache2,
            "iis_4_0" | "iis_5_0" | "iis_5_1" => Self::Iis5_1,
            "iis_6_0" => Self::Iis6,
            "iis_7_0" | "iis_7_5" => Self::Iis7,
            _ => return None,
        })
    }

    /// Returns the settings of reading targets.
    pub(super) fn uri(self) -> UriSettings {
        use Personality::*;
        let windows = matches!(self, Generic | Ids | Iis5_1 | Iis6 | Iis7);
        UriSettings {
            double_decode_path: false,
            double_decode_query: false,
            backslash_is_slash: windows,
            // Rules expect paths as they were written, so none of them lowers letters.
            lowercase: false,
            compress_separators: self != Minimal,
            decode_separators: windows,
            plus_is_space: false,
            decode_u: matches!(self, Ids | Iis6 | Iis7),
            utf8_to_bytes: self == Ids,
            nul_terminates: false,
            encoded_nul_terminates: false,
            invalid: InvalidEncoding::Preserve,
            replacement: b'?',
            include_all: false,
            allow_space: true,
        }
    }
}

/// Everything configured for one kind of server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings {
    /// Normalisation of targets.
    pub uri: UriSettings,
    /// NUL ends a request line.
    pub nul_ends_request_line: bool,
    /// Limits of request bodies, for inspection and for files.
    pub request: BodyLimits,
    /// Limits of response bodies.
    pub response: BodyLimits,
    /// Most layers of a list in `Content-Encoding` undone; configured as 0 for [`MAX_LAYERS`].
    pub layers: u32,
    /// Memory of an LZMA decompressor; none to leave LZMA alone.
    pub lzma_memory: Option<usize>,
    /// Most LZMA layers.
    pub lzma_layers: u32,
    /// Output of a decompressor that is suspicious where its input was small.
    pub bomb_limit: u64,
    /// Bombs in a flow after which no more is decompressed.
    pub bomb_count: u64,
    /// Longest line or field.
    pub field_limit: usize,
    /// Most fields of a message.
    pub header_limit: usize,
    /// Most live transactions of a flow.
    pub max_transactions: usize,
}

impl Default for Settings {
    /// Returns what holds where a configuration says nothing, which is less than the shipped one says.
    fn default() -> Self {
        let limits = BodyLimits { limit: 4 << 10, minimal_inspect: 32 << 10, window: 4 << 10 };
        Self {
            uri: Personality::Ids.uri(),
            nul_ends_request_line: false,
            request: limits,
            response: limits,
            layers: 2,
            lzma_memory: None,
            lzma_layers: 1,
            bomb_limit: 1 << 20,
            bomb_count: 3,
            field_limit: 18_000,
            header_limit: 1024,
            max_transactions: 512,
        }
    }
}

impl Settings {
    /// Reads the keys below `prefix`.
    fn read(options: &dyn Options, prefix: &str) -> Self {
        let key = |name: &str| format!("{prefix}.{name}");
        let mut settings = Self::default();
        if let Some(name) = options.text(&key("personality")) {
            match Personality::named(&name) {
                Some(personality) => {
                    settings.uri = personality.uri();
                    settings.nul_ends_request_line = personality == Personality::Apache2;
                }
                None => options.complain(&key("personality"), "it is no personality; IDS is used"),
            }
        }
        settings.read_uri(options, &key);
        for (limits, name) in [(&mut settings.request, "request"), (&mut settings.response, "response")] {
            limits.limit = options.size(&key(&format!("{name}-body-limit")), limits.limit);
            limits.minimal_inspect =
                options.size(&key(&format!("{name}-body-minimal-inspect-size")), limits.minimal_inspect);
            limits.window = options.size(&key(&format!("{name}-body-inspect-window")), limits.window);
        }
        let number = |name: &str, default: u64| options.size(&key(name), default);
        let layers = number("response-body-decompress-layer-limit", settings.layers.into());
        settings.layers = match u32::try_from(layers).unwrap_or(u32::MAX) {
            0 => MAX_LAYERS,
            layers => layers.min(MAX_LAYERS),
        };
        settings.bomb_limit = number("compression-bomb-limit", settings.bomb_limit);
        settings.bomb_count = number("compression-bomb-count", settings.bomb_count);
        settings.field_limit = number("meta-field-limit", settings.field_limit as u64) as usize;
        settings.header_limit = number("headers-limit", settings.header_limit as u64) as usize;
        settings.max_transactions = number("max-tx", settings.max_transactions as u64) as usize;
        if options.flag(&key("lzma-enabled"), false) {
            settings.lzma_memory = Some(number("lzma-memlimit", 1 << 20) as usize);
        }
        settings
    }

    fn read_uri(&mut self, options: &dyn Options, key: &dyn Fn(&str) -> String) {
        let uri = &mut self.uri;
        let flags: [(&str, &mut bool); 13] = [
            ("double-decode-path", &mut uri.double_decode_path),
            ("double-decode-query", &mut uri.double_decode_query),
            ("path-convert-backslash-separators", &mut uri.backslash_is_slash),
            ("path-convert-lowercase", &mut uri.lowercase),
            ("path-separators-compress", &mut uri.compress_separators),
            ("path-separators-decode", &mut uri.decode_separators),
            ("query-plusspace-decode", &mut uri.plus_is_space),
            ("path-u-encoding-decode", &mut uri.decode_u),
            ("path-utf8-convert-bestfit", &mut uri.utf8_to_bytes),
            ("path-nul-raw-terminates", &mut uri.nul_terminates),
            ("path-nul-encoded-terminates", &mut uri.encoded_nul_terminates),
            ("uri-include-all", &mut uri.include_all),
            ("allow-space-uri", &mut uri.allow_space),
        ];
        for (name, flag) in flags {
            *flag = options.flag(&key(name), *flag);
        }
        if let Some(text) = options.text(&key("path-bestfit-replacement-char"))
            && let &[byte] = text.as_bytes()
        {
            uri.replacement = byte;
        }
        if let Some(text) = options.text(&key("path-url-encoding-invalid-handling")) {
            match text.to_ascii_lowercase().as_str() {
                "preserve_percent" => uri.invalid = InvalidEncoding::Preserve,
                "remove_percent" => uri.invalid = InvalidEncoding::Remove,
                "decode_invalid" | "process_invalid" => uri.invalid = InvalidEncoding::Process,
                _ => options.complain(
                    &key("path-url-encoding-invalid-handling"),
                    "it should be preserve_percent, remove_percent or decode_invalid; the first is used",
                ),
            }
        }
    }
}

/// The servers that one section of `server-config` is for.
#[derive(Debug)]
struct ServerConfig {
    networks: Vec<(IpAddr, u8)>,
    settings: Arc<Settings>,
}

/// The configuration for all servers.
#[derive(Debug)]
pub(super) struct Configuration {
    default: Arc<Settings>,
    servers: Vec<ServerConfig>,
}

impl Configuration {
    /// Reads `libhtp`.
    pub(super) fn read(options: &dyn Options) -> Self {
        let default = Arc::new(Settings::read(options, "libhtp.default-config"));
        let mut servers = Vec::new();
        for index in options.children("libhtp.server-config") {
            for name in options.children(&format!("libhtp.server-config.{index}")) {
                let prefix = format!("libhtp.server-config.{index}.{name}");
                let list = options.list(&format!("{prefix}.address"));
                let single = options.text(&format!("{prefix}.address"));
                let networks = list.into_iter().chain(single).filter_map(|text| {
                    let network = parse_network(&text);
                    if network.is_none() {
                        options
                            .complain(&format!("{prefix}.address"), "an entry that is no network is skipped");
                    }
                    network
                });
                servers.push(ServerConfig {
                    networks: networks.collect(),
                    settings: Arc::new(Settings::read(options, &prefix)),
                });
            }
        }
        Self { default, servers }
    }

    /// The settings for a server: those of the longest prefix.
    pub(super) fn of(&self, server: IpAddr) -> Arc<Settings> {
        let fitting = self.servers.iter().flat_map(|section| {
            section
                .networks
                .iter()
                .filter(|&&network| contains(network, server))
                .map(move |&(_, length)| (length, section))
        });
        fitting
            .max_by_key(|&(length, _)| length)
            .map_or(&self.default, |(_, section)| &section.settings)
            .clone()
    }
}

fn parse_network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address.parse::<IpAddr>().ok()?, Some(length.parse::<u8>().ok()?)),
        None => (text.parse::<IpAddr>().ok()?, None),
    };
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let length = length.unwrap_or(bits);
    (length <= bits).then_some((address, length))
}

fn contains((network, length): (IpAddr, u8), address: IpAddr) -> bool {
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            network.to_bits() & mask == address.to_bits() & mask
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            network.to_bits() & mask == address.to_bits() & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Settings;

    #[test]
    fn sections_for_servers() {
        let configuration = Configuration::read(&Settings(&[
            ("libhtp.default-config.response-body-limit", "0"),
            ("libhtp.default-config.lzma-enabled", "yes"),
            ("libhtp.server-config.0.apache.address.0", "192.168.1.0/24"),
            ("libhtp.server-config.0.apache.address.1", "::1"),
            ("libhtp.server-config.0.apache.personality", "Apache_2"),
            ("libhtp.server-config.0.apache.request-body-limit", "8kb"),
        ]));
        let default = configuration.of("10.0.0.1".parse().unwrap());
        assert_eq!(default.response.limit, 0);
        assert_eq!(default.lzma_memory, Some(1 << 20));
        assert!(default.uri.backslash_is_slash);
        for server in ["192.168.1.77", "::1"] {
            let apache = configuration.of(server.parse().unwrap());
            assert_eq!(apache.request.limit, 8192);
            // Nothing is taken over from the section for all servers.
            assert_eq!(apache.response.limit, 4096);
            assert!(!apache.uri.backslash_is_slash && apache.nul_ends_request_line);
        }
    }
}
