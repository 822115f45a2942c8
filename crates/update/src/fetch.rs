//! Loads over HTTP and HTTPS, with a cache. Certificates are those that the system trusts; proxies those of
//! `http_proxy`, `https_proxy` and `no_proxy`.
//!
//! Limits: [`MAX_BYTES`], [`MAX_TIME`], five redirects, of which none leads from HTTPS to HTTP.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use md5::{Digest, Md5};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

use crate::store::write_file;

/// Most bytes loaded from one address.
pub const MAX_BYTES: u64 = 256 << 20;
/// Most bytes of a checksum's file.
const MAX_CHECKSUM: u64 = 4096;
/// Longest time for one address.
pub const MAX_TIME: Duration = Duration::from_secs(600);
/// Longest time to connect.
const CONNECT_TIME: Duration = Duration::from_secs(30);
const MAX_REDIRECTS: u32 = 5;

/// Where bytes are from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// They were loaded.
    Network,
    /// They were here: the checksum at the address is theirs, or nothing was to be loaded.
    Cache,
    /// They were here, and could not be loaded anew; why.
    Stale(String),
    /// They are a file's of this machine.
    Local,
}

/// What is to be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// `http://` or `https://`.
    pub url: String,
    /// Whether a checksum lies beside it, with `.md5` appended.
    pub checksum: bool,
    /// A header to send, as `Name: value`.
    pub header: Option<String>,
}

/// Loads, and keeps what it loaded.
pub struct Fetcher {
    /// The folder of the cache.
    pub cache: PathBuf,
    /// Nothing is loaded: what is in the cache counts.
    pub offline: bool,
    /// Everything is loaded, whatever its checksum.
    pub force: bool,
    /// What the program calls itself.
    pub user_agent: String,
}

impl Fetcher {
    /// The bytes at an address; the error is a clause with a remedy.
    pub fn load(&self, address: &Address) -> Result<(Vec<u8>, Origin), String> {
        let place = self.cache.join(cache_name(&address.url));
        let cached = || read_cached(&place);
        if self.offline {
            return cached()
                .map(|bytes| (bytes, Origin::Cache))
                .map_err(|_| "it was never loaded before. Leave --offline out".to_owned());
        }
        let agent = self.agent(&address.url);
        let checksum = address.checksum.then(|| self.checksum(&agent, address)).flatten();
        if !self.force
            && let (Some(expected), Ok(bytes)) = (&checksum, cached())
            && md5_hex(&bytes) == *expected
        {
            return Ok((bytes, Origin::Cache));
        }
        let loaded =
            get(&agent, &address.url, address.header.as_deref(), MAX_BYTES).and_then(
                |bytes| match checksum {
                    Some(expected) if md5_hex(&bytes) != expected => {
                        Err("its bytes are not those of its checksum. Try again later".to_owned())
                    }
                    _ => Ok(bytes),
                },
            );
        match loaded {
            Ok(bytes) => {
                fs::create_dir_all(&self.cache).and_then(|()| write_file(&place, &bytes)).map_err(
                    |error| {
                        format!("{} cannot be written: {error}. Name another --data-dir", place.display())
                    },
                )?;
                Ok((bytes, Origin::Network))
            }
            Err(why) => cached().map(|bytes| (bytes, Origin::Stale(why.clone()))).map_err(|_| why),
        }
    }

    /// The checksum beside an address; none where there is none.
    fn checksum(&self, agent: &Agent, address: &Address) -> Option<String> {
        let bytes =
            get(agent, &format!("{}.md5", address.url), address.header.as_deref(), MAX_CHECKSUM).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let word = text.split_whitespace().next()?.to_ascii_lowercase();
        (word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(word)
    }

    fn agent(&self, url: &str) -> Agent {
        // Another part of the program may have chosen; any choice will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        Agent::config_builder()
            .tls_config(tls)
            .https_only(url.starts_with("https:"))
            .max_redirects(MAX_REDIRECTS)
            .timeout_connect(Some(CONNECT_TIME))
            .timeout_global(Some(MAX_TIME))
            .user_agent(self.user_agent.clone())
            .build()
            .into()
    }
}

fn get(agent: &Agent, url: &str, header: Option<&str>, longest: u64) -> Result<Vec<u8>, String> {
    let mut request = agent.get(url);
    if let Some((name, value)) = header.and_then(|header| header.split_once(':')) {
        request = request.header(name.trim(), value.trim());
    }
    let told = |error: ureq::Error| match error {
        ureq::Error::StatusCode(code @ (401 | 403)) => {
            format!("the server answers {code}. Check its access code")
        }
        ureq::Error::StatusCode(code) => format!("the server answers {code}. Check the address"),
        ureq::Error::BodyExceedsLimit(limit) => {
            format!("it is longer than {} MiB. Check the address", limit >> 20)
        }
        other => format!("{other}. Check the address, the network and https_proxy"),
    };
    let mut answer = request.call().map_err(told)?;
    answer.body_mut().with_config().limit(longest).read_to_vec().map_err(told)
}

fn read_cached(path: &Path) -> io::Result<Vec<u8>> {
    weir_base::named_file::read(path, weir_base::Pipes::Refuse, MAX_BYTES)
}

/// Name of an address in the cache: no letter of it is the server's choice.
fn cache_name(url: &str) -> String {
    md5_hex(url.as_bytes())
}

pub(crate) fn md5_hex(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
