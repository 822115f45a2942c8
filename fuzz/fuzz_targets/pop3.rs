//! Any bytes in any pieces from both sides of a POP3 connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::pop3::POP3;

fuzz_target!(|bytes: &[u8]| connection(&POP3, Head::TwoBytes, bytes));
