//! Telnet's commands within lines (RFC 854, which RFC 959 has control connections follow): Zeek's logs have the lines
//! without them. One that goes on behind the end of its line is taken for text from there on.

use memchr::memchr;

/// IAC, which begins a command, and the commands with an operand: the number of an option, or a subnegotiation, up to
/// the command that ends it.
const COMMAND: u8 = 0xff;
const OPTIONS: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;
const SUBNEGOTIATION: u8 = 0xfa;
const SUBNEGOTIATION_END: u8 = 0xf0;

/// Meaning of a line's next byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Next {
    /// Text, or the beginning of a command.
    #[default]
    Text,
    /// The code of a command.
    Code,
    /// The number of an option.
    Number,
    /// Part of a subnegotiation; before it was a byte that begins commands.
    Subnegotiation { command: bool },
}

impl Next {
    /// Takes a byte in; whether it stands for itself. The one that begins commands does where it comes twice.
    fn takes(&mut self, byte: u8) -> bool {
        let (next, is_text) = match (*self, byte) {
            (Self::Text, COMMAND) => (Self::Code, false),
            (Self::Text, _) | (Self::Code, COMMAND) => (Self::Text, true),
            (Self::Code, SUBNEGOTIATION) => (Self::Subnegotiation { command: false }, false),
            (Self::Code, byte) if OPTIONS.contains(&byte) => (Self::Number, false),
            (Self::Code | Self::Number, _) => (Self::Text, false),
            (Self::Subnegotiation { command: true }, SUBNEGOTIATION_END) => (Self::Text, false),
            (Self::Subnegotiation { command }, byte) => {
                (Self::Subnegotiation { command: !command && byte == COMMAND }, false)
            }
        };
        *self = next;
        is_text
    }

    /// Takes bytes in, and counts those of text.
    pub fn count(&mut self, bytes: &[u8]) -> usize {
        bytes.iter().filter(|&&byte| self.takes(byte)).count()
    }
}

/// The text of a line.
pub fn text(line: &[u8]) -> Vec<u8> {
    if memchr(COMMAND, line).is_none() {
        return line.to_vec();
    }
    let mut next = Next::default();
    line.iter().copied().filter(|&byte| next.takes(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_lines() {
        let cases: &[(&[u8], &[u8])] = &[
            (b"RETR a", b"RETR a"),
            (b"a\xff\xffb", b"a\xffb"),
            (b"\xff\xff\xff\xff\xff\xdba", b"\xff\xffa"),
            (b"\xff\xf4\xff\xf2ABOR", b"ABOR"),
            (b"a\xff\xfb\x01b\xff\xfe", b"ab"),
            (b"a\xff\xfa\x18\0x\xff\xffy\xff\xf0b", b"ab"),
            (b"a\xff", b"a"),
        ];
        for (line, expected) in cases {
            assert_eq!(text(line), *expected, "{line:?}");
            let mut next = Next::default();
            let counted: usize = line.iter().map(|&byte| next.count(&[byte])).sum();
            assert_eq!(counted, expected.len(), "{line:?}");
        }
    }
}
