//! A handle of libpcap: opened, filtered, read without waiting, and counted.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use pcap::{Active, Capture, Device};
use weir_base::Timestamp;
use weir_config::libpcap::PcapSettings;
use weir_packet::LinkType;

use super::link_type;
use crate::SourceError;
use crate::filter::{PacketFilter, reason};
use crate::wait::wait_for_bytes;

/// Bytes of the buffer where the configuration says nothing; elsewhere than on Linux those of libpcap.
const BUFFER_SIZE: u32 = 32 << 20;

/// Milliseconds until a part of the buffer that is not full is handed out.
const TIMEOUT: i32 = 10;

/// All interfaces of Linux as one, which cannot be promiscuous.
const ANY: &str = "any";

/// Wait where the system cannot tell when packets come.
const NAP: Duration = Duration::from_millis(1);

/// Most interfaces that an error lists.
const LISTED: usize = 20;

/// Counts since the last time they were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// Packets, those that were dropped included.
    pub packets: u64,
    /// Packets for which the buffer had no room.
    pub drops: u64,
    /// Packets that the interface lost.
    pub interface_drops: u64,
}

/// Counts as libpcap has them: of 32 bits, which begin anew.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Counts {
    packets: u32,
    drops: u32,
    interface_drops: u32,
}

impl Counts {
    /// Counts what came in since `before`.
    fn since(self, before: Self) -> Totals {
        let grown = |now: u32, before: u32| u64::from(now.wrapping_sub(before));
        Totals {
            packets: grown(self.packets, before.packets),
            drops: grown(self.drops, before.drops),
            interface_drops: grown(self.interface_drops, before.interface_drops),
        }
    }
}

/// What the names of libpcap for the firewall's log begin with.
const FIREWALL: &str = "nflog";

/// A handle on an interface.
pub struct Handle {
    capture: Capture<Active>,
    link: LinkType,
    counts: Counts,
    /// It is that of the firewall's log, of which libpcap takes it for an error that nothing is there.
    is_of_firewall: bool,
}

impl Handle {
    /// Opens one; with it comes a sentence on what it cannot do.
    pub fn open(
        settings: &PcapSettings,
        filter: Option<&PacketFilter>,
    ) -> Result<(Self, Option<String>), SourceError> {
        let name = &settings.interface;
        let failed = |error: pcap::Error| {
            let text = reason(error);
            let remedy = remedy(name, &text).into();
            SourceError::Interface {
                name: name.clone(),
                attempt: "open it with libpcap",
                reason: io::Error::other(text.trim_end_matches('.').to_owned()),
                remedy,
            }
        };
        let promiscuous = settings.promiscuous && name != ANY;
        let (opened, remark) = match activate(settings, promiscuous) {
            // libpcap's warnings come as errors, too.
            Err(error) if promiscuous => match activate(settings, false) {
                Ok(opened) => {
                    let text = reason(error);
                    (Ok(opened), Some(format!("{name} is not promiscuous: {text}.")))
                }
                Err(_) => (Err(error), None),
            },
            outcome => (outcome, None),
        };
        let mut capture = opened.map_err(failed)?;
        let number = capture.get_datalink().0;
        let link = link_type(number).ok_or_else(|| SourceError::Link { name: name.clone(), link: number })?;
        if let Some(filter) = filter {
            // libpcap knows which headers a handle has, tags that the kernel took off included.
            let mut filter = filter.clone();
            let wrong = |reason| SourceError::Filter { path: name.into(), reason };
            filter.check(link).map_err(wrong)?;
            capture.filter(filter.expression(), true).map_err(failed)?;
        }
        let is_of_firewall = name.starts_with(FIREWALL);
        Ok((Self { capture, link, counts: Counts::default(), is_of_firewall }, remark))
    }

    /// The link type of packets.
    pub const fn link_type(&self) -> LinkType {
        self.link
    }

    /// Hands out packets that are there, `max` at most, with their times and lengths on the wire.
    pub fn take(
        &mut self,
        max: usize,
        mut packet: impl FnMut(Timestamp, u32, &[u8]) + Send,
    ) -> Result<(), pcap::Error> {
        if self.is_of_firewall && !self.wait(Duration::ZERO) {
            return Ok(());
        }
        let taken = self.capture.dispatch(Some(max), |found| {
            let seconds = u64::try_from(found.header.ts.tv_sec).unwrap_or(0);
            let microseconds = u32::try_from(found.header.ts.tv_usec).unwrap_or(0);
            packet(Timestamp::new(seconds, microseconds.saturating_mul(1000)), found.header.len, found.data);
        });
        match taken {
            Ok(_) | Err(pcap::Error::NoMorePackets | pcap::Error::TimeoutExpired) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Waits for packets; whether there may be some.
    pub fn wait(&self, patience: Duration) -> bool {
        match descriptor(&self.capture) {
            Some(socket) => wait_for_bytes(&socket, patience).unwrap_or(false),
            None => {
                std::thread::sleep(NAP.min(patience));
                true
            }
        }
    }

    /// Takes the counts.
    pub fn take_counts(&mut self) -> Totals {
        let Ok(stat) = self.capture.stats() else { return Totals::default() };
        let counts = Counts { packets: stat.received, drops: stat.dropped, interface_drops: stat.if_dropped };
        let totals = counts.since(self.counts);
        self.counts = counts;
        totals
    }
}

fn activate(settings: &PcapSettings, promiscuous: bool) -> Result<Capture<Active>, pcap::Error> {
    let usual = cfg!(target_os = "linux").then_some(BUFFER_SIZE);
    let mut capture = Capture::from_device(settings.interface.as_str())?
        .promisc(promiscuous)
        .snaplen(settings.snapshot_length as i32)
        .timeout(TIMEOUT);
    if let Some(bytes) = settings.buffer_size.or(usual) {
        capture = capture.buffer_size(i32::try_from(bytes).unwrap_or(i32::MAX));
    }
    capture.open()?.setnonblock()
}

/// Returns what the system waits by, if it can.
#[allow(unsafe_code, reason = "the safe way panics where there is none")]
fn descriptor(capture: &Capture<Active>) -> Option<BorrowedFd<'_>> {
    unsafe extern "C" {
        fn pcap_get_selectable_fd(handle: *mut libc::c_void) -> libc::c_int;
    }
    // SAFETY: the handle is open while the capture is borrowed, and the call only reads it.
    let number = unsafe { pcap_get_selectable_fd(capture.as_ptr().cast()) };
    // SAFETY: the number is that of a file that the handle keeps open while it is borrowed.
    (number >= 0).then(|| unsafe { BorrowedFd::borrow_raw(number) })
}

/// Returns the remedy for an error of libpcap, as a sentence behind a space.
fn remedy(name: &str, text: &str) -> String {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["ermission", "not permitted", "CAP_NET_RAW"]) {
        return if cfg!(target_os = "linux") {
            " Start it as root, or with the capabilities: `setcap cap_net_raw,cap_net_admin+ep` on the program."
                .to_owned()
        } else {
            " Start it as root, or have the system let you read /dev/bpf*.".to_owned()
        };
    }
    if has(&["not up"]) {
        return format!(" `ip link set {name} up` has it take packets in.");
    }
    let names: Vec<String> =
        Device::list().unwrap_or_default().into_iter().map(|device| device.name).collect();
    if names.is_empty() || names.iter().any(|known| known == name) {
        return String::new();
    }
    let more = if names.len() > LISTED { ", …" } else { "" };
    let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    format!(" There are {listed}{more}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_where_those_of_32_bits_begin_anew() {
        let counts = |packets, drops| Counts { packets, drops, interface_drops: 0 };
        let totals = |packets, drops| Totals { packets, drops, interface_drops: 0 };
        for (before, now, expected) in [
            (counts(0, 0), counts(7, 1), totals(7, 1)),
            (counts(7, 1), counts(7, 1), totals(0, 0)),
            (counts(u32::MAX - 1, u32::MAX), counts(3, 0), totals(5, 1)),
        ] {
            assert_eq!(now.since(before), expected, "{before:?} {now:?}");
        }
    }

    #[test]
    fn remedies() {
        for (text, part) in [
            (
                "You don't have permission to perform this capture",
                if cfg!(target_os = "linux") { "setcap" } else { "root" },
            ),
            ("That device is not up", "`ip link set no-such-if up`"),
        ] {
            assert!(remedy("no-such-if", text).contains(part), "{text}");
        }
        let listed = remedy("no-such-if", "No such device exists");
        assert!(listed.is_empty() || listed.starts_with(" There are "), "{listed}");
    }
}
