//! `weir view --terminal` at a terminal of its own, and at none.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

const RECORD: &str = r#"{"timestamp":"2024-05-01T10:00:01.300000+0000","flow_id":1002,"event_type":"alert","src_ip":"10.0.0.1","src_port":1000,"dest_ip":"10.0.0.2","dest_port":80,"proto":"TCP","alert":{"action":"allowed","signature_id":7,"signature":"TEST \u001b[31mevil","category":"Test","severity":1}}"#;

/// How long anything may take.
const LONGEST: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// What ends the program.
#[derive(Clone, Copy, Debug)]
enum End {
    Keys(&'static str),
    Told(Signal),
}

fn program(records: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir-analyst"));
    command.args(["view", "--terminal"]).arg(records).env("TERM", "xterm");
    command
}

fn records() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eve.json");
    std::fs::write(&path, RECORD).unwrap();
    (folder, path)
}

/// Two ends of a terminal: that of who sits before it, and that of programs.
fn terminal() -> (File, File) {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&near).unwrap();
    unlockpt(&near).unwrap();
    let name = ptsname(&near, Vec::new()).unwrap();
    let far = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    tcsetwinsize(&near, Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    (near.into(), far)
}

/// Reads what is drawn until a text is there; returns all of it.
fn read_until(near: &mut File, text: &str) -> String {
    let mut all = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&all).contains(text) {
        let ready = poll(&mut [PollFd::new(near, PollFlags::IN)], Some(&LONGEST)).unwrap();
        assert!(ready > 0, "{text:?} does not come: {:?}", String::from_utf8_lossy(&all));
        let length = near.read(&mut part).unwrap();
        all.extend(&part[..length]);
    }
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn a_terminal_is_as_it_was() {
    let ends = [
        End::Keys("q"),
        End::Keys("\x03"),
        End::Keys("2\x1b[Bq"),
        End::Told(Signal::TERM),
        End::Told(Signal::INT),
        End::Told(Signal::HUP),
    ];
    for end in ends {
        let (_folder, path) = records();
        let (mut near, far) = terminal();
        let before = tcgetattr(&far).unwrap();
        let mut child = program(&path)
            .stdin(far.try_clone().unwrap())
            .stdout(far.try_clone().unwrap())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let drawn = read_until(&mut near, "31mevil");
        assert!(drawn.contains("\x1b[?1049h"), "{end:?}: {drawn:?}");
        assert!(drawn.contains("\\u001b[31mevil") && !drawn.contains("\x1b[31mevil"), "{end:?}: {drawn:?}");
        assert!(!tcgetattr(&far).unwrap().local_modes.contains(LocalModes::ICANON), "{end:?}");
        match end {
            End::Keys(keys) => near.write_all(keys.as_bytes()).unwrap(),
            End::Told(signal) => kill_process(Pid::from_child(&child), signal).unwrap(),
        }
        let rest = read_until(&mut near, "\x1b[?1049l");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{end:?}: {rest:?}");
        let after = tcgetattr(&far).unwrap();
        assert_eq!(after.local_modes, before.local_modes, "{end:?}");
        assert_eq!(after.input_modes, before.input_modes, "{end:?}");
        assert_eq!(after.output_modes, before.output_modes, "{end:?}");
    }
}

/// A terminal that is gone ends the program, which has nobody to show anything to.
#[test]
fn a_terminal_that_is_gone() {
    let (_folder, path) = records();
    let (mut near, far) = terminal();
    let mut child =
        program(&path).stdin(far.try_clone().unwrap()).stdout(far).stderr(Stdio::null()).spawn().unwrap();
    read_until(&mut near, "31mevil");
    drop(near);
    assert!(child.wait().unwrap().code().is_some());
}

#[test]
fn no_terminal_is_told() {
    let (_folder, path) = records();
    let done = program(&path).stdin(Stdio::null()).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(done.stdout.is_empty());
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.starts_with("weir: Input and output are not a terminal"), "{said}");
}
