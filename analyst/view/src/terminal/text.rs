//! Texts as a terminal may show them, and numbers and times as people read them.
//!
//! Records hold what traffic chose: escape sequences that would steer the terminal, letters that nobody sees, letters that turn
//! the direction of what follows. All texts go through [`visible`] on their way to the screen.

use jiff::Timestamp;
use unicode_width::UnicodeWidthChar;

/// Letters that change what stands beside them, or are not seen, although some terminals give them a place.
const HIDDEN: [(char, char); 9] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
];

/// Whether a letter takes a place of its own and does nothing else.
fn is_plain(letter: char) -> bool {
    let hidden = HIDDEN.iter().any(|(from, to)| (*from..=*to).contains(&letter));
    !hidden && letter.width().is_some_and(|width| width > 0)
}

/// Returns a text in which every letter is seen: those that are not, or that steer terminals, are escapes.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            letter if is_plain(letter) => shown.push(letter),
            letter => shown.push_str(&format!("\\u{:04x}", u32::from(letter))),
        }
    }
    shown
}

/// Returns as much of a text as there are places, with a mark where it is cut.
pub fn cut(text: &str, places: usize) -> String {
    // A letter has at least one byte, and one of no width becomes at least two.
    let few: String = text.chars().take(places.saturating_add(1)).collect();
    let shown = visible(&few);
    if few.len() == text.len() && width(&shown) <= places {
        return shown;
    }
    let Some(room) = places.checked_sub(1) else { return String::new() };
    let mut taken = 0;
    let fits = shown.chars().take_while(|letter| {
        taken += letter.width().unwrap_or(0);
        taken <= room
    });
    fits.chain(['…']).collect()
}

/// Returns a text that takes exactly so many places.
pub fn cell(text: &str, places: usize) -> String {
    let mut cell = cut(text, places);
    let taken = width(&cell);
    cell.extend(std::iter::repeat_n(' ', places.saturating_sub(taken)));
    cell
}

/// Returns a text at the right end of so many places.
pub fn right(text: &str, places: usize) -> String {
    let cell = cut(text, places);
    let before = places.saturating_sub(width(&cell));
    " ".repeat(before) + &cell
}

/// Places that a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|letter| letter.width().unwrap_or(0)).sum()
}

/// Returns the lines of a text, each of which takes at most so many places. They end behind a word, unless it is a long one;
/// the end of a line may stand for a space.
pub fn wrapped(text: &str, places: usize) -> Vec<String> {
    let places = places.max(2);
    let (mut lines, mut line, mut taken) = (Vec::new(), String::new(), 0);
    for letter in visible(text).chars() {
        let more = letter.width().unwrap_or(0);
        if taken + more > places && letter == ' ' {
            lines.push(std::mem::take(&mut line));
            taken = 0;
            continue;
        }
        if taken + more > places {
            let word = line.rfind(' ').map(|space| space + 1).filter(|begin| *begin > line.len() / 2);
            let rest = line.split_off(word.unwrap_or(line.len()));
            taken = width(&rest);
            lines.push(std::mem::replace(&mut line, rest));
        }
        taken += more;
        line.push(letter);
    }
    lines.push(line);
    lines
}

/// A number with its thousands apart.
pub fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut shown = String::from(if number < 0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(' ');
        }
        shown.push(digit);
    }
    shown
}

/// A number of bytes.
pub fn bytes(number: i64) -> String {
    for (unit, power) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        let size = number as f64 / (1_u64 << power) as f64;
        if size >= 1.0 {
            return if size < 10.0 { format!("{size:.1} {unit}") } else { format!("{size:.0} {unit}") };
        }
    }
    format!("{number} B")
}

/// Microseconds since 1970 as a date and a time of UTC.
pub fn when(micros: i64) -> String {
    match Timestamp::from_microsecond(micros) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M:%S%.6f").to_string(),
        Err(_) => micros.to_string(),
    }
}

/// The microseconds since 1970 of a moment in a record.
pub fn micros(moment: &str) -> Option<i64> {
    moment.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// Microseconds as a time that passed.
pub fn lasting(micros: i64) -> String {
    let seconds = micros as f64 / 1e6;
    match seconds {
        s if s < 0.001 => format!("{micros} µs"),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.2} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_steer_are_seen() {
        let cases = [
            ("plain ä 漢", "plain ä 漢"),
            ("\u{1b}[2J\u{1b}]0;x\u{7}", "\\u001b[2J\\u001b]0;x\\u0007"),
            ("a\0b\r\n\tc\u{7f}\u{9b}m", "a\\u0000b\\r\\n\\tc\\u007f\\u009bm"),
            ("\u{202e}\u{2066}\u{200b}\u{feff}\u{ad}", "\\u202e\\u2066\\u200b\\ufeff\\u00ad"),
            // A letter above another one has no place of its own.
            ("e\u{301}", "e\\u0301"),
            ("\u{e0001}", "\\ue0001"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
            assert_eq!(visible(expected), expected, "what is visible stays");
        }
    }

    #[test]
    fn texts_take_their_places() {
        let cases = [
            ("abc", 5, "abc  "),
            ("abcdef", 5, "abcd…"),
            ("漢字漢", 5, "漢字…"),
            ("漢字漢", 4, "漢… "),
            ("a\u{1b}b", 4, "a\\u…"),
            ("abc", 0, ""),
            ("", 2, "  "),
        ];
        for (text, places, expected) in cases {
            assert_eq!(cell(text, places), expected, "{text:?}");
            assert_eq!(width(&cell(text, places)), places, "{text:?}");
        }
        assert_eq!(right("7", 3), "  7");
        assert_eq!(wrapped("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(wrapped("漢字a", 3), ["漢", "字a"]);
        assert_eq!(
            wrapped("many words, and a_very_long_one", 11),
            ["many words,", "and a_very_", "long_one"]
        );
        assert_eq!(wrapped("one two three", 10), ["one two ", "three"]);
        assert_eq!(wrapped("", 3), [""]);
        let long = "\u{1b}".repeat(1_000_000);
        assert_eq!(cut(&long, 8), "\\u001b\\…");
    }

    #[test]
    fn numbers_and_times() {
        assert_eq!([count(0), count(999), count(-1_234_567)], ["0", "999", "-1 234 567"]);
        assert_eq!([bytes(7), bytes(1536), bytes(50 << 20)], ["7 B", "1.5 KiB", "50 MiB"]);
        assert_eq!(when(1_714_557_601_300_000), "2024-05-01 10:00:01.300000");
        assert_eq!(when(i64::MAX), i64::MAX.to_string());
        assert_eq!(micros("2024-05-01T10:00:01.300Z"), Some(1_714_557_601_300_000));
        assert_eq!(micros("\u{1b}"), None);
        let times = [7, 1_500, 2_500_000, 600_000_000, 10_800_000_000, 864_000_000_000].map(lasting);
        assert_eq!(times, ["7 µs", "1.5 ms", "2.50 s", "10 min", "3.0 h", "10.0 days"]);
    }
}
