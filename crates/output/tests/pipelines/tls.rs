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

/// An authority that signs certificates.
pub struct Authority {
    folder: PathBuf,
}

impl Authority {
    /// Makes one in a folder; `None`, told in a line, without the program openssl.
    pub fn make(folder: &Path) -> Option<Self> {
        Certificate::make(folder)?;
        let made = Self { folder: folder.to_owned() };
        let subject = format!("/CN={}", folder.file_name()?.display());
        made.openssl(
            &["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
            |command| {
                command.args(["-subj", &subject, "-days", "2", "-out", "ca.pem", "-keyout", "ca.key"]);
            },
        );
        Some(made)
    }

    /// Its own certificate.
    pub fn file(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// Makes `name.pem` with a key and the certificate of it, for a subject as `IP:127.0.0.1`, in force for so many days.
    pub fn sign(&self, name: &str, subject: &str, days: i32) -> PathBuf {
        let of = |end: &str| format!("{name}.{end}");
        self.openssl(
            &["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
            |command| {
                command.args(["-subj", &format!("/CN={name}"), "-out", &of("csr"), "-keyout", &of("key")]);
            },
        );
        let extensions = format!("subjectAltName={subject}\nbasicConstraints=critical,CA:FALSE\n");
        std::fs::write(self.folder.join(of("ext")), extensions).expect("a file");
        self.openssl(&["x509", "-req", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"], |command| {
            command.args([
                "-days",
                &days.to_string(),
                "-extfile",
                &of("ext"),
                "-in",
                &of("csr"),
                "-out",
                &of("crt"),
            ]);
        });
        let read = |end: &str| std::fs::read_to_string(self.folder.join(of(end))).expect("a file");
        let both = self.folder.join(of("pem"));
        std::fs::write(&both, read("key") + &read("crt")).expect("a file");
        both
    }

    fn openssl(&self, words: &[&str], more: impl FnOnce(&mut Command)) {
        let mut command = Command::new("openssl");
        command.args(words).current_dir(&self.folder);
        more(&mut command);
        let output = command.output().expect("openssl runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
