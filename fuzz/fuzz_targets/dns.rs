//! Any bytes as a DNS message or stream: everything is read, and everything that rules and records
//! ask for can be had.
//!
//! The first byte tells transport (lowest bit) and direction (the next).

#![no_main]

use libfuzzer_sys::fuzz_target;
use weir_applayer::Transport;
use weir_base::Direction;
use weir_fuzz::Conversation;
use weir_protocols::dns::DNS;

fuzz_target!(|bytes: &[u8]| {
    let Some((&head, bytes)) = bytes.split_first() else { return };
    let transport = if head & 1 == 0 { Transport::Udp } else { Transport::Tcp };
    let direction = if head & 2 == 0 { Direction::ToServer } else { Direction::ToClient };
    let mut conversation = Conversation::new(&DNS, transport, false);
    let _ = conversation.push(direction, bytes);
    conversation.close();
    conversation.read_all();
});
