//! The configuration of WebSocket: `app-layer.protocols.websocket`.

use weir_applayer::Options;
use weir_applayer::session::PENDING_MAX;

use super::frame::MAX_HEADER;

/// Bytes kept of a payload.
const MAX_PAYLOAD_SIZE: u64 = 0xffff;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `max-payload-size`
    pub max_payload_size: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_payload_size: MAX_PAYLOAD_SIZE as usize }
    }
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        let path = "max-payload-size";
        let most = PENDING_MAX - MAX_HEADER;
        let size = usize::try_from(options.size(path, MAX_PAYLOAD_SIZE)).unwrap_or(usize::MAX);
        if size > most {
            options.complain(path, "it should be less than 1 MiB; as much as can be is kept");
        }
        Self { max_payload_size: size.min(most) }
    }
}
