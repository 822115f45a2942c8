//! Moments as logs write them.

use jiff::civil::date;

/// Returns microseconds since 1970 of `2015-01-31T12:00:00.000000+0100`, with or without a fraction, and with a zone as
/// `Z`, `+0100`, `+01:00` or none, which is UTC; none for any other text.
pub fn parse(text: &str) -> Option<i64> {
    let (moment, mut rest) = text.as_bytes().split_first_chunk::<19>()?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', hour @ ..] = moment else { return None };
    let [h1, h2, b':', n1, n2, b':', s1, s2] = hour else { return None };
    let day = date_of(two(*y1, *y2)? * 100 + two(*y3, *y4)?, two(*m1, *m2)?, two(*d1, *d2)?)?;
    let (hour, minute, second) = (two(*h1, *h2)?, two(*n1, *n2)?, two(*s1, *s2)?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut micros = 0;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&length) {
            return None;
        }
        let kept = fraction.get(..length.min(6))?;
        micros = digits(kept)? * 10_i64.pow(6 - kept.len() as u32);
        rest = fraction.get(length..)?;
    }
    let zone = match rest {
        b"" | b"Z" => 0,
        [sign @ (b'+' | b'-'), h1, h2, m1, m2] | [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let seconds = two(*h1, *h2)? * 3600 + two(*m1, *m2)? * 60;
            if *sign == b'+' { seconds } else { -seconds }
        }
        _ => return None,
    };
    let seconds = day * 86_400 + hour * 3600 + minute * 60 + second - zone;
    Some(seconds * 1_000_000 + micros)
}

/// Days since 1970.
fn date_of(year: i64, month: i64, day: i64) -> Option<i64> {
    // Most times of a log are of one day.
    thread_local!(static LATEST: std::cell::Cell<(i64, i64, i64, i64)> = const { std::cell::Cell::new((0, 0, 0, 0)) });
    let (known_year, known_month, known_day, known) = LATEST.get();
    if (known_year, known_month, known_day) == (year, month, day) {
        return Some(known);
    }
    let date = jiff::civil::Date::new(year as i16, month as i8, day as i8).ok()?;
    let days = i64::from(date.since(date_zero()).ok()?.get_days());
    LATEST.set((year, month, day, days));
    Some(days)
}

const fn date_zero() -> jiff::civil::Date {
    date(1970, 1, 1)
}

fn two(tens: u8, ones: u8) -> Option<i64> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| i64::from(tens * 10 + ones))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes
        .iter()
        .try_fold(0_i64, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        let cases = [
            ("1970-01-01T00:00:00", Some(0)),
            ("1970-01-01T00:00:00.000001+0000", Some(1)),
            ("1970-01-01T01:00:00.5+01:00", Some(500_000)),
            ("1969-12-31T23:00:00-0100", Some(0)),
            ("2024-02-29T12:34:56.123456789Z", Some(1_709_210_096_123_456)),
            ("1970-01-02T00:00:00Z", Some(86_400_000_000)),
            ("2023-02-29T00:00:00Z", None),
            ("2024-01-01 00:00:00", None),
            ("2024-01-01T00:00:00.Z", None),
            ("2024-01-01T25:00:00Z", None),
            ("2024-01-01T00:00:00 CET", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
