//! BitTorrent's hash table: messages of as many values and keys as a datagram holds.

use weir_base::Direction;

use super::{Attack, client_datagrams};

/// Where clients of the table listen, as a rule.
const PORT: u16 = 6881;
/// Bytes of a datagram that fits into a packet.
const ROOM: usize = 1400;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "dht-peers",
        what: "responses of as many peers as a packet holds: a value of the record for each",
        unit: "responses",
        size: 1000,
        write: |wire, count| {
            let peer = [&b"6:"[..], &[10, 0, 0, 1, 0x1a, 0xe1]].concat();
            let peers = peer.repeat(ROOM / peer.len());
            let message =
                [&b"d1:rd2:id20:abcdefghij01234567896:valuesl"[..], &peers, b"ee1:t2:aa1:y1:re"].concat();
            wire.udp(
                (40_000, PORT),
                Direction::ToServer,
                b"d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe",
            );
            (0..count).for_each(|_| wire.udp((40_000, PORT), Direction::ToClient, &message));
        },
    },
    Attack {
        name: "dht-keys",
        what: "queries whose dictionaries have nothing but unknown keys, each with a list",
        unit: "queries",
        size: 1000,
        write: |wire, count| {
            let entry = b"0:le";
            let entries = entry.repeat(ROOM / entry.len());
            let message =
                [&b"d1:ad2:id20:abcdefghij0123456789"[..], &entries, b"e1:q4:ping1:t2:aa1:y1:qe"].concat();
            client_datagrams(wire, PORT, count, |_| message.clone());
        },
    },
    Attack {
        name: "dht-queries",
        what: "small queries on one flow: transactions",
        unit: "queries",
        size: 4000,
        write: |wire, count| {
            client_datagrams(wire, PORT, count, |number| {
                format!("d1:ad2:id20:abcdefghij{number:010}e1:q4:ping1:t2:aa1:y1:qe").into_bytes()
            });
        },
    },
];
