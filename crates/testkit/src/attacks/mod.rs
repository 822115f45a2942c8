//! Attacks on an engine's time and memory: what an attacker sends to make each packet, message or connection cost
//! more than the one before it. [`ATTACKS`] has all of them; twice the size is twice the traffic.
//!
//! An attack is a row in the file of its family, beside the function that writes it.

use crate::wire::Wire;

mod dns;
mod floods;
mod http;
mod http2;
mod nfs;

/// One attack.
#[derive(Clone, Copy)]
pub struct Attack {
    /// Its name, in lower case, with hyphens: first the protocol or the part of the engine it is aimed at.
    pub name: &'static str,
    /// What is sent, and what that aims at, in one line.
    pub what: &'static str,
    /// What a size counts: calls, packets, connections, bytes.
    pub unit: &'static str,
    /// The smallest size at which an engine without bounds is noticeably slow at eight times that.
    pub size: u64,
    /// Writes it, so large.
    pub write: fn(&mut Wire<'_>, u64),
}

/// The attacks of each family.
const FAMILIES: &[&[Attack]] = &[floods::ATTACKS, dns::ATTACKS, http::ATTACKS, http2::ATTACKS, nfs::ATTACKS];

/// All attacks.
pub fn attacks() -> impl Iterator<Item = &'static Attack> {
    FAMILIES.iter().copied().flatten()
}

/// The attack with this name.
pub fn attack(name: &str) -> Option<&'static Attack> {
    attacks().find(|attack| attack.name == name)
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

    /// Twice the size is about twice the bytes, in the order of time.
    #[test]
    fn sizes_are_in_proportion() {
        for attack in attacks() {
            let size = attack.size.div_ceil(4).max(100);
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
            let growth = bytes(2 * size) / bytes(size);
            assert!(
                (1.8..2.2).contains(&growth),
                "{} grows {growth:.2} times for twice the size",
                attack.name
            );
        }
    }
}
