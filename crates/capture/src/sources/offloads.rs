//! Offloads of an interface: work on packets that the system leaves to the card, or does at once for many packets.
//! A listener then sees one packet where the wire had several (GRO, LRO), or one that is divided only behind it (TSO, GSO).
//!
//! They are read and set by ethtool's calls (`linux/ethtool.h`).

use std::io;

use super::ioctl::Interface;

/// One offload.
#[derive(Debug, PartialEq, Eq)]
pub struct Offload {
    /// Its name, as in `ethtool -K`.
    pub name: &'static str,
    /// Commands that read and write the word that it is in.
    read: u32,
    write: u32,
    /// Its bit in that word.
    bit: u32,
}

/// Those that change packets, in the order in which they are switched off: each before one that it needs.
static OFFLOADS: [Offload; 5] = [
    Offload { name: "lro", read: 0x25, write: 0x26, bit: 1 << 15 },
    Offload { name: "gro", read: 0x2b, write: 0x2c, bit: 1 },
    Offload { name: "gso", read: 0x23, write: 0x24, bit: 1 },
    Offload { name: "tso", read: 0x1e, write: 0x1f, bit: 1 },
    Offload { name: "sg", read: 0x18, write: 0x19, bit: 1 },
];

/// Asks the card of an interface.
struct Card(Interface);

impl Card {
    /// Carries out a command (`struct ethtool_value`: command and word); the answer is its word.
    fn ask(&self, command: u32, word: u32) -> io::Result<u32> {
        let mut value = [command, word];
        self.0.call(libc::SIOCETHTOOL, &mut value)?;
        Ok(value[1])
    }

    /// Whether an offload is on; one that a card does not know is not.
    fn has(&self, offload: &Offload) -> bool {
        self.ask(offload.read, 0).is_ok_and(|word| word & offload.bit != 0)
    }

    fn set(&self, offload: &Offload, on: Setting) -> io::Result<()> {
        let word = self.ask(offload.read, 0)?;
        let word = match on {
            Setting::On => word | offload.bit,
            Setting::Off => word & !offload.bit,
        };
        self.ask(offload.write, word).map(drop)
    }
}

#[derive(Clone, Copy)]
enum Setting {
    On,
    Off,
}

/// Offloads that were switched off, of one interface.
pub struct SwitchedOff {
    card: Card,
    offloads: Vec<&'static Offload>,
}

impl SwitchedOff {
    /// Switches off the offloads of an interface that change packets and are on. One that cannot be switched off stays.
    pub fn of(interface: &str) -> io::Result<Self> {
        let card = Card(Interface::of(interface)?);
        // All are looked at first: those that need another one go off with it.
        let on: Vec<_> = OFFLOADS.iter().filter(|offload| card.has(offload)).collect();
        let mut refused = None;
        for offload in &on {
            if let Err(error) = card.set(offload, Setting::Off) {
                refused = Some(error);
            }
        }
        let offloads: Vec<_> = on.into_iter().filter(|offload| !card.has(offload)).collect();
        match refused {
            Some(error) if offloads.is_empty() => Err(error),
            _ => Ok(Self { card, offloads }),
        }
    }

    /// Returns their names.
    pub fn names(&self) -> Vec<&'static str> {
        self.offloads.iter().map(|offload| offload.name).collect()
    }

    /// Switches them on again. An interface that is gone needs nothing.
    pub fn put_back(self) {
        for offload in self.offloads.iter().rev() {
            let _ = self.card.set(offload, Setting::On);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_that_are_not_there_have_none() {
        for name in ["no-such-if", "", "a-name-of-sixteen"] {
            assert!(
                SwitchedOff::of(name).is_ok_and(|off| off.names().is_empty()) || name.len() > 15,
                "{name}"
            );
        }
        assert!(SwitchedOff::of("a-name-of-sixteen").is_err());
    }
}
