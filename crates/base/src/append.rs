//! Appending short texts without a call.

/// Appends a text; most are short, and copied without a call.
#[inline]
pub fn append(text: &[u8], out: &mut Vec<u8>) {
    match text.len() {
        8..=16 => append_ends::<8>(text, out),
        4..=7 => append_ends::<4>(text, out),
        17..=32 => append_ends::<16>(text, out),
        _ => out.extend_from_slice(text),
    }
}

/// Appends the first bytes of a text and its last ones, some of them twice: all of it, if it has as many and at
/// most twice as many.
#[inline]
pub fn append_ends<const N: usize>(text: &[u8], out: &mut Vec<u8>) {
    if let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) {
        let middle = out.len() + text.len() - N;
        out.extend_from_slice(first);
        out.truncate(middle);
        out.extend_from_slice(last);
    }
}
