//! The certificates of a server that goes on with TLS, by their serial numbers (RFC 5246 6.2.1 and 7.4.2,
//! RFC 5280 4.1).

use weir_base::Reader;

use crate::ber;

/// Most certificates of a chain that are read.
pub const MAX_CERTIFICATES: usize = 16;

/// The type of a record that is part of a handshake; it also tells TLS from packets.
pub const HANDSHAKE: u8 = 22;

/// The type of a record of what is secret.
pub const APPLICATION_DATA: u8 = 23;

/// The message of a handshake that shows certificates.
const CERTIFICATE: u8 = 11;

/// Kind of the first bytes.
pub enum Beginning<'a> {
    /// Too short; at least this many bytes are needed.
    Short(usize),
    /// A record's type, what it carries, and its length.
    Record(u8, &'a [u8], usize),
    /// No record.
    Malformed,
}

/// Longest content of a record.
const MAX_CONTENT: usize = (1 << 14) + 2048;

/// Reads a record.
pub fn record(bytes: &[u8]) -> Beginning<'_> {
    let mut reader = Reader::new(bytes);
    let Some((kind, version, length)) =
        (|| Some((reader.u8()?, reader.u16()?, usize::from(reader.u16()?))))()
    else {
        return Beginning::Short(5);
    };
    if !matches!(kind, 20..=24) || version >> 8 != 3 || length > MAX_CONTENT {
        return Beginning::Malformed;
    }
    match reader.take(length) {
        Some(content) => Beginning::Record(kind, content, 5 + length),
        None => Beginning::Short(5 + length),
    }
}

/// The serial numbers of the certificates in messages of a handshake, in hexadecimal; none without the message
/// that shows them.
pub fn serials(messages: &[u8]) -> Option<Vec<String>> {
    let mut reader = Reader::new(messages);
    loop {
        let kind = reader.u8()?;
        let length = usize::try_from(reader.u24()?).ok()?;
        let mut message = reader.sub(length)?;
        if kind == CERTIFICATE {
            let length = usize::try_from(message.u24()?).ok()?;
            return Some(chain(message.sub(length)?));
        }
    }
}

fn chain(mut list: Reader<'_>) -> Vec<String> {
    let mut serials = Vec::new();
    while serials.len() < MAX_CERTIFICATES
        && let Some(length) = list.u24()
        && let Some(certificate) = usize::try_from(length).ok().and_then(|length| list.take(length))
    {
        serials.extend(serial(certificate));
    }
    serials
}

/// A certificate's serial number.
fn serial(certificate: &[u8]) -> Option<String> {
    const SEQUENCE: u8 = 0x30;
    const VERSION: u8 = 0xa0;
    const INTEGER: u8 = 2;
    let outer = ber::tagged(&mut Reader::new(certificate), SEQUENCE)?;
    let mut fields = Reader::new(ber::tagged(&mut Reader::new(outer), SEQUENCE)?);
    let mut element = ber::element(&mut fields)?;
    if element.0 == VERSION {
        element = ber::element(&mut fields)?;
    }
    let (INTEGER, number) = element else { return None };
    let digits: String = number.iter().map(|byte| format!("{byte:02x}")).collect();
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { "0".to_owned() } else { digits.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_chains() {
        let one = b"\x30\x0b\x30\x09\xa0\x03\x02\x01\x02\x02\x02\x00\xab";
        let other = b"\x30\x05\x30\x03\x02\x01\x07";
        let list = [&[0, 0, 13][..], one, &[0, 0, 7], other, &[0, 0, 2], b"no"].concat();
        let body = [&[0, 0, list.len() as u8][..], &list].concat();
        let messages = [&[2, 0, 0, 1, 9, 11, 0, 0, body.len() as u8][..], &body].concat();
        assert_eq!(serials(&messages), Some(vec!["ab".to_owned(), "7".to_owned()]));
        assert_eq!(serials(&messages[..20]), None);
        assert_eq!(serials(b"\x02\0\0\x01\x09"), None);
    }

    #[test]
    fn records() {
        assert!(matches!(record(b"\x16\x03\x01\0\x02abc"), Beginning::Record(HANDSHAKE, b"ab", 7)));
        assert!(matches!(record(b"\x16\x03\x01\0\x02a"), Beginning::Short(7)));
        assert!(matches!(record(b"\x16\x03"), Beginning::Short(5)));
        assert!(matches!(record(b"\x16\x02\x01\0\x02ab"), Beginning::Malformed));
        assert!(matches!(record(b"\x03\0\0\x09\x02ab"), Beginning::Malformed));
    }
}
