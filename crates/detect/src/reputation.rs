//! IP reputation: how good or bad addresses are, by category, from the files that the configuration
//! names.

use std::collections::HashMap;
use std::net::IpAddr;

/// Most categories.
pub const MAX_CATEGORIES: u8 = 60;

/// Highest reputation.
pub const MAX_REPUTATION: u8 = 127;

/// Most addresses and networks.
pub const MAX_ENTRIES: usize = 1 << 24;

/// A network of a category.
#[derive(Clone, Copy, Debug)]
struct Network {
    address: u128,
    bits: u8,
    v4: bool,
    value: u8,
}

impl Network {
    fn contains(&self, address: IpAddr) -> bool {
        let (number, v4) = number(address);
        let width = if v4 { 32 } else { 128 };
        v4 == self.v4 && (self.bits == 0 || (number ^ self.address) >> (width - u32::from(self.bits)) == 0)
    }
}

fn number(address: IpAddr) -> (u128, bool) {
    match address.to_canonical() {
        IpAddr::V4(address) => (u128::from(u32::from(address)), true),
        IpAddr::V6(address) => (u128::from(address), false),
    }
}

/// All reputations.
#[derive(Debug, Default)]
pub struct Reputations {
    categories: HashMap<String, u8>,
    hosts: HashMap<(u8, IpAddr), u8>,
    networks: HashMap<u8, Vec<Network>>,
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
                let (number, v4) = number(address.parse().ok()?);
                let bits = bits.parse::<u8>().ok().filter(|bits| *bits <= if v4 { 32 } else { 128 })?;
                self.networks.entry(category).or_default().push(Network { address: number, bits, v4, value });
            }
        }
        self.entries += 1;
        Some(())
    }

    /// Puts the narrowest networks first; called once all lists are read.
    pub fn finish(&mut self) {
        for networks in self.networks.values_mut() {
            networks.sort_by_key(|network| std::cmp::Reverse(network.bits));
        }
    }

    /// The number of a category.
    pub fn category(&self, name: &str) -> Option<u8> {
        self.categories.get(name).copied()
    }

    /// The reputation of an address: its own, or that of the narrowest network it lies in.
    pub fn find(&self, category: u8, address: IpAddr) -> Option<u8> {
        if let Some(value) = self.hosts.get(&(category, address.to_canonical())) {
            return Some(*value);
        }
        let networks = self.networks.get(&category)?;
        networks.iter().find(|network| network.contains(address)).map(|network| network.value)
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
    fn files() {
        let mut table = Reputations::default();
        assert_eq!(
            table.read_categories("1,bad,Bad hosts\n# said\n61,too,many\n"),
            ["line 3: bad category \"61,too,many\""]
        );
        let list =
            "1.2.3.4,1,100\n10.0.0.0/8,1,5\n10.1.0.0/16,1,0\n2001:db8::/32,1,9\n1.1.1.1,1,128\nx,1,1\n";
        assert_eq!(table.read_list(list).len(), 2);
        table.finish();
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
