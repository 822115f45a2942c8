//! NFS versions 2 (RFC 1094), 3 (RFC 1813) and 4 (RFC 7530, RFC 8881), and the remote procedure calls (RFC 5531)
//! that carry them, over TCP and UDP.
//!
//! Reads, or writes, of one file are one transaction, which carries the file; any other call of versions 2 and 3,
//! and the calls of version 4 that make or remove something, are transactions of their own, with their replies. The
//! writes of version 2 are not put together to files. Limits: the length of a record that carries no file
//! ([`parser::MAX_RECORD`]), of what is read or written at once ([`conversation::MAX_CHUNK`]), pieces of a file that
//! come before those in front of them ([`transfer::MAX_WAITING`]; of all files, [`waiting::MAX_WAITING`]), calls that wait for a reply ([`calls::MAX_CALLS`]),
//! names that are known ([`calls::MAX_NAMES`]), operations of a compound ([`version4::MAX_OPERATIONS`]) and
//! transactions that wait (`max-tx`).

pub mod anomaly;
pub mod ask;
pub mod calls;
pub mod checks;
pub mod compound;
pub mod conversation;
pub mod eve;
pub mod fields;
pub mod frame;
pub mod names;
pub mod parser;
pub mod probe;
pub mod rpc;
pub mod transaction;
pub mod transfer;
pub mod version2;
pub mod version3;
pub mod version4;
pub mod waiting;
pub mod xdr;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static NFS: Protocol = Protocol {
    zeek_service: "",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[2049],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::NfsAnomaly::NAMES,
    eve: Some(&eve::EVE),
    ..Protocol::named("nfs", parser::configure)
};

#[cfg(test)]
mod tests;
