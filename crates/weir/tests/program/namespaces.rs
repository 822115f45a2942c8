//! Two networks of a test's own, a cable between them, and the program that listens at one end.
//!
//! They need root and iproute2; where these are not there, the tests say so in a line and pass.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use pcap::Capture;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use rustix::thread::{CpuSet, LinkNameSpaceType, move_into_link_name_space, sched_setaffinity};

use super::run::Folder;

/// Two namespaces, `near` and `far`, with an interface each.
pub struct Cable {
    name: String,
    queues: u16,
}

/// An end of the cable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where traffic is made.
    Near,
    /// Where the program listens.
    Far,
}

impl End {
    fn letter(self) -> char {
        if self == End::Near { 'n' } else { 'f' }
    }
}

fn ip(words: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether namespaces can be made; says so where they cannot.
fn is_possible() -> bool {
    let possible = geteuid().is_root() && ip("netns");
    if !possible {
        println!("skipped: tests of live capture need root and `ip netns`");
    }
    possible
}

/// Makes a namespace in which the kernel sends nothing of its own accord.
fn add_namespace(name: &str) {
    assert!(ip(&format!("netns add {name}")), "a namespace");
    for scope in ["all", "default"] {
        ip(&format!("netns exec {name} sysctl -q -w net.ipv6.conf.{scope}.disable_ipv6=1"));
    }
}

/// Does something on a thread that is in a namespace.
fn at_namespace<T: Send>(name: &str, act: impl FnOnce() -> T + Send) -> T {
    let namespace = File::open(format!("/run/netns/{name}")).expect("a namespace");
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let kind = Some(LinkNameSpaceType::Network);
            move_into_link_name_space(namespace.as_fd(), kind).expect("the thread changes over");
            act()
        });
        thread.join().expect("the thread ends well")
    })
}

/// Sends frames by an interface.
fn send_by<'a>(interface: &str, frames: impl IntoIterator<Item = &'a [u8]>) {
    let mut sender = Capture::from_device(interface).and_then(|sender| sender.open()).expect("a sender");
    frames.into_iter().for_each(|frame| sender.sendpacket(frame).expect("a frame is sent"));
}

/// Starts the program in a namespace, with its logs in a folder; it listens when this returns.
fn start_in(namespace: &str, folder: &Folder, arguments: &[&str]) -> Listening {
    let logs = folder.path("").to_string_lossy().into_owned();
    let arguments = [&["-v", "-l", &logs], arguments].concat();
    let mut listening = start_as_in(namespace, env!("CARGO_BIN_EXE_weir"), folder, &arguments);
    listening.logged("Engine started");
    listening
}

/// Starts a program in a namespace, in a folder.
fn start_as_in(namespace: &str, program: &str, folder: &Folder, arguments: &[&str]) -> Listening {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", namespace, program]);
    Listening::of(command.args(arguments).current_dir(folder.path("")))
}

impl Cable {
    /// Lays one with a name of at most eight letters; none where that cannot be done.
    pub fn lay(name: &str) -> Option<Self> {
        Self::lay_with_queues(name, 1)
    }

    /// Lays one whose ends have several queues.
    pub fn lay_with_queues(name: &str, queues: u16) -> Option<Self> {
        if !is_possible() {
            return None;
        }
        let cable = Self { name: format!("{name}{}", std::process::id() % 10_000), queues };
        for end in [End::Near, End::Far] {
            add_namespace(&cable.namespace(end));
        }
        cable.connect();
        Some(cable)
    }

    /// Makes the interfaces.
    pub fn connect(&self) {
        let [near, far] = [End::Near, End::Far].map(|end| (self.interface(end), self.namespace(end)));
        let cable = format!(
            "link add {} netns {} QUEUES type veth peer name {} netns {} QUEUES",
            near.0, near.1, far.0, far.1
        );
        let queues = format!("numrxqueues {0} numtxqueues {0}", self.queues);
        let cable = cable.replace("QUEUES", &queues);
        assert!(ip(&cable), "a cable");
        for (interface, namespace) in [&near, &far] {
            assert!(
                ip(&format!("-n {namespace} link set {interface} arp off up")),
                "an interface that is up"
            );
        }
    }

    /// Changes an end by `ip link … INTERFACE`.
    pub fn link(&self, end: End, before: &str, after: &str) {
        let words = format!("-n {} link {before} {} {after}", self.namespace(end), self.interface(end));
        assert!(ip(words.trim()), "{words}");
    }

    /// Gives an end an address, and the other one the way to it.
    pub fn address(&self, end: End, address: &str) {
        let (namespace, interface) = (self.namespace(end), self.interface(end));
        assert!(ip(&format!("-n {namespace} link set {interface} arp on")), "addresses are asked for");
        assert!(ip(&format!("-n {namespace} addr add {address} dev {interface}")), "{address}");
    }

    /// Has an end speak IPv6; it is silent before.
    pub fn allow_version_6(&self, end: End) {
        let name = self.namespace(end);
        for scope in ["all".to_owned(), self.interface(end)] {
            let setting = format!("net.ipv6.conf.{scope}.disable_ipv6=0");
            assert!(ip(&format!("netns exec {name} sysctl -q -w {setting}")), "{setting}");
        }
    }

    /// Lets programs at an end reach each other by 127.0.0.1.
    pub fn join_loopback(&self, end: End) {
        assert!(ip(&format!("-n {} link set lo up", self.namespace(end))), "an interface that is up");
    }

    /// The name of an end's namespace.
    pub fn namespace(&self, end: End) -> String {
        format!("weir-{}{}", self.name, end.letter())
    }

    /// The name of an end's interface.
    pub fn interface(&self, end: End) -> String {
        format!("{}{}", self.name, end.letter())
    }

    /// Does something on a thread that is at an end.
    pub fn at<T: Send>(&self, end: End, act: impl FnOnce() -> T + Send) -> T {
        at_namespace(&self.namespace(end), act)
    }

    /// Sends frames from the near end.
    pub fn send<'a>(&self, frames: impl IntoIterator<Item = &'a [u8]> + Send) {
        let interface = self.interface(End::Near);
        self.at(End::Near, || send_by(&interface, frames));
    }

    /// Sends frames from the near end, each by a queue of its own choice; whether that can be done, which takes a processor
    /// for each queue.
    pub fn send_by_queues<'a>(&self, frames: impl IntoIterator<Item = (usize, &'a [u8])> + Send) -> bool {
        let (interface, namespace) = (self.interface(End::Near), self.namespace(End::Near));
        for queue in 0..self.queues {
            let file = format!("/sys/class/net/{interface}/queues/tx-{queue}/xps_cpus");
            let set = format!("echo {:x} > {file}", 1 << queue);
            let mut shell = Command::new("ip");
            shell.args(["netns", "exec", &namespace, "sh", "-c", &set]).stderr(Stdio::null());
            if !shell.status().is_ok_and(|status| status.success()) {
                println!("skipped: a test of {} queues needs as many processors", self.queues);
                return false;
            }
        }
        let from_processor = |(queue, frame)| {
            let mut only = CpuSet::new();
            only.set(queue);
            sched_setaffinity(None, &only).expect("a processor");
            frame
        };
        self.at(End::Near, || send_by(&interface, frames.into_iter().map(from_processor)));
        true
    }

    /// Waits for connections at an end.
    pub fn listener(&self, end: End, address: &str) -> TcpListener {
        self.at(end, || TcpListener::bind(address).expect("a listener"))
    }

    /// Starts the program at the far end, on its interface; it listens when this returns.
    pub fn listen(&self, folder: &Folder, arguments: &[&str]) -> Listening {
        let interface = self.interface(End::Far);
        self.start(folder, &[&["-i", &interface], arguments].concat())
    }

    /// Starts the program at the far end, on its interface, by an option; it listens when this returns.
    pub fn listen_by(&self, option: &str, folder: &Folder, arguments: &[&str]) -> Listening {
        let interface = format!("{option}={}", self.interface(End::Far));
        self.start(folder, &[&[&*interface], arguments].concat())
    }

    /// Starts the program at the far end.
    pub fn start(&self, folder: &Folder, arguments: &[&str]) -> Listening {
        start_in(&self.namespace(End::Far), folder, arguments)
    }

    /// Starts a program at the far end, in a folder.
    pub fn start_as(&self, program: &str, folder: &Folder, arguments: &[&str]) -> Listening {
        start_as_in(&self.namespace(End::Far), program, folder, arguments)
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        for end in [End::Near, End::Far] {
            ip(&format!("netns del {}", self.namespace(end)));
        }
    }
}

/// Three namespaces in a row: a client's, one with two interfaces, where the program stands, and a server's.
pub struct Line {
    name: String,
}

/// A namespace of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Where connections begin, with the address 10.9.0.1.
    Client,
    /// Where the program stands.
    Middle,
    /// Where connections end, with the address 10.9.0.2.
    Server,
}

impl Spot {
    const ALL: [Self; 3] = [Self::Client, Self::Middle, Self::Server];

    fn letter(self) -> char {
        match self {
            Spot::Client => 'c',
            Spot::Middle => 'm',
            Spot::Server => 's',
        }
    }
}

impl Line {
    /// Lays one with a name of at most eight letters; none where that cannot be done. Nothing joins its ends.
    pub fn lay(name: &str) -> Option<Self> {
        if !is_possible() {
            return None;
        }
        let line = Self { name: format!("{name}{}", std::process::id() % 10_000) };
        for spot in Spot::ALL {
            add_namespace(&line.namespace(spot));
        }
        line.connect(Spot::Client);
        line.connect(Spot::Server);
        for (spot, address) in [(Spot::Client, "10.9.0.1/24"), (Spot::Server, "10.9.0.2/24")] {
            line.address(spot, address);
        }
        Some(line)
    }

    /// Makes the cable between an end and the middle.
    pub fn connect(&self, spot: Spot) {
        let middle = self.namespace(Spot::Middle);
        let (own, other) = (self.interface(spot), self.beside(spot));
        let namespace = self.namespace(spot);
        assert!(
            ip(&format!("link add {own} netns {namespace} type veth peer name {other} netns {middle}")),
            "a cable"
        );
        assert!(ip(&format!("-n {middle} link set {other} arp off up")), "an interface that is up");
        assert!(ip(&format!("-n {namespace} link set {own} up")), "an interface that is up");
    }

    /// Gives an end an address.
    pub fn address(&self, spot: Spot, address: &str) {
        let words = format!("-n {} addr add {address} dev {}", self.namespace(spot), self.interface(spot));
        assert!(ip(&words), "{address}");
    }

    /// Does something with `ip` in the middle.
    pub fn ip(&self, words: &str) {
        assert!(ip(&format!("-n {} {words}", self.namespace(Spot::Middle))), "{words}");
    }

    /// The name of a namespace.
    pub fn namespace(&self, spot: Spot) -> String {
        format!("weir-{}{}", self.name, spot.letter())
    }

    /// The interface of an end.
    pub fn interface(&self, spot: Spot) -> String {
        format!("{}{}", self.name, spot.letter())
    }

    /// The interface in the middle that is joined to an end.
    pub fn beside(&self, spot: Spot) -> String {
        format!("{}{}", self.name, if spot == Spot::Client { 'a' } else { 'b' })
    }

    /// Does something on a thread that is at a place.
    pub fn at<T: Send>(&self, spot: Spot, act: impl FnOnce() -> T + Send) -> T {
        at_namespace(&self.namespace(spot), act)
    }

    /// Sends frames from an end.
    pub fn send<'a>(&self, spot: Spot, frames: impl IntoIterator<Item = &'a [u8]> + Send) {
        let interface = self.interface(spot);
        self.at(spot, || send_by(&interface, frames));
    }

    /// Starts the program in the middle; it stands there when this returns.
    pub fn start(&self, folder: &Folder, arguments: &[&str]) -> Listening {
        start_in(&self.namespace(Spot::Middle), folder, arguments)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        for spot in Spot::ALL {
            ip(&format!("netns del {}", self.namespace(spot)));
        }
    }
}

/// The program, listening.
pub struct Listening {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
}

impl Listening {
    /// Starts the program in a folder.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_weir")).args(arguments).current_dir(folder))
    }

    /// Starts what a command says.
    pub fn of(command: &mut Command) -> Self {
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = started.expect("weir starts");
        let log = BufReader::new(child.stderr.take().expect("a pipe"));
        Self { child, log }
    }

    /// Waits for a line of the log that has these words, and returns it.
    pub fn logged(&mut self, words: &str) -> String {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).expect("a line"), 0, "not logged: {words}");
        }
        line
    }

    /// Returns a field of what the system tells of the process.
    pub fn status(&self, field: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a status");
        let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.unwrap_or_else(|| panic!("no {field} in {status}")).trim().to_owned()
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: Signal) {
        let process = Pid::from_raw(self.child.id() as i32).expect("a process");
        kill_process(process, signal).expect("a signal is sent");
    }

    /// Asks the program to end; its exit code, and what it said.
    pub fn end(self, signal: Signal) -> (Option<i32>, String) {
        self.signal(signal);
        self.ended()
    }

    /// Waits for the end; the exit code, and what it said.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("words");
        let words: Vec<&str> = said.split_whitespace().collect();
        (self.child.wait().expect("weir ends").code(), words.join(" "))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // A test that failed leaves nobody behind.
        let _ = self.child.kill();
    }
}
