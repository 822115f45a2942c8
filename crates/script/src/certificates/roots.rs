//! Roots that the system trusts, for scripts that bring none: the first of [`PLACES`] that can be read.
//!
//! Limits: [`MOST_BYTES`] of a file, [`MOST_ROOTS`] of it.

use std::io::Read as _;

use base64::Engine as _;

/// Where systems keep them (Debian, Fedora, Alpine and BSD).
const PLACES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

const MOST_BYTES: u64 = 8 << 20;
const MOST_ROOTS: usize = 4096;

/// Lines around a certificate (RFC 7468 5.1).
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// Returns the certificates that the system trusts.
pub fn of_system() -> Vec<Vec<u8>> {
    let read = |place: &&str| {
        let mut text = String::new();
        std::fs::File::open(place).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    };
    PLACES.iter().find_map(read).map(|text| certificates(&text)).unwrap_or_default()
}

/// Returns the certificates in a text.
fn certificates(text: &str) -> Vec<Vec<u8>> {
    let found = text.split(BEGIN).skip(1).filter_map(|part| {
        let (digits, _) = part.split_once(END)?;
        let digits: String = digits.split_ascii_whitespace().collect();
        base64::engine::general_purpose::STANDARD.decode(digits).ok()
    });
    found.take(MOST_ROOTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_in_a_text() {
        let text =
            format!("a\n{BEGIN}\nTU\nE=\n{END}\nb\n{BEGIN}\n??\n{END}\n{BEGIN}\nTUI=\n{END}\n{BEGIN}\nTUM=");
        assert_eq!(certificates(&text), [b"MA".to_vec(), b"MB".to_vec()]);
    }
}
