//! Any bytes in any pieces from both sides of a connection over DNP3.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::dnp3::DNP3;

fuzz_target!(|bytes: &[u8]| connection(&DNP3, Head::TwoBytes, bytes));
