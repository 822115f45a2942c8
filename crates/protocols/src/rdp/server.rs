//! Server data blocks (MS-RDPBCGR 2.2.1.4).

use weir_base::Reader;

use super::client::{next_block, user_data};

/// Type of the security data block (`SC_SECURITY`).
const SECURITY: u16 = 0x0c02;

/// A server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Server {
    /// Result of the conference.
    pub result: Option<u8>,
    /// Security data: encryption, and the server's certificate.
    pub security: Option<Security>,
}

impl Server {
    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        let certificate = self.security.as_ref().and_then(|security| security.certificate.as_ref());
        let chain = certificate.map_or(&[][..], |certificate| &certificate.chain);
        chain.iter().map(|der| size_of::<Vec<u8>>() + der.capacity()).sum()
    }
}

/// The way in which secrets are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Security {
    /// The method.
    pub method: u32,
    /// The level.
    pub level: u32,
    /// The certificate.
    pub certificate: Option<Certificate>,
}

/// Most X.509 certificates of a server that are kept. [`Certificate::count`], which `rdp.log` shows as `cert_count`, tells
/// of those beyond.
pub const MAX_CERTIFICATES: usize = 16;

/// A certificate, or more of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Type.
    pub kind: u32,
    /// It is not for a while only.
    pub is_permanent: bool,
    /// Number of those that there are, kept or not.
    pub count: u32,
    /// Those that are X.509's, as DER, as far as they are kept.
    pub chain: Vec<Vec<u8>>,
}

/// A certificate with nothing but a key.
const PROPRIETARY: u32 = 1;

/// A chain of X.509 certificates, that of the server last (MS-RDPELE 2.2.1.4.2).
const X509: u32 = 2;

/// Reads what data say, and keeps so many certificates at most; nothing where they are no server's.
pub fn read(data: &[u8], certificates: usize) -> Option<Server> {
    const KEY: &[u8] = b"McDn";
    let data = data.strip_prefix(b"\x7f\x66")?;
    let mut server = Server::default();
    let Some(mut blocks) = user_data(data, KEY) else { return Some(server) };
    // Before the key: its length, that there is a value, how many, and what became of it.
    let place = memchr::memmem::find(data, KEY).unwrap_or_default();
    server.result = place.checked_sub(4).and_then(|place| data.get(place)).copied();
    while let Some((kind, block)) = next_block(&mut blocks) {
        if kind == SECURITY {
            server.security = security(block, certificates);
        }
    }
    Some(server)
}

fn security(block: &[u8], certificates: usize) -> Option<Security> {
    let mut reader = Reader::new(block);
    let (method, level) = (reader.u32_le()?, reader.u32_le()?);
    Some(Security { method, level, certificate: certificate(&mut reader, certificates) })
}

fn certificate(reader: &mut Reader<'_>, most: usize) -> Option<Certificate> {
    let (random, length) = (reader.u32_le()?, reader.u32_le()?);
    reader.skip(random.try_into().ok()?)?;
    let mut inner = reader.sub(length.try_into().ok()?)?;
    let version = inner.u32_le()?;
    let kind = version & 0x7fff_ffff;
    let count = if kind == PROPRIETARY { 1 } else { inner.u32_le()? };
    let listed = if kind == X509 { (count as usize).min(most) } else { 0 };
    let one = |_| {
        let length = inner.u32_le()?;
        inner.take(usize::try_from(length).ok()?).map(<[u8]>::to_vec)
    };
    let chain = (0..listed).map_while(one).collect();
    Some(Certificate { kind, is_permanent: version >> 31 == 0, count, chain })
}
