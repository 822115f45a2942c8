//! Bytes as hexadecimal digits and as text, with marks.

use ratatui::style::Style;
use ratatui::text::Span;

use super::document::{MARK, SOFT, span};
use crate::rules::Mark;

/// Lines of bytes at most, on one screen.
pub const LINES: usize = 4096;

/// How bytes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As hexadecimal digits, with letters beside them.
    Hex,
    /// As text.
    Text,
}

impl Form {
    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Hex => Self::Text,
            Self::Text => Self::Hex,
        }
    }
}

/// Lines of bytes, and how many bytes are in none of them.
pub struct Shown {
    /// The lines.
    pub lines: Vec<Vec<Span<'static>>>,
    /// Bytes that are left.
    pub left: usize,
}

/// Letters of the same style that follow one another.
#[derive(Default)]
struct Runs {
    spans: Vec<Span<'static>>,
    text: String,
    style: Style,
}

impl Runs {
    fn push(&mut self, text: &str, style: Style) {
        if self.style != style {
            self.flush();
            self.style = style;
        }
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.spans.push(span(&std::mem::take(&mut self.text), self.style));
        }
    }

    fn finish(mut self) -> Vec<Span<'static>> {
        self.flush();
        self.spans
    }
}

/// A byte as a letter.
fn letter(byte: u8) -> char {
    if (0x20..0x7f).contains(&byte) { char::from(byte) } else { '·' }
}

/// Returns lines of bytes, so many at most.
pub fn lines(bytes: &[u8], marks: &[Mark], form: Form, plain: Style, width: usize, most: usize) -> Shown {
    let mut styles = vec![plain; bytes.len()];
    for mark in marks {
        styles.get_mut(mark.start..mark.end).into_iter().flatten().for_each(|style| *style = MARK);
    }
    let styled: Vec<(u8, Style)> = bytes.iter().copied().zip(styles).collect();
    match form {
        Form::Hex => hex(&styled, width, most),
        Form::Text => letters(&styled, width.max(1), most),
    }
}

fn hex(bytes: &[(u8, Style)], width: usize, most: usize) -> Shown {
    // A place, three letters for each byte and one more, two lines of them with a space.
    let each = [16, 8, 4, 2].into_iter().find(|each| 8 + each * 4 + 2 <= width).unwrap_or(1);
    let mut lines = Vec::new();
    for (line, chunk) in bytes.chunks(each).enumerate().take(most) {
        let mut runs = Runs::default();
        runs.push(&format!("{:06x}  ", line * each), SOFT);
        for place in 0..each {
            match chunk.get(place) {
                Some((byte, style)) => runs.push(&format!("{byte:02x} "), *style),
                None => runs.push("   ", Style::new()),
            }
            if place == 7 {
                runs.push(" ", Style::new());
            }
        }
        for (byte, style) in chunk {
            runs.push(letter(*byte).encode_utf8(&mut [0; 4]), *style);
        }
        lines.push(runs.finish());
    }
    let left = bytes.len().saturating_sub(lines.len() * each);
    Shown { lines, left }
}

fn letters(bytes: &[(u8, Style)], width: usize, most: usize) -> Shown {
    let mut lines = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() && lines.len() < most {
        let end = rest.iter().take(width).position(|(byte, _)| *byte == b'\n').map(|place| place + 1);
        let (line, after) = rest.split_at_checked(end.unwrap_or(width)).unwrap_or((rest, &[]));
        let mut runs = Runs::default();
        for (byte, style) in line {
            runs.push(letter(*byte).encode_utf8(&mut [0; 4]), *style);
        }
        lines.push(runs.finish());
        rest = after;
    }
    Shown { lines, left: rest.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(shown: &Shown) -> Vec<String> {
        let line = |spans: &Vec<Span<'_>>| spans.iter().map(|span| span.content.as_ref()).collect();
        shown.lines.iter().map(line).collect()
    }

    #[test]
    fn bytes_in_lines() {
        let bytes = b"GET /x\r\n\x1b[2J\0\xff0123456789";
        let marks = [Mark { start: 0, end: 3, content: "GET".to_owned() }];
        let form = |form, width, most| lines(bytes, &marks, form, Style::new(), width, most);
        let wide = form(Form::Hex, 80, 99);
        assert_eq!(
            text(&wide),
            [
                "000000  47 45 54 20 2f 78 0d 0a  1b 5b 32 4a 00 ff 30 31 GET /x···[2J··01",
                "000010  32 33 34 35 36 37 38 39                          23456789",
            ]
        );
        let marked = |shown: &Shown| {
            let spans = shown.lines.iter().flatten().filter(|span| span.style == MARK);
            spans.map(|span| span.content.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(marked(&wide), ["47 45 54 ", "GET"]);
        let narrow = form(Form::Hex, 0, 2);
        assert_eq!(
            (text(&narrow), narrow.left),
            (vec!["000000  47 G".to_owned(), "000001  45 E".to_owned()], 22)
        );
        let letters = form(Form::Text, 10, 99);
        assert_eq!(text(&letters), ["GET /x··", "·[2J··0123", "456789"]);
        assert_eq!(marked(&letters), ["GET"]);
        assert_eq!(form(Form::Text, 10, 1).left, 16);
        let beyond = [Mark { start: 1, end: 99, content: String::new() }];
        assert_eq!(text(&lines(b"ab", &beyond, Form::Text, MARK, 9, 9)), ["ab"]);
    }
}
