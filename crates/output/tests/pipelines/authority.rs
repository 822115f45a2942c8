//! An authority made for a test, which signs certificates.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tls::Certificate;

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
