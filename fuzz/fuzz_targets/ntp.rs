//! Any datagrams from both sides of a conversation over NTP, as rules and as Zeek's log see them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams, logged};
use weir_protocols::ntp::{NTP, zeek};

fuzz_target!(|bytes: &[u8]| {
    datagrams(&NTP, Head::TwoBytes, bytes);
    logged(&zeek::DATAGRAMS, Head::TwoBytes, bytes);
});
