//! JA3, JA3S and JA4: fingerprints of clients and servers by what their hellos offer.
//!
//! JA3 after John Althouse, Jeff Atkinson and Josh Atkins; JA4 (the TLS client fingerprint, which is
//! free to use) after FoxIO's specification.

use md5::{Digest, Md5};
use sha2::Sha256;
use weir_base::hex;

use super::hello::{ClientHello, ServerHello};
use super::version::is_grease;

const SERVER_NAME: u16 = 0;
const ALPN: u16 = 16;

/// Room for the usual string of a JA3.
const JA3_LENGTH: usize = 256;

/// Digits of a JA4 hash that are kept.
const JA4_HASH_DIGITS: usize = 12;

/// Most that JA4's counts show.
const JA4_MAX_COUNT: usize = 99;

/// A JA3 or JA3S fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ja3 {
    /// Numbers by commas and dashes.
    pub string: String,
    /// The MD5 of the string.
    pub hash: String,
}

impl Ja3 {
    fn new(string: String) -> Self {
        let hash = hex::string(&Md5::digest(string.as_bytes()));
        Self { string, hash }
    }

    /// JA3 of a client.
    pub fn of_client(hello: &ClientHello) -> Self {
        let formats: Vec<u16> = hello.point_formats.iter().map(|&format| u16::from(format)).collect();
        let mut string = String::with_capacity(JA3_LENGTH);
        append_decimal(&mut string, hello.version.0);
        for list in [&hello.ciphers, &hello.extensions, &hello.groups, &formats] {
            string.push(',');
            append_dashed(&mut string, list);
        }
        Self::new(string)
    }

    /// JA3S of a server.
    pub fn of_server(hello: &ServerHello) -> Self {
        let mut string = format!("{},{},", hello.legacy_version.0, hello.cipher);
        append_dashed(&mut string, &hello.extensions);
        Self::new(string)
    }
}

fn append_dashed(string: &mut String, list: &[u16]) {
    for (index, &number) in list.iter().filter(|&&number| !is_grease(number)).enumerate() {
        if index > 0 {
            string.push('-');
        }
        append_decimal(string, number);
    }
}

fn append_decimal(string: &mut String, number: u16) {
    string.push_str(itoa::Buffer::new().format(number));
}

/// Transport of a hello, for JA4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carrier {
    /// TCP.
    Tcp,
    /// QUIC.
    Quic,
}

/// JA4 of a client.
pub fn ja4(hello: &ClientHello, carrier: Carrier) -> String {
    let kept = |list: &[u16]| -> Vec<u16> { list.iter().copied().filter(|&n| !is_grease(n)).collect() };
    let mut ciphers = kept(&hello.ciphers);
    let mut extensions = kept(&hello.extensions);
    let versions = hello.versions.iter().copied().filter(|version| !is_grease(version.0));
    let version = versions.max().unwrap_or(hello.version);
    let named = if extensions.contains(&SERVER_NAME) { 'd' } else { 'i' };
    let mark = match carrier {
        Carrier::Tcp => 't',
        Carrier::Quic => 'q',
    };
    let head = format!(
        "{mark}{}{named}{:02}{:02}{}",
        version.ja4(),
        ciphers.len().min(JA4_MAX_COUNT),
        extensions.len().min(JA4_MAX_COUNT),
        alpn_mark(hello.alpns.first().map_or(&[], Vec::as_slice)),
    );
    ciphers.sort_unstable();
    extensions.retain(|&number| number != SERVER_NAME && number != ALPN);
    extensions.sort_unstable();
    // The engine that users come from writes the mark between the two lists, and hashes them, also where they are
    // empty; the specification leaves it out there, or has zeros.
    let second =
        format!("{}_{}", comma_joined(&extensions), comma_joined(&kept(&hello.signature_algorithms)));
    format!("{head}_{}_{}", short_hash(&comma_joined(&ciphers)), short_hash(&second))
}

/// The first and last character of the first protocol; of bytes that are no letters or digits,
/// the first and last digit of their hexadecimal form.
fn alpn_mark(alpn: &[u8]) -> String {
    let (Some(&first), Some(&last)) = (alpn.first(), alpn.last()) else { return "00".into() };
    if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() {
        return [first, last].map(char::from).iter().collect();
    }
    let ([high, _], [_, low]) = (hex::digits(first), hex::digits(last));
    [high, low].map(char::from).iter().collect()
}

fn comma_joined(list: &[u16]) -> String {
    let mut joined = String::with_capacity(list.len() * "0000,".len());
    for number in list {
        if !joined.is_empty() {
            joined.push(',');
        }
        joined.extend(number.to_be_bytes().into_iter().flat_map(hex::digits).map(char::from));
    }
    joined
}

fn short_hash(text: &str) -> String {
    let mut digest = hex::string(&Sha256::digest(text.as_bytes()));
    digest.truncate(JA4_HASH_DIGITS);
    digest
}

#[cfg(test)]
mod tests {
    use super::super::version::Version;
    use super::*;

    #[test]
    fn ja3_leaves_grease_out() {
        let hello = ClientHello {
            version: Version::TLS12,
            ciphers: vec![0x0a0a, 4865, 4866],
            extensions: vec![0x1a1a, 0, 43],
            groups: vec![0x2a2a, 29],
            point_formats: vec![0, 1],
            ..ClientHello::default()
        };
        let ja3 = Ja3::of_client(&hello);
        assert_eq!(ja3.string, "771,4865-4866,0-43,29,0-1");
        assert_eq!(ja3.hash, hex::string(&Md5::digest(b"771,4865-4866,0-43,29,0-1")));
        let hello = ServerHello {
            legacy_version: Version::TLS12,
            cipher: 4865,
            extensions: vec![51, 43],
            ..ServerHello::default()
        };
        assert_eq!(Ja3::of_server(&hello).string, "771,4865,51-43");
    }

    /// The example of the JA4 specification.
    #[test]
    fn ja4_of_the_specification() {
        let hello = ClientHello {
            version: Version::TLS12,
            ciphers: vec![
                0xcaca, 0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc013,
                0xc014, 0x009c, 0x009d, 0x002f, 0x0035,
            ],
            extensions: vec![
                0x2a2a, 0x001b, 0x0000, 0x0033, 0x0010, 0x4469, 0x0017, 0x002d, 0x000d, 0x0005, 0x0023,
                0x0012, 0x002b, 0xff01, 0x000b, 0x000a, 0x0015, 0x5a5a,
            ],
            versions: vec![Version(0x6a6a), Version::TLS13, Version::TLS12],
            alpns: vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            signature_algorithms: vec![0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601],
            ..ClientHello::default()
        };
        assert_eq!(ja4(&hello, Carrier::Tcp), "t13d1516h2_8daaf6152771_e5627efa2ab1");
        assert_eq!(ja4(&ClientHello::default(), Carrier::Quic), "q00i000000_e3b0c44298fc_d2e2adf7177b");
        let old = ClientHello { extensions: vec![5, 10, 11, 35, 23, 65281], ..ClientHello::default() };
        assert_eq!(ja4(&old, Carrier::Tcp), "t00i000600_e3b0c44298fc_ce66f3b797c1");
    }

    #[test]
    fn alpn_marks() {
        let cases: [(&[u8], &str); 5] =
            [(b"", "00"), (b"h2", "h2"), (b"x", "xx"), (b"\xab\xcd", "ad"), (b"a\x30\xff", "6f")];
        for (alpn, expected) in cases {
            assert_eq!(alpn_mark(alpn), expected);
        }
    }
}
