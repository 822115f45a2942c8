//! The configuration of FTP: `app-layer.protocols.ftp`.

use weir_applayer::Options;
use weir_applayer::options::parse_size;

/// Most transactions of a flow that are open, where nothing is said.
const MAX_TRANSACTIONS: u64 = 1024;

/// Longest line, where nothing is said.
const MAX_LINE_LENGTH: u64 = 4096;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-tx`
    pub max_transactions: usize,
    /// `max-line-length`
    pub max_line_length: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_transactions: MAX_TRANSACTIONS as usize, max_line_length: MAX_LINE_LENGTH as usize }
    }
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        let size = |path: &str, default: u64| match options.text(path) {
            None => default,
            Some(text) => parse_size(&text).unwrap_or_else(|| {
                options.complain(path, &format!("ftp: Invalid value for ftp.{path}, the default is used"));
                default
            }),
        };
        // Memory is bounded by the other two.
        size("memcap", 0);
        let count = |path, default| usize::try_from(size(path, default)).unwrap_or(usize::MAX).max(1);
        Self {
            max_transactions: count("max-tx", MAX_TRANSACTIONS),
            max_line_length: count("max-line-length", MAX_LINE_LENGTH).min(1 << 16),
        }
    }
}
