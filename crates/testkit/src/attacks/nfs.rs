//! ONC RPC and NFS: calls that nobody answers.

use weir_base::Direction;

use super::Attack;

pub(super) const ATTACKS: &[Attack] = &[Attack {
    name: "nfs-udp-calls",
    what: "NFSv3 calls on one UDP flow that are never answered: the search for the call of a number",
    unit: "calls",
    size: 4000,
    write: |wire, count| {
        for number in 0..count {
            wire.udp((800, 2049), Direction::ToServer, &getattr(number as u32));
        }
    },
}];

/// The program of NFS.
const NFS: u32 = 100_003;

/// A call of `procedure` of NFSv3 without credentials.
fn call(number: u32, procedure: u32, arguments: &[u8]) -> Vec<u8> {
    let words = [number, 0, 2, NFS, 3, procedure, 0, 0, 0, 0];
    let mut out: Vec<u8> = words.into_iter().flat_map(u32::to_be_bytes).collect();
    out.extend(arguments);
    out
}

/// GETATTR of a file whose handle depends on `number`.
fn getattr(number: u32) -> Vec<u8> {
    let mut handle = 8u32.to_be_bytes().to_vec();
    handle.extend([0, 0, 0, 0]);
    handle.extend(number.to_be_bytes());
    call(number, 1, &handle)
}
