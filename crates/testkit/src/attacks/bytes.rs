//! Pieces of messages.

/// Prefixes a message of a TCP connection with its length, in four bytes.
pub(super) fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes(), message].concat()
}

/// A text behind its length in two bytes.
pub(super) fn sized(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text].concat()
}

/// An element of ASN.1 (X.690).
pub(super) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = match length {
        0..0x80 => vec![tag, length as u8],
        0x80..0x1_0000 => vec![tag, 0x82, (length >> 8) as u8, length as u8],
        _ => vec![tag, 0x83, (length >> 16) as u8, (length >> 8) as u8, length as u8],
    };
    [&head, content].concat()
}

/// A number in four bytes as an element.
pub(super) fn integer(value: u32) -> Vec<u8> {
    element(2, &(value & 0x7fff_ffff).to_be_bytes())
}
