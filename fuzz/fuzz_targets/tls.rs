//! Any bytes in any pieces from both sides of a TLS connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::tls::TLS;

fuzz_target!(|bytes: &[u8]| connection(&TLS, Head::TwoBytes, bytes));
