//! Packets of sockets without a ring: taken in and sent many at a time.
//!
//! With each packet goes what the kernel says of it (`struct virtio_net_hdr`): that its checksum is to be filled in, and
//! how it is to be divided. A packet that was put together from many, or is to be divided by the card that sends it, so is
//! forwarded as it is.
#![allow(unsafe_code, reason = "many messages at a time have no safe interface")]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::AsRawFd;

use weir_base::Timestamp;
use weir_config::af_packet::ChecksumChecks;
use weir_packet::LinkType;

use super::block::{ADDRESSES_LENGTH, TAG_LENGTH, Tag};
use super::socket::PacketSocket;
use crate::source::{Checksums, PacketSlot};

/// Packets that are taken in, or sent, at a time.
pub const BATCH: usize = 64;

/// Longest frame: 64 KiB of IP, with link layer and tags.
const LONGEST: usize = (64 << 10) + 64;

/// Bytes before a frame: a tag that the kernel took off finds room there.
const HEAD: usize = 18;

/// Bytes from one frame's room to that of the next one.
const STRIDE: usize = (HEAD + LONGEST).next_multiple_of(64);

/// Bytes for what the kernel says beside a packet.
const CONTROL: usize = 96;

/// Bytes of the header before an entry of it (`struct cmsghdr`).
const ENTRY_HEADER: usize = 16;

/// Bits of a packet's status (`struct tpacket_auxdata`): a tag was taken off, whose type is told.
const HAD_TAG: u32 = 1 << 4;
const TAG_TYPE_TOLD: u32 = 1 << 6;

/// Flag of a header: the checksum is to be filled in.
const CHECKSUM_MISSING: u8 = 1;

/// The kernel's word on a packet (`struct virtio_net_hdr`).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct Offload {
    flags: u8,
    /// The way in which it is to be divided; zero for not at all.
    kind: u8,
    /// Bytes of its headers.
    headers: u16,
    /// Bytes of a part.
    part: u16,
    /// Where the checksum begins to count.
    checksum_from: u16,
    /// Where it stands, from there.
    checksum_at: u16,
}

impl Offload {
    /// The kernel's word on a packet with nothing left to do.
    pub const NOTHING: Self =
        Self { flags: 0, kind: 0, headers: 0, part: 0, checksum_from: 0, checksum_at: 0 };

    /// Where the checksum of the frame is to be filled in, if it is.
    pub fn missing_checksum(&self) -> Option<usize> {
        let at = usize::from(self.checksum_from) + usize::from(self.checksum_at);
        (self.flags & CHECKSUM_MISSING != 0).then_some(at)
    }

    /// A tag was put before what it counts from.
    fn shift(&mut self) {
        let longer = TAG_LENGTH as u16;
        if self.headers != 0 {
            self.headers = self.headers.saturating_add(longer);
        }
        if self.flags & CHECKSUM_MISSING != 0 {
            self.checksum_from = self.checksum_from.saturating_add(longer);
        }
    }
}

/// Room for what the kernel says beside a packet.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

/// A packet that was taken in.
#[derive(Clone, Copy, Default, Debug)]
struct Taken {
    /// Bytes of the frame.
    length: usize,
    /// Bytes of what was said beside it.
    control: usize,
    /// It was longer than its room.
    cut: bool,
}

/// The packets that were taken in last.
pub struct Inbox {
    room: Vec<u8>,
    offloads: Vec<Offload>,
    controls: Vec<Control>,
    taken: Vec<Taken>,
}

impl Inbox {
    /// An empty one.
    pub fn new() -> Self {
        Self {
            room: vec![0; STRIDE * BATCH],
            offloads: vec![Offload::NOTHING; BATCH],
            controls: vec![Control([0; CONTROL]); BATCH],
            taken: Vec::with_capacity(BATCH),
        }
    }

    /// Takes in the packets that are there, at most so many; the answer is their number.
    pub fn take(&mut self, socket: &PacketSocket, max: usize) -> io::Result<usize> {
        self.taken.clear();
        let count = max.min(BATCH);
        let nothing = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };
        let mut parts = [[nothing; 2]; BATCH];
        // SAFETY: all of the structure may be zero.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
        let rooms = self.room.chunks_exact_mut(STRIDE).zip(&mut self.offloads).zip(&mut self.controls);
        let slots = messages.iter_mut().zip(&mut parts);
        for ((message, parts), ((room, offload), control)) in slots.zip(rooms).take(count) {
            let frame = room.get_mut(HEAD..).unwrap_or_default();
            *parts = [
                libc::iovec { iov_base: (&raw mut *offload).cast(), iov_len: size_of::<Offload>() },
                libc::iovec { iov_base: frame.as_mut_ptr().cast(), iov_len: frame.len() },
            ];
            let header = &mut message.msg_hdr;
            (header.msg_iov, header.msg_iovlen) = (parts.as_mut_ptr(), 2);
            (header.msg_control, header.msg_controllen) = ((&raw mut *control).cast(), CONTROL as _);
        }
        // SAFETY: as many messages are named as were pointed at room of the lengths that they name, all of which lives
        // until the call is over, and any bytes are valid in it.
        let got = unsafe {
            libc::recvmmsg(
                socket.as_raw_fd(),
                messages.as_mut_ptr(),
                count as libc::c_uint,
                libc::MSG_DONTWAIT as _,
                std::ptr::null_mut(),
            )
        };
        let got = usize::try_from(got).map_err(|_| io::Error::last_os_error())?;
        self.taken.extend(messages.iter().take(got).map(|message| Taken {
            length: (message.msg_len as usize).saturating_sub(size_of::<Offload>()),
            control: message.msg_hdr.msg_controllen as _,
            cut: message.msg_hdr.msg_flags & libc::MSG_TRUNC != 0,
        }));
        Ok(self.taken.len())
    }

    /// All the room, in which slots are.
    pub fn bytes(&self) -> &[u8] {
        &self.room
    }

    /// The frame at a slot, to be changed.
    pub fn frame_mut(&mut self, slot: &PacketSlot) -> &mut [u8] {
        self.room.get_mut(slot.start..slot.start + slot.length as usize).unwrap_or_default()
    }

    /// The kernel's word on a packet; none for one that was cut off and cannot go on.
    pub fn offload(&self, index: usize) -> Option<&Offload> {
        let whole = self.taken.get(index).is_some_and(|taken| !taken.cut);
        self.offloads.get(index).filter(|_| whole)
    }

    /// Returns where a packet is, with its tag put back.
    pub fn slot(&mut self, index: usize, link: LinkType, checks: ChecksumChecks) -> Option<PacketSlot> {
        let taken = *self.taken.get(index)?;
        let offload = self.offloads.get_mut(index)?;
        let said = Said::of(self.controls.get(index)?.0.get(..taken.control.min(CONTROL))?);
        let slot = PacketSlot {
            start: index * STRIDE + HEAD,
            length: taken.length as u32,
            wire_length: said.wire_length.max(taken.length as u32),
            time: said.time,
            interface: 0,
            link,
            checksums: match checks {
                ChecksumChecks::Kernel if offload.missing_checksum().is_none() => Checksums::Filled,
                ChecksumChecks::Yes => Checksums::Filled,
                ChecksumChecks::Kernel | ChecksumChecks::No => Checksums::Unfilled,
            },
        };
        let tag = said.tag.filter(|_| link == LinkType::ETHERNET && taken.length >= ADDRESSES_LENGTH);
        let Some(tag) = tag else { return Some(slot) };
        let tagged = tag.put_back(&mut self.room, &slot, slot.start - HEAD)?;
        offload.shift();
        Some(tagged)
    }
}

/// The facts that the kernel tells beside a packet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Said {
    time: Timestamp,
    wire_length: u32,
    tag: Option<Tag>,
}

impl Said {
    /// Reads the entries of a control message.
    fn of(mut control: &[u8]) -> Self {
        let mut said = Self::default();
        while let (Some(length), Some(level), Some(kind)) =
            (control.first_chunk(), word(control, 8), word(control, 12))
        {
            let length = u64::from_ne_bytes(*length) as usize;
            let Some(entry) = control.get(ENTRY_HEADER..length) else { break };
            match (level as libc::c_int, kind as libc::c_int) {
                (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                    let seconds = entry.first_chunk().map_or(0, |bytes| i64::from_ne_bytes(*bytes));
                    let nanoseconds = word(entry, 8).unwrap_or(0);
                    said.time = Timestamp::new(seconds.max(0) as u64, nanoseconds);
                }
                (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                    let status = word(entry, 0).unwrap_or(0);
                    said.wire_length = word(entry, 4).unwrap_or(0);
                    let half = |at| entry.get(at..)?.first_chunk().map(|half| u16::from_ne_bytes(*half));
                    said.tag = (status & HAD_TAG != 0).then(|| Tag {
                        kind: half(18).filter(|_| status & TAG_TYPE_TOLD != 0).unwrap_or(Tag::VLAN),
                        value: half(16).unwrap_or(0),
                    });
                }
                _ => {}
            }
            control = control.get(length.next_multiple_of(8)..).unwrap_or_default();
        }
        said
    }
}

/// A word in this machine's order.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_ne_bytes(*word))
}

/// Sends frames; the answer is how many could not be sent.
pub fn send<'a>(socket: &PacketSocket, mut frames: impl Iterator<Item = (&'a Offload, &'a [u8])>) -> u64 {
    let mut failed = 0;
    loop {
        let nothing = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };
        let mut parts = [[nothing; 2]; BATCH];
        // SAFETY: all of the structure may be zero.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
        let mut count = 0;
        for ((message, parts), (offload, frame)) in
            messages.iter_mut().zip(&mut parts).zip(frames.by_ref().take(BATCH))
        {
            // The kernel reads them only.
            *parts = [
                libc::iovec {
                    iov_base: std::ptr::from_ref(offload).cast_mut().cast(),
                    iov_len: size_of::<Offload>(),
                },
                libc::iovec { iov_base: frame.as_ptr().cast_mut().cast(), iov_len: frame.len() },
            ];
            (message.msg_hdr.msg_iov, message.msg_hdr.msg_iovlen) = (parts.as_mut_ptr(), 2);
            count += 1;
        }
        failed += send_all(socket, messages.get_mut(..count).unwrap_or_default());
        if count < BATCH {
            return failed;
        }
    }
}

/// Sends messages, which point at memory that lives; the answer is how many could not be sent.
fn send_all(socket: &PacketSocket, mut messages: &mut [libc::mmsghdr]) -> u64 {
    let mut failed = 0;
    while !messages.is_empty() {
        let count = messages.len() as libc::c_uint;
        // SAFETY: each message points at two parts, of the lengths that they name, which the caller borrows.
        let sent = unsafe { libc::sendmmsg(socket.as_raw_fd(), messages.as_mut_ptr(), count, 0) };
        let done = match usize::try_from(sent) {
            Ok(sent) => sent.max(1),
            Err(_) => match io::Error::last_os_error().kind() {
                io::ErrorKind::Interrupted => 0,
                // The queue of the interface did not empty for a while: nothing more will go.
                io::ErrorKind::WouldBlock => {
                    failed += u64::from(count);
                    messages.len()
                }
                _ => {
                    failed += 1;
                    1
                }
            },
        };
        messages = messages.get_mut(done..).unwrap_or_default();
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(level: libc::c_int, kind: libc::c_int, data: &[u8]) -> Vec<u8> {
        let mut entry = ((ENTRY_HEADER + data.len()) as u64).to_ne_bytes().to_vec();
        entry.extend(level.to_ne_bytes());
        entry.extend(kind.to_ne_bytes());
        entry.extend(data);
        entry.resize(entry.len().next_multiple_of(8), 0);
        entry
    }

    fn control() -> Vec<u8> {
        let time = [5i64.to_ne_bytes(), 7i64.to_ne_bytes()].concat();
        let mut data = Vec::new();
        for value in [HAD_TAG | TAG_TYPE_TOLD, 1500, 1500] {
            data.extend(value.to_ne_bytes());
        }
        for half in [0u16, 0, 9, 0x88a8] {
            data.extend(half.to_ne_bytes());
        }
        [
            entry(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &time),
            entry(libc::SOL_PACKET, libc::PACKET_AUXDATA, &data),
        ]
        .concat()
    }

    #[test]
    fn what_the_kernel_says_beside_a_packet() {
        let said = Said::of(&control());
        let tag = Some(Tag { kind: 0x88a8, value: 9 });
        assert_eq!(said, Said { time: Timestamp::new(5, 7), wire_length: 1500, tag });
        let whole = control();
        for end in 0..whole.len() {
            Said::of(&whole[..end]);
        }
    }

    #[test]
    fn a_tag_moves_what_is_counted_from_the_beginning() {
        let mut inbox = Inbox::new();
        let control = control();
        inbox.controls[1].0[..control.len()].copy_from_slice(&control);
        inbox.taken = vec![Taken { length: 60, control: control.len(), cut: false }; 2];
        inbox.taken[0].control = 0;
        let mut offload = Offload { flags: CHECKSUM_MISSING, headers: 54, ..Offload::NOTHING };
        (offload.checksum_from, offload.checksum_at) = (34, 16);
        inbox.offloads[1] = offload;
        let frame: Vec<u8> = (0..60).collect();
        inbox.room[STRIDE + HEAD..][..60].copy_from_slice(&frame);
        let slot = inbox.slot(1, LinkType::ETHERNET, ChecksumChecks::Kernel).expect("a slot");
        assert_eq!((slot.length, slot.wire_length, slot.checksums), (64, 1504, Checksums::Unfilled));
        let tagged = [&frame[..12], &[0x88, 0xa8, 0, 9], &frame[12..]].concat();
        assert_eq!(inbox.frame_mut(&slot), tagged);
        let offload = inbox.offload(1).expect("whole");
        assert_eq!((offload.missing_checksum(), offload.headers), (Some(54), 58));
        let plain = inbox.slot(0, LinkType::ETHERNET, ChecksumChecks::Kernel).expect("a slot");
        assert_eq!((plain.length, plain.checksums), (60, Checksums::Filled));
        inbox.taken[0].cut = true;
        assert_eq!(inbox.offload(0), None);
    }
}
