//! Any datagrams from both sides of a conversation over TFTP.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams};
use weir_protocols::tftp::TFTP;

fuzz_target!(|bytes: &[u8]| datagrams(&TFTP, Head::Byte, bytes));
