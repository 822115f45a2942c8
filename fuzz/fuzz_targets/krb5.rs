//! Any bytes in any pieces from both sides of a connection over Kerberos, and the same as datagrams.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection, datagrams};
use weir_protocols::krb5::KRB5;

fuzz_target!(|bytes: &[u8]| {
    connection(&KRB5, Head::TwoBytes, bytes);
    datagrams(&KRB5, Head::TwoBytes, bytes);
});
