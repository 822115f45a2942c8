//! Waiting for bytes, a while only.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Returns whether there is something to read, an end included, once there is or when `patience` is over. A signal
/// is an error of the kind [`io::ErrorKind::Interrupted`].
pub(crate) fn wait_for_bytes(source: &impl AsFd, patience: Duration) -> io::Result<bool> {
    wait_for(&mut [PollFd::new(source, PollFlags::IN)], patience)
}

/// Returns the same of any of several.
#[cfg(target_os = "linux")]
pub(crate) fn wait_for_any<'s, S: AsFd + 's>(
    sources: impl Iterator<Item = &'s S>,
    patience: Duration,
) -> io::Result<bool> {
    wait_for(&mut sources.map(|source| PollFd::new(source, PollFlags::IN)).collect::<Vec<_>>(), patience)
}

fn wait_for(sources: &mut [PollFd<'_>], patience: Duration) -> io::Result<bool> {
    let patience = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    let ready = poll(sources, Some(&patience))?;
    Ok(ready > 0)
}
