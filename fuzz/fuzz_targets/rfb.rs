//! Any bytes in any pieces from both sides of an RFB connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::rfb::RFB;

fuzz_target!(|bytes: &[u8]| connection(&RFB, Head::Byte, bytes));
