//! Addresses that are hidden: numbered, hashed, or so that networks stay together.

use std::collections::HashMap;

use md5::{Digest, Md5};
use sha2::Sha256;

use super::{Builtin, argument, row};
use crate::random::Random;
use crate::values::{Addr, Value};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("anonymize_addr", "(a: addr, cl: IPAddrAnonymizationClass): addr", anonymize),
    row("preserve_prefix", "(a: addr, width: count): any", |e, a| {
        let Value::Addr(address) = argument(a, 0) else { return Ok(Value::Unset) };
        let width = u32::try_from(super::count(a, 1)).unwrap_or(u32::MAX);
        preserve(e, address, width)
    }),
    row("preserve_subnet", "(a: subnet): any", |e, a| {
        let Value::Subnet(network) = argument(a, 0) else { return Ok(Value::Unset) };
        preserve(e, network.prefix, u32::from(network.width()))
    }),
];

/// Most addresses that are remembered, for each method.
const MOST: usize = 1 << 20;

/// What is remembered of addresses.
#[derive(Debug, Default)]
pub struct Anonymizer {
    numbers: HashMap<u32, u32>,
    tree: Tree,
}

/// An address with what it becomes, and the two parts of those that begin alike.
#[derive(Clone, Copy, Debug)]
struct Node {
    input: u32,
    output: u32,
    children: Option<[usize; 2]>,
}

/// Addresses by their first bits (Minshall's tcpdpriv): what begins alike does so afterwards.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    has_begun: bool,
}

/// Returns the place of the first bit, from one, in which addresses differ.
const fn difference(one: u32, other: u32) -> u32 {
    (one ^ other).leading_zeros() + 1
}

/// Returns the bit at a place.
const fn bit(address: u32, place: u32) -> usize {
    (address >> (32 - place) & 1) as usize
}

impl Tree {
    /// Returns the node of an address, a new one where there is none; none where there are too many.
    fn node(&mut self, address: u32, random: &mut Random) -> Option<usize> {
        if self.nodes.is_empty() {
            self.nodes.push(Node { input: address, output: random.word(), children: None });
            return Some(0);
        }
        let mut at = 0;
        loop {
            let node = *self.nodes.get(at)?;
            if node.input == address {
                return Some(at);
            }
            let parts = node.children.and_then(|[left, right]| {
                let place = difference(self.nodes.get(left)?.input, self.nodes.get(right)?.input);
                (difference(address, node.input) >= place).then_some(([left, right], place))
            });
            match parts {
                Some((children, place)) => at = *children.get(bit(address, place))?,
                None => return self.split(at, address, random),
            }
        }
    }

    /// Makes a node the parent of itself and of an address that begins otherwise.
    fn split(&mut self, at: usize, address: u32, random: &mut Random) -> Option<usize> {
        if self.nodes.len() >= 2 * MOST {
            return None;
        }
        let node = *self.nodes.get(at)?;
        let place = difference(address, node.input);
        let output = if place == 32 {
            node.output ^ 1
        } else {
            let known = (node.output >> (32 - place) ^ 1) << (32 - place);
            known | (random.word() & 0x7fff_ffff) >> place
        };
        let new = Node { input: address, output, children: None };
        let (moved, added) = (self.nodes.len(), self.nodes.len() + 1);
        self.nodes.extend([node, new]);
        let is_right = bit(address, place) == 1;
        let right = if is_right { new } else { node };
        let children = Some(if is_right { [moved, added] } else { [added, moved] });
        *self.nodes.get_mut(at)? = Node { children, ..right };
        Some(added)
    }

    fn anonymize(&mut self, address: u32, random: &mut Random) -> Option<u32> {
        self.has_begun = true;
        if address == 0 || address == u32::MAX {
            return Some(address);
        }
        let at = self.node(address, random)?;
        self.nodes.get(at).map(|node| node.output)
    }

    fn preserve(&mut self, address: u32, width: u32, random: &mut Random) -> Option<()> {
        let hidden = u32::MAX.checked_shr(width).unwrap_or(0);
        let address = address & !hidden;
        if address == 0 || address == u32::MAX {
            return Some(());
        }
        let at = self.node(address, random)?;
        let kept = if width == 0 { return Some(()) } else { address };
        let output = if width >= 32 { kept } else { kept | random.word() & hidden };
        self.nodes.get_mut(at)?.output = output;
        Some(())
    }
}

fn preserve(engine: &mut Engine, address: Addr, width: u32) -> Outcome<Value> {
    let Some(address) = v4(address) else {
        return Err(engine.fail("prefixes of IPv6 addresses cannot be preserved"));
    };
    let Engine { frameworks, random, .. } = engine;
    if frameworks.anonymizer.tree.has_begun {
        engine.complain("prefix preservation specified after anonymization begun");
    } else if frameworks.anonymizer.tree.preserve(address, width, random).is_none() {
        return Err(engine.fail("too many addresses are anonymized"));
    }
    Ok(Value::Unset)
}

fn anonymize(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Value::Addr(given) = argument(a, 0) else { return Ok(Value::Unset) };
    let class = match &argument(a, 1) {
        Value::Enum(_, 0) => "orig",
        Value::Enum(_, 1) => "resp",
        _ => "other",
    };
    let is_kept = match engine.global(&format!("preserve_{class}_addr")) {
        Some(Value::Table(kept)) => kept.contains(&Value::List(vec![argument(a, 0)].into())),
        _ => false,
    };
    if is_kept {
        return Ok(Value::Addr(given));
    }
    let variable = format!("{class}_addr_anonymization");
    let Some(Value::Enum(_, method)) = engine.global(&variable) else {
        return Err(engine.fail(&format!("{variable} is not set")));
    };
    let Some(address) = v4(given) else { return Err(engine.fail("IPv6 addresses cannot be anonymized")) };
    let key = Md5::digest(engine.random.mark());
    let Engine { frameworks, random, .. } = engine;
    let known = &mut frameworks.anonymizer;
    let new = match method {
        0 => Some(address),
        1 => known.number(address),
        2 => known.tree.anonymize(address, random),
        3 => Some(hidden::<Md5>(&address.to_be_bytes(), &key)),
        5 => Some(hidden::<Sha256>(&address.to_be_bytes(), &key)),
        4 => Some(by_prefixes::<Md5>(address, &key)),
        _ => Some(by_prefixes::<Sha256>(address, &key)),
    };
    match new {
        Some(new) => Ok(Value::Addr(Addr::v4(new.to_be_bytes()))),
        None => Err(engine.fail("too many addresses are anonymized")),
    }
}

impl Anonymizer {
    /// Numbers an address, from two.
    fn number(&mut self, address: u32) -> Option<u32> {
        let next = u32::try_from(self.numbers.len()).ok()?.checked_add(2)?;
        if self.numbers.len() >= MOST && !self.numbers.contains_key(&address) {
            return None;
        }
        Some(*self.numbers.entry(address).or_insert(next))
    }
}

/// Hashes bytes with the key of the run: four bytes of the hash, the last one first.
fn hidden<D: Digest>(bytes: &[u8], key: &[u8]) -> u32 {
    let mut hash = D::digest(bytes);
    hash.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
    let hash = D::digest(&hash);
    u32::from_le_bytes([0, 1, 2, 3].map(|at| hash.get(at).copied().unwrap_or(0)))
}

/// Exchanges each bit by what the key makes of those before it (Xu et al. 2001), so that what begins alike does so
/// afterwards.
fn by_prefixes<D: Digest>(address: u32, key: &[u8]) -> u32 {
    (0..32u32).fold(address, |output, at| {
        let before = address & !u32::MAX.checked_shr(at).unwrap_or(0) | 1 << (31 - at);
        let text = [(at + 1).to_be_bytes(), before.to_be_bytes()].concat();
        output ^ (hidden::<D>(&text, key) & 1) << (31 - at)
    })
}

fn v4(address: Addr) -> Option<u32> {
    let octets: [u8; 4] = address.octets().try_into().ok()?;
    Some(u32::from_be_bytes(octets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_alike_does_so_afterwards() {
        let mut random = Random::seeded(7);
        let mut tree = Tree::default();
        assert!(tree.preserve(0x0102_0300, 24, &mut random).is_some());
        let addresses = [0x0102_0304, 0x0102_0a05, 0x0103_0405, 0x0102_0304, 0xc0a8_0001, 0x0102_0305];
        let tree: Vec<u32> = addresses.iter().filter_map(|one| tree.anonymize(*one, &mut random)).collect();
        let hashed: Vec<u32> = addresses.iter().map(|one| by_prefixes::<Md5>(*one, b"key")).collect();
        assert_eq!((tree.len(), tree[0] >> 8), (addresses.len(), 0x0001_0203));
        for outputs in [tree, hashed] {
            for (one, first) in addresses.iter().zip(&outputs) {
                for (other, second) in addresses.iter().zip(&outputs) {
                    assert_eq!((one ^ other).leading_zeros(), (first ^ second).leading_zeros());
                }
            }
        }
    }

    #[test]
    fn numbers_and_hashes_stay() {
        let mut known = Anonymizer::default();
        assert_eq!([7, 7, 9, 7].map(|one| known.number(one)), [Some(2), Some(2), Some(3), Some(2)]);
        assert_eq!(hidden::<Md5>(b"1234", b"k"), hidden::<Md5>(b"1234", b"k"));
        assert_ne!(hidden::<Sha256>(b"1234", b"k"), hidden::<Sha256>(b"1235", b"k"));
    }
}
