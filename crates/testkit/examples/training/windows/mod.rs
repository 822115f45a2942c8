//! What computers with Windows say to their servers: files and pipes, calls, tickets, the directory.

mod directory;
mod kerberos;
mod rpc;
mod smb;
mod tokens;

use weir_base::Timestamp;
use weir_testkit::{Random, TimedFrame};

use crate::words::spoken;

/// The network's own domain.
const REALM: &str = "CORP.EXAMPLE";
/// Its short name.
const DOMAIN: &str = "CORP";
/// Its root in the directory.
const ROOT: &str = "DC=corp,DC=example";

/// A session of one of these kinds.
pub fn session(random: &mut Random, begin: Timestamp) -> Vec<TimedFrame> {
    match random.below(16) {
        0..6 => smb::session(random, begin),
        6..8 => rpc::session(random, begin),
        8..12 => kerberos::session(random, begin),
        _ => directory::session(random, begin),
    }
}

/// The name of a computer.
fn computer(random: &mut Random) -> String {
    format!("{}-{:02}", spoken(random).to_uppercase(), random.below(40))
}

/// The name of a server, as it is written in full.
fn server_name(random: &mut Random) -> String {
    format!("{}{:02}.corp.example", ["dc", "fs", "print", "sql"][random.below(4) as usize], random.below(12))
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}
