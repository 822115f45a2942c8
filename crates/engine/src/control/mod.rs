//! The control socket (`unix-command`): commands while interfaces are listened on, in the protocol of Suricata's.
//!
//! A client connects, sends `{"version":"0.1"}` or `"0.2"`, is answered `{"return":"OK"}`, and sends commands with
//! arguments as objects of JSON, one after the other. From version 0.2 on each answer ends its line. The thread that
//! looks after the others serves clients while it waits: a request of each at a time, and it waits for none to take
//! an answer.
//!
//! Limits: [`MAX_CLIENTS`] at a time, of which one that was silent for [`PATIENCE`] gives way to a new one; requests of
//! [`MAX_REQUEST`] bytes; an answer to each client, of which it takes some within [`PATIENCE`].

mod client;
pub(crate) mod commands;
mod counters;
pub mod dialogue;
#[cfg(test)]
mod tests;
mod wire;

use std::io;
use std::path::Path;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use weir_base::Duration;
use weir_config::Settings;

use crate::log::EngineLog;
use crate::run::EngineError;
use crate::socket_file::SocketFile;
use client::Client;
pub use commands::arguments_of;
use dialogue::{Reply, Request};

/// Most clients at a time; those after them wait.
const MAX_CLIENTS: usize = 16;

/// Longest wait for a client to take more of an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Folder of the socket where its name has none.
pub const RUN_FOLDER: &str = "/run/suricata";

/// Name of the socket where none is configured.
pub const DEFAULT_SOCKET: &str = "suricata-command.socket";

/// The socket and its clients.
pub(crate) struct Control {
    socket: SocketFile,
    clients: Vec<Client>,
}

impl Control {
    /// Opens the socket that the configuration asks for; what keeps it from that is logged, for `auto` among what is
    /// good to know only.
    pub(crate) fn open(settings: &Settings, log: &EngineLog) -> Option<Self> {
        let section = settings.section("unix-command");
        let is_asked_for = match section.text("enabled") {
            None | Some("auto") => false,
            Some(_) if section.flag("enabled", false) => true,
            Some(_) => return None,
        };
        match Self::configured(settings, log) {
            Ok(control) => Some(control),
            Err(what) => {
                match is_asked_for {
                    true => log.warning("unix-manager", &what),
                    false => log.info("unix-manager", &what),
                }
                None
            }
        }
    }

    /// Opens the socket whatever the configuration says of it but its name; without it the run is of no use.
    pub(crate) fn required(settings: &Settings, log: &EngineLog) -> Result<Self, EngineError> {
        Self::configured(settings, log).map_err(EngineError::Input)
    }

    /// Opens the socket of the name that is configured; the error is a sentence.
    fn configured(settings: &Settings, log: &EngineLog) -> Result<Self, String> {
        let name = settings.section("unix-command").text("filename").unwrap_or(DEFAULT_SOCKET).to_owned();
        let path = Path::new(RUN_FOLDER).join(name);
        let control = Self::listen(&path)
            .map_err(|error| format!("The control socket {} cannot be opened: {error}.", path.display()))?;
        log.info("unix-manager", &format!("unix socket '{}'", path.display()));
        Ok(control)
    }

    /// The file of the socket.
    pub(crate) fn path(&self) -> &Path {
        &self.socket.path
    }

    fn listen(path: &Path) -> io::Result<Self> {
        Ok(Self { socket: SocketFile::listen(path)?, clients: Vec::new() })
    }

    /// Waits for requests, and answers those that come within a while, one of each client at most.
    pub(crate) fn serve(&mut self, wait: Duration, answer: &mut dyn FnMut(&Request) -> Reply) {
        self.serve_at(Instant::now(), wait, answer);
    }

    fn serve_at(&mut self, now: Instant, wait: Duration, answer: &mut dyn FnMut(&Request) -> Reply) {
        self.clients.retain(|client| !client.is_stuck(now));
        let wait = if self.clients.iter().any(Client::may_go_on) { Duration::ZERO } else { wait };
        let Some(ready) = self.wait(now, wait) else { return };
        let mut ready = ready.into_iter();
        self.clients.retain_mut(|client| client.turn(ready.next() == Some(true), now, answer));
        if ready.next() == Some(true) {
            self.welcome(now);
        }
    }

    /// Waits until something can be done for clients; which of them are ready, and whether there is a new one that can
    /// be taken.
    fn wait(&self, now: Instant, wait: Duration) -> Option<Vec<bool>> {
        let is_room = self.clients.len() < MAX_CLIENTS || self.most_silent(now).is_some();
        let listener = is_room.then(|| PollFd::new(&self.socket.listener, PollFlags::IN));
        let mut watched: Vec<PollFd<'_>> = self.clients.iter().map(Client::watched).chain(listener).collect();
        let patience = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
        // An error is a signal, which others look after.
        poll(&mut watched, Some(&patience)).ok()?;
        Some(watched.iter().map(|fd| !fd.revents().is_empty()).collect())
    }

    /// The client that was silent for longest, and for so long that it may give way.
    fn most_silent(&self, now: Instant) -> Option<usize> {
        let silent = self.clients.iter().enumerate().filter(|(_, client)| client.is_silent(now));
        silent.min_by_key(|(_, client)| client.active_at()).map(|(index, _)| index)
    }

    /// Takes a new client, in place of a silent one where there is no room.
    fn welcome(&mut self, now: Instant) {
        let Ok((stream, _)) = self.socket.listener.accept() else { return };
        if self.clients.len() >= MAX_CLIENTS {
            match self.most_silent(now) {
                Some(index) => drop(self.clients.swap_remove(index)),
                None => return,
            }
        }
        self.clients.extend(Client::new(stream, now).ok());
    }
}
