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
    /// Flaws found in reading it.
    pub flaws: NameFlaws,
}

/// Flaws that keep a name from being read in full.
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

/// The names of a message.
///
/// Many of them are pointers to the same one, mostly to that of the question: it is read twice, and then known.
#[derive(Debug)]
pub struct Names<'a> {
    message: &'a [u8],
    /// Where the latest pointer led to.
    target: usize,
    /// The name there, if two pointers in turn led to it.
    known: Option<Name>,
}

impl<'a> Names<'a> {
    /// Those of `message`.
    pub const fn new(message: &'a [u8]) -> Self {
        Self { message, target: usize::MAX, known: None }
    }

    /// The message.
    pub const fn message(&self) -> &'a [u8] {
        self.message
    }

    /// Reads the name at `start` of the message: the name and the offset behind it.
    pub fn read(&mut self, start: usize) -> Option<(Name, usize)> {
        let Some(target) = pointer(self.message, start) else { return read(self.message, start) };
        let is_same = std::mem::replace(&mut self.target, target) == target;
        match &self.known {
            Some(known) if is_same => return Some((known.clone(), start + 2)),
            _ => self.known = None,
        }
        let (name, end) = read(self.message, start)?;
        // What leads to no end depends on where it began.
        if is_same && name.flaws == NameFlaws::default() {
            self.known = Some(name.clone());
        }
        Some((name, end))
    }
}

/// Where the pointer at `start` of `message` leads to, if there is one.
fn pointer(message: &[u8], start: usize) -> Option<usize> {
    let &[high, low] = message.get(start..)?.first_chunk()?;
    (high >> 6 == 3).then(|| usize::from(high & 0x3f) << 8 | usize::from(low))
}

/// Reads the name at `start` of `message`: the name and the offset behind it.
fn read(message: &[u8], start: usize) -> Option<(Name, usize)> {
    let mut name = Name::default();
    let mut position = start;
    // Where the labels begin that were passed and are not in the name yet.
    let mut labels = start;
    // Where the name ends in the place it began: known at the first pointer.
    let mut end = None;
    // Brent's cycle detection over the pointers: one remembered, renewed at powers of two.
    let mut remembered = usize::MAX;
    let mut jumps: u32 = 0;
    for _ in 0..MAX_STEPS {
        let length = *message.get(position)?;
        match length >> 6 {
            0 if length == 0 => {
                append_labels(&mut name, message.get(labels..position)?);
                return Some((name, end.unwrap_or(position + 1)));
            }
            0 => {
                position += 1 + usize::from(length);
                if position > message.len() {
                    return None;
                }
            }
            3 => {
                let target = pointer(message, position)?;
                append_labels(&mut name, message.get(labels..position)?);
                labels = target;
                end = end.or(Some(position + 2));
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
    append_labels(&mut name, message.get(labels..position)?);
    name.flaws.too_many_labels = true;
    let end = match end {
        Some(end) => end,
        None => skip(message, position)?,
    };
    Some((name, end))
}

/// Adds labels, each behind its length. Mostly there is room for all: they are copied at once, and lengths become dots.
fn append_labels(name: &mut Name, labels: &[u8]) {
    let Some((&first, rest)) = labels.split_first() else { return };
    let dot = usize::from(!name.text.is_empty());
    if name.text.capacity() == 0 {
        name.text.reserve(rest.len().clamp(USUAL_LENGTH, MAX_LENGTH));
    }
    if name.text.len() + dot + rest.len() > MAX_LENGTH {
        return append_some(name, labels);
    }
    if dot == 1 {
        name.text.push(b'.');
    }
    let from = name.text.len();
    name.text.extend_from_slice(rest);
    let text = name.text.get_mut(from..).unwrap_or_default();
    let mut next = usize::from(first);
    while let Some(length) = text.get_mut(next) {
        next += 1 + usize::from(std::mem::replace(length, b'.'));
    }
}

/// Adds labels as far as there is room.
fn append_some(name: &mut Name, labels: &[u8]) {
    let mut rest = labels;
    while let Some((&length, after)) = rest.split_first() {
        let (label, after) = after.split_at(after.len().min(usize::from(length)));
        append_label(name, label);
        rest = after;
    }
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

    /// Names that are read in turn, by where they begin: each is as if it were alone.
    #[test]
    fn names_are_known_that_pointers_led_to() {
        let message = b"\x01a\x01b\0\xc0\0\xc0\0\xc0\0\xc0\x02\xc0\x02\xc0\0\xc0\x13\xc0\x13\xc0\x13";
        let mut names = Names::new(message);
        for start in [0, 5, 7, 9, 5, 11, 13, 11, 2, 15, 5, 9, 17, 19, 21, 17] {
            assert_eq!(names.read(start), read(message, start), "{start}");
        }
    }

    /// Labels of each length that follow a pointer until there is no room, compared with the same ones joined.
    #[test]
    fn labels_go_as_far_as_there_is_room() {
        for length in 4..=63 {
            let label = vec![b'a' + length % 26; usize::from(length)];
            let count = 1100 / label.len();
            let mut message = [&[length][..], &label].concat().repeat(count);
            message.push(0);
            let start = message.len();
            message.extend(b"\x02cd\xc0\0");
            let (name, _) = read(&message, start).unwrap();
            let mut expected = b"cd".to_vec();
            (0..count.min(MAX_STEPS - 2)).for_each(|_| expected.extend([b".", &label[..]].concat()));
            expected.truncate(MAX_LENGTH);
            expected.pop_if(|last| *last == b'.');
            assert_eq!(name.text, expected, "{length}");
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
        assert_eq!(name.text.capacity(), MAX_LENGTH);

        let mut message = b"\x01a".repeat(300);
        message.push(0);
        let (name, end) = read(&message, 0).unwrap();
        assert_eq!((name.text.len(), name.flaws.too_many_labels, end), (2 * MAX_STEPS - 1, true, 601));
    }
}
