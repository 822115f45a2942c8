//! `nfq`: settings of queues of the firewall (NFQUEUE).

use crate::error::ConfigError;
use crate::settings::Settings;

/// Most packets of one verdict.
pub const MAX_BATCH: u64 = 255;

/// What becomes of accepted packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueMode {
    /// They leave the firewall's chain.
    #[default]
    Accept,
    /// They go through the chain again, with a mark.
    Repeat,
    /// They go to another queue.
    Route,
}

/// `mode`, by its words.
const MODES: &[(&str, QueueMode)] =
    &[("accept", QueueMode::Accept), ("repeat", QueueMode::Repeat), ("route", QueueMode::Route)];

/// Bits that are put into the mark of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The bits.
    pub value: u32,
    /// Those that are changed.
    pub mask: u32,
}

impl Mark {
    /// The mark of a packet that had another one.
    pub const fn on(self, mark: u32) -> u32 {
        mark & !self.mask | self.value & self.mask
    }
}

/// Settings of all queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NfqSettings {
    /// What becomes of accepted packets.
    pub mode: QueueMode,
    /// The mark of packets that go through the chain again.
    pub repeat: Mark,
    /// The mark of packets of bypassed flows.
    pub bypass: Mark,
    /// The queue to which packets go.
    pub route_queue: u16,
    /// Most packets that one verdict is about.
    pub batch: u8,
    /// Packets pass where the queue is full.
    pub fail_open: bool,
}

impl NfqSettings {
    /// Reads the section.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let section = settings.section("nfq");
        let mark = |value: &str, mask: &str| {
            Ok(Mark { value: section.integer32(value, 0)?, mask: section.integer32(mask, 0)? })
        };
        let read = Self {
            mode: section.choice("mode", QueueMode::Accept, MODES)?,
            repeat: mark("repeat-mark", "repeat-mask")?,
            bypass: mark("bypass-mark", "bypass-mask")?,
            route_queue: section.integer("route-queue", 0, 0..=u16::MAX.into())? as u16,
            batch: section.integer("batchcount", 0, 0..=MAX_BATCH)?.max(1) as u8,
            fail_open: section.flag("fail-open", false),
        };
        if read.mode == QueueMode::Repeat && read.repeat.value & read.repeat.mask == 0 {
            // A packet without a mark would come again and again.
            return Err(section.wrong("repeat-mark", "a mark with bits of repeat-mask, as mode is repeat"));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(overrides: &[&str]) -> Result<NfqSettings, ConfigError> {
        NfqSettings::from_settings(&Settings::from_text(b"", "t", overrides)?)
    }

    #[test]
    fn what_is_read() {
        let usual = read(&[]).expect("defaults");
        assert_eq!((usual.mode, usual.batch, usual.fail_open), (QueueMode::Accept, 1, false));
        let all = ["nfq.mode=repeat", "nfq.repeat-mark=1", "nfq.repeat-mask=3", "nfq.batchcount=20"];
        let all = read(&all).expect("valid");
        assert_eq!((all.mode, all.batch, all.repeat.on(0xf2)), (QueueMode::Repeat, 20, 0xf1));
        for wrong in
            [&["nfq.mode=x"][..], &["nfq.mode=repeat"], &["nfq.batchcount=256"], &["nfq.route-queue=65536"]]
        {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
