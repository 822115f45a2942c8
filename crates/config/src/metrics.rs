//! `metrics`: the address at which counters are served to collectors such as Prometheus.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::error::ConfigError;
use crate::settings::Settings;

/// Address where none is configured.
const DEFAULT: &str = "127.0.0.1:9467";

/// What an address looks like, for who wrote another.
const ADDRESSES: &str = "an address with a port, as 127.0.0.1:9467 or [::1]:9467, or the path of a socket, as unix:/run/weir/metrics.socket";

/// What a remote address needs.
const REMOTE: &str = "an address of this machine alone, as 127.0.0.1:9467, for whoever reaches another one reads all \
                      counters, and nothing is encrypted; metrics.allow-remote: yes permits it";

/// An address to serve at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsAddress {
    /// TCP.
    Network(SocketAddr),
    /// The file of a unix socket.
    Socket(PathBuf),
}

impl MetricsAddress {
    /// Reads the address, if metrics are enabled.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, ConfigError> {
        let section = settings.section("metrics");
        if !section.flag("enabled", false) {
            return Ok(None);
        }
        let text = section.text("listen").unwrap_or(DEFAULT);
        if let Some(path) = text.strip_prefix("unix:") {
            return match path.starts_with('/') {
                true => Ok(Some(Self::Socket(PathBuf::from(path)))),
                false => Err(section.wrong("listen", ADDRESSES)),
            };
        }
        let address: SocketAddr = text.parse().map_err(|_| section.wrong("listen", ADDRESSES))?;
        if !address.ip().to_canonical().is_loopback() && !section.flag("allow-remote", false) {
            return Err(section.wrong("listen", REMOTE));
        }
        Ok(Some(Self::Network(address)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Option<MetricsAddress>, String> {
        let text = format!("%YAML 1.1\n---\nmetrics:\n  {}\n", lines.join("\n  "));
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        MetricsAddress::from_settings(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn addresses_are_read() {
        let network = |text: &str| Some(MetricsAddress::Network(text.parse().unwrap()));
        for (lines, address) in [
            (&["enabled: no"][..], None),
            (&["listen: 127.0.0.1:1"], None),
            (&["enabled: yes"], network("127.0.0.1:9467")),
            (&["enabled: yes", "listen: 127.9.9.9:80"], network("127.9.9.9:80")),
            (&["enabled: yes", "listen: \"[::1]:80\""], network("[::1]:80")),
            (&["enabled: yes", "listen: 0.0.0.0:80", "allow-remote: yes"], network("0.0.0.0:80")),
            (&["enabled: yes", "listen: unix:/a/b"], Some(MetricsAddress::Socket("/a/b".into()))),
        ] {
            assert_eq!(read(lines), Ok(address), "{lines:?}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for (address, words) in [
            ("0.0.0.0:9467", "metrics.allow-remote: yes"),
            ("192.0.2.1:9467", "metrics.allow-remote: yes"),
            ("\"[::]:9467\"", "metrics.allow-remote: yes"),
            ("\"[::ffff:192.0.2.1]:9467\"", "metrics.allow-remote: yes"),
            ("9467", "with a port"),
            ("unix:relative", "unix:/run"),
        ] {
            let error = read(&["enabled: yes", &format!("listen: {address}")]).unwrap_err();
            assert!(error.contains(words), "{address}: {error}");
        }
    }
}
