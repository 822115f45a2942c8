//! IP reputation: how good or bad addresses are, by category, from the files that the configuration
//! names.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most categories.
pub const MAX_CATEGORIES: u8 = 60;

/// Highest reputation.
pub const MAX_REPUTATION: u8 = 127;

/// Most addresses and networks.
pub const MAX_ENTRIES: usize = 1 << 24;

/// A network: how many bits its addresses have in common, and the first of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Network {
    bits: u8,
    first: IpAddr,
}

impl Network {
    /// The network of this width that an address lies in; none where there is none so wide.
    fn of(address: IpAddr, bits: u8) -> Option<Self> {
        let bits = u32::from(bits);
        let first = match address {
            IpAddr::V4(v4) => {
                let host = u32::MAX.checked_shr(bits).unwrap_or(0);
                (bits <= 32).then(|| Ipv4Addr::from_bits(v4.to_bits() & !host).into())
            }
            IpAddr::V6(v6) => {
                let host = u128::MAX.checked_shr(bits).unwrap_or(0);
                (bits <= 128).then(|| Ipv6Addr::from_bits(v6.to_bits() & !host).into())
            }
        };
        first.map(|first| Self { bits: bits as u8, first })
    }
}

/// The networks of a category, each with its value, and their widths, the narrowest first.
#[derive(Debug, Default)]
struct Networks {
    values: HashMap<Network, u8>,
    widths: Vec<u8>,
}

impl Networks {
    fn insert(&mut self, network: Network, value: u8) {
        if let Err(place) = self.widths.binary_search_by(|bits| network.bits.cmp(bits)) {
            self.widths.insert(place, network.bits);
        }
        // Of two values for one network the first counts.
        self.values.entry(network).or_insert(value);
    }

    /// The value of the narrowest network that an address lies in.
    fn find(&self, address: IpAddr) -> Option<u8> {
        self.widths.iter().find_map(|&bits| self.values.get(&Network::of(address, bits)?).copied())
    }
}

/// All reputations.
#[derive(Debug, Default)]
pub struct Reputations {
    categories: HashMap<String, u8>,
    hosts: HashMap<(u8, IpAddr), u8>,
    networks: HashMap<u8, Networks>,
    entries: usize,
}

impl Reputations {
    /// Reads a list of categories: number, short name, description. Gives what cannot be read.
    pub fn read_categories(&mut self, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        for (line, text) in lines(text) {
            let mut parts = text.splitn(3, ',').map(str::trim);
            let (number, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            match number.parse::<u8>() {
                Ok(number @ 1..=MAX_CATEGORIES) if !name.is_empty() => {
                    self.categories.insert(name.to_owned(), number);
                }
                _ => problems.push(format!("line {line}: bad category \"{text}\"")),
            }
        }
        problems
    }

    /// Reads a list of reputations: address or network, number of the category, value. Gives what cannot
    /// be read.
    pub fn read_list(&mut self, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        for (line, text) in lines(text) {
            if self.entries >= MAX_ENTRIES {
                problems.push(format!("line {line}: there are more than {MAX_ENTRIES} entries"));
                break;
            }
            if self.entry(text).is_none() {
                problems.push(format!("line {line}: bad reputation \"{text}\""));
            }
        }
        problems
    }

    fn entry(&mut self, text: &str) -> Option<()> {
        let mut parts = text.split(',').map(str::trim);
        let place = parts.next()?;
        let category = parts.next()?.parse::<u8>().ok().filter(|c| (1..=MAX_CATEGORIES).contains(c))?;
        let value = parts.next()?.parse::<u8>().ok().filter(|v| *v <= MAX_REPUTATION)?;
        match place.split_once('/') {
            None => {
                let address: IpAddr = place.parse().ok()?;
                self.hosts.insert((category, address.to_canonical()), value);
            }
            Some((address, bits)) => {
                let address = address.parse::<IpAddr>().ok()?.to_canonical();
                let network = Network::of(address, bits.parse().ok()?)?;
                self.networks.entry(category).or_default().insert(network, value);
            }
        }
        self.entries += 1;
        Some(())
    }

    /// The number of a category.
    pub fn category(&self, name: &str) -> Option<u8> {
        self.categories.get(name).copied()
    }

    /// The reputation of an address: its own, or that of the narrowest network it lies in.
    pub fn find(&self, category: u8, address: IpAddr) -> Option<u8> {
        let address = address.to_canonical();
        let own = self.hosts.get(&(category, address)).copied();
        own.or_else(|| self.networks.get(&category)?.find(address))
    }
}

/// The lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_looked_up_by_their_widths() {
        let mut table = Reputations::default();
        let list: String = (0..20_000).map(|n| format!("10.{}.{}.0/24,1,7\n", n >> 8, n & 255)).collect();
        assert!(
            table.read_list(&(list + "10.1.2.0/24,1,9\n0.0.0.0/0,1,1\n::/0,1,2\n10.0.0.0/33,1,1\n")).len()
                == 1
        );
        for (address, expected) in [("10.1.2.3", 7), ("10.200.0.1", 1), ("::1", 2), ("::ffff:10.1.2.3", 7)] {
            assert_eq!(table.find(1, address.parse().unwrap()), Some(expected), "{address}");
        }
        assert_eq!(table.networks[&1].widths, [24, 0]);
    }

    #[test]
    fn files() {
        let mut table = Reputations::default();
        assert_eq!(
            table.read_categories("1,bad,Bad hosts\n# said\n61,too,many\n"),
            ["line 3: bad category \"61,too,many\""]
        );
        let list =
            "1.2.3.4,1,100\n10.0.0.0/8,1,5\n10.1.0.0/16,1,0\n2001:db8::/32,1,9\n1.1.1.1,1,128\nx,1,1\n";
        assert_eq!(table.read_list(list).len(), 2);
        assert_eq!(table.category("bad"), Some(1));
        let cases = [
            ("1.2.3.4", Some(100)),
            ("1.2.3.5", None),
            ("10.2.0.1", Some(5)),
            ("10.1.2.3", Some(0)),
            ("2001:db8::1", Some(9)),
            ("2001:db9::1", None),
        ];
        for (address, expected) in cases {
            assert_eq!(table.find(1, address.parse().unwrap()), expected, "{address}");
            assert_eq!(table.find(2, address.parse().unwrap()), None, "{address}");
        }
    }
}
