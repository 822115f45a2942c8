//! Any bytes as datagrams and as pieces of a stream from both sides of a conversation over SIP, to the parser and
//! to Zeek's logger.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection, datagrams, logged};
use weir_protocols::sip::{SIP, zeek};

fuzz_target!(|bytes: &[u8]| {
    datagrams(&SIP, Head::TwoBytes, bytes);
    connection(&SIP, Head::TwoBytes, bytes);
    logged(&zeek::ELSEWHERE, Head::TwoBytes, bytes);
});
