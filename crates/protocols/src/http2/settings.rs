//! The configuration of HTTP/2: `app-layer.protocols.http2`.

use weir_applayer::Options;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-streams`
    pub max_streams: usize,
    /// `max-table-size`
    pub max_table_size: usize,
    /// `max-reassembly-size`
    pub max_reassembly_size: usize,
    /// `max-frames`: frames of a side of a stream before more are too many.
    pub max_frames: u32,
    /// `compression-bomb-limit`
    pub bomb_limit: u64,
    /// DNS messages are read (`app-layer.protocols.doh2.enabled`).
    pub reads_dns: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_streams: 4096,
            max_table_size: 65_536,
            max_reassembly_size: 102_400,
            max_frames: 65_536,
            bomb_limit: 1 << 20,
            reads_dns: true,
        }
    }
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        let default = Self::default();
        let size = |path: &str, default: usize| {
            usize::try_from(options.size(path, default as u64)).unwrap_or(usize::MAX)
        };
        Self {
            max_streams: size("max-streams", default.max_streams).max(1),
            max_table_size: size("max-table-size", default.max_table_size),
            max_reassembly_size: size("max-reassembly-size", default.max_reassembly_size),
            max_frames: u32::try_from(options.size("max-frames", default.max_frames.into()))
                .unwrap_or(u32::MAX),
            bomb_limit: options.size("compression-bomb-limit", default.bomb_limit),
            reads_dns: options.of_protocol("doh2", "enabled").is_none_or(|text| is_yes(&text)),
        }
    }
}

/// Whether a protocol is read; detection alone cannot be had of one that is found within another.
fn is_yes(text: &str) -> bool {
    ["yes", "true", "on", "1"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
}
