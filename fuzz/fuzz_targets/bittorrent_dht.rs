//! Any datagrams from both sides of a conversation of BitTorrent's hash table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_fuzz::{Head, datagrams};
use weir_protocols::bittorrent_dht::BITTORRENT_DHT;

fuzz_target!(|bytes: &[u8]| datagrams(&BITTORRENT_DHT, Head::Byte, bytes));
