//! Any bytes in any pieces from both sides of a connection over EtherNet/IP, and the same as datagrams.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection, datagrams};
use weir_protocols::enip::ENIP;

fuzz_target!(|bytes: &[u8]| {
    connection(&ENIP, Head::TwoBytes, bytes);
    datagrams(&ENIP, Head::TwoBytes, bytes);
});
