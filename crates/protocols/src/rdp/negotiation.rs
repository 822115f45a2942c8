//! Negotiation of security protocols (MS-RDPBCGR 2.2.1.1 and 2.2.1.2).

use weir_base::Reader;

/// Connection request of the client.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// Cookie, which names the user.
    pub cookie: Option<Vec<u8>>,
    /// Flags of what is asked for, where anything is.
    pub flags: Option<u8>,
}

/// Connection confirm of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confirm {
    /// Nothing.
    Nothing,
    /// Flags, and the protocol that was chosen.
    Chosen(u8, u32),
    /// Reason that it cannot be.
    Failed(u32),
}

/// Flags of requests, by name.
pub const REQUEST_FLAGS: &[(u8, &str)] = &[
    (1, "restricted_admin_mode_required"),
    (2, "redirected_authentication_mode_required"),
    (8, "correlation_info_present"),
];

/// Flags of what was chosen, by name.
pub const CHOSEN_FLAGS: &[(u8, &str)] = &[
    (1, "extended_client_data"),
    (2, "dynvc_gfx"),
    (8, "restricted_admin"),
    (0x10, "redirected_authentication"),
];

const COOKIE: &[u8] = b"Cookie: mstshash=";

/// Reads what a request says.
pub fn request(bytes: &[u8]) -> Request {
    let mut request = Request::default();
    let mut rest = bytes;
    if let Some(text) = bytes.strip_prefix(COOKIE)
        && let Some(end) = memchr::memmem::find(text, b"\r\n")
    {
        request.cookie = text.get(..end).map(<[u8]>::to_vec);
        rest = text.get(end + 2..).unwrap_or_default();
    }
    if let Some((1, flags, _)) = message(rest) {
        request.flags = Some(flags);
    }
    request
}

/// Reads what a confirmation says.
pub fn confirm(bytes: &[u8]) -> Confirm {
    match message(bytes) {
        Some((2, flags, protocol)) => Confirm::Chosen(flags, protocol),
        Some((3, _, code)) => Confirm::Failed(code),
        _ => Confirm::Nothing,
    }
}

/// The kind of a message, its flags and its number.
fn message(bytes: &[u8]) -> Option<(u8, u8, u32)> {
    let mut reader = Reader::new(bytes);
    let (kind, flags, length) = (reader.u8()?, reader.u8()?, reader.u16_le()?);
    Some((kind, flags, reader.u32_le()?)).filter(|_| length == 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        let cookie = |text: &[u8]| Some(text.to_vec());
        for (bytes, expected) in [
            (&b""[..], Request::default()),
            (b"Cookie: mstshash=bob\r\n", Request { cookie: cookie(b"bob"), flags: None }),
            (
                b"Cookie: mstshash=bob\r\n\x01\x09\x08\0\x03\0\0\0",
                Request { cookie: cookie(b"bob"), flags: Some(9) },
            ),
            (b"\x01\0\x08\0\x03\0\0\0", Request { cookie: None, flags: Some(0) }),
            (b"\x01\0\x09\0\x03\0\0\0", Request::default()),
            (b"Cookie: mstshash=bob", Request::default()),
        ] {
            assert_eq!(request(bytes), expected, "{bytes:02x?}");
        }
        for (bytes, expected) in [
            (&b""[..], Confirm::Nothing),
            (b"\x02\x1f\x08\0\x02\0\0\0", Confirm::Chosen(0x1f, 2)),
            (b"\x03\0\x08\0\x05\0\0\0", Confirm::Failed(5)),
            (b"\x04\0\x08\0\x05\0\0\0", Confirm::Nothing),
        ] {
            assert_eq!(confirm(bytes), expected, "{bytes:02x?}");
        }
    }
}
