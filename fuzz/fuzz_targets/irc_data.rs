//! Any bytes in any pieces from both sides of a connection for a file that IRC announced.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::irc::data::IRC_DATA;

fuzz_target!(|bytes: &[u8]| connection(&IRC_DATA, Head::TwoBytes, bytes));
