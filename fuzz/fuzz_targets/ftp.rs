//! Any bytes in any pieces from both sides of a control connection of FTP.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::ftp::FTP;

fuzz_target!(|bytes: &[u8]| connection(&FTP, Head::TwoBytes, bytes));
