//! The process that switches off what changes packets before an interface hands them out, and switches it on again when
//! the program ends, in whatever way.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::Duration;

use weir_capture::sources::offloads::SwitchedOff;
use weir_sandbox::CapabilitySet;

use super::helper::Helper;

pub static HELPER: Helper = Helper {
    word: "--hold-offloads",
    keeps: CapabilitySet::NET_ADMIN,
    attempt: "Offloads cannot be switched off for another process",
    work: hold,
};

/// Longest wait for its report.
const PATIENCE: Duration = Duration::from_secs(2);

/// Longest report, in bytes.
const LONGEST_REPORT: u64 = 1 << 16;

/// The stream whose end is that of the program.
static HELD: OnceLock<UnixStream> = OnceLock::new();

/// Starts the process, which becomes this user. The answer is a sentence for each interface of which something was
/// switched off, or should have been.
pub fn start<'a>(
    user: Option<&str>,
    group: Option<&str>,
    interfaces: impl Iterator<Item = &'a str>,
) -> io::Result<Vec<String>> {
    let stream = HELPER.start(user, group, interfaces)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut sentences = Vec::new();
    for line in BufReader::new((&stream).take(LONGEST_REPORT)).lines() {
        match line? {
            end if end.is_empty() => break,
            sentence => sentences.push(sentence),
        }
    }
    let _ = HELD.set(stream);
    Ok(sentences)
}

/// Reports in lines, behind which is an empty one, and waits for the end.
fn hold(mut stream: &UnixStream, interfaces: &[OsString]) -> io::Result<()> {
    let mut held = Vec::new();
    for interface in interfaces.iter().filter_map(|interface| interface.to_str()) {
        match SwitchedOff::of(interface) {
            Ok(off) if off.names().is_empty() => {}
            Ok(off) => {
                let names = off.names().join(", ");
                writeln!(
                    stream,
                    "{interface}: {names} switched off until the program ends (capture.disable-offloading)."
                )?;
                held.push(off);
            }
            Err(error) => writeln!(
                stream,
                "{interface}: offloads stay on, so that packets may be seen put together: {error}."
            )?,
        }
    }
    writeln!(stream)?;
    // Nothing is ever sent: this ends with the program.
    let ended = stream.read(&mut [0]);
    held.into_iter().for_each(SwitchedOff::put_back);
    ended.map(drop)
}
