//! Rotation of files, and their names, as in Zeek: by the capture's clock, at
//! multiples of an interval from midnight on (in the zone of logs), by the time of the file's first record.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use weir_base::{Duration, Timestamp};

use crate::timestamp::date_time;

const DAY: u64 = 24 * 60 * 60;

/// The file at hand of an outlet.
#[derive(Debug)]
pub(crate) struct Rotation {
    interval: u64,
    /// Times of the file's first record, and of its rotation.
    open: Option<(Timestamp, Timestamp)>,
}

impl Rotation {
    /// Interval of rotation; none where the interval is below a second.
    pub(crate) fn every(interval: Duration) -> Option<Self> {
        let interval = interval.as_nanos() as u64 / 1_000_000_000;
        (interval > 0).then_some(Self { interval, open: None })
    }

    /// At `clock` a record is to be written: returns when the file was opened that is to be rotated before.
    pub(crate) fn record(&mut self, clock: Timestamp) -> Option<Timestamp> {
        let past = self.reached(clock);
        if self.open.is_none() {
            let second = clock.seconds();
            let here = second.saturating_add_signed(clock.local().ahead.into());
            let into_interval = here % DAY % self.interval;
            let next = second.saturating_add(self.interval - into_interval);
            self.open = Some((clock, Timestamp::new(next, 0)));
        }
        past
    }

    /// The capture's clock shows `clock`: returns when the file was opened that is to be rotated.
    pub(crate) fn reached(&mut self, clock: Timestamp) -> Option<Timestamp> {
        self.open.take_if(|(_, next)| clock >= *next).map(|(opened, _)| opened)
    }

    /// No more records: when the last file was opened, where there is one.
    pub(crate) fn last(&mut self) -> Option<Timestamp> {
        self.open.take().map(|(opened, _)| opened)
    }
}

/// `conn.log` as `conn.2024-01-31-00-00-00.log`
pub(crate) fn set_aside(path: &Path, opened: Timestamp) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (stem, extensions) = name.split_at(name.find('.').unwrap_or(name.len()));
    let mut moment = Vec::new();
    date_time(&mut moment, opened.local().civil, b"-----");
    path.with_file_name(OsString::from(format!("{stem}.{}{extensions}", String::from_utf8_lossy(&moment))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_end_at_multiples_of_the_interval() {
        let mut rotation = Rotation::every(Duration::from_secs(3600)).unwrap();
        let cases = [(100, None), (3599, None), (3600, Some(100)), (7000, None), (20_000, Some(3600))];
        for (second, expected) in cases {
            let past = rotation.record(Timestamp::new(second, 0)).map(Timestamp::seconds);
            assert_eq!(past, expected, "{second}");
        }
        assert_eq!(rotation.reached(Timestamp::new(21_599, 0)), None);
        assert_eq!(rotation.reached(Timestamp::new(21_600, 0)), Some(Timestamp::new(20_000, 0)));
        assert_eq!(rotation.last(), None);
        assert!(Rotation::every(Duration::from_millis(10)).is_none());
    }

    #[test]
    fn intervals_begin_at_midnight() {
        // A week does not fit into a day: it begins with the day of the first record.
        for (interval, next) in [(7 * DAY, 10 * DAY), (5 * 3600, 3 * DAY + 5 * 3600)] {
            let mut rotation = Rotation::every(Duration::from_secs(interval)).unwrap();
            assert_eq!(rotation.record(Timestamp::new(3 * DAY + 7, 0)), None);
            assert_eq!(rotation.record(Timestamp::new(next - 1, 0)), None, "{interval}");
            assert!(rotation.record(Timestamp::new(next, 0)).is_some(), "{interval}");
        }
    }

    #[test]
    fn names() {
        let opened = Timestamp::new(1_700_000_000, 5);
        for (path, expected) in [
            ("/a.b/conn.log", "/a.b/conn.2023-11-14-22-13-20.log"),
            ("known_hosts.log.gz", "known_hosts.2023-11-14-22-13-20.log.gz"),
            ("/a/conn", "/a/conn.2023-11-14-22-13-20"),
        ] {
            assert_eq!(set_aside(Path::new(path), opened), Path::new(expected));
        }
    }
}
