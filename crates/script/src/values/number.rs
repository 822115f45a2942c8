//! Doubles and intervals as Zeek shows them.

use std::fmt::Write as _;

/// Returns a double as text, with at most `precision` digits behind the point, so that it cannot be taken for an integer.
pub fn double_text(value: f64, precision: usize) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let mut text = plain(value, precision);
    if value == f64::from(value as i32) {
        text.push_str(".0");
    }
    text
}

fn plain(value: f64, precision: usize) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if size > f64::from(i32::MAX) {
        return two_digits(&format!("{value:e}"));
    }
    let mut text = format!("{value:.precision$}");
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    // What has lost digits to the limit is shown by its exponent.
    let rounds_away = size < 1.0 && size < 10f64.powi(-i32::try_from(precision).unwrap_or(6));
    if rounds_away { short_exponent(value) } else { text }
}

fn short_exponent(value: f64) -> String {
    let text = format!("{value:.5e}");
    let Some((mantissa, power)) = text.split_once('e') else { return text };
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    two_digits(&format!("{mantissa}e{power}"))
}

/// Gives an exponent its sign and two digits, as C does.
pub fn two_digits(text: &str) -> String {
    let Some((mantissa, power)) = text.split_once('e') else { return text.to_owned() };
    let (sign, digits) = power.strip_prefix('-').map_or(("+", power), |digits| ("-", digits));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Units of intervals, with their seconds.
pub const UNITS: [(f64, &str); 6] =
    [(86400.0, "day"), (3600.0, "hr"), (60.0, "min"), (1.0, "sec"), (0.001, "msec"), (0.000_001, "usec")];

/// Returns an interval as text: its parts by units.
pub fn interval_text(seconds: f64, precision: usize) -> String {
    let mut out = String::new();
    let mut rest = seconds;
    for (at, (unit, word)) in UNITS.iter().enumerate() {
        let is_last = at == UNITS.len() - 1;
        let is_meant =
            (rest.abs() >= *unit) || (is_last && rest.abs() > 1e-12) || (is_last && out.is_empty());
        if !is_meant {
            continue;
        }
        if is_last && rest == 0.0 {
            break;
        }
        let amount = if is_last { rest / unit } else { (rest / unit).trunc() };
        // What is left of rounding is not shown.
        let near = (amount * 1e6).round_ties_even() / 1e6;
        if is_last && near == 0.0 && !out.is_empty() {
            break;
        }
        if !is_last && (rest / unit - amount).abs() > 1.0 - 1e-9 {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        let plural = if near.abs() == 1.0 { "" } else { "s" };
        let _ = write!(out, "{} {word}{plural}", double_text(if is_last { near } else { amount }, precision));
        rest -= amount * unit;
        if rest.abs() < 5e-10 * seconds.abs().max(1e-6) && !is_last {
            break;
        }
    }
    if out.is_empty() { "0 secs".to_owned() } else { out }
}

/// Reads the longest double at the begin of a text; returns it and the bytes it took.
pub fn parse_double(text: &[u8]) -> Option<(f64, usize)> {
    let digits = |from: usize| text.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let at = |place: usize| text.get(place).copied().unwrap_or(0);
    let mut end = usize::from(matches!(at(0), b'+' | b'-'));
    let whole = digits(end);
    end += whole;
    let mut fraction = 0;
    if at(end) == b'.' {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(at(end), b'e' | b'E') {
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        let power = digits(end + 1 + sign);
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    let text = std::str::from_utf8(text.get(..end)?).ok()?;
    text.parse().ok().map(|value| (value, end))
}
