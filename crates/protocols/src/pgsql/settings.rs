//! The configuration of PostgreSQL: `app-layer.protocols.pgsql`.

use weir_applayer::Options;

/// Most transactions at a time.
const MAX_TRANSACTIONS: u64 = 1024;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-tx`
    pub max_transactions: usize,
    /// `stream-depth`; zero is all of it
    pub stream_depth: u64,
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        Self {
            max_transactions: usize::try_from(options.size("max-tx", MAX_TRANSACTIONS))
                .unwrap_or(usize::MAX)
                .max(1),
            stream_depth: options.size("stream-depth", 0),
        }
    }
}
