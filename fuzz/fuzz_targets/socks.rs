//! Any bytes in any pieces from both sides of a connection over SOCKS.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::socks::SOCKS;

fuzz_target!(|bytes: &[u8]| connection(&SOCKS, Head::TwoBytes, bytes));
