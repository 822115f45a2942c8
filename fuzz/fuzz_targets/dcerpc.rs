//! Any bytes from both sides of DCE/RPC: in any pieces of an association, or in datagrams.
//!
//! The first byte tells which (lowest bit).

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, connection, datagrams};
use weir_protocols::dcerpc::DCERPC;

fuzz_target!(|bytes: &[u8]| {
    let Some((&head, bytes)) = bytes.split_first() else { return };
    let run = if head & 1 == 0 { connection } else { datagrams };
    run(&DCERPC, Head::TwoBytes, bytes);
});
