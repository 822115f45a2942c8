//! Any bytes in any pieces from both sides of a PostgreSQL connection.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection};
use weir_protocols::pgsql::PGSQL;

fuzz_target!(|bytes: &[u8]| connection(&PGSQL, Head::TwoBytes, bytes));
