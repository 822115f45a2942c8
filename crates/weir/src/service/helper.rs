//! Processes that keep a right which the program gives away: the program once more, with that right alone. The stream
//! between both is the helper's standard input, and it ends with the one that started it.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR2};
use weir_sandbox::{CapabilitySet, Identity, Paths, Processes, Reading, calls, capabilities, paths};

use super::{offloads, opener};
use crate::{EXIT_REFUSED, information};

/// One kind of helper.
pub struct Helper {
    /// The word that asks for it, which nobody types.
    pub word: &'static str,
    /// The right that it keeps.
    pub keeps: CapabilitySet,
    /// Its attempt, as a sentence without an end.
    pub attempt: &'static str,
    /// Its work, with arguments of its own, until the stream ends.
    pub work: fn(&UnixStream, &[OsString]) -> io::Result<()>,
}

static HELPERS: [&Helper; 2] = [&opener::HELPER, &offloads::HELPER];

impl Helper {
    /// Starts one, which becomes this user; the answer is the stream to it.
    pub fn start(
        &self,
        user: Option<&str>,
        group: Option<&str>,
        arguments: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
    ) -> io::Result<UnixStream> {
        let (own, other) = UnixStream::pair()?;
        // The file of the program may have been replaced.
        Command::new("/proc/self/exe")
            .arg0("weir")
            .arg(self.word)
            .args([user, group].map(Option::unwrap_or_default))
            .args(arguments)
            .stdin(Stdio::from(OwnedFd::from(other)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(own)
    }

    fn serve(&self, user: Option<&str>, group: Option<&str>, arguments: &[OsString]) -> Result<(), String> {
        let wrong = |error: io::Error| format!("{}: {error}.", self.attempt);
        let stream = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from).map_err(wrong)?;
        // Signals to all processes of a terminal or a service are for the one that asks: this one ends with it.
        for signal in [SIGHUP, SIGINT, SIGTERM, SIGUSR2] {
            signal_hook::flag::register(signal, Arc::default()).map_err(wrong)?;
        }
        if user.is_some() || group.is_some() {
            let identity = Identity::named(user, group)?;
            if !identity.is_own() {
                identity.assume().and_then(|()| capabilities::take_up()).map_err(wrong)?;
            }
        }
        capabilities::keep(self.keeps).map_err(wrong)?;
        paths::confine(&Paths { write: Vec::new(), remove: Vec::new(), read: Reading::Only(Vec::new()) })?;
        calls::confine(Processes::None)?;
        (self.work)(&stream, arguments).map_err(wrong)
    }
}

/// Is a helper, where the words ask for one.
pub fn answer(words: &[OsString]) -> Option<ExitCode> {
    let [_, word, user, group, arguments @ ..] = words else { return None };
    let helper = HELPERS.iter().find(|helper| word == helper.word)?;
    let name = |word: &OsString| word.to_str().filter(|name| !name.is_empty()).map(str::to_owned);
    Some(match helper.serve(name(user).as_deref(), name(group).as_deref(), arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            information::complain("weir", &sentence);
            ExitCode::from(EXIT_REFUSED)
        }
    })
}
