//! Distinguished names as Zeek's logs show them: RFC 2253, the last part first, with the short names
//! that OpenSSL gives to attributes.

use weir_base::EventValue;
use weir_base::event::FileReader;
use x509_parser::asn1_rs::Oid;
use x509_parser::prelude::FromDer;
use x509_parser::x509::X509Name;

use super::super::certificate::{attribute_text, dotted};

/// Reads names on behalf of scripts: the text of one in its encoding.
pub const READER: FileReader = FileReader {
    analyzer: "DISTINGUISHED_NAME",
    events: |der, raise| {
        if let Ok((_, name)) = X509Name::from_der(der) {
            raise("distinguished_name", &[EventValue::String(&text(&name))]);
        }
    },
};

/// The name as text.
pub fn text(name: &X509Name<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    let parts: Vec<_> = name.iter_rdn().collect();
    for rdn in parts.into_iter().rev() {
        for (index, attribute) in rdn.iter().enumerate() {
            if index > 0 {
                text.push(b'+');
            } else if !text.is_empty() {
                text.push(b',');
            }
            let kind = attribute.attr_type();
            match short_name(kind) {
                Some(name) => text.extend_from_slice(name.as_bytes()),
                None => text.extend_from_slice(dotted(kind).as_bytes()),
            }
            text.push(b'=');
            append_escaped(&mut text, &attribute_text(attribute.attr_value()));
        }
    }
    text
}

/// The name as text, the first part first: `C = US, O = …`.
pub fn on_a_line(name: &X509Name<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    for rdn in name.iter_rdn() {
        for (index, attribute) in rdn.iter().enumerate() {
            if index > 0 {
                text.extend(b" + ");
            } else if !text.is_empty() {
                text.extend(b", ");
            }
            let kind = attribute.attr_type();
            match short_name(kind) {
                Some(name) => text.extend_from_slice(name.as_bytes()),
                None => text.extend_from_slice(dotted(kind).as_bytes()),
            }
            text.extend(b" = ");
            let value = attribute_text(attribute.attr_value());
            // What would end a value is quoted as a whole.
            if value.iter().any(|byte| b",+<>;".contains(byte)) {
                text.push(b'"');
                text.extend(&value);
                text.push(b'"');
            } else {
                text.extend(&value);
            }
        }
    }
    text
}

fn append_escaped(text: &mut Vec<u8>, value: &[u8]) {
    for (index, &byte) in value.iter().enumerate() {
        let is_edge = index == 0 || index + 1 == value.len();
        match byte {
            b',' | b'+' | b'"' | b'\\' | b'<' | b'>' | b';' => text.extend([b'\\', byte]),
            b' ' if is_edge => text.extend(b"\\ "),
            b'#' if index == 0 => text.extend(b"\\#"),
            0..=0x1f | 0x7f..=0xff => {
                let digits = weir_base::hex::digits(byte).map(|digit| digit.to_ascii_uppercase());
                text.push(b'\\');
                text.extend(digits);
            }
            _ => text.push(byte),
        }
    }
}

/// OpenSSL's short name of an attribute.
fn short_name(kind: &Oid<'_>) -> Option<&'static str> {
    Some(match dotted(kind).as_str() {
        "2.5.4.3" => "CN",
        "2.5.4.4" => "SN",
        "2.5.4.5" => "serialNumber",
        "2.5.4.6" => "C",
        "2.5.4.7" => "L",
        "2.5.4.8" => "ST",
        "2.5.4.9" => "street",
        "2.5.4.10" => "O",
        "2.5.4.11" => "OU",
        "2.5.4.12" => "title",
        "2.5.4.13" => "description",
        "2.5.4.15" => "businessCategory",
        "2.5.4.16" => "postalAddress",
        "2.5.4.17" => "postalCode",
        "2.5.4.18" => "postOfficeBox",
        "2.5.4.20" => "telephoneNumber",
        "2.5.4.41" => "name",
        "2.5.4.42" => "GN",
        "2.5.4.43" => "initials",
        "2.5.4.44" => "generationQualifier",
        "2.5.4.45" => "x500UniqueIdentifier",
        "2.5.4.46" => "dnQualifier",
        "2.5.4.65" => "pseudonym",
        "2.5.4.97" => "organizationIdentifier",
        "1.2.840.113549.1.9.1" => "emailAddress",
        "1.2.840.113549.1.9.2" => "unstructuredName",
        "1.2.840.113549.1.9.8" => "unstructuredAddress",
        "0.9.2342.19200300.100.1.1" => "UID",
        "0.9.2342.19200300.100.1.25" => "DC",
        "1.3.6.1.4.1.311.60.2.1.1" => "jurisdictionL",
        "1.3.6.1.4.1.311.60.2.1.2" => "jurisdictionST",
        "1.3.6.1.4.1.311.60.2.1.3" => "jurisdictionC",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_scripts_hand_in() {
        use crate::testing::told_of_file;

        let name = b"\x30\x1b\x31\x0b\x30\x09\x06\x03\x55\x04\x06\x13\x02US\x31\x0c\x30\x0a\x06\x03\x55\x04\x03\x0c\x03a b";
        assert_eq!(told_of_file(&READER, name), ["distinguished_name CN=a b,C=US"]);
        assert!(told_of_file(&READER, b"nothing").is_empty());
    }

    #[test]
    fn escapes() {
        let cases: [(&[u8], &str); 4] = [
            (b"plain text", "plain text"),
            (b"a, b+c", "a\\, b+c".replace('+', "\\+").leak()),
            (b" #x ", "\\ #x\\ "),
            ("\u{e9}".as_bytes(), "\\C3\\A9"),
        ];
        for (value, expected) in cases {
            let mut text = Vec::new();
            append_escaped(&mut text, value);
            assert_eq!(String::from_utf8(text).unwrap(), expected);
        }
    }
}
