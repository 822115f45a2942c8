//! Gives whole lines to something that may take a part of them only, or none for a while.
//!
//! A line of which a part got out is ended before another one follows, or is lost with what it was written to: never do two
//! records stand on one line.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::Duration;

use memchr::{memchr, memchr_iter, memrchr};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Longest wait for a destination that takes nothing. From then on lines are lost, until it takes some again.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Lines that were not all written.
#[derive(Debug)]
pub(crate) struct Unwritten {
    /// Lines that are lost; none where it is all of them.
    pub(crate) lost: Option<u64>,
    /// Error of the system.
    pub(crate) cause: io::Error,
}

impl Unwritten {
    /// So many more lines are lost, where not all are.
    pub(super) fn and(self, more: u64) -> Self {
        Self { lost: self.lost.map(|lost| lost + more), ..self }
    }
}

impl From<io::Error> for Unwritten {
    fn from(cause: io::Error) -> Self {
        Self { lost: None, cause }
    }
}

/// Remainder of lines that were not all written.
#[derive(Debug)]
pub(super) struct Stop<'a> {
    /// The lines of which nothing got out.
    pub(super) rest: &'a [u8],
    /// Error of the system.
    pub(super) cause: io::Error,
}

impl Stop<'_> {
    /// The lines left are given up, and so many more.
    pub(super) fn lost(self, more: u64) -> Unwritten {
        Unwritten { lost: Some(lines_in(self.rest) + more), cause: self.cause }
    }
}

/// Returns the number of lines.
pub(super) fn lines_in(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Memory of a line that was begun.
#[derive(Debug, Default)]
pub(super) struct Drain {
    /// The rest of a line of which a part got out.
    begun: Vec<u8>,
}

impl Drain {
    /// Gives `lines` to `out`, for which `wait` waits where it takes nothing now: whether it takes some again.
    pub(super) fn write<'a>(
        &mut self,
        out: &mut dyn Write,
        lines: &'a [u8],
        wait: &mut dyn FnMut() -> bool,
    ) -> Result<(), Stop<'a>> {
        let (taken, result) = push(out, &self.begun, wait);
        self.begun.drain(..taken);
        if let Err(cause) = result {
            return Err(Stop { rest: lines, cause });
        }
        let (taken, result) = push(out, lines, wait);
        let Err(cause) = result else { return Ok(()) };
        let (out, left) = lines.split_at(taken);
        let begun = out.len() - memrchr(b'\n', out).map_or(0, |end| end + 1);
        let end = if begun == 0 { 0 } else { memchr(b'\n', left).map_or(left.len(), |end| end + 1) };
        let (begun, rest) = left.split_at(end);
        self.begun.extend_from_slice(begun);
        Err(Stop { rest, cause })
    }

    /// Lines that were begun and not ended: one at most.
    pub(super) fn begun(&self) -> u64 {
        (!self.begun.is_empty()).into()
    }

    /// Gives up a destination that is gone; returns the number of begun lines lost with it.
    pub(super) fn give_up(&mut self) -> u64 {
        let lost = self.begun();
        self.begun.clear();
        lost
    }
}

/// Writes until all is taken or nothing goes on: how much was taken.
pub(super) fn push(
    out: &mut dyn Write,
    bytes: &[u8],
    wait: &mut dyn FnMut() -> bool,
) -> (usize, io::Result<()>) {
    let mut taken = 0;
    while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
        match out.write(rest) {
            Ok(0) => return (taken, Err(io::ErrorKind::WriteZero.into())),
            Ok(count) => taken += count.min(rest.len()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !wait() {
                    return (taken, Err(io::ErrorKind::TimedOut.into()));
                }
            }
            Err(error) => return (taken, Err(error)),
        }
    }
    (taken, Ok(()))
}

/// Waits until `destination` takes something, or nobody is there any more, for so long at most; whether it is so.
pub(super) fn wait_to_write(destination: &impl AsFd, patience: Duration) -> bool {
    let patience = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    poll(&mut [PollFd::new(destination, PollFlags::OUT)], Some(&patience)).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many bytes with each call; the disk is full where that is none.
    struct Disk {
        takes: Vec<usize>,
        written: Vec<u8>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.takes.pop() {
                Some(0) => Err(io::ErrorKind::StorageFull.into()),
                Some(count) => {
                    let count = count.min(bytes.len());
                    self.written.extend_from_slice(&bytes[..count]);
                    Ok(count)
                }
                None => {
                    self.written.extend_from_slice(bytes);
                    Ok(bytes.len())
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_stay_whole_on_a_disk_that_was_full() {
        for (takes, lost, expected) in [
            (vec![], 0, "one\ntwo\nthree\nfour\nfive\n"),
            (vec![0], 2, "three\nfour\nfive\n"),
            (vec![0, 4], 1, "one\nthree\nfour\nfive\n"),
            (vec![0, 2], 1, "one\nthree\nfour\nfive\n"),
            (vec![0, 5], 0, "one\ntwo\nthree\nfour\nfive\n"),
            (vec![0, 1, 0, 2], 3, "one\nfive\n"),
            (vec![0, 0, 2], 3, "one\nfive\n"),
        ] {
            let mut disk = Disk { takes: takes.into_iter().collect(), written: Vec::new() };
            let mut drain = Drain::default();
            let mut counted = 0;
            for lines in ["one\ntwo\n", "three\nfour\n", "five\n"] {
                let stop = drain.write(&mut disk, lines.as_bytes(), &mut || false);
                counted += stop.err().map_or(0, |stop| lines_in(stop.rest));
            }
            let written = String::from_utf8(disk.written).unwrap();
            assert_eq!((written.as_str(), drain.give_up()), (expected, 0), "{lost} lost");
            assert_eq!(counted, lost, "{expected}");
        }
    }

    #[test]
    fn a_line_that_was_begun_is_lost_with_its_destination() {
        let mut disk = Disk { takes: vec![0, 2], written: Vec::new() };
        let mut drain = Drain::default();
        let stop = drain.write(&mut disk, b"one\ntwo\n", &mut || false).unwrap_err();
        assert_eq!(stop.rest, b"two\n");
        assert_eq!(drain.give_up(), 1);
        drain.write(&mut disk, b"three\n", &mut || false).unwrap();
        assert_eq!(disk.written, b"onthree\n");
    }
}
