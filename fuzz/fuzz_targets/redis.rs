//! Any bytes in any pieces from both sides of a connection over Redis.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::redis::REDIS;

fuzz_target!(|bytes: &[u8]| connection(&REDIS, Head::Byte, bytes));
