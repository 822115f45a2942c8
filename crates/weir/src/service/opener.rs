//! The process that opens sockets for packets in place of one that gave the right to that away. It is the program once
//! more, with that right alone, and ends with the one that started it.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR2};
use weir_capture::sources::af_packet::opener;
use weir_sandbox::{CapabilitySet, Identity, Paths, Processes, Reading, calls, capabilities, paths};

use crate::{EXIT_REFUSED, information};

/// The word that asks for it, which nobody types.
const WORD: &str = "--open-packet-sockets";

/// Starts the process, which becomes this user; it is asked from now on.
pub fn start(user: Option<&str>, group: Option<&str>) -> std::io::Result<()> {
    let (own, other) = UnixStream::pair()?;
    let words = [user, group].map(Option::unwrap_or_default);
    // The file of the program may have been replaced.
    Command::new("/proc/self/exe")
        .arg0("weir")
        .arg(WORD)
        .args(words)
        .stdin(Stdio::from(OwnedFd::from(other)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    opener::ask_by(own)
}

/// Is that process, where the words ask for it.
pub fn answer(words: &[OsString]) -> Option<ExitCode> {
    let [_, word, user, group] = words else { return None };
    if word != WORD {
        return None;
    }
    let name = |word: &OsString| word.to_str().filter(|name| !name.is_empty()).map(str::to_owned);
    Some(match serve(name(user).as_deref(), name(group).as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            information::complain("weir", &sentence);
            ExitCode::from(EXIT_REFUSED)
        }
    })
}

fn serve(user: Option<&str>, group: Option<&str>) -> Result<(), String> {
    let wrong =
        |error: std::io::Error| format!("Sockets for packets cannot be opened for another process: {error}.");
    let stream = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from).map_err(wrong)?;
    // Signals to all processes of a terminal or a service are for the one that asks: this one ends with it.
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGUSR2] {
        signal_hook::flag::register(signal, Arc::default()).map_err(wrong)?;
    }
    let keep = CapabilitySet::NET_RAW;
    if user.is_some() || group.is_some() {
        let identity = Identity::named(user, group)?;
        if !identity.is_own() {
            identity.assume().and_then(|()| capabilities::take_up()).map_err(wrong)?;
        }
    }
    capabilities::keep(keep).map_err(wrong)?;
    paths::confine(&Paths { write: Vec::new(), remove: Vec::new(), read: Reading::Only(Vec::new()) })?;
    calls::confine(Processes::None)?;
    opener::serve(&stream).map_err(wrong)
}
