//! Any datagrams from both sides of a conversation over syslog, to Zeek's logger.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, logged};
use weir_protocols::syslog::zeek;

fuzz_target!(|bytes: &[u8]| logged(&zeek::DATAGRAMS, Head::TwoBytes, bytes));
