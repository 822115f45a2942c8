//! Facts on an interface from files of the system (`/sys/class/net` of Linux): whether it is up, its address, and whether a
//! card is behind it. Elsewhere there are none.

use std::fs;
use std::path::PathBuf;

use weir_config::interfaces::CardChecksums;
use weir_packet::LinkType;

use crate::source::Checksums;

/// The flag of an interface that is up (`IFF_UP`).
const UP: u32 = 1;

/// Bytes of an Ethernet address, which stand in a frame behind those of the receiver's.
const ADDRESS_LENGTH: usize = 6;

/// The driver of cards that virtual machines have: they pass on what another system left to its card.
const VIRTUAL_DRIVER: &str = "virtio_net";

/// The folder of an interface, if its name can be that of one.
fn folder(interface: &str) -> Option<PathBuf> {
    let is_name = !interface.is_empty() && !interface.starts_with('.') && !interface.contains('/');
    is_name.then(|| PathBuf::from("/sys/class/net").join(interface))
}

/// Returns whether an interface is up, where that is told.
pub fn is_up(interface: &str) -> Option<bool> {
    let text = fs::read_to_string(folder(interface)?.join("flags")).ok()?;
    let flags = u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()?;
    Some(flags & UP != 0)
}

/// Returns the number of queues by which an interface receives, where that is told.
#[cfg(target_os = "linux")]
pub fn queues(interface: &str) -> Option<usize> {
    let entries = fs::read_dir(folder(interface)?.join("queues")).ok()?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let queues = names.filter(|name| name.to_string_lossy().starts_with("rx-")).count();
    (queues > 0).then_some(queues)
}

/// Returns whether a card is behind an interface, which has seen checksums that are filled in.
fn has_card(interface: &str) -> bool {
    let Some(folder) = folder(interface) else { return false };
    if !cfg!(target_os = "linux") {
        return true;
    }
    let driver = fs::read_link(folder.join("device/driver"));
    let is_virtual = driver.is_ok_and(|path| path.ends_with(VIRTUAL_DRIVER));
    folder.join("device").exists() && !is_virtual
}

/// Returns the Ethernet address of an interface, where it has one.
fn address(interface: &str) -> Option<[u8; ADDRESS_LENGTH]> {
    let text = fs::read_to_string(folder(interface)?.join("address")).ok()?;
    let mut address = [0; ADDRESS_LENGTH];
    let mut parts = text.trim().split(':');
    for byte in &mut address {
        *byte = u8::from_str_radix(parts.next()?, 16).ok()?;
    }
    (parts.next().is_none() && address != [0; ADDRESS_LENGTH]).then_some(address)
}

/// Checksums of an interface of which the kernel does not tell the ones that are not filled in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// All are taken for it.
    All,
    /// Those of packets that others sent: this machine leaves its own to the card with this address.
    OfOthers([u8; ADDRESS_LENGTH]),
    /// None is.
    Nothing,
}

impl Filled {
    /// Those of an interface, by its settings.
    pub fn of(interface: &str, checks: CardChecksums) -> Self {
        match checks {
            CardChecksums::Yes => Self::All,
            CardChecksums::No => Self::Nothing,
            CardChecksums::Auto if has_card(interface) => {
                address(interface).map_or(Self::All, Self::OfOthers)
            }
            CardChecksums::Auto => Self::Nothing,
        }
    }

    /// Those of a packet.
    #[inline]
    pub fn in_packet(self, link: LinkType, bytes: &[u8]) -> Checksums {
        match self {
            Self::All => Checksums::Filled,
            Self::Nothing => Checksums::Unfilled,
            Self::OfOthers(own) => {
                let sender = bytes.get(ADDRESS_LENGTH..2 * ADDRESS_LENGTH);
                let is_own = link == LinkType::ETHERNET && sender == Some(&own[..]);
                if is_own { Checksums::Unfilled } else { Checksums::Filled }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_the_loopback() {
        // Systems without these files tell nothing of it.
        let is_told = is_up("lo").is_some();
        assert_eq!(is_told, folder("lo").is_some_and(|folder| folder.exists()));
        #[cfg(target_os = "linux")]
        assert_eq!((queues("lo"), has_card("lo")), (is_told.then_some(1), false));
        for name in ["", "..", "../lo", "no-such-if"] {
            assert_eq!((is_up(name), address(name)), (None, None), "{name}");
        }
    }

    #[test]
    fn checksums_by_who_sent_a_packet() {
        let own = [2, 0, 0, 0, 0, 1];
        let frame = |sender: [u8; 6]| [&[9; 6][..], &sender, &[8, 0]].concat();
        for (filled, link, sender, expected) in [
            (Filled::All, LinkType::ETHERNET, own, Checksums::Filled),
            (Filled::Nothing, LinkType::ETHERNET, [7; 6], Checksums::Unfilled),
            (Filled::OfOthers(own), LinkType::ETHERNET, own, Checksums::Unfilled),
            (Filled::OfOthers(own), LinkType::ETHERNET, [7; 6], Checksums::Filled),
            (Filled::OfOthers(own), LinkType::RAW, own, Checksums::Filled),
        ] {
            assert_eq!(filled.in_packet(link, &frame(sender)), expected, "{filled:?}");
        }
        assert_eq!(Filled::of("lo", CardChecksums::Yes), Filled::All);
        assert_eq!(Filled::of("no-such-if", CardChecksums::No), Filled::Nothing);
    }
}
