//! Lines of text that fit a terminal.

/// Columns that every terminal has.
pub const COLUMNS: usize = 80;

/// Breaks `text` at spaces so that each line has at most [`COLUMNS`] characters, of which the lines after
/// the first begin with `indent` spaces. A word that is longer by itself stands on a line of its own.
pub fn wrap(text: &str, indent: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        wrap_line(line, indent, &mut out);
    }
    out
}

/// Joins items with commas behind `lead`, and breaks lines between items where that is possible.
pub fn wrap_items(lead: &str, items: &[String], indent: usize) -> String {
    let mut out = lead.to_owned();
    let mut column = lead.chars().count();
    for (index, item) in items.iter().enumerate() {
        let comma = if index + 1 < items.len() { "," } else { "" };
        let width = item.chars().count() + comma.len();
        if column > indent && column + 1 + width > COLUMNS {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if index > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(item);
        out.push_str(comma);
        column += width;
    }
    wrap(&out, indent)
}

fn wrap_line(line: &str, indent: usize, out: &mut String) {
    let body = line.trim_start_matches(' ');
    let lead = line.len() - body.len();
    out.extend(std::iter::repeat_n(' ', lead));
    let mut column = lead;
    let mut begins = true;
    // Spaces that stand between words of one line are kept: columns of a table stay where they are.
    for piece in body.split_inclusive(' ') {
        let width = piece.trim_end_matches(' ').chars().count();
        if !begins && width > 0 && column + width > COLUMNS {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        }
        out.push_str(piece);
        column += piece.chars().count();
        begins = false;
    }
    out.truncate(out.trim_end_matches(' ').len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        let long = "a".repeat(90);
        let cases = [
            ("short", "short".to_owned()),
            ("", String::new()),
            (&"word ".repeat(17), format!("{}word\n  word", "word ".repeat(15))),
            (&format!("  {}x", "word ".repeat(15)), format!("  {}x", "word ".repeat(15))),
            (&format!("see {long} there"), format!("see\n  {long}\n  there")),
            ("one\ntwo  three", "one\ntwo  three".to_owned()),
        ];
        for (text, expected) in cases {
            assert_eq!(wrap(text, 2), expected, "{text}");
        }
        let items = ["a".repeat(40), format!("{} b", "b".repeat(35)), "c d".to_owned()];
        let expected = format!("  all {},\n    {} b, c d", items[0], "b".repeat(35));
        assert_eq!(wrap_items("  all ", &items, 4), expected);
        let umlauts = "ä".repeat(79);
        assert_eq!(wrap(&format!("{umlauts} x"), 0), format!("{umlauts}\nx"));
    }
}
