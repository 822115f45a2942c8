//! Files by older ways: FTP with its connections of data, TFTP, NFS.

mod ftp;
mod nfs;
mod tftp;

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

/// A session of one of these kinds.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    match random.below(5) {
        0..2 => ftp::session(random, begin),
        2..4 => nfs::session(random, begin),
        _ => tftp::session(random, begin),
    }
}
