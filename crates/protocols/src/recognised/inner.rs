//! Protocols inside the payloads of a recognised one.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use weir_base::Reader;

/// Finder of a literal.
type Literal = LazyLock<Finder<'static>>;

static SPNEGO: Literal = LazyLock::new(|| Finder::new(b"\x06\x06\x2b\x06\x01\x05\x05\x02"));
static NTLM: Literal = LazyLock::new(|| Finder::new(b"NTLMSSP\0"));
static TICKET: Literal =
    LazyLock::new(|| Finder::new(b"\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01\x00"));

/// SPNEGO, RFC 4178: its object identifier as DER writes it.
pub(super) fn spnego(bytes: &[u8]) -> bool {
    SPNEGO.find(bytes).is_some()
}

/// NTLM, MS-NLMP 2.2.1: the signature and one of three types.
pub(super) fn ntlm(bytes: &[u8]) -> bool {
    let behind = NTLM.find(bytes).and_then(|at| bytes.get(at + 8..));
    matches!(behind, Some([1..=3, 0, 0, 0, ..]))
}

/// A ticket of Kerberos in GSS-API, RFC 4121 4.1: its object identifier, then what it is; or what it is alone,
/// as the token of a negotiation.
pub(super) fn ticket(bytes: &[u8]) -> bool {
    let behind = TICKET.find(bytes).and_then(|at| bytes.get(at + 13..));
    matches!(behind, Some([0x6e, ..]))
        || SPNEGO
            .find(bytes)
            .and_then(|at| bytes.get(at + 8..))
            .is_some_and(|offer| carries_ticket(Reader::new(offer), MAX_DEPTH))
}

/// Nesting of a negotiation.
const MAX_DEPTH: usize = 6;

/// Whether octets in these elements of DER begin as a ticket does.
fn carries_ticket(mut reader: Reader<'_>, depth: usize) -> bool {
    while let Some((tag, body)) = element(&mut reader) {
        let found = match tag {
            0x04 => body.peek() == Some(0x6e),
            // What is made of other elements.
            0x30 | 0xa0..=0xa3 if depth > 0 => carries_ticket(body, depth - 1),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// The next element: its tag, and as much of its body as is there.
fn element<'a>(reader: &mut Reader<'a>) -> Option<(u8, Reader<'a>)> {
    let tag = reader.u8()?;
    let length = match reader.u8()? {
        length @ ..=0x7f => usize::from(length),
        0x81 => usize::from(reader.u8()?),
        0x82 => usize::from(reader.u16()?),
        _ => return None,
    };
    let length = length.min(reader.len());
    Some((tag, reader.sub(length)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_services() {
        type Case<'a> = (fn(&[u8]) -> bool, &'a [u8], bool);
        let cases: &[Case<'_>] = &[
            (spnego, b"\x60\x28\x06\x06\x2b\x06\x01\x05\x05\x02\xa0", true),
            (spnego, b"\x60\x28\x06\x06\x2b\x06\x01\x05\x05", false),
            (ntlm, b"..NTLMSSP\0\x01\0\0\0", true),
            (ntlm, b"..NTLMSSP\0\x09\0\0\0", false),
            (ticket, b"\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01\x00\x6e\x82", true),
            (
                ticket,
                b"\x06\x06\x2b\x06\x01\x05\x05\x02\xa0\x0c\x30\x0a\xa0\x02\x30\0\xa2\x04\x04\x02\x6e\x82",
                true,
            ),
            (
                ticket,
                b"\x06\x06\x2b\x06\x01\x05\x05\x02\xa0\x0c\x30\x0a\xa0\x02\x30\0\xa2\x04\x04\x02\x6f\x82",
                false,
            ),
            (ticket, b"\x06\x06\x2b\x06\x01\x05\x05\x02\xa0\x80\x30\x80", false),
        ];
        for (test, bytes, expected) in cases {
            assert_eq!(test(bytes), *expected, "{bytes:02x?}");
        }
    }
}
