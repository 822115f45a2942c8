//! Bits of flows: which rules set them, which wait for them, and what must run so that none waits in vain.

use std::collections::{HashMap, HashSet};

use crate::set::Entry;

/// What a rule does with bits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bits {
    /// Those that it changes.
    pub(crate) changed: Vec<String>,
    /// Those that it asks about.
    pub(crate) asked: Vec<String>,
    /// It says `noalert`.
    pub(crate) is_silent: bool,
}

impl Bits {
    /// Reads values of the keyword, such as `set,ET.exe` and `isset,a|b`.
    pub(crate) fn of<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let mut bits = Self::default();
        for value in values {
            let (command, names) = value.split_once(',').unwrap_or((value, ""));
            let names = names.split('|').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
            match command.trim() {
                "set" | "toggle" | "unset" => bits.changed.extend(names),
                "isset" | "isnotset" => bits.asked.extend(names),
                "noalert" => bits.is_silent = true,
                _ => {}
            }
        }
        bits
    }
}

/// Places of the disabled rules that change bits which enabled rules, and these rules in turn, ask about.
pub(crate) fn needed(rules: &[Entry]) -> Vec<usize> {
    let mut changing: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, rule) in rules.iter().enumerate().filter(|(_, rule)| !rule.enabled) {
        for bit in &rule.bits.changed {
            changing.entry(bit).or_default().push(place);
        }
    }
    let mut open: Vec<&str> = Vec::new();
    rules
        .iter()
        .filter(|rule| rule.enabled)
        .for_each(|rule| open.extend(rule.bits.asked.iter().map(String::as_str)));
    let mut needed = HashSet::new();
    while let Some(bit) = open.pop() {
        for place in changing.remove(bit).unwrap_or_default() {
            if needed.insert(place) {
                open.extend(
                    rules.get(place).into_iter().flat_map(|rule| &rule.bits.asked).map(String::as_str),
                );
            }
        }
    }
    let mut needed: Vec<usize> = needed.into_iter().collect();
    needed.sort_unstable();
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::RuleSet;

    #[test]
    fn chains_of_bits_are_followed() {
        let rules = |lines: &[(bool, &str)]| {
            let mut set = RuleSet::default();
            for (sid, (enabled, options)) in lines.iter().enumerate() {
                let sign = if *enabled { "" } else { "#" };
                let line = format!("{sign}alert tcp any any -> any any ({options} sid:{};)", sid + 1);
                set.add("a", line.as_bytes(), &mut Vec::new());
            }
            set
        };
        for (lines, expected) in [
            (&[(true, "flowbits:isset,a;"), (false, "flowbits:set,a;")][..], &[1][..]),
            (&[(true, "flowbits:isset,a|b;"), (false, "flowbits:set,b;"), (false, "flowbits:set,c;")], &[1]),
            (
                &[
                    (true, "flowbits:isset,a;"),
                    (false, "flowbits:set,a; flowbits:isset,b;"),
                    (false, "flowbits:toggle,b;"),
                ],
                &[1, 2],
            ),
            (&[(false, "flowbits:isset,a;"), (false, "flowbits:set,a;")], &[]),
            (&[(false, "flowbits:set,a; flowbits:isset,a;"), (true, "flowbits: isset, a;")], &[0]),
            (&[(true, "flowbits:isset,a;"), (true, "flowbits:set,a;")], &[]),
        ] {
            assert_eq!(needed(rules(lines).rules()), expected, "{lines:?}");
        }
    }
}
