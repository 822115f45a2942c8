//! The configuration of DCE/RPC: `app-layer.protocols.dcerpc`.

use weir_applayer::Options;

/// Most calls of a flow that are open, where nothing is said.
const MAX_TRANSACTIONS: u64 = 1024;

/// Bytes kept of a call's data in a direction, where nothing is said.
const MAX_STUB_SIZE: u64 = 1 << 20;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-tx`
    pub max_transactions: usize,
    /// `max-stub-size`
    pub max_stub_size: usize,
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        let size = |path, default| usize::try_from(options.size(path, default)).unwrap_or(usize::MAX);
        Self {
            max_transactions: size("max-tx", MAX_TRANSACTIONS).max(1),
            max_stub_size: size("max-stub-size", MAX_STUB_SIZE),
        }
    }
}
