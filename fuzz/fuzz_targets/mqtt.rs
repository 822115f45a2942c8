//! Any bytes in any pieces from both sides of an MQTT connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::mqtt::MQTT;

fuzz_target!(|bytes: &[u8]| connection(&MQTT, Head::TwoBytes, bytes));
