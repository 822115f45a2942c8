//! Names of log files, which may tell when a file was begun (`eve-%Y-%m-%d.json`) by the clock on the wall, and when one
//! is followed by the next. As Suricata has it: with the letters of `strftime` in the C locale, in the logs' zone, and a
//! new name is looked for where `rotate-interval` is over and where logs are opened anew.

use std::path::{Path, PathBuf};

use jiff::civil::{Time, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan, Zoned};
use weir_base::zone;
use weir_config::Output;

/// Letters of `strftime` that stand for the same everywhere.
const LETTERS: &str = "aAbBCdeFgGhHIjklmMnpPRsStTuUVwWyYzZ%";

/// Letters that stand for several others in the C locale.
const COMPOSED: &[(char, &str)] = &[
    ('c', "%a %b %e %H:%M:%S %Y"),
    ('D', "%m/%d/%y"),
    ('r', "%I:%M:%S %p"),
    ('x', "%m/%d/%y"),
    ('X', "%H:%M:%S"),
];

/// Scheme of a file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileName {
    /// One name at all times.
    Fixed(PathBuf),
    /// After the time when it is begun.
    Dated {
        /// Where it lies, whatever the time.
        folder: PathBuf,
        /// Its name, with conversions of `strftime`.
        pattern: String,
        /// When another file follows; none where that is only when logs are opened anew.
        rotation: Option<Interval>,
    },
}

/// Time after which the next file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// When the minute is over.
    Minute,
    /// When the hour is over.
    Hour,
    /// At midnight.
    Day,
    /// At midnight before Monday.
    Week,
    /// So many seconds after it was begun.
    Seconds(u32),
}

impl Interval {
    /// Reads `rotate-interval`: a word, or a number with a unit, as in `30s` or `2h`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let unit = match text {
            "minute" => return Some(Self::Minute),
            "hour" => return Some(Self::Hour),
            "day" => return Some(Self::Day),
            "week" => return Some(Self::Week),
            _ => text.trim_start_matches(|c: char| c.is_ascii_digit()),
        };
        let seconds: u32 = match unit {
            "" | "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            "w" => 7 * 24 * 60 * 60,
            _ => return None,
        };
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(seconds).filter(|seconds| *seconds > 0).map(Self::Seconds)
    }

    /// When a file that was begun now is to be followed by the next.
    fn end(self, now: &Zoned) -> Option<Timestamp> {
        let midnight = |days: i64| now.start_of_day()?.checked_add(days.days());
        let end = match self {
            Self::Minute => now.with().second(0).subsec_nanosecond(0).build().ok()?.checked_add(1.minute()),
            Self::Hour => {
                now.with().time(Time::new(now.hour(), 0, 0, 0).ok()?).build().ok()?.checked_add(1.hour())
            }
            Self::Day => midnight(1),
            Self::Week => midnight(7 - i64::from(now.weekday().since(Weekday::Monday))),
            Self::Seconds(seconds) => now.checked_add(SignedDuration::from_secs(seconds.into())),
        };
        end.ok().map(|end| end.timestamp())
    }
}

impl FileName {
    /// The file of an output, by the `name` that it has in the settings, in a folder. What cannot be done as it is asked for is complained of.
    pub(crate) fn of(entry: &Output, name: &str, folder: &Path, complain: &dyn Fn(String)) -> Self {
        let given = entry.node.child("rotate-interval").and_then(|node| Some((node, node.value()?)));
        let wrong = |what: &str| {
            given.into_iter().for_each(|(node, text)| {
                let place = node.location();
                complain(format!("rotate-interval of {} ({place}) is {text}: {what}", entry.kind));
            });
        };
        if !name.contains('%') {
            wrong(&format!(
                "it does nothing, since {name} is the name of each file. Write a filename with the time in it, as log-%Y-%m-%d"
            ));
            return Self::Fixed(folder.join(name));
        }
        let rotation = given.and_then(|(_, text)| Interval::parse(text));
        if rotation.is_none() {
            wrong(
                "it is left out. Write minute, hour, day or week, or a number with s, m, h, d or w behind it, as 30m",
            );
        }
        Self::Dated { folder: folder.to_owned(), pattern: name.to_owned(), rotation }
    }

    /// The file that is begun now.
    pub(crate) fn at(&self, now: &Zoned) -> PathBuf {
        match self {
            Self::Fixed(path) => path.clone(),
            Self::Dated { folder, pattern, .. } => folder.join(expand(pattern, now)),
        }
    }

    /// When a file that is begun now is to be followed by the next, if ever.
    pub(crate) fn end(&self, now: &Zoned) -> Option<Timestamp> {
        match self {
            Self::Dated { rotation, .. } => rotation.as_ref()?.end(now),
            Self::Fixed(_) => None,
        }
    }

    /// The path with its conversions, for people.
    pub(crate) fn describe(&self) -> PathBuf {
        match self {
            Self::Fixed(path) => path.clone(),
            Self::Dated { folder, pattern, .. } => folder.join(pattern),
        }
    }
}

impl From<PathBuf> for FileName {
    fn from(path: PathBuf) -> Self {
        Self::Fixed(path)
    }
}

/// The time in the zone that logs are written in.
pub(crate) fn wall_clock() -> Zoned {
    Timestamp::now().to_zoned(zone::chosen())
}

/// Puts the time in place of conversions. What is none stays as it is.
fn expand(pattern: &str, now: &Zoned) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, conversion)) = rest.split_once('%') {
        out.push_str(before);
        // C's other ways to write eras and digits are no others in its own locale.
        let plain = conversion.trim_start_matches(['E', 'O']);
        let letter =
            plain.trim_start_matches(|c: char| "-_0^#".contains(c) || c.is_ascii_digit()).chars().next();
        let end = letter.map_or(0, |letter| plain.find(letter).unwrap_or(0) + letter.len_utf8());
        let (written, after) = plain.split_at_checked(end).unwrap_or((plain, ""));
        let composed = COMPOSED.iter().find(|(known, _)| Some(*known) == letter);
        let text = match letter {
            _ if let Some((_, composed)) = composed => Some(expand(composed, now)),
            Some(letter) if LETTERS.contains(letter) => {
                jiff::fmt::strtime::format(format!("%{written}"), now).ok()
            }
            _ => None,
        };
        match text {
            Some(text) => {
                out.push_str(&text);
                rest = after;
            }
            None => {
                out.push('%');
                rest = conversion;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;
    use std::sync::Mutex;
    use weir_config::{OutputsSettings, Settings};

    fn at(text: &str) -> Zoned {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        text.parse::<Timestamp>().unwrap().to_zoned(zone)
    }

    #[test]
    fn names_tell_the_time() {
        let now = at("2024-02-29T23:04:05Z");
        for (pattern, expected) in [
            ("eve.json", "eve.json"),
            ("eve-%Y-%m-%d.json", "eve-2024-03-01.json"),
            ("eve-%Y-%m-%d-%H:%M:%S.json", "eve-2024-03-01-00:04:05.json"),
            ("%Y/%b/eve-%s.json", "2024/Mar/eve-1709247845.json"),
            ("%y %-d %e %j %k %Z %z", "24 1  1 061  0 CET +0100"),
            ("%D %F %T %R", "03/01/24 2024-03-01 00:04:05 00:04"),
            ("%c|%x|%X|%r", "Fri Mar  1 00:04:05 2024|03/01/24|00:04:05|12:04:05 AM"),
            ("%Ey%Om", "2403"),
            ("100%.json", "100%.json"),
            ("%", "%"),
            ("%%Y", "%Y"),
            ("%q%é%5", "%q%é%5"),
        ] {
            assert_eq!(expand(pattern, &now), expected, "{pattern}");
        }
    }

    #[test]
    fn files_end_by_the_local_clock() {
        for (interval, now, end) in [
            ("minute", "2024-03-30T22:30:30.5Z", "2024-03-30T22:31:00Z"),
            ("hour", "2024-03-30T22:30:30Z", "2024-03-30T23:00:00Z"),
            ("day", "2024-03-29T22:30:30Z", "2024-03-29T23:00:00Z"),
            // A day of 23 hours, and one of 25.
            ("day", "2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"),
            ("day", "2024-10-27T12:00:00Z", "2024-10-27T23:00:00Z"),
            ("hour", "2024-10-27T00:30:00Z", "2024-10-27T01:00:00Z"),
            ("hour", "2024-10-27T01:30:00Z", "2024-10-27T02:00:00Z"),
            ("week", "2024-03-28T12:00:00Z", "2024-03-31T22:00:00Z"),
            ("week", "2024-04-01T12:00:00Z", "2024-04-07T22:00:00Z"),
            ("30s", "2024-03-30T22:30:30Z", "2024-03-30T22:31:00Z"),
            ("90", "2024-03-30T22:30:30Z", "2024-03-30T22:32:00Z"),
            ("30m", "2024-03-30T22:30:30Z", "2024-03-30T23:00:30Z"),
            ("2h", "2024-03-30T22:30:30Z", "2024-03-31T00:30:30Z"),
            ("1d", "2024-03-30T22:30:30Z", "2024-03-31T22:30:30Z"),
            ("1w", "2024-03-01T00:00:00Z", "2024-03-08T00:00:00Z"),
        ] {
            let end: Timestamp = end.parse().unwrap();
            assert_eq!(Interval::parse(interval).unwrap().end(&at(now)), Some(end), "{interval} {now}");
        }
        for text in ["", "month", "0", "0s", "s", "30 s", "-1h", "1y", "5000000000s", "4000w0"] {
            assert_eq!(Interval::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_complained_of() {
        for (options, said) in [
            ("filename: eve-%s.json\n      rotate-interval: day", ""),
            ("filename: eve-%s.json", ""),
            ("filename: eve.json\n      rotate-interval: day", "eve.json is the name of each file"),
            (
                "filename: eve-%s.json\n      rotate-interval: soon",
                "(a, line 6, column 24) is soon: it is left out",
            ),
        ] {
            let text = format!("%YAML 1.1\n---\noutputs:\n  - eve-log:\n      {options}\n");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "a", &[]).unwrap();
            let outputs = OutputsSettings::from_settings(&settings);
            let complaints = Mutex::new(String::new());
            let complain = |text: String| complaints.lock().unwrap().push_str(&text);
            let entry = &outputs.outputs[0];
            FileName::of(entry, entry.filename("eve.json"), Path::new("logs"), &complain);
            let complaints = complaints.into_inner().unwrap();
            assert!(complaints.contains(said) && complaints.is_empty() == said.is_empty(), "{complaints}");
        }
    }
}
