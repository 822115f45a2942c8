//! Certificates made for a test, and the server's side of TLS.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A certificate that signs itself, and its key.
pub struct Certificate {
    pub file: PathBuf,
    key: PathBuf,
}

impl Certificate {
    /// Makes one in a folder; `None`, told in a line, without the program openssl.
    pub fn make(folder: &Path) -> Option<Self> {
        std::fs::create_dir_all(folder).expect("a folder");
        let made = Self { file: folder.join("own.pem"), key: folder.join("own.key") };
        let mut command = Command::new("openssl");
        command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
        command.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]);
        command.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        command.args(["-days", "2", "-out"]).arg(&made.file).arg("-keyout").arg(&made.key);
        match command.output() {
            Ok(output) if output.status.success() => Some(made),
            Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => {
                eprintln!("openssl is not installed: records over TLS are not tested");
                None
            }
        }
    }

    /// The server's end of a connection.
    pub fn accept(&self, stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = vec![CertificateDer::from_pem_file(&self.file).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_file(&self.key).expect("a key");
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("a certificate with its key");
        StreamOwned::new(ServerConnection::new(Arc::new(config)).expect("a session"), stream)
    }
}
