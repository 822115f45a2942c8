//! Any bytes in any pieces from both sides of an SSH connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::ssh::SSH;

fuzz_target!(|bytes: &[u8]| connection(&SSH, Head::TwoBytes, bytes));
