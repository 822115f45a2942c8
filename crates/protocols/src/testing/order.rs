//! Records come in the order in which answers came, also where many come in one segment: that of completion.

use weir_applayer::{Protocol, TxMeta};

use super::holes::{dcerpc, nfs_call, nfs_reply, smb};
use super::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

type Message = fn(u8) -> Vec<u8>;

/// Protocols that answer in any order: what is said first, the request of a number, and its answer.
const CASES: &[(&Protocol, &[u8], Message, Message)] = &[
    (&crate::ldap::LDAP, b"", |id| ldap(id, b"\x4a\x01x"), |id| ldap(id, b"\x6b\x07\x0a\x01\0\x04\0\x04\0")),
    (
        &crate::modbus::MODBUS,
        b"",
        |id| modbus(id, b"\x01\x03\0\0\0\x01"),
        |id| modbus(id, b"\x01\x03\x02\0\0"),
    ),
    (
        &crate::mqtt::MQTT,
        b"\x10\x0e\0\x04MQTT\x04\x02\0\x3c\0\x02me",
        |id| vec![0x32, 5, 0, 1, b't', 0, id],
        |id| vec![0x40, 2, 0, id],
    ),
    (&crate::nfs::NFS, b"", |id| nfs_call(id.into()), |id| nfs_reply(id.into())),
    (
        &crate::smb::SMB,
        b"",
        |id| smb(13, 0, id.into(), &[4, 0, 0, 0]),
        |id| smb(13, 1, id.into(), &[4, 0, 0, 0]),
    ),
    (&crate::dcerpc::DCERPC, b"", |id| dcerpc(0, 3, id.into()), |id| dcerpc(2, 3, id.into())),
    (
        &crate::http2::HTTP2,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        |id| vec![0, 0, 3, 1, 5, 0, 0, 0, 2 * id - 1, 0x82, 0x84, 0x86],
        |id| vec![0, 0, 1, 1, 5, 0, 0, 0, 2 * id - 1, 0x88],
    ),
];

#[test]
fn answers_order_records() {
    for (protocol, opening, request, answer) in CASES {
        let name = protocol.name;
        let asked: Vec<u8> = (1..=4).flat_map(request).collect();
        let answered: Vec<u8> = [3, 1, 4, 2].into_iter().flat_map(answer).collect();
        let said = [(UP, opening.to_vec()), (UP, asked), (DOWN, answered)];
        let conversation = same_in_any_pieces(|| Conversation::new(protocol, &Settings(&[])), &said);
        let meta = |id: &u64| conversation.transaction(*id).meta();
        // Those that had to wait, in the order in which they were asked.
        let waited = |meta: &TxMeta| meta.first_seen[DOWN] > meta.first_seen[UP];
        let ids: Vec<u64> = conversation.ids();
        let answered: Vec<u64> = ids.into_iter().filter(|id| waited(meta(id))).collect();
        let [first, second, third, fourth] = answered[..] else { panic!("{name}: {answered:?}") };
        let order: Vec<u64> =
            conversation.in_order().iter().copied().filter(|id| answered.contains(id)).collect();
        assert_eq!(order, [third, first, fourth, second], "{name}");
    }
}

fn ldap(id: u8, operation: &[u8]) -> Vec<u8> {
    [&[0x30, 3 + operation.len() as u8, 2, 1, id], operation].concat()
}

fn modbus(id: u8, message: &[u8]) -> Vec<u8> {
    [&[0, id, 0, 0, 0, message.len() as u8], message].concat()
}
