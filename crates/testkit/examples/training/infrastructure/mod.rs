//! What keeps a network and its computers going: addresses, time, management, calls, logins from afar, sensors.

mod dhcp;
mod mqtt;
mod ntp;
mod rdp;
mod sip;
mod snmp;
mod ssh;

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

/// A session of one of these kinds.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    match random.below(20) {
        0..4 => dhcp::exchange(random, begin),
        4..8 => ntp::exchange(random, begin),
        8..12 => snmp::exchange(random, begin),
        12..15 => ssh::session(random, begin),
        15..17 => sip::exchange(random, begin),
        17..19 => rdp::session(random, begin),
        _ => mqtt::session(random, begin),
    }
}
