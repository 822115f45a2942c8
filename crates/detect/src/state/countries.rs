//! Countries of addresses, from a database in MaxMind's format (`geoip-database`).

use std::net::IpAddr;
use std::path::Path;

use maxminddb::{PathElement, Reader};
use weir_base::{Pipes, Unreadable, named_file};

/// Longest database, in bytes.
const MAX_DATABASE: u64 = 1 << 30;

/// Where a country's code stands in a record.
const CODE: [PathElement<'static>; 2] = [PathElement::Key("country"), PathElement::Key("iso_code")];

/// A database, read when rules are loaded.
pub struct Countries(Reader<Vec<u8>>);

impl Countries {
    /// Reads the file at `path`; the error is a sentence without its end.
    pub fn open(path: &Path) -> Result<Self, String> {
        let bytes = named_file::read(path, Pipes::Refuse, MAX_DATABASE).map_err(|error| {
            let reason = Unreadable::new(path, &error);
            format!("the database {} (geoip-database) cannot be read: {reason}", path.display())
        })?;
        Self::new(bytes).map_err(|error| format!("{} is no GeoIP database: {error}", path.display()))
    }

    fn new(bytes: Vec<u8>) -> Result<Self, maxminddb::MaxMindDbError> {
        Reader::from_source(bytes).map(Self)
    }

    /// The code of an address's country (`DE`), where it is known.
    pub fn of(&self, address: IpAddr) -> Option<&str> {
        self.0.lookup(address).ok()?.decode_path(&CODE).ok()?
    }
}

impl std::fmt::Debug for Countries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Countries")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A map of `size` entries follows.
    fn map(size: u8) -> u8 {
        7 << 5 | size
    }

    fn text(value: &str) -> Vec<u8> {
        let mut bytes = vec![2 << 5 | value.len() as u8];
        bytes.extend(value.as_bytes());
        bytes
    }

    /// A database of IPv4 addresses, of which those that begin with the bit 1 lie in `country`.
    pub(crate) fn upper_half_in(country: &str) -> Countries {
        // One node of two records of three bytes: 1 is no data, 1 + 16 the data section's start.
        let mut bytes = vec![0, 0, 1, 0, 0, 17];
        bytes.extend([0; 16]);
        bytes.push(map(1));
        bytes.extend(text("country"));
        bytes.push(map(1));
        bytes.extend([text("iso_code"), text(country)].concat());
        bytes.extend(b"\xab\xcd\xefMaxMind.com");
        let number = |value: u8| vec![5 << 5 | 1, value];
        let metadata = [
            ("binary_format_major_version", number(2)),
            ("binary_format_minor_version", number(0)),
            ("build_epoch", vec![1, 2, 1]),
            ("database_type", text("Test")),
            ("description", vec![map(0)]),
            ("ip_version", number(4)),
            ("languages", vec![0, 4]),
            ("node_count", vec![6 << 5 | 1, 1]),
            ("record_size", number(24)),
        ];
        bytes.push(map(metadata.len() as u8));
        for (name, value) in metadata {
            // Names of 29 bytes and more have their length in a second byte; none is as long here.
            bytes.extend([text(name), value].concat());
        }
        Countries::new(bytes).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn codes_of_addresses() {
        let countries = upper_half_in("DE");
        assert_eq!(countries.of([200, 0, 0, 1].into()), Some("DE"));
        assert_eq!(countries.of([10, 0, 0, 1].into()), None);
    }

    #[test]
    fn databases_that_are_none() {
        let missing = Countries::open(Path::new("/nowhere/countries.mmdb")).map(|_| ()).unwrap_err();
        assert!(missing.contains("geoip-database"), "{missing}");
        assert!(Countries::new(b"countries".to_vec()).is_err());
    }
}
