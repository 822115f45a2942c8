//! Any bytes in any pieces from both sides of a connection over Finger.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::finger::FINGER;

fuzz_target!(|bytes: &[u8]| connection(&FINGER, Head::TwoBytes, bytes));
