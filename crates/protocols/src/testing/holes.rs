//! Law: transactions that a hole ends are ended once, and later holes cost nothing, however many are open.

use weir_applayer::Protocol;
use weir_base::{Direction, IdSet};

use super::{Conversation, DOWN, Settings, UP};

/// Number of open transactions.
const OPEN: u32 = 200;

type Message = fn(u32) -> Vec<u8>;

/// Protocols, what opens a transaction, and the side that a hole is in, with what it says behind that.
const CASES: &[(&Protocol, Message, Direction, Message)] = &[
    (&crate::nfs::NFS, nfs_call, DOWN, nfs_reply),
    (&crate::pgsql::PGSQL, pgsql_query, DOWN, |_| b"Z\0\0\0\x05I".to_vec()),
    (&crate::pop3::POP3, |_| b"NOOP\r\n".to_vec(), DOWN, |_| b"+OK\r\n".to_vec()),
    (&crate::dcerpc::DCERPC, dcerpc_fragment, UP, dcerpc_fragment),
    (&crate::smb::SMB, smb_write, UP, smb_write),
    (&crate::smb::SMB, smb_echo, UP, smb_echo),
];

#[test]
fn holes_end_each_transaction_once() {
    for (protocol, open, side, behind) in CASES {
        let mut conversation = Conversation::new(protocol, &Settings(&[]));
        // Who goes on behind every hole.
        conversation.as_zeek = true;
        (0..OPEN).for_each(|number| _ = conversation.push(UP, &open(number)));
        let changed = |conversation: &mut Conversation| {
            let mut ids = IdSet::default();
            conversation.parser.take_changed(&mut ids);
            ids.sorted().len()
        };
        assert!(changed(&mut conversation) >= OPEN as usize, "{} opens them", protocol.name);
        let counts = [0, 1, 2].map(|number| {
            conversation.gap(*side, 1);
            conversation.push(*side, &behind(OPEN + number));
            changed(&mut conversation)
        });
        assert!(counts[1] <= 4 && counts[2] <= 4, "{}: {counts:?}", protocol.name);
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

pub(super) fn nfs_call(number: u32) -> Vec<u8> {
    words(&[0x8000_0034, number, 0, 2, 100_003, 3, 1, 0, 0, 0, 0, 8, 0, number])
}

pub(super) fn nfs_reply(number: u32) -> Vec<u8> {
    words(&[0x8000_001c, number, 1, 0, 0, 0, 0, 0])
}

fn pgsql_query(number: u32) -> Vec<u8> {
    match number {
        0 => b"\0\0\0\x12\0\x03\0\0user\0bob\0\0".to_vec(),
        _ => b"Q\0\0\0\x06;\0".to_vec(),
    }
}

/// The first fragment of a request.
fn dcerpc_fragment(number: u32) -> Vec<u8> {
    dcerpc(0, 1, number)
}

/// A message of a kind without content.
pub(super) fn dcerpc(kind: u8, flags: u8, number: u32) -> Vec<u8> {
    [&[5, 0, kind, flags, 0x10, 0, 0, 0, 24, 0, 0, 0][..], &number.to_le_bytes(), &[0; 8]].concat()
}

/// A message of SMB 2; the flag 1 says that it is an answer.
pub(super) fn smb(command: u8, flags: u8, number: u32, body: &[u8]) -> Vec<u8> {
    let start = [&b"\xfeSMB\x40\0\x01\0\0\0\0\0"[..], &[command, 0, 0, 0, flags], &[0; 7]].concat();
    let head = [&start[..], &number.to_le_bytes(), &[0; 36]];
    let message = [&head.concat(), body].concat();
    [&(message.len() as u32).to_be_bytes(), &message[..]].concat()
}

fn smb_echo(number: u32) -> Vec<u8> {
    smb(13, 0, number, &[4, 0, 0, 0])
}

/// Eight bytes to a file of its own.
fn smb_write(number: u32) -> Vec<u8> {
    let place = [&[49, 0, 112, 0, 8, 0, 0, 0][..], &[0; 8], &number.to_le_bytes(), &[0; 28]].concat();
    smb(9, 0, number, &[&place[..], b"8 bytes."].concat())
}
