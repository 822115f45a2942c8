//! Any bytes in any pieces from both sides of a connection over IRC.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::irc::IRC;

fuzz_target!(|bytes: &[u8]| connection(&IRC, Head::TwoBytes, bytes));
