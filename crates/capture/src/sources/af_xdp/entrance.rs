//! The part of an interface that all threads on it share: the program at it, its promiscuous mode, and the polling of its
//! card. All of it ends with the last of them.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use weir_config::af_xdp::{AfXdpSettings, BusyPoll};

use super::program::{Hook, Taken};
use crate::SourceError;
use crate::sources::af_packet::socket::{self, Fault, PacketSocket, fault};

/// Settings of the card for polling by threads, which the system keeps in files.
struct Tuning {
    /// Files that were written, and what stood there before.
    before: Vec<(PathBuf, String)>,
}

impl Tuning {
    /// Sets those of an interface; with it come sentences on what cannot be set.
    fn new(interface: &str, poll: &BusyPoll) -> (Self, Vec<String>) {
        let mut tuning = Self { before: Vec::new() };
        let mut remarks = Vec::new();
        for (file, value) in
            [("gro_flush_timeout", poll.flush_timeout), ("napi_defer_hard_irqs", poll.deferred_interrupts)]
        {
            let path = PathBuf::from("/sys/class/net").join(interface).join(file);
            let written = fs::read_to_string(&path).and_then(|before| {
                fs::write(&path, value.to_string())?;
                Ok(before)
            });
            match written {
                Ok(before) => tuning.before.push((path, before)),
                Err(error) => remarks.push(format!(
                    "{} cannot be set, so that {interface} interrupts as it did before: {error}.",
                    path.display()
                )),
            }
        }
        (tuning, remarks)
    }
}

impl Drop for Tuning {
    fn drop(&mut self) {
        for (path, before) in &self.before {
            // The interface may be gone.
            let _ = fs::write(path, before.trim());
        }
    }
}

/// The shared part of an interface that is there.
pub struct Entrance {
    hook: Hook,
    /// Holds the interface promiscuous.
    _promiscuous: Option<PacketSocket>,
    _tuning: Option<Tuning>,
}

impl Entrance {
    fn new(index: i32, queues: u32, settings: &AfXdpSettings) -> Result<(Self, Vec<String>), Fault> {
        let mut remarks = Vec::new();
        let mut bound = PacketSocket::open()?;
        bound.bind(&settings.interface)?;
        if !matches!(bound.bound().hardware, libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK) {
            let reason = io::Error::other("it is not of Ethernet");
            return Err(fault("take frames of it")(reason));
        }
        if settings.promiscuous {
            bound.be_promiscuous()?;
        }
        let hook = Hook::new(index, queues, settings.mode)?;
        if hook.taken() == Taken::ByKernel {
            remarks.push(format!(
                "The driver of {} takes no program, so that packets are handed out by the kernel, which is slower: an MTU \
                 above 3500 or offloads may be the reason. `force-xdp-mode: skb` says that this is wanted.",
                settings.interface
            ));
        }
        let tuning = settings.busy_poll.as_ref().map(|poll| Tuning::new(&settings.interface, poll));
        let tuning = tuning.map(|(tuning, problems)| {
            remarks.extend(problems);
            tuning
        });
        let promiscuous = settings.promiscuous.then_some(bound);
        Ok((Self { hook, _promiscuous: promiscuous, _tuning: tuning }, remarks))
    }

    /// The program.
    pub const fn hook(&self) -> &Hook {
        &self.hook
    }
}

/// An interface, for all threads on it.
pub struct Shared {
    settings: AfXdpSettings,
    queues: u32,
    entrance: Mutex<Weak<Entrance>>,
}

impl Shared {
    /// One that nobody listens on yet.
    pub const fn new(settings: AfXdpSettings, queues: u32) -> Self {
        Self { settings, queues, entrance: Mutex::new(Weak::new()) }
    }

    /// Its settings.
    pub const fn settings(&self) -> &AfXdpSettings {
        &self.settings
    }

    /// Whether it is there, by its number.
    pub fn is_there(&self, index: i32) -> bool {
        socket::index_of(&self.settings.interface).is_ok_and(|found| found == index)
    }

    /// Returns what is shared of it, for the interface that has its name now. With what is new come sentences.
    pub fn entrance(&self) -> Result<(Arc<Entrance>, Vec<String>), SourceError> {
        let index = socket::index_of(&self.settings.interface).map_err(fault("find it"));
        let index = index.map_err(|fault| self.fault(fault))?;
        let mut known = self.entrance.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entrance) = known.upgrade().filter(|entrance| entrance.hook.index() == index) {
            return Ok((entrance, Vec::new()));
        }
        let (entrance, remarks) =
            Entrance::new(index, self.queues, &self.settings).map_err(|fault| self.fault(fault))?;
        let entrance = Arc::new(entrance);
        *known = Arc::downgrade(&entrance);
        Ok((entrance, remarks))
    }

    /// The error that a call of the system failed.
    pub fn fault(&self, fault: Fault) -> SourceError {
        let remedy = remedy(&fault.reason).into();
        let name = self.settings.interface.clone();
        SourceError::Interface { name, attempt: fault.attempt, reason: fault.reason, remedy }
    }
}

/// Remedy for an error of the system, as a sentence behind a space.
fn remedy(reason: &io::Error) -> &'static str {
    match reason.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            " Start it as root, or with the capabilities: `setcap cap_net_raw,cap_net_admin,cap_bpf+ep` on the program."
        }
        Some(libc::ENODEV | libc::ENXIO) => " `ip link` lists the interfaces.",
        Some(libc::EBUSY) => {
            " Another program of XDP is at it, or another process has its queue: `ip link show` tells which."
        }
        Some(libc::EOPNOTSUPP) => {
            " Its driver cannot: `force-xdp-mode: none` and `force-bind-mode: none` leave the way to the system."
        }
        Some(libc::ENOMEM | libc::ENOBUFS) => {
            " 64 MiB are needed for each queue, locked in memory: see `ulimit -l`."
        }
        Some(libc::EINVAL | libc::EAFNOSUPPORT) => " Linux 5.9 is the earliest that can.",
        _ => "",
    }
}
