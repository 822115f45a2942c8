//! Any bytes in any pieces from both sides of a connection over Modbus.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::modbus::MODBUS;

fuzz_target!(|bytes: &[u8]| connection(&MODBUS, Head::TwoBytes, bytes));
