//! Any bytes in any pieces from both sides of an HTTP/1 connection, with gaps.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::http1::HTTP1;

fuzz_target!(|bytes: &[u8]| connection(&HTTP1, Head::Byte, bytes));
