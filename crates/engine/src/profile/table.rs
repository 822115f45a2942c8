//! Tables of logs: columns of a width, filled up with blanks on the right.

/// Dashes above and below what a table is of.
pub(super) const WIDE: usize = 128;

/// Appends a text of at least so many characters.
pub(super) fn cell(out: &mut String, text: &str, width: usize) {
    out.push_str(text);
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(text.chars().count())));
}

/// Appends the cells of a row with a blank between them, behind an indentation of so many.
pub(super) fn row<S: AsRef<str>>(
    out: &mut String,
    indent: usize,
    cells: impl IntoIterator<Item = (S, usize)>,
) {
    out.extend(std::iter::repeat_n(' ', indent));
    for (place, (text, width)) in cells.into_iter().enumerate() {
        if place > 0 {
            out.push(' ');
        }
        cell(out, text.as_ref(), width);
    }
    out.push('\n');
}

/// Appends the dashes below the names of columns, each with a blank behind it.
pub(super) fn dashes(out: &mut String, widths: impl IntoIterator<Item = usize>) {
    out.push_str("  ");
    for width in widths {
        out.extend(std::iter::repeat_n('-', width));
        out.push(' ');
    }
    out.push('\n');
}

/// Appends a line of so many dashes.
pub(super) fn rule(out: &mut String, width: usize) {
    out.push_str("  ");
    out.extend(std::iter::repeat_n('-', width));
    out.push('\n');
}
