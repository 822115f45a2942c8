//! Any bytes in any pieces from both sides of a Telnet connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::telnet::TELNET;

fuzz_target!(|bytes: &[u8]| connection(&TELNET, Head::TwoBytes, bytes));
