//! Rights that a process gives away once it has opened what needs them: user and group, capabilities, paths
//! (Landlock), system calls (seccomp). Linux only.
//!
//! All of them are a thread's own, and threads inherit them: a process gives its rights away while it has one thread.

#![cfg(target_os = "linux")]

pub mod calls;
pub mod capabilities;
pub mod identity;
pub mod paths;

use std::fs;

pub use calls::Processes;
pub use identity::Identity;
pub use paths::{Paths, Reading};
pub use rustix::thread::CapabilitySet;

/// Whether this process has one thread; where the system does not tell, it has.
pub fn is_single_threaded() -> bool {
    fs::read_dir("/proc/self/task").map_or(true, |threads| threads.count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does something on a thread of its own, which alone gives rights away.
    fn alone<T: Send>(act: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(act).join().expect("the thread ends well"))
    }

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("weir-sandbox-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for part in ["logs", "rules", "other"] {
            fs::create_dir_all(folder.join(part)).expect("a folder");
            fs::write(folder.join(part).join("a"), part).expect("a file");
        }
        folder
    }

    #[test]
    fn files_are_written_and_read_where_they_may_be() {
        let folder = folder("files");
        let [logs, rules, other] = ["logs", "rules", "other"].map(|name| folder.join(name));
        for (reading, may_read) in [(Reading::Only(vec![rules.clone()]), false), (Reading::Anything, true)] {
            let paths =
                Paths { write: vec![logs.clone(), folder.join("none")], remove: Vec::new(), read: reading };
            let done = alone(|| {
                let in_force = paths::confine(&paths).expect("rules for files");
                let read = |path: &std::path::Path| fs::read(path.join("a")).is_ok();
                let write = |path: &std::path::Path| fs::write(path.join("b"), "b").is_ok();
                let moved = fs::rename(logs.join("b"), logs.join("c")).is_ok();
                let written = [write(&logs), write(&rules), write(&other)];
                let renamed = fs::rename(logs.join("b"), logs.join("c")).is_ok();
                let removed = fs::create_dir(logs.join("d")).is_ok()
                    && fs::rename(logs.join("c"), logs.join("d/e")).is_ok()
                    && fs::remove_dir_all(logs.join("d")).is_ok();
                // A thread that begins later.
                let later = alone(|| write(&other));
                (
                    in_force,
                    [read(&logs), read(&rules), read(&other)],
                    written,
                    [moved, renamed, removed],
                    later,
                )
            });
            if !done.0 {
                println!("skipped: the kernel has no Landlock");
                return;
            }
            assert_eq!(done.1, [true, true, may_read]);
            assert_eq!((done.2, done.3, done.4), ([true, false, false], [false, true, true], false));
        }
        fs::remove_dir_all(folder).expect("the folder goes");
    }

    #[test]
    fn programs_are_not_started() {
        for processes in [Processes::None, Processes::Some] {
            let started = alone(|| {
                rustix::thread::set_no_new_privs(true).expect("no new rights");
                calls::confine(processes).expect("a filter");
                let started = std::process::Command::new("/bin/true").status().map(|_| ());
                let error = started.expect_err("a program is started").raw_os_error();
                let namespace = fs::File::open("/proc/self/ns/net").ok().and_then(|namespace| {
                    use std::os::fd::AsFd;
                    let kind = Some(rustix::thread::LinkNameSpaceType::Network);
                    rustix::thread::move_into_link_name_space(namespace.as_fd(), kind).err()
                });
                let namespace = namespace.map(rustix::io::Errno::raw_os_error);
                (error, namespace, alone(|| 1))
            });
            assert_eq!(started.0, Some(libc::EPERM), "{processes:?}");
            assert_eq!((started.1, started.2), (Some(libc::EPERM), 1));
        }
    }

    #[test]
    fn capabilities_are_gone() {
        let kept = CapabilitySet::NET_RAW;
        for keep in [CapabilitySet::empty(), kept] {
            let (had, has) = alone(|| {
                let had = capabilities::held();
                capabilities::keep(keep).expect("fewer capabilities");
                (had, fs::read_to_string("/proc/thread-self/status").expect("a status"))
            });
            let expected = had & keep;
            for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
                let line = has.lines().find_map(|line| line.strip_prefix(set)).expect("a set");
                let bits = u64::from_str_radix(line.trim_start_matches(':').trim(), 16).expect("a number");
                let expected = if matches!(set, "CapPrm" | "CapEff") { expected.bits() } else { 0 };
                assert_eq!(bits, expected, "{set}");
            }
        }
    }
}
