//! Any datagrams from both sides of a conversation over DHCP.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams};
use weir_protocols::dhcp::DHCP;

fuzz_target!(|bytes: &[u8]| datagrams(&DHCP, Head::TwoBytes, bytes));
