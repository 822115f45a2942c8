//! Any bytes in any datagrams from both sides of a QUIC connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams};
use weir_protocols::quic::QUIC;

fuzz_target!(|bytes: &[u8]| datagrams(&QUIC, Head::TwoBytes, bytes));
