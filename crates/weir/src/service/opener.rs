//! The process that opens sockets for packets in place of one that gave the right to that away.

use weir_capture::sources::af_packet::opener;
use weir_sandbox::CapabilitySet;

use super::helper::Helper;

pub static HELPER: Helper = Helper {
    word: "--open-packet-sockets",
    keeps: CapabilitySet::NET_RAW,
    attempt: "Sockets for packets cannot be opened for another process",
    work: |stream, _| opener::serve(stream),
};

/// Starts the process, which becomes this user; it is asked from now on.
pub fn start(user: Option<&str>, group: Option<&str>) -> std::io::Result<()> {
    opener::ask_by(HELPER.start(user, group, [""; 0])?)
}
