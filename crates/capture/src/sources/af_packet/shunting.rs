//! The kernel's part in bypass, of an interface: the table, the filter of its sockets that drops what is there, and, where it
//! is asked for, a program before the system.

use std::io;
use std::os::fd::OwnedFd;

use weir_config::af_xdp::XdpMode;
use weir_packet::LinkType;

use super::device::Device;
use super::fanout::TunnelPorts;
use crate::shunt::program::{Beginning, Interface, Made};
use crate::shunt::{Shunt, Tracking};
use crate::sources::bpf::{self, ProgramKind, XdpPlace};

/// Table and programs of an interface.
pub struct Shunting {
    table: Made,
    program: OwnedFd,
    _at_interface: Option<OwnedFd>,
}

impl Shunting {
    /// Makes those of the interface of a number. Where that cannot be had, flows are bypassed by the workers, which a sentence
    /// says.
    pub fn at(
        device: &Device,
        index: i32,
        tunnels: &TunnelPorts,
        tracking: Tracking,
    ) -> (Option<Self>, Option<String>) {
        let name = &device.settings.interface;
        let refused = |error: io::Error| {
            let remedy = match error.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => {
                    " Root may, or the capabilities: `setcap cap_net_raw,cap_net_admin,cap_bpf+ep` on the program."
                }
                _ => "",
            };
            format!(
                "The kernel takes no program that drops bypassed flows of {name}, so that Weir passes them over: {error}.{remedy}"
            )
        };
        let beginning = match device.link_type {
            LinkType::ETHERNET => Beginning::Ethernet,
            LinkType::RAW => Beginning::Ip,
            _ => {
                let sentence = format!(
                    "Weir passes bypassed flows of {name} over, for the kernel drops none of its kind of link."
                );
                return (None, Some(sentence));
            }
        };
        let filter = device.kernel_filter();
        let interface = Interface { beginning, tunnels, tracking, filter: &filter };
        let made = Made::new().and_then(|table| {
            let program = table.load(ProgramKind::SocketFilter, &interface)?;
            Ok((table, program))
        });
        let (table, program) = match made {
            Ok(made) => made,
            Err(error) => return (None, Some(refused(error))),
        };
        let (at_interface, told) = match device.settings.xdp {
            None => (None, None),
            Some(mode) => match before_system(&table, &interface, index, mode) {
                Ok(link) => (Some(link), None),
                Err(error) => {
                    let sentence = format!(
                        "There is no program of XDP at {name}, so that bypassed flows are dropped at its sockets: {error}."
                    );
                    (None, Some(sentence))
                }
            },
        };
        (Some(Self { table, program, _at_interface: at_interface }), told)
    }

    /// The filter of sockets.
    pub const fn program(&self) -> &OwnedFd {
        &self.program
    }

    /// The table.
    pub fn shunt(&self) -> Shunt {
        self.table.shunt.clone()
    }
}

/// Puts the program at the interface.
fn before_system(table: &Made, interface: &Interface<'_>, index: i32, mode: XdpMode) -> io::Result<OwnedFd> {
    if interface.beginning != Beginning::Ethernet {
        return Err(io::Error::other("it is not of Ethernet"));
    }
    let program = table.load(ProgramKind::Xdp, interface)?;
    let place = match mode {
        XdpMode::Either => XdpPlace::Either,
        XdpMode::Driver => XdpPlace::Driver,
        XdpMode::Kernel => XdpPlace::Kernel,
    };
    bpf::attach_xdp(&program, index, place)
}
