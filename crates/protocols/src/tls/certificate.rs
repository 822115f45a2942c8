//! Certificates: what rules and both kinds of records want to know of one, read with x509-parser.
//! RFC 5280.

use sha2::{Digest, Sha256};
use weir_base::hex;
use weir_base::time::Civil;
use x509_parser::asn1_rs::{Any, BmpString, Oid, Tag};
use x509_parser::certificate::X509Certificate;
use x509_parser::error::X509Error;
use x509_parser::extensions::GeneralName;
use x509_parser::nom;
use x509_parser::objects::{oid_registry, oid2abbrev};
use x509_parser::prelude::FromDer;
use x509_parser::x509::X509Name;

use super::anomaly::TlsAnomaly;

/// Most names of one certificate that are kept.
const MAX_ALTERNATIVE_NAMES: usize = 4096;

/// Letters of a long object identifier.
const LONG_OID: usize = 32;

/// The first certificate of a side, in the forms that EVE records show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// `C=US, O=…, CN=…`; any bytes.
    pub subject: Option<Vec<u8>>,
    /// Likewise.
    pub issuer: Option<Vec<u8>>,
    /// `00:97:E6`.
    pub serial: Option<String>,
    /// Seconds since 1970, perhaps before it.
    pub not_before: Option<i64>,
    /// Likewise.
    pub not_after: Option<i64>,
    /// Alternative names of the subject.
    pub alternative_names: Vec<Vec<u8>>,
    /// They are names of hosts, all that there are, and at least one.
    pub names_hosts: bool,
}

impl Certificate {
    /// Reads a certificate; one that cannot be read is empty.
    pub fn read(der: &[u8], anomalies: &mut Vec<TlsAnomaly>) -> Self {
        let parsed = match X509Certificate::from_der(der) {
            Ok((_, parsed)) => parsed,
            Err(error) => {
                anomalies.push(anomaly_of(&error));
                return Self::default();
            }
        };
        let (alternative_names, names_hosts) = alternative_names(&parsed);
        Self {
            subject: Some(eve_name(parsed.subject())),
            issuer: Some(eve_name(parsed.issuer())),
            serial: Some(serial(parsed.raw_serial())),
            not_before: Some(parsed.validity().not_before.timestamp()),
            not_after: Some(parsed.validity().not_after.timestamp()),
            alternative_names,
            names_hosts,
        }
    }

    /// Whether `seconds` lie within its time of validity.
    pub fn is_valid_at(&self, seconds: i64) -> Option<bool> {
        Some(self.not_before? <= seconds && seconds <= self.not_after?)
    }
}

/// `2015-02-12T18:07:27`.
pub fn date_text(seconds: i64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::from_seconds(seconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// The SHA-256 of a certificate, by which Zeek knows it.
pub fn sha256(der: &[u8]) -> String {
    hex::string(&Sha256::digest(der))
}

fn serial(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    hex::append_separated(&mut text, bytes, b':');
    text.make_ascii_uppercase();
    String::from_utf8(text).unwrap_or_default()
}

/// `C=US, O=…`, in the order sent.
fn eve_name(name: &X509Name<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    for rdn in name.iter_rdn() {
        for (index, attribute) in rdn.iter().enumerate() {
            if index > 0 {
                text.extend_from_slice(b" + ");
            } else if !text.is_empty() {
                text.extend_from_slice(b", ");
            }
            let kind = attribute.attr_type();
            match oid2abbrev(kind, oid_registry()) {
                Ok(abbreviation) => text.extend_from_slice(abbreviation.as_bytes()),
                Err(_) => text.extend_from_slice(kind.to_string().as_bytes()),
            }
            text.push(b'=');
            text.extend(attribute_text(attribute.attr_value()));
        }
    }
    text
}

/// The bytes of a string; digits of what is none.
pub fn attribute_text(value: &Any<'_>) -> Vec<u8> {
    match value.tag() {
        Tag::BmpString => match BmpString::try_from(value.clone()) {
            Ok(text) => text.string().into_bytes(),
            Err(_) => value.data.to_vec(),
        },
        tag if is_string(tag) => value.data.to_vec(),
        _ => hex::string(value.data).to_ascii_uppercase().into_bytes(),
    }
}

/// Whether the data of a type is text as it stands.
fn is_string(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::NumericString
            | Tag::VisibleString
            | Tag::PrintableString
            | Tag::GeneralString
            | Tag::ObjectDescriptor
            | Tag::GraphicString
            | Tag::T61String
            | Tag::VideotexString
            | Tag::Utf8String
            | Tag::Ia5String
    )
}

/// The alternative names, and whether all of them are names of hosts.
fn alternative_names(parsed: &X509Certificate<'_>) -> (Vec<Vec<u8>>, bool) {
    let Ok(Some(extension)) = parsed.subject_alternative_name() else { return (Vec::new(), false) };
    let names = &extension.value.general_names;
    let hosts = (1..=MAX_ALTERNATIVE_NAMES).contains(&names.len())
        && names.iter().all(|name| matches!(name, GeneralName::DNSName(_)));
    (names.iter().take(MAX_ALTERNATIVE_NAMES).filter_map(general_name_text).collect(), hosts)
}

fn general_name_text(name: &GeneralName<'_>) -> Option<Vec<u8>> {
    Some(match name {
        GeneralName::DNSName(text) | GeneralName::RFC822Name(text) | GeneralName::URI(text) => {
            text.as_bytes().to_vec()
        }
        GeneralName::IPAddress(bytes) => address(bytes)?.to_string().into_bytes(),
        GeneralName::DirectoryName(name) => eve_name(name),
        GeneralName::Invalid(_, bytes) => bytes.to_vec(),
        _ => return None,
    })
}

/// An address of four or sixteen bytes.
pub fn address(bytes: &[u8]) -> Option<std::net::IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(Into::into),
        16 => <[u8; 16]>::try_from(bytes).ok().map(Into::into),
        _ => None,
    }
}

/// A number with dots.
pub fn dotted(oid: &Oid<'_>) -> String {
    // Parts that do not fit 64 bits are left to the library.
    let Some(parts) = oid.iter() else { return oid.to_id_string() };
    let mut text = String::with_capacity(LONG_OID);
    for part in parts {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(itoa::Buffer::new().format(part));
    }
    text
}

fn anomaly_of(error: &nom::Err<X509Error>) -> TlsAnomaly {
    let error = match error {
        nom::Err::Error(error) | nom::Err::Failure(error) => error,
        nom::Err::Incomplete(_) => return TlsAnomaly::CertificateInvalidLength,
    };
    match error {
        X509Error::InvalidVersion => TlsAnomaly::CertificateInvalidVersion,
        X509Error::InvalidSerial => TlsAnomaly::CertificateInvalidSerial,
        X509Error::InvalidAlgorithmIdentifier => TlsAnomaly::CertificateInvalidAlgorithmIdentifier,
        X509Error::InvalidX509Name => TlsAnomaly::CertificateInvalidX509Name,
        X509Error::InvalidDate => TlsAnomaly::CertificateInvalidDate,
        X509Error::InvalidExtensions | X509Error::DuplicateExtensions => {
            TlsAnomaly::CertificateInvalidExtensions
        }
        X509Error::InvalidSubjectUID => TlsAnomaly::CertificateInvalidSubject,
        X509Error::InvalidIssuerUID => TlsAnomaly::CertificateInvalidIssuer,
        X509Error::Der(_) => TlsAnomaly::CertificateInvalidDer,
        _ => TlsAnomaly::InvalidCertificate,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// One DER element.
    fn der(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let mut element = vec![tag];
        if length < 0x80 {
            element.push(length as u8);
        } else {
            element.extend([0x82, (length >> 8) as u8, length as u8]);
        }
        element.extend(content);
        element
    }

    fn name(parts: &[(&[u8], &[u8])]) -> Vec<u8> {
        let rdn = |(kind, value): &(&[u8], &[u8])| {
            let attribute = [der(6, kind), der(0x0c, value)].concat();
            der(0x31, &der(0x30, &attribute))
        };
        der(0x30, &parts.iter().flat_map(rdn).collect::<Vec<_>>())
    }

    const COUNTRY: &[u8] = &[0x55, 4, 6];
    const ORGANIZATION: &[u8] = &[0x55, 4, 10];
    const COMMON_NAME: &[u8] = &[0x55, 4, 3];

    /// A certificate of version 3 for `common_name` and the DNS names given, with no real signature.
    pub fn build(common_name: &[u8], dns_names: &[&[u8]]) -> Vec<u8> {
        let algorithm =
            der(0x30, &[&der(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11])[..], &[5, 0]].concat());
        let key_algorithm =
            der(0x30, &[&der(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1])[..], &[5, 0]].concat());
        let modulus = [&[0][..], &[0xc1; 128]].concat();
        let key = der(0x30, &[der(2, &modulus), der(2, &[1, 0, 1])].concat());
        let validity = der(0x30, &[der(0x17, b"691231000000Z"), der(0x17, b"250209180727Z")].concat());
        let names: Vec<u8> = dns_names.iter().flat_map(|name| der(0x82, name)).collect();
        let alternative = der(0x30, &[der(6, &[0x55, 0x1d, 17]), der(4, &der(0x30, &names))].concat());
        let to_be_signed = [
            der(0xa0, &der(2, &[2])),
            der(2, &[0, 0x97, 0xe6]),
            algorithm.clone(),
            name(&[(COUNTRY, b"FR"), (COMMON_NAME, b"Some, CA")]),
            validity,
            name(&[(COUNTRY, b"FR"), (ORGANIZATION, b"Weir"), (COMMON_NAME, common_name)]),
            der(0x30, &[key_algorithm, der(3, &[&[0][..], &key].concat())].concat()),
            der(0xa3, &der(0x30, &alternative)),
        ];
        der(0x30, &[der(0x30, &to_be_signed.concat()), algorithm, der(3, &[0, 1, 2, 3])].concat())
    }

    #[test]
    fn all_of_a_certificate() {
        let bytes = build(b"a\0b.example", &[b"a.example", b"b.example"]);
        let mut anomalies = Vec::new();
        let certificate = Certificate::read(&bytes, &mut anomalies);
        assert_eq!(anomalies, vec![]);
        assert_eq!(certificate.subject.as_deref(), Some(&b"C=FR, O=Weir, CN=a\0b.example"[..]));
        assert_eq!(certificate.issuer.as_deref(), Some(&b"C=FR, CN=Some, CA"[..]));
        assert_eq!(certificate.serial.as_deref(), Some("00:97:E6"));
        assert_eq!(certificate.not_before.map(date_text).as_deref(), Some("1969-12-31T00:00:00"));
        assert_eq!(certificate.not_after.map(date_text).as_deref(), Some("2025-02-09T18:07:27"));
        assert_eq!(certificate.alternative_names, [b"a.example", b"b.example"]);
        assert!(certificate.names_hosts);
        assert_eq!(certificate.is_valid_at(0), Some(true));
        assert_eq!(certificate.is_valid_at(2_000_000_000), Some(false));
    }

    #[test]
    fn broken_certificates_are_anomalies() {
        let bytes = build(b"a", &[]);
        for cut in 0..bytes.len() {
            let mut anomalies = Vec::new();
            let certificate = Certificate::read(&bytes[..cut], &mut anomalies);
            let expected = [TlsAnomaly::CertificateInvalidLength, TlsAnomaly::InvalidCertificate];
            assert!(expected.contains(&anomalies[0]) && anomalies.len() == 1, "cut at {cut}: {anomalies:?}");
            assert_eq!(certificate, Certificate::default());
        }
    }
}
