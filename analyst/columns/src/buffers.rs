//! Values of one type, row by row, and the rows that have none.

use std::ops::Range;

use arrow_buffer::{BooleanBufferBuilder, NullBuffer};

/// Rows that have no value.
#[derive(Default)]
pub(crate) struct Gaps(Vec<Range<usize>>);

impl Gaps {
    /// Adds rows behind all that are there.
    pub(crate) fn add(&mut self, rows: Range<usize>) {
        if !rows.is_empty() {
            self.0.push(rows);
        }
    }

    /// Returns which of `rows` rows have a value, where not all have one, and begins anew.
    pub(crate) fn take(&mut self, rows: usize) -> Option<NullBuffer> {
        if self.0.is_empty() {
            return None;
        }
        let mut present = BooleanBufferBuilder::new(rows);
        for gap in self.0.drain(..) {
            present.append_n(gap.start - present.len(), true);
            present.append_n(gap.len(), false);
        }
        present.append_n(rows - present.len(), true);
        Some(NullBuffer::new(present.finish()))
    }
}

/// Values of one size.
#[derive(Default)]
pub(crate) struct Fixed<T> {
    values: Vec<T>,
    gaps: Gaps,
}

impl<T: Copy + Default> Fixed<T> {
    /// Puts the value of a row; the first one stands of several.
    #[inline]
    pub(crate) fn put(&mut self, row: usize, value: T) {
        if row != self.values.len() {
            if row < self.values.len() {
                return;
            }
            self.pad(row);
        }
        self.values.push(value);
    }

    /// Leaves the rows before this one without a value, where they have none.
    pub(crate) fn pad(&mut self, rows: usize) {
        let length = self.values.len();
        if length < rows {
            self.gaps.add(length..rows);
            self.values.resize(rows, T::default());
        }
    }

    /// Returns the values, and begins anew with room for as many.
    pub(crate) fn take(&mut self) -> (Vec<T>, Option<NullBuffer>) {
        let rows = self.values.len();
        (std::mem::replace(&mut self.values, Vec::with_capacity(rows)), self.gaps.take(rows))
    }
}

/// Texts, one behind the other.
pub(crate) struct Texts {
    bytes: String,
    /// The offset at which the first one begins, and that at which the one of each row ends.
    ends: Vec<i32>,
    gaps: Gaps,
}

impl Default for Texts {
    fn default() -> Self {
        Self { bytes: String::new(), ends: vec![0], gaps: Gaps::default() }
    }
}

impl Texts {
    const fn len(&self) -> usize {
        self.ends.len() - 1
    }

    /// The offset at which the last one ends. Rows that wait have a few megabytes of them, and one line more.
    fn end(&self) -> i32 {
        i32::try_from(self.bytes.len()).unwrap_or(i32::MAX)
    }

    /// Puts the text of a row; the first one stands of several.
    #[inline]
    pub(crate) fn put(&mut self, row: usize, text: &str) {
        if row != self.len() {
            if row < self.len() {
                return;
            }
            self.pad(row);
        }
        self.bytes.push_str(text);
        self.ends.push(self.end());
    }

    /// Leaves the rows before this one without a text, where they have none.
    pub(crate) fn pad(&mut self, rows: usize) {
        let length = self.len();
        if length < rows {
            self.gaps.add(length..rows);
            self.ends.resize(rows + 1, self.end());
        }
    }

    /// Returns the texts, where each begins and the last one ends, and begins anew with room for as many.
    pub(crate) fn take(&mut self) -> (String, Vec<i32>, Option<NullBuffer>) {
        let rows = self.len();
        let mut next = Self { bytes: String::with_capacity(self.bytes.len()), ..Self::default() };
        next.ends.reserve(rows);
        let Self { bytes, ends, mut gaps } = std::mem::replace(self, next);
        (bytes, ends, gaps.take(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_values() {
        // Rows that are put, and which of all rows have a value then.
        let cases: [(&[usize], usize, &str); 6] = [
            (&[], 0, ""),
            (&[], 3, "..."),
            (&[0, 1, 2], 3, "xxx"),
            (&[2, 3, 3, 6], 8, "..xx..x."),
            (&[0, 0], 1, "x"),
            (&[1, 0], 2, ".x"),
        ];
        for (put, rows, expected) in cases {
            let (mut numbers, mut texts) = (Fixed::default(), Texts::default());
            for row in put {
                numbers.put(*row, *row);
                texts.put(*row, &row.to_string());
            }
            numbers.pad(rows);
            texts.pad(rows);
            let (values, present) = numbers.take();
            let is_present = |row| present.as_ref().is_none_or(|present| present.is_valid(row));
            let found: String = (0..rows).map(|row| if is_present(row) { 'x' } else { '.' }).collect();
            assert_eq!(found, expected, "{put:?}");
            assert!((0..rows).all(|row| values[row] == if is_present(row) { row } else { 0 }), "{values:?}");
            let (bytes, ends, of_texts) = texts.take();
            assert_eq!(of_texts, present, "{put:?}");
            assert_eq!(ends.len(), rows + 1, "{put:?}");
            for (row, ends) in ends.windows(2).enumerate() {
                let text = &bytes[ends[0] as usize..ends[1] as usize];
                assert_eq!(text == row.to_string(), is_present(row), "{put:?} {row}");
            }
        }
    }
}
