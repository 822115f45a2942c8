//! Any bytes in any pieces from both sides of an SMTP connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::smtp::SMTP;

fuzz_target!(|bytes: &[u8]| connection(&SMTP, Head::Byte, bytes));
