//! A terminal's other screen, which is drawn anew with each look, and left as it was found.

use std::io::Write;

/// Size where the terminal does not tell it.
const SIZE: (usize, usize) = (80, 24);

/// The other screen, until this is dropped.
pub(super) struct Screen;

impl Screen {
    /// Enters it, and hides the cursor.
    pub(super) fn enter() -> Self {
        write("\x1b[?1049h\x1b[?25l");
        Self
    }

    /// Returns columns and lines.
    pub(super) fn size(&self) -> (usize, usize) {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
        let known = size.filter(|size| size.ws_col > 0 && size.ws_row > 0);
        known.map_or(SIZE, |size| (usize::from(size.ws_col), usize::from(size.ws_row)))
    }

    /// Draws as much of a text as there is room for.
    pub(super) fn show(&self, text: &str, columns: usize, lines: usize) {
        write(&frame(text, columns, lines));
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        write("\x1b[?25h\x1b[?1049l");
    }
}

/// Returns what draws a text: each line cut to the width, and what was there before cleared behind it.
fn frame(text: &str, columns: usize, lines: usize) -> String {
    let mut out = "\x1b[H".to_owned();
    let shown: Vec<String> = text
        .lines()
        .take(lines)
        .map(|line| line.chars().take(columns).collect::<String>() + "\x1b[K")
        .collect();
    out.push_str(&shown.join("\r\n"));
    out.push_str("\x1b[J");
    out
}

fn write(text: &str) {
    let mut output = std::io::stdout().lock();
    // A terminal that is gone shows nothing.
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_the_screen() {
        for (text, columns, lines, expected) in [
            ("abc\nde\nf", 2, 2, "\x1b[Hab\x1b[K\r\nde\x1b[K\x1b[J"),
            ("", 80, 24, "\x1b[H\x1b[J"),
            ("é", 1, 1, "\x1b[Hé\x1b[K\x1b[J"),
        ] {
            assert_eq!(frame(text, columns, lines), expected);
        }
    }
}
