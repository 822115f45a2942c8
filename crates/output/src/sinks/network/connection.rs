//! A connection to a target: TCP, TLS over it, or a Unix socket.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use weir_config::pipelines::HostPort;

use super::sender::Refusal;

/// Longest wait for a connection, and for a target that reads nothing.
pub(super) const CONNECT: Duration = Duration::from_secs(5);
const WRITE: Duration = Duration::from_secs(10);

/// Where systems have the certificates of authorities that they trust.
const AUTHORITIES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// A connection.
pub(super) enum Connection {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Connection {
    /// Connects over TCP, to the first address that answers.
    pub(super) fn tcp(server: &HostPort) -> Result<Self, Refusal> {
        tcp(server).map(Self::Tcp)
    }

    /// Connects to a Unix socket.
    pub(super) fn unix(path: &Path) -> Result<Self, Refusal> {
        let refused = |error: io::Error| {
            Refusal::new(
                error,
                "Start the server, or correct the path of its socket; this user must have the right to write to it",
            )
        };
        let stream = UnixStream::connect(path).map_err(refused)?;
        stream.set_write_timeout(Some(WRITE)).map_err(refused)?;
        Ok(Self::Unix(stream))
    }

    /// Connects over TLS, and looks at the server's certificate.
    pub(super) fn tls(server: &HostPort, ca_file: Option<&Path>) -> Result<Self, Refusal> {
        const REMEDY: &str = "Name the certificate of the authority that signed the server's as ca-file, and the server \
                              as its certificate does";
        let name = ServerName::try_from(server.host.clone()).map_err(|error| Refusal::new(error, REMEDY))?;
        let config = tls_config(ca_file)?;
        let mut session = ClientConnection::new(config, name).map_err(|error| Refusal::new(error, REMEDY))?;
        let mut stream = tcp(server)?;
        stream.set_read_timeout(Some(CONNECT)).map_err(lost)?;
        while session.is_handshaking() {
            session.complete_io(&mut stream).map_err(|error| Refusal::new(error, REMEDY))?;
        }
        Ok(Self::Tls(Box::new(StreamOwned::new(session, stream))))
    }

    /// Limits the wait for what comes.
    pub(super) fn wait_for(&self, wait: Duration) -> io::Result<()> {
        let wait = Some(wait.max(Duration::from_millis(1)));
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(wait),
            Self::Unix(stream) => stream.set_read_timeout(wait),
            Self::Tls(stream) => stream.sock.set_read_timeout(wait),
        }
    }

    /// Reads what has come within the wait; nothing where nothing did.
    pub(super) fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, Refusal> {
        match self.read(buffer) {
            Ok(0) => Err(Refusal::new("the server closed the connection", "Its own log says why")),
            Ok(count) => Ok(count),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => Ok(0),
                _ => Err(lost(error)),
            },
        }
    }

    /// Writes all of it.
    pub(super) fn write_whole(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.write_all(bytes).and_then(|()| self.flush()).map_err(lost)
    }
}

/// A connection that does not go on.
pub(super) fn lost(error: io::Error) -> Refusal {
    Refusal::new(error, "See whether the server runs, and the way to it")
}

/// Addresses of a server.
pub(super) fn addresses(server: &HostPort) -> Result<impl Iterator<Item = SocketAddr>, Refusal> {
    (server.host.as_str(), server.port).to_socket_addrs().map_err(|error| {
        let cause = format!("{}: {error}", server.host);
        Refusal::new(cause, "Correct the name of the server, or see to the name service")
    })
}

fn tcp(server: &HostPort) -> Result<TcpStream, Refusal> {
    let mut refused = Refusal::new("the name has no address", "Correct the name of the server");
    for address in addresses(server)? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => {
                let prepared = stream.set_nodelay(true).and_then(|()| stream.set_write_timeout(Some(WRITE)));
                return prepared.map(|()| stream).map_err(lost);
            }
            Err(error) => {
                refused = Refusal::new(error, "Start the server, or correct its address and port");
            }
        }
    }
    Err(refused)
}

/// Settings of TLS with the authorities of a file, or those of the system.
pub(super) fn tls_config(ca_file: Option<&Path>) -> Result<Arc<ClientConfig>, Refusal> {
    let mut authorities = RootCertStore::empty();
    authorities.add_parsable_certificates(certificates(ca_file)?);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| Refusal::new(error, "Please report this defect"))?;
    Ok(Arc::new(builder.with_root_certificates(authorities).with_no_client_auth()))
}

/// Certificates of authorities.
pub(super) fn certificates(ca_file: Option<&Path>) -> Result<Vec<CertificateDer<'static>>, Refusal> {
    let system = || AUTHORITIES.iter().map(Path::new).find(|path| path.exists());
    let Some(path) = ca_file.or_else(system) else {
        let cause = "there are no certificates of authorities";
        return Err(Refusal::new(cause, "Install ca-certificates, or name a file of them as ca-file"));
    };
    let wrong = |cause: String| Refusal::new(cause, "Name a file of certificates in PEM as ca-file");
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let found = read.map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    match found.is_empty() {
        true => Err(wrong(format!("{} has no certificate", path.display()))),
        false => Ok(found),
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.flush(),
            Self::Unix(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
