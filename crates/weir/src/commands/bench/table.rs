//! A table: the first column is words, the others are numbers.

/// Form of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Columns of text.
    Plain,
    /// With lines and colours.
    Terminal,
    /// For pages.
    Markdown,
}

/// Meaning of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Nothing special.
    Usual,
    /// Better than what it is compared with.
    Good,
    /// Worse, or over a limit.
    Bad,
}

/// One cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// Text with a tone.
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, Tone::Usual)
    }
}

/// A table being written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    head: Vec<Cell>,
    lines: Vec<Vec<Cell>>,
}

impl Table {
    /// With the titles of its columns.
    pub fn new(head: Vec<Cell>) -> Self {
        Self { head, lines: Vec::new() }
    }

    /// Adds a line.
    pub fn line(&mut self, cells: Vec<Cell>) {
        self.lines.push(cells);
    }

    /// The table as text.
    pub fn text(&self, look: Look) -> String {
        if look == Look::Markdown {
            return self.markdown();
        }
        let widths = self.widths();
        let mut text = String::new();
        let all = std::iter::once(&self.head).chain(&self.lines);
        for (number, line) in all.enumerate() {
            let mut shown = String::new();
            for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let padding = " ".repeat(width.saturating_sub(cell.text.chars().count()));
                let body = paint(cell, number == 0, look);
                shown += &if column == 0 { format!("{body}{padding}") } else { format!("  {padding}{body}") };
            }
            text += shown.trim_end();
            text.push('\n');
            if number == 0 && look == Look::Terminal {
                let width = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
                text += &format!("\x1b[2m{}\x1b[0m\n", "─".repeat(width));
            }
        }
        text
    }

    fn markdown(&self) -> String {
        let line = |cells: &[Cell]| {
            let cells: Vec<&str> = cells.iter().map(|cell| cell.text.trim()).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = "---|".repeat(self.head.len());
        let lines: String = self.lines.iter().map(|cells| line(cells)).collect();
        format!("{}|{rule}\n{lines}", line(&self.head))
    }

    fn widths(&self) -> Vec<usize> {
        let width =
            |line: &Vec<Cell>, column: usize| line.get(column).map_or(0, |cell| cell.text.chars().count());
        let lines = || std::iter::once(&self.head).chain(&self.lines);
        (0..self.head.len())
            .map(|column| lines().map(|line| width(line, column)).max().unwrap_or(0))
            .collect()
    }
}

fn paint(cell: &Cell, is_head: bool, look: Look) -> String {
    let code = match (look, is_head, cell.tone) {
        (Look::Terminal, true, _) => "1",
        (Look::Terminal, false, Tone::Good) => "32",
        (Look::Terminal, false, Tone::Bad) => "1;31",
        _ => return cell.text.clone(),
    };
    format!("\x1b[{code}m{}\x1b[0m", cell.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks() {
        let mut table = Table::new(vec!["".into(), "gzip".into(), "MB".into()]);
        table.line(vec!["all EVE".into(), Cell::new("0.06", Tone::Good), "5".into()]);
        table.line(vec!["  old".into(), Cell::new("10.1", Tone::Bad), "".into()]);
        let cases = [
            (Look::Plain, "         gzip  MB\nall EVE  0.06   5\n  old    10.1\n"),
            (
                Look::Terminal,
                "\x1b[1m\x1b[0m         \x1b[1mgzip\x1b[0m  \x1b[1mMB\x1b[0m\n\
                 \x1b[2m─────────────────\x1b[0m\n\
                 all EVE  \x1b[32m0.06\x1b[0m   5\n  old    \x1b[1;31m10.1\x1b[0m\n",
            ),
            (Look::Markdown, "|  | gzip | MB |\n|---|---|---|\n| all EVE | 0.06 | 5 |\n| old | 10.1 |  |\n"),
        ];
        for (look, expected) in cases {
            assert_eq!(table.text(look), expected, "{look:?}");
        }
    }
}
