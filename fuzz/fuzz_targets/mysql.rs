//! Any bytes in any pieces from both sides of a connection over MySQL.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::mysql::MYSQL;

fuzz_target!(|bytes: &[u8]| connection(&MYSQL, Head::TwoBytes, bytes));
