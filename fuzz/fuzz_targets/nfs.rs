//! Any bytes in any pieces from both sides of a connection over NFS, and the same as datagrams.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection, datagrams};
use weir_protocols::nfs::NFS;

fuzz_target!(|bytes: &[u8]| {
    connection(&NFS, Head::TwoBytes, bytes);
    datagrams(&NFS, Head::TwoBytes, bytes);
});
