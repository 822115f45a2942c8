//! Any bytes in any pieces from both sides of a connection over SMB.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::smb::SMB;

fuzz_target!(|bytes: &[u8]| {
    connection(&SMB, Head::TwoBytes, bytes);
});
