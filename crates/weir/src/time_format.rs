//! Times of logs for people, by the letters of `strftime`.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// In which time zone times are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zone {
    /// That of the system.
    Local,
    /// UTC.
    Utc,
}

/// Seconds since 1970, perhaps with a fraction, in this form; none where they are no number.
pub fn format_time(seconds: &str, format: &str, zone: Zone) -> Option<String> {
    let seconds = seconds.parse::<f64>().ok().filter(|seconds| seconds.is_finite())?;
    let time = Timestamp::from_second(seconds.floor() as i64).ok()?;
    let zone = match zone {
        Zone::Local => TimeZone::system(),
        Zone::Utc => TimeZone::UTC,
    };
    jiff::fmt::strtime::format(format, &time.to_zoned(zone)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let cases = [
            ("1700000000.9", "%Y-%m-%dT%H:%M:%S%z", Some("2023-11-14T22:13:20+0000")),
            ("0", "%s", Some("0")),
            ("-", "%Y", None),
            ("nan", "%Y", None),
            ("1e300", "%Y", None),
        ];
        for (seconds, format, expected) in cases {
            assert_eq!(format_time(seconds, format, Zone::Utc).as_deref(), expected, "{seconds}");
        }
    }
}
