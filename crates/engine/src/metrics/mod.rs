//! Counters for collectors such as Prometheus (`metrics`): a server of HTTP that knows `/metrics` and `/health`.
//!
//! A thread of its own serves clients. For a page it asks all threads that listen, as the control socket does; they
//! answer between two batches of packets, and nobody waits for a client. What else is known is told to it now and then
//! by the thread that looks after the others.
//!
//! Limits: [`MAX_CLIENTS`] at a time, of which one without a whole request gives way to a new one; [`PATIENCE`] for
//! a request, for the answer to be taken, and for the end; the bytes of a request (`request.rs`).

mod catalog;
mod client;
mod request;
mod round;
#[cfg(test)]
mod tests;
mod text;

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_base::Timestamp;
use weir_config::{MetricsAddress, Settings};
use weir_output::RecordCounts;

use self::client::{Client, Connection};
use self::request::Page;
use self::round::Rounds;
use self::round::Told;
pub(crate) use self::round::{Answer, Answers, Facts, Line};
use crate::log::EngineLog;
use crate::run::{EngineError, wall_clock};
use crate::socket_file::SocketFile;

/// Most clients at a time.
const MAX_CLIENTS: usize = 16;

/// Longest time for each step of a client.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time between two looks for answers of threads.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Time between two tellings of facts.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Module of log lines.
const MODULE: &str = "metrics";

/// The address, at which clients can knock already.
pub(crate) struct Door {
    listener: Listener,
    started: Timestamp,
}

enum Listener {
    Network(TcpListener),
    Socket(SocketFile),
}

impl Door {
    /// Opens the address that the configuration asks for; where that is not possible the log says so, and there are no
    /// metrics.
    pub(crate) fn open(settings: &Settings, log: &EngineLog) -> Result<Option<Self>, EngineError> {
        let Some(address) = MetricsAddress::from_settings(settings)? else { return Ok(None) };
        let (opened, place) = match &address {
            MetricsAddress::Network(address) => {
                (Listener::network(*address), format!("http://{address}/metrics"))
            }
            MetricsAddress::Socket(path) => {
                (SocketFile::listen(path).map(Listener::Socket), format!("unix:{}", path.display()))
            }
        };
        match opened {
            Ok(listener) => {
                log.info(MODULE, &format!("metrics at {place}"));
                Ok(Some(Self { listener, started: wall_clock() }))
            }
            Err(error) => {
                let what =
                    format!("Metrics cannot be served at {place}: {error}. Choose another metrics.listen.");
                log.warning(MODULE, &what);
                Ok(None)
            }
        }
    }

    /// The file of the socket, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.listener {
            Listener::Network(_) => None,
            Listener::Socket(socket) => Some(&socket.path),
        }
    }

    /// Starts the thread that serves clients.
    pub(crate) fn serve(self, lines: Vec<Line>, facts: Facts, records: RecordCounts) -> io::Result<Service> {
        let told = Told::new(facts.into());
        let rounds = Rounds::new(lines, Told::clone(&told), records, self.started);
        let (end, ended) = UnixStream::pair()?;
        let server = Server { listener: self.listener, clients: Vec::new(), rounds, closed_until: None };
        let thread = std::thread::Builder::new().name(MODULE.to_owned()).spawn(move || server.run(&ended))?;
        Ok(Service { told, due: Instant::now() + TELL_EVERY, end: Some(end), thread: Some(thread) })
    }
}

impl Listener {
    fn network(address: std::net::SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self::Network(listener))
    }

    fn accept(&self) -> io::Result<Box<dyn Connection>> {
        Ok(match self {
            Self::Network(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nonblocking(true)?;
                Box::new(stream)
            }
            Self::Socket(socket) => {
                let (stream, _) = socket.listener.accept()?;
                stream.set_nonblocking(true)?;
                Box::new(stream)
            }
        })
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Network(listener) => listener.as_fd(),
            Self::Socket(socket) => socket.listener.as_fd(),
        }
    }
}

/// The thread that serves clients. It ends with this.
pub(crate) struct Service {
    told: Told,
    /// When facts are to be told again.
    due: Instant,
    /// The thread ends when this does.
    end: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Tells facts, if that is due.
    pub(crate) fn tell(&mut self, facts: impl FnOnce() -> Facts) {
        let now = Instant::now();
        if self.due <= now {
            self.due = now + TELL_EVERY;
            let facts = facts();
            *self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = facts;
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.end = None;
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

/// Clients, and what they are answered.
struct Server {
    listener: Listener,
    clients: Vec<Client>,
    rounds: Rounds,
    /// No client is taken until then.
    closed_until: Option<Instant>,
}

/// Events that came.
#[derive(Default)]
struct Ready {
    clients: Vec<bool>,
    /// A new client knocks.
    knocks: bool,
    /// It is over.
    ends: bool,
}

impl Server {
    fn run(mut self, ended: &UnixStream) {
        loop {
            let wait = self.longest_wait(Instant::now());
            let ready = self.wait(ended, wait);
            if ready.ends {
                return;
            }
            self.turn(&ready, Instant::now());
        }
    }

    /// Time until something happens by itself.
    fn longest_wait(&self, now: Instant) -> Option<Duration> {
        if self.rounds.is_on() || self.closed_until.is_some() {
            return Some(LOOK_EVERY);
        }
        let next = self.clients.iter().map(Client::until).min()?;
        // Not earlier than its time by the fraction of a millisecond that poll leaves out.
        Some(next.saturating_duration_since(now) + Duration::from_millis(1))
    }

    /// Waits for events.
    fn wait(&self, ended: &UnixStream, wait: Option<Duration>) -> Ready {
        let is_room = self.clients.len() < MAX_CLIENTS || self.clients.iter().any(Client::may_give_way);
        let is_open = is_room && self.closed_until.is_none();
        let knocks = if is_open { PollFlags::IN } else { PollFlags::empty() };
        let mut watched =
            vec![PollFd::new(ended, PollFlags::IN), PollFd::from_borrowed_fd(self.listener.as_fd(), knocks)];
        watched.extend(self.clients.iter().map(Client::watched));
        let wait = wait.map(|wait| Timespec {
            tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: wait.subsec_nanos().into(),
        });
        // An error is a signal, which others look after.
        if poll(&mut watched, wait.as_ref()).is_err() {
            return Ready { clients: vec![false; self.clients.len()], ..Ready::default() };
        }
        let mut came = watched.iter().map(|fd| !fd.revents().is_empty());
        let (ends, knocks) = (came.next() == Some(true), came.next() == Some(true));
        Ready { clients: came.collect(), knocks, ends }
    }

    /// Goes on with all clients.
    fn turn(&mut self, ready: &Ready, now: Instant) {
        self.closed_until = self.closed_until.filter(|until| *until > now);
        let mut came = ready.clients.iter();
        self.clients.retain_mut(|client| {
            let is_ready = came.next() == Some(&true);
            client.until() > now && (!is_ready || client.go_on(now))
        });
        if ready.knocks {
            self.welcome(now);
        }
        if self.clients.iter().any(|client| client.waits_for().is_some()) {
            self.rounds.begin(now);
        }
        if self.rounds.go_on(now) {
            self.answer(now);
        }
    }

    /// Takes a new client, in place of the earliest that may give way where there is no room.
    fn welcome(&mut self, now: Instant) {
        let Ok(stream) = self.listener.accept() else {
            // The system has no room: it is not asked again at once.
            self.closed_until = Some(now + LOOK_EVERY);
            return;
        };
        if self.clients.len() >= MAX_CLIENTS {
            let Some(place) = self.clients.iter().position(Client::may_give_way) else { return };
            drop(self.clients.remove(place));
        }
        let mut client = Client::new(stream, now);
        // It has probably asked already.
        if client.go_on(now) {
            self.clients.push(client);
        }
    }

    /// Answers all clients that wait.
    fn answer(&mut self, now: Instant) {
        let (rounds, mut pages) = (&self.rounds, Vec::<(Page, &str, String)>::new());
        self.clients.retain_mut(|client| {
            let Some(page) = client.waits_for() else { return true };
            if !pages.iter().any(|(known, ..)| *known == page) {
                let (status, body) = content(page, rounds);
                pages.push((page, status, body));
            }
            let made = pages.iter().find(|(known, ..)| *known == page);
            made.is_some_and(|(_, status, body)| client.take_page(status, body, now))
        });
    }
}

/// Status and content of a page.
fn content(page: Page, rounds: &Rounds) -> (&'static str, String) {
    match page {
        Page::Metrics(form) => ("200 OK", rounds.metrics().text(form)),
        Page::Health => {
            let silent: String = rounds.silent().map(|name| format!("{name} does not answer\n")).collect();
            match silent.is_empty() {
                true => ("200 OK", "ok\n".to_owned()),
                false => ("503 Service Unavailable", silent),
            }
        }
    }
}
