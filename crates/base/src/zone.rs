//! The time zone that logs are written in. As `TZ` is, it is the process's: chosen once, before anything is
//! written. Until then, and in programs that choose none, it is UTC.
//!
//! Texts alone depend on the choice. Which moment a text is about remains packet time, and the distance to UTC is
//! that of the moment, by the zone's rules for summer and winter time.

use std::sync::OnceLock;

use jiff::tz::TimeZone;

use crate::Timestamp;
use crate::time::Civil;

/// Unset for UTC.
static CHOSEN: OnceLock<TimeZone> = OnceLock::new();

/// A moment broken down by the calendar of the chosen zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalTime {
    /// Date and time of day there.
    pub civil: Civil,
    /// Seconds that it is ahead of UTC; below zero west of Greenwich.
    pub ahead: i32,
}

impl LocalTime {
    fn new(time: Timestamp, zone: Option<&TimeZone>) -> Self {
        let second = i64::try_from(time.seconds()).unwrap_or(i64::MAX);
        let ahead = zone.map_or(0, |zone| {
            jiff::Timestamp::from_second(second).map_or(0, |moment| zone.to_offset(moment).seconds())
        });
        Self { civil: Civil::from_seconds(second.saturating_add(ahead.into())), ahead }
    }

    /// The distance to UTC as `+0100`.
    pub fn offset(self) -> [u8; 5] {
        let minutes = self.ahead.unsigned_abs() / 60;
        let digit = |number: u32| b'0' + (number % 10) as u8;
        let sign = if self.ahead < 0 { b'-' } else { b'+' };
        [sign, digit(minutes / 600), digit(minutes / 60), digit(minutes % 60 / 10), digit(minutes)]
    }
}

impl Timestamp {
    /// Date and time of day in the zone that logs are written in.
    pub fn local(self) -> LocalTime {
        LocalTime::new(self, CHOSEN.get())
    }

    /// As `2023-11-14T22:13:20.000005+0000`, in the zone that logs are written in.
    pub fn iso8601(self) -> String {
        iso8601(self, self.local())
    }
}

fn iso8601(time: Timestamp, local: LocalTime) -> String {
    let Civil { year, month, day, hour, minute, second } = local.civil;
    let offset = local.offset().map(char::from).iter().collect::<String>();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}{offset}", time.micros())
}

/// Writes logs in the zone of that name from now on, for the whole process: `local` for that of the system (by `TZ`,
/// else `/etc/localtime`), a name (`UTC`, `Europe/Berlin`), or rules as POSIX writes them (`CET-1CEST,M3.5.0,M10.5.0/3`).
/// A second choice changes nothing. The error is a sentence; logs are in UTC then.
pub fn choose(name: &str) -> Result<(), String> {
    let zone = find(name)?;
    let _ = CHOSEN.set(zone);
    Ok(())
}

fn find(name: &str) -> Result<TimeZone, String> {
    if name.eq_ignore_ascii_case("local") {
        return match std::env::var("TZ") {
            // A machine without the file is one in UTC.
            Err(_) => Ok(TimeZone::try_system().unwrap_or(TimeZone::UTC)),
            Ok(name) if name.is_empty() => Ok(TimeZone::UTC),
            Ok(name) => TimeZone::try_system().map_err(|_| unknown("TZ names", &name)),
        };
    }
    if name.eq_ignore_ascii_case("utc") {
        return Ok(TimeZone::UTC);
    }
    TimeZone::get(name)
        .or_else(|_| TimeZone::posix(name))
        .map_err(|_| unknown("The configuration names", name))
}

fn unknown(subject: &str, name: &str) -> String {
    format!(
        "{subject} the time zone {name}, which the system does not know: times are in UTC. Install the system's time \
         zones (tzdata), or write it as in CET-1CEST,M3.5.0,M10.5.0/3."
    )
}

/// The zone that was chosen, for what is named by the clock on the wall.
pub fn chosen() -> TimeZone {
    CHOSEN.get().cloned().unwrap_or(TimeZone::UTC)
}

/// Returns the zone's abbreviation at a moment: `UTC`, `CET`; its distance to UTC where it has no name.
pub fn abbreviation(time: Timestamp) -> String {
    let named = CHOSEN.get().zip(jiff::Timestamp::from_second(time.seconds() as i64).ok());
    named.map_or_else(
        || "UTC".to_owned(),
        |(zone, moment)| zone.to_offset_info(moment).abbreviation().to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clocks of Berlin, as rules.
    const CENTRAL_EUROPE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

    #[test]
    fn the_moment_decides_between_summer_and_winter() {
        let cases = [
            (CENTRAL_EUROPE, 1_700_000_000, "2023-11-14T23:13:20.000007+0100"),
            (CENTRAL_EUROPE, 1_711_846_799, "2024-03-31T01:59:59.000007+0100"),
            (CENTRAL_EUROPE, 1_711_846_800, "2024-03-31T03:00:00.000007+0200"),
            (CENTRAL_EUROPE, 1_729_990_799, "2024-10-27T02:59:59.000007+0200"),
            (CENTRAL_EUROPE, 1_729_990_800, "2024-10-27T02:00:00.000007+0100"),
            ("NST3:30NDT,M3.2.0,M11.1.0", 1_704_067_199, "2023-12-31T20:29:59.000007-0330"),
            ("<+1245>-12:45", 0, "1970-01-01T12:45:00.000007+1245"),
            ("UTC", 0, "1970-01-01T00:00:00.000007+0000"),
            ("utc", 4_102_444_800, "2100-01-01T00:00:00.000007+0000"),
        ];
        for (name, second, expected) in cases {
            let time = Timestamp::new(second, 7_000);
            let local = LocalTime::new(time, Some(&find(name).unwrap()));
            assert_eq!(iso8601(time, local), expected, "{name} {second}");
        }
    }

    #[test]
    fn without_a_choice_it_is_utc() {
        let time = Timestamp::new(1_700_000_000, 0);
        assert_eq!(time.local(), LocalTime { civil: time.civil(), ahead: 0 });
        assert_eq!(abbreviation(time), "UTC");
    }

    #[test]
    fn unknown_names_are_told() {
        for name in ["Nowhere/Atlantis", "CET-1CEST,", "../../etc/passwd", ""] {
            assert!(find(name).unwrap_err().contains("which the system does not know"), "{name}");
        }
    }
}
