//! A client of the control socket: its stream, which never blocks, and the dialogue with it.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};

use super::PATIENCE;
use super::dialogue::{Dialogue, MAX_REQUEST, Reply, Request, Step};

/// A client.
pub(super) struct Client {
    stream: UnixStream,
    dialogue: Dialogue,
    /// The rest of an answer: until the client has taken it, nothing more is read or answered.
    unsent: Vec<u8>,
    /// It was answered, and may have asked more already.
    answered: bool,
    /// When it last said something, or took some of an answer.
    active: Instant,
}

impl Client {
    pub(super) fn new(stream: UnixStream, now: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let (dialogue, unsent) = (Dialogue::default(), Vec::new());
        Ok(Self { stream, dialogue, unsent, answered: false, active: now })
    }

    /// The event that it can go on with.
    pub(super) fn watched(&self) -> PollFd<'_> {
        let flags = if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::OUT };
        PollFd::new(&self.stream, flags)
    }

    /// Whether it may go on without an event.
    pub(super) fn may_go_on(&self) -> bool {
        self.answered && self.unsent.is_empty()
    }

    /// When it last said or took something.
    pub(super) fn active_at(&self) -> Instant {
        self.active
    }

    /// Whether it did neither for a while.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.active) >= PATIENCE
    }

    /// Whether it does not take its answer.
    pub(super) fn is_stuck(&self, now: Instant) -> bool {
        !self.unsent.is_empty() && self.is_silent(now)
    }

    /// Goes on: sends what is left of an answer, or reads, and answers one request; whether the client stays.
    pub(super) fn turn(
        &mut self,
        ready: bool,
        now: Instant,
        answer: &mut dyn FnMut(&Request) -> Reply,
    ) -> bool {
        if !self.may_go_on() && !ready {
            return true;
        }
        if !self.unsent.is_empty() {
            return self.send(now);
        }
        // What was read is answered before more is.
        let mut step = if self.answered { self.dialogue.step(answer) } else { Step::Wait };
        if step == Step::Wait && ready {
            if !self.read(now) {
                return false;
            }
            step = self.dialogue.step(answer);
        }
        self.answered = matches!(step, Step::Say(_));
        match step {
            Step::Wait => true,
            Step::Say(bytes) => {
                self.unsent = bytes;
                self.send(now)
            }
            Step::End => false,
        }
    }

    /// Reads what is there and has room; whether the client stays.
    fn read(&mut self, now: Instant) -> bool {
        let mut bytes = [0; MAX_REQUEST];
        let Some(room) = bytes.get_mut(..self.dialogue.room()) else { return false };
        match self.stream.read(room) {
            Ok(0) => false,
            Ok(count) => {
                self.dialogue.take(room.get(..count).unwrap_or_default());
                self.active = now;
                true
            }
            Err(error) => is_for_later(&error),
        }
    }

    /// Sends as much of an answer as the client takes; whether it stays.
    fn send(&mut self, now: Instant) -> bool {
        match self.stream.write(&self.unsent) {
            Ok(count) if count == self.unsent.len() => self.unsent = Vec::new(),
            Ok(count) => drop(self.unsent.drain(..count)),
            Err(error) => return is_for_later(&error),
        }
        self.active = now;
        true
    }
}

/// Whether a stream only has nothing to give, or no room, at the moment.
fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
