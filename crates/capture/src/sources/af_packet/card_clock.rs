//! Times by the clock of a card, which nothing may have set: one that is far from the system's time is not believed.

use std::time::{SystemTime, UNIX_EPOCH};

use weir_base::{Duration, Timestamp};

use crate::sources::ioctl::Interface;

/// Farthest that a packet's time may be from the time when it is read. Packets wait in the ring for less than this.
const FARTHEST: Duration = Duration::from_secs(10);

/// Asks for times of all packets that come in, and none of those that go out (`struct hwtstamp_config`: flags, `tx_type`,
/// `rx_filter`).
const OF_ALL: [u32; 3] = [0, 0, 1];

/// Has a card tell the times of packets; nothing where it cannot, or is not to be told by this program.
pub fn have_told(interface: &str) {
    let _ = Interface::of(interface).and_then(|card| card.call(SET_TIMES, &mut { OF_ALL }));
}

/// The call that sets this (`SIOCSHWTSTAMP`).
const SET_TIMES: libc::c_ulong = 0x89b0;

/// Takes the times of a card for a while, or those of the system in their place.
#[derive(Debug, Default)]
pub struct CardClock {
    /// Time of the system when packets were last looked for.
    now: Timestamp,
    /// Times of the card that were not believed.
    replaced: u64,
    /// The first of them, until it is told.
    news: Option<i64>,
}

impl CardClock {
    /// Packets come that are read now.
    pub fn look(&mut self) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.now = Timestamp::new(since.as_secs(), since.subsec_nanos());
    }

    /// Returns the time of a packet whose card says this.
    pub fn settle(&mut self, time: Timestamp) -> Timestamp {
        let ahead = time.0.abs_diff(self.now.0);
        if ahead <= FARTHEST.as_nanos() as u64 {
            return time;
        }
        if self.replaced == 0 {
            self.news = Some((time.0 / 1_000_000_000) as i64 - (self.now.0 / 1_000_000_000) as i64);
        }
        self.replaced += 1;
        self.now
    }

    /// Returns how many times were not believed.
    pub const fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Returns what is to be said of the card's clock, once.
    pub fn take_news(&mut self, interface: &str) -> Option<String> {
        let seconds = self.news.take()?;
        let (distance, way) = (seconds.unsigned_abs(), if seconds < 0 { "behind" } else { "ahead of" });
        Some(format!(
            "{interface}: the clock of its card is {distance} s {way} that of the system, whose times packets have \
             therefore. `phc2sys` sets it."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_times_are_not_believed() {
        let seconds = |seconds: u64| Timestamp::new(seconds, 0);
        let mut clock = CardClock { now: seconds(1000), ..CardClock::default() };
        for (time, expected) in [(1000, 1000), (990, 990), (1010, 1010), (989, 1000), (1037, 1000), (0, 1000)]
        {
            assert_eq!(clock.settle(seconds(time)), seconds(expected), "{time}");
        }
        assert_eq!(clock.replaced(), 3);
        let said = clock.take_news("eth0").expect("a sentence");
        assert!(said.contains("eth0") && said.contains("11 s behind"), "{said}");
        assert_eq!(clock.take_news("eth0"), None);
    }
}
