//! Requests to a run while it lasts: by signals, or by whoever started it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Requests to a run. The reader looks at them between batches of packets.
#[derive(Clone, Default, Debug)]
pub struct Requests {
    /// Reading is to stop, and the run to end in order.
    pub stop: Arc<AtomicBool>,
    /// Logs that were moved away are to be opened anew.
    pub reopen: Arc<AtomicBool>,
    /// Rules are to be loaded again.
    pub reload: Arc<AtomicBool>,
}

impl Requests {
    /// Whether reading is to stop.
    pub(crate) fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether logs are to be opened anew; once for each time that was asked.
    pub(crate) fn take_reopen(&self) -> bool {
        self.reopen.load(Ordering::Relaxed) && self.reopen.swap(false, Ordering::Relaxed)
    }

    /// Whether rules are to be loaded again; once for each time that was asked.
    pub(crate) fn take_reload(&self) -> bool {
        self.reload.load(Ordering::Relaxed) && self.reload.swap(false, Ordering::Relaxed)
    }
}

/// Where a run stopped because it was asked to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The capture that was being read.
    pub capture: String,
    /// Packets of the run until then.
    pub packets: u64,
    /// Bytes of the capture that were read.
    pub bytes: u64,
    /// The size of the capture, where that is known.
    pub size: Option<u64>,
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted after {} packets, {} bytes", self.packets, self.bytes)?;
        if let Some(size) = self.size {
            write!(f, " of {size}")?;
        }
        write!(f, " into {}; what follows there was not read", self.capture)
    }
}
