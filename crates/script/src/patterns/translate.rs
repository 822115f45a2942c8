//! Zeek's syntax of regular expressions, put into that of the engine.
//!
//! Zeek's is that of `flex`: quoted strings, classes of characters, `(?i:…)`, counts in braces. Letters stand for bytes.

use std::fmt::Write as _;

/// Returns the expression in the engine's syntax.
///
/// # Errors
///
/// A sentence that says what is wrong.
pub fn translate(text: &str) -> Result<String, String> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, out: String::new(), insensitive: vec![false] };
    while reader.at < reader.bytes.len() {
        reader.step()?;
    }
    Ok(reader.out)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    out: String,
    /// Whether the open groups ignore case.
    insensitive: Vec<bool>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> u8 {
        let byte = self.peek(0);
        self.at += 1;
        byte
    }

    fn literal(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            self.out.push(char::from(byte));
        } else {
            let _ = write!(self.out, "\\x{byte:02x}");
        }
    }

    fn step(&mut self) -> Result<(), String> {
        let byte = self.next();
        match byte {
            b'^' => self.out.push_str("(?:\\A)"),
            b'$' => self.out.push_str("(?:\\z)"),
            b'.' => self.out.push_str("(?:.)"),
            b'"' => {
                while self.at < self.bytes.len() && self.peek(0) != b'"' {
                    let byte = self.next();
                    let byte = if byte == b'\\' { self.escape()? } else { byte };
                    self.literal(byte);
                }
                self.at += 1;
            }
            b'[' => self.class()?,
            b'(' => self.open(),
            b')' => {
                self.insensitive.pop();
                self.out.push(')');
            }
            b'|' | b'*' | b'+' | b'?' => self.out.push(char::from(byte)),
            b'{' if self.peek(0).is_ascii_digit() || self.peek(0) == b',' => self.repetition(),
            b'\\' => match self.peek(0) {
                letter @ (b'd' | b'D' | b's' | b'S' | b'w' | b'W') => {
                    self.at += 1;
                    self.out.push('\\');
                    self.out.push(char::from(letter));
                }
                _ => {
                    let byte = self.escape()?;
                    self.literal(byte);
                }
            },
            other => self.literal(other),
        }
        Ok(())
    }

    fn open(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let outer = self.insensitive.last().copied().unwrap_or(false);
        if rest.starts_with(b"?i:") {
            self.out.push_str("(?i:");
            self.at += 3;
            self.insensitive.push(true);
        } else if rest.starts_with(b"?s:") {
            self.out.push_str("(?s:");
            self.at += 3;
            self.insensitive.push(outer);
        } else {
            self.out.push_str("(?:");
            self.insensitive.push(outer);
        }
    }

    fn repetition(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && self.peek(0) != b'}' {
            self.at += 1;
        }
        let inner = self.bytes.get(start..self.at).unwrap_or(&[]);
        self.at += 1;
        let text = String::from_utf8_lossy(inner);
        let text = if text.starts_with(',') { format!("0{text}") } else { text.into_owned() };
        let _ = write!(self.out, "{{{text}}}");
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<u8, String> {
        if self.at >= self.bytes.len() {
            return Err("a backslash ends the expression".to_owned());
        }
        let byte = self.next();
        Ok(match byte {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'x' => {
                let mut value = 0u8;
                let mut digits = 0;
                while digits < 2 {
                    let Some(digit) = char::from(self.peek(0)).to_digit(16) else { break };
                    value = value << 4 | u8::try_from(digit).unwrap_or(0);
                    self.at += 1;
                    digits += 1;
                }
                value
            }
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                let mut digits = 1;
                while digits < 3 && matches!(self.peek(0), b'0'..=b'7') {
                    value = value << 3 | u32::from(self.next() - b'0');
                    digits += 1;
                }
                u8::try_from(value & 0xff).unwrap_or(0)
            }
            other => other,
        })
    }

    fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.peek(0) == b'^' {
            self.at += 1;
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            if self.at >= self.bytes.len() {
                return Err("a class of characters is not closed".to_owned());
            }
            let byte = self.next();
            match byte {
                b']' if !is_first => break,
                b'[' if self.peek(0) == b':' => {
                    let rest = self.bytes.get(self.at..).unwrap_or(&[]);
                    let Some(end) = rest.windows(2).position(|pair| pair == b":]") else {
                        return Err("a named class of characters is not closed".to_owned());
                    };
                    let name = rest.get(..end + 2).unwrap_or(&[]);
                    self.at += end + 2;
                    let _ = write!(self.out, "[{}", String::from_utf8_lossy(name));
                }
                b'-' if !is_first && self.peek(0) != b']' => self.out.push('-'),
                b'\\' if matches!(self.peek(0), b'd' | b'D' | b's' | b'S' | b'w' | b'W') => {
                    self.out.push('\\');
                    let letter = self.next();
                    self.out.push(char::from(letter));
                }
                b'\\' => {
                    let byte = self.escape()?;
                    self.literal(byte);
                }
                other => self.literal(other),
            }
            is_first = false;
        }
        self.out.push(']');
        Ok(())
    }
}
