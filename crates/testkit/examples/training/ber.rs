//! Elements of ASN.1 (X.690), of which Kerberos, LDAP, SNMP and tokens of security are made.

/// An element.
pub fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = match length {
        0..0x80 => vec![tag, length as u8],
        0x80..0x100 => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [&head, content].concat()
}

/// An element whose length takes four bytes however short it is, as servers of Windows write them.
pub fn wide_element(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, 0x84][..], &(content.len() as u32).to_be_bytes(), content].concat()
}

/// Elements in a row.
pub fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    element(0x30, &parts.concat())
}

/// An element of a sequence that is told by its number.
pub fn part(number: u8, content: &[u8]) -> Vec<u8> {
    element(0xa0 | number, content)
}

/// Bytes.
pub fn octets(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    element(4, bytes.as_ref())
}

/// A number that is not negative, in as few bytes as it takes.
pub fn integer(value: u32) -> Vec<u8> {
    unsigned(2, value)
}

/// A number that is not negative, under a tag of its own.
pub fn unsigned(tag: u8, value: u32) -> Vec<u8> {
    let bytes = u64::from(value).to_be_bytes();
    // The first bit is the sign's.
    let start = (0..7).find(|place| bytes[*place] != 0 || bytes[place + 1] & 0x80 != 0).unwrap_or(7);
    element(tag, &bytes[start..])
}

/// A name of something, as it is encoded.
pub fn identifier(encoded: &[u8]) -> Vec<u8> {
    element(6, encoded)
}
