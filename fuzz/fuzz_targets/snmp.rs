//! Any datagrams from both sides of a conversation over SNMP.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams};
use weir_protocols::snmp::SNMP;

fuzz_target!(|bytes: &[u8]| datagrams(&SNMP, Head::TwoBytes, bytes));
