//! Events of certificates for scripts: their facts, and their extensions with the text that OpenSSL prints of them.

use weir_base::event::{FileReader, RaiseOfFile};
use weir_base::{EventValue, Reader, hex};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension, X509Extension};
use x509_parser::prelude::FromDer;

use super::super::certificate::{address, dotted};
use super::name;
use super::x509::{Key, Names, key_algorithm, serial, signature_algorithm};
use crate::ocsp::{any, tag};

/// Reads certificates.
pub const READER: FileReader = FileReader { analyzer: "X509", events: certificate };

/// Most extensions of a certificate that are told.
const MAX_EXTENSIONS: usize = 256;

/// Most timestamps of an extension that are told.
const MAX_TIMESTAMPS: usize = 64;

/// Lists of signed certificate timestamps (RFC 6962 3.3), in certificates and in answers on them.
const TIMESTAMPS: [&str; 2] = ["1.3.6.1.4.1.11129.2.4.2", "1.3.6.1.4.1.11129.2.4.5"];

/// Object identifiers of extensions with OpenSSL's long and short names.
const NAMES: [(&str, &str, &str); 26] = [
    ("2.5.29.14", "X509v3 Subject Key Identifier", "subjectKeyIdentifier"),
    ("2.5.29.15", "X509v3 Key Usage", "keyUsage"),
    ("2.5.29.16", "X509v3 Private Key Usage Period", "privateKeyUsagePeriod"),
    ("2.5.29.17", "X509v3 Subject Alternative Name", "subjectAltName"),
    ("2.5.29.18", "X509v3 Issuer Alternative Name", "issuerAltName"),
    ("2.5.29.19", "X509v3 Basic Constraints", "basicConstraints"),
    ("2.5.29.30", "X509v3 Name Constraints", "nameConstraints"),
    ("2.5.29.31", "X509v3 CRL Distribution Points", "crlDistributionPoints"),
    ("2.5.29.32", "X509v3 Certificate Policies", "certificatePolicies"),
    ("2.5.29.33", "X509v3 Policy Mappings", "policyMappings"),
    ("2.5.29.35", "X509v3 Authority Key Identifier", "authorityKeyIdentifier"),
    ("2.5.29.36", "X509v3 Policy Constraints", "policyConstraints"),
    ("2.5.29.37", "X509v3 Extended Key Usage", "extendedKeyUsage"),
    ("2.5.29.46", "X509v3 Freshest CRL", "freshestCRL"),
    ("2.5.29.54", "X509v3 Inhibit Any Policy", "inhibitAnyPolicy"),
    ("1.3.6.1.5.5.7.1.1", "Authority Information Access", "authorityInfoAccess"),
    ("1.3.6.1.5.5.7.1.3", "qcStatements", "qcStatements"),
    ("1.3.6.1.5.5.7.1.11", "Subject Information Access", "subjectInfoAccess"),
    ("1.3.6.1.5.5.7.1.24", "TLS Feature", "tlsfeature"),
    ("1.3.6.1.5.5.7.48.1.2", "OCSP Nonce", "Nonce"),
    ("1.3.6.1.5.5.7.48.1.5", "OCSP No Check", "noCheck"),
    ("1.3.6.1.4.1.11129.2.4.2", "CT Precertificate SCTs", "ct_precert_scts"),
    ("1.3.6.1.4.1.11129.2.4.3", "CT Precertificate Poison", "ct_precert_poison"),
    ("1.3.6.1.4.1.11129.2.4.5", "CT Certificate SCTs", "ct_cert_scts"),
    ("2.16.840.1.113730.1.1", "Netscape Cert Type", "nsCertType"),
    ("2.16.840.1.113730.1.13", "Netscape Comment", "nsComment"),
];

/// Bits of a key's usage (RFC 5280 4.2.1.3), from the first, by OpenSSL's names.
const USAGES: [&str; 9] = [
    "Digital Signature",
    "Non Repudiation",
    "Key Encipherment",
    "Data Encipherment",
    "Key Agreement",
    "Certificate Sign",
    "CRL Sign",
    "Encipher Only",
    "Decipher Only",
];

/// Purposes of a key (RFC 5280 4.2.1.12), by OpenSSL's names.
const PURPOSES: [(&str, &str); 8] = [
    ("1.3.6.1.5.5.7.3.1", "TLS Web Server Authentication"),
    ("1.3.6.1.5.5.7.3.2", "TLS Web Client Authentication"),
    ("1.3.6.1.5.5.7.3.3", "Code Signing"),
    ("1.3.6.1.5.5.7.3.4", "E-mail Protection"),
    ("1.3.6.1.5.5.7.3.8", "Time Stamping"),
    ("1.3.6.1.5.5.7.3.9", "OCSP Signing"),
    ("2.5.29.37.0", "Any Extended Key Usage"),
    ("2.16.840.1.113730.4.1", "Netscape Server Gated Crypto"),
];

fn certificate(der: &[u8], raise: &mut RaiseOfFile<'_>) {
    let Ok((_, parsed)) = X509Certificate::from_der(der) else { return };
    let subject = name::text(parsed.subject());
    let issuer = name::text(parsed.issuer());
    let serial = serial(parsed.raw_serial());
    let key = Key::of(&parsed);
    let key_algorithm = key_algorithm(&dotted(&parsed.public_key().algorithm.algorithm));
    let signature = signature_algorithm(&dotted(&parsed.signature_algorithm.algorithm));
    let signed_with = signature_algorithm(&dotted(&parsed.tbs_certificate.signature.algorithm));
    let common = parsed.subject().iter_common_name().last();
    let text = |text: Option<&'static str>| text.map_or(EventValue::Unset, EventValue::text);
    let moment = |seconds: i64| EventValue::Moment(seconds as f64);
    let facts = [
        (u64::from(parsed.version().0) + 1).into(),
        EventValue::text(&serial),
        EventValue::String(&subject),
        EventValue::String(&issuer),
        EventValue::bytes(common.map(|name| name.as_slice())),
        moment(parsed.validity().not_before.timestamp()),
        moment(parsed.validity().not_after.timestamp()),
        EventValue::text(&key_algorithm),
        EventValue::text(signature),
        text(key.kind),
        EventValue::count(key.length),
        key.exponent.as_deref().map_or(EventValue::Unset, EventValue::text),
        text(key.curve),
        EventValue::text(signed_with),
    ];
    raise("x509_certificate", &[EventValue::Opaque(der), EventValue::Record(&facts)]);
    for found in parsed.extensions().iter().take(MAX_EXTENSIONS) {
        extension("x509_extension", found, &[], raise);
        match found.parsed_extension() {
            ParsedExtension::BasicConstraints(limits) => {
                let limits = [limits.ca.into(), EventValue::count(limits.path_len_constraint)];
                raise("x509_ext_basic_constraints", &[EventValue::Record(&limits)]);
            }
            ParsedExtension::SubjectAlternativeName(names) => {
                let has_others = names.general_names.iter().any(|name| !is_told(name));
                alternative_names(&Names::of(&parsed), has_others, raise);
            }
            _ => {}
        }
    }
}

const fn is_told(name: &GeneralName<'_>) -> bool {
    matches!(
        name,
        GeneralName::DNSName(_)
            | GeneralName::URI(_)
            | GeneralName::RFC822Name(_)
            | GeneralName::IPAddress(_)
    )
}

fn alternative_names(names: &Names, has_others: bool, raise: &mut RaiseOfFile<'_>) {
    let [dns, uri, email] = [&names.dns, &names.uri, &names.email]
        .map(|list| list.iter().map(|name| EventValue::String(name)).collect::<Vec<_>>());
    let addresses: Vec<EventValue<'_>> = names.ip.iter().copied().map(EventValue::Addr).collect();
    let [dns, uri, email, addresses] = [&dns, &uri, &email, &addresses]
        .map(|list| if list.is_empty() { EventValue::Unset } else { EventValue::List(list) });
    let record = [dns, uri, email, addresses, has_others.into()];
    raise("x509_ext_subject_alternative_name", &[EventValue::Record(&record)]);
}

/// Raises the event of an extension, with the rest of its arguments, and those of timestamps in it.
pub(super) fn extension(
    event: &'static str,
    found: &X509Extension<'_>,
    rest: &[EventValue<'_>],
    raise: &mut RaiseOfFile<'_>,
) {
    let oid = dotted(&found.oid);
    let known = NAMES.iter().find(|(known, ..)| *known == oid);
    let value = printed(found).map_or_else(|| octets(found.value), String::into_bytes);
    let record = [
        EventValue::text(known.map_or(&*oid, |(_, long, _)| long)),
        known.map_or(EventValue::Unset, |(.., short)| EventValue::text(short)),
        EventValue::text(&oid),
        found.critical.into(),
        EventValue::String(&value),
    ];
    raise(event, &[&[EventValue::Record(&record)], rest].concat());
    if TIMESTAMPS.contains(&&*oid) {
        // What does not fit its format has no event.
        let _ = timestamps(found.value, raise);
    }
}

/// RFC 6962 3.2, 3.3.
fn timestamps(value: &[u8], raise: &mut RaiseOfFile<'_>) -> Option<()> {
    let (kind, list) = any(&mut Reader::new(value))?;
    let mut list = Reader::new(list);
    list.u16().filter(|_| kind == tag::OCTETS)?;
    for _ in 0..MAX_TIMESTAMPS {
        let length = list.u16()?;
        let mut item = Reader::new(list.take(length.into())?);
        let (version, log, time) = (item.u8()?, item.take(32)?, item.u64()?);
        let more = item.u16()?;
        item.skip(more.into())?;
        let (hash, algorithm, length) = (item.u8()?, item.u8()?, item.u16()?);
        let signature = EventValue::String(item.take(length.into())?);
        let log = EventValue::String(log);
        raise(
            "x509_ocsp_ext_signed_certificate_timestamp",
            &[version.into(), log, time.into(), hash.into(), algorithm.into(), signature],
        );
    }
    Some(())
}

/// The octets of an extension in their encoding, as what OpenSSL cannot print.
fn octets(value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag::OCTETS];
    match u8::try_from(value.len()) {
        Ok(short @ 0..=0x7f) => bytes.push(short),
        Ok(length) => bytes.extend([0x81, length]),
        Err(_) => {
            let length = value.len().to_be_bytes();
            let digits =
                length.get(length.iter().take_while(|byte| **byte == 0).count()..).unwrap_or_default();
            bytes.push(0x80 | digits.len() as u8);
            bytes.extend(digits);
        }
    }
    bytes.extend_from_slice(value);
    bytes
}

/// Returns the text of an extension, where there is one.
fn printed(found: &X509Extension<'_>) -> Option<String> {
    Some(match found.parsed_extension() {
        ParsedExtension::KeyUsage(usage) => {
            let is_set = |bit: &usize| usage.flags & (1 << bit) != 0;
            let names: Vec<&str> =
                (0..USAGES.len()).filter(is_set).filter_map(|bit| USAGES.get(bit).copied()).collect();
            names.join(", ")
        }
        ParsedExtension::ExtendedKeyUsage(_) => purposes(found.value)?,
        ParsedExtension::BasicConstraints(limits) => {
            let length = limits.path_len_constraint.map(|length| format!(", pathlen:{length}"));
            format!("CA:{}{}", if limits.ca { "TRUE" } else { "FALSE" }, length.unwrap_or_default())
        }
        ParsedExtension::SubjectKeyIdentifier(key) => digits(key.0),
        ParsedExtension::AuthorityKeyIdentifier(key) => digits(key.key_identifier.as_ref()?.0),
        ParsedExtension::SubjectAlternativeName(names) => names_text(&names.general_names, ", "),
        ParsedExtension::IssuerAlternativeName(names) => names_text(&names.general_names, ", "),
        ParsedExtension::CRLDistributionPoints(points) => {
            let full = points.points.iter().filter_map(|point| match &point.distribution_point {
                Some(x509_parser::extensions::DistributionPointName::FullName(names)) => {
                    Some(format!("Full Name:\n  {}", names_text(names, "\n  ")))
                }
                _ => None,
            });
            full.collect::<Vec<_>>().join("\n")
        }
        ParsedExtension::AuthorityInfoAccess(access) => {
            let line = |part: &x509_parser::extensions::AccessDescription<'_>| {
                let method = match &*dotted(&part.access_method) {
                    "1.3.6.1.5.5.7.48.1" => "OCSP".to_owned(),
                    "1.3.6.1.5.5.7.48.2" => "CA Issuers".to_owned(),
                    other => other.to_owned(),
                };
                format!("{method} - {}", name_text(&part.access_location))
            };
            access.accessdescs.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        ParsedExtension::CertificatePolicies(policies) => {
            let policy = |policy: &x509_parser::extensions::PolicyInformation<'_>| {
                format!("Policy: {}", dotted(&policy.policy_id))
            };
            policies.iter().map(policy).collect::<Vec<_>>().join("\n")
        }
        ParsedExtension::NsCertComment(text) => (*text).to_owned(),
        _ => return None,
    })
}

fn digits(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    hex::append_separated(&mut text, bytes, b':');
    String::from_utf8(text).unwrap_or_default().to_ascii_uppercase()
}

/// The purposes of a key in the order of the certificate.
fn purposes(value: &[u8]) -> Option<String> {
    let (_, list) = any(&mut Reader::new(value)).filter(|(kind, _)| *kind == tag::SEQUENCE)?;
    let mut list = Reader::new(list);
    let mut texts = Vec::new();
    while let Some((tag::OID, oid)) = any(&mut list) {
        let oid = dotted(&x509_parser::asn1_rs::Oid::new(oid.into()));
        let known = PURPOSES.iter().find(|(known, _)| *known == oid);
        texts.push(known.map_or(oid, |(_, name)| (*name).to_owned()));
    }
    Some(texts.join(", "))
}

fn names_text(names: &[GeneralName<'_>], between: &str) -> String {
    names.iter().map(name_text).collect::<Vec<_>>().join(between)
}

fn name_text(name: &GeneralName<'_>) -> String {
    match name {
        GeneralName::DNSName(text) => format!("DNS:{text}"),
        GeneralName::URI(text) => format!("URI:{text}"),
        GeneralName::RFC822Name(text) => format!("email:{text}"),
        GeneralName::IPAddress(bytes) => {
            let address = address(bytes).map(|address| address.to_string());
            format!("IP Address:{}", address.as_deref().unwrap_or("<invalid>"))
        }
        GeneralName::DirectoryName(name) => {
            format!("DirName:{}", String::from_utf8_lossy(&name::on_a_line(name)))
        }
        GeneralName::RegisteredID(oid) => format!("Registered ID:{}", dotted(oid)),
        _ => "othername:<unsupported>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::certificate::tests::build;
    use super::*;
    use crate::testing::told_of_file;

    #[test]
    fn events_of_a_certificate() {
        let told = told_of_file(&READER, &build(b"zeek.org", &[b"*.zeek.org", b"a.b"]));
        let begins = |line: usize, text: &str| assert!(told[line].starts_with(text), "{told:#?}");
        begins(0, "x509_certificate ");
        assert!(told[0].contains("zeek.org"), "{told:#?}");
        let names = told.iter().find(|line| line.starts_with("x509_ext_subject_alternative_name "));
        assert_eq!(names.unwrap(), "x509_ext_subject_alternative_name [(*.zeek.org, a.b), -, -, -, F]");
        let text = told.iter().find(|line| line.contains("subjectAltName")).unwrap();
        assert!(text.ends_with("2.5.29.17, F, DNS:*.zeek.org, DNS:a.b]"), "{text}");
        assert!(told_of_file(&READER, b"nothing").is_empty());
    }

    #[test]
    fn octets_have_their_length() {
        for (length, head) in [(1, &[4, 1][..]), (0x90, &[4, 0x81, 0x90]), (0x1234, &[4, 0x82, 0x12, 0x34])] {
            assert!(octets(&vec![7; length]).starts_with(head));
        }
    }

    #[test]
    fn timestamps_of_an_extension() {
        let item = [&[0][..], &[1; 32], &7u64.to_be_bytes(), &[0, 0, 4, 3, 0, 1, 9]].concat();
        let list =
            [&(item.len() as u16 + 2).to_be_bytes()[..], &(item.len() as u16).to_be_bytes(), &item].concat();
        let value = octets(&list);
        let mut told = Vec::new();
        let _ = timestamps(&value, &mut |event, arguments| told.push((event, arguments.len())));
        assert_eq!(told, [("x509_ocsp_ext_signed_certificate_timestamp", 6)]);
        for length in 0..value.len() {
            let _ = timestamps(&value[..length], &mut |event, _| panic!("{event}"));
        }
    }
}
