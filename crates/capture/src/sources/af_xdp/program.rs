//! The program at an interface that hands packets to sockets by the queue they came in by, and the map of these sockets.
//!
//! The program is joined to the interface by a link, which ends with its file, and so with the process at the latest: this
//! needs Linux 5.9. Packets of queues without a socket go on to the system.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use weir_config::af_xdp::XdpMode;

use crate::sources::af_packet::socket::{Fault, fault};
use crate::sources::bpf::assembler::{Assembler, Instruction, Operation, Register, Width};
use crate::sources::bpf::{self, MapKind, ProgramKind, XdpPlace};

/// Where the number of the queue stands in what the program is given (`struct xdp_md`).
const QUEUE_INDEX: i16 = 16;
/// The function that hands a packet to a socket of a map (`bpf_redirect_map`).
const REDIRECT: i32 = 51;
/// Fate of packets without a socket (`XDP_PASS`).
const PASS: i32 = 2;

/// The program, for a map: `return redirect_map(&map, queue, PASS)`.
fn program(map: &OwnedFd) -> Option<Vec<Instruction>> {
    let mut p = Assembler::default();
    p.load(Width::Word, Register::R2, Register::R1, QUEUE_INDEX);
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
