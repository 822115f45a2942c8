//! The program at an interface that hands packets to sockets by the queue they came in by, and the map of these sockets.
//!
//! The program is joined to the interface by a link, which ends with its file, and so with the process at the latest: this
//! needs Linux 5.9. Packets of queues without a socket go on to the system.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use weir_config::af_xdp::XdpMode;

use crate::sources::af_packet::socket::{Fault, fault};
use crate::sources::bpf::assembler::{Assembler, Instruction, Operation, Register, Test, Width};
use crate::sources::bpf::{self, MapKind, ProgramKind, XdpPlace};

/// Places in what the program is given (`struct xdp_md`): where the packet begins, the bytes of the program's own before it,
/// and the number of the queue.
const DATA: i16 = 0;
const DATA_META: i16 = 8;
const QUEUE_INDEX: i16 = 16;
/// The function that tells nanoseconds since the system was started (`bpf_ktime_get_ns`).
const TIME: i32 = 5;
/// The function that hands a packet to a socket of a map (`bpf_redirect_map`).
const REDIRECT: i32 = 51;
/// The function that moves where the bytes before the packet begin (`bpf_xdp_adjust_meta`).
const ADJUST_META: i32 = 54;
/// Fate of packets without a socket (`XDP_PASS`).
const PASS: i32 = 2;

/// The word that says that the one behind it, just before a packet, is the time at which the program had the packet.
pub const STAMP: u64 = u64::from_ne_bytes(*b"\x9dWEIR\xd7at");

/// Bytes of the two.
const STAMP_BYTES: i32 = 16;

/// The program, for a map: puts the time before the packet where the driver leaves room, and hands it to the socket of its queue.
fn program(map: &OwnedFd) -> Option<Vec<Instruction>> {
    let mut p = Assembler::default();
    p.by(Operation::Set, Register::R6, Register::R1);
    p.call(TIME);
    p.by(Operation::Set, Register::R7, Register::R0);
    p.by(Operation::Set, Register::R1, Register::R6);
    p.with(Operation::Set, Register::R2, -STAMP_BYTES);
    p.call(ADJUST_META);
    p.when(Register::R0, Test::Differ, 0, "redirect");
    p.load(Width::Word, Register::R2, Register::R6, DATA_META);
    p.load(Width::Word, Register::R3, Register::R6, DATA);
    p.by(Operation::Set, Register::R4, Register::R2);
    p.with(Operation::Add, Register::R4, STAMP_BYTES);
    p.when_by(Register::R4, Test::Greater, Register::R3, "redirect");
    p.set_wide(Register::R0, STAMP);
    p.store(Width::Double, Register::R2, 0, Register::R0);
    p.store(Width::Double, Register::R2, 8, Register::R7);
    p.label("redirect");
    p.load(Width::Word, Register::R2, Register::R6, QUEUE_INDEX);
    p.set_map(Register::R1, map);
    p.with(Operation::Set, Register::R3, PASS);
    p.call(REDIRECT);
    p.exit();
    p.finish()
}

/// The place at which packets are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The driver, or the kernel where the driver cannot.
    AtOnce,
    /// The kernel, as the driver refused.
    ByKernel,
}

/// A program at an interface. It is gone when this is dropped.
pub struct Hook {
    index: i32,
    map: OwnedFd,
    _link: OwnedFd,
    taken: Taken,
}

impl Hook {
    /// Puts one at the interface of a number, for so many queues.
    pub fn new(index: i32, queues: u32, mode: XdpMode) -> Result<Self, Fault> {
        let map =
            bpf::make_map(MapKind::XdpSockets, 4, queues).map_err(fault("make the map of its sockets"))?;
        let loaded = bpf::load(ProgramKind::Xdp, &program(&map).unwrap_or_default())
            .map_err(fault("load the program that hands packets to sockets"))?;
        let join = |place| bpf::attach_xdp(&loaded, index, place);
        let (link, taken) = match mode {
            XdpMode::Driver => (join(XdpPlace::Driver), Taken::AtOnce),
            XdpMode::Kernel => (join(XdpPlace::Kernel), Taken::AtOnce),
            XdpMode::Either => match join(XdpPlace::Either) {
                // Its driver can in principle; long packets or settings of the card stand against it.
                Err(error) if error.raw_os_error() != Some(libc::EBUSY) => match join(XdpPlace::Kernel) {
                    Ok(link) => (Ok(link), Taken::ByKernel),
                    Err(_) => (Err(error), Taken::AtOnce),
                },
                outcome => (outcome, Taken::AtOnce),
            },
        };
        let link = link.map_err(fault("put a program at it"))?;
        Ok(Self { index, map, _link: link, taken })
    }

    /// The number of the interface.
    pub const fn index(&self) -> i32 {
        self.index
    }

    /// The place at which packets are taken.
    pub const fn taken(&self) -> Taken {
        self.taken
    }

    /// Has packets of a queue go to a socket.
    pub fn let_in(&self, queue: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
        bpf::put_socket(&self.map, queue, socket)
    }
}
