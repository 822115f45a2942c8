//! Times as text in the zone of logs, the date part kept for as long as the second stays the same.

use weir_base::Timestamp;
use weir_base::time::Civil;

/// Appends `value` with `width` digits, zeros in front.
pub fn digits(out: &mut Vec<u8>, value: u64, width: usize) {
    let mut text = [b'0'; 20];
    let mut rest = value;
    let mut used = 0;
    for place in text.iter_mut().rev() {
        if rest == 0 && used >= width {
            break;
        }
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
        used += 1;
    }
    out.extend_from_slice(text.get(text.len() - used..).unwrap_or_default());
}

/// Appends a date and a time of day, with these separators between their six parts.
pub fn date_time(out: &mut Vec<u8>, civil: Civil, separators: &[u8; 5]) {
    digits(out, civil.year.unsigned_abs(), 4);
    let parts = [civil.month, civil.day, civil.hour, civil.minute, civil.second];
    for (separator, part) in separators.iter().zip(parts) {
        out.push(*separator);
        digits(out, u64::from(part), 2);
    }
}

/// Writes times; one for each form and worker.
#[derive(Debug, Clone, Default)]
pub struct TimeWriter {
    second: u64,
    text: Vec<u8>,
    /// Offset of the zone from UTC in that second: `+0100`.
    offset: [u8; 5],
}

impl TimeWriter {
    fn date(&mut self, time: Timestamp, write: fn(&mut Vec<u8>, Civil)) -> &[u8] {
        let second = time.seconds();
        if self.text.is_empty() || second != self.second {
            self.second = second;
            self.text.clear();
            let local = time.local();
            self.offset = local.offset();
            write(&mut self.text, local.civil);
        }
        &self.text
    }

    /// `2015-01-01T00:00:00.000000+0000`
    pub fn iso(&mut self, out: &mut Vec<u8>, time: Timestamp) {
        out.extend_from_slice(self.date(time, |out, civil| {
            date_time(out, civil, b"--T::");
            out.push(b'.');
        }));
        digits(out, u64::from(time.micros()), 6);
        out.extend_from_slice(&self.offset);
    }

    /// `01/31/2015-00:00:00.000000`
    pub fn fast(&mut self, out: &mut Vec<u8>, time: Timestamp) {
        out.extend_from_slice(self.date(time, |out, civil| {
            digits(out, u64::from(civil.month), 2);
            out.push(b'/');
            digits(out, u64::from(civil.day), 2);
            out.push(b'/');
            digits(out, civil.year.unsigned_abs(), 4);
            for (separator, part) in [(b'-', civil.hour), (b':', civil.minute), (b':', civil.second)] {
                out.push(separator);
                digits(out, u64::from(part), 2);
            }
            out.push(b'.');
        }));
        digits(out, u64::from(time.micros()), 6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_width() {
        for (value, width, expected) in [
            (0, 1, "0"),
            (0, 6, "000000"),
            (42, 6, "000042"),
            (1234, 2, "1234"),
            (u64::MAX, 4, "18446744073709551615"),
        ] {
            let mut out = Vec::new();
            digits(&mut out, value, width);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn forms() {
        let cases = [
            (Timestamp::new(0, 0), "1970-01-01T00:00:00.000000+0000", "01/01/1970-00:00:00.000000"),
            (
                Timestamp::new(1_700_000_000, 123_456_789),
                "2023-11-14T22:13:20.123456+0000",
                "11/14/2023-22:13:20.123456",
            ),
            (
                Timestamp::new(1_700_000_000, 5_000),
                "2023-11-14T22:13:20.000005+0000",
                "11/14/2023-22:13:20.000005",
            ),
        ];
        let (mut iso_writer, mut fast_writer) = (TimeWriter::default(), TimeWriter::default());
        for (time, iso, fast) in cases {
            let mut out = Vec::new();
            iso_writer.iso(&mut out, time);
            assert_eq!(String::from_utf8(std::mem::take(&mut out)).unwrap(), iso);
            fast_writer.fast(&mut out, time);
            assert_eq!(String::from_utf8(out).unwrap(), fast);
        }
    }
}
