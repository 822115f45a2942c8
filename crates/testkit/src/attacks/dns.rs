//! DNS: queries that nobody answers.

use weir_base::Direction;

use super::Attack;
use crate::wire::Wire;

pub(super) const ATTACKS: &[Attack] = &[Attack {
    name: "dns-queries",
    what: "queries on one UDP flow that are never answered: transactions of Zeek's log that wait for an answer",
    unit: "queries",
    size: 20_000,
    write: queries,
}];

fn queries(wire: &mut Wire<'_>, count: u64) {
    for number in 0..count {
        wire.udp((40_000, 53), Direction::ToServer, &query(number));
    }
}

/// A query for an address, whose id and name depend on `number`.
fn query(number: u64) -> Vec<u8> {
    let mut out = (number as u16).to_be_bytes().to_vec();
    out.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    let label = format!("host{number:08}");
    out.push(label.len() as u8);
    out.extend(label.as_bytes());
    out.extend(b"\x07example\x03com\0\0\x01\0\x01");
    out
}
