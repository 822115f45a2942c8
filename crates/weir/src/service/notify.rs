//! Messages to a service manager (sd_notify): datagrams of `NAME=value` lines to the socket that `NOTIFY_SOCKET` names.
//!
//! The start is told when all workers have answered, and the watchdog is answered only with what they answer: one that
//! hangs lets it run out.

#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use weir_engine::Progress as Step;

use crate::progress::live_line;

/// Shortest time between two lines of status.
const STATUS_EVERY: Duration = Duration::from_secs(10);

/// Longest time until the next step is told.
const NEXT_STEP: Duration = Duration::from_secs(1);

/// A service manager, if there is one.
pub struct Manager {
    socket: Option<UnixDatagram>,
    /// Half of the time in which the watchdog wants an answer.
    watchdog: Option<Duration>,
    answered: Instant,
    status: Option<Instant>,
    is_ready: bool,
}

impl Manager {
    /// The manager that the environment names.
    pub fn of_environment() -> Self {
        let variable = |name: &str| std::env::var_os(name);
        let number = |name: &str| variable(name)?.to_str()?.parse::<u64>().ok();
        let socket = variable("NOTIFY_SOCKET").and_then(|name| connect(name.as_bytes()).ok());
        let is_own = number("WATCHDOG_PID").is_none_or(|process| process == u64::from(std::process::id()));
        let watchdog = number("WATCHDOG_USEC").filter(|_| is_own).map(|time| Duration::from_micros(time / 2));
        Self { socket, watchdog, answered: Instant::now(), status: None, is_ready: false }
    }

    /// Tells of a step.
    pub fn tell(&mut self, step: &Step<'_>) {
        if self.socket.is_none() {
            return;
        }
        let mut lines = String::new();
        match step {
            Step::Reloading => lines = format!("RELOADING=1\nMONOTONIC_USEC={}\n", monotonic_micros()),
            Step::Reloaded => lines.push_str("READY=1\n"),
            Step::Stopping => lines.push_str("STOPPING=1\n"),
            Step::Live(_) | Step::Read(_) | Step::Serving | Step::Done(_) => {
                if !std::mem::replace(&mut self.is_ready, true) {
                    lines.push_str("READY=1\n");
                }
                lines.push_str(&self.status(step));
                lines.push_str(self.watchdog());
            }
        }
        if let Some(socket) = self.socket.as_ref().filter(|_| !lines.is_empty()) {
            // A manager that takes no message is not waited for.
            let _ = socket.send(lines.as_bytes());
        }
    }

    /// The answer to the watchdog, where the next step may come too late for it.
    fn watchdog(&mut self) -> &'static str {
        match self.watchdog {
            Some(time) if self.answered.elapsed() + NEXT_STEP > time => {
                self.answered = Instant::now();
                "WATCHDOG=1\n"
            }
            _ => "",
        }
    }

    fn status(&mut self, step: &Step<'_>) -> String {
        if self.status.is_some_and(|last| last.elapsed() < STATUS_EVERY) {
            return String::new();
        }
        let line = match step {
            Step::Live(position) => live_line(position),
            Step::Read(position) => format!("reading {}", position.name),
            Step::Serving => "waiting for captures".to_owned(),
            _ => return String::new(),
        };
        self.status = Some(Instant::now());
        format!("STATUS={}\n", line.replace('\n', " "))
    }
}

/// A socket to the one of that name: a path, or `@` and an abstract name.
fn connect(name: &[u8]) -> std::io::Result<UnixDatagram> {
    let address = match name {
        #[cfg(target_os = "linux")]
        [b'@', rest @ ..] => SocketAddr::from_abstract_name(rest)?,
        path => SocketAddr::from_pathname(std::ffi::OsStr::from_bytes(path))?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// The time of the clock that reloads are told by, in microseconds.
fn monotonic_micros() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000 + now.tv_nsec / 1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_engine::{LivePosition, WorkerPosition};

    #[test]
    fn messages_come_in_order() {
        let name = format!("weir-notify-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let heard = UnixDatagram::bind_addr(&address).expect("a socket");
        let socket = connect(format!("@{name}").as_bytes()).expect("a way to it");
        let mut manager = Manager {
            socket: Some(socket),
            watchdog: Some(Duration::from_secs(30)),
            answered: Instant::now(),
            status: None,
            is_ready: false,
        };
        let worker = [WorkerPosition::default()];
        let live = || Step::Live(LivePosition { workers: &worker, before: &[], since: Duration::ZERO });
        let told = |manager: &mut Manager, step: &Step<'_>| {
            manager.tell(step);
            let mut bytes = [0; 512];
            heard.set_nonblocking(true).expect("a socket that does not wait");
            let length = heard.recv(&mut bytes).unwrap_or(0);
            String::from_utf8_lossy(&bytes[..length]).into_owned()
        };
        let first = told(&mut manager, &live());
        assert!(first.starts_with("READY=1\nSTATUS=0 packets/s") && !first.contains("WATCHDOG"), "{first}");
        assert_eq!(told(&mut manager, &live()), "", "nothing is new");
        manager.answered = Instant::now().checked_sub(Duration::from_secs(20)).expect("a time");
        assert_eq!(told(&mut manager, &live()), "", "there is time for another");
        manager.answered = Instant::now().checked_sub(Duration::from_secs(30)).expect("a time");
        assert_eq!(told(&mut manager, &live()), "WATCHDOG=1\n");
        assert!(told(&mut manager, &Step::Reloading).starts_with("RELOADING=1\nMONOTONIC_USEC="));
        assert_eq!(told(&mut manager, &Step::Reloaded), "READY=1\n");
        assert_eq!(told(&mut manager, &Step::Stopping), "STOPPING=1\n");
    }
}
