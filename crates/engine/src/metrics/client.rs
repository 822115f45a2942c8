//! A client: it sends one request, gets one answer, and is let go.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags};

use super::PATIENCE;
use super::request::{self, Form, MAX_REQUEST, Page, Read};

/// Most bytes that are read after the request, so that its answer arrives before the connection ends.
const MAX_REST: usize = 64 * 1024;

/// Bytes read at a time.
const CHUNK: usize = 4096;

/// A stream to a client, which never blocks.
pub(super) trait Connection: std::io::Read + std::io::Write + AsFd + Send {
    /// Ends the direction to the client.
    fn end_answer(&self);
}

impl Connection for TcpStream {
    fn end_answer(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

impl Connection for UnixStream {
    fn end_answer(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }
}

/// Steps of a client.
enum State {
    /// Bytes of its request so far.
    Asking(Vec<u8>),
    /// The page it waits for; without content where that is all it asks for.
    Waiting(Page, bool),
    /// Its answer, and the bytes of it that were sent.
    Taking(Vec<u8>, usize),
    /// The answer is sent; so many bytes came after the request.
    Leaving(usize),
}

/// A client.
pub(super) struct Client {
    stream: Box<dyn Connection>,
    state: State,
    /// When it is let go at the latest, unless it goes on to its next step.
    until: Instant,
}

/// Whether a client stays.
type Stays = bool;

impl Client {
    pub(super) fn new(stream: Box<dyn Connection>, now: Instant) -> Self {
        Self { stream, state: State::Asking(Vec::new()), until: now + PATIENCE }
    }

    /// The event that it can go on with, if it does not wait for others.
    pub(super) fn watched(&self) -> PollFd<'_> {
        let flags = match self.state {
            State::Asking(_) | State::Leaving(_) => PollFlags::IN,
            State::Waiting(..) => PollFlags::empty(),
            State::Taking(..) => PollFlags::OUT,
        };
        PollFd::from_borrowed_fd(self.stream.as_fd(), flags)
    }

    pub(super) fn until(&self) -> Instant {
        self.until
    }

    /// Whether it may give way: its request is not whole yet, or it has its answer.
    pub(super) fn may_give_way(&self) -> bool {
        matches!(self.state, State::Asking(_) | State::Leaving(_))
    }

    /// The page that it waits for.
    pub(super) fn waits_for(&self) -> Option<Page> {
        match self.state {
            State::Waiting(page, _) => Some(page),
            _ => None,
        }
    }

    /// Goes on after an event.
    pub(super) fn go_on(&mut self, now: Instant) -> Stays {
        match &mut self.state {
            State::Asking(_) => self.read(now),
            // It is gone.
            State::Waiting(..) => false,
            State::Taking(..) => self.send(now),
            State::Leaving(_) => self.leave(),
        }
    }

    fn read(&mut self, now: Instant) -> Stays {
        let State::Asking(bytes) = &mut self.state else { return true };
        let mut chunk = [0; CHUNK];
        let room = MAX_REQUEST.saturating_sub(bytes.len()).min(CHUNK);
        let Some(room) = chunk.get_mut(..room) else { return false };
        match self.stream.read(room) {
            Ok(0) => return false,
            Ok(count) => bytes.extend(room.iter().take(count)),
            Err(error) => return is_for_later(&error),
        }
        match request::read(bytes) {
            Read::Incomplete => true,
            Read::Page(page, is_bare) => {
                self.state = State::Waiting(page, is_bare);
                self.until = now + PATIENCE;
                true
            }
            Read::Refused(status) => self.answer(status, "text/plain; charset=utf-8", status, false, now),
        }
    }

    /// Gives it the page that it waits for.
    pub(super) fn take_page(&mut self, status: &str, body: &str, now: Instant) -> Stays {
        let State::Waiting(page, is_bare) = self.state else { return true };
        let kind = match page {
            Page::Metrics(Form::Open) => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Page::Metrics(Form::Plain) => "text/plain; version=0.0.4; charset=utf-8",
            Page::Health => "text/plain; charset=utf-8",
        };
        self.answer(status, kind, body, is_bare, now)
    }

    fn answer(&mut self, status: &str, kind: &str, body: &str, is_bare: bool, now: Instant) -> Stays {
        let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}Vary: Accept\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        );
        let mut bytes = head.into_bytes();
        if !is_bare {
            bytes.extend_from_slice(body.as_bytes());
        }
        self.state = State::Taking(bytes, 0);
        self.until = now + PATIENCE;
        self.send(now)
    }

    fn send(&mut self, now: Instant) -> Stays {
        let State::Taking(bytes, sent) = &mut self.state else { return true };
        match self.stream.write(bytes.get(*sent..).unwrap_or_default()) {
            Ok(0) => return false,
            Ok(count) => *sent += count,
            Err(error) => return is_for_later(&error),
        }
        if *sent == bytes.len() {
            self.stream.end_answer();
            self.state = State::Leaving(0);
            self.until = now + PATIENCE;
        }
        true
    }

    /// Reads what follows until the client has the answer, too.
    fn leave(&mut self) -> Stays {
        let State::Leaving(rest) = &mut self.state else { return false };
        match self.stream.read(&mut [0; CHUNK]) {
            Ok(0) => false,
            Ok(count) => {
                *rest += count;
                *rest < MAX_REST
            }
            Err(error) => is_for_later(&error),
        }
    }
}

/// Whether a stream only has nothing to give, or no room, at the moment.
fn is_for_later(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
