//! `stream`: how TCP connections are followed and put together.

use crate::error::ConfigError;
use crate::policy::ExceptionPolicies;
use crate::settings::{Section, Settings};

/// A word that is `auto`, or a truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AutoFlag {
    /// As the mode of running says.
    #[default]
    Auto,
    /// On.
    Yes,
    /// Off.
    No,
}

impl AutoFlag {
    /// Reads a key that is `auto`, or yes or no.
    pub fn read(section: &Section<'_>, key: &str, default: Self) -> Self {
        match section.text(key) {
            None => default,
            Some(text) if text.eq_ignore_ascii_case("auto") => Self::Auto,
            Some(_) if section.flag(key, false) => Self::Yes,
            Some(_) => Self::No,
        }
    }

    /// The truth value, where `auto` stands for `automatic`.
    pub fn settle(self, automatic: bool) -> bool {
        match self {
            Self::Auto => automatic,
            Self::Yes => true,
            Self::No => false,
        }
    }
}

/// Treatment of urgent data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UrgentPolicy {
    /// One byte is out of band (RFC 6093, section 3.1).
    #[default]
    Oob,
    /// It is part of the stream.
    Inline,
    /// The packet is dropped.
    Drop,
    /// It is a gap in the stream.
    Gap,
}

/// `stream.reassembly`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReassemblySettings {
    /// Bytes over all streams.
    pub memcap: u64,
    /// Bytes of a stream that are put together; 0 for all.
    pub depth: u32,
    /// Raw inspection begins with this many bytes towards the server.
    pub toserver_chunk_size: u16,
    /// And towards the client.
    pub toclient_chunk_size: u16,
    /// Vary the chunk sizes.
    pub randomize_chunk_size: bool,
    /// By up to this, in per cent.
    pub randomize_chunk_range: u8,
    /// Raw inspection at all.
    pub raw: bool,
    /// Segments preallocated.
    pub segment_prealloc: u32,
    /// Compare overlapping data; `None` where rules decide.
    pub check_overlap: Option<bool>,
    /// Regions of a stream with gaps between them; 0 for no limit.
    pub max_regions: u16,
    /// Urgent data.
    pub urgent: UrgentPolicy,
    /// Urgent data beyond what can be kept out of band.
    pub urgent_oob_limit: UrgentPolicy,
}

/// `stream`.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamSettings {
    /// Bytes for sessions.
    pub memcap: u64,
    /// Leave out packets with a wrong checksum.
    pub checksum_validation: bool,
    /// Take up connections whose beginning was not seen.
    pub midstream: bool,
    /// Follow connections of which one side is seen.
    pub async_oneside: bool,
    /// Inspect before data is acknowledged.
    pub inline: AutoFlag,
    /// Drop packets that break TCP, inline.
    pub drop_invalid: bool,
    /// Shed flows beyond the depth.
    pub bypass: bool,
    /// Different SYN packets kept for a session.
    pub max_syn_queued: u8,
    /// Different SYN/ACK packets kept for a session.
    pub max_synack_queued: u8,
    /// Sessions preallocated.
    pub prealloc_sessions: u32,
    /// Take timestamps that are one behind, whatever the host's system.
    pub liberal_timestamps: bool,
    /// Putting together.
    pub reassembly: ReassemblySettings,
    /// Policies for limits and midstream packets.
    pub policies: ExceptionPolicies,
}

impl StreamSettings {
    /// Reads `stream`. `inline` says that packets can be dropped.
    pub fn from_settings(settings: &Settings, inline: bool) -> Result<Self, ConfigError> {
        let stream = settings.section("stream");
        Ok(Self {
            memcap: stream.size("memcap", 64 << 20)?,
            checksum_validation: stream.flag("checksum-validation", true),
            midstream: stream.flag("midstream", false),
            async_oneside: stream.flag("async-oneside", false),
            inline: AutoFlag::read(&stream, "inline", AutoFlag::Auto),
            drop_invalid: stream.flag("drop-invalid", true),
            bypass: stream.flag("bypass", false),
            max_syn_queued: stream.integer("max-syn-queued", 10, 0..=255)? as u8,
            max_synack_queued: stream.integer("max-synack-queued", 5, 0..=255)? as u8,
            prealloc_sessions: stream.lenient("stream-tcp", "prealloc-sessions", 2048, |text| {
                crate::value::integer(text).and_then(|number| u32::try_from(number).ok())
            }),
            liberal_timestamps: stream.flag("liberal-timestamps", true),
            reassembly: ReassemblySettings::read(&stream.section("reassembly"))?,
            policies: ExceptionPolicies::from_settings(settings, inline)?,
        })
    }
}

impl ReassemblySettings {
    fn read(section: &Section<'_>) -> Result<Self, ConfigError> {
        let urgent_words = [
            ("oob", UrgentPolicy::Oob),
            ("inline", UrgentPolicy::Inline),
            ("drop", UrgentPolicy::Drop),
            ("gap", UrgentPolicy::Gap),
        ];
        let chunk = |key: &str| -> Result<u16, ConfigError> {
            let size = section.size32(key, 2560)?;
            u16::try_from(size).map_err(|_| section.wrong(key, "a chunk size: at most 65535 bytes"))
        };
        Ok(Self {
            memcap: section.size("memcap", 256 << 20)?,
            depth: section.size32("depth", 0)?,
            toserver_chunk_size: chunk("toserver-chunk-size")?,
            toclient_chunk_size: chunk("toclient-chunk-size")?,
            randomize_chunk_size: section.flag("randomize-chunk-size", true),
            randomize_chunk_range: section.integer("randomize-chunk-range", 10, 0..=100)? as u8,
            raw: section.flag("raw", true),
            segment_prealloc: section.integer32("segment-prealloc", 2048)?,
            check_overlap: section.text("check-overlap-different-data").map(crate::value::is_true),
            max_regions: section.integer("max-regions", 8, 0..=65_535)? as u16,
            urgent: section.choice("urgent.policy", UrgentPolicy::Oob, &urgent_words)?,
            urgent_oob_limit: section.choice(
                "urgent.oob-limit-policy",
                UrgentPolicy::Drop,
                &urgent_words[1..],
            )?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(overrides: &[&str]) -> Result<StreamSettings, ConfigError> {
        StreamSettings::from_settings(&Settings::from_text(b"", "test", overrides)?, false)
    }

    #[test]
    fn defaults_hold_without_a_file() {
        let stream = read(&[]).unwrap();
        assert_eq!((stream.memcap, stream.reassembly.memcap), (64 << 20, 256 << 20));
        assert_eq!((stream.reassembly.depth, stream.reassembly.toclient_chunk_size), (0, 2560));
        assert!(stream.checksum_validation && !stream.midstream && stream.inline == AutoFlag::Auto);
    }

    #[test]
    fn values_are_checked() {
        for (argument, good) in [
            ("stream.memcap=32mb", true),
            ("stream.memcap=suricata", false),
            ("stream.reassembly.depth=8kb", true),
            ("stream.reassembly.depth=1MB", true),
            ("stream.reassembly.depth=5gb", false),
            ("stream.reassembly.toserver-chunk-size=70000", false),
            ("stream.reassembly.urgent.policy=gap", true),
            ("stream.reassembly.urgent.policy=later", false),
            ("stream.reassembly.urgent.oob-limit-policy=oob", false),
            ("stream.max-synack-queued=300", false),
            ("stream.inline=true", true),
        ] {
            assert_eq!(read(&[argument]).is_ok(), good, "{argument}");
        }
        let error = read(&["stream.memcap=suricata"]).unwrap_err().to_string();
        assert!(error.starts_with("Failed to parse stream.memcap from command line: 'suricata'"), "{error}");
    }
}
