//! `host-os-policy`: which operating system puts overlapping data together at an address.

use std::net::IpAddr;

use crate::error::ConfigError;
use crate::settings::Settings;

/// An address and how many of its bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefix {
    /// Network address, its host bits zero.
    pub address: IpAddr,
    /// Bits that count.
    pub length: u8,
}

impl Prefix {
    /// Reads `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `::1` or `2001:db8::/32`.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.trim().trim_start_matches('[').trim_end_matches(']').parse().ok()?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => longest,
            Some(mask) if mask.contains('.') && address.is_ipv4() => {
                let bits = u32::from(mask.parse::<std::net::Ipv4Addr>().ok()?);
                let ones = bits.leading_ones();
                (bits.count_ones() == ones).then_some(ones as u8)?
            }
            Some(length) => length.trim().parse::<u8>().ok().filter(|length| *length <= longest)?,
        };
        Some(Self { address: mask(address, length), length })
    }

    /// Whether an address lies in it.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && mask(address, self.length) == self.address
    }
}

fn mask(address: IpAddr, length: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let keep = u32::MAX.checked_shl(32u32.saturating_sub(length.into())).unwrap_or(0);
            IpAddr::V4((u32::from(v4) & keep).into())
        }
        IpAddr::V6(v6) => {
            let keep = u128::MAX.checked_shl(128u32.saturating_sub(length.into())).unwrap_or(0);
            IpAddr::V6((u128::from(v6) & keep).into())
        }
    }
}

/// The systems whose ways with overlaps are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OsPolicy {
    /// BSD, the way without a setting.
    #[default]
    Bsd,
    /// BSD, later data first.
    BsdRight,
    /// Linux before 2.4.
    OldLinux,
    /// Linux.
    Linux,
    /// Solaris before 9.
    OldSolaris,
    /// Solaris.
    Solaris,
    /// HP-UX 10.
    Hpux10,
    /// HP-UX 11.
    Hpux11,
    /// IRIX.
    Irix,
    /// macOS.
    Macos,
    /// Windows up to XP.
    Windows,
    /// Windows Vista and later.
    Vista,
    /// Windows Server 2003.
    Windows2k3,
}

/// Names as the configuration writes them.
const NAMES: &[(&str, OsPolicy)] = &[
    ("bsd", OsPolicy::Bsd),
    ("bsd-right", OsPolicy::BsdRight),
    ("old-linux", OsPolicy::OldLinux),
    ("linux", OsPolicy::Linux),
    ("old-solaris", OsPolicy::OldSolaris),
    ("solaris", OsPolicy::Solaris),
    ("hpux10", OsPolicy::Hpux10),
    ("hpux11", OsPolicy::Hpux11),
    ("irix", OsPolicy::Irix),
    ("macos", OsPolicy::Macos),
    ("windows", OsPolicy::Windows),
    ("vista", OsPolicy::Vista),
    ("windows2k3", OsPolicy::Windows2k3),
];

impl OsPolicy {
    /// The name in the configuration.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, policy)| *policy == self).map_or("bsd", |(name, _)| name)
    }
}

/// Systems by network.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct HostOsPolicy {
    /// The most specific network first, and of two that are the same the later one of the file.
    pub networks: Vec<(Prefix, OsPolicy)>,
}

impl HostOsPolicy {
    /// Reads `host-os-policy`. A name that is no system is warned of and left out.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let section = settings.section("host-os-policy");
        let mut networks = Vec::new();
        for system in section.node().map(|node| node.children()).unwrap_or_default() {
            let Some((_, policy)) = NAMES.iter().find(|(name, _)| *name == system.name()) else {
                let message = format!("unknown host-os-policy {}: it is not used", system.name());
                settings.warn("conf", message, Some(system.location()));
                continue;
            };
            for text in system.texts() {
                let prefix = Prefix::parse(text)
                    .ok_or_else(|| section.wrong(system.name(), "a list of addresses or networks"))?;
                networks.push((prefix, *policy));
            }
        }
        networks.reverse();
        networks.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.length));
        Ok(Self { networks })
    }

    /// The system at an address: that of the most specific network it is in.
    pub fn policy_for(&self, address: IpAddr) -> OsPolicy {
        let first = self.networks.iter().find(|(prefix, _)| prefix.contains(address));
        first.map_or(OsPolicy::default(), |(_, policy)| *policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        for (text, expected) in [
            ("10.1.2.3/8", Some("10.0.0.0/8")),
            ("10.1.2.3/255.255.0.0", Some("10.1.0.0/16")),
            ("0.0.0.0/0", Some("0.0.0.0/0")),
            ("::1", Some("::1/128")),
            ("2001:db8:1::/32", Some("2001:db8::/32")),
            ("10.0.0.0/33", None),
            ("10.0.0.0/255.0.255.0", None),
            ("host", None),
            ("", None),
        ] {
            let found = Prefix::parse(text).map(|prefix| format!("{}/{}", prefix.address, prefix.length));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_most_specific_network_counts() {
        let text = b"%YAML 1.1\n---\nhost-os-policy:\n  windows: [0.0.0.0/0]\n  linux: [10.0.0.0/8, \"2001:db8::/32\"]\n  solaris: [\"10.1.0.0/16\"]\n  bsd: []\n";
        let policy =
            HostOsPolicy::from_settings(&Settings::from_text::<&str>(text, "t", &[]).unwrap()).unwrap();
        for (address, expected) in [
            ("192.0.2.1", OsPolicy::Windows),
            ("10.2.0.1", OsPolicy::Linux),
            ("10.1.0.1", OsPolicy::Solaris),
            ("2001:db8::1", OsPolicy::Linux),
            ("::1", OsPolicy::Bsd),
        ] {
            assert_eq!(policy.policy_for(address.parse().unwrap()), expected, "{address}");
        }
    }
}
