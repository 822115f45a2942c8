//! Syslog over UDP (RFC 3164, RFC 5424 6.2.1) as Zeek's log reads it: a priority, or none, and a text. Rules know
//! nothing of it.

pub mod zeek;

/// A message: its priority, where it begins with one, and the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Message<'a> {
    priority: Option<u64>,
    text: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads a message. One that begins like a priority has to have one, of any length.
    fn read(payload: &'a [u8]) -> Option<Self> {
        let Some(rest) = payload.strip_prefix(b"<") else {
            return (!payload.is_empty()).then_some(Self { priority: None, text: payload });
        };
        let (digits, text) = rest.split_at_checked(rest.iter().position(|byte| *byte == b'>')?)?;
        let number = |number: u64, byte: &u8| {
            let digit = char::from(*byte).to_digit(10)?;
            number.checked_mul(10)?.checked_add(digit.into())
        };
        let priority = digits.iter().try_fold(0, number).filter(|_| !digits.is_empty())?;
        Some(Self { priority: Some(priority), text: text.get(1..)? })
    }
}
