//! Any bytes in any pieces from both sides of a connection over LDAP, and the same as datagrams.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection, datagrams};
use weir_protocols::ldap::LDAP;

fuzz_target!(|bytes: &[u8]| {
    connection(&LDAP, Head::TwoBytes, bytes);
    datagrams(&LDAP, Head::TwoBytes, bytes);
});
