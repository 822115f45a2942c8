//! Attacks on an engine's time and memory: what an attacker sends to make each packet, message or connection cost
//! more than the one before it. Twice the size is twice the traffic.
//!
//! An attack is a row in the file of its family, beside the function that writes it.

use weir_base::Direction;

use crate::wire::{Connection, Wire};

mod anomalies;
mod bittorrent;
mod bytes;
mod certificates;
mod databases;
mod dcerpc;
mod directory;
mod dns;
mod files;
mod floods;
mod hosts;
mod http;
mod http2;
mod industrial;
mod inline;
mod mail;
mod mqtt;
mod nfs;
mod packets;
mod recognition;
mod remote_calls;
mod rules;
mod searches;
mod sessions;
mod smb;
mod stored;
mod streams;
mod streams_of_scripts;
mod tables;
mod tls;
mod websocket;

/// One attack.
#[derive(Clone, Copy)]
pub struct Attack {
    /// Its name, in lower case, with hyphens: first the protocol or the part of the engine it is aimed at.
    pub name: &'static str,
    /// Traffic, and its aim, in one line.
    pub what: &'static str,
    /// Unit of a size: calls, packets, connections, bytes.
    pub unit: &'static str,
    /// The smallest size at which an engine without bounds is noticeably slow at eight times that.
    pub size: u64,
    /// Writes it, so large.
    pub write: fn(&mut Wire<'_>, u64),
}

/// The attacks of each family.
const FAMILIES: &[&[Attack]] = &[
    floods::ATTACKS,
    recognition::ATTACKS,
    remote_calls::ATTACKS,
    rules::ATTACKS,
    searches::ATTACKS,
    stored::ATTACKS,
    anomalies::ATTACKS,
    bittorrent::ATTACKS,
    certificates::ATTACKS,
    databases::ATTACKS,
    dcerpc::ATTACKS,
    directory::ATTACKS,
    dns::ATTACKS,
    files::ATTACKS,
    hosts::ATTACKS,
    http::ATTACKS,
    http2::ATTACKS,
    industrial::ATTACKS,
    inline::ATTACKS,
    mail::ATTACKS,
    mqtt::ATTACKS,
    nfs::ATTACKS,
    packets::ATTACKS,
    sessions::ATTACKS,
    smb::ATTACKS,
    streams::ATTACKS,
    streams_of_scripts::ATTACKS,
    tables::ATTACKS,
    tls::ATTACKS,
    websocket::ATTACKS,
];

/// All attacks.
pub fn attacks() -> impl Iterator<Item = &'static Attack> {
    FAMILIES.iter().copied().flatten()
}

/// The attack with this name.
pub fn attack(name: &str) -> Option<&'static Attack> {
    attacks().find(|attack| attack.name == name)
}

/// One connection, which is lent to `talk`.
fn connection(wire: &mut Wire<'_>, port: u16, talk: impl FnOnce(&mut Connection, &mut Wire<'_>)) {
    let mut connection = wire.connect((40_000, port));
    talk(&mut connection, wire);
}

/// Sends messages of the client on one connection, each in a segment of its own.
fn client_sends(wire: &mut Wire<'_>, port: u16, count: u64, message: impl Fn(u64) -> Vec<u8>) {
    connection(wire, port, |connection, wire| {
        (0..count).for_each(|number| connection.client(wire, &message(number)));
    });
}

/// Sends a message of the client on one connection, byte by byte, and what follows that.
fn client_sends_bytewise(wire: &mut Wire<'_>, port: u16, message: &[u8]) {
    connection(wire, port, |connection, wire| {
        connection.sends_bytewise(wire, Direction::ToServer, message);
    });
}

/// Datagrams that the client sends in one flow.
fn client_datagrams(wire: &mut Wire<'_>, port: u16, count: u64, message: impl Fn(u64) -> Vec<u8>) {
    (0..count).for_each(|number| wire.udp((40_000, port), Direction::ToServer, &message(number)));
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::attacks;
    use crate::wire::Wire;

    #[test]
    fn names_are_told_apart() {
        let mut names = HashSet::new();
        for attack in attacks() {
            assert!(names.insert(attack.name), "{} is there twice", attack.name);
            let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            assert!(attack.name.bytes().all(is_plain), "{} is no name", attack.name);
        }
    }

    /// Twice the size is about twice the bytes, but for what some begin with; in the order of time.
    #[test]
    fn sizes_are_in_proportion() {
        for attack in attacks() {
            let bytes = |size| {
                let (mut count, mut clock) = (0, None);
                let mut keep = |time, frame: &[u8]| {
                    assert!(clock < Some(time), "{}: time goes back", attack.name);
                    clock = Some(time);
                    count += frame.len();
                };
                (attack.write)(&mut Wire::new(&mut keep), size);
                count as f64
            };
            let growth = bytes(attack.size.div_ceil(4)) / bytes(attack.size.div_ceil(8));
            assert!(
                (1.2..2.3).contains(&growth),
                "{} grows {growth:.2} times for twice the size",
                attack.name
            );
        }
    }
}
