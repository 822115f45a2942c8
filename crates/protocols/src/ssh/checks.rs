//! Keywords of SSH that are no buffers.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::banner::Banner;
use super::transaction::SshTransaction;

/// Condition on a version.
#[derive(Debug, PartialEq, Eq)]
enum Version {
    /// It speaks the second one, if need be beside the first.
    Compatible,
    /// It is this one.
    Is(String),
}

/// `ssh.protoversion:2.0;`
pub fn protocol_version(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default().trim().trim_matches('"');
    if text.eq_ignore_ascii_case("2_compat") {
        return Ok(Box::new(Version::Compatible));
    }
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if text.splitn(2, '.').all(is_number) {
        return Ok(Box::new(Version::Is(text.to_owned())));
    }
    Err(format!("`{text}` is no version of SSH, such as 2.0 or 2_compat."))
}

fn banner(transaction: &dyn Transaction, direction: Direction) -> Option<&Banner> {
    downcast::<SshTransaction>(transaction)?.sides[direction].banner.as_ref()
}

impl TransactionCheck for Version {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let Some(banner) = banner(transaction, direction) else { return false };
        match self {
            Version::Compatible => matches!(banner.version(), b"2" | b"2.0" | b"1.99"),
            Version::Is(version) => banner.version() == version.as_bytes(),
        }
    }
}

/// Prefix of the software.
struct Software(String);

/// `ssh.softwareversion:"OpenSSH";`
pub fn software_version(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default().trim().trim_matches('"');
    if text.is_empty() {
        return Err("The beginning of a software's name is missing.".to_owned());
    }
    Ok(Box::new(Software(text.to_owned())))
}

impl TransactionCheck for Software {
    fn matches(&self, transaction: &dyn Transaction, direction: Direction) -> bool {
        let software = banner(transaction, direction).and_then(Banner::software);
        software.is_some_and(|software| software.starts_with(self.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tx(line: &str) -> SshTransaction {
        let mut tx = SshTransaction::default();
        tx.sides[Direction::ToServer].banner = Banner::read(line.as_bytes());
        tx
    }

    #[test]
    fn versions() {
        type Read = fn(Option<&str>) -> Result<Box<dyn TransactionCheck>, String>;
        let cases: &[(Read, &str, &str, bool)] = &[
            (protocol_version, "2_compat", "SSH-1.99-x", true),
            (protocol_version, "2_compat", "SSH-2.0-x", true),
            (protocol_version, "2_compat", "SSH-1.5-x", false),
            (protocol_version, "2.0", "SSH-2.0-x", true),
            (protocol_version, "1.10", "SSH-1.10-x", true),
            (protocol_version, "2", "SSH-2.0-x", false),
            (software_version, "\"OpenSSH\"", "SSH-2.0-OpenSSH_9.7", true),
            (software_version, "\"openssh\"", "SSH-2.0-OpenSSH_9.7", false),
            (software_version, "x", "no banner", false),
        ];
        for (read, option, line, expected) in cases {
            let check = read(Some(option)).unwrap_or_else(|error| panic!("{option}: {error}"));
            assert_eq!(check.matches(&tx(line), Direction::ToServer), *expected, "{option} {line}");
        }
        for option in ["", "two", "2.", ".0", "2.0.1"] {
            assert!(protocol_version(Some(option)).is_err(), "{option}");
        }
        assert!(software_version(None).is_err());
    }
}
