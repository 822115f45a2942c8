//! `app-layer.protocols.http.libhtp`: limits and personalities, by the server's network.

use std::net::IpAddr;

use crate::error::ConfigError;
use crate::host_os::Prefix;
use crate::settings::{Section, Settings};
use crate::stream::AutoFlag;

/// Which server's way of reading requests is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Personality {
    /// As little as can be.
    Minimal,
    /// A generic server.
    Generic,
    /// What a detection engine wants to see.
    #[default]
    Ids,
    /// IIS 4.0.
    Iis40,
    /// IIS 5.0.
    Iis50,
    /// IIS 5.1.
    Iis51,
    /// IIS 6.0.
    Iis60,
    /// IIS 7.0.
    Iis70,
    /// IIS 7.5.
    Iis75,
    /// Apache 2.
    Apache2,
}

const PERSONALITIES: &[(&str, Personality)] = &[
    ("Minimal", Personality::Minimal),
    ("Generic", Personality::Generic),
    ("IDS", Personality::Ids),
    ("IIS_4_0", Personality::Iis40),
    ("IIS_5_0", Personality::Iis50),
    ("IIS_5_1", Personality::Iis51),
    ("IIS_6_0", Personality::Iis60),
    ("IIS_7_0", Personality::Iis70),
    ("IIS_7_5", Personality::Iis75),
    ("Apache_2", Personality::Apache2),
    ("Apache", Personality::Apache2),
    ("Apache_2_2", Personality::Apache2),
];

/// Flash files: what is decompressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwfSettings {
    /// Decompress at all.
    pub enabled: bool,
    /// Deflate.
    pub deflate: bool,
    /// LZMA.
    pub lzma: bool,
    /// Compressed bytes that are read; 0 for all.
    pub compress_depth: u32,
    /// Bytes that are made; 0 for all.
    pub decompress_depth: u32,
}

/// How requests and responses of some servers are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpServer {
    /// The server's way.
    pub personality: Personality,
    /// How much of a request's body is inspected; 0 for all.
    pub request_body_limit: u32,
    /// How much of a response's body is inspected; 0 for all.
    pub response_body_limit: u32,
    /// Inspection of a request's body begins with this many bytes.
    pub request_inspect_min_size: u32,
    /// And looks back this far.
    pub request_inspect_window: u32,
    /// Inspection of a response's body begins with this many bytes.
    pub response_inspect_min_size: u32,
    /// And looks back this far.
    pub response_inspect_window: u32,
    /// Vary the inspection sizes.
    pub randomize: bool,
    /// By up to this, in per cent.
    pub randomize_range: u8,
    /// Inspect bodies as they come.
    pub body_inline: AutoFlag,
    /// Content-Encoding layers that are undone; 0 for none.
    pub decompress_layers: u32,
    /// LZMA content.
    pub lzma_enabled: bool,
    /// Bytes an LZMA decompressor may take.
    pub lzma_memlimit: u32,
    /// Bytes that content may grow to before it is called a bomb.
    pub compression_bomb_limit: u32,
    /// Microseconds spent on decompressing one body.
    pub decompression_time_limit: u32,
    /// Undo percent-encoding of the path twice.
    pub double_decode_path: bool,
    /// Undo percent-encoding of the query twice.
    pub double_decode_query: bool,
    /// Plus signs of the query are spaces.
    pub query_plus_is_space: bool,
    /// Longest request line, status line or field.
    pub meta_field_limit: u32,
    /// Transactions open in a flow.
    pub max_tx: u32,
    /// Fields of a message.
    pub headers_limit: u32,
    /// Flash.
    pub swf: SwfSettings,
    /// `uri-include-all`: the normalized URI has all parts of the address.
    pub uri_include_all: bool,
    /// `\` is `/` in paths; `None` for the personality's way.
    pub backslash_is_slash: Option<bool>,
}

impl Default for HttpServer {
    fn default() -> Self {
        Self {
            personality: Personality::Ids,
            request_body_limit: 4096,
            response_body_limit: 4096,
            request_inspect_min_size: 32_768,
            request_inspect_window: 4096,
            response_inspect_min_size: 32_768,
            response_inspect_window: 4096,
            randomize: true,
            randomize_range: 10,
            body_inline: AutoFlag::Auto,
            decompress_layers: 2,
            lzma_enabled: false,
            lzma_memlimit: 1 << 20,
            compression_bomb_limit: 1 << 20,
            decompression_time_limit: 100_000,
            double_decode_path: false,
            double_decode_query: false,
            query_plus_is_space: false,
            meta_field_limit: 18_432,
            max_tx: 512,
            headers_limit: 1024,
            swf: SwfSettings {
                enabled: false,
                deflate: true,
                lzma: true,
                compress_depth: 0,
                decompress_depth: 0,
            },
            uri_include_all: false,
            backslash_is_slash: None,
        }
    }
}

impl HttpServer {
    fn read(section: &Section<'_>) -> Result<Self, ConfigError> {
        let base = Self::default();
        let personality = section.choice("personality", Personality::Ids, PERSONALITIES).or_else(|_| {
            let message = format!(
                "Unknown personality {}; IDS is used.",
                section.text("personality").unwrap_or_default()
            );
            section.settings().warn("app-layer-htp", message, section.node().map(|node| node.location()));
            Ok(Personality::Ids)
        })?;
        let range =
            section.integer("randomize-inspection-range", base.randomize_range.into(), 0..=100)? as u8;
        let time_limit = section.integer32("decompression-time-limit", base.decompression_time_limit)?;
        Ok(Self {
            personality,
            request_body_limit: section.size32("request-body-limit", base.request_body_limit)?,
            response_body_limit: section.size32("response-body-limit", base.response_body_limit)?,
            request_inspect_min_size: section
                .size32("request-body-minimal-inspect-size", base.request_inspect_min_size)?,
            request_inspect_window: section
                .size32("request-body-inspect-window", base.request_inspect_window)?,
            response_inspect_min_size: section
                .size32("response-body-minimal-inspect-size", base.response_inspect_min_size)?,
            response_inspect_window: section
                .size32("response-body-inspect-window", base.response_inspect_window)?,
            randomize: section.flag("randomize-inspection-sizes", base.randomize),
            randomize_range: range,
            body_inline: AutoFlag::read(section, "http-body-inline", AutoFlag::Auto),
            decompress_layers: section
                .integer32("response-body-decompress-layer-limit", base.decompress_layers)?,
            lzma_enabled: section.flag("lzma-enabled", base.lzma_enabled),
            lzma_memlimit: section.size32("lzma-memlimit", base.lzma_memlimit)?,
            compression_bomb_limit: section.size32("compression-bomb-limit", base.compression_bomb_limit)?,
            decompression_time_limit: time_limit,
            double_decode_path: section.flag("double-decode-path", base.double_decode_path),
            double_decode_query: section.flag("double-decode-query", base.double_decode_query),
            query_plus_is_space: section.flag("query-plusspace-decode", base.query_plus_is_space),
            meta_field_limit: section.size32("meta-field-limit", base.meta_field_limit)?,
            max_tx: section.integer32("max-tx", base.max_tx)?,
            headers_limit: section.integer32("headers-limit", base.headers_limit)?,
            swf: swf(&section.section("swf-decompression"))?,
            uri_include_all: section.flag("uri-include-all", base.uri_include_all),
            backslash_is_slash: section.text("path-convert-backslash-separators").map(crate::value::is_true),
        })
    }
}

fn swf(section: &Section<'_>) -> Result<SwfSettings, ConfigError> {
    let words = [("both", (true, true)), ("deflate", (true, false)), ("lzma", (false, true))];
    let (deflate, lzma) = section.choice("type", (true, true), &words)?;
    Ok(SwfSettings {
        enabled: section.flag("enabled", false),
        deflate,
        lzma,
        compress_depth: section.size32("compress-depth", 0)?,
        decompress_depth: section.size32("decompress-depth", 0)?,
    })
}

/// `app-layer.protocols.http`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Bytes of bodies over all flows; 0 for no limit.
    pub memcap: u64,
    /// Bytes of files put together from ranges.
    pub byterange_memcap: u64,
    /// Seconds until an unfinished one is given up.
    pub byterange_timeout_secs: u32,
    /// `default-config`.
    pub default_server: HttpServer,
    /// `server-config`: name, networks, and how these servers are read.
    pub servers: Vec<(String, Vec<Prefix>, HttpServer)>,
}

impl HttpSettings {
    /// Reads `app-layer.protocols.http`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let http = settings.section("app-layer.protocols.http");
        let libhtp = http.section("libhtp");
        let mut servers = Vec::new();
        for entry in libhtp.section("server-config").children() {
            let Some(server) = entry.children().into_iter().next() else { continue };
            let mut networks = Vec::new();
            for text in server.list("address") {
                let prefix = Prefix::parse(text);
                networks
                    .push(prefix.ok_or_else(|| server.wrong("address", "a list of addresses or networks"))?);
            }
            let name = server.node().map(|node| node.name().to_owned()).unwrap_or_default();
            servers.push((name, networks, HttpServer::read(&server)?));
        }
        let byterange = match http.section("byterange") {
            section if section.node().is_some() => section,
            _ => settings.section("containers.urlrange"),
        };
        Ok(Self {
            memcap: http.size("memcap", 0)?,
            byterange_memcap: byterange.size("memcap", 100 << 20)?,
            byterange_timeout_secs: byterange.integer32("timeout", 60)?,
            default_server: HttpServer::read(&libhtp.section("default-config"))?,
            servers,
        })
    }

    /// How the server at an address is read: by the most specific network it is in.
    pub fn server(&self, address: IpAddr) -> &HttpServer {
        let matching = self.servers.iter().flat_map(|(_, networks, server)| {
            networks
                .iter()
                .filter(|network| network.contains(address))
                .map(move |network| (network.length, server))
        });
        matching.max_by_key(|(length, _)| *length).map_or(&self.default_server, |(_, server)| server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_by_network() {
        let text = b"%YAML 1.1\n---\napp-layer:\n  protocols:\n    http:\n      libhtp:\n        default-config:\n          personality: IDS\n          response-body-limit: 1mb\n        server-config:\n          - apache:\n              address: [192.168.1.0/24, \"::1\"]\n              personality: Apache_2\n              request-body-limit: 4kb\n          - iis7:\n              address:\n                - 192.168.0.0/16\n              personality: IIS_7_0\n";
        let http =
            HttpSettings::from_settings(&Settings::from_text::<&str>(text, "t", &[]).unwrap()).unwrap();
        for (address, personality) in [
            ("192.168.1.9", Personality::Apache2),
            ("192.168.3.1", Personality::Iis70),
            ("10.0.0.1", Personality::Ids),
        ] {
            assert_eq!(http.server(address.parse().unwrap()).personality, personality, "{address}");
        }
        assert_eq!(http.default_server.response_body_limit, 1 << 20);
        assert_eq!(http.servers[0].2.request_body_limit, 4096);
    }

    #[test]
    fn values_are_checked() {
        let base = "app-layer.protocols.http.libhtp.default-config";
        for (setting, good) in [
            ("response-body-limit=200kb", true),
            ("response-body-limit=many", false),
            ("personality=IIS_9", true),
            ("swf-decompression.type=zip", false),
            ("lzma-enabled=yes", true),
        ] {
            let settings = Settings::from_text(b"", "t", &[format!("{base}.{setting}")]).unwrap();
            assert_eq!(HttpSettings::from_settings(&settings).is_ok(), good, "{setting}");
        }
    }

    #[test]
    fn shipped_limits() {
        let http = HttpSettings::from_settings(&Settings::built_in::<&str>(&[]).unwrap()).unwrap();
        let server = http.default_server;
        assert_eq!((server.request_body_limit, server.response_inspect_min_size), (100 << 10, 40 << 10));
        assert!(!server.swf.enabled && server.randomize && server.body_inline == AutoFlag::Auto);
    }
}
