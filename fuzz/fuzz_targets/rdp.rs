//! Any bytes in any pieces from both sides of a connection over RDP.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::rdp::RDP;

fuzz_target!(|bytes: &[u8]| connection(&RDP, Head::TwoBytes, bytes));
