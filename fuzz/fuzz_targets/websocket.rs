//! Any bytes in any pieces from both sides of a WebSocket connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::websocket::WEBSOCKET;

fuzz_target!(|bytes: &[u8]| connection(&WEBSOCKET, Head::TwoBytes, bytes));
