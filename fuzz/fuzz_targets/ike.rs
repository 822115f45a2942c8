//! Any datagrams from both sides of an internet key exchange.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams};
use weir_protocols::ike::IKE;

fuzz_target!(|bytes: &[u8]| datagrams(&IKE, Head::TwoBytes, bytes));
