//! Processors that threads run on (`threading.cpu-affinity`), and their priority.
//!
//! A thread is bound by itself, when it starts. The thread that writes logs is started by the one that
//! reads and runs where that does at the moment, so that the latter is bound twice.

use std::sync::Arc;

use rustix::process::nice;
use weir_config::{AffinitySettings, CpuSetSettings};

use crate::log::EngineLog;

/// Role of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// It starts others, which write logs.
    Management,
    /// It reads packets for workers.
    Receive,
    /// It is the worker of this number, from zero on.
    Worker(usize),
}

/// Where threads run.
#[derive(Clone)]
pub(crate) struct Affinity {
    settings: AffinitySettings,
    /// The processors that this program may use.
    there: Arc<[u16]>,
    log: Arc<EngineLog>,
}

/// Where one thread runs.
#[derive(PartialEq, Eq, Debug)]
struct Place {
    cpus: Vec<u16>,
    nice: i32,
}

impl Affinity {
    /// Where the settings want threads to run; none where the system may choose. Processors that are not
    /// there are told of.
    pub(crate) fn new(settings: Option<&AffinitySettings>, log: &Arc<EngineLog>) -> Option<Self> {
        let settings = settings?.clone();
        let there: Arc<[u16]> = match system::processors() {
            Ok(cpus) => cpus.into(),
            Err(error) => {
                log.warning(
                    "affinity",
                    &format!("The processors are not known, threads run anywhere: {error}"),
                );
                return None;
            }
        };
        for (name, set) in [
            ("management-cpu-set", &settings.management),
            ("receive-cpu-set", &settings.receive),
            ("worker-cpu-set", &settings.worker),
        ] {
            if let Some(sentence) = missing(name, set, &there) {
                log.warning("affinity", &sentence);
            }
        }
        Some(Self { settings, there, log: Arc::clone(log) })
    }

    /// Binds the thread that calls this.
    pub(crate) fn bind(&self, task: Task) {
        let place = place(&self.settings, &self.there, task);
        if let Err(error) = system::bind(&place.cpus) {
            self.log.warning("affinity", &format!("{task:?} cannot run on {:?}: {error}", place.cpus));
        }
        if place.nice != 0
            && let Err(error) = nice(place.nice)
        {
            let what = format!("The priority of {task:?} cannot be changed by {}: {error}", place.nice);
            self.log.warning("affinity", &what);
        }
    }
}

/// Calls of Linux.
#[cfg(target_os = "linux")]
mod system {
    use rustix::io::Errno;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The processors that this thread may run on.
    pub(super) fn processors() -> Result<Vec<u16>, Errno> {
        let set = sched_getaffinity(None)?;
        Ok((0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u16).collect())
    }

    /// Lets this thread run on these only.
    pub(super) fn bind(cpus: &[u16]) -> Result<(), Errno> {
        let mut set = CpuSet::new();
        cpus.iter().for_each(|cpu| set.set(usize::from(*cpu)));
        sched_setaffinity(None, &set)
    }
}

/// Systems that bind no threads, or in another way.
#[cfg(not(target_os = "linux"))]
mod system {
    /// The processors that this thread may run on are known on Linux only.
    pub(super) fn processors() -> Result<Vec<u16>, &'static str> {
        Err("threads are bound on Linux only")
    }

    /// Threads are bound on Linux only.
    pub(super) fn bind(_: &[u16]) -> Result<(), &'static str> {
        Err("threads are bound on Linux only")
    }
}

/// Writes the warning about processors of a set that the machine lacks.
fn missing(name: &str, set: &CpuSetSettings, there: &[u16]) -> Option<String> {
    let cpus = set.cpus.as_ref()?;
    let absent: Vec<String> = cpus.iter().filter(|cpu| !there.contains(cpu)).map(u16::to_string).collect();
    let all = absent.len() == cpus.len();
    let instead = if all { "threads run on any other" } else { "the rest of the set is used" };
    (!absent.is_empty()).then(|| {
        let absent = absent.join(", ");
        format!("threading.cpu-affinity.{name}: processor {absent} is not there, or not for this program; {instead}.")
    })
}

/// Where a thread runs. Of several workers that have a processor each, later ones share where there are
/// more workers than processors.
fn place(settings: &AffinitySettings, there: &[u16], task: Task) -> Place {
    let (set, number) = match task {
        Task::Management => (&settings.management, 0),
        Task::Receive => (&settings.receive, 0),
        Task::Worker(number) => (&settings.worker, number),
    };
    let mut cpus: Vec<u16> = match &set.cpus {
        Some(wanted) => wanted.iter().copied().filter(|cpu| there.contains(cpu)).collect(),
        None => there.to_vec(),
    };
    if cpus.is_empty() {
        cpus = there.to_vec();
    }
    if set.exclusive && !cpus.is_empty() {
        cpus = cpus.iter().copied().cycle().skip(number % cpus.len()).take(1).collect();
    }
    let urgency = match cpus.as_slice() {
        [only] => set.urgency(*only),
        _ => set.default,
    };
    // Management comes before others on the same thread, whose urgency could not be raised again.
    let nice = if task == Task::Management { 0 } else { urgency.nice() };
    Place { cpus, nice }
}

#[cfg(test)]
mod tests {
    use weir_config::threading::Urgency;

    use super::*;

    #[test]
    fn where_threads_run() {
        let worker = CpuSetSettings {
            cpus: Some(vec![1, 2, 9]),
            exclusive: true,
            low: vec![2],
            default: Urgency::High,
            ..CpuSetSettings::default()
        };
        let receive = CpuSetSettings { cpus: Some(vec![0, 3]), ..CpuSetSettings::default() };
        let management = CpuSetSettings { cpus: Some(vec![7]), ..CpuSetSettings::default() };
        let settings = AffinitySettings { management, receive, worker };
        for (task, cpus, nice) in [
            (Task::Worker(0), &[1][..], -2),
            (Task::Worker(1), &[2], 2),
            (Task::Worker(2), &[1], -2),
            (Task::Receive, &[0, 3], 0),
            (Task::Management, &[0, 1, 2, 3], 0),
        ] {
            assert_eq!(place(&settings, &[0, 1, 2, 3], task), Place { cpus: cpus.into(), nice }, "{task:?}");
        }
    }

    #[test]
    fn processors_that_are_not_there_are_told_of() {
        let set = |cpus: &[u16]| CpuSetSettings { cpus: Some(cpus.into()), ..CpuSetSettings::default() };
        let cases: [(&[u16], Option<&str>); 3] = [
            (&[0, 1], None),
            (&[0, 5], Some("processor 5 is not there")),
            (&[4, 5], Some("4, 5 is not there")),
        ];
        for (cpus, expected) in cases {
            let said = missing("worker-cpu-set", &set(cpus), &[0, 1]);
            assert_eq!(said.is_some(), expected.is_some(), "{said:?}");
            assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }
}
