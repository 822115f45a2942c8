//! Zeek's x509 log: a row for each certificate.

use weir_applayer::zeek::{Script, ServerCertificate};
use weir_applayer::{ZeekSink, ZeekValue, zeek_stream};
use weir_base::{Timestamp, hex};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;
use x509_parser::public_key::PublicKey;

use super::super::certificate::{address, dotted};
use super::name;

zeek_stream! {
    /// The log.
    pub static STREAM: "x509" of its own;
    /// A row as it is written.
    struct Columns {
        fingerprint: Text,
        certificate_version as "certificate.version": Count,
        certificate_serial as "certificate.serial": Text,
        certificate_subject as "certificate.subject": Text,
        certificate_issuer as "certificate.issuer": Text,
        certificate_not_valid_before as "certificate.not_valid_before": Time,
        certificate_not_valid_after as "certificate.not_valid_after": Time,
        certificate_key_alg as "certificate.key_alg": Text,
        certificate_sig_alg as "certificate.sig_alg": Text,
        certificate_key_type as "certificate.key_type": Text,
        certificate_key_length as "certificate.key_length": Count,
        certificate_exponent as "certificate.exponent": Text,
        certificate_curve as "certificate.curve": Text,
        san_dns as "san.dns": Vector<Text>,
        san_uri as "san.uri": Vector<Text>,
        san_email as "san.email": Vector<Text>,
        san_ip as "san.ip": Vector<Addr>,
        basic_constraints_ca as "basic_constraints.ca": Bool,
        basic_constraints_path_len as "basic_constraints.path_len": Count,
        host_cert: Bool,
        client_cert: Bool,
    }
}

/// Subject of a row.
pub struct Row<'a> {
    /// The certificate.
    pub der: &'a [u8],
    /// Its SHA-256.
    pub fingerprint: &'a str,
    /// The first of its chain.
    pub is_host: bool,
    /// Sent by the client.
    pub is_client: bool,
}

/// Writes a row. A certificate that cannot be read has none. The answer is whether it is for a `host`, where
/// there is one.
pub fn write(row: &Row<'_>, host: Option<&[u8]>, time: Timestamp, sink: &mut dyn ZeekSink) -> Option<bool> {
    let is_wanted = row.is_host || !sink.has(Script::HostCertificates);
    // Most were shown before: they are not read again for that.
    let is_new = is_wanted && sink.is_new_certificate(row.fingerprint, time);
    if !is_new && host.is_none() {
        return None;
    }
    let (_, parsed) = X509Certificate::from_der(row.der).ok()?;
    let names = Names::of(&parsed);
    let matches = host.map(|host| is_for(&parsed, &names, host));
    if is_new {
        write_row(row, &parsed, &names, time, sink);
    }
    matches
}

fn write_row(
    row: &Row<'_>,
    parsed: &X509Certificate<'_>,
    names: &Names,
    time: Timestamp,
    sink: &mut dyn ZeekSink,
) {
    let subject = name::text(parsed.subject());
    let issuer = name::text(parsed.issuer());
    let serial = serial(parsed.raw_serial());
    let key = Key::of(parsed);
    let key_algorithm = key_algorithm(&dotted(&parsed.public_key().algorithm.algorithm));
    let signature_algorithm = signature_algorithm(&dotted(&parsed.signature_algorithm.algorithm));
    let constraints = parsed.basic_constraints().ok().flatten();
    let [dns, uri, email] = [&names.dns, &names.uri, &names.email]
        .map(|list| list.iter().map(|text| ZeekValue::String(text)).collect::<Vec<_>>());
    let addresses: Vec<_> = names.ip.iter().map(|address| ZeekValue::Addr(*address)).collect();
    let columns = Columns {
        fingerprint: row.fingerprint.into(),
        certificate_version: (u64::from(parsed.version().0) + 1).into(),
        certificate_serial: serial.as_str().into(),
        certificate_subject: subject.as_slice().into(),
        certificate_issuer: issuer.as_slice().into(),
        certificate_not_valid_before: moment(parsed.validity().not_before.timestamp()).into(),
        certificate_not_valid_after: moment(parsed.validity().not_after.timestamp()).into(),
        certificate_key_alg: key_algorithm.as_str().into(),
        certificate_sig_alg: signature_algorithm.into(),
        certificate_key_type: key.kind.into(),
        certificate_key_length: key.length.into(),
        certificate_exponent: key.exponent.as_deref().into(),
        certificate_curve: key.curve.into(),
        san_dns: dns.as_slice().into(),
        san_uri: uri.as_slice().into(),
        san_email: email.as_slice().into(),
        san_ip: addresses.as_slice().into(),
        basic_constraints_ca: constraints.as_ref().map(|found| found.value.ca).into(),
        basic_constraints_path_len: constraints
            .as_ref()
            .and_then(|found| found.value.path_len_constraint)
            .into(),
        host_cert: row.is_host.into(),
        client_cert: row.is_client.into(),
    };
    sink.row(&STREAM, time, &columns.values());
}

/// Calls a function with the facts of a server's certificate, where that can be read.
pub fn with_facts<T>(
    der: &[u8],
    fingerprint: &str,
    tell: impl FnOnce(Option<ServerCertificate<'_>>) -> T,
) -> T {
    let Ok((_, parsed)) = X509Certificate::from_der(der) else { return tell(None) };
    let (subject, issuer) = (name::text(parsed.subject()), name::text(parsed.issuer()));
    let key = Key::of(&parsed);
    let validity = parsed.validity();
    tell(Some(ServerCertificate {
        fingerprint,
        subject: &subject,
        issuer: &issuer,
        serial: &serial(parsed.raw_serial()),
        validity: (moment(validity.not_before.timestamp()), moment(validity.not_after.timestamp())),
        key_type: key.kind,
        key_length: key.length,
    }))
}

/// Returns the subject and the issuer of a certificate, where it can be read.
pub fn subject_and_issuer(der: &[u8]) -> Option<[Vec<u8>; 2]> {
    let (_, parsed) = X509Certificate::from_der(der).ok()?;
    Some([name::text(parsed.subject()), name::text(parsed.issuer())])
}

/// Without the byte that only keeps the number from being negative.
pub fn serial(bytes: &[u8]) -> String {
    let digits = match bytes {
        [0, rest @ ..] if !rest.is_empty() => rest,
        _ => bytes,
    };
    hex::string(digits).to_ascii_uppercase()
}

fn moment(seconds: i64) -> Timestamp {
    Timestamp::new(u64::try_from(seconds).unwrap_or_default(), 0)
}

/// The public key.
#[derive(Default)]
pub struct Key {
    /// `rsa`, `ecdsa` or `dsa`.
    pub kind: Option<&'static str>,
    /// Bits.
    pub length: Option<u64>,
    /// The exponent, in decimal.
    pub exponent: Option<String>,
    /// The name of a curve.
    pub curve: Option<&'static str>,
}

impl Key {
    /// The key of a certificate.
    pub fn of(parsed: &X509Certificate<'_>) -> Self {
        let info = parsed.public_key();
        match info.parsed() {
            Ok(PublicKey::RSA(rsa)) => Self {
                kind: Some("rsa"),
                length: Some(bits(rsa.modulus)),
                exponent: rsa.try_exponent().ok().map(|exponent| exponent.to_string()),
                curve: None,
            },
            Ok(PublicKey::EC(_)) => {
                let parameters = info.algorithm.parameters.as_ref();
                let named = parameters.and_then(|any| any.as_oid().ok()).map(|oid| dotted(&oid));
                let (curve, length) = named.as_deref().and_then(curve).unzip();
                Self { kind: Some("ecdsa"), length, exponent: None, curve }
            }
            Ok(PublicKey::DSA(_)) => Self { kind: Some("dsa"), ..Self::default() },
            _ => Self::default(),
        }
    }
}

/// The length of a number in bits.
fn bits(number: &[u8]) -> u64 {
    let significant = number.iter().skip_while(|&&byte| byte == 0).count() as u64;
    let leading = number.iter().find(|&&byte| byte != 0).map_or(0, |byte| u64::from(byte.leading_zeros()));
    significant * 8 - leading
}

/// OpenSSL's name of a curve, and the length of its keys.
fn curve(oid: &str) -> Option<(&'static str, u64)> {
    Some(match oid {
        "1.2.840.10045.3.1.1" => ("prime192v1", 192),
        "1.2.840.10045.3.1.7" => ("prime256v1", 256),
        "1.3.132.0.10" => ("secp256k1", 256),
        "1.3.132.0.33" => ("secp224r1", 224),
        "1.3.132.0.34" => ("secp384r1", 384),
        "1.3.132.0.35" => ("secp521r1", 521),
        "1.3.36.3.3.2.8.1.1.7" => ("brainpoolP256r1", 256),
        "1.3.36.3.3.2.8.1.1.11" => ("brainpoolP384r1", 384),
        "1.3.36.3.3.2.8.1.1.13" => ("brainpoolP512r1", 512),
        _ => return None,
    })
}

/// OpenSSL's name of the algorithm of a key.
pub fn key_algorithm(oid: &str) -> String {
    match oid {
        "1.2.840.113549.1.1.1" => "rsaEncryption",
        "1.2.840.113549.1.1.7" => "rsaesOaep",
        "1.2.840.113549.1.1.10" => "rsassaPss",
        "1.2.840.10045.2.1" => "id-ecPublicKey",
        "1.2.840.10040.4.1" => "dsaEncryption",
        "1.2.840.10046.2.1" => "X9.42 DH",
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.112" => "ED25519",
        "1.3.101.113" => "ED448",
        other => other,
    }
    .to_string()
}

/// OpenSSL's name of the algorithm of a signature; empty where it is not known.
pub fn signature_algorithm(oid: &str) -> &'static str {
    match oid {
        "1.2.840.113549.1.1.2" => "md2WithRSAEncryption",
        "1.2.840.113549.1.1.4" => "md5WithRSAEncryption",
        "1.2.840.113549.1.1.5" => "sha1WithRSAEncryption",
        "1.2.840.113549.1.1.10" => "rsassaPss",
        "1.2.840.113549.1.1.11" => "sha256WithRSAEncryption",
        "1.2.840.113549.1.1.12" => "sha384WithRSAEncryption",
        "1.2.840.113549.1.1.13" => "sha512WithRSAEncryption",
        "1.2.840.113549.1.1.14" => "sha224WithRSAEncryption",
        "1.3.14.3.2.29" => "sha1WithRSA",
        "1.2.840.10040.4.3" => "dsaWithSHA1",
        "2.16.840.1.101.3.4.3.2" => "dsa_with_SHA256",
        "1.2.840.10045.4.1" => "ecdsa-with-SHA1",
        "1.2.840.10045.4.3.1" => "ecdsa-with-SHA224",
        "1.2.840.10045.4.3.2" => "ecdsa-with-SHA256",
        "1.2.840.10045.4.3.3" => "ecdsa-with-SHA384",
        "1.2.840.10045.4.3.4" => "ecdsa-with-SHA512",
        "1.3.101.112" => "ED25519",
        "1.3.101.113" => "ED448",
        _ => "",
    }
}

/// Alternative names by kind.
#[derive(Default)]
pub struct Names {
    /// Names of hosts.
    pub dns: Vec<Vec<u8>>,
    /// Names of resources.
    pub uri: Vec<Vec<u8>>,
    /// Addresses of mail.
    pub email: Vec<Vec<u8>>,
    /// Addresses of hosts.
    pub ip: Vec<std::net::IpAddr>,
}

impl Names {
    /// The names of a certificate.
    pub fn of(parsed: &X509Certificate<'_>) -> Self {
        let mut names = Self::default();
        let Ok(Some(extension)) = parsed.subject_alternative_name() else { return names };
        for name in &extension.value.general_names {
            match name {
                GeneralName::DNSName(text) => names.dns.push(text.as_bytes().to_vec()),
                GeneralName::URI(text) => names.uri.push(text.as_bytes().to_vec()),
                GeneralName::RFC822Name(text) => names.email.push(text.as_bytes().to_vec()),
                GeneralName::IPAddress(bytes) => names.ip.extend(address(bytes)),
                _ => {}
            }
        }
        names
    }
}

/// Whether one of these names of hosts stands for another.
pub fn is_for_any(names: &[Vec<u8>], host: &[u8]) -> bool {
    names.iter().any(|name| covers(name, host))
}

/// Whether a certificate is for a host name: by its DNS names, or without any by its common name.
fn is_for(parsed: &X509Certificate<'_>, names: &Names, host: &[u8]) -> bool {
    if !names.dns.is_empty() {
        return is_for_any(&names.dns, host);
    }
    let mut common = parsed.subject().iter_common_name();
    common.any(|name| covers(name.as_slice(), host))
}

/// RFC 6125 section 6.4: a first label of `*` stands for any one label.
fn covers(pattern: &[u8], host: &[u8]) -> bool {
    if pattern.eq_ignore_ascii_case(host) {
        return true;
    }
    let Some(domain) = pattern.strip_prefix(b"*") else { return false };
    let Some(dot) = host.iter().position(|&byte| byte == b'.') else { return false };
    let (label, rest) = host.split_at(dot);
    let has_two_labels = domain.iter().filter(|&&byte| byte == b'.').count() > 1;
    !label.is_empty() && has_two_labels && domain.eq_ignore_ascii_case(rest)
}

#[cfg(test)]
mod tests {
    use super::super::super::certificate::tests::build;
    use super::*;

    fn matches(der: &[u8], host: &[u8]) -> Option<bool> {
        let (_, parsed) = X509Certificate::from_der(der).ok()?;
        Some(is_for(&parsed, &Names::of(&parsed), host))
    }

    #[test]
    fn host_names() {
        let cases: [(&[u8], &[u8], bool); 6] = [
            (b"zeek.org", b"ZEEK.org", true),
            (b"*.zeek.org", b"www.zeek.org", true),
            (b"*.zeek.org", b"a.b.zeek.org", false),
            (b"*.zeek.org", b"zeek.org", false),
            (b"*.org", b"zeek.org", false),
            (b"zeek.org", b"www.zeek.org", false),
        ];
        for (pattern, host, expected) in cases {
            assert_eq!(covers(pattern, host), expected);
        }
        assert_eq!(matches(&build(b"zeek.org", &[b"*.zeek.org"]), b"www.zeek.org"), Some(true));
        assert_eq!(matches(&build(b"zeek.org", &[b"*.zeek.org"]), b"zeek.org"), Some(false));
        assert_eq!(matches(&build(b"zeek.org", &[]), b"zeek.org"), Some(true));
        assert_eq!(matches(b"nothing", b"zeek.org"), None);
    }

    #[test]
    fn numbers() {
        assert_eq!(
            (serial(&[0, 0x97, 1]), serial(&[0]), serial(&[3, 0xe8])),
            ("9701".into(), "00".into(), "03E8".into())
        );
        assert_eq!((bits(&[0, 0x80]), bits(&[0x40, 0]), bits(&[])), (8, 15, 0));
    }
}
