//! Any bytes in any pieces from both sides of an HTTP/2 connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::http2::HTTP2;

fuzz_target!(|bytes: &[u8]| connection(&HTTP2, Head::TwoBytes, bytes));
