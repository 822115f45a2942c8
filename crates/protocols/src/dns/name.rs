//! Domain names, RFC 1035 section 4.1.4: labels and compression pointers.
//!
//! A name is kept in its readable form: labels joined by dots, without one at the end, in the case
//! it was sent in. A pointer may lead forwards. A name that is too long, has too many labels or
//! leads in a circle is cut there and flagged, as the engine that users come from does; only a
//! name that runs past the end of the message is not one.

/// Longest readable form kept.
pub const MAX_LENGTH: usize = 1025;

/// Most names are not longer.
const USUAL_LENGTH: usize = 32;

/// Most labels and pointers followed.
pub const MAX_STEPS: usize = 255;

/// A name in its readable form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// Labels joined by dots; empty for the root.
    pub text: Vec<u8>,
    /// What was cut from it.
    pub flaws: NameFlaws,
}

/// What kept a name from being read in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameFlaws {
    /// Longer than [`MAX_LENGTH`].
    pub truncated: bool,
    /// Its pointers lead in a circle.
    pub infinite_loop: bool,
    /// More than [`MAX_STEPS`] labels and pointers.
    pub too_many_labels: bool,
}

impl NameFlaws {
    /// The flaws of either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            truncated: self.truncated || other.truncated,
            infinite_loop: self.infinite_loop || other.infinite_loop,
            too_many_labels: self.too_many_labels || other.too_many_labels,
        }
    }
}

/// Reads the name at `start` of `message`: the name and the offset behind it.
pub fn read(message: &[u8], start: usize) -> Option<(Name, usize)> {
    let mut name = Name::default();
    let mut position = start;
    // Where the name ends in the place it began: known at the first pointer.
    let mut end = None;
    // Brent's cycle detection over the pointers: one remembered, renewed at powers of two.
    let mut remembered = usize::MAX;
    let mut jumps: u32 = 0;
    for _ in 0..MAX_STEPS {
        let length = *message.get(position)?;
        match length >> 6 {
            0 if length == 0 => return Some((name, end.unwrap_or(position + 1))),
            0 => {
                let label = message.get(position + 1..position + 1 + usize::from(length))?;
                append_label(&mut name, label);
                position += 1 + usize::from(length);
            }
            3 => {
                let low = *message.get(position + 1)?;
                end = end.or(Some(position + 2));
                let target = usize::from(length & 0x3f) << 8 | usize::from(low);
                if target == position || position == remembered {
                    name.flaws.infinite_loop = true;
                    return end.map(|end| (name, end));
                }
                jumps += 1;
                if jumps.is_power_of_two() {
                    remembered = position;
                }
                position = target;
            }
            _ => return None,
        }
    }
    name.flaws.too_many_labels = true;
    let end = match end {
        Some(end) => end,
        None => skip(message, position)?,
    };
    Some((name, end))
}

fn append_label(name: &mut Name, label: &[u8]) {
    let dot = usize::from(!name.text.is_empty());
    let room = MAX_LENGTH.saturating_sub(name.text.len() + dot);
    if room < label.len() {
        name.flaws.truncated = true;
    }
    if room == 0 {
        return;
    }
    if name.text.capacity() == 0 {
        name.text.reserve(USUAL_LENGTH);
    }
    if dot == 1 {
        name.text.push(b'.');
    }
    name.text.extend_from_slice(label.get(..room).unwrap_or(label));
}

/// The offset behind the rest of a name whose labels are no longer wanted.
fn skip(message: &[u8], start: usize) -> Option<usize> {
    let mut position = start;
    loop {
        let length = *message.get(position)?;
        match length >> 6 {
            0 if length == 0 => return Some(position + 1),
            0 => position += 1 + usize::from(length),
            3 => return message.get(position + 1).map(|_| position + 2),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_forms() {
        type Case<'a> = (&'a [u8], usize, Option<(&'a str, usize)>);
        let cases: [Case<'_>; 8] = [
            (b"\x03www\x04zeek\x03org\0", 0, Some(("www.zeek.org", 14))),
            (b"\0", 0, Some(("", 1))),
            (b"\x03org\0\x04zeek\xc0\x00rest", 5, Some(("zeek.org", 12))),
            (b"\xc0\x02\x01a\0", 0, Some(("a", 2))),
            (b"\x05ab", 0, None),
            (b"\x41a\0", 0, None),
            (b"\xc0", 0, None),
            (b"\xc0\x09", 0, None),
        ];
        for (message, start, expected) in cases {
            let found = read(message, start);
            let found = found.as_ref().map(|(name, end)| (std::str::from_utf8(&name.text).unwrap(), *end));
            assert_eq!(found, expected, "{message:?}");
        }
    }

    #[test]
    fn circles_end() {
        for message in
            [&b"\xc0\x00"[..], b"\x01a\xc0\x00", b"\xc0\x02\xc0\x00", b"\xc0\x02\x01b\xc0\x06\xc0\x04"]
        {
            let (name, end) = read(message, 0).unwrap();
            assert!(name.flaws.infinite_loop || name.flaws.too_many_labels, "{message:?}");
            assert!(end <= message.len());
        }
    }

    #[test]
    fn long_names_are_cut_and_passed_over() {
        let mut message = Vec::new();
        for _ in 0..20 {
            message.push(63);
            message.extend([b'a'; 63]);
        }
        message.push(0);
        let (name, end) = read(&message, 0).unwrap();
        assert_eq!((name.text.len(), name.flaws.truncated, end), (MAX_LENGTH, true, message.len()));

        let mut message = b"\x01a".repeat(300);
        message.push(0);
        let (name, end) = read(&message, 0).unwrap();
        assert_eq!((name.text.len(), name.flaws.too_many_labels, end), (2 * MAX_STEPS - 1, true, 601));
    }
}
