//! The two hellos: RFC 8446 section 4.1.2 and 4.1.3, RFC 5246 section 7.4.1, and the shorter server
//! hello of TLS 1.3's drafts up to 21.

use weir_base::Reader;

use super::anomaly::TlsAnomaly;
use super::version::Version;

/// Extension numbers that are looked into.
mod extension {
    pub const SERVER_NAME: u16 = 0;
    pub const SUPPORTED_GROUPS: u16 = 10;
    pub const POINT_FORMATS: u16 = 11;
    pub const SIGNATURE_ALGORITHMS: u16 = 13;
    pub const ALPN: u16 = 16;
    pub const SESSION_TICKET: u16 = 35;
    pub const PRE_SHARED_KEY: u16 = 41;
    pub const EARLY_DATA: u16 = 42;
    pub const SUPPORTED_VERSIONS: u16 = 43;
    pub const KEY_SHARE: u16 = 51;
    /// Of the drafts up to 22.
    pub const KEY_SHARE_DRAFT: u16 = 40;
}

/// The random that marks a server's hello as a request for another hello.
const HELLO_RETRY_REQUEST: [u8; 32] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2,
    0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

/// Client hello.
///
/// It has a field for each part and extension of a hello that is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientHello {
    /// The version field, at most TLS 1.2's.
    pub version: Version,
    /// Time and random bytes.
    pub random: [u8; 32],
    /// The session to resume; may be empty.
    pub session_id: Vec<u8>,
    /// Cipher suites in order.
    pub ciphers: Vec<u16>,
    /// Extensions' numbers in order.
    pub extensions: Vec<u16>,
    /// The first server name.
    pub server_name: Option<Vec<u8>>,
    /// Application protocols in order.
    pub alpns: Vec<Vec<u8>>,
    /// The `supported_versions` extension.
    pub versions: Vec<Version>,
    /// Named groups in order.
    pub groups: Vec<u16>,
    /// Formats of points in order.
    pub point_formats: Vec<u8>,
    /// Signature algorithms in order.
    pub signature_algorithms: Vec<u16>,
    /// A session ticket that is not empty.
    pub has_ticket: bool,
    /// Any session ticket, be it empty.
    pub offers_ticket: bool,
    /// Offers to resume by a pre-shared key.
    pub has_psk: bool,
    /// Data is sent before the server answers, RFC 8446 section 4.2.10.
    pub has_early_data: bool,
}

/// Server hello.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerHello {
    /// The version field.
    pub legacy_version: Version,
    /// The version agreed on.
    pub version: Version,
    /// Time and random bytes.
    pub random: [u8; 32],
    /// The session.
    pub session_id: Vec<u8>,
    /// The cipher suite.
    pub cipher: u16,
    /// Extensions' numbers in order.
    pub extensions: Vec<u16>,
    /// The application protocols chosen, usually one.
    pub alpns: Vec<Vec<u8>>,
    /// The group of the key share.
    pub group: Option<u16>,
    /// Accepts the pre-shared key.
    pub has_psk: bool,
    /// Asks for another hello instead.
    pub is_retry_request: bool,
}

impl ClientHello {
    /// The version that the client would like best: of those that its extension lists the first, or
    /// what the older field says.
    pub fn preferred_version(&self) -> Version {
        let listed = self.versions.iter().copied().find(|version| version.is_for_records());
        listed.unwrap_or(self.version)
    }

    /// Reads the body of the handshake message. What is wrong with its extensions is added to
    /// `anomalies` and leaves the rest in use.
    pub fn read(body: &[u8], anomalies: &mut Vec<TlsAnomaly>) -> Option<Self> {
        let mut reader = Reader::new(body);
        let mut hello = Self {
            version: Version(reader.u16()?),
            random: reader.array()?,
            session_id: short(&mut reader)?.to_vec(),
            ciphers: long(&mut reader).map(numbers)?,
            ..Self::default()
        };
        // Compression methods.
        short(&mut reader)?;
        for_extensions(&mut reader, anomalies, |number, data| {
            let multiple = number == extension::SERVER_NAME && hello.server_name.is_some();
            hello.extension(number, data)?;
            hello.extensions.push(number);
            if multiple { Err(TlsAnomaly::MultipleSniExtensions) } else { Ok(()) }
        });
        Some(hello)
    }

    fn extension(&mut self, number: u16, data: &[u8]) -> Result<(), TlsAnomaly> {
        if number == extension::SERVER_NAME {
            let name = server_name(data)?;
            self.server_name = self.server_name.take().or(name);
            return Ok(());
        }
        // All may be empty; of two that says something.
        if data.is_empty() && !matches!(number, extension::SESSION_TICKET | extension::EARLY_DATA) {
            return Ok(());
        }
        self.other_extension(number, data).ok_or(TlsAnomaly::HandshakeInvalidLength)
    }

    fn other_extension(&mut self, number: u16, data: &[u8]) -> Option<()> {
        let mut reader = Reader::new(data);
        match number {
            extension::SUPPORTED_GROUPS => self.groups = long(&mut reader).map(numbers)?,
            extension::POINT_FORMATS => self.point_formats = short(&mut reader)?.to_vec(),
            extension::SIGNATURE_ALGORITHMS => {
                self.signature_algorithms = long(&mut reader).map(numbers)?;
            }
            extension::ALPN => self.alpns = alpns(&mut reader)?,
            extension::SESSION_TICKET => {
                self.offers_ticket = true;
                self.has_ticket = !data.is_empty();
            }
            extension::EARLY_DATA => self.has_early_data = true,
            extension::PRE_SHARED_KEY => self.has_psk = true,
            extension::SUPPORTED_VERSIONS => {
                self.versions = numbers(short(&mut reader)?).into_iter().map(Version).collect();
            }
            _ => {}
        }
        Some(())
    }
}

impl ServerHello {
    /// Reads the body of the handshake message.
    pub fn read(body: &[u8], anomalies: &mut Vec<TlsAnomaly>) -> Option<Self> {
        let mut reader = Reader::new(body);
        let legacy_version = Version(reader.u16()?);
        let mut hello = Self { legacy_version, version: legacy_version, ..Self::default() };
        hello.random = reader.array()?;
        hello.is_retry_request = hello.random == HELLO_RETRY_REQUEST;
        // The drafts that announce themselves here have neither session nor compression.
        let is_draft = legacy_version.is_13();
        if !is_draft {
            hello.session_id = short(&mut reader)?.to_vec();
        }
        hello.cipher = reader.u16()?;
        if is_draft {
            if legacy_version == Version::TLS13 {
                hello.version = Version::TLS13_EARLY_DRAFT;
            }
        } else {
            reader.skip(1)?;
        }
        for_extensions(&mut reader, anomalies, |number, data| {
            hello.extension(number, data).ok_or(TlsAnomaly::HandshakeInvalidLength)?;
            hello.extensions.push(number);
            Ok(())
        });
        Some(hello)
    }

    fn extension(&mut self, number: u16, data: &[u8]) -> Option<()> {
        if data.is_empty() && number != extension::PRE_SHARED_KEY {
            return Some(());
        }
        let mut reader = Reader::new(data);
        match number {
            extension::ALPN => self.alpns = alpns(&mut reader)?,
            extension::PRE_SHARED_KEY => self.has_psk = true,
            extension::SUPPORTED_VERSIONS => self.version = Version(reader.u16()?),
            extension::KEY_SHARE | extension::KEY_SHARE_DRAFT => self.group = Some(reader.u16()?),
            _ => {}
        }
        Some(())
    }
}

/// The application protocols of a server's encrypted extensions are not seen; those of its hello
/// are. This reads the list of either hello.
fn alpns(reader: &mut Reader<'_>) -> Option<Vec<Vec<u8>>> {
    let mut list = Reader::new(long(reader)?);
    let mut alpns = Vec::new();
    while !list.is_empty() {
        alpns.push(short(&mut list)?.to_vec());
    }
    Some(alpns)
}

/// Longest name of a host.
const MAX_NAME: usize = 255;

/// RFC 6066 section 3: the host name in a list of names. Only the first name is looked at, whatever the list's
/// own length says.
fn server_name(data: &[u8]) -> Result<Option<Vec<u8>>, TlsAnomaly> {
    if data.is_empty() {
        return Ok(None);
    }
    let mut reader = Reader::new(data);
    let kind = reader.u16().and_then(|_| reader.u8()).ok_or(TlsAnomaly::HandshakeInvalidLength)?;
    if kind != 0 {
        return Err(TlsAnomaly::InvalidSniType);
    }
    let length = usize::from(reader.u16().ok_or(TlsAnomaly::HandshakeInvalidLength)?);
    match reader.take(length) {
        Some(name) if (1..=MAX_NAME).contains(&length) => Ok(Some(name.to_vec())),
        _ => Err(TlsAnomaly::InvalidSniLength),
    }
}

/// Calls `take` for each extension, if there are any; those behind one that breaks its format are not looked at.
fn for_extensions(
    reader: &mut Reader<'_>,
    anomalies: &mut Vec<TlsAnomaly>,
    mut take: impl FnMut(u16, &[u8]) -> Result<(), TlsAnomaly>,
) {
    if reader.len() < 2 {
        return;
    }
    let Some(mut list) = long(reader).map(Reader::new) else {
        anomalies.push(TlsAnomaly::HandshakeInvalidLength);
        return;
    };
    while !list.is_empty() {
        let (Some(number), Some(data)) = (list.u16(), long(&mut list)) else {
            anomalies.push(TlsAnomaly::HandshakeInvalidLength);
            return;
        };
        if let Err(anomaly) = take(number, data) {
            anomalies.push(anomaly);
            if anomaly != TlsAnomaly::MultipleSniExtensions {
                return;
            }
        }
    }
}

/// Bytes behind a length of one byte.
fn short<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u8()?;
    reader.take(usize::from(length))
}

/// Bytes behind a length of two bytes.
fn long<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.u16()?;
    reader.take(usize::from(length))
}

fn numbers(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Data behind its length in two bytes.
    pub fn sized(data: &[u8]) -> Vec<u8> {
        [&(data.len() as u16).to_be_bytes()[..], data].concat()
    }

    /// An extension.
    pub fn extension(number: u16, data: &[u8]) -> Vec<u8> {
        [&number.to_be_bytes()[..], &sized(data)].concat()
    }

    /// A server name extension.
    pub fn server_name_extension(name: &[u8]) -> Vec<u8> {
        extension(0, &sized(&[&[0][..], &sized(name)].concat()))
    }

    /// The body of a client's hello.
    pub fn client_hello(version: u16, ciphers: &[u16], extensions: &[Vec<u8>]) -> Vec<u8> {
        let mut body = version.to_be_bytes().to_vec();
        body.extend([7; 32]);
        body.extend([2, 0xaa, 0xbb]);
        body.extend(sized(&ciphers.iter().flat_map(|cipher| cipher.to_be_bytes()).collect::<Vec<_>>()));
        body.extend([1, 0]);
        body.extend(sized(&extensions.concat()));
        body
    }

    /// The body of a server's hello.
    pub fn server_hello(version: u16, cipher: u16, extensions: &[Vec<u8>]) -> Vec<u8> {
        let mut body = version.to_be_bytes().to_vec();
        body.extend([9; 32]);
        if version < 0x0304 {
            body.push(0);
        }
        body.extend(cipher.to_be_bytes());
        if version < 0x0304 {
            body.push(0);
        }
        body.extend(sized(&extensions.concat()));
        body
    }

    #[test]
    fn a_client_hello_with_everything() {
        let extensions = [
            server_name_extension(b"zeek.org"),
            extension(10, &sized(&[0, 29, 0, 23])),
            extension(11, &[1, 0]),
            extension(13, &sized(&[4, 3])),
            extension(16, &sized(b"\x02h2\x08http/1.1")),
            extension(35, b"ticket"),
            extension(43, &[4, 3, 4, 3, 3]),
        ];
        let mut anomalies = Vec::new();
        let hello =
            ClientHello::read(&client_hello(0x0303, &[0x1301, 0x0a0a], &extensions), &mut anomalies).unwrap();
        let expected = ClientHello {
            version: Version::TLS12,
            random: [7; 32],
            session_id: vec![0xaa, 0xbb],
            ciphers: vec![0x1301, 0x0a0a],
            extensions: vec![0, 10, 11, 13, 16, 35, 43],
            server_name: Some(b"zeek.org".to_vec()),
            alpns: vec![b"h2".to_vec(), b"http/1.1".to_vec()],
            versions: vec![Version::TLS13, Version::TLS12],
            groups: vec![29, 23],
            point_formats: vec![0],
            signature_algorithms: vec![0x0403],
            has_ticket: true,
            offers_ticket: true,
            has_psk: false,
            has_early_data: false,
        };
        assert_eq!((hello, anomalies), (expected, vec![]));
    }

    #[test]
    fn broken_extensions() {
        let cases: [(Vec<Vec<u8>>, &[TlsAnomaly]); 8] = [
            (vec![extension(0, &[])], &[]),
            (vec![extension(0, &[0, 9, 0])], &[TlsAnomaly::HandshakeInvalidLength]),
            (vec![server_name_extension(&[b'a'; 256])], &[TlsAnomaly::InvalidSniLength]),
            (vec![server_name_extension(b"")], &[TlsAnomaly::InvalidSniLength]),
            (vec![extension(10, &[0, 9, 0]), extension(16, &[0])], &[TlsAnomaly::HandshakeInvalidLength]),
            (vec![extension(0, &sized(&[0, 0, 9, b'a']))], &[TlsAnomaly::InvalidSniLength]),
            (vec![extension(0, &sized(&[7, 0, 1, b'a']))], &[TlsAnomaly::InvalidSniType]),
            (
                vec![server_name_extension(b"a"), server_name_extension(b"b")],
                &[TlsAnomaly::MultipleSniExtensions],
            ),
        ];
        for (extensions, expected) in cases {
            let mut anomalies = Vec::new();
            assert!(ClientHello::read(&client_hello(0x0303, &[1], &extensions), &mut anomalies).is_some());
            assert_eq!(anomalies, expected);
        }
    }

    #[test]
    fn server_versions() {
        let cases = [
            (server_hello(0x0303, 1, &[]), Version::TLS12),
            (server_hello(0x0303, 1, &[extension(43, &[3, 4])]), Version::TLS13),
            (server_hello(0x0303, 1, &[extension(43, &[0x7f, 0x1c])]), Version(0x7f1c)),
            (server_hello(0x7f12, 1, &[extension(40, &[0, 29])]), Version(0x7f12)),
            (server_hello(0x0304, 1, &[]), Version::TLS13_EARLY_DRAFT),
        ];
        for (body, expected) in cases {
            let hello = ServerHello::read(&body, &mut Vec::new()).unwrap();
            assert_eq!((hello.version, hello.cipher), (expected, 1));
        }
        assert!(ServerHello::read(&server_hello(0x0303, 1, &[])[..36], &mut Vec::new()).is_none());
    }
}
