//! The program in the background, and what it tells its service manager.

use std::fs;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::control::question;
use super::namespaces::{Cable, End, Listening};
use super::run::Folder;

/// Longest wait for something.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program in the background, ended where a test fails.
struct Daemon(Pid);

impl Daemon {
    fn of(pid_file: &Path) -> Self {
        let number =
            fs::read_to_string(pid_file).expect("a file with a number").trim().parse().expect("a number");
        Self(Pid::from_raw(number).expect("a process"))
    }

    fn status(&self, field: &str) -> String {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.0.as_raw_nonzero())).expect("a status");
        let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.expect("a field").trim().to_owned()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::KILL);
    }
}

#[test]
fn the_program_goes_on_in_the_background() {
    let folder = Folder::new("service-daemon");
    let pid_file = folder.path("weir.pid");
    let [socket, pid] =
        [folder.path("socket"), pid_file.clone()].map(|path| path.to_string_lossy().into_owned());
    let unix_socket = format!("--unix-socket={socket}");
    let words = ["-D", &unix_socket, "--set", &format!("pid-file={pid}")];
    let run = folder.weir(&words);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.said());
    let daemon = Daemon::of(&pid_file);
    UnixStream::connect(&socket).expect("it serves clients already");
    assert_eq!(daemon.status("NSsid"), daemon.status("Pid"), "the first of its session");
    let nothing = fs::read_link(format!("/proc/{}/fd/2", daemon.0.as_raw_nonzero())).expect("standard error");
    assert_eq!(nothing, Path::new("/dev/null"));

    let second = folder.weir(&["-D", "--unix-socket=other", "--pidfile", &pid]);
    assert_eq!(second.code, 1, "{}", second.said());
    let words = format!("process {} runs already", daemon.0.as_raw_nonzero());
    assert!(second.stderr.contains(&words), "{}", second.said());

    kill_process(daemon.0, Signal::TERM).expect("a signal is sent");
    let begun = Instant::now();
    while pid_file.exists() && begun.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    assert!(!pid_file.exists() && !Path::new(&socket).exists(), "files that go with it");
}

#[test]
fn what_does_not_start_is_told() {
    let folder = Folder::new("service-broken");
    let broken = folder.write("broken.yaml", "%YAML 1.1\n---\nflow:\n  memcap: much\n");
    let run = folder.weir(&["-D", "-c", &broken, "--unix-socket=none"]);
    assert_eq!(run.code, 1, "{}", run.said());
    assert!(run.stderr.contains("flow.memcap"), "{}", run.said());
    let run = folder.weir(&["-D", "-i", "no-such-if"]);
    assert_eq!(run.code, 1, "{}", run.said());
    assert!(run.stderr.contains("no-such-if"), "{}", run.said());
}

/// One that gave rights away leaves its terminal, and nobody is left behind when it ends.
#[test]
fn one_that_listens_goes_on_in_the_background() {
    let Some(cable) = Cable::lay("srv") else { return };
    let folder = Folder::new("service-listens");
    let pid_file = folder.path("weir.pid");
    let [logs, pid] = [folder.path(""), pid_file.clone()].map(|path| path.to_string_lossy().into_owned());
    let interface = cable.interface(End::Far);
    let words = ["-D", "-i", &interface, "-l", &logs, "--pidfile", &pid];
    let run = cable.start_as(env!("CARGO_BIN_EXE_weir"), &folder, &words);
    assert_eq!(run.ended(), (Some(0), String::new()));
    let daemon = Daemon::of(&pid_file);
    let number = daemon.0.as_raw_nonzero();
    for stream in 0..3 {
        let place = fs::read_link(format!("/proc/{number}/fd/{stream}")).expect("a stream");
        assert_eq!(place, Path::new("/dev/null"), "{stream}");
    }
    let children =
        fs::read_to_string(format!("/proc/{number}/task/{number}/children")).expect("its processes");
    let process = |number: &str| Daemon(Pid::from_raw(number.parse().expect("a number")).expect("a process"));
    let helpers: Vec<Daemon> = children.split_whitespace().map(process).collect();
    assert_eq!(helpers.len(), 2, "{children}");
    // One puts offloads back in the end, the other opens sockets for packets.
    for (helper, capability) in helpers.iter().zip([12, 13]) {
        let right = format!("{:016x}", 1 << capability);
        assert_eq!([helper.status("CapEff"), helper.status("CapPrm")], [right.as_str(); 2]);
        assert_eq!([helper.status("NoNewPrivs"), helper.status("Seccomp")], ["1", "2"]);
    }
    kill_process(daemon.0, Signal::INT).expect("a signal is sent");
    let begun = Instant::now();
    let is_there = |process: &Daemon| Path::new(&format!("/proc/{}/fd", process.0.as_raw_nonzero())).exists();
    while (helpers.iter().any(is_there) || pid_file.exists()) && begun.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    assert!(!helpers.iter().any(is_there) && !pid_file.exists());
}

/// A script that never ends, on the thread of a worker.
#[test]
fn a_worker_that_hangs_lets_the_watchdog_run_out() {
    let Some(cable) = Cable::lay("srvw") else { return };
    let folder = Folder::new("service-watchdog");
    let path = folder.path("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    folder.write(
        "endless.lua",
        "function init(sig)\n  return {}\nend\n\nfunction match(args)\n  while true do end\nend\n",
    );
    let rules = folder.write("test.rules", "alert udp any any -> any any (lua:endless.lua; sid:1;)\n");
    let logs = folder.path("").to_string_lossy().into_owned();
    let interface = cable.interface(End::Far);
    let limit = "security.lua.max-instructions=0";
    let scripts = format!("default-rule-path={logs}");
    let words = ["-i", &interface, "-l", &logs, "-S", &rules, "-t", "2", "--set", limit, "--set", &scripts];
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &cable.namespace(End::Far), env!("CARGO_BIN_EXE_weir")]).args(words);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "3000000");
    let _run = Listening::of(&mut command);
    let ready = message(&socket, "READY=1");
    assert!(ready.contains("STATUS=0 packets/s"), "{ready}");
    for _ in 0..2 {
        message(&socket, "WATCHDOG=1");
    }
    cable.send([&*question()]);
    // One report may be on its way; then there is silence for longer than the watchdog waits.
    socket.set_read_timeout(Some(Duration::from_secs(4))).expect("a timeout");
    let mut bytes = [0; 1024];
    let left = std::iter::from_fn(|| receive(&socket, &mut bytes).ok()).take(10).count();
    assert!(left <= 2, "{left} messages of a program with a worker that hangs");
}

/// Receives a message, whatever signals come meanwhile.
fn receive(socket: &UnixDatagram, bytes: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match socket.recv(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            received => return received,
        }
    }
}

/// Waits for a message that has a line.
fn message(socket: &UnixDatagram, line: &str) -> String {
    let mut bytes = [0; 1024];
    loop {
        let length = receive(socket, &mut bytes).unwrap_or_else(|error| panic!("no {line}: {error}"));
        let message = String::from_utf8_lossy(&bytes[..length]).into_owned();
        if message.lines().any(|own| own.starts_with(line)) {
            return message;
        }
    }
}

#[test]
fn a_service_manager_is_told() {
    let folder = Folder::new("service-notify");
    let path = folder.path("notify");
    let name = format!("weir-service-{}", std::process::id());
    let abstract_address = SocketAddr::from_abstract_name(&name).expect("a name");
    let sockets = [
        (path.to_string_lossy().into_owned(), UnixDatagram::bind(&path).expect("a socket")),
        (format!("@{name}"), UnixDatagram::bind_addr(&abstract_address).expect("a socket")),
    ];
    let rules = folder.write("test.rules", "alert dns any any -> any any (sid:1;)\n");
    for (name, socket) in sockets {
        socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let logs = folder.path("").to_string_lossy().into_owned();
        let unix_socket = format!("--unix-socket={}", folder.path("control").display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
        command.args(["-l", &logs, "-S", &rules, &unix_socket]).current_dir(folder.path(""));
        let run = Listening::of(command.env("NOTIFY_SOCKET", name).env("WATCHDOG_USEC", "3000000"));
        let ready = message(&socket, "READY=1");
        assert!(ready.contains("STATUS=waiting for captures"), "{ready}");
        message(&socket, "WATCHDOG=1");
        run.signal(Signal::USR2);
        let reloading = message(&socket, "RELOADING=1");
        assert!(reloading.contains("\nMONOTONIC_USEC="), "{reloading}");
        message(&socket, "READY=1");
        run.signal(Signal::TERM);
        message(&socket, "STOPPING=1");
        assert_eq!(run.ended().0, Some(0));
    }
}
